/* score - a model's predictions against a table's targets. */
#ifndef CP_SCORE_H
#define CP_SCORE_H

#include "eval/metric.h"
#include "model/model.h"

/* Targets read from a table; the arrays are owned. */
typedef struct cp_score_targets {
    double *y;      /* regression, else NULL */
    int32_t *label; /* classification, else NULL; CP_NONE: a class the model has never seen */
    unsigned char *missing;
} cp_score_targets;

/* cp_score_clear_targets must be called even after a failure. */
copse_status cp_score_read_targets(const cp_schema *s, const copse_table *t, size_t first, size_t n,
                                   cp_score_targets *out, copse_error *err);
void cp_score_clear_targets(cp_score_targets *t);

/* Predictions, and the table with their true targets: the model's target column in rows first, first + 1, ... of
 * `truth`. */
typedef struct cp_score_rows {
    const cp_answer *answer;
    const copse_table *truth;
    size_t first;
    const double *weight; /* of all rows of `truth`; NULL: all 1 */
} cp_score_rows;

/* Adds the scores of these rows; rows whose target is missing are skipped. */
copse_status cp_score_add(cp_metric *metric, const copse_model *model, const cp_score_rows *part, const copse_run *run,
                          copse_error *err);

/* COPSE_E_USAGE unless the level is 0 (none) or between 0 and 1. */
copse_status cp_score_check_interval(double interval, copse_error *err);

/* Predicts and scores a whole table in blocks; COPSE_E_DATA if no row has a target.  Warns on `run` of rows of a class
 * that the model has never seen. */
copse_status cp_score_table(const copse_model *model, const copse_table *test, const copse_eval_options *opt,
                            const copse_run *run, copse_scores *out, copse_error *err);

#endif
