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
/* At most max_rows rows, as soon as there is one; *out is NULL at the end. */
/* From now on this flag stops what is under way; NULL: nothing does. */
void cp_stream_watch(cp_stream *s, const copse_flag *opt_stop);
copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err);
/* From the next rows on, columns have the types of this schema, which must outlive the stream. */
copse_status cp_stream_like(cp_stream *s, const cp_schema *like, copse_error *err);
void cp_stream_close(cp_stream *s);

#endif
