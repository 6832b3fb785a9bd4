/* metric - scores of predictive distributions against the true targets, collected over any number of blocks.
 *
 * If rows have weights, every mean and share is weighted, and rows of weight 0 are skipped; counts of rows stay counts.
 * Sums run in row order, so neither the division into blocks nor the number of threads changes a bit.  The scores:
 *   log_loss   mean of -log p(true class), with p at least 1e-15
 *   brier      mean over rows of the sum over classes of (p_k - [k is true])^2
 *   ece        sum over bins of (share of rows) |mean confidence - accuracy|; confidence is the largest probability,
 *              bin k holds k/10 < confidence <= (k+1)/10
 *   coverage   observed: share of rows with |2 F(y) - 1| <= level, i.e. y within the mixture's central interval, found
 *              without its quantiles; gaussian: |y - mean| <= z sd, the papers' measure
 * A class that the model has never seen has probability 0 and is never the predicted one.  Its rows are left out of the
 * AUC, which is for two classes. */
#ifndef CP_METRIC_H
#define CP_METRIC_H

#include "eval/auc.h"
#include "method/method.h"

/* The true targets of the rows of an answer; borrowed for the call. */
typedef struct cp_truth {
    const double *y;              /* regression, else NULL */
    const int32_t *label;         /* classification, else NULL; CP_NONE: a class the model has never seen */
    const unsigned char *missing; /* rows to skip, or NULL */
    const double *weight;         /* NULL: all 1 */
} cp_truth;

/* The scores of one row of regression. */
typedef struct cp_metric_row {
    double error, sd, log_density, crps, cdf;
} cp_metric_row;

typedef struct cp_metric {
    copse_task task;
    double interval;              /* level whose coverage is measured too; 0: none */
    size_t rows, classes, unseen; /* unseen: rows of a class the model has never seen */
    double weight;                /* of the rows */
    double hits, log_loss, brier;
    struct {
        size_t rows;
        double weight, confidence, hits;
    } bin[COPSE_BINS];
    cp_auc auc; /* kept while there are at most two classes */
    double squares, absolute, log_density, crps, sd;
    double observed[COPSE_LEVELS], gaussian[COPSE_LEVELS], in_interval;
    size_t pit[COPSE_BINS];
    double z[COPSE_LEVELS];
    cp_metric_row *scratch;
    size_t cap_scratch;
} cp_metric;

/* interval: a level in (0,1) whose coverage is measured too, or 0. */
void cp_metric_init(cp_metric *m, copse_task task, double interval);
/* On failure nothing has been added. */
copse_status cp_metric_add(cp_metric *m, const cp_answer *a, const cp_truth *truth, const copse_run *run,
                           copse_error *err);
/* Means are NaN if there are no rows.  The times in *out are kept. */
void cp_metric_read(const cp_metric *m, copse_scores *out);
void cp_metric_clear(cp_metric *m);

#endif
