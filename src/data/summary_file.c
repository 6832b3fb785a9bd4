#include "data/summary_file.h"

#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"

/* Arrays with one entry for each column, and the counts of all columns one after another. */
typedef struct arrays {
    int64_t *missing, *unseen;
    int64_t *counts; /* how many counts the column has: bins of its histogram, or levels */
    double *min, *max;
    int64_t *count;
} arrays;

static void arrays_clear(arrays *a) {
    cp_mem_free(a->missing);
    cp_mem_free(a->unseen);
    cp_mem_free(a->counts);
    cp_mem_free(a->min);
    cp_mem_free(a->max);
    cp_mem_free(a->count);
}

/* What a reader allocates besides the arrays. */
static size_t cost_of(size_t columns) {
    return (columns + 1) * sizeof(cp_summary_column);
}

/* ---------------------------------------------------------------------------------------------------------- writing */

/* The number of counts to write: classes that were forgotten have none. */
static size_t counts_of(const cp_summary *u, const cp_schema *s, size_t i) {
    const cp_summary_column *c = &u->column[i];
    if (c->kind == COPSE_NUMBER) return cp_histogram_bins(&c->histogram);
    return i < s->features ? c->counts : s->classes.n;
}

static copse_status arrays_init(arrays *a, const cp_summary *u, const cp_schema *s, size_t *out_n, copse_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < u->columns; i++) n += counts_of(u, s, i);
    CP_TRY(CP_RAW(a->missing, u->columns, err));
    CP_TRY(CP_RAW(a->unseen, u->columns, err));
    CP_TRY(CP_RAW(a->counts, u->columns, err));
    CP_TRY(CP_RAW(a->min, u->columns, err));
    CP_TRY(CP_RAW(a->max, u->columns, err));
    CP_TRY(CP_RAW(a->count, n, err));
    *out_n = n;
    n = 0;
    for (size_t i = 0; i < u->columns; i++) {
        const cp_summary_column *c = &u->column[i];
        const uint64_t *count = c->kind == COPSE_NUMBER ? c->histogram.count : c->count;
        a->missing[i] = (int64_t)c->missing;
        a->unseen[i] = (int64_t)c->unseen;
        a->counts[i] = (int64_t)counts_of(u, s, i);
        a->min[i] = c->histogram.min;
        a->max[i] = c->histogram.max;
        for (size_t k = 0; k < (size_t)a->counts[i]; k++) a->count[n++] = (int64_t)count[k];
    }
    return COPSE_OK;
}

