/* grid - the points of a list in a k-d tree, for the nearest point that is free: not asked for or added yet.
 *
 * The tree is implicit in the order of the points.  The range [lo, hi) has its node at mid = (lo + hi) / 2.  In column
 * cut[mid], the node's point is not larger than the points after it and not smaller than the points before it.
 *
 *   G1  left[mid] is the number of free points of the range whose node stands at mid. */
#ifndef CP_GRID_H
#define CP_GRID_H

#include "bo/space.h"
#include "num/rng.h"

typedef struct cp_grid {
    size_t n, cols, free;
    float *x;       /* n x cols, in the order of the list */
    int32_t *order; /* the point at each place of the tree */
    int32_t *place; /* the place of each point */
    int32_t *cut;
    int32_t *left;
    unsigned char *taken; /* of each point: it is not free */
} cp_grid;

copse_status cp_grid_init(cp_grid *g, const cp_space *s, copse_error *err);
void cp_grid_clear(cp_grid *g);
static inline const float *cp_grid_point(const cp_grid *g, int32_t point) {
    return g->x + (size_t)point * g->cols;
}
/* The point is not free any more; it may have been taken before. */
void cp_grid_take(cp_grid *g, int32_t point);
/* The free point with the smallest L1 distance; CP_NONE if none is free.  In many columns an exact search takes long:
 * after `effort` points have been visited, the nearest of these is returned. */
int32_t cp_grid_nearest(const cp_grid *g, const float *x, size_t effort);
/* A free point, uniformly at random; CP_NONE if none is free. */
int32_t cp_grid_draw(const cp_grid *g, cp_rng *rng);

#endif
