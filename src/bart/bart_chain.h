/* bart_chain - one chain: a sum of trees for each thing that is sampled (one, or one for each of more than two classes),
 * its residual, its noise; and a sweep over it.
 *
 * Randomness of a sweep is keyed by (seed, CP_FOR_SWEEP, chain and sum, sweep and tree), so between sweeps a chain is its
 * trees, its scalars and what it has kept.  The residual is float and collects rounding; every CP_BART_REFRESH sweeps it is
 * computed anew from the trees, at sweeps fixed in advance, so that a chain that was saved goes on with the same bits. */
#ifndef CP_BART_CHAIN_H
#define CP_BART_CHAIN_H

#include "bart/bart_draws.h"
#include "bart/bart_sampler.h"
#include "method/method.h"

enum { CP_BART_REFRESH = 32 };

/* What the prior depends on, made of options and targets. */
typedef struct cp_bart_hyper {
    cp_tree_prior split;
    double leaf_var;
    double nu, lambda; /* sigma^2 ~ nu lambda / chi^2_nu */
    int sparse;        /* columns' probabilities are sampled */
    int prior_only;    /* no likelihood */
} cp_bart_hyper;

typedef struct cp_bart_options {
    const cp_bart_sampler *sampler;
    cp_bart_sampler_options how;
    size_t trees, burn_in, samples, thin;
    size_t warm; /* grow-from-root sweeps before the first one */
} cp_bart_options;

/* What is sampled; made once from rows and options, read by all chains. */
typedef struct cp_bart_problem {
    const cp_rows *rows; /* borrowed */
    cp_bart_columns columns;
    cp_bart_hyper hyper;
    cp_bart_options opt;
    uint64_t seed;
    size_t sums;          /* 1, or the number of classes if there are more than two */
    float *y;             /* regression: y = centre + scale * it */
    double centre, scale; /* regression */
    double *offset;       /* classes: of each sum, what its trees are added to */
    float *opt_weight;
    double log_split[CP_BART_DEPTHS], log_stop[CP_BART_DEPTHS];
} cp_bart_problem;

/* In bart_problem.c. */
copse_status cp_bart_problem_init(cp_bart_problem *b, const cp_rows *rows, const copse_params *p, const copse_run *run,
                                  copse_error *err);
void cp_bart_problem_clear(cp_bart_problem *b);

/* What is watched of every kept draw, in the targets' own units. */
enum { CP_BART_WATCHED = 8 }; /* fitted values, of rows spread over the data */
typedef struct cp_bart_trace {
    size_t draws;
    double *sigma, *log_likelihood, *leaves; /* sums x draws */
    double *fitted;                          /* CP_BART_WATCHED x draws */
    cp_bart_tally tally;                     /* after burn-in */
    double *inclusion;                       /* draws x dims: share of the splits that ask the column */
} cp_bart_trace;

typedef struct cp_bart_chain cp_bart_chain;

/* Before the first sweep. */
copse_status cp_bart_chain_new(const cp_bart_problem *b, size_t chain, cp_bart_chain **out, copse_error *err);
void cp_bart_chain_free(cp_bart_chain *c);
/* Goes on to the end, or for `sweeps` if that is less and not 0.  After any failure, COPSE_E_STOPPED among them, the chain
 * stands where the last whole sweep left it and can be saved or go on. */
copse_status cp_bart_chain_run(cp_bart_chain *c, size_t sweeps, const copse_run *run, copse_error *err);
size_t cp_bart_chain_done(const cp_bart_chain *c); /* sweeps so far */
/* What it has kept, borrowed from the chain: draws of each sum, and the trace. */
const cp_bart_draws *cp_bart_chain_draws(const cp_bart_chain *c, size_t sum);
const cp_bart_trace *cp_bart_chain_trace(const cp_bart_chain *c);
/* Restored, a chain goes on as if it had never stopped, bit for bit; `samples` may have grown. */
copse_status cp_bart_chain_write(const cp_bart_chain *c, cp_writer *w, copse_error *err);
copse_status cp_bart_chain_read(cp_reader *r, const cp_bart_problem *b, size_t chain, cp_bart_chain **out,
                                copse_error *err);

#endif
