/* model_summary - keeps the summary of a model's training rows (data/summary.h) up to date.
 *
 * A model that was read from a file without a summary has none and gets none: it would lack the first rows. */
#ifndef CP_MODEL_SUMMARY_H
#define CP_MODEL_SUMMARY_H

#include "model/model.h"

/* Summarises the table that a fit has encoded as `encoded`. */
copse_status cp_model_summary_new(copse_model *m, const copse_table *t, const cp_rows *encoded, const copse_run *run,
                                  copse_error *err);
/* Before an update: makes room for all classes of the schema. */
copse_status cp_model_summary_reserve(copse_model *m, copse_error *err);
/* After the method has taken rows in: `encoded` are the rows of `rows`, with their targets. */
void cp_model_summary_add(copse_model *m, cp_table_rows rows, const cp_rows *encoded);
/* The same for a single row: value[i] is feature i as cp_summary_add_value takes it. */
void cp_model_summary_add_row(copse_model *m, const double *value, const cp_rows *encoded);

/* Of a model with a summary: column i, the target after the features. */
void cp_model_summary_column(const copse_model *m, size_t i, copse_column *out);
/* 0 if column i has no level k. */
int cp_model_summary_level(const copse_model *m, size_t i, size_t k, copse_level *out);

#endif
