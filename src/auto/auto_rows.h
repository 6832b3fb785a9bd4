/* auto_rows - rows for the members: some of them, gathered, in the encoding that a member wants. */
#ifndef CP_AUTO_ROWS_H
#define CP_AUTO_ROWS_H

#include "auto/auto.h"

/* Rows in memory of their own; members may overwrite none of it. */
typedef struct cp_auto_rows {
    cp_rows rows;
    float *x;
    double *y, *weight;
    int32_t *label;
} cp_auto_rows;

/* The n rows of those numbers.  The caller clears *out, also on failure. */
copse_status cp_auto_rows_gather(const cp_rows *from, const size_t *row, size_t n, cp_auto_rows *out, copse_error *err);
/* The same rows as the method wants them: *out is `from`, or holds unit rows and borrows the rest. */
copse_status cp_auto_rows_for(const cp_method *method, const cp_recode *recode, const cp_rows *from, cp_auto_rows *out,
                              copse_error *err);
void cp_auto_rows_clear(cp_auto_rows *r);
/* The columns that a method sees. */
size_t cp_auto_rows_dims(const cp_method *method, const cp_auto *a);

/* Fits a member, quietly; samplers run to their end. */
copse_status cp_auto_rows_fit(const cp_method *method, const cp_rows *rows, const copse_params *p,
                              const copse_run *opt_run, void **out_state, copse_error *err);

#endif
