/* csv - rows of fields between delimiters, to a table.
 *
 * A field is bare, or between double quotes with quotes inside doubled; then it may hold delimiters and newlines.
 * Blanks around a field do not count unless they are quoted, and quotes do not make a field text: "1" is a number.
 * Rows end with LF, CRLF or CR; blank lines are skipped; every row has as many fields as the header. */
#ifndef CP_CSV_H
#define CP_CSV_H

#include "data/text.h"
#include "io/column_types.h"
#include "io/read.h"

copse_status cp_csv_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);

/* A header that has been read, to which blocks of rows may follow. */
typedef struct cp_csv {
    const char *name; /* borrowed */
    char delimiter;
    int no_header;
    const volatile int *stop; /* borrowed */
    copse_table *header;      /* names alone */
    cp_column_type *want;     /* of each column */
    cp_text_missing missing;
    int missing_numbers;      /* a word for missing reads as a number, such as -999 */
    unsigned char class[256]; /* of each byte, see csv.c */
} cp_csv;

/* Finds the delimiter and reads the names.  The rows begin after *out_used bytes, in line *out_line.  Without a
 * header the first row only tells how many columns there are. */
copse_status cp_csv_begin(cp_csv *csv, const cp_content *in, const cp_read_options *opt, size_t *out_used,
                          long *out_line, copse_error *err);
/* The types wanted, and the words for missing, may change between blocks. */
copse_status cp_csv_set_types(cp_csv *csv, const cp_read_options *opt, copse_error *err);
/* Whole rows: text[n] is 0 and CP_CONTENT_PAD bytes from there are readable.  *line is the number of the first
 * line, and then of the one behind the last. */
copse_status cp_csv_rows(const cp_csv *csv, const char *text, size_t n, long *line, copse_table **out,
                         copse_error *err);
void cp_csv_clear(cp_csv *csv);

/* In csv_sniff.c. */
/* The delimiter among , ; tab | that cuts the first rows into equally many fields, and most; a comma if none does. */
char cp_csv_sniff(const char *text);
/* Where rows end in a text that is still arriving.  All zeros at the beginning of a row. */
typedef struct cp_csv_sniff_cursor {
    size_t at;    /* bytes looked at so far */
    size_t row;   /* where the row that is not yet whole begins */
    char state;   /* within that row, see csv_sniff.c */
    char content; /* that row has more than blanks */
} cp_csv_sniff_cursor;
/* Looks at text[cut->at ... n-1] until `max_rows` rows that are not blank are whole; returns how many it found, and
 * they end before text[cut->row].  Delimiter 0: any of the four.  `final`: nothing follows text[n-1]. */
size_t cp_csv_sniff_rows(cp_csv_sniff_cursor *cut, const cp_content *text, char delimiter, int final, size_t max_rows);

#endif
