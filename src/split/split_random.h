/* split_random - one random cut of a column, as in extremely randomized trees [Geurts et al. 2006]: uniform between the
 * smallest and the largest value of the node, or a random set of its levels.  Missing values go to the side that makes
 * the split better. */
#ifndef CP_SPLIT_RANDOM_H
#define CP_SPLIT_RANDOM_H

#include <math.h>

#include "split/split.h"

/* One column of a node's rows. */
typedef struct cp_split_random_column {
    const float *value;
    const cp_sum *sum;
    size_t n;
    uint32_t levels; /* 0: numbers */
} cp_split_random_column;

/* Returns 1 if the cut is allowed and better than `best`, which then holds it, except dim. */
int cp_split_random(const cp_split_node *n, const cp_split_random_column *c, cp_rng *rng, cp_split *best);

/* Uniform on [low, high).  If the node has one value only, the cut separates it from missing values: INFINITY. */
static inline float cp_split_random_cut(cp_rng *rng, float low, float high) {
    if (low == high) return INFINITY;
    float cut = (float)((double)low + cp_rng_unit(rng) * ((double)high - (double)low));
    return cut < high ? cut : low;
}

#endif
