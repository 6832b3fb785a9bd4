/* schema_encode - features of table rows to the numbers that a method sees. */
#ifndef CP_SCHEMA_ENCODE_H
#define CP_SCHEMA_ENCODE_H

#include "data/schema.h"

/* As floats, row-major, dims per row.  All are finite (but for the NaN of raw ones) and within +-CP_SCHEMA_LIMIT.
 * Columns are found by name; a missing column, or one of the wrong kind, is an error that names it.  An infinite number
 * is an error with its place. */
copse_status cp_schema_encode(const cp_schema *s, cp_table_rows rows, float *out, copse_error *err);

/* As key blocks (kernel/key_block.h), with room for n rounded up to whole blocks: raw schemas only, of at most
 * CP_KEY_BLOCK_DIMS columns.  *out_whole becomes 0 if a value is missing or infinite: then `out` is of no use and
 * the rows must be encoded as floats. */
copse_status cp_schema_encode_keys(const cp_schema *s, cp_table_rows rows, uint32_t *out, int *out_whole,
                                   copse_error *err);

/* The numbers of a feature of numbers, as they are in the column or derived from it; NaN is missing.  COPSE_E_DATA if
 * the table lacks the column, or it holds something else. */
copse_status cp_schema_encode_numbers(const cp_schema *s, const cp_feature *f, cp_table_rows rows, double *out,
                                      copse_error *err);

/* One value of a feature as its `width` encoded columns.  `value` is a number, or the index of a level; NaN is
 * missing. */
void cp_schema_encode_value(const cp_schema *s, const cp_feature *f, double value, float *out);

#endif
