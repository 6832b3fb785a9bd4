/* target - rows without a target, which teach nothing: they are left out, and that is said. */
#ifndef CP_TARGET_H
#define CP_TARGET_H

#include "base/fail.h"

/* Rows that lack the target; 0 if there is no such column, which is for others to report. */
size_t cp_target_missing(const copse_table *t, const char *target);
/* Says how many those are, and which is the first. */
void cp_target_warn(const copse_table *t, const char *target, const copse_run *run);
/* The other rows, as a fresh table; NULL if all rows have a target, or none has.  Warns. */
copse_status cp_target_select(const copse_table *t, const char *target, const copse_run *run, copse_table **out,
                              copse_error *err);

#endif
