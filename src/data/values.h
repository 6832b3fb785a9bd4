/* values - columns of a table from the caller's memory: numbers of any type and stride, and codes of levels. */
#ifndef CP_VALUES_H
#define CP_VALUES_H

#include "data/table.h"

/* The bytes of a value of this type; 0 if there is no such type. */
size_t cp_values_size(copse_type type);

/* The bit of a bitmap as Arrow has it: the lowest bit of a byte comes first. */
static inline int cp_values_bit(const unsigned char *bitmap, size_t i) {
    return bitmap[i >> 3] >> (i & 7) & 1;
}

/* Copies n values to doubles, NaN where they are missing. */
void cp_values_numbers(const copse_values *v, size_t n, double *out);

/* Copies n codes, CP_NONE where they are missing or negative.  COPSE_E_DATA, with the row, if a code is not below
 * n_levels; `first` is the row of code 0. */
copse_status cp_values_codes(const copse_values *v, size_t first, size_t n, size_t n_levels, int32_t *out,
                             copse_error *err);

/* A level: text of n bytes that need not be terminated; NULL: missing. */
typedef struct cp_values_level {
    const char *text;
    size_t n;
} cp_values_level;

/* Turns the codes of rows first ... first+n-1 of a text column, which are indexes into `level`, into codes of the
 * column's own levels.  COPSE_E_DATA if a level that is used is not UTF-8 text without NUL. */
copse_status cp_values_label(cp_column *c, size_t first, size_t n, const cp_values_level *level, size_t n_levels,
                             copse_error *err);
/* Adds a text to the levels of a column, with the same check; `row` is for the message. */
copse_status cp_values_text(cp_column *c, size_t row, const char *text, size_t n, copse_error *err);

/* Adds a column of numbers, or of text.  A failure leaves the table as it was. */
copse_status cp_values_add(copse_table *t, const char *name, const copse_values *v, copse_error *err);
copse_status cp_values_add_codes(copse_table *t, const char *name, const copse_values *v, const cp_values_level *level,
                                 size_t n_levels, copse_error *err);

#endif
