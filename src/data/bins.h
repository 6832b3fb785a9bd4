/* bins - columns cut into at most 255 bins, for histograms.
 *
 * A number's bins are ranges between cuts that are midpoints of neighbouring values of the training rows: one bin per
 * value where there are at most 255 of them, else about equally many rows in each.  x is in bin b if cut[b-1] < x <=
 * cut[b], so a split after bin b is the split x <= cut[b].  A category's bin is its level; levels from 254 on share the
 * last bin where there are more than 255.  Missing and unseen values have the bin CP_BINS_MISSING.
 *
 * Of many rows a sample is enough to place the cuts: the sample is a function of the number of rows alone. */
#ifndef CP_BINS_H
#define CP_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

enum { CP_BINS_MAX = 255, CP_BINS_MISSING = 255 };

typedef struct cp_bins {
    size_t rows, dims;
    size_t stride;   /* bytes from one row's bins to the next's */
    uint8_t *bin;    /* rows x stride, row-major, with 8 zeros after the last; NULL: there are no bins */
    uint32_t *count; /* per column: bins in use, without the missing one */
    /* Numbers only, dims x CP_BINS_MAX each.  high[b] and low[b+1] are the neighbours whose middle is cut[b].  With one
     * bin per value both are that value.  No cut follows the last bin: it and those after it are infinite. */
    float *cut, *low, *high;
    uint8_t *exact; /* per column of numbers: 1 if every value has a bin of its own */
} cp_bins;

/* x is row-major; levels as in cp_rows, or NULL. */
copse_status cp_bins_init(cp_bins *b, const float *x, size_t rows, size_t dims, const uint32_t *levels,
                          const copse_run *run, copse_error *err);
void cp_bins_clear(cp_bins *b);

/* The cut between two values, left < right: left <= cut < right, halfway as far as floats can tell. */
float cp_bins_middle(float left, float right);
/* The cut that parts bin `left` from bin `right` where no row lies in between. */
float cp_bins_between(const cp_bins *b, size_t dim, size_t left, size_t right);

#endif
