/* greedy - six methods: CART (cart) and the forests made of CART trees (rf, ert, bf, ssf, ebf).
 *
 * greedy_grow grows the trees of all six.  The methods differ in the rows and weights each tree sees (greedy_weight.h),
 * in the splits a tree may try (cp_greedy_rule), and in the subset of the rows a tree is grown on: for ssf a random
 * subset, for ebf the rows of one leaf of a trunk that all trees share.  A fitted ebf tree is an ordinary tree whose
 * top is the trunk, so prediction, files and inspection treat the forests of all six methods alike.
 *
 *   greedy           the six methods: options, model files
 *   greedy_fit       from options and rows to a forest
 *   greedy_grow      one tree; greedy_step shows the life of one node
 *   greedy_predict, greedy_oob, greedy_holdout, greedy_leaf_variance, greedy_inspect: what is done with a forest */
#ifndef CP_GREEDY_H
#define CP_GREEDY_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_leaf_variance.h"
#include "greedy/greedy_weight.h"
#include "method/method.h"
#include "method/temperature.h"
#include "tree/tree.h"

typedef enum cp_greedy_weighting { CP_GREEDY_NONE, CP_GREEDY_BOOTSTRAP, CP_GREEDY_EXPONENTIAL } cp_greedy_weighting;
typedef enum cp_greedy_partition { CP_GREEDY_WHOLE, CP_GREEDY_SUBSETS, CP_GREEDY_TRUNK } cp_greedy_partition;

/* What distinguishes the six methods. */
typedef struct cp_greedy_kind {
    cp_greedy_weighting draws;     /* weights drawn for each tree */
    cp_greedy_partition partition; /* the subsets of the rows that trees, or their branches, are grown on */
    int one_tree;                  /* the option `trees` does not exist */
    int random_cuts;               /* one random cut per column tried */
} cp_greedy_kind;

typedef struct cp_greedy {
    cp_forest forest;
    size_t rows;                           /* training rows of weight above 0 */
    size_t trunk;                          /* ebf: leaves of the trunk, else 0 */
    cp_greedy_leaf_variance leaf_variance; /* regression */
    cp_temperature temperature;            /* classes */
    /* rf: out-of-bag root mean squared error and r^2, or accuracy and log loss; NaN if no row is out of bag, and for
     * the other methods. */
    double oob[2];
} cp_greedy;

extern const cp_method cp_method_cart, cp_method_rf, cp_method_ert, cp_method_bf, cp_method_ssf, cp_method_ebf;

void cp_greedy_free(void *state);

#endif
