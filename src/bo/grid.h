/* grid - the points of a list that have not been asked for yet, by place: a free one near to where one looks, in a k-d
 * tree.
 *
 * The tree is the order of the points: the range [lo, hi) has its node at mid = (lo + hi) / 2, whose point has no
 * larger coordinate than those after it, and no smaller than those before it, in column cut[mid].
 *
 *   G1  left[mid] is the number of free points of the range whose node stands at mid. */
#ifndef CP_GRID_H
#define CP_GRID_H

#include "bo/space.h"
#include "num/rng.h"

typedef struct cp_grid {
    size_t n, cols, free;
    float *x;       /* n x cols, in the order of the list */
    int32_t *order; /* place in the tree to point */
    int32_t *place; /* and back */
    int32_t *cut;
    int32_t *left;
    unsigned char *taken; /* by point */
} cp_grid;

copse_status cp_grid_init(cp_grid *g, const cp_space *s, copse_error *err);
void cp_grid_clear(cp_grid *g);
static inline const float *cp_grid_point(const cp_grid *g, int32_t point) {
    return g->x + (size_t)point * g->cols;
}
/* Not free any more; harmless if it was not. */
void cp_grid_take(cp_grid *g, int32_t point);
/* The free point with the least sum of distances over the columns; CP_NONE if none is free.  In many columns that takes
 * long: after `effort` points have been looked at it is the nearest of those. */
int32_t cp_grid_nearest(const cp_grid *g, const float *x, size_t effort);
/* A free point, all alike; CP_NONE if none is free. */
int32_t cp_grid_draw(const cp_grid *g, cp_rng *rng);

#endif
