/* stream - tables of rows as they arrive.  CSV, TSV and NDJSON are read in pieces; other formats are read whole and
 * handed out in pieces. */
#ifndef CP_STREAM_H
#define CP_STREAM_H

#include "io/read.h"

typedef struct copse_stream cp_stream;

copse_status cp_stream_open(const char *path, const cp_read_options *opt, cp_stream **out, copse_error *err);
/* The same from the caller's descriptor or function. */
copse_status cp_stream_open_given(const copse_source *given, const cp_read_options *opt, cp_stream **out,
                                  copse_error *err);
/* From now on this flag stops what is under way; NULL: nothing does. */
void cp_stream_watch(cp_stream *s, const copse_flag *opt_stop);
/* At most max_rows rows, as soon as there is one; *out is NULL at the end.  A failure leaves the stream before the
 * rows: fewer of them may be asked for, or the first skipped. */
copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err);
/* From the next rows on, columns have the types of this schema, which must outlive the stream. */
copse_status cp_stream_like(cp_stream *s, const cp_schema *like, copse_error *err);

/* Takes back the rows that the last cp_stream_next handed out, or cp_stream_skip passed over; they come again.  Nothing
 * if another call followed. */
void cp_stream_undo(cp_stream *s);
/* Passes over one row without reading its fields.  `text` is the row as it stands in the source, with the blank lines
 * before it and its end of line, valid until the next call; NULL in formats that are not read row by row. */
typedef struct cp_stream_row {
    int got; /* 0 at the end */
    const char *text;
    size_t n;
    long line; /* of the first of its lines, from 1 */
} cp_stream_row;
copse_status cp_stream_skip(cp_stream *s, cp_stream_row *out, copse_error *err);
/* Waits until there may be a row, at most so many seconds; *out_ready is 0 when they are over. */
copse_status cp_stream_wait(cp_stream *s, double seconds, int *out_ready, copse_error *err);

/* Behind the rows that were handed out or skipped; without a token. */
void cp_stream_position(const cp_stream *s, copse_position *out);
/* Goes on behind a position, which must be one of this source: COPSE_E_DATA if its bytes up to there are others.  For a
 * stream that has just been opened. */
copse_status cp_stream_resume(cp_stream *s, const copse_position *to, copse_error *err);
void cp_stream_close(cp_stream *s);

#endif
