/* btree_mcmc - one tree by Metropolis-Hastings: grow, prune, change, swap [Chipman, George, McCulloch 1998].
 *
 * A chain starts from a single leaf.  An iteration proposes one move (bayes/moves.h); after burn-in every thin-th tree
 * is kept, in the chain's own tree set.  A tree is kept with the whole gap between its children's rows in place of the
 * cell that the chain has there: given all else, each cell of the gap has a probability in proportion to its width, so
 * this is the cut integrated out exactly, and trees that differ in nothing but cells are one.
 *
 * Randomness of an iteration is keyed by (seed, CP_FOR_CHAIN, chain, iteration): between iterations a chain is its
 * tree, what it has kept, and its counts. */
#ifndef CP_BTREE_MCMC_H
#define CP_BTREE_MCMC_H

#include "bayes/moves.h"
#include "btree/btree_problem.h"
#include "tree/tree_set.h"

/* What users get unasked is in btree.c, and why: a tree of L leaves is a few times L accepted moves away from
 * a single leaf, and a tenth to a third of the moves are accepted, so 5000 are enough for the two hundred leaves that
 * 10^4 rows carry; ten moves apart draws are still much alike, but a thousand of them take no longer to predict with
 * than their different nodes.  Shares of .25, .25, .4 and .1 are what Chipman, George and McCulloch chose for BART;
 * with change anywhere from .4 to .7 test scores on pendigits, magic04 and friedman1 agree within their noise,
 * without change and swap they are worse. */
typedef struct cp_btree_mcmc_options {
    double move[CP_MOVES]; /* how often each is proposed; they sum to 1 */
    size_t burn_in;        /* iterations before the first draw is kept; an iteration proposes one move */
    size_t samples;        /* draws kept */
    size_t thin;           /* iterations from one to the next: burn_in + samples * thin in all */
} cp_btree_mcmc_options;

/* How a chain went. */
typedef struct cp_btree_trace {
    size_t samples;
    double *log_post; /* of each kept draw: log prior + log marginal likelihood of the standardised targets */
    uint32_t *leaves; /* of each kept draw */
    uint64_t proposed[CP_MOVES], accepted[CP_MOVES]; /* after burn-in; an impossible move is a rejected one */
} cp_btree_trace;
void cp_btree_mcmc_clear_trace(cp_btree_trace *t);

/* A chain between two iterations. */
typedef struct cp_btree_chain cp_btree_chain;

/* Before the first iteration.  The problem is borrowed, the options are copied. */
copse_status cp_btree_mcmc_new(const cp_btree_problem *b, const cp_btree_mcmc_options *opt, size_t chain,
                               cp_btree_chain **out, copse_error *err);
void cp_btree_mcmc_free(cp_btree_chain *c);
/* Goes on to the end, or for `iterations` if that is less and not 0.  After any failure, COPSE_E_STOPPED among them,
 * the chain stands where the last whole iteration left it and can be saved or go on. */
copse_status cp_btree_mcmc_run(cp_btree_chain *c, size_t iterations, const copse_run *run, copse_error *err);
/* Iterations so far. */
size_t cp_btree_mcmc_done(const cp_btree_chain *c);
/* Draws that should have been kept after `done` iterations. */
size_t cp_btree_mcmc_due(const cp_btree_mcmc_options *opt, size_t done);
/* Adds the chain's draws, of total weight 1, to the tree set; out is cleared by cp_btree_mcmc_clear_trace. */
copse_status cp_btree_mcmc_finish(cp_btree_chain *c, cp_tree_set *tree_set, cp_btree_trace *out, copse_error *err);

#endif
