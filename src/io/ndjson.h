/* ndjson - text with one flat JSON object per line, to a table.
 *
 * Columns are the keys, in order of first appearance; a key that a row lacks is missing there.  Numbers are numbers,
 * strings and true/false are text, null is missing.  A column with both numbers and text is text, with the numbers as
 * they are written.  Python's NaN and Infinity are understood. */
#ifndef CP_NDJSON_H
#define CP_NDJSON_H

#include "data/text.h"
#include "io/read.h"

copse_status cp_ndjson_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);

/* State between the blocks of a stream: later tables have all columns met before. */
typedef struct cp_ndjson {
    copse_table *columns; /* column names, no rows */
    cp_text_missing missing;
} cp_ndjson;
copse_status cp_ndjson_begin(cp_ndjson *nd, const char *name, const cp_read_options *opt, copse_error *err);
/* From the next block on, tables have all columns of the model, since a key may come later in the stream.  The model's
 * words for "missing" apply as well. */
copse_status cp_ndjson_expect(cp_ndjson *nd, const cp_schema *like, copse_error *err);
/* Reads whole lines.  in->bytes[in->n] is 0, and the pad is readable.  *line is the number of the first line; it
 * becomes that of the line after the last. */
copse_status cp_ndjson_rows(cp_ndjson *nd, const cp_content *in, long *line, const cp_read_options *opt,
                            copse_table **out, copse_error *err);
void cp_ndjson_clear(cp_ndjson *nd);

#endif
