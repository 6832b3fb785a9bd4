/* bins - columns cut into at most 255 bins, for histograms.
 *
 * A number's bins are ranges between cuts that are midpoints of neighbouring values of the training rows: one bin per
 * value where there are few, else about equally many rows in each.  x is in bin b if cut[b-1] < x <= cut[b], so a split
 * after bin b is the split x <= cut[b].  A category's bin is its level, the rarest levels sharing the last one where there
 * are too many.  Missing and unseen values have the bin CP_BINS_MISSING. */
#ifndef CP_BINS_H
#define CP_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CP_BINS_MAX = 255, CP_BINS_MISSING = 255 };

typedef struct cp_bins {
    size_t rows, dims;
    size_t stride;   /* bytes from one row's bins to the next's */
    uint8_t *bin;    /* rows x stride, row-major; NULL: there are no bins */
    uint32_t *count; /* per column: bins in use, without the missing one */
    float *cut;      /* dims x CP_BINS_MAX: cut[b] between bin b and b+1; numbers only */
} cp_bins;

/* x is row-major; levels as in cp_rows, or NULL. */
copse_status cp_bins_init(cp_bins *b, const float *x, size_t rows, size_t dims, const uint32_t *levels,
                          const copse_run *run, copse_error *err);
void cp_bins_clear(cp_bins *b);

#endif
