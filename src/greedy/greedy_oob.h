/* greedy_oob - the out-of-bag error of a random forest: each row is predicted by the trees whose bootstrap sample does
 * not have it, about 37 of 100, as if the row were new.  For regression the variance of the leaves is learnt from the
 * same rows (greedy_leaf_variance.h). */
#ifndef CP_GREEDY_OOB_H
#define CP_GREEDY_OOB_H

#include "greedy/greedy.h"

/* The rows of the forest, and which tree was grown on which. */
typedef struct cp_greedy_bag {
    const cp_rows *rows;
    const cp_greedy_weight *weight;
    double alpha;
    const uint64_t *bit; /* for each tree ceil(rows->n / 64) words: bit i is set if row i is in its bag */
} cp_greedy_bag;

/* Sets g->oob and, for regression, g->leaf_variance.stretch. */
copse_status cp_greedy_oob(cp_greedy *g, const cp_greedy_bag *bag, const copse_run *run, copse_error *err);

#endif
