/* bart_problem - the posterior that the chains sample: made once from rows and options, read by all chains.
 *
 * Regression weights give the precision of a target, y ~ N(f, sigma^2 / w).  They are divided by their mean, so that
 * they and sigma have ordinary magnitudes.  Weights of classes are whole numbers: how many times a row counts. */
#ifndef CP_BART_PROBLEM_H
#define CP_BART_PROBLEM_H

#include "bart/draws/bart_options.h"

/* Hyperparameters of the prior, computed from options and targets [Chipman, George, McCulloch 2010, section 2.2]. */
typedef struct cp_bart_hyper {
    double leaf_var;
    double nu, lambda; /* sigma^2 ~ nu lambda / chi^2_nu */
} cp_bart_hyper;

typedef struct cp_bart_problem {
    const cp_rows *rows; /* borrowed */
    cp_bart_columns columns;
    cp_bart_options opt;
    cp_bart_hyper hyper;
    uint64_t seed;
    size_t sums;          /* sums of trees: 1, or the number of classes if there are more than two */
    float *y;             /* regression: scaled targets; target = centre + scale * y */
    double centre, scale; /* regression */
    double sigma_hat;     /* regression: rough estimate of sigma, in units of scale */
    double least_noise;   /* uneven noise: a square residual counts as so much more (bart_variance.h) */
    double *offset;       /* classes: of each sum; the probit is offset + sum of trees */
    float *opt_weight;
    size_t positive_rows; /* rows of weight above 0 */
    double log_split[CP_BART_MAX_DEPTHS], log_stop[CP_BART_MAX_DEPTHS];
} cp_bart_problem;

/* Warns of data that look like a mistake. */
copse_status cp_bart_problem_init(cp_bart_problem *b, const cp_rows *rows, const cp_bart_options *opt, uint64_t seed,
                                  const copse_run *run, copse_error *err);
void cp_bart_problem_clear(cp_bart_problem *b);
/* 1 if the row's label is the class of the sum. */
static inline int cp_bart_problem_is_in(const cp_bart_problem *b, size_t sum, size_t row) {
    return b->rows->label[row] == (b->sums > 1 ? (int32_t)sum : 1);
}

#endif
