/* split_random - one random cut of a column, as extremely randomized trees want it: uniform between the smallest and the
 * largest value of the node, or a random set of its levels.  Missing values go to whichever side is better. */
#ifndef CP_SPLIT_RANDOM_H
#define CP_SPLIT_RANDOM_H

#include "split/split.h"

/* Values of a node's rows. */
typedef struct cp_split_column {
    const float *value;
    const cp_sum *sum;
    size_t n;
    uint32_t levels; /* 0: numbers */
} cp_split_column;

/* 1 if the cut is allowed and better than `best`, which then holds it, but for dim. */
int cp_split_random(const cp_split_node *n, const cp_split_column *c, cp_rng *rng, cp_split *best);

#endif
