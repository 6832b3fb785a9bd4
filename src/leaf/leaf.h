/* leaf - what a leaf of a Bayesian tree believes about the targets in it: a conjugate model, its parameters integrated
 * out.
 *
 * Three models.  Classes: labels are independent given probabilities that are Dirichlet(alpha/K, ..., alpha/K) [2013,
 * eq. 3].  Numbers: y ~ N(mu, s2), mu | s2 ~ N(0, s2/kappa), s2 ~ inverse gamma(nu/2, nu lambda/2); y is standardised
 * by the caller.  Means, of numbers whose noise is known (residuals of a sum of trees): r ~ N(mu, noise_var/w), mu ~
 * N(0, leaf_var).
 *
 * A leaf's statistic is `width` doubles that add up over its rows: the count of each class, or (n, sum y, sum y^2), or
 * (sum w, sum w r).  All the models know of the rows passes through it, so whoever keeps statistics need not keep
 * rows. */
#ifndef CP_LEAF_H
#define CP_LEAF_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "num/mixture.h"
#include "num/rng.h"

struct cp_leaf_kind;

typedef struct cp_leaf {
    const struct cp_leaf_kind *kind;
    size_t width;
    size_t rows; /* at most so many in a statistic */
    int blind;   /* no row is counted: statistics are 0 and all rows likely, so that what is sampled is the prior */
    /* Classes. */
    size_t classes;
    const int32_t *label; /* of each row, borrowed */
    double alpha;
    /* Numbers. */
    const double *y; /* of each row, borrowed */
    double kappa, nu, lambda;
    /* Means. */
    const float *r, *opt_weight; /* of each row, borrowed; no weights: all 1 */
    double leaf_var, noise_var;
    /* [n] for n = 0 ... rows: what the marginal likelihood needs of n rows, or of n rows of one class; made once. */
    double *of_rows, *of_class;
} cp_leaf;

/* In leaf_dirichlet.c; alpha > 0, classes >= 1. */
copse_status cp_leaf_dirichlet_init(cp_leaf *m, const int32_t *label, size_t rows, size_t classes, double alpha,
                                    copse_error *err);
/* In leaf_nig.c; kappa, nu, lambda > 0. */
copse_status cp_leaf_nig_init(cp_leaf *m, const double *y, size_t rows, double kappa, double nu, double lambda,
                              copse_error *err);
/* The lambda for which P(s < sd) = q. */
double cp_leaf_nig_lambda(double nu, double sd, double q);
/* What numbers are to be standardised with: (y - centre) / scale has mean 0 and mean square 1.  Of targets that are all
 * equal the scale is the least spread that any method admits; but one row says nothing of spreads, and has scale 1.
 * The centre takes `passes` over y, each of which adds what rounding had left in the one before: with two, numbers far
 * from 0 keep the digits of their differences. */
typedef struct cp_leaf_units {
    double centre, scale;
} cp_leaf_units;
cp_leaf_units cp_leaf_nig_units(const double *y, size_t n, int passes);
/* In leaf_mean.c; both variances > 0.  Its log marginal is less by the log density of the rows at mu = 0: that is the
 * same for all trees, and needs no sum of squares. */
typedef struct cp_leaf_residual {
    const float *r, *opt_weight;
    size_t rows;
} cp_leaf_residual;
void cp_leaf_mean_init(cp_leaf *m, const cp_leaf_residual *of, double leaf_var, double noise_var);
double cp_leaf_mean_log(double leaf_var, double noise_var, double sum_w, double sum_wr);
void cp_leaf_clear(cp_leaf *m);

/* stat += one row. */
void cp_leaf_add(const cp_leaf *m, double *stat, size_t row);
/* stat = the sum over rows, in their order. */
void cp_leaf_gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat);
/* log of the probability (density) of the targets in their order: no multinomial coefficient.  0 for no rows. */
double cp_leaf_log_marginal(const cp_leaf *m, const double *stat);
/* For a node whose rows stand in the order of a column: out_log[g] = log marginal of rows 0 ... end[g]-1, plus that of
 * the rest.  `whole` is the statistic of all n rows; tmp is allocated memory for 2 width
 * doubles. */
void cp_leaf_scan(const cp_leaf *m, const uint32_t *rows, const uint32_t *end, size_t gaps, const double *whole,
                  void *tmp, double *out_log);

/* The parameters drawn from their posterior: K probabilities, or (mu, s2), or mu. */
void cp_leaf_draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out);
/* A target drawn from the model with these parameters: a class number, or y. */
double cp_leaf_draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng);
/* The posterior predictive: probabilities of the classes are out_probs[k] += weight * p_k. */
void cp_leaf_dirichlet_predict(const cp_leaf *m, const double *stat, double weight, double *out_probs);
/* The posterior predictive of a number with unknown noise: a Student component of the given weight. */
cp_component cp_leaf_nig_predict(const cp_leaf *m, const double *stat, double weight);

/* What a model is made of; callers use the functions above. */
typedef struct cp_leaf_kind {
    const char *name;
    void (*add)(const cp_leaf *m, double *stat, size_t row);
    void (*gather)(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat);
    double (*log_marginal)(const cp_leaf *m, const double *stat);
    void (*scan)(const cp_leaf *m, const uint32_t *rows, const uint32_t *end, size_t gaps, const double *whole,
                 void *tmp, double *out_log);
    void (*draw)(const cp_leaf *m, const double *stat, cp_rng *rng, double *out);
    double (*draw_target)(const cp_leaf *m, const double *parameters, cp_rng *rng);
} cp_leaf_kind;

#endif
