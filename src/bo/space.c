#include "bo/space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "data/table_match.h"
#include "num/math.h"

static const double most_integer = 9007199254740992.0; /* 2^53 */

void cp_space_free(cp_space *s) {
    if (!s) return;
    for (size_t k = 0; s->dim && k < s->dims; k++) {
        cp_mem_free((void *)(uintptr_t)s->dim[k].info.name);
        cp_mem_free((void *)(uintptr_t)s->dim[k].info.levels);
    }
    cp_mem_free(s->dim);
    cp_mem_free(s->point);
    cp_mem_free(s);
}

/* ----------------------------------------------------------------------------------------------------------- making */

static copse_status check_numbers(const copse_dim *d, copse_error *err) {
    if (!isfinite(d->low) || !isfinite(d->high) || d->low > d->high || !isfinite(d->high - d->low))
        return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': %g to %g is not a range", d->name, d->low, d->high);
    if (d->log && d->low <= 0)
        return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': a log scale has no %g; begin above 0", d->name, d->low);
    if (d->kind == COPSE_DIM_INTEGER && (floor(d->low) != d->low || floor(d->high) != d->high ||
                                         fabs(d->low) > most_integer || fabs(d->high) > most_integer))
        return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': %.17g to %.17g are not whole numbers", d->name, d->low,
                       d->high);
    return COPSE_OK;
}

/* Names and levels must be UTF-8, as those read from tables are, because they are printed as JSON. */
static int is_utf8(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    size_t n = 1;
    while (*p && (n = cp_utf8_length(p, 4)) != 0) p += n;
    return n != 0;
}

static copse_status check_levels(const copse_dim *d, copse_error *err) {
    if (!d->levels || d->n_levels < 1) return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s' has no levels", d->name);
    for (size_t i = 0; i < d->n_levels; i++) {
        for (size_t k = 0; k <= i; k++)
            if (!d->levels[i] || !*d->levels[i] || (k < i && strcmp(d->levels[i], d->levels[k]) == 0))
                return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': its level %zu is empty or there twice", d->name,
                               i + 1);
        if (!is_utf8(d->levels[i]))
            return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': its level %zu is not UTF-8 text", d->name, i + 1);
    }
    return COPSE_OK;
}

/* P1 and P2 */
static copse_status check_dims(const copse_dim *dim, size_t n, copse_error *err) {
    size_t cols = 0;
    if (n < 1) return cp_fail(err, COPSE_E_USAGE, "a study needs at least one dimension");
    if (n > CP_SPACE_DIMS) return cp_fail(err, COPSE_E_USAGE, "more than %d dimensions", CP_SPACE_DIMS);
    for (size_t k = 0; k < n; k++) {
        const copse_dim *d = &dim[k];
        if (!d->name || !*d->name) return cp_fail(err, COPSE_E_USAGE, "dimension %zu has no name", k + 1);
        if (!is_utf8(d->name)) return cp_fail(err, COPSE_E_USAGE, "dimension %zu: its name is not UTF-8 text", k + 1);
        for (size_t i = 0; i < k; i++)
            if (strcmp(dim[i].name, d->name) == 0)
                return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s' is there twice", d->name);
        cols += d->kind == COPSE_DIM_CATEGORY ? d->n_levels : 1;
        if (cols > CP_SPACE_COLS)
            return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s': more than %d levels in all", d->name,
                           CP_SPACE_COLS);
        if (d->kind != COPSE_DIM_REAL && d->kind != COPSE_DIM_INTEGER && d->kind != COPSE_DIM_CATEGORY)
            return cp_fail(err, COPSE_E_USAGE, "dimension '%.100s' is of an unknown kind", d->name);
        CP_TRY(d->kind == COPSE_DIM_CATEGORY ? check_levels(d, err) : check_numbers(d, err));
    }
    return COPSE_OK;
}

/* Copies pointers and texts to one block of memory. */
static copse_status copy_levels(const copse_dim *d, const char *const **out, copse_error *err) {
    size_t bytes = d->n_levels * sizeof(char *);
    for (size_t i = 0; i < d->n_levels; i++) bytes += strlen(d->levels[i]) + 1;
    char *block = cp_mem_raw(bytes, 1);
    if (!block) return cp_fail_memory(err);
    char *text = block + d->n_levels * sizeof(char *);
    const char **level = (const char **)(void *)block;
    for (size_t i = 0; i < d->n_levels; i++) {
        size_t n = strlen(d->levels[i]) + 1;
        memcpy(text, d->levels[i], n);
        level[i] = text;
        text += n;
    }
    *out = level;
    return COPSE_OK;
}

