/* bart_chain - one chain: a sum of trees for each thing that is sampled (one, or one for each of more than two
 * classes), its residual, its noise; and a sweep over it.
 *
 * Randomness of a sweep is keyed by (seed, CP_FOR_SWEEP, chain and sum, sweep and tree), so between sweeps a chain is
 * its trees, its residuals, its scalars and what it has kept.  A residual is float and collects rounding; every
 * CP_BART_CHAIN_REFRESH sweeps it is computed anew from the trees, at sweeps fixed in advance. */
#ifndef CP_BART_CHAIN_H
#define CP_BART_CHAIN_H

#include "bart/core/bart_sampler.h"
#include "bart/draws/bart_draws.h"
#include "method/method.h"

enum { CP_BART_CHAIN_REFRESH = 32 };

/* Everything that is asked for, whatever the rows are. */
typedef struct cp_bart_options {
    const cp_bart_sampler *sampler;
    cp_bart_sampler_options how;
    size_t trees, burn_in, samples, thin;
    size_t warm; /* grow-from-root sweeps before the first one */
    cp_bart_cuts cuts;
    size_t cuts_per_column; /* grid, quantile */
    cp_tree_prior split;
    double k;       /* the prior's sd of a sum of trees is half the range of the targets, or 3 of a probit, over k */
    int sample_k;   /* k is where its prior lies: see cp_bart_noise_draw_leaf_var */
    double nu, q;   /* sigma^2 ~ nu lambda / chi^2_nu, with lambda such that P(sigma < sigma-hat) = q */
    int ols;        /* sigma-hat by least squares where there are rows enough, else the targets' standard deviation */
    int sparse;     /* columns' probabilities are sampled */
    int prior_only; /* no likelihood */
} cp_bart_options;

/* In bart_options.c: reads the method's options, of which it knows all by name but seed and chains. */
cp_bart_options cp_bart_options_of(const copse_params *p);

/* Warns of those that were given a value and mean nothing to the sampler, or to classes. */
void cp_bart_options_warn(const copse_params *p, copse_task task, const copse_run *run);

static inline size_t cp_bart_options_sweeps(const cp_bart_options *o) {
    return o->warm + o->burn_in + o->samples * o->thin;
}

/* What the prior depends on, made of options and targets. */
typedef struct cp_bart_hyper {
    double leaf_var;
    double nu, lambda; /* sigma^2 ~ nu lambda / chi^2_nu */
} cp_bart_hyper;

/* What is sampled; made once from rows and options, read by all chains.
 *
 * Weights of regression say how exact a target is, y ~ N(f, sigma^2 / w).  They are divided by their mean, so that they
 * and sigma keep to numbers of ordinary size.  Weights of classes are whole numbers and say how often a row counts. */
typedef struct cp_bart_problem {
    const cp_rows *rows; /* borrowed */
    cp_bart_columns columns;
    cp_bart_options opt;
    cp_bart_hyper hyper;
    uint64_t seed;
    size_t sums;          /* 1, or the number of classes if there are more than two */
    float *y;             /* regression: y = centre + scale * it */
    double centre, scale; /* regression */
    double sigma_hat;     /* regression: in units of scale */
    double *offset;       /* classes: of each sum, what its trees are added to */
    float *opt_weight;
    size_t informed; /* rows of weight above 0 */
    double log_split[CP_BART_MAX_DEPTHS], log_stop[CP_BART_MAX_DEPTHS];
} cp_bart_problem;

/* In bart_problem.c.  Warns of what looks like a mistake. */
copse_status cp_bart_problem_init(cp_bart_problem *b, const cp_rows *rows, const cp_bart_options *opt, uint64_t seed,
                                  const copse_run *run, copse_error *err);
void cp_bart_problem_clear(cp_bart_problem *b);
/* Is the row's label that of the sum? */
static inline int cp_bart_problem_is_in(const cp_bart_problem *b, size_t sum, size_t row) {
    return b->rows->label[row] == (b->sums > 1 ? (int32_t)sum : 1);
}

/* What is watched of every kept draw, in the targets' own units. */
enum { CP_BART_WATCHED = 8 }; /* fitted values, of rows spread over the data */
typedef struct cp_bart_trace {
    size_t draws; /* so far */
    size_t room;  /* of all series: `samples`, which a finished chain has drawn */
    /* sums x room; classes: sigma is 1, and each sum has a likelihood of its own, that of being of its class or not */
    double *sigma, *log_likelihood, *leaves;
    /* CP_BART_WATCHED x room; classes: the probability of label 1, or, of more than two, of the row's own label */
    double *fitted;
    cp_bart_tally tally; /* after burn-in */
} cp_bart_trace;

typedef struct cp_bart_chain cp_bart_chain;

/* Before the first sweep. */
copse_status cp_bart_chain_new(const cp_bart_problem *b, size_t chain, cp_bart_chain **out, copse_error *err);
void cp_bart_chain_free(cp_bart_chain *c);
/* Goes on to the end, or for `sweeps` if that is less and not 0, on run->threads threads if it has many rows, else on
 * one.  After any failure, COPSE_E_STOPPED among them, the chain can be saved or go on, and goes on as if nothing had
 * failed. */
copse_status cp_bart_chain_run(cp_bart_chain *c, size_t sweeps, const copse_run *run, copse_error *err);
size_t cp_bart_chain_done(const cp_bart_chain *c); /* sweeps so far, those that warm up counted */
/* What it has kept, borrowed from the chain: draws of each sum, and the trace. */
const cp_bart_draws *cp_bart_chain_draws(const cp_bart_chain *c, size_t sum);
const cp_bart_trace *cp_bart_chain_trace(const cp_bart_chain *c);
/* Restored, a chain goes on as if it had never stopped, bit for bit; `samples` may have grown. */
copse_status cp_bart_chain_file_write(const cp_bart_chain *c, cp_writer *w, copse_error *err);
copse_status cp_bart_chain_file_read(cp_reader *r, const cp_bart_problem *b, size_t chain, cp_bart_chain **out,
                                     copse_error *err);

#endif
