/* stability - how much of the top of a tree is in the data, and how much is chance [Taddy et al. 2015, sec. 3.2].
 *
 * The sample's trunk is the cart of the rows under some bound on its leaves.  A Bayesian forest under the same bound
 * draws from the posterior over such trunks.  Two trunks are of one kind if they split on the same columns at the same
 * places; where they cut is another question, and is collected for each split of the sample's trunk.
 *
 * Nodes stand breadth first:      0            the j-th split (from 0) in that order has the children 2j+1 and 2j+2,
 *                               /   \          whatever the shape, so that the row of columns, with CP_NONE for leaves,
 *                              1     2         says all about the kind: here  a b . . .
 *                             / \
 *                            3   4
 *
 * Invariants:
 *   K1  the draws of all kinds sum to `draws`; kind 0 is the sample's (perhaps without a draw), the others' fall.
 *   K2  split k is the k-th split of kind 0; first falls from split to split; first <= here <= draws.
 *   K3  a split of numbers has `here` cuts, rising. */
#ifndef CP_STABILITY_H
#define CP_STABILITY_H

#include "model/model.h"

/* A trunk with thousands of leaves never comes twice. */
enum { CP_STABILITY_LEAVES = 256 };

/* One drawn trunk. */
typedef struct cp_stability_draw {
    size_t nodes, cap_dim, cap_cut, cap_node;
    int32_t *dim;  /* CP_NONE at a leaf */
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

/* opt_params: of the forest whose trees are the draws; the sample's trunk takes over the options it knows. */
copse_status cp_stability_run(const copse_table *data, const copse_roles *roles, const copse_params *opt_params,
                              const copse_run *run, copse_trunks **out, copse_error *err);
void cp_stability_free(copse_trunks *t);

#endif