/* Sets where the scale begins and ends.  An integer takes half a unit on either side of it. */
static void set_scale(cp_space_dim *d) {
    double half = d->info.kind == COPSE_DIM_INTEGER ? .5 : 0;
    d->from = d->info.low - half;
    d->to = d->info.high + half;
    if (d->info.log) {
        d->from = cp_math_log(d->from);
        d->to = cp_math_log(d->to);
    }
}

static copse_status copy_dim(const copse_dim *from, size_t first, cp_space_dim *d, copse_error *err) {
    *d = (cp_space_dim){.first = first, .width = from->kind == COPSE_DIM_CATEGORY ? from->n_levels : 1};
    d->info.kind = from->kind;
    d->info.name = cp_mem_strdup(from->name);
    if (!d->info.name) return cp_fail_memory(err);
    if (from->kind == COPSE_DIM_CATEGORY) {
        CP_TRY(copy_levels(from, &d->info.levels, err));
        d->info.n_levels = from->n_levels;
        d->info.high = (double)(from->n_levels - 1);
        return COPSE_OK;
    }
    d->info.low = from->low;
    d->info.high = from->high;
    d->info.log = !!from->log;
    set_scale(d);
    return COPSE_OK;
}

copse_status cp_space_new(const copse_dim *dim, size_t n, cp_space **out, copse_error *err) {
    cp_space *s;
    *out = NULL;
    CP_TRY(check_dims(dim, n, err));
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_NEW(s->dim, n, err));
    s->dims = n;
    for (size_t k = 0; k < n; k++) {
        CP_TRY_OUT(copy_dim(&dim[k], s->cols, &s->dim[k], err));
        s->cols += s->dim[k].width;
    }
out:
    if (status)
        cp_space_free(s);
    else
        *out = s;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ lists */

static double cell(const cp_column *c, size_t row) {
    return c->kind == COPSE_TEXT ? (double)c->code[row] : c->number[row];
}

static copse_status check_cells(const copse_table *t, const cp_column *c, copse_error *err) {
    char where[300];
    for (size_t i = 0; i < t->rows; i++) {
        if (cp_column_missing(c, i))
            return cp_fail(err, COPSE_E_DATA, "%s: '%.100s' is missing; a point has all its values",
                           cp_table_where(t, i, where, sizeof where), c->name);
        if (c->kind == COPSE_NUMBER && isinf(c->number[i]))
            return cp_fail(err, COPSE_E_DATA, "%s: '%.100s' is infinite", cp_table_where(t, i, where, sizeof where),
                           c->name);
    }
    return COPSE_OK;
}

static void find_range(const copse_table *t, const cp_column *c, int on_log, copse_dim *d) {
    *d = (copse_dim){.name = c->name, .kind = COPSE_DIM_REAL, .log = on_log, .low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < t->rows; i++) {
        d->low = fmin(d->low, c->number[i]);
        d->high = fmax(d->high, c->number[i]);
    }
}

/* *out_texts: the array of pointers to the levels, which the caller frees; NULL for numbers. */
static copse_status describe_column(const copse_table *t, const cp_column *c, int on_log, copse_dim *d,
                                    const char ***out_texts, copse_error *err) {
    *out_texts = NULL;
    CP_TRY(check_cells(t, c, err));
    if (c->kind == COPSE_NUMBER) {
        find_range(t, c, on_log, d);
        return COPSE_OK;
    }
    if (on_log) return cp_fail(err, COPSE_E_USAGE, "column '%.100s' is text: it has no logarithm", c->name);
    CP_TRY(CP_RAW(*out_texts, c->levels.n, err));
    for (size_t i = 0; i < c->levels.n; i++) (*out_texts)[i] = cp_dict_text(&c->levels, i);
    *d = (copse_dim){.name = c->name, .kind = COPSE_DIM_CATEGORY, .levels = *out_texts, .n_levels = c->levels.n};
    return COPSE_OK;
}

/* The columns of a table that become dimensions. */
typedef struct list_columns {
    unsigned char *drop, *on_log;
    size_t n, *col;
    copse_dim *dim;
    const char ***texts;
} list_columns;

static void list_columns_clear(list_columns *v) {
    for (size_t k = 0; v->texts && k < v->n; k++) cp_mem_free(v->texts[k]);
    cp_mem_free(v->texts);
    cp_mem_free(v->dim);
    cp_mem_free(v->col);
    cp_mem_free(v->drop);
    cp_mem_free(v->on_log);
}

