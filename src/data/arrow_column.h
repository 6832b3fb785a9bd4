/* arrow_column - the values of one Arrow array, as rows of a column. */
#ifndef CP_ARROW_COLUMN_H
#define CP_ARROW_COLUMN_H

#include "data/arrow.h"
#include "data/arrow_type.h"

/* A part of an array that fills rows row ... row+n-1 of a column of the same kind. */
typedef struct cp_arrow_column_part {
    const cp_arrow_type *type;  /* of the values */
    const cp_arrow_type *codes; /* of the indexes into the dictionary of values; NULL: there is no dictionary */
    const struct ArrowArray *array;
    const struct ArrowArray *parent; /* the struct array that the array is a column of */
    size_t row, n;                   /* the rows are items 0 ... n-1 of the parent */
} cp_arrow_column_part;

/* The counts in the array are checked as far as they can be; the memory behind its pointers is trusted. */
copse_status cp_arrow_column_fill(cp_column *c, const cp_arrow_column_part *part, copse_error *err);

#endif
