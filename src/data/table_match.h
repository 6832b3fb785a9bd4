/* table_match - columns by name: lists of names, ranges and wildcards, and what to say of a name that is not there. */
#ifndef CP_TABLE_MATCH_H
#define CP_TABLE_MATCH_H

#include "data/table.h"

/* Marks in out_hit[cols] the columns that a list (names, A..B, wildcards) names.  A word that matches no column is an
 * error that suggests the most similar name. */
copse_status cp_table_match(const copse_table *t, const char *list, unsigned char *out_hit, copse_error *err);
/* Finds a column that must be there.  If it is not, raises `code` and suggests the most similar name. */
copse_status cp_table_match_name(const copse_table *t, const char *name, copse_status code, size_t *out,
                                 copse_error *err);

/* Columns that need no suggestion, because the caller has found them under their own name. */
typedef struct cp_table_match_known {
    int (*is_known)(const void *arg, const char *name);
    const void *arg;
} cp_table_match_known;
/* Raises `code` for a name that is not there. */
copse_status cp_table_match_fail(const copse_table *t, const char *name, const cp_table_match_known *opt_known,
                                 copse_status code, copse_error *err);

#endif
