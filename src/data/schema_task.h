/* schema_task - classification or regression, and the list of classes. */
#ifndef CP_SCHEMA_TASK_H
#define CP_SCHEMA_TASK_H

#include "data/schema.h"

/* Sets task and classes from the target column, the task asked for (COPSE_TASK_NONE: decided by the values) and the
 * classes announced.  Says on `run` what was decided. */
copse_status cp_schema_task(cp_schema *s, const copse_table *t, size_t target, const copse_roles *roles,
                            const copse_run *run, copse_error *err);

#endif
