/* cli_dash - "-" in the place of a file: standard input or output.  The library knows paths, descriptors and functions;
 * which of them a dash is, is the command line's business. */
#ifndef CLI_DASH_H
#define CLI_DASH_H

#include "cli.h"

copse_status cli_dash_table(const char *path, const copse_read_options *opt, const copse_run *run, copse_table **out,
                            copse_error *err);
copse_status cli_dash_stream(const char *path, const copse_read_options *opt, const copse_run *run, copse_stream **out,
                             copse_error *err);
copse_status cli_dash_load(const char *path, const copse_run *run, copse_model **out, copse_error *err);
/* lock: the writer's lock of the path; not looked at for standard output, which has none. */
copse_status cli_dash_save(copse_lock *lock, const copse_model *model, const char *path, unsigned flags,
                           const copse_run *run, copse_error *err);

/* A path by which the library reads standard input, or writes standard output; other paths, and NULL, are returned as
 * they are. */
const char *cli_dash_input(const char *path);
const char *cli_dash_output(const char *path);

#endif
