/* model_predict - predictive distributions for rows of a table, in parallel blocks. */
#ifndef CP_MODEL_PREDICT_H
#define CP_MODEL_PREDICT_H

#include "model/model.h"

/* Models with announced classes: the probability of a class is at least this.  Mondrian forests round smaller ones to
 * 0; scores raise 0 to the same value. */
#define CP_MODEL_PREDICT_LEAST 1e-15

/* Which rows to predict, first ... first + n - 1, and what to predict of them. */
typedef struct cp_model_query {
    const copse_table *table;
    const cp_rows *rows; /* encoded rows, if table is NULL */
    size_t first, n;
    int of_mean;  /* as in cp_answer: the distribution of the mean, not of y; COPSE_E_USAGE if there are no draws */
    int one_tree; /* `tree` alone answers; COPSE_E_USAGE if there are no draws */
    int32_t tree; /* if one_tree; in a model of sums of trees, the number of a draw */
} cp_model_query;
copse_status cp_model_predict(const copse_model *m, const cp_model_query *q, const copse_run *run, cp_answer *out,
                              copse_error *err);

/* COPSE_E_USAGE if the model cannot answer for the mean of y, or for one tree. */
copse_status cp_model_predict_check(const copse_model *m, int of_mean, int one_tree, copse_error *err);

/* Rows worth predicting in one call per thread: many, but few enough for their answers to fit in memory. */
size_t cp_model_predict_block(const copse_model *m);

#endif
