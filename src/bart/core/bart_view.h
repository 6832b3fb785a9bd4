/* bart_view - the conditional posterior of one tree: Bayesian additive regression trees [Chipman, George, McCulloch
 * 2010; thesis, chapter 4].
 *
 *     y = g(x; T_1, mu_1) + ... + g(x; T_M, mu_M) + e,    e ~ N(0, sigma^2 / w)                     [2010, section 2.1]
 *
 * The prior of each tree T_m is that of bayes/tree_prior.h, mu ~ N(0, leaf_var) in each leaf, and sigma^2 is inverse
 * gamma [2010, section 2.2].  Targets are scaled to [-1/2, 1/2] first.  Two classes: probit, a latent z = f(x) + e with
 * sigma = 1, and the label is 1 where z > 0 [2010, section 4].  More than two classes: one such sum of trees for each
 * class against the rest.
 *
 * One sweep of the Gibbs sampler takes the trees in turn [2010, section 3.1].  Given the residual R_m of all other
 * trees, it samples T_m with mu_m integrated out, then mu_m; after the last tree it samples sigma, or the latent z.  A
 * cp_bart_sampler (bart_sampler.h) samples T_m; no other file knows how.
 *
 *     columns of codes -+                  tree m: make the residual r (a float for each row) partial:
 *                       +-> cp_bart_view ->          r += mu_m[slot_m[row]]
 *     residual ---------+                          the sampler changes tree m
 *                                                  draw mu_m; r -= mu_m[slot_m[row]]
 *
 * Every pass goes over all rows in order and knows a row's leaf from one byte, its slot (kernel/leaf_pass.h).  There
 * are no lists of rows, no permutation, and nothing to allocate. */
#ifndef CP_BART_VIEW_H
#define CP_BART_VIEW_H

#include "bart/core/bart_columns.h"
#include "bayes/particle.h"
#include "bayes/tree_prior.h"

/* A slot is a byte, so a tree has at most 256 leaves; trees beyond these bounds have prior probability 0. */
enum { CP_BART_MAX_LEAVES = 256, CP_BART_MAX_DEPTHS = 64 };

typedef struct cp_bart_split_probs cp_bart_split_probs; /* bart_split_probs.h */
typedef struct cp_bart_parallel cp_bart_parallel;       /* bart_parallel.h */

/* Uneven noise: the prior of lambda in each leaf of a variance tree, inverse gamma: 1/lambda ~ Gamma(shape, rate). */
typedef struct cp_bart_lambda {
    double shape, rate;
} cp_bart_lambda;

/* Everything that the conditional posterior of one tree depends on, except the tree.
 *
 * The view of a variance tree has lambda: then r is the square residual of each row over its noise variance without
 * this tree, opt_weight is 1 or 0, and the tree's mu are log lambda. */
typedef struct cp_bart_view {
    const cp_bart_columns *columns;
    const cp_bart_split_probs *split_probs;
    const double *log_split, *log_stop;   /* by depth, CP_BART_MAX_DEPTHS of them; the last log_split is -INFINITY */
    const float *r;                       /* partial residual of each row; NULL: no likelihood, the prior alone */
    const float *opt_weight;              /* of each row; NULL: all 1 */
    double leaf_var, noise_var;           /* variance of mu; of the noise of a row of weight 1 */
    const cp_bart_lambda *opt_lambda;     /* NULL: a tree of the mean */
    const cp_bart_parallel *opt_parallel; /* threads for passes over rows; NULL: the calling thread alone */
} cp_bart_view;

/* log density of the rows of one leaf with mu integrated out, up to a term that is the same for all trees.  sum_w: sum
 * of weights; sum_wr: sum of weight times partial residual. */
double cp_bart_view_log_leaf(const cp_bart_view *v, double sum_w, double sum_wr);

/* The rows whose slot is id. */
typedef struct cp_bart_group {
    const uint8_t *slot;
    uint8_t id;
} cp_bart_group;

#endif
