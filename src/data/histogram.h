/* histogram - a column of numbers in at most 32 bins of equal width, for summaries of training data.
 *
 * Bins are 2^exponent wide and begin at multiples of their width: x is in bin floor(x / 2^exponent) - first.  The
 * exponent is the smallest with which
 *
 *   floor(max / 2^e) - floor(min / 2^e) <= 31,  e >= (binary exponent of the largest |x|) - 40,  e >= -1000.
 *
 * It depends on min and max only and never falls when they grow apart, and two neighbours that begin at an even index
 * make one bin of twice the width.  So the state is a function of the values, whatever their order: adding A and then
 * B, or merging a histogram of A with one of B, gives that of A and B together, bit for bit.
 *
 * All zeros is an empty histogram. */
#ifndef CP_HISTOGRAM_H
#define CP_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { CP_HISTOGRAM_BINS = 32 };

typedef struct cp_histogram {
    uint64_t n;      /* numbers counted */
    double min, max; /* 0 if there are none; never -0 */
    int exponent;
    int64_t first; /* floor(min / 2^exponent) */
    uint64_t count[CP_HISTOGRAM_BINS];
} cp_histogram;

/* Adds n numbers; NaN is left out, infinite numbers are a bug. */
void cp_histogram_add(cp_histogram *h, const double *x, size_t n);
void cp_histogram_merge(cp_histogram *h, const cp_histogram *other);

/* Sets an empty histogram to the range min to max, both finite, for a caller that then fills in n and the counts. */
void cp_histogram_set_range(cp_histogram *h, double min, double max);
/* 0 if the counts do not fit n, min and max. */
int cp_histogram_check(const cp_histogram *h);

/* The number of bins from min to max, 0 if there are no numbers. */
size_t cp_histogram_bins(const cp_histogram *h);
/* The lower end of bin i, which is the upper end of bin i - 1; the largest double in the place of infinity. */
double cp_histogram_edge(const cp_histogram *h, size_t i);

#endif
