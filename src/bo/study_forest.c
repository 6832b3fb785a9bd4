#include "bo/study_forest.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/supervise.h"
#include "bo/ard_scales.h"

enum {
    REFIT_ALWAYS = 200, /* up to this many tells, each tell gets a new forest */
    BATCH = 1024        /* tells that are learnt in one call */
};

static double objective_of(const copse_study *s, int32_t trial) {
    return cp_study_objective(s, s->trial[trial].value);
}

double cp_study_forest_target(const copse_study *s, int32_t trial) {
    return (size_t)trial < s->restarts.first_trial ? CP_TARGET_TRANSFORM_MIN
                                                   : cp_target_transform_apply(&s->transform, objective_of(s, trial));
}

/* ------------------------------------------------------------------------------------------------ transform, scales */

/* Fits to those of the first n tells whose trial is `first_trial` or a later one. */
static copse_status fit_transform(const copse_study *s, size_t n, size_t first_trial, cp_target_transform *t,
                                  copse_error *err) {
    double *objective;
    size_t used = 0;
    CP_TRY(CP_RAW(objective, n, err));
    for (size_t i = 0; i < n; i++)
        if ((size_t)s->told[i] >= first_trial) objective[used++] = objective_of(s, s->told[i]);
    cp_target_transform_fit(t, objective, used);
    return COPSE_OK;
}

typedef struct ranked {
    double objective;
    int32_t trial;
} ranked;

static int best_first(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->objective != y->objective) return x->objective < y->objective ? 1 : -1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The i-th of the trials that scales are fitted to, out of n trials, best first.  Up to CP_ARD_SCALES_VALUES trials,
 * all are; of more, the best ones make one half, and the other half is spread evenly over the rest. */
static size_t subsample(size_t i, size_t n) {
    size_t best = CP_ARD_SCALES_VALUES / 2, rest = CP_ARD_SCALES_VALUES - best;
    return n <= CP_ARD_SCALES_VALUES || i < best ? i : best + (i - best) * (n - best) / rest;
}

/* The relevance of a dimension is the same in every phase, so scales are fitted to the values of all phases. */
static copse_status fit_scales(const copse_study *s, size_t n, float *out, copse_error *err) {
    const cp_space *space = s->space;
    size_t used = n < CP_ARD_SCALES_VALUES ? n : CP_ARD_SCALES_VALUES;
    cp_target_transform all_phases = {0};
    ranked *all = NULL;
    float *u = NULL;
    double y[CP_ARD_SCALES_VALUES];
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(all, n, err));
    CP_TRY_OUT(CP_RAW(u, used * space->cols, err));
    CP_TRY_OUT(fit_transform(s, n, 0, &all_phases, err));
    for (size_t i = 0; i < n; i++) all[i] = (ranked){objective_of(s, s->told[i]), s->told[i]};
    qsort(all, n, sizeof *all, best_first);
    for (size_t i = 0; i < used; i++) {
        const ranked *r = &all[subsample(i, n)];
        cp_space_encode(space, cp_study_point(s, (size_t)r->trial), u + i * space->cols);
        y[i] = cp_target_transform_apply(&all_phases, r->objective);
    }
    CP_TRY_OUT(cp_ard_scales_fit(space, u, y, used, out, err));
out:
    cp_target_transform_clear(&all_phases);
    cp_mem_free(all);
    cp_mem_free(u);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- forest */

/* The number of tells at which the last refit was due.  Refits are due at every number up to REFIT_ALWAYS, and from
 * there on whenever the tells have grown by 1 / REFIT_ALWAYS.  A restart has refits also when it has 1, 2, 4 ... values
 * of its own, because its transform has no other values to be fitted to. */
static size_t last_due(const copse_study *s) {
    size_t due = 1, doubled = 1;
    for (size_t n = 1; n <= s->tells; n += 1 + n / REFIT_ALWAYS) due = n;
    while (2 * doubled <= s->restarts.known) doubled *= 2;
    size_t then = s->tells - (s->restarts.known - doubled);
    return s->restarts.is_restart && then > due ? then : due;
}

/* Replaces the forest when a refit is due.  Ten trees have random cuts, and cuts that mislead would mislead for ever;
 * so each refit also draws new trees.  A tell still costs O(log n) in the mean. */
static copse_status refit(copse_study *s, copse_error *err) {
    size_t due = last_due(s);
    float *scale = NULL;
    cp_rng rng;
    copse_status status = COPSE_OK;
    if (due == s->refit_tells) return COPSE_OK;
    s->refit_tells = 0;
    cp_rng_init(&rng, s->seed, CP_FOR_ASK, 2, due);
    CP_TRY(fit_transform(s, due, s->restarts.first_trial, &s->transform, err));
    CP_TRY_OUT(CP_RAW(scale, s->space->cols, err));
    CP_TRY_OUT(fit_scales(s, due, scale, err));
    CP_TRY_OUT(cp_surrogate_reset(&s->forest, cp_rng_below(&rng, UINT64_C(1) << 53), scale, err));
    s->refit_tells = due;
out:
    cp_mem_free(scale);
    return status;
}

static copse_status learn_batch(copse_study *s, size_t first, size_t n, float *u, double *y, copse_error *err) {
    for (size_t i = 0; i < n; i++) {
        int32_t trial = s->told[first + i];
        cp_space_encode(s->space, cp_study_point(s, (size_t)trial), u + i * s->space->cols);
        y[i] = cp_study_forest_target(s, trial);
    }
    return cp_surrogate_update(&s->forest, u, y, n, err);
}

copse_status cp_study_forest_update(copse_study *s, copse_error *err) {
    CP_TRY(refit(s, err));
    size_t todo = s->tells - cp_surrogate_rows(&s->forest), room = todo < BATCH ? todo : BATCH;
    float *u = NULL;
    double *y = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(u, room * s->space->cols, err));
    CP_TRY_OUT(CP_RAW(y, room, err));
    do { /* at least once: an update that failed before may have to be finished */
        CP_TRY_OUT(cp_supervise_check_stop(err));
        size_t first = cp_surrogate_rows(&s->forest), left = s->tells - first;
        CP_TRY_OUT(learn_batch(s, first, left < room ? left : room, u, y, err));
    } while (cp_surrogate_rows(&s->forest) < s->tells);
out:
    cp_mem_free(u);
    cp_mem_free(y);
    return status;
}
