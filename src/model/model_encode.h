/* model_encode - tables to the rows that a model's method takes: features, targets and row weights. */
#ifndef CP_MODEL_ENCODE_H
#define CP_MODEL_ENCODE_H

#include "model/model.h"

/* Encoded rows and the memory they lie in. */
typedef struct cp_model_encoded {
    cp_rows rows; /* points into the arrays below, which are NULL where there is nothing */
    float *x;
    double *y, *weight;
    int32_t *label;
    unsigned char *missing; /* 1: the row lacks its target */
} cp_model_encoded;

/* Makes the schema for a training table, in the encoding that the method of opt_params (NULL: the default method)
 * takes.  Reads the file that roles->scale names, if it names one.  Says on `run` what was decided. */
copse_status cp_model_encode_schema(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                                    const copse_run *run, cp_schema **out, copse_error *err);

/* Features and targets of a whole table.  New classes are appended to the schema.  A row without a target is an error
 * unless `allow_missing`: then out->missing marks it.  On failure *out is empty. */
copse_status cp_model_encode_table(copse_model *m, const copse_table *t, int allow_missing, const copse_run *run,
                                   cp_model_encoded *out, copse_error *err);
/* Adds the weights of all rows, from the column `opt_name`; does nothing if that is NULL. */
copse_status cp_model_encode_weights(const copse_table *t, const char *opt_name, cp_model_encoded *out,
                                     copse_error *err);
/* Features alone, for prediction, in the layout that the method reads fastest: key blocks (kernel/key_block.h), or
 * floats that it may overwrite. */
copse_status cp_model_encode_features(const copse_model *m, cp_table_rows rows, cp_model_encoded *out,
                                      copse_error *err);
void cp_model_encode_clear(cp_model_encoded *e);

#endif
