/* score - a model's predictions against a table's targets. */
#ifndef CP_SCORE_H
#define CP_SCORE_H

#include "eval/metric.h"
#include "model/model.h"

/* Targets in memory of their own. */
typedef struct cp_score_targets {
    double *y;      /* regression, else NULL */
    int32_t *label; /* classification, else NULL; CP_NONE: a class the model does not know */
    unsigned char *missing;
} cp_score_targets;

/* To be cleared even on failure. */
copse_status cp_score_read_targets(const cp_schema *s, const copse_table *t, size_t first, size_t n,
                                   cp_score_targets *out, copse_error *err);
void cp_score_clear_targets(cp_score_targets *t);

/* Predictions with the table that knows better: the model's target in rows first ... of `truth`. */
typedef struct cp_score_rows {
    const cp_answer *answer;
    const copse_table *truth;
    size_t first;
    const double *weight; /* of all rows of `truth`; NULL: all 1 */
} cp_score_rows;

/* Adds them up; rows whose target is missing are skipped. */
copse_status cp_score_add(cp_metric *metric, const copse_model *model, const cp_score_rows *part, const copse_run *run,
                          copse_error *err);

/* COPSE_E_USAGE unless the level is 0 (none) or between 0 and 1. */
copse_status cp_score_check_interval(double interval, copse_error *err);

/* Predicts and scores a whole table in blocks; COPSE_E_DATA if no row has a target.  Says on `run` how many rows are of
 * a class the model has never seen. */
copse_status cp_score_table(const copse_model *model, const copse_table *test, const copse_eval_options *opt,
                            const copse_run *run, copse_scores *out, copse_error *err);

#endif
