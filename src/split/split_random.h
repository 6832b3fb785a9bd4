/* split_random - one random cut of a column, as extremely randomized trees want it: uniform between the smallest and
 * the largest value of the node, or a random set of its levels.  Missing values go to whichever side is better. */
#ifndef CP_SPLIT_RANDOM_H
#define CP_SPLIT_RANDOM_H

#include <math.h>

#include "split/split.h"

/* Values of a node's rows. */
typedef struct cp_split_random_column {
    const float *value;
    const cp_sum *sum;
    size_t n;
    uint32_t levels; /* 0: numbers */
} cp_split_random_column;

/* 1 if the cut is allowed and better than `best`, which then holds it, but for dim. */
int cp_split_random(const cp_split_node *n, const cp_split_random_column *c, cp_rng *rng, cp_split *best);

/* Uniform between low and high; one value alone is left of any cut, to be told from missing ones. */
static inline float cp_split_random_cut(cp_rng *rng, float low, float high) {
    if (low == high) return INFINITY;
    float cut = (float)((double)low + cp_rng_unit(rng) * ((double)high - (double)low));
    return cut < high ? cut : low;
}

/* In split_random_all.c: all columns of a node, regression, one after another as above, in two passes over its rows. */
typedef struct cp_split_random_table {
    const float *x; /* a row's numbers are x[row * dims] ... */
    size_t dims;
    const uint32_t *row; /* those of the node, NULL: 0 ... n-1; */
    const cp_sum *sum;   /* in the same order */
    size_t n;
    float *low, *high, *cut; /* scratch: one per column */
    cp_sum *left;
} cp_split_random_table;
/* First the ends of its columns, in low and high; 0 if some value is missing, and a node is not for this file. */
int cp_split_random_all_ranges(const cp_split_random_table *t);
/* Then a cut of each. */
void cp_split_random_all(const cp_split_node *n, const cp_split_random_table *t, cp_rng *rng, cp_split *best);

#endif
