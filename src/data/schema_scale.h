/* schema_scale - ranges of numbers from a table of the user's in place of those of the training rows. */
#ifndef CP_SCHEMA_SCALE_H
#define CP_SCHEMA_SCALE_H

#include "data/schema.h"

/* Sets the ranges of all features that `scale`, a table with the columns name, min and max, has a row for.  Says on
 * `run` which features it lacks, and which of its names are no features.  The column `name` of `scale` becomes text. */
copse_status cp_schema_scale_apply(cp_schema *s, copse_table *scale, const copse_run *run, copse_error *err);

#endif
