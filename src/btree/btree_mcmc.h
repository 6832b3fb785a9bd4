/* btree_mcmc - a Markov chain over trees by Metropolis-Hastings: grow, prune, change, swap [Chipman, George, McCulloch
 * 1998].
 *
 * A chain starts from a single leaf.  An iteration proposes one move (bayes/moves.h).  After burn-in every thin-th tree
 * is kept in the chain's own tree set.  A rule of a kept tree is the whole gap between its children's rows, not the
 * cell of the gap that the chain is in.  Given all else, the probability of a cell is proportional to its width.  So
 * this integrates the cut out exactly, and trees that differ in their cells only become one tree.
 *
 * The random numbers of an iteration are keyed by (seed, CP_FOR_CHAIN, chain, iteration).  So between iterations the
 * state of a chain is its tree, its kept draws and its counts. */
#ifndef CP_BTREE_MCMC_H
#define CP_BTREE_MCMC_H

#include "bayes/moves.h"
#include "btree/btree_problem.h"
#include "tree/tree_set.h"

/* The defaults are in btree.c.  Their reasons:
 * burn-in  A tree of L leaves is a few times L accepted moves away from a single leaf, and a tenth to a third of the
 *          moves are accepted.  So 5000 are enough for the 200 leaves that 10^4 rows support.
 * samples  Draws ten moves apart are still much alike, but a thousand of them take no longer to predict with than their
 *          different nodes do.
 * moves    Shares of .25, .25, .4 and .1 are what Chipman, George and McCulloch chose for BART.  With change from .4 to
 *          .7, test scores on pendigits, magic04 and friedman1 agree within their noise; without change and swap they
 *          are worse. */
typedef struct cp_btree_mcmc_options {
    double move[CP_MOVES]; /* the probability of proposing each move; they sum to 1 */
    size_t burn_in;        /* iterations before the first draw is kept; an iteration proposes one move */
    size_t samples;        /* draws kept */
    size_t thin;           /* iterations from one draw to the next: burn_in + samples * thin in all */
} cp_btree_mcmc_options;

/* The record of a chain. */
typedef struct cp_btree_trace {
    size_t samples;
    double *log_post; /* of each kept draw: log prior + log marginal likelihood of the standardised targets */
    uint32_t *leaves; /* of each kept draw */
    uint64_t proposed[CP_MOVES], accepted[CP_MOVES]; /* after burn-in; an impossible move counts as rejected */
} cp_btree_trace;
void cp_btree_mcmc_clear_trace(cp_btree_trace *t);

/* A chain between two iterations. */
typedef struct cp_btree_chain cp_btree_chain;

/* A chain before its first iteration.  The problem is borrowed, the options are copied. */
copse_status cp_btree_mcmc_new(const cp_btree_problem *b, const cp_btree_mcmc_options *opt, size_t chain,
                               cp_btree_chain **out, copse_error *err);
void cp_btree_mcmc_free(cp_btree_chain *c);
/* Runs to the end, but for at most `iterations` unless that is 0.  After a failure, COPSE_E_STOPPED included, the chain
 * is as the last complete iteration left it, and can be saved or run on. */
copse_status cp_btree_mcmc_run(cp_btree_chain *c, size_t iterations, const copse_run *run, copse_error *err);
/* Iterations so far. */
size_t cp_btree_mcmc_done(const cp_btree_chain *c);
/* Draws that should have been kept after `done` iterations. */
size_t cp_btree_mcmc_due(const cp_btree_mcmc_options *opt, size_t done);
/* Adds the chain's draws, of total weight 1, to the tree set.  cp_btree_mcmc_clear_trace clears *out. */
copse_status cp_btree_mcmc_finish(cp_btree_chain *c, cp_tree_set *tree_set, cp_btree_trace *out, copse_error *err);

#endif