static copse_status describe_columns(list_columns *v, const copse_table *t, const char *opt_drop, const char *opt_log,
                                     copse_error *err) {
    CP_TRY(CP_NEW(v->drop, t->cols, err));
    CP_TRY(CP_NEW(v->on_log, t->cols, err));
    CP_TRY(CP_NEW(v->col, t->cols, err));
    CP_TRY(CP_NEW(v->dim, t->cols, err));
    CP_TRY(CP_NEW(v->texts, t->cols, err));
    if (opt_drop) CP_TRY(cp_table_match(t, opt_drop, v->drop, err));
    if (opt_log) CP_TRY(cp_table_match(t, opt_log, v->on_log, err));
    for (size_t c = 0; c < t->cols; c++) {
        if (v->drop[c]) continue;
        size_t k = v->n++;
        v->col[k] = c;
        CP_TRY(describe_column(t, &t->col[c], v->on_log[c], &v->dim[k], &v->texts[k], err));
    }
    return COPSE_OK;
}

static copse_status keep_points(cp_space *s, const copse_table *t, const size_t *col, copse_error *err) {
    CP_TRY(CP_RAW(s->point, t->rows * s->dims, err));
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0; k < s->dims; k++) s->point[i * s->dims + k] = cell(&t->col[col[k]], i);
    s->points = t->rows;
    return COPSE_OK;
}

