/* target - leaves out rows without a target, from which nothing can be learnt, with a warning. */
#ifndef CP_TARGET_H
#define CP_TARGET_H

#include "base/fail.h"

/* The number of rows that lack the target; 0 if there is no such column, which the caller reports. */
size_t cp_target_missing(const copse_table *t, const char *target);
/* Warns of rows that lack the target: how many there are, and the first of them. */
void cp_target_warn(const copse_table *t, const char *target, const copse_run *run);
/* A new table of the rows that have a target, with that warning; NULL if all rows have one, or none has. */
copse_status cp_target_select(const copse_table *t, const char *target, const copse_run *run, copse_table **out,
                              copse_error *err);

#endif
