/* model_row - one row of a model's features: set value by value, predicted and learnt without a table.
 *
 * A row gives what a table of one row gives, bit for bit. */
#ifndef CP_MODEL_ROW_H
#define CP_MODEL_ROW_H

#include "model/model.h"

typedef struct cp_model_row {
    const copse_model *m; /* borrowed */
    float *x;             /* the features, encoded */
    double *value;        /* and as they were set: numbers or levels, as cp_summary_add_value takes them */
    cp_workspace workspace;
} cp_model_row;

/* All values are missing. */
copse_status cp_model_row_init(cp_model_row *r, const copse_model *m, copse_error *err);
void cp_model_row_clear(cp_model_row *r);

void cp_model_row_set_missing(cp_model_row *r, size_t feature);
/* NaN: missing.  COPSE_E_USAGE if the feature is text, COPSE_E_DATA if the value is infinite. */
copse_status cp_model_row_set_number(cp_model_row *r, size_t feature, double value, copse_error *err);
/* NULL: missing.  COPSE_E_USAGE if the feature is a number. */
copse_status cp_model_row_set_text(cp_model_row *r, size_t feature, const char *opt_text, copse_error *err);

/* Answers into `out`, which is all zeros or an earlier answer of this row, whose memory is used again. */
copse_status cp_model_row_predict(cp_model_row *r, int of_mean, cp_answer *out, copse_error *err);
/* m is the row's model.  The class is text, or a number if opt_text is NULL; regression: the number. */
copse_status cp_model_row_learn(cp_model_row *r, copse_model *m, const char *opt_text, double number, copse_error *err);

#endif