copse_status cp_summary_file_write(const cp_summary *u, const cp_schema *s, cp_writer *w, copse_error *err) {
    arrays a = {0};
    size_t n;
    copse_status status;
    if (!u) return COPSE_OK;
    CP_TRY(cp_writer_push(w, "columns", err));
    CP_TRY_OUT(arrays_init(&a, u, s, &n, err));
    CP_TRY_OUT(cp_writer_array(w, "missing", CP_I64, a.missing, u->columns, err));
    CP_TRY_OUT(cp_writer_array(w, "unseen", CP_I64, a.unseen, u->columns, err));
    CP_TRY_OUT(cp_writer_array(w, "min", CP_F64, a.min, u->columns, err));
    CP_TRY_OUT(cp_writer_array(w, "max", CP_F64, a.max, u->columns, err));
    CP_TRY_OUT(cp_writer_array(w, "counts", CP_I64, a.counts, u->columns, err));
    CP_TRY_OUT(cp_writer_array(w, "count", CP_I64, a.count, n, err));
    cp_writer_claim(w, cost_of(u->columns), 1);
out:
    cp_writer_pop(w);
    arrays_clear(&a);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const cp_number_rule number_rules[] = {
    {.name = "min", .least = -DBL_MAX, .most = DBL_MAX},
    {.name = "max", .least = -DBL_MAX, .most = DBL_MAX},
};

/* Half the largest number of a file: a model that learns more rows can still be saved. */
static const uint64_t most_rows = (uint64_t)1 << 52;

static copse_status read_arrays(cp_reader *r, size_t columns, arrays *a, size_t *out_n, copse_error *err) {
    CP_TRY(cp_reader_array(r, "missing", CP_I64, columns, &a->missing, err));
    CP_TRY(cp_reader_array(r, "unseen", CP_I64, columns, &a->unseen, err));
    CP_TRY(cp_reader_array(r, "min", CP_F64, columns, &a->min, err));
    CP_TRY(cp_reader_array(r, "max", CP_F64, columns, &a->max, err));
    CP_TRY(cp_reader_array(r, "counts", CP_I64, columns, &a->counts, err));
    CP_TRY(cp_reader_count(r, "count", CP_I64, out_n, err));
    return cp_reader_array(r, "count", CP_I64, *out_n, &a->count, err);
}

/* The range of a histogram, whose number of bins must be that of the counts in the file. */
static int set_range(cp_summary_column *c, const arrays *a, size_t i) {
    c->histogram.n = 0;
    if (!a->counts[i]) return a->min[i] == 0 && a->max[i] == 0;
    if (a->min[i] > a->max[i]) return 0;
    cp_histogram_set_range(&c->histogram, a->min[i], a->max[i]);
    c->histogram.n = 1; /* for cp_histogram_bins */
    size_t bins = cp_histogram_bins(&c->histogram);
    c->histogram.n = 0;
    return bins == (size_t)a->counts[i];
}

/* Fills column i from the counts from `count` on, of which there are `left`; 0 if they do not fit. */
static int fill_column(cp_summary_column *c, const arrays *a, size_t i, const int64_t *count, size_t left) {
    int numbers = c->kind == COPSE_NUMBER;
    if ((uint64_t)a->counts[i] > left) return 0;
    if (numbers ? !set_range(c, a, i) : (size_t)a->counts[i] != c->counts || a->min[i] != 0 || a->max[i] != 0) return 0;
    c->missing = (uint64_t)a->missing[i];
    c->unseen = (uint64_t)a->unseen[i];
    for (size_t k = 0; k < (size_t)a->counts[i]; k++) {
        (numbers ? c->histogram.count : c->count)[k] = (uint64_t)count[k];
        if (numbers) c->histogram.n += (uint64_t)count[k];
    }
    return !numbers || !a->counts[i] || c->histogram.n; /* a range without numbers is none */
}

static copse_status fill(cp_reader *r, const arrays *a, size_t n, cp_summary *u, copse_error *err) {
    size_t used = 0;
    for (size_t i = 0; i < u->columns; i++) {
        if (!fill_column(&u->column[i], a, i, a->count + used, n - used))
            return cp_reader_bad(r, err, "the counts of column %zu do not fit it", i);
        used += (size_t)a->counts[i];
    }
    return used == n ? COPSE_OK : cp_reader_bad(r, err, "%zu counts belong to no column", n - used);
}

static copse_status read_all(cp_reader *r, const cp_schema *s, cp_summary **out, copse_error *err) {
    arrays a = {0};
    size_t n;
    copse_status status;
    CP_TRY(cp_reader_claim(r, cost_of(s->features + 1), 1, err));
    CP_TRY(cp_summary_new(s, out, err));
    CP_TRY_OUT(read_arrays(r, (*out)->columns, &a, &n, err));
    CP_TRY_OUT(fill(r, &a, n, *out, err));
    if (!cp_summary_check(*out, s) || cp_summary_rows(*out) > most_rows)
        status = cp_reader_bad(r, err, "the counts of its columns contradict each other");
out:
    arrays_clear(&a);
    return status;
}

copse_status cp_summary_file_read(cp_reader *r, const cp_schema *s, cp_summary **out, copse_error *err) {
    copse_status status = COPSE_OK;
    *out = NULL;
    CP_TRY(cp_reader_push(r, "columns", err));
    CP_NUMBER_RULES(r, number_rules);
    if (cp_reader_has(r, "missing")) status = read_all(r, s, out, err);
    cp_reader_pop(r);
    if (!status) return COPSE_OK;
    cp_summary_free(*out);
    *out = NULL;
    return status;
}
