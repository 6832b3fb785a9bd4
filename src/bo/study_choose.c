/* study_choose - the point of the next trial: spread evenly at first, then where the forest and the acquisition say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bo/ard_scales.h"
#include "bo/study.h"
#include "num/draw.h"

enum {
    OFTEN = 200,      /* tells up to which every one has a forest of its own */
    AT_A_TIME = 1024, /* tells that are learnt together */
    TRIES = 1000      /* points at random before one is taken again */
};

static double worth_of(const copse_study *s, int32_t trial) {
    return cp_study_worth(s, s->trial[trial].value);
}

/* ----------------------------------------------------------------------------------------------------------- forest */

/* The number of tells, not above those there are, at which the last forest was due: every number up to OFTEN, and then
 * whenever there are a part 1 / OFTEN more; but a chapter that looks elsewhere has one also when it knows 1, 2, 4 ...
 * values, for until then there is nothing that its lessons go by. */
static size_t last_due(const copse_study *s) {
    size_t due = 1, doubled = 1;
    for (size_t n = 1; n <= s->tells; n += 1 + n / OFTEN) due = n;
    while (2 * doubled <= s->restarts.known) doubled *= 2;
    size_t then = s->tells - (s->restarts.known - doubled);
    return s->restarts.elsewhere && then > due ? then : due;
}

/* What the forest of this chapter learns of a trial. */
static double transform(const copse_study *s, int32_t trial) {
    return (size_t)trial < s->restarts.from ? CP_TARGET_TRANSFORM_MIN
                                            : cp_target_transform_apply(&s->transform, worth_of(s, trial));
}

/* By those of the first n tells whose trial is this one or a later one. */
static copse_status set_lesson(const copse_study *s, size_t n, size_t from, cp_target_transform *l, copse_error *err) {
    double *worth;
    size_t known = 0;
    CP_TRY(CP_RAW(worth, n, err));
    for (size_t i = 0; i < n; i++)
        if ((size_t)s->told[i] >= from) worth[known++] = worth_of(s, s->told[i]);
    cp_target_transform_fit(l, worth, known);
    return COPSE_OK;
}

typedef struct known {
    double worth;
    int32_t trial;
} known;

static int best_first(const void *a, const void *b) {
    const known *x = a, *y = b;
    if (x->worth != y->worth) return x->worth < y->worth ? 1 : -1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* Of n trials, best first, those that scales are found by: all; or the best, and as many of the others, spread evenly
 * over these. */
static size_t pick(size_t i, size_t n) {
    size_t best = CP_ARD_SCALES_VALUES / 2, rest = CP_ARD_SCALES_VALUES - best;
    return n <= CP_ARD_SCALES_VALUES || i < best ? i : best + (i - best) * (n - best) / rest;
}

/* What matters is the same in every chapter: so all values count. */
static copse_status find_scales(const copse_study *s, size_t n, float *out, copse_error *err) {
    const cp_space *space = s->space;
    size_t some = n < CP_ARD_SCALES_VALUES ? n : CP_ARD_SCALES_VALUES;
    cp_target_transform by_all = {0};
    known *all = NULL;
    float *u = NULL;
    double y[CP_ARD_SCALES_VALUES];
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(all, n, err));
    CP_TRY_OUT(CP_RAW(u, some * space->cols, err));
    CP_TRY_OUT(set_lesson(s, n, 0, &by_all, err));
    for (size_t i = 0; i < n; i++) all[i] = (known){worth_of(s, s->told[i]), s->told[i]};
    qsort(all, n, sizeof *all, best_first);
    for (size_t i = 0; i < some; i++) {
        const known *k = &all[pick(i, n)];
        cp_space_encode(space, cp_study_point(s, (size_t)k->trial), u + i * space->cols);
        y[i] = cp_target_transform_apply(&by_all, k->worth);
    }
    CP_TRY_OUT(cp_ard_scales_fit(space, u, y, some, out, err));
out:
    cp_target_transform_clear(&by_all);
    cp_mem_free(all);
    cp_mem_free(u);
    return status;
}

/* Ten trees have their chance cuts, and where these mislead they would mislead for ever: so there are new trees
 * whenever they are due, which still leaves a tell at O(log n) in the mean. */
static copse_status begin_forest(copse_study *s, copse_error *err) {
    size_t due = last_due(s);
    float *scale = NULL;
    cp_rng rng;
    copse_status status = COPSE_OK;
    if (due == s->grown) return COPSE_OK;
    s->grown = 0;
    cp_rng_init(&rng, s->seed, CP_FOR_ASK, 2, due);
    CP_TRY(set_lesson(s, due, s->restarts.from, &s->transform, err));
    CP_TRY_OUT(CP_RAW(scale, s->space->cols, err));
    CP_TRY_OUT(find_scales(s, due, scale, err));
    CP_TRY_OUT(cp_surrogate_begin(&s->forest, cp_rng_below(&rng, UINT64_C(1) << 53), scale, err));
    s->grown = due;
out:
    cp_mem_free(scale);
    return status;
}

