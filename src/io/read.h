/* read - any file to a table: source (file, stdin, gz, zst) > format (csv, tsv, npy, libsvm, ndjson) > table. */
#ifndef CP_TABLE_READER_H
#define CP_TABLE_READER_H

#include "data/schema.h"
#include "data/table.h"
#include "io/source.h"

/* What the public options ask for, with the model's schema in place of the model. */
typedef struct cp_read_options {
    const char *format;
    char delimiter;
    int no_header;
    const char *na, *categorical, *numeric;
    const cp_schema *like;    /* NULL: types are found */
    const volatile int *stop; /* NULL: nobody will */
} cp_read_options;

copse_status cp_read_file(const char *path, const cp_read_options *opt, copse_table **out, copse_error *err);

/* The same from memory; the bytes are copied.  `name` stands for the file in messages and tells the format. */
copse_status cp_read_bytes(const char *name, const char *bytes, size_t n, const cp_read_options *opt, copse_table **out,
                           copse_error *err);

enum { CP_READ_STRIDE = 4096 }; /* rows between two looks at `stop` */

/* A format's reader: the whole content to a table.  cp_csv_read, cp_npy_read ... are of this type. */
typedef copse_status (*cp_read_fn)(const cp_content *in, const cp_read_options *opt, copse_table **out,
                                   copse_error *err);
typedef struct cp_format {
    const char *name;
    const char *suffixes; /* of file names, separated by spaces */
    cp_read_fn read;
    char delimiter; /* 0: none or sniffed */
} cp_format;

/* The format asked for, else by the name (without .gz or .zst), else by the content. */
copse_status cp_read_format(const cp_content *in, const char *opt_asked, const cp_format **out, copse_error *err);

/* Sparse formats can name a table far larger than themselves.  COPSE_E_DATA unless
 *     cols x (rows + 16) <= 1 Mi + 32 x bytes,
 * where 16 cells stand for what a column costs of itself: so at most 8 MiB + 256 bytes of memory for a byte read. */
copse_status cp_read_bound(const cp_content *in, size_t rows, size_t cols, copse_error *err);

/* In stream.c: CSV, TSV and NDJSON as they arrive; other formats are read whole and handed out in pieces. */
typedef struct copse_stream cp_stream;
copse_status cp_stream_open(const char *path, const cp_read_options *opt, cp_stream **out, copse_error *err);
copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err);
copse_status cp_stream_like(cp_stream *s, const cp_schema *like, copse_error *err);
void cp_stream_close(cp_stream *s);

#endif
