/* learn_source - the rows of a stream for `learn`, and what becomes of bad ones.
 *
 * A bad row is one that cannot be read, or that the model refuses.  A table of rows fails as a whole; so fewer rows are
 * asked for until the bad one is alone.  The rows before it are handed out first. */
#ifndef LEARN_SOURCE_H
#define LEARN_SOURCE_H

#include "cli.h"

typedef enum learn_policy { LEARN_STOP, LEARN_SKIP, LEARN_LOG } learn_policy;

typedef struct learn_source {
    copse_stream *stream;
    const copse_run *run; /* borrowed */
    const char *path;     /* for messages */
    learn_policy policy;
    const char *log_path; /* LEARN_LOG: borrowed */
    FILE *log;
    size_t size;         /* rows to ask for: halved after a failure, doubled after a success */
    size_t largest;      /* rows that are learnt within a fraction of a second, so that a signal need not wait */
    size_t skipped;      /* bad rows */
    copse_error problem; /* of the first bad row */
} learn_source;

/* --bad-rows stop|skip|log:FILE. */
copse_status learn_source_options(learn_source *s, const cli *c, copse_error *err);
copse_status learn_source_open(learn_source *s, const char *path, const copse_read_options *read, const copse_run *run,
                               copse_error *err);
void learn_source_close(learn_source *s);

/* A cli_concat_fn whose argument is a learn_source. */
copse_status learn_source_next(void *source, size_t max_rows, copse_table **out, copse_error *err);
/* Learning begins: tables are small until it is known how long it takes. */
void learn_source_begin(learn_source *s);
/* The rows of the last call, n of them, were learnt in so many seconds. */
void learn_source_learnt(learn_source *s, size_t n, double seconds);
/* They were refused, for the reason in err: they come again, fewer at a time; a single row is treated as a bad one.
 * COPSE_OK if learning can go on. */
copse_status learn_source_refused(learn_source *s, size_t n, copse_error *err);
/* Puts the log of bad rows on the disk: before a model is saved that is past them. */
copse_status learn_source_sync(learn_source *s, copse_error *err);

#endif
