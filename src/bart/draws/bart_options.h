/* bart_options - the method's options as numbers. */
#ifndef CP_BART_OPTIONS_H
#define CP_BART_OPTIONS_H

#include "bart/core/bart_sampler.h"
#include "method/method.h"

/* Everything that the user asks for; does not depend on the rows. */
typedef struct cp_bart_options {
    const cp_bart_sampler *sampler;
    cp_bart_sampler_options sampler_opt;
    size_t trees, burn_in, samples, thin;
    size_t grow_from_root; /* grow-from-root sweeps before burn-in (`warm-start`) */
    cp_bart_cuts cuts;
    size_t cuts_per_column; /* grid and quantile cuts */
    cp_tree_prior split;
    double k;       /* the prior standard deviation of a sum of trees is (half the targets' range, probit: 3) / k */
    int sample_k;   /* k is sampled: cp_bart_noise_draw_leaf_var; k above is then the scale of its prior */
    double nu, q;   /* sigma^2 ~ nu lambda / chi^2_nu, with lambda such that P(sigma < sigma-hat) = q */
    int ols;        /* sigma-hat is the residual sd of least squares if there are enough rows, else the targets' sd */
    int dart;       /* the split probabilities of the columns are sampled (`sparse`) */
    int prior_only; /* no likelihood */
    size_t noise_trees; /* whose product is the variance of the noise (`noise=uneven`); 0: it is even */
} cp_bart_options;

/* Reads all options of the method except seed and chains. */
cp_bart_options cp_bart_options_of(const copse_params *p);

/* Warns of options that were given a value but that the sampler, or a task of classes, does not use. */
void cp_bart_options_warn(const copse_params *p, copse_task task, const copse_run *run);

static inline size_t cp_bart_options_sweeps(const cp_bart_options *o) {
    return o->grow_from_root + o->burn_in + o->samples * o->thin;
}

/* Draws that are due after `done` sweeps. */
static inline size_t cp_bart_options_draws_due(const cp_bart_options *o, size_t done) {
    size_t first = o->grow_from_root + o->burn_in;
    return done < first ? 0 : (done - first) / o->thin;
}

#endif
