/* split_random_all - the random cuts of all columns of a node at once, for regression on numbers without missing
 * values: the same cuts as cp_split_random column after column, in two passes over the rows.
 *
 * The rows of a node lie anywhere in the table, so each is fetched once a pass: a stretch of rows serves all columns
 * while the cache holds it. */
#ifndef CP_SPLIT_RANDOM_ALL_H
#define CP_SPLIT_RANDOM_ALL_H

#include "split/split.h"

typedef struct cp_split_random_table {
    const float *x; /* row-major: the values of a row are x[row * dims] ... x[row * dims + dims - 1] */
    size_t dims;
    const uint32_t *row; /* the node's rows in x; NULL: 0 ... n-1 */
    const cp_sum *sum;   /* of the node's rows, in the same order */
    size_t n;
    float *low, *high, *cut; /* scratch: one per column */
    cp_sum *left;            /* scratch: one per column */
} cp_split_random_table;

/* First pass: the smallest and largest value of each column, into low and high.  Returns 0 if some value is missing;
 * the node is then split by cp_split_random. */
int cp_split_random_all_ranges(const cp_split_random_table *t);
/* Second pass: draws a cut of each column and keeps the best of them in `best`, if it is better. */
void cp_split_random_all(const cp_split_node *n, const cp_split_random_table *t, cp_rng *rng, cp_split *best);

#endif
