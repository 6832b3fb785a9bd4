#include <math.h>
#include <string.h>

#include "api/api_check.h"
#include "base/mem.h"
#include "data/synth.h"
#include "data/table_join.h"
#include "data/table_report.h"
#include "data/text.h"
#include "io/stream.h"
#include "model/model.h"

copse_status copse_table_new(size_t rows, copse_table **out, copse_error *err) {
    CP_API_OUT(out);
    return cp_table_new(rows, out, err);
}

copse_status copse_table_add_numbers(copse_table *t, const char *name, const double *values, copse_error *err) {
    cp_column *col;
    CP_API_NEED(t);
    CP_API_NEED(name);
    if (t->rows) CP_API_NEED(values);
    CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &col, err));
    for (size_t i = 0; i < t->rows; i++) col->number[i] = values[i];
    return COPSE_OK;
}

copse_status copse_table_add_text(copse_table *t, const char *name, const char *const *values, copse_error *err) {
    cp_column *col;
    CP_API_NEED(t);
    CP_API_NEED(name);
    if (t->rows) CP_API_NEED(values);
    CP_TRY(cp_table_add(t, name, COPSE_TEXT, &col, err));
    for (size_t i = 0; i < t->rows; i++)
        if (values[i]) CP_TRY(cp_dict_add(&col->levels, values[i], strlen(values[i]), &col->code[i], err));
    return COPSE_OK;
}

copse_status copse_table_add_missing(copse_table *t, const char *words, copse_error *err) {
    cp_text_missing missing;
    CP_API_NEED(t);
    CP_API_NEED(words);
    CP_TRY(cp_text_missing_init(&missing, words, err));
    copse_status status = cp_dict_join(&t->missing, &missing.words, err);
    cp_text_missing_clear(&missing);
    return status;
}

copse_status copse_table_select(const copse_table *t, const size_t *rows, size_t n, copse_table **out,
                                copse_error *err) {
    CP_GUARD(err);
    CP_API_OUT(out);
    CP_API_NEED(t);
    if (n) CP_API_NEED(rows);
    return cp_table_select(t, rows, n, out, err);
}

copse_status copse_table_join(const copse_table *const *pieces, size_t n, copse_table **out, copse_error *err) {
    CP_GUARD(err);
    CP_API_OUT(out);
    if (n) CP_API_NEED(pieces);
    for (size_t i = 0; i < n; i++)
        if (!pieces[i]) return cp_fail_argument(err, "pieces");
    return cp_table_join(pieces, n, out, err);
}

size_t copse_table_rows(const copse_table *t) {
    return t ? t->rows : 0;
}

size_t copse_table_cols(const copse_table *t) {
    return t ? t->cols : 0;
}

const char *copse_table_name(const copse_table *t, size_t col) {
    return t && col < t->cols ? t->col[col].name : NULL;
}

copse_kind copse_table_kind(const copse_table *t, size_t col) {
    return t && col < t->cols ? t->col[col].kind : COPSE_NUMBER;
}

size_t copse_table_find(const copse_table *t, const char *name) {
    return t && name ? cp_table_find(t, name) : (size_t)-1;
}

static int has_cell(const copse_table *t, size_t row, size_t col) {
    return t && row < t->rows && col < t->cols;
}

double copse_table_number(const copse_table *t, size_t row, size_t col) {
    if (!has_cell(t, row, col)) return NAN;
    const cp_column *c = &t->col[col];
    return c->kind == COPSE_NUMBER ? c->number[row] : NAN;
}

const char *copse_table_text(const copse_table *t, size_t row, size_t col) {
    if (!has_cell(t, row, col)) return NULL;
    const cp_column *c = &t->col[col];
    if (c->kind != COPSE_TEXT || c->code[row] == CP_NONE) return NULL;
    return cp_dict_text(&c->levels, (size_t)c->code[row]);
}

void copse_table_report(const copse_table *t, const copse_run *run) {
    copse_run checked;
    if (t && !cp_api_check_run(run, &checked, NULL)) cp_table_report(t, &checked);
}

void copse_table_free(copse_table *t) {
    cp_table_free(t);
}

typedef struct next_args {
    copse_stream *stream;
    size_t max_rows;
    copse_table *made;
} next_args;

/* The flag of a run is watched during the call only. */
static copse_status do_next(void *arg, const copse_run *run, copse_error *err) {
    next_args *a = arg;
    cp_stream_watch(a->stream, run->stop);
    copse_status status = cp_stream_next(a->stream, a->max_rows, &a->made, err);
    cp_stream_watch(a->stream, NULL);
    return status;
}

copse_status copse_stream_next(copse_stream *s, size_t max_rows, const copse_run *run, copse_table **out,
                               copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(s);
    if (!max_rows) return cp_fail(err, COPSE_E_USAGE, "`max_rows` is 0: ask for 1 row or more");
    next_args a = {.stream = s, .max_rows = max_rows};
    CP_TRY(cp_api_check_call(run, do_next, &a, err));
    *out = a.made;
    return COPSE_OK;
}

copse_status copse_stream_like(copse_stream *s, const copse_model *model, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(s);
    CP_API_NEED(model);
    return cp_stream_like(s, model->schema, err);
}

void copse_stream_close(copse_stream *s) {
    cp_stream_close(s);
}

copse_status copse_synth(const char *name, const copse_synth_options *opt, copse_table **out, copse_error *err) {
    CP_GUARD(err);
    copse_synth_options o;
    CP_API_OUT(out);
    CP_API_NEED(name);
    CP_TRY(CP_API_OPTIONS(opt, &o));
    if (!(o.noise >= 0))
        return cp_fail(err, COPSE_E_USAGE, "`noise` is a standard deviation: 0 or more, not %g", o.noise);
    double noise = o.noise_free ? 0 : o.noise > 0 ? o.noise : -1;
    return cp_synth_new(name, &(cp_synth_options){o.rows, o.dims, noise, o.seed, o.with_truth}, out, err);
}

const char *copse_synth_name(size_t i) {
    return cp_synth_name(i);
}

const char *copse_synth_summary(size_t i) {
    return cp_synth_summary(i);
}
