/* btree - one Bayesian decision tree: the methods smc and bcart, and the fitted state that both samplers leave.
 *
 * smc samples by sequential Monte Carlo (btree_islands.h), bcart by MCMC (btree_chains.h).  Both leave weighted trees
 * in one tree set; prediction, inspection and files do not depend on which sampler it was. */
#ifndef CP_BTREE_H
#define CP_BTREE_H

#include "btree/btree_mcmc.h"
#include "btree/btree_smc.h"
#include "method/method.h"
#include "num/converge.h"

typedef struct cp_btree {
    copse_task task;
    size_t classes, rows;
    cp_btree_hyper hyper;
    int tuned;            /* `hyper` was chosen by marginal likelihood (btree_tune.h): it differs from the options */
    int prior_only;       /* no row was counted: the statistics of all leaves are 0 */
    double centre, scale; /* regression: a target is centre + scale * the leaf's standardised value */
    cp_leaf leaf;         /* for prediction: it has no rows */
    cp_tree_set tree_set;
    cp_tree_set_size *size; /* of each node of the tree set */
    /* The record of the sampling.  Log probabilities are of the targets in their own units. */
    size_t islands, chains; /* smc has islands, bcart has chains; the other is 0 */
    cp_btree_island *island;
    cp_btree_trace *trace;             /* of each chain, all of one length */
    cp_converge log_posterior, leaves; /* convergence of the chains in these two quantities */
} cp_btree;

extern const cp_method cp_method_smc, cp_method_bcart;

/* The state of a problem before any tree is added. */
copse_status cp_btree_new(const cp_btree_problem *p, const cp_btree_hyper *hyper, cp_btree **out, copse_error *err);
/* To be called when the tree set has all its trees: computes what is derived from them. */
copse_status cp_btree_finish(cp_btree *b, copse_error *err);
void cp_btree_free(void *state);
/* The log probability of the targets in their own units, from the log probability of the standardised targets. */
double cp_btree_own_units(const cp_btree *b, double log_prob);

#endif
