/* acq_search - the point that maximises an acquisition, by a multistart local search.
 *
 * The forest's answer is smooth between the cuts of its trees, and its cells are small where many points were
 * evaluated.  So the cells determine the step sizes of the search.  It begins at random points and around the best
 * points evaluated, and continues with local searches from the best of these.  A step redraws one coordinate, or all,
 * within the cell of the point in a random tree at a random depth.  Near the root such a step jumps through the space;
 * at the leaf it is a small move between neighbours.
 *
 * In a list of points a candidate is replaced by the free point nearest to it.  Of a short list every free point is
 * evaluated. */
#ifndef CP_ACQ_SEARCH_H
#define CP_ACQ_SEARCH_H

#include "base/map.h"
#include "bo/grid.h"
#include "bo/surrogate.h"

typedef struct cp_acq_search {
    const cp_space *space;
    const cp_surrogate *forest;
    const cp_acquisition_params *acquisition;
    const cp_grid *grid; /* of a list; NULL: a box */
    const cp_map *seen;  /* box: the hashes (cp_acq_search_hash) of points evaluated or asked for */
    const double *top;   /* the best points evaluated, n_top x dims */
    size_t n_top;
    const float *pending; /* points asked for and not told yet, n_pending x cols */
    size_t n_pending;
} cp_acq_search;

uint64_t cp_acq_search_hash(const double *x, size_t dims);

/* The best point found.  It was not evaluated or asked for before, unless there is hardly another.  *out_point is its
 * number in a list, which must have a free point, or CP_NONE in a box. */
copse_status cp_acq_search_best(const cp_acq_search *a, cp_rng *rng, double *out_x, int32_t *out_point,
                                copse_error *err);

/* The initial design, which depends on no value: point k of a low-discrepancy sequence with a random shift. */
void cp_acq_search_design(const cp_space *s, uint64_t seed, size_t k, double *out_x);

#endif
