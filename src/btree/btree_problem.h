/* btree_problem - what both samplers of one Bayesian decision tree, smc and bcart, are given: rows as ranks, a leaf
 * model and a prior.
 *
 * The target of both samplers is p(tree | y) prop. to prior(tree) prod over leaves of the leaf's marginal likelihood.
 * It is a distribution over trees whose rules are a column and a gap between two values of it (bayes/tree_prior.h).
 * The position of the cut within its gap is integrated out: in training no row depends on it, and in prediction the
 * walk through the tree set averages over it. */
#ifndef CP_BTREE_PROBLEM_H
#define CP_BTREE_PROBLEM_H

#include "btree/btree_hyper.h"
#include "data/ranks.h"
#include "leaf/leaf.h"

/* Made once from rows and options; all islands and chains read it. */
typedef struct cp_btree_problem {
    const cp_rows *rows; /* borrowed */
    cp_ranks ranks;
    cp_leaf leaf;
    cp_tree_prior prior;
    uint64_t seed;
    double *y; /* regression: the standardised targets; a target is centre + scale * y */
    double centre, scale;
} cp_btree_problem;

copse_status cp_btree_problem_init(cp_btree_problem *b, const cp_rows *rows, const cp_btree_hyper *hyper, uint64_t seed,
                                   const copse_run *run, copse_error *err);
/* The same rows under another prior.  After a failure the problem is unchanged. */
copse_status cp_btree_problem_set(cp_btree_problem *b, const cp_btree_hyper *hyper, copse_error *err);
void cp_btree_problem_clear(cp_btree_problem *b);
/* A leaf model for prediction only: it has no rows to sample with. */
copse_status cp_btree_problem_leaf(cp_leaf *m, copse_task task, size_t classes, const cp_btree_hyper *hyper,
                                   copse_error *err);

#endif
