/* The first points of a study, and of a restart, are spread evenly over the space.  Then the acquisition decides. */
#include "bo/study_choose.h"

#include <string.h>

#include "base/mem.h"
#include "bo/study_forest.h"
#include "num/draw.h"

enum { TRIES = 1000 }; /* to find a point that no trial has; after that a repeated point is accepted */

static copse_status maximise_acquisition(copse_study *s, cp_rng *rng, double *x, int32_t *point, copse_error *err) {
    const cp_space *space = s->space;
    const cp_top_trials *top = &s->restarts.in_phase;
    double *top_x = NULL;
    float *pending = NULL;
    copse_status status = COPSE_OK;
    cp_acquisition_params acquisition = {.kind = s->acquisition,
                                         .kappa = s->kappa,
                                         .best = cp_study_forest_target(s, top->trial[0]),
                                         .tree = (int32_t)cp_rng_below(rng, s->trees),
                                         .z = cp_draw_normal(rng)};
    cp_acq_search search = {.space = space,
                            .forest = &s->forest,
                            .acquisition = &acquisition,
                            .grid = space->points ? &s->grid : NULL,
                            .seen = &s->seen,
                            .n_top = top->n,
                            .n_pending = s->n_pending};
    CP_TRY_OUT(CP_RAW(top_x, top->n * space->dims, err));
    CP_TRY_OUT(CP_RAW(pending, s->n_pending * space->cols, err));
    for (size_t i = 0; i < top->n; i++)
        memcpy(top_x + i * space->dims, cp_study_point(s, (size_t)top->trial[i]), space->dims * sizeof *top_x);
    for (size_t i = 0; i < s->n_pending; i++)
        cp_space_encode(space, cp_study_point(s, (size_t)s->pending[i]), pending + i * space->cols);
    search.top = top_x;
    search.pending = pending;
    CP_TRY_OUT(cp_acq_search_best(&search, rng, x, point, err));
out:
    cp_mem_free(top_x);
    cp_mem_free(pending);
    return status;
}

static void random_point(const cp_space *space, cp_rng *rng, double *x) {
    for (size_t k = 0; k < space->dims; k++) x[k] = cp_space_value(&space->dim[k], cp_rng_unit(rng));
}

/* A point that does not depend on any value.  evenly: of the space-filling sequence; else at random.  The point is one
 * that no trial has, unless such points are hard to find. */
static copse_status spread_point(copse_study *s, int evenly, cp_rng *rng, double *x, int32_t *point, copse_error *err) {
    const cp_space *space = s->space;
    float *u;
    for (int i = 0; i < TRIES; i++) {
        if (evenly && i == 0)
            cp_acq_search_design(space, s->seed, s->asked, x);
        else
            random_point(space, rng, x);
        if (space->points || !cp_study_seen(s, x)) break;
    }
    if (!space->points) return COPSE_OK;
    if (evenly) {
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

/* Is the phase still to get its first, evenly spread points?  Those of a restart decide which local optimum it climbs
 * to.  So a restart has twice the smaller of `initial` and its default. */
static int is_initial(const copse_study *s) {
    size_t by_default = cp_study_first_points(s->space);
    if (s->restarts.in_phase.n == 0) return 1; /* no value yet in this phase: nothing to learn from */
    if (!s->restarts.is_restart) return s->asked < s->initial;
    return s->asked - s->restarts.asked_before < 2 * (s->initial < by_default ? s->initial : by_default);
}

copse_status cp_study_choose(copse_study *s, double *x, int32_t *point, copse_error *err) {
    cp_rng rng;
    int random = s->acquisition == CP_ACQ_RANDOM;
    *point = CP_NONE;
    if (s->space->points && s->grid.free == 0)
        return cp_fail(err, COPSE_E_USAGE, "every point of the grid has been asked for, %zu in all", s->space->points);
    cp_rng_init(&rng, s->seed, CP_FOR_ASK, 0, s->n);
    if (random || is_initial(s)) return spread_point(s, !random, &rng, x, point, err);
    CP_TRY(cp_study_forest_update(s, err));
    return maximise_acquisition(s, &rng, x, point, err);
}
