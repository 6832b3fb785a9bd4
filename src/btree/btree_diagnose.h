/* btree_diagnose - do the islands, or the chains, agree? */
#ifndef CP_BTREE_DIAGNOSE_H
#define CP_BTREE_DIAGNOSE_H

#include "btree/btree.h"

void cp_btree_diagnose(const void *state, const copse_params *p, copse_diagnosis *out);

/* bcart: sets log_posterior and leaves of b from the traces of its chains. */
copse_status cp_btree_diagnose_converge(cp_btree *b, copse_error *err);
double cp_btree_diagnose_acceptance(const cp_btree *b, cp_move_kind move);
extern const char *const cp_btree_diagnose_accepted[CP_MOVES]; /* the names of the acceptance rates */

/* smc: the logarithm of the mean of the islands' estimates of p(y | x), and the standard deviation of the logarithms
 * of these estimates (NaN for one island). */
double cp_btree_diagnose_log_marginal(const cp_btree *b);
double cp_btree_diagnose_log_marginal_sd(const cp_btree *b);
/* smc: the smallest effective sample size of any stage, as a share of the particles. */
double cp_btree_diagnose_min_ess(const cp_btree *b);

#endif
