/* leak - columns that tell the target by themselves: often something that is only known after the fact. */
#ifndef CP_LEAK_H
#define CP_LEAK_H

#include "data/schema.h"

/* The encoded rows of the training table, with their targets. */
typedef struct cp_leak_rows {
    const float *x; /* n x dims */
    size_t n;
    const double *y;      /* regression, else NULL */
    const int32_t *label; /* classification, else NULL */
} cp_leak_rows;

/* Warns of columns each of which determines the target of a sample of the rows.  Nothing is said of fewer than 50
 * rows: then it may well be chance. */
void cp_leak_warn(const cp_schema *s, const cp_leak_rows *rows, const copse_run *run);

#endif