copse_status cp_space_of_table(const copse_table *t, const char *opt_drop, const char *opt_log, cp_space **out,
                               copse_error *err) {
    list_columns v = {0};
    *out = NULL;
    if (t->rows < 1) return cp_fail(err, COPSE_E_DATA, "a grid without points");
    if (t->rows > INT32_MAX / 2) return cp_fail(err, COPSE_E_DATA, "a grid of more than %d points", INT32_MAX / 2);
    copse_status status = describe_columns(&v, t, opt_drop, opt_log, err);
    if (!status) status = cp_space_new(v.dim, v.n, out, err);
    if (!status) status = keep_points(*out, t, v.col, err);
    list_columns_clear(&v);
    if (status) {
        cp_space_free(*out);
        *out = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------- the cube */

double cp_space_value(const cp_space_dim *d, double u) {
    if (d->info.kind == COPSE_DIM_CATEGORY) return fmin(floor(u * (double)d->width), (double)(d->width - 1));
    double x = d->from + u * (d->to - d->from);
    if (d->info.log) x = cp_math_exp(x);
    if (d->info.kind == COPSE_DIM_INTEGER) x = floor(x + .5);
    return fmin(fmax(x, d->info.low), d->info.high);
}

void cp_space_encode_dim(const cp_space_dim *d, double value, float *out) {
    if (d->info.kind == COPSE_DIM_CATEGORY) {
        for (size_t i = 0; i < d->width; i++) out[i] = (double)i == value ? 1.0F / (float)d->width : 0;
        return;
    }
    double x = d->info.log ? cp_math_log(value) : value, span = d->to - d->from;
    out[0] = span > 0 ? (float)((x - d->from) / span) : 0.5F;
}

void cp_space_encode(const cp_space *s, const double *x, float *out) {
    for (size_t k = 0; k < s->dims; k++) cp_space_encode_dim(&s->dim[k], x[k], out + s->dim[k].first);
}

double cp_space_distance(const cp_space *s, const double *a, const double *b) {
    double most = 0;
    for (size_t k = 0; k < s->dims; k++) {
        const cp_space_dim *d = &s->dim[k];
        float from = 0, to = 0;
        if (a[k] == b[k]) continue;
        if (d->info.kind == COPSE_DIM_CATEGORY) return 1;
        cp_space_encode_dim(d, a[k], &from);
        cp_space_encode_dim(d, b[k], &to);
        most = fmax(most, fabs((double)from - (double)to));
    }
    return most;
}

const cp_space_dim *cp_space_outside(const cp_space *s, const double *x) {
    for (size_t k = 0; k < s->dims; k++) {
        const cp_space_dim *d = &s->dim[k];
        int whole = d->info.kind == COPSE_DIM_REAL || floor(x[k]) == x[k];
        if (!whole || !(x[k] >= d->info.low && x[k] <= d->info.high)) return d;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ files */

static copse_status write_dim(const cp_space_dim *d, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_text(w, "name", d->info.name, err));
    CP_TRY(cp_writer_i64(w, "kind", (int64_t)d->info.kind, err));
    if (d->info.kind == COPSE_DIM_CATEGORY) return cp_writer_texts(w, "levels", d->info.levels, d->info.n_levels, err);
    CP_TRY(cp_writer_f64(w, "low", d->info.low, err));
    CP_TRY(cp_writer_f64(w, "high", d->info.high, err));
    return cp_writer_i64(w, "log", d->info.log, err);
}

copse_status cp_space_write(const cp_space *s, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "dims", (int64_t)s->dims, err));
    for (size_t k = 0; k < s->dims; k++) {
        CP_TRY(cp_writer_push_nth(w, "dim", k, err));
        copse_status status = write_dim(&s->dim[k], w, err);
        cp_writer_pop(w);
        CP_TRY(status);
    }
    CP_TRY(cp_writer_i64(w, "points", (int64_t)s->points, err));
    return s->points ? cp_writer_array(w, "point", CP_F64, s->point, s->points * s->dims, err) : COPSE_OK;
}

/* The memory of one dimension that was read. */
typedef struct dim_buffers {
    char *name, **levels;
} dim_buffers;

static copse_status read_dim(cp_reader *r, copse_dim *d, dim_buffers *f, copse_error *err) {
    int64_t kind, on_log = 0;
    CP_TRY(cp_reader_text(r, "name", &f->name, err));
    CP_TRY(cp_reader_i64(r, "kind", COPSE_DIM_REAL, COPSE_DIM_CATEGORY, &kind, err));
    *d = (copse_dim){.name = f->name, .kind = (copse_dim_kind)kind};
    if (kind == COPSE_DIM_CATEGORY) {
        CP_TRY(cp_reader_texts(r, "levels", &f->levels, &d->n_levels, err));
        d->levels = (const char *const *)f->levels;
        return COPSE_OK;
    }
    CP_TRY(cp_reader_f64(r, "low", -DBL_MAX, DBL_MAX, &d->low, err));
    CP_TRY(cp_reader_f64(r, "high", -DBL_MAX, DBL_MAX, &d->high, err));
    CP_TRY(cp_reader_i64(r, "log", 0, 1, &on_log, err));
    d->log = (int)on_log;
    return COPSE_OK;
}

static copse_status read_points(cp_reader *r, cp_space *s, copse_error *err) {
    int64_t points;
    CP_TRY(cp_reader_i64(r, "points", 0, INT32_MAX / 2, &points, err));
    if (points == 0) return COPSE_OK;
    CP_TRY(cp_reader_array(r, "point", CP_F64, (size_t)points * s->dims, &s->point, err));
    s->points = (size_t)points;
    for (size_t i = 0; i < s->points; i++)
        if (cp_space_outside(s, s->point + i * s->dims)) return cp_reader_bad(r, err, "a point is outside its range");
    return COPSE_OK;
}

static copse_status read_dims(cp_reader *r, copse_dim *dim, dim_buffers *f, size_t n, copse_error *err) {
    for (size_t k = 0; k < n; k++) {
        CP_TRY(cp_reader_push_nth(r, "dim", k, err));
        copse_status status = read_dim(r, &dim[k], &f[k], err);
        cp_reader_pop(r);
        CP_TRY(status);
    }
    return COPSE_OK;
}

copse_status cp_space_read(cp_reader *r, cp_space **out, copse_error *err) {
    int64_t n;
    copse_dim *dim = NULL;
    dim_buffers *f = NULL;
    copse_error why;
    *out = NULL;
    CP_TRY(cp_reader_i64(r, "dims", 1, CP_SPACE_DIMS, &n, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_NEW(dim, (size_t)n, err));
    CP_TRY_OUT(CP_NEW(f, (size_t)n, err));
    CP_TRY_OUT(read_dims(r, dim, f, (size_t)n, err));
    status = cp_space_new(dim, (size_t)n, out, &why);
    if (status == COPSE_E_USAGE) status = cp_reader_bad(r, err, "its space cannot be: %.200s", why.msg);
    if (status == COPSE_E_MEMORY) status = cp_fail_memory(err);
    if (!status) status = read_points(r, *out, err);
out:
    for (size_t k = 0; f && k < (size_t)n; k++) {
        cp_mem_free(f[k].name);
        cp_mem_free(f[k].levels);
    }
    cp_mem_free(f);
    cp_mem_free(dim);
    if (status) {
        cp_space_free(*out);
        *out = NULL;
    }
    return status;
}
