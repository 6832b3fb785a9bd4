/* cli_concat - tables put together from pieces and from changed copies, through the public calls alone. */
#ifndef CLI_CONCAT_H
#define CLI_CONCAT_H

#include "cli.h"

/* The next n rows of a stream as one table, fewer at its end; *out is NULL if there are none. */
copse_status cli_concat_rows(copse_stream *s, size_t n, copse_table **out, copse_error *err);

/* A copy of the table in which the values of column `col` stand in the order given; other columns are as they were. */
copse_status cli_concat_reorder(const copse_table *t, size_t col, const size_t *order, copse_table **out,
                                copse_error *err);

#endif
