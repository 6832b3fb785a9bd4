/* reader - any file to a table: source (file, stdin, gz, zst) > format (csv, tsv, npy, libsvm, ndjson) > table. */
#ifndef CP_TABLE_READER_H
#define CP_TABLE_READER_H

#include "data/schema.h"
#include "data/table.h"

/* What the public options ask for, with the model's schema in place of the model. */
typedef struct cp_read_options {
    const char *format;
    char delimiter;
    int no_header;
    const char *na, *categorical, *numeric;
    const cp_schema *like; /* NULL: types are found */
} cp_read_options;

copse_status cp_read_file(const char *path, const cp_read_options *opt, copse_table **out, copse_error *err);

/* CSV, TSV and NDJSON as they arrive; other formats are read whole and handed out in pieces. */
typedef struct copse_stream cp_stream;
copse_status cp_stream_open(const char *path, const cp_read_options *opt, cp_stream **out, copse_error *err);
copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err);
copse_status cp_stream_like(cp_stream *s, const cp_schema *like, copse_error *err);
void cp_stream_close(cp_stream *s);

#endif
