#include "bart/model/bart_model.h"

#include "bart/model/bart_diagnose.h"
#include "base/mem.h"

size_t cp_bart_model_series(const cp_bart_model *b, cp_bart_series kind) {
    switch (kind) {
        case CP_BART_SIGMA: return b->task == COPSE_REGRESS;
        case CP_BART_FITTED: return CP_BART_TRACE_ROWS;
        case CP_BART_NOISE: return b->noise_trees ? CP_BART_TRACE_ROWS : 0;
        default: return b->sums;
    }
}

copse_status cp_bart_model_new(const cp_bart_model *like, cp_bart_model **out, copse_error *err) {
    cp_bart_model *b;
    *out = NULL;
    CP_TRY(CP_NEW(b, 1, err));
    *b = *like;
    size_t sums = cp_bart_model_draw_sums(b);
    copse_status status = CP_NEW(b->draws, sums, err);
    if (!status) status = CP_NEW(b->first, sums, err);
    if (!status) status = CP_NEW(b->run_of, sums, err);
    if (!status) status = CP_NEW(b->tally, b->chains, err);
    if (!status && b->task == COPSE_CLASS) status = CP_NEW(b->offset, b->sums, err);
    for (size_t k = 0; k < sums && !status; k++)
        status = cp_bart_draws_init(&b->draws[k], b->dims, cp_bart_model_trees(b, k), err);
    if (status)
        cp_bart_model_free(b);
    else
        *out = b;
    return status;
}

void cp_bart_model_free(void *state) {
    cp_bart_model *b = state;
    if (!b) return;
    for (size_t k = 0; k < cp_bart_model_draw_sums(b); k++) {
        if (b->draws) cp_bart_draws_clear(&b->draws[k]);
        if (b->first) cp_mem_free(b->first[k]);
        if (b->run_of) cp_mem_free(b->run_of[k]);
    }
    for (size_t i = 0; i < CP_BART_SERIES_KINDS; i++) cp_mem_free(b->series[i]);
    cp_mem_free(b->draws);
    cp_mem_free(b->first);
    cp_mem_free(b->run_of);
    cp_mem_free(b->tally);
    cp_mem_free(b->offset);
    cp_mem_free(b);
}

/* Sorts the runs by tree (counting sort). */
static copse_status list_runs(cp_bart_model *b, size_t sum, copse_error *err) {
    const cp_bart_draws *d = &b->draws[sum];
    size_t *first, *run_of;
    CP_TRY(CP_NEW(b->first[sum], d->trees + 2, err));
    CP_TRY(CP_RAW(b->run_of[sum], d->runs, err));
    first =
        b->first[sum] + 1; /* where the next run of a tree goes; in the end, where the runs of the next tree begin */
    run_of = b->run_of[sum];
    for (size_t i = 0; i < d->runs; i++) first[d->run[i].tree + 1]++;
    for (size_t m = 0; m < d->trees; m++) first[m + 1] += first[m];
    for (size_t i = 0; i < d->runs; i++) run_of[first[d->run[i].tree]++] = i;
    return COPSE_OK;
}

copse_status cp_bart_model_finish(cp_bart_model *b, copse_error *err) {
    for (size_t k = 0; k < cp_bart_model_draw_sums(b); k++) CP_TRY(list_runs(b, k, err));
    return cp_bart_diagnose_converge(b, err);
}
