/* greedy_weight - the weights of the rows in each tree of a forest, and random samples of rows.
 *
 *   bootstrap    how often each of n rows occurs in n draws with replacement: multinomial counts
 *   exponential  theta_i ~ Exp(1).  Divided by their sum they are uniform on the simplex: the Bayesian bootstrap
 *                [Rubin 1981], the posterior of the weights of the observed rows [Taddy et al. 2015, sec. 2.1]
 *
 * Rows may have weights of their own.  Without draws (cart, ert), whole weights are counts: a row of weight 2 gives the
 * same trees as two equal rows.  Other weights are importances, of which only the ratios matter: those of n rows are
 * scaled to sum to n, so that `min-leaf-weight` means about as many rows.  With draws, all weights are
 * importances: the weight that is drawn is multiplied by them.  Rows of weight 0 are not drawn; leaving them out of the
 * data gives the same draws. */
#ifndef CP_GREEDY_WEIGHT_H
#define CP_GREEDY_WEIGHT_H

#include "method/method.h"

/* The rows of a fit, with their own weights. */
typedef struct cp_greedy_weight {
    uint32_t *row; /* numbers of the rows with weight above 0, in some order */
    size_t rows;
    double *own; /* by row number: counts, or scaled to sum to `rows`; NULL: all are 1 */
    int are_counts;
} cp_greedy_weight;

/* The rows of weight above 0, in rising order.  may_count: whole weights are counts. */
copse_status cp_greedy_weight_init(cp_greedy_weight *w, const cp_rows *rows, int may_count, copse_error *err);
void cp_greedy_weight_clear(cp_greedy_weight *w);
static inline double cp_greedy_weight_own(const cp_greedy_weight *w, uint32_t row) {
    return w->own ? w->own[row] : 1;
}

/* Identifies a draw of weights. */
typedef struct cp_greedy_weight_draw {
    uint64_t seed;
    uint32_t tree;
    uint64_t subset; /* number of the subset of the rows */
} cp_greedy_weight_draw;

/* Fill out[row[i]] for i < n; n >= 1; `own` as in cp_greedy_weight. */
void cp_greedy_weight_bootstrap(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                double *out);
void cp_greedy_weight_exponential(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                  double *out);

/* A sample without replacement; all subsets are equally likely. */
typedef struct cp_greedy_sample {
    size_t rows;
    uint64_t seed, draw; /* draw: its number */
} cp_greedy_sample;
/* Moves a sample of the n different row numbers to the front, then sorts the sample and the others, each for itself. */
copse_status cp_greedy_weight_sample(uint32_t *row, size_t n, const cp_greedy_sample *s, copse_error *err);
/* Sorts n different row numbers. */
copse_status cp_greedy_weight_sort(uint32_t *row, size_t n, copse_error *err);

#endif
