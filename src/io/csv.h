/* csv - text with rows of delimited fields, to a table.
 *
 * A field is bare, or between double quotes with quotes inside doubled; then it may hold delimiters and newlines.
 * Blanks around a field are ignored unless they are quoted.  Quotes do not make a field text: "1" is a number.
 * Rows end with LF, CRLF or CR; blank lines are skipped; every row has as many fields as the header. */
#ifndef CP_CSV_H
#define CP_CSV_H

#include "data/text.h"
#include "io/column_types.h"
#include "io/read.h"

copse_status cp_csv_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);

/* A header that has been read, and how to read the blocks of rows that follow it. */
typedef struct cp_csv {
    const char *name; /* borrowed */
    char delimiter;
    int no_header;
    cp_read_options opt;  /* borrowed: what it points to */
    copse_table *header;  /* column names, no rows */
    cp_column_type *want; /* per column */
    cp_text_missing missing;
    int missing_numbers;      /* a word for "missing" is a number, such as -999 */
    unsigned char class[256]; /* class of each byte, see csv.c */
} cp_csv;

/* Finds the delimiter and reads the names.  The rows begin after *out_used bytes, in line *out_line.  Without a
 * header line the first row only gives the number of columns. */
copse_status cp_csv_begin(cp_csv *csv, const cp_content *in, const cp_read_options *opt, size_t *out_used,
                          long *out_line, copse_error *err);
/* Changes the types wanted and the words for "missing", from the next block on. */
copse_status cp_csv_set_types(cp_csv *csv, const cp_read_options *opt, copse_error *err);
/* Reads whole rows.  text[n] is 0, and CP_CONTENT_PAD bytes from there on are readable.  *line is the number of the
 * first line; it becomes that of the line after the last. */
copse_status cp_csv_rows(const cp_csv *csv, const char *text, size_t n, long *line, copse_table **out,
                         copse_error *err);
void cp_csv_clear(cp_csv *csv);

#endif
