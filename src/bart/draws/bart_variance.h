/* bart_variance - uneven noise: a second set of trees whose product is the variance of the noise [Pratola, Chipman,
 * George, McCulloch 2020].
 *
 *     y = f(x) + e,    e ~ N(0, sigma^2 s^2(x) / w),    s^2(x) = lambda_1(x) lambda_2(x) ... lambda_L(x)
 *
 * Each lambda of a leaf is inverse gamma, 1/lambda ~ Gamma(a, b) with a = L / tau^2 + 1/2 and b = a - 1/2: then the
 * mean of log lambda is about 0, and the prior standard deviation of log s^2 at any x is about tau.  lambda is
 * integrated out when a tree is sampled, and drawn afterwards, as mu is for trees of the mean.
 * How we differ from the paper: tau is sampled, on a grid from .1 to 3 that is even in log tau, each with prior
 * probability proportional to 1/tau.  Where the noise is even tau becomes small, so that even noise is the special
 * case that data can choose.  sigma^2 stays, with its own prior, and is sampled after the variance trees.  A square
 * residual counts as at least the problem's least_noise: else rows that f meets exactly would let the variance shrink
 * for ever.
 *
 * A tree stores mu = log lambda, so draws (bart_draws.h) and their sums (bart_walk.h) are those of the mean's trees:
 * the sum of a draw at x is log s^2(x). */
#ifndef CP_BART_VARIANCE_H
#define CP_BART_VARIANCE_H

#include "bart/core/bart_parallel.h"
#include "bart/core/bart_split_probs.h"
#include "bart/draws/bart_draws.h"
#include "bart/draws/bart_problem.h"

enum { CP_BART_VARIANCE_TAUS = 64 };

typedef struct cp_bart_variance {
    const cp_bart_problem *problem;  /* borrowed */
    size_t chain;                    /* its number: keys the random numbers */
    cp_bart_tree *tree;              /* opt.noise_trees of them */
    uint8_t *slot;                   /* trees x rows */
    float *weight;                   /* of each row: w / s^2(x), the weight of the mean's trees */
    float *square;                   /* scratch, of each row: its square residual over its variance, without one tree */
    float *opt_counted;              /* of each row: 1, or 0 where w is 0; NULL: all 1 */
    void *sampler;                   /* of cp_bart_mh_sampler */
    cp_bart_split_probs split_probs; /* uniform */
    size_t tau;                      /* number of tau in the grid */
    cp_bart_draws draws;
    /* Of each tau: log of its prior, up to a constant; the prior of lambda, and the log of its normalising constant. */
    double log_prior[CP_BART_VARIANCE_TAUS];
    cp_bart_lambda lambda[CP_BART_VARIANCE_TAUS];
    double log_constant[CP_BART_VARIANCE_TAUS];
} cp_bart_variance;

/* Even noise: every tree is one leaf of lambda 1. */
copse_status cp_bart_variance_init(cp_bart_variance *v, const cp_bart_problem *b, size_t chain, copse_error *err);
void cp_bart_variance_clear(cp_bart_variance *v);
/* The view of its trees. */
cp_bart_view cp_bart_variance_view(const cp_bart_variance *v, const cp_bart_parallel *opt_parallel);
/* Reserves memory, so that the next cp_bart_variance_draw cannot fail. */
copse_status cp_bart_variance_reserve(cp_bart_variance *v, copse_error *err);
/* Samples all trees given the residual r of the mean and sigma^2, then tau, and updates weight. */
void cp_bart_variance_draw(cp_bart_variance *v, const cp_bart_parallel *opt_parallel, const float *r, double noise_var,
                           uint64_t sweep);
/* Computes weight from the trees. */
void cp_bart_variance_refresh(cp_bart_variance *v, const cp_bart_parallel *opt_parallel);
/* The mean of s^2 over the rows that count. */
double cp_bart_variance_mean(const cp_bart_variance *v);
/* Keeps a draw of s^2 over its mean over the rows.  A failure leaves everything as it was. */
copse_status cp_bart_variance_keep(cp_bart_variance *v, copse_error *err);
/* NULL if the trees are valid and weight is theirs. */
const char *cp_bart_variance_check(const cp_bart_variance *v);

#endif
