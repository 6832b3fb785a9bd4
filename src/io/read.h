/* read - a file of any format to a table: source (file, function, memory, gz, zst) > format (csv, tsv, npy, libsvm,
 * ndjson) > table. */
#ifndef CP_READ_H
#define CP_READ_H

#include "data/schema.h"
#include "data/table.h"
#include "io/source.h"

/* copse_read_options with the model's schema in place of the model. */
typedef struct cp_read_options {
    const char *format;
    char delimiter;
    int no_header;
    const char *na, *categorical, *numeric;
    const cp_schema *like;  /* NULL: types follow from the data */
    size_t max_columns;     /* 0: CP_READ_COLUMNS */
    size_t memory_limit;    /* bytes for the text and the table; 0: no limit */
    const copse_flag *stop; /* NULL: reading cannot be stopped */
} cp_read_options;

/* Text is looked at while it arrives, see look.h. */
copse_status cp_read_file(const char *path, const cp_read_options *opt, copse_table **out, copse_error *err);
/* The same from the caller's descriptor or function. */
copse_status cp_read_given(const copse_source *given, const cp_read_options *opt, copse_table **out, copse_error *err);
/* The same from memory.  `name` is the file name in messages, and its suffix tells the format. */
copse_status cp_read_bytes(const char *name, const char *bytes, size_t n, const cp_read_options *opt, copse_table **out,
                           copse_error *err);

enum {
    CP_READ_STRIDE = 4096,   /* rows between two checks of `stop` */
    CP_READ_COLUMNS = 200000 /* most columns, unless the caller permits more or a model has more */
};

/* The reader of a format: the whole content to a table.  cp_csv_read, cp_npy_read ... are of this type. */
typedef copse_status (*cp_read_fn)(const cp_content *in, const cp_read_options *opt, copse_table **out,
                                   copse_error *err);
typedef struct cp_format {
    const char *name;
    const char *suffixes; /* of file names, separated by spaces */
    cp_read_fn read;
    char delimiter; /* 0: the format has none, or it is sniffed */
} cp_format;

/* The format asked for; if none is, the format of the name (without .gz or .zst), else that of the content. */
copse_status cp_read_format(const cp_content *in, const char *opt_asked, const cp_format **out, copse_error *err);

/* COPSE_E_DATA if there are more columns than the options permit: a header of commas costs its writer nothing, but
 * every column costs its reader. */
copse_status cp_read_columns(const char *name, const cp_read_options *opt, size_t cols, copse_error *err);
/* COPSE_E_MEMORY if the text and a table of that size need more bytes than the options permit. */
copse_status cp_read_memory(const cp_content *in, const cp_read_options *opt, size_t rows, size_t cols,
                            copse_error *err);
/* Guards against a small file that claims a huge table, as sparse formats can.  Both of the above, and COPSE_E_DATA
 * unless
 *     cols x (rows + 16) <= 1 Mi + 32 x bytes,
 * where 16 cells stand for the fixed cost of a column.  So reading n bytes takes at most 8 MiB + 256 n bytes of
 * memory. */
copse_status cp_read_bound(const cp_content *in, const cp_read_options *opt, size_t rows, size_t cols,
                           copse_error *err);

#endif
