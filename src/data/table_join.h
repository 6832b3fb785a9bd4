/* table_join - one table from the pieces of a stream. */
#ifndef CP_TABLE_JOIN_H
#define CP_TABLE_JOIN_H

#include "data/table.h"

/* The rows of n tables of one source, one table after another, with the columns of all of them.  A column is missing in
 * the rows of a piece without it.  A column with numbers in one piece and text in another is an error. */
copse_status cp_table_join(const copse_table *const *piece, size_t n, copse_table **out, copse_error *err);

#endif
