/* acq_search - the point that an acquisition likes best.
 *
 * Between the cuts of its trees a forest's answer is smooth, and its cells are small where much was evaluated: so the
 * cells say at which scale to look, and where.  The search begins at random points and about the best ones evaluated,
 * and climbs from those it likes best: a step redraws one coordinate or all within the cell of some tree, at some
 * depth, that the point lies in.  Near the root that is a jump through the space, at the leaf a small move between
 * neighbours.
 *
 * In a list of points each candidate is the free point nearest to it; short lists are judged as a whole. */
#ifndef CP_ACQ_SEARCH_H
#define CP_ACQ_SEARCH_H

#include "base/map.h"
#include "bo/grid.h"
#include "bo/surrogate.h"

typedef struct cp_acq_search {
    const cp_space *space;
    const cp_surrogate *forest;
    const cp_acq_params *view;
    const cp_grid *grid; /* NULL: the box itself */
    const cp_map *seen;  /* box: hashes of points evaluated or asked for, see cp_acq_search_hash */
    const double *elite; /* the best points evaluated */
    size_t elites;
    const float *pending; /* columns of points asked for without an answer yet */
    size_t pendings;
} cp_acq_search;

uint64_t cp_acq_search_hash(const double *x, size_t dims);

/* The best point found, which was not evaluated or asked for before unless there is hardly another.  Of a list, its
 * number is *out_point, and one is free. */
copse_status cp_acq_search_best(const cp_acq_search *h, cp_rng *rng, double *out_x, int32_t *out_point,
                                copse_error *err);

/* A point that knows of no value: number k of a sequence that fills the space evenly, shifted at random. */
void cp_acq_search_design(const cp_space *s, uint64_t seed, size_t k, double *out_x);

#endif
