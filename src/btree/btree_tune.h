/* btree_tune - empirical Bayes: the hyperparameters with the largest marginal likelihood, as estimated by islands.
 *
 * Coordinate ascent over a grid: one hyperparameter after another is moved along its grid of values for as long as the
 * estimate of log p(y | x) rises.  Rounds over all hyperparameters are repeated until none moves.  All estimates use
 * the same random numbers, which removes some of the noise from their differences. */
#ifndef CP_BTREE_TUNE_H
#define CP_BTREE_TUNE_H

#include "btree/btree_smc.h"

enum { CP_BTREE_TUNE_PARAMS = 3 }; /* alpha, alpha-split, beta-split */

typedef struct cp_btree_tuning {
    cp_btree_problem *problem; /* its prior is changed */
    const cp_btree_smc_options *opt;
    size_t islands;
    const copse_run *run;
    int is_tuned[CP_BTREE_TUNE_PARAMS]; /* which hyperparameters are tuned */
    cp_btree_hyper *hyper;              /* in: where the search starts; out: the best found */
    size_t fits;                        /* made so far */
} cp_btree_tuning;

/* Which hyperparameters option `tune` names; fails if the task has none of that name. */
copse_status cp_btree_tune_params(const copse_params *p, copse_task task, int out[CP_BTREE_TUNE_PARAMS],
                                  copse_error *err);
copse_status cp_btree_tune(cp_btree_tuning *t, copse_error *err);

#endif
