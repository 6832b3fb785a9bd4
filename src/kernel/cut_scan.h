/* cut_scan - the best place to cut a sorted list of rows in two: the inner loop of regression trees, in plain C and
 * in AVX2.
 *
 * A cut after row i has the quality d^2 / (wl wr), with wl and sl the sums of weight and of weight times target up to
 * i, wr the weight that is left, and d = sl - wl s/w.  Sums are integers below 2^51 in size, so both versions add them
 * exactly, and give the same bits. */
#ifndef CP_CUT_SCAN_H
#define CP_CUT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

/* A sum over rows.  The number of rows and their weight share one integer, rows << shift | weight: totals are bounded
 * so that the two never meet, and both are summed by one addition. */
typedef struct cp_sum {
    int64_t w;
    int64_t s; /* regression: weight times target.  For a single row of a classification: its class */
} cp_sum;
/* Its two numbers as a vector, added at once. */
typedef int64_t cp_sum_pair __attribute__((vector_size(16), may_alias));

enum { CP_CUT_SCAN_PAD = 3 };

typedef struct cp_cut_scan_list {
    /* Rising: rank << 16 | position.  There is one more after the last cut, and CP_CUT_SCAN_PAD can be read after
     * that. */
    const uint32_t *key;
    const cp_sum *sum;   /* by position */
    size_t first, end;   /* cuts after rows first ... end-1 are allowed where the rank changes */
    cp_sum base;         /* already on the left */
    int64_t mask;        /* of weight in cp_sum.w */
    double weight, mean; /* of all rows; mean = s/w */
    double least;        /* weight on either side */
} cp_cut_scan_list;

static inline double cp_cut_scan_quality(double wl, double sl, double weight, double mean) {
    double d = sl - wl * mean;
    return d * d / (wl * (weight - wl));
}

/* The first of the best cuts better than *quality, which becomes its own, and the weight on its left; (size_t)-1 if
 * there is none. */
typedef size_t (*cp_cut_scan_fn)(const cp_cut_scan_list *l, double *quality, double *out_left);

cp_cut_scan_fn cp_cut_scan_find(cp_tier tier);
cp_cut_scan_fn cp_cut_scan_best(void);

#endif
