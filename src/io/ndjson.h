/* ndjson - one flat JSON object to a line, to a table.
 *
 * Columns are the keys in the order they are first met; a key that a row does not have is missing there.  Numbers are
 * numbers, strings and true/false are text, null is missing.  A column that has both numbers and text is text, with the
 * numbers as they are written.  Python's NaN and Infinity are understood. */
#ifndef CP_NDJSON_H
#define CP_NDJSON_H

#include "data/text.h"
#include "io/read.h"

copse_status cp_ndjson_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);

/* Blocks of a stream: the columns met so far stay. */
typedef struct cp_ndjson {
    copse_table *columns; /* names alone */
    cp_text_missing missing;
} cp_ndjson;
copse_status cp_ndjson_begin(cp_ndjson *nd, const char *name, const cp_read_options *opt, copse_error *err);
/* In a stream nobody can tell whether a key will come later: the model's columns are there from here on.  Its words for
 * missing are known from here on, too. */
copse_status cp_ndjson_expect(cp_ndjson *nd, const cp_schema *like, copse_error *err);
/* Whole lines: in->bytes[in->n] is 0 and the pad is readable.  *line is the number of the first, and
 * then of the one behind the last. */
copse_status cp_ndjson_rows(cp_ndjson *nd, const cp_content *in, long *line, const cp_read_options *opt,
                            copse_table **out, copse_error *err);
void cp_ndjson_clear(cp_ndjson *nd);

#endif
