/* csv_sniff - where fields and rows of a CSV text end, found without reading the fields. */
#ifndef CP_CSV_SNIFF_H
#define CP_CSV_SNIFF_H

#include "io/source.h"

/* The delimiter among , ; tab | that divides the first rows into equally many fields, and into most; a comma if none
 * does. */
char cp_csv_sniff(const char *text);

/* The number of fields in the row at *p, 0 if it is blank.  Moves *p behind the row, or to the 0 behind the text. */
size_t cp_csv_sniff_fields(const char **p, char delimiter);

/* Position in a text that is still arriving.  All zeros at the beginning of a row. */
typedef struct cp_csv_sniff_cursor {
    size_t at;    /* bytes scanned so far */
    size_t row;   /* beginning of the row that is not yet whole */
    char state;   /* within that row, see csv_sniff.c */
    char content; /* that row has more than blanks */
} cp_csv_sniff_cursor;
/* Scans text[cursor->at ... n-1] until `max_rows` rows that are not blank are whole.  Returns the number of such rows;
 * they end before text[cursor->row].  Delimiter 0: any of the four.  `final`: nothing follows text[n-1]. */
size_t cp_csv_sniff_rows(cp_csv_sniff_cursor *cursor, const cp_content *text, char delimiter, int final,
                         size_t max_rows);

#endif