static copse_status learn_some(copse_study *s, size_t first, size_t n, float *u, double *y, copse_error *err) {
    for (size_t i = 0; i < n; i++) {
        int32_t trial = s->told[first + i];
        cp_space_encode(s->space, cp_study_point(s, (size_t)trial), u + i * s->space->cols);
        y[i] = transform(s, trial);
    }
    return cp_surrogate_learn(&s->forest, u, y, n, err);
}

/* All tells that the forest does not know yet, in their order. */
static copse_status learn(copse_study *s, copse_error *err) {
    CP_TRY(begin_forest(s, err));
    size_t todo = s->tells - cp_surrogate_rows(&s->forest), room = todo < AT_A_TIME ? todo : AT_A_TIME;
    float *u = NULL;
    double *y = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(u, room * s->space->cols, err));
    CP_TRY_OUT(CP_RAW(y, room, err));
    do {
        size_t first = cp_surrogate_rows(&s->forest), left = s->tells - first;
        CP_TRY_OUT(learn_some(s, first, left < room ? left : room, u, y, err));
    } while (cp_surrogate_rows(&s->forest) < s->tells);
out:
    cp_mem_free(u);
    cp_mem_free(y);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- points */

static copse_status search(copse_study *s, cp_rng *rng, double *x, int32_t *point, copse_error *err) {
    const cp_space *space = s->space;
    double *elite = NULL;
    float *pending = NULL;
    copse_status status = COPSE_OK;
    cp_acq_params view = {.kind = s->acquisition,
                          .kappa = s->kappa,
                          .best = transform(s, s->restarts.here.trial[0]),
                          .tree = (int32_t)cp_rng_below(rng, s->trees),
                          .z = cp_draw_normal(rng)};
    cp_acq_search h = {.space = space,
                       .forest = &s->forest,
                       .view = &view,
                       .grid = space->points ? &s->grid : NULL,
                       .seen = &s->seen,
                       .elites = s->restarts.here.n,
                       .pendings = s->pendings};
    CP_TRY_OUT(CP_RAW(elite, s->restarts.here.n * space->dims, err));
    CP_TRY_OUT(CP_RAW(pending, s->pendings * space->cols, err));
    for (size_t i = 0; i < s->restarts.here.n; i++)
        memcpy(elite + i * space->dims, cp_study_point(s, (size_t)s->restarts.here.trial[i]),
               space->dims * sizeof *elite);
    for (size_t i = 0; i < s->pendings; i++)
        cp_space_encode(space, cp_study_point(s, (size_t)s->pending[i]), pending + i * space->cols);
    h.elite = elite;
    h.pending = pending;
    CP_TRY_OUT(cp_acq_search_best(&h, rng, x, point, err));
out:
    cp_mem_free(elite);
    cp_mem_free(pending);
    return status;
}

/* A point without the forest: of the even sequence, or at random; one not taken before, if such are easily found. */
static copse_status spread(copse_study *s, int even, cp_rng *rng, double *x, int32_t *point, copse_error *err) {
    const cp_space *space = s->space;
    float *u;
    for (int i = 0; i < TRIES; i++) {
        if (even && i == 0)
            cp_acq_search_design(space, s->seed, s->asked, x);
        else
            for (size_t k = 0; k < space->dims; k++) x[k] = cp_space_value(&space->dim[k], cp_rng_unit(rng));
        if (space->points || !cp_study_seen(s, x)) break;
    }
    if (!space->points) return COPSE_OK;
    if (even) {
        CP_TRY(CP_RAW(u, space->cols, err));
        cp_space_encode(space, x, u);
        *point = cp_grid_nearest(&s->grid, u, SIZE_MAX);
        cp_mem_free(u);
    } else {
        *point = cp_grid_draw(&s->grid, rng);
    }
    memcpy(x, space->point + (size_t)*point * space->dims, space->dims * sizeof *x);
    return COPSE_OK;
}

/* Whether the chapter is still to get its first points.  Which hill is climbed elsewhere is decided by these, so there
 * are twice as many as a study begins with, however many it was told to begin with. */
static int is_young(const copse_study *s) {
    size_t few = cp_study_first_points(s->space);
    if (s->restarts.here.n == 0) return 1;
    if (!s->restarts.elsewhere) return s->asked < s->initial;
    return s->asked - s->restarts.asked < 2 * (s->initial < few ? s->initial : few);
}

copse_status cp_study_choose(copse_study *s, double *x, int32_t *point, copse_error *err) {
    cp_rng rng;
    int random = s->acquisition == CP_ACQ_RANDOM;
    *point = CP_NONE;
    if (s->space->points && s->grid.free == 0)
        return cp_fail(err, COPSE_E_USAGE, "every point of the grid has been asked for, %zu in all", s->space->points);
    CP_TRY(cp_study_has_room(s, err));
    cp_rng_init(&rng, s->seed, CP_FOR_ASK, 0, s->n);
    if (random || is_young(s)) return spread(s, !random, &rng, x, point, err);
    CP_TRY(learn(s, err));
    return search(s, &rng, x, point, err);
}
