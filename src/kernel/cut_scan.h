/* cut_scan - the best cut of a sorted list of rows: the inner loop of regression trees.
 *
 * A cut after row i has the quality d^2 / (wl wr).  wl is the sum of weights up to row i, wr the sum of the other
 * weights, sl the sum of weight times target up to row i, and d = sl - wl s/w, where s and w are the sums of all rows.
 * Sums are integers below 2^51 in size, so both versions add them exactly and give the same bits. */
#ifndef CP_CUT_SCAN_H
#define CP_CUT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

/* A sum over rows.  One integer holds the number of rows and their weight, rows << shift | weight.  Totals are bounded
 * so that the weight never reaches the rows, and one addition sums both. */
typedef struct cp_sum {
    int64_t w;
    int64_t s; /* regression: weight times target.  For a single row of a classification: its class */
} cp_sum;
/* Both numbers of a cp_sum as a vector, to add them at once. */
typedef int64_t cp_sum_pair __attribute__((vector_size(16), may_alias));

enum { CP_CUT_SCAN_PAD = 3 };

typedef struct cp_cut_scan_list {
    /* Ascending: rank << 16 | position.  There is one key after the last cut, and CP_CUT_SCAN_PAD more can be read. */
    const uint32_t *key;
    const cp_sum *sum;   /* by position */
    size_t first, end;   /* cuts after rows first ... end-1 are allowed where the rank changes */
    cp_sum base;         /* of rows that are on the left of every cut */
    int64_t mask;        /* of the weight in cp_sum.w */
    double weight, mean; /* of all rows; mean = s/w */
    double least;        /* least weight of either side */
} cp_cut_scan_list;

static inline double cp_cut_scan_quality(double wl, double sl, double weight, double mean) {
    double d = sl - wl * mean;
    return d * d / (wl * (weight - wl));
}

/* Finds the best cut that is better than *quality; the first one of several.  Sets *quality to its quality and
 * *out_left to the weight on its left.  Returns the row before the cut, (size_t)-1 if there is none. */
typedef size_t (*cp_cut_scan_fn)(const cp_cut_scan_list *l, double *quality, double *out_left);

cp_cut_scan_fn cp_cut_scan_find(cp_tier tier);
cp_cut_scan_fn cp_cut_scan_best(void);

#endif
