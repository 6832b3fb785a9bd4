/* schema_weights - the weights of training rows. */
#ifndef CP_SCHEMA_WEIGHTS_H
#define CP_SCHEMA_WEIGHTS_H

#include "data/schema.h"

/* Weights of all rows, from the column `name`.  COPSE_E_DATA, with its place, for a weight that is missing or not a
 * number from 0 to CP_SCHEMA_WEIGHT_MAX, and if all are 0. */
copse_status cp_schema_weights(const copse_table *t, const char *name, double *out, copse_error *err);

#endif
