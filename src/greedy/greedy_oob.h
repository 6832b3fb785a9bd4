/* greedy_oob - the out-of-bag error of a random forest: each row is predicted by the trees whose bootstrap sample does
 * not have it (greedy_bag.h), about 37 of 100, as if the row were new.
 * The variance of the leaves (greedy_leaf_variance.h) or the temperature of classes (greedy_votes.h) is learnt from the
 * same rows. */
#ifndef CP_GREEDY_OOB_H
#define CP_GREEDY_OOB_H

#include "greedy/greedy.h"
#include "greedy/greedy_bag.h"

/* The rows of the forest, and which tree was grown on which. */
typedef struct cp_greedy_oob_ask {
    const cp_rows *rows;
    const cp_greedy_weight *weight;
    const cp_greedy_bag *bag;
    double alpha;
    int learns; /* what is learnt from out-of-bag rows is wanted, besides their error */
} cp_greedy_oob_ask;

/* Sets g->oob and, if it is wanted, g->leaf_variance or g->temperature. */
copse_status cp_greedy_oob(cp_greedy *g, const cp_greedy_oob_ask *ask, const copse_run *run, copse_error *err);

#endif
