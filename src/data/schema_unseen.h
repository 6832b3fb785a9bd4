/* schema_unseen - rows with levels that were not there when the schema was made. */
#ifndef CP_SCHEMA_UNSEEN_H
#define CP_SCHEMA_UNSEEN_H

#include "data/schema.h"

/* The number of rows in which a text feature has an unseen level; *out_row is the first of them.  0 if the table has no
 * such column of text. */
size_t cp_schema_unseen(const cp_schema *s, const copse_table *t, size_t feature, size_t *out_row);

#endif
