/* schema_new - makes a schema from a training table and the user's roles. */
#ifndef CP_SCHEMA_NEW_H
#define CP_SCHEMA_NEW_H

#include "data/schema.h"

#define CP_SCHEMA_NO_SCALE "none" /* copse_roles.scale: numbers stay as they are */

typedef struct cp_schema_spec {
    const copse_roles *roles;
    cp_encoding encoding;
    /* CP_ENCODE_UNIT: the file that roles->scale names, as schema_scale.h wants it.  NULL: [0,1] is the range of the
     * training rows. */
    copse_table *opt_scale;
} cp_schema_spec;

/* Says on `run` what was decided: the task and how to override it, encodings, imputation, dropped columns. */
copse_status cp_schema_new(const copse_table *train, const cp_schema_spec *spec, const copse_run *run, cp_schema **out,
                           copse_error *err);

#endif
