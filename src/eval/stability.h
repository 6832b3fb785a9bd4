/* stability - how much of the top of a tree is determined by the data, and how much is chance [Taddy et al. 2015,
 * sec. 3.2].
 *
 * The sample's trunk is the greedy tree of the rows under some bound on its leaves.  A Bayesian forest under the same
 * bound draws from the posterior over such trunks.  Two trunks are of one kind if they split on the same columns at the
 * same places.  Where they cut does not matter for the kind; the cuts are collected for each split of the sample's
 * trunk.
 *
 * Nodes are numbered breadth first:    0         The j-th split (from 0) in that order has the children 2j+1 and 2j+2,
 *                                    /   \       whatever the shape of the tree.  So the sequence of columns, with
 *                                   1     2      CP_NONE for leaves, determines the kind: here  a b . . .
 *                                  / \
 *                                 3   4
 *
 * Invariants:
 *   K1  the draws of all kinds sum to `draws`; kind 0 is the sample's, which may have no draw; the counts of the other
 *       kinds fall.
 *   K2  split k is the k-th split of kind 0; `first` falls from split to split; first <= here <= draws.
 *   K3  a split of numbers has `here` cuts, rising. */
#ifndef CP_STABILITY_H
#define CP_STABILITY_H

#include "model/model.h"

/* The most leaves of the sample's trunk: a trunk of thousands of leaves never occurs twice. */
enum { CP_STABILITY_LEAVES = 256 };

/* One trunk: a draw, or the sample's. */
typedef struct cp_stability_draw {
    size_t nodes, cap_dim, cap_cut, cap_node;
    int32_t *dim;  /* the column of the split; CP_NONE at a leaf */
    double *cut;   /* in the data's units; NaN where categories are split, and at leaves */
    int32_t *node; /* the model's number of each node */
} cp_stability_draw;

struct copse_trunks {
    size_t draws, splits, kinds;
    copse_trunk *kind;
    copse_trunk_split *split;
    copse_trunk_node **node; /* of each kind */
    double *cuts;            /* splits x draws */
    char **name;             /* of the columns */
    size_t names;
};

/* opt_params: options of the forest whose trees are the draws; NULL: a Bayesian forest of 100 trees of at most 5
 * leaves.  The sample's tree takes those of its options that it has too. */
copse_status cp_stability_run(const copse_table *data, const copse_roles *roles, const copse_params *opt_params,
                              const copse_run *run, copse_trunks **out, copse_error *err);
void cp_stability_free(copse_trunks *t);

#endif
