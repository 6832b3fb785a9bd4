#include "data/summary.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---------------------------------------------------------------------------------------------------------- columns */

static copse_kind kind_of(const cp_schema *s, size_t column) {
    if (column < s->features) return s->feature[column].kind;
    return s->task == COPSE_CLASS ? COPSE_TEXT : COPSE_NUMBER;
}

/* The levels of a text column. */
static size_t levels_of(const cp_schema *s, size_t column) {
    return column < s->features ? s->feature[column].levels.n : s->classes.n;
}

static copse_status grow(cp_summary_column *c, size_t counts, copse_error *err) {
    if (counts <= c->counts) return COPSE_OK;
    CP_TRY(CP_GROW(c->count, c->cap, counts, err));
    memset(c->count + c->counts, 0, (counts - c->counts) * sizeof *c->count);
    c->counts = counts;
    return COPSE_OK;
}

copse_status cp_summary_new(const cp_schema *s, cp_summary **out, copse_error *err) {
    cp_summary *u;
    *out = NULL;
    CP_TRY(CP_NEW(u, 1, err));
    copse_status status = CP_NEW(u->column, s->features + 1, err);
    if (!status) u->columns = s->features + 1;
    for (size_t i = 0; !status && i < u->columns; i++) {
        u->column[i].kind = kind_of(s, i);
        if (u->column[i].kind == COPSE_TEXT) status = grow(&u->column[i], levels_of(s, i), err);
    }
    if (status)
        cp_summary_free(u);
    else
        *out = u;
    return status;
}

void cp_summary_free(cp_summary *u) {
    if (!u) return;
    for (size_t i = 0; i < u->columns; i++) cp_mem_free(u->column[i].count);
    cp_mem_free(u->column);
    cp_mem_free(u);
}

copse_status cp_summary_reserve(cp_summary *u, const cp_schema *s, copse_error *err) {
    return s->task == COPSE_CLASS ? grow(&u->column[s->features], s->classes.n, err) : COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------- rows */

static void add_level(cp_summary_column *c, int32_t level) {
    if (level == CP_NONE)
        c->missing++;
    else if ((size_t)level < c->counts)
        c->count[level]++;
    else
        c->unseen++;
}

static int32_t find_level(const cp_feature *f, const cp_column *c, int32_t code) {
    const char *text = cp_dict_text(&c->levels, (size_t)code);
    int32_t level = cp_dict_find(&f->levels, text, strlen(text));
    return level == CP_NONE ? (int32_t)f->levels.n : level;
}

/* The levels of the first codes are looked up once.  This allocates nothing, so that it cannot fail after a method has
 * learnt the rows. */
static void add_texts(cp_summary_column *to, const cp_feature *f, const cp_column *c, const cp_table_rows *rows) {
    enum { KNOWN = 256 };
    int32_t level[KNOWN];
    size_t known = c->levels.n < KNOWN ? c->levels.n : KNOWN;
    if (known > rows->n) known = 0;
    for (size_t k = 0; k < known; k++) level[k] = find_level(f, c, (int32_t)k);
    for (size_t i = rows->first; i < rows->first + rows->n; i++) {
        int32_t code = c->code[i];
        if (code != CP_NONE) code = (size_t)code < known ? level[code] : find_level(f, c, code);
        add_level(to, code);
    }
}

static void add_numbers(cp_summary_column *to, const double *x, size_t n) {
    uint64_t before = to->histogram.n;
    cp_histogram_add(&to->histogram, x, n);
    to->missing += n - (to->histogram.n - before);
}

/* Numbers in text, which the schema could read. */
static void add_derived(cp_summary_column *to, const cp_feature *f, const cp_column *c, const cp_table_rows *rows) {
    enum { BATCH = 256 };
    double x[BATCH];
    for (size_t first = 0, n; first < rows->n; first += n) {
        n = rows->n - first < BATCH ? rows->n - first : BATCH;
        for (size_t i = 0; i < n; i++) {
            int32_t code = c->code[rows->first + first + i];
            x[i] = NAN;
            if (code != CP_NONE) cp_derive_value(f->form, f->part, cp_dict_text(&c->levels, (size_t)code), &x[i]);
        }
        add_numbers(to, x, n);
    }
}

void cp_summary_add(cp_summary *u, const cp_schema *s, size_t feature, cp_table_rows rows) {
    const cp_feature *f = &s->feature[feature];
    cp_summary_column *to = &u->column[feature];
    const cp_column *c = &rows.t->col[cp_table_find(rows.t, cp_schema_column(f))];
    if (f->column && c->kind == COPSE_TEXT)
        add_derived(to, f, c, &rows);
    else if (c->kind != f->kind) /* such a column is all missing: the schema refuses any other */
        to->missing += rows.n;
    else if (f->kind == COPSE_TEXT)
        add_texts(to, f, c, &rows);
    else
        add_numbers(to, c->number + rows.first, rows.n);
}

void cp_summary_add_value(cp_summary *u, size_t feature, double value) {
    cp_summary_column *to = &u->column[feature];
    if (to->kind == COPSE_TEXT)
        add_level(to, isnan(value) ? CP_NONE : (int32_t)value);
    else
        add_numbers(to, &value, 1);
}

void cp_summary_add_targets(cp_summary *u, const double *opt_y, const int32_t *opt_label, size_t n) {
    cp_summary_column *to = &u->column[u->columns - 1];
    if (opt_y) add_numbers(to, opt_y, n);
    for (size_t i = 0; !opt_y && i < n; i++) add_level(to, opt_label[i]);
}

copse_status cp_summary_merge(cp_summary *u, const cp_summary *other, copse_error *err) {
    CP_BUG(u->columns != other->columns);
    CP_TRY(grow(&u->column[u->columns - 1], other->column[u->columns - 1].counts, err));
    for (size_t i = 0; i < u->columns; i++) {
        cp_summary_column *to = &u->column[i];
        const cp_summary_column *from = &other->column[i];
        CP_BUG(to->kind != from->kind || to->counts < from->counts);
        to->missing += from->missing;
        to->unseen += from->unseen;
        cp_histogram_merge(&to->histogram, &from->histogram);
        for (size_t k = 0; k < from->counts; k++) to->count[k] += from->count[k];
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- invariants */

/* UINT64_MAX if the sum is no number of rows. */
static uint64_t rows_of(const cp_summary_column *c) {
    const uint64_t most = (uint64_t)1 << 53;
    uint64_t sum = c->histogram.n;
    if (sum > most || c->missing > most || c->unseen > most) return UINT64_MAX;
    sum += c->missing + c->unseen;
    for (size_t k = 0; k < c->counts; k++) {
        if (sum > most || c->count[k] > most) return UINT64_MAX;
        sum += c->count[k];
    }
    return sum > most ? UINT64_MAX : sum;
}

uint64_t cp_summary_rows(const cp_summary *u) {
    return rows_of(&u->column[u->columns - 1]);
}

int cp_summary_check(const cp_summary *u, const cp_schema *s) {
    uint64_t rows = cp_summary_rows(u);
    if (u->columns != s->features + 1 || rows == UINT64_MAX) return 0;
    for (size_t i = 0; i < u->columns; i++) {
        const cp_summary_column *c = &u->column[i];
        int text = kind_of(s, i) == COPSE_TEXT;
        if (c->kind != kind_of(s, i) || rows_of(c) != rows) return 0;
        if (text ? c->counts < levels_of(s, i) || c->histogram.n : c->counts || c->unseen) return 0;
        if (!text && !cp_histogram_check(&c->histogram)) return 0;
    }
    return !u->column[s->features].missing && !u->column[s->features].unseen;
}
