#include "auto/auto_rows.h"

#include <string.h>

#include "base/mem.h"

copse_status cp_auto_rows_gather(const cp_rows *from, const size_t *row, size_t n, cp_auto_rows *out,
                                 copse_error *err) {
    size_t d = from->dims;
    *out = (cp_auto_rows){.rows = *from};
    CP_TRY(CP_RAW(out->x, n * d, err));
    if (from->y) CP_TRY(CP_RAW(out->y, n, err));
    if (from->weight) CP_TRY(CP_RAW(out->weight, n, err));
    if (from->label) CP_TRY(CP_RAW(out->label, n, err));
    for (size_t i = 0; i < n; i++) {
        memcpy(out->x + i * d, from->x + row[i] * d, d * sizeof *out->x);
        if (out->y) out->y[i] = from->y[row[i]];
        if (out->weight) out->weight[i] = from->weight[row[i]];
        if (out->label) out->label[i] = from->label[row[i]];
    }
    out->rows.n = n;
    out->rows.x = out->x;
    out->rows.x_writable = NULL;
    out->rows.y = out->y;
    out->rows.weight = out->weight;
    out->rows.label = out->label;
    return COPSE_OK;
}

copse_status cp_auto_rows_for(const cp_method *method, const cp_recode *recode, const cp_rows *from, cp_auto_rows *out,
                              copse_error *err) {
    *out = (cp_auto_rows){.rows = *from};
    out->rows.x_writable = NULL;
    if (method->takes_raw) return COPSE_OK;
    size_t dims = cp_recode_dims(recode);
    CP_TRY(CP_RAW(out->x, from->n * dims, err));
    cp_recode_rows_to(recode, from->x, from->n, out->x);
    out->rows.x = out->x;
    out->rows.dims = dims;
    out->rows.levels = NULL;
    if (!method->info.takes_weights) out->rows.weight = NULL;
    return COPSE_OK;
}

void cp_auto_rows_clear(cp_auto_rows *r) {
    cp_mem_free(r->x);
    cp_mem_free(r->y);
    cp_mem_free(r->weight);
    cp_mem_free(r->label);
    *r = (cp_auto_rows){0};
}

size_t cp_auto_rows_dims(const cp_method *method, const cp_auto *a) {
    return method->takes_raw ? a->dims : cp_recode_dims(&a->recode);
}

copse_status cp_auto_rows_fit(const cp_method *method, const cp_rows *rows, const copse_params *p,
                              const copse_run *opt_run, void **out_state, copse_error *err) {
    copse_run quiet = opt_run ? *opt_run : (copse_run){.size = sizeof quiet};
    void *job;
    int done = 0;
    quiet.log = NULL;
    quiet.progress = NULL;
    *out_state = NULL;
    if (method->fit) return method->fit(rows, p, &quiet, out_state, err);
    CP_TRY(method->sampler->begin(rows, p, &quiet, &job, err));
    copse_status status = COPSE_OK;
    while (!status && !done) status = method->sampler->advance(job, 0, &quiet, &done, err);
    if (!status) status = method->sampler->finish(job, &quiet, out_state, err);
    method->sampler->clear(job);
    return status;
}
