/* boost_split - the best split of a leaf: the one after which Newton steps in both children lower the loss most. */
#ifndef CP_BOOST_SPLIT_H
#define CP_BOOST_SPLIT_H

#include "base/arena.h"
#include "boost/boost_hist.h"
#include "split/split.h"

/* What the leaves of a tree share.  Curvatures here are in the integers' unit, 1/curve_scale. */
typedef struct cp_boost_search {
    const cp_boost_hist *hist;
    const uint32_t *levels; /* as in cp_rows */
    size_t min_rows;
    double min_curve, l2;
    cp_gain_scan_fn scan;
    cp_split_rule rule;    /* for categories */
    cp_split_level *level; /* room for CP_BOOST_HIST_CELLS + 1 */
    cp_sum *cell;          /* room for CP_BOOST_HIST_CELLS */
    cp_boost_sums *sums;
} cp_boost_search;

/* A split, and how much it gains: score left + score right - score of the leaf, where a score is slope^2 / (curve +
 * l2).  gain <= 0: there is none. */
typedef struct cp_boost_cut {
    double gain;
    cp_boost_total left;
    cp_split split; /* dim, is_set, set, cut, below and missing_left */
} cp_boost_cut;

copse_status cp_boost_split_init(cp_boost_search *s, cp_arena *a, copse_error *err);
/* out->split.set has room for CP_BOOST_HIST_CELLS bits. */
void cp_boost_split_find(const cp_boost_search *s, const cp_boost_total *all, const void *hist, cp_boost_cut *out);

#endif
