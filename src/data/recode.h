/* recode - raw rows to the columns of a method that wants numbers in [0,1]: the encoding CP_ENCODE_UNIT of schema.h,
 * made from rows that are encoded raw already.
 *
 * A method that consists of methods gets raw rows.  Members that take no categories and no missing values get these. */
#ifndef CP_RECODE_H
#define CP_RECODE_H

#include "base/codec.h"
#include "data/schema.h"

/* Raw rows; borrowed. */
typedef struct cp_recode_rows {
    const float *x; /* n x dims, row-major */
    size_t n, dims;
    const uint32_t *levels; /* per column, 0 for numbers; NULL: all are numbers */
} cp_recode_rows;

/* A schema without names and levels' texts: raw column i is feature i, and its encoded columns are those of
 * cp_schema_encode_value.  What it stores is the least, the greatest and the median value of each number. */
typedef struct cp_recode {
    cp_schema schema;
    double *range; /* 3 per raw column: min, max, median */
} cp_recode;

copse_status cp_recode_init(cp_recode *r, const cp_recode_rows *rows, copse_error *err);
void cp_recode_clear(cp_recode *r);
size_t cp_recode_dims(const cp_recode *r);
/* n x cp_recode_dims. */
void cp_recode_rows_to(const cp_recode *r, const float *x, size_t n, float *out);

copse_status cp_recode_write(const cp_recode *r, cp_writer *w, copse_error *err);
/* dims and levels are those of the raw rows. */
copse_status cp_recode_read(cp_recode *r, cp_reader *reader, size_t dims, const uint32_t *levels, copse_error *err);

#endif
