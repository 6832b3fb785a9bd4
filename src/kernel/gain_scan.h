/* gain_scan - the best cut of a histogram for a Newton step: the inner loop of boosted trees.
 *
 * A cut after bin b has the score  sl^2 / (hl + l2) + sr^2 / (hr + l2),  where sl and hl are the sums of slopes and
 * curvatures on its left, sr and hr those on its right.  The sums are integers below 2^51 in size, so both versions
 * give the same bits. */
#ifndef CP_GAIN_SCAN_H
#define CP_GAIN_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

enum { CP_GAIN_SCAN_PAD = 3 };

typedef struct cp_gain_scan {
    const int64_t *slope, *curve;  /* sums over bins 0 ... b; CP_GAIN_SCAN_PAD more of each can be read */
    size_t first, end;             /* cuts after bins first ... end-1 are allowed */
    double base_slope, base_curve; /* sums of rows that are on the left of every cut */
    double all_slope, all_curve;   /* sums of all rows */
    double l2;                     /* hl + l2 and hr + l2 are positive for every cut that is allowed */
} cp_gain_scan;

static inline double cp_gain_scan_score(const cp_gain_scan *g, double slope, double curve) {
    double sl = g->base_slope + slope, hl = g->base_curve + curve;
    double sr = g->all_slope - sl, hr = g->all_curve - hl;
    hl += g->l2;
    hr += g->l2;
    return (sl * sl * hr + sr * sr * hl) / (hl * hr);
}

/* Finds the best cut that is better than *score; the first one of several.  Sets *score to its score.  Returns the bin
 * before the cut, (size_t)-1 if there is none. */
typedef size_t (*cp_gain_scan_fn)(const cp_gain_scan *g, double *score);

cp_gain_scan_fn cp_gain_scan_find(cp_tier tier);
cp_gain_scan_fn cp_gain_scan_best(void);

#endif
