/* interleave - four columns of numbers become rows of floats: the inner loop of encoding a table. */
#ifndef CP_INTERLEAVE_H
#define CP_INTERLEAVE_H

#include <stddef.h>

#include "kernel/tier.h"

/* Writes four columns of n numbers as rows of floats; row i, four floats, begins at out[i * stride].  The shift of the
 * column is subtracted from each number, and the difference is clamped to +-limit; NaN stays NaN.  Returns 0 if a
 * number is infinite. */
typedef int (*cp_interleave_fn)(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                                size_t stride);

cp_interleave_fn cp_interleave_find(cp_tier tier);
cp_interleave_fn cp_interleave_best(void);

#endif
