/* greedy_weight - what makes the trees of a forest differ: the rows each one sees, and with what weights.
 *
 *   bootstrap    how often each of n rows is met in n draws with replacement: multinomial counts
 *   exponential  theta_i ~ Exp(1).  Divided by their sum they are uniform on the simplex: the Bayesian bootstrap
 *                [Rubin 1981], the posterior of the weights of the observed rows [Taddy et al. 2015, sec. 2.1]
 *
 * A row's own weight says how much it counts for, not how many rows it stands for: the draws multiply it.  Rows of
 * weight 0 take no part; leaving them out of the data gives the same draws.  Weights are scaled to sum to the number of
 * rows they belong to, so that a limit on the weight of a leaf means about as many rows. */
#ifndef CP_GREEDY_WEIGHT_H
#define CP_GREEDY_WEIGHT_H

#include "method/method.h"

/* Rows with their own weights; belongs to the fit. */
typedef struct cp_greedy_weight {
    uint32_t *row; /* those that take part, in some order */
    size_t rows;
    double *own; /* by row number, scaled; NULL: all are 1 */
} cp_greedy_weight;

/* The rows of positive weight, in order. */
copse_status cp_greedy_weight_init(cp_greedy_weight *w, const cp_rows *rows, copse_error *err);
void cp_greedy_weight_clear(cp_greedy_weight *w);
static inline double cp_greedy_weight_own(const cp_greedy_weight *w, uint32_t row) {
    return w->own ? w->own[row] : 1;
}

/* Which draw of which part of the rows. */
typedef struct cp_greedy_weight_draw {
    uint64_t seed;
    uint32_t tree;
    uint64_t part; /* 0, or the part's number */
} cp_greedy_weight_draw;

/* Fill out[row[i]] for i < n; n >= 1, own as above. */
void cp_greedy_weight_bootstrap(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                double *out);
void cp_greedy_weight_exponential(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                  double *out);

/* A sample without replacement; all subsets are equally likely. */
typedef struct cp_greedy_sample {
    size_t rows;
    uint64_t seed, part; /* part: names the draw; those of rows held out begin at CP_GREEDY_WEIGHT_HOLDOUT */
} cp_greedy_sample;
enum { CP_GREEDY_WEIGHT_HOLDOUT = 1 << 30 };
/* Puts the sample of n different row numbers in front, then both parts into rising order. */
copse_status cp_greedy_weight_sample(uint32_t *row, size_t n, const cp_greedy_sample *s, copse_error *err);

#endif
