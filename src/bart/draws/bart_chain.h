/* bart_chain - one Markov chain: its sums of trees (one, or one for each of more than two classes), their residuals and
 * their noise; and a sweep over them [Chipman, George, McCulloch 2010, section 3.1].
 *
 * The random numbers of a sweep are keyed by (seed, CP_FOR_SWEEP, chain and sum, sweep and tree).  So between sweeps
 * the state of a chain is its trees, its residuals, its scalars and its kept draws.  A residual is float and
 * accumulates rounding: every CP_BART_CHAIN_REFRESH sweeps, at sweeps fixed in advance, it is computed anew from the
 * trees. */
#ifndef CP_BART_CHAIN_H
#define CP_BART_CHAIN_H

#include "bart/draws/bart_draws.h"
#include "bart/draws/bart_trace.h"

enum { CP_BART_CHAIN_REFRESH = 32 };

/* A chain before its first sweep. */
copse_status cp_bart_chain_new(const cp_bart_problem *b, size_t chain, cp_bart_chain **out, copse_error *err);
void cp_bart_chain_free(cp_bart_chain *c);
/* Runs to the end, or `sweeps` sweeps if that is fewer and not 0; on run->threads threads if there are many rows, else
 * on one.  After any failure, COPSE_E_STOPPED included, the chain can be saved or continued, and continues as if
 * nothing had failed. */
copse_status cp_bart_chain_run(cp_bart_chain *c, size_t sweeps, const copse_run *run, copse_error *err);
size_t cp_bart_chain_done(const cp_bart_chain *c); /* sweeps so far, grow-from-root sweeps included */
/* The kept draws of a sum, and the trace; borrowed from the chain. */
const cp_bart_draws *cp_bart_chain_draws(const cp_bart_chain *c, size_t sum);
const cp_bart_draws *cp_bart_chain_variance_draws(const cp_bart_chain *c); /* uneven noise only */
const cp_bart_trace *cp_bart_chain_trace(const cp_bart_chain *c);

#endif
