/* cli_out - a file that appears whole or not at all, or standard output. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdio.h>

#include "copse.h"

typedef struct cli_out {
    FILE *file;
    const char *path; /* borrowed; NULL is standard output */
    char *temp;       /* written here, then renamed; NULL: written in place (standard output, devices, pipes) */
    int error;        /* errno of the first write or flush that failed */
} cli_out;

/* path NULL or "-" is standard output. */
copse_status cli_out_open(cli_out *o, const char *path, copse_error *err);
/* Could this file be written?  Asked before hours of work whose result is to go there. */
copse_status cli_out_check(const char *path, copse_error *err);
/* Refuses an output (of this option, to be named) that is one of the inputs under any name: it would be destroyed.
 * NULL and "-" are never the same. */
copse_status cli_out_not_over(const char *option, const char *path, const char *input, copse_error *err);

/* What a file is at some moment, to see later whether another program has changed it. */
typedef struct cli_stamp {
    int exists;
    long long inode, size, seconds, nanoseconds;
} cli_stamp;
cli_stamp cli_out_stamp(const char *path);
int cli_out_same(const cli_stamp *a, const cli_stamp *b);

/* Hands on what has been written so far.  0 if that cannot be done: there is no point in writing on. */
int cli_out_flush(cli_out *o);
/* Everything to the disk and under its name.  A write that failed is reported here, unless the reader of a pipe has
 * gone away: it has seen enough. */
copse_status cli_out_commit(cli_out *o, copse_error *err);
/* As if it had never been opened; harmless after commit. */
void cli_out_abandon(cli_out *o);

/* Hands on the report on standard output.  If that fails the message ends with what was saved, which is not lost. */
copse_status cli_out_report(const char *opt_saved, copse_error *err);

/* A copse_write_fn whose argument is a cli_out.  After a failure `error` is set, and cli_out_commit knows what to
 * say. */
copse_status cli_out_write(void *out, const char *bytes, size_t n);

/* A CSV field, quoted where it must be; NULL is the empty (missing) field. */
void cli_out_field(FILE *f, const char *text);
/* The same for prefix and text together. */
void cli_out_name(FILE *f, const char *prefix, const char *text);
/* A word as a shell would read it back: as it is, or quoted. */
void cli_out_shell(FILE *f, const char *text);

#endif
