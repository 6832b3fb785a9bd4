/* cli_concat - joins the first tables of a stream. */
#ifndef CLI_CONCAT_H
#define CLI_CONCAT_H

#include "cli.h"

/* The next rows, at most max_rows; *out is NULL at the end. */
typedef copse_status (*cli_concat_fn)(void *arg, size_t max_rows, copse_table **out, copse_error *err);

/* Reads the next n rows as one table, fewer at the end; *out is NULL if there are none. */
copse_status cli_concat_rows(cli_concat_fn next, void *arg, size_t n, copse_table **out, copse_error *err);

#endif
