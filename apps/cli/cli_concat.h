/* cli_concat - joins the first tables of a stream. */
#ifndef CLI_CONCAT_H
#define CLI_CONCAT_H

#include "cli.h"

/* Reads the next n rows of a stream as one table, fewer at its end; *out is NULL if there are none. */
copse_status cli_concat_rows(copse_stream *s, size_t n, const copse_run *run, copse_table **out, copse_error *err);

#endif
