/* bins - columns cut into at most 255 bins, for histograms.
 *
 * The bins of a number are ranges between cuts, which are midpoints of neighbouring values of the training rows: one
 * bin per value if there are at most 255 values, else quantile bins of about equally many rows.  x is in bin b if
 * cut[b-1] < x <= cut[b], so a split after bin b is the split x <= cut[b].  The bin of a category is its level; if
 * there are more than 255 levels, those from 254 on share the last bin.  Missing and unseen values have the bin
 * CP_BINS_MISSING.
 *
 * If there are many rows, a sample of them places the cuts.  The sample depends on the number of rows alone. */
#ifndef CP_BINS_H
#define CP_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

enum { CP_BINS_MAX = 255, CP_BINS_MISSING = 255 };

typedef struct cp_bins {
    size_t rows, dims;
    size_t stride;   /* bytes from the bins of a row to those of the next */
    uint8_t *bin;    /* rows x stride, row-major, with 8 zeros after the last; NULL: there are no bins */
    uint32_t *count; /* per column: bins in use, without the missing one */
    /* Numbers only, dims x CP_BINS_MAX each.  low[b] and high[b] are the smallest and the largest value in bin b, among
     * the rows that placed the cuts; cut[b] is the middle of high[b] and low[b+1].  The cut of the last bin, and all
     * cuts after it, are infinite. */
    float *cut, *low, *high;
    uint8_t *exact; /* per column of numbers: 1 if every value has a bin of its own */
} cp_bins;

typedef struct cp_bins_data {
    const float *x; /* rows x dims, row-major */
    size_t rows, dims;
    const uint32_t *levels; /* as in cp_rows, or NULL */
} cp_bins_data;
copse_status cp_bins_init(cp_bins *b, const cp_bins_data *data, const copse_run *run, copse_error *err);
void cp_bins_clear(cp_bins *b);

/* The cut between two values, left < right: left <= cut < right, and halfway up to rounding. */
float cp_bins_middle(float left, float right);
/* The cut between bin `left` and bin `right`, if no row lies in the bins between them. */
float cp_bins_between(const cp_bins *b, size_t dim, size_t left, size_t right);

#endif
