#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/synth.h"
#include "data/table_join.h"
#include "data/table_report.h"
#include "data/text.h"
#include "io/stream.h"
#include "model/model.h"

static cp_read_options inner_options(const copse_read_options *opt, const copse_run *run) {
    if (!opt) return (cp_read_options){.stop = run ? run->stop : NULL};
    return (cp_read_options){
        .format = opt->format,
        .delimiter = opt->delimiter,
        .no_header = opt->no_header,
        .na = opt->na,
        .categorical = opt->categorical,
        .numeric = opt->numeric,
        .like = opt->like ? opt->like->schema : NULL,
        .stop = run ? run->stop : NULL,
    };
}

copse_status copse_table_read(const char *path, const copse_read_options *opt, const copse_run *run, copse_table **out,
                              copse_error *err) {
    cp_read_options inner = inner_options(opt, run);
    *out = NULL;
    return cp_read_file(path, &inner, out, err);
}

copse_status copse_table_new(size_t rows, copse_table **out, copse_error *err) {
    *out = NULL;
    return cp_table_new(rows, out, err);
}

copse_status copse_table_add_numbers(copse_table *t, const char *name, const double *values, copse_error *err) {
    cp_column *col;
    CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &col, err));
    for (size_t i = 0; i < t->rows; i++) col->number[i] = values[i];
    return COPSE_OK;
}

copse_status copse_table_add_text(copse_table *t, const char *name, const char *const *values, copse_error *err) {
    cp_column *col;
    CP_TRY(cp_table_add(t, name, COPSE_TEXT, &col, err));
    for (size_t i = 0; i < t->rows; i++)
        if (values[i]) CP_TRY(cp_dict_add(&col->levels, values[i], strlen(values[i]), &col->code[i], err));
    return COPSE_OK;
}

copse_status copse_table_add_missing(copse_table *t, const char *words, copse_error *err) {
    cp_text_missing missing;
    CP_TRY(cp_text_missing_init(&missing, words, err));
    copse_status status = cp_dict_join(&t->missing, &missing.words, err);
    cp_text_missing_clear(&missing);
    return status;
}

copse_status copse_table_select(const copse_table *t, const size_t *rows, size_t n, copse_table **out,
                                copse_error *err) {
    *out = NULL;
    return cp_table_select(t, rows, n, out, err);
}

copse_status copse_table_join(const copse_table *const *pieces, size_t n, copse_table **out, copse_error *err) {
    return cp_table_join(pieces, n, out, err);
}

size_t copse_table_rows(const copse_table *t) {
    return t->rows;
}

size_t copse_table_cols(const copse_table *t) {
    return t->cols;
}

const char *copse_table_name(const copse_table *t, size_t col) {
    return t->col[col].name;
}

copse_kind copse_table_kind(const copse_table *t, size_t col) {
    return t->col[col].kind;
}

size_t copse_table_find(const copse_table *t, const char *name) {
    return cp_table_find(t, name);
}

double copse_table_number(const copse_table *t, size_t row, size_t col) {
    const cp_column *c = &t->col[col];
    return c->kind == COPSE_NUMBER ? c->number[row] : NAN;
}

const char *copse_table_text(const copse_table *t, size_t row, size_t col) {
    const cp_column *c = &t->col[col];
    if (c->kind != COPSE_TEXT || c->code[row] == CP_NONE) return NULL;
    return cp_dict_text(&c->levels, (size_t)c->code[row]);
}

void copse_table_report(const copse_table *t, const copse_run *run) {
    cp_table_report(t, run);
}

void copse_table_free(copse_table *t) {
    cp_table_free(t);
}

copse_status copse_stream_open(const char *path, const copse_read_options *opt, const copse_run *run,
                               copse_stream **out, copse_error *err) {
    cp_read_options inner = inner_options(opt, run);
    *out = NULL;
    return cp_stream_open(path, &inner, out, err);
}

copse_status copse_stream_next(copse_stream *s, size_t max_rows, const copse_run *run, copse_table **out,
                               copse_error *err) {
    *out = NULL;
    cp_stream_watch(s, run ? run->stop : NULL);
    return cp_stream_next(s, max_rows, out, err);
}

copse_status copse_stream_like(copse_stream *s, const copse_model *model, copse_error *err) {
    return cp_stream_like(s, model->schema, err);
}

void copse_stream_close(copse_stream *s) {
    cp_stream_close(s);
}

copse_status copse_synth(const char *name, const copse_synth_options *opt, copse_table **out, copse_error *err) {
    copse_synth_options o = opt ? *opt : (copse_synth_options){0};
    *out = NULL;
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
