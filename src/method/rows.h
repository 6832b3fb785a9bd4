/* rows - the encoded rows that methods learn from and predict. */
#ifndef CP_ROWS_H
#define CP_ROWS_H

#include "base/fail.h"

/* Encoded rows with their targets; borrowed for the call. */
typedef struct cp_rows {
    copse_task task;
    size_t n, dims, classes;
    const float *x;    /* n x dims, row-major */
    float *x_writable; /* x again if the method may overwrite it, because it is not read after the call; else NULL */
    /* In place of x, which is then NULL: the rows as key blocks (kernel/key_block.h), for methods that take them; else
     * NULL. */
    const uint32_t *key_block;
    const double *y;      /* regression, else NULL */
    const int32_t *label; /* classification, else NULL: 0 ... classes-1 */
    /* For methods that take categories and missing values as they are (takes_raw), per column: 0 for numbers; else the
     * number of levels of a category.  The values of a category are codes 0 ... levels-1, and `levels` for a level that
     * training did not see.  NULL: all columns are numbers. */
    const uint32_t *levels;
    const double *weight; /* of each row, finite and >= 0, some > 0; NULL: all are 1 */
} cp_rows;

/* The shape of the rows that a method was fitted on: what it knows of them when it is read from a file. */
typedef struct cp_rows_shape {
    copse_task task;
    size_t dims, classes; /* classes: 0 for numbers */
} cp_rows_shape;

/* Rows first ... first+n-1, or as many of them as there are.  Not for key blocks. */
cp_rows cp_rows_slice(const cp_rows *rows, size_t first, size_t n);

#endif
