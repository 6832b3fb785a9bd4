/* cli_out - output files that are written atomically, and standard output. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdio.h>

#include "copse.h"

typedef struct cli_out {
    FILE *file;
    const char *path;   /* borrowed; NULL: standard output */
    copse_file *target; /* owned: becomes the file at commit; NULL: standard output */
    int error;          /* errno of the first write or flush that failed */
} cli_out;

/* path NULL or "-" is standard output. */
copse_status cli_out_open(cli_out *o, const char *path, copse_error *err);
/* Checks that the file can be written, which also removes what killed processes left beside it.  Call it before long
 * work whose result goes there. */
copse_status cli_out_check_writable(const char *path, copse_error *err);
/* Refuses an output that is the same file as an input, under any name: the input would be lost.  option is named in the
 * message.  NULL and "-" are never the same file. */
copse_status cli_out_not_input(const char *option, const char *path, const char *input, copse_error *err);

/* Identity, size and time of a regular file, to detect later that another program has changed it. */
typedef struct cli_stamp {
    int exists;
    long long inode, size, seconds, nanoseconds;
} cli_stamp;
cli_stamp cli_out_stamp(const char *path);
int cli_out_same(const cli_stamp *a, const cli_stamp *b);

/* Flushes what has been written so far.  Returns 0 if that fails: further output would be lost. */
int cli_out_flush(cli_out *o);
/* Flushes, syncs and renames the file.  Reports a write that failed earlier, unless the reader of a pipe has closed
 * it: such a reader wants no more. */
copse_status cli_out_commit(cli_out *o, copse_error *err);
/* Closes and removes the temporary file; does nothing after commit. */
void cli_out_abandon(cli_out *o);

/* Flushes standard output.  If that fails after a model was saved, the message ends with its path, and the status is
 * CLI_E_OUTPUT. */
copse_status cli_out_flush_stdout(const char *opt_saved, copse_error *err);

/* A copse_write_fn whose argument is a cli_out.  A failure sets `error`, which cli_out_commit reports. */
copse_status cli_out_write(void *out, const char *bytes, size_t n);

/* Writes a CSV field, quoted if necessary; NULL is the empty (missing) field. */
void cli_out_field(FILE *f, const char *text);
/* Writes prefix and text together as one CSV field. */
void cli_out_name(FILE *f, const char *prefix, const char *text);
/* Writes a word for the shell, quoted if necessary. */
void cli_out_shell(FILE *f, const char *text);

#endif
