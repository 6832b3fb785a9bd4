/* schema_target - targets of table rows: numbers, or the indices of classes.
 *
 * A missing target is an error with its place unless opt_missing is given: then opt_missing marks the row (1, else 0),
 * and the target is 0 or CP_NONE. */
#ifndef CP_SCHEMA_TARGET_H
#define CP_SCHEMA_TARGET_H

#include "data/schema.h"

/* Regression.  A number beyond CP_SCHEMA_TARGET_MAX is an error. */
copse_status cp_schema_target_numbers(const cp_schema *s, cp_table_rows rows, double *out, unsigned char *opt_missing,
                                      copse_error *err);
/* Classification.  A class that the schema does not have is CP_NONE. */
copse_status cp_schema_target_labels(const cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                     copse_error *err);
/* The same, but a class that the schema does not have is appended to it.  On failure the classes are as before. */
copse_status cp_schema_target_add_labels(cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                         copse_error *err);

/* A single target; refused if it is missing, infinite or too large. */
copse_status cp_schema_target_check_number(const cp_schema *s, double y, copse_error *err);
/* The index of a single class, given as text, or as a number if opt_text is NULL.  A class that the schema does not
 * have is appended to it. */
copse_status cp_schema_target_add_label(cp_schema *s, const char *opt_text, double number, int32_t *out,
                                        copse_error *err);

#endif
