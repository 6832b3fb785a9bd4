/* leaf - the model of the targets in a leaf of a Bayesian tree: conjugate, so that its parameters can be integrated
 * out.
 *
 * There are three: leaf_dirichlet.h (classes), leaf_nig.h (numbers), leaf_mean.h (residuals with known noise).
 *
 * The sufficient statistic of a leaf is `width` doubles that add up over its rows.  The model needs nothing else of the
 * rows, so a caller that keeps statistics need not keep rows. */
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
    size_t width;   /* of the statistic */
    size_t rows;    /* a statistic counts at most so many rows */
    int prior_only; /* statistics stay 0 and every row has likelihood 1, so that the prior is sampled */
    /* leaf_dirichlet */
    size_t classes;
    const int32_t *label; /* of each row, borrowed */
    double alpha;
    /* leaf_nig */
    const double *y; /* of each row, borrowed */
    double kappa, nu, lambda;
    /* leaf_mean */
    const float *r, *opt_weight; /* of each row, borrowed; no weights: all 1 */
    double leaf_var, noise_var;
    /* Tables made once, for n = 0 ... rows: the term of the log marginal likelihood for n rows; for n rows of a
     * class. */
    double *of_rows, *of_class;
} cp_leaf;

void cp_leaf_clear(cp_leaf *m);

/* stat += one row. */
void cp_leaf_add(const cp_leaf *m, double *stat, size_t row);
/* stat = the sum over rows, in their order. */
void cp_leaf_gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat);
/* log marginal likelihood of the targets as a sequence: no multinomial coefficient.  0 for no rows. */
double cp_leaf_log_marginal(const cp_leaf *m, const double *stat);
/* All cuts of a node in one column: the rows, sorted by the column; cut g sends rows 0 ... end[g]-1 left. */
typedef struct cp_leaf_cuts {
    const uint32_t *row, *end;
    size_t n; /* cuts */
} cp_leaf_cuts;
/* out_log[g] = log marginal of the rows left of cut g, plus that of the rows right of it.  `whole` is the statistic of
 * all rows of the node; tmp is scratch of 2 width doubles. */
void cp_leaf_scan(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log);

/* Draws the parameters from their posterior: K probabilities, or (mu, s2), or mu. */
void cp_leaf_draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out);
/* Draws a target from the model with these parameters: a class number, or y. */
double cp_leaf_draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng);

/* The functions of a model; callers use those above. */
typedef struct cp_leaf_kind {
    const char *name;
    void (*add)(const cp_leaf *m, double *stat, size_t row);
    void (*gather)(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat);
    double (*log_marginal)(const cp_leaf *m, const double *stat);
    void (*scan)(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log);
    void (*draw)(const cp_leaf *m, const double *stat, cp_rng *rng, double *out);
    double (*draw_target)(const cp_leaf *m, const double *parameters, cp_rng *rng);
} cp_leaf_kind;

#endif
