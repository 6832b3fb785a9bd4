#include "boost/boost_split.h"

#include <math.h>
#include <string.h>

#include "split/split_hist.h"

/* A gain below this share of the leaf's score may be an error of rounding. */
#define LEAST_GAIN 1e-12

enum { WIDE_SHIFT = 31 }; /* of the cells that categories are searched in: rows << 31 | curvature, if narrow */

copse_status cp_boost_split_init(cp_boost_search *s, cp_arena *a, copse_error *err) {
    unsigned shift = s->hist->narrow ? WIDE_SHIFT : s->hist->shift;
    s->scan = cp_gain_scan_best();
    s->rule = (cp_split_rule){.kind = CP_SPLIT_SQUARED,
                              .shift = shift,
                              .mask = ((int64_t)1 << shift) - 1,
                              .min_rows = s->min_rows,
                              .min_weight = s->min_curve};
    s->level = cp_arena_get(a, CP_BOOST_HIST_CELLS + 1, sizeof *s->level);
    s->cell = cp_arena_get(a, CP_BOOST_HIST_CELLS, sizeof *s->cell);
    s->sums = cp_arena_get(a, 1, sizeof *s->sums);
    if (!s->level || !s->cell || !s->sums) return cp_fail_memory(err);
    memset(s->sums, 0, sizeof *s->sums); /* the scan reads past the last bin */
    return COPSE_OK;
}

static double score_of(const cp_boost_search *s, const cp_boost_total *a) {
    double slope = (double)a->slope, curve = (double)a->curve + s->l2;
    return curve > 0 ? slope * slope / curve : 0;
}

static cp_boost_total minus(const cp_boost_total *a, const cp_boost_total *b) {
    return (cp_boost_total){a->rows - b->rows, a->slope - b->slope, a->curve - b->curve};
}

/* The least curvature of a child, so that no score divides by 0. */
static double least_curve(const cp_boost_search *s) {
    return s->min_curve > 1 ? s->min_curve : 1;
}

/* Sets first and end so that both children have enough rows and curvature; both rise with the bin. */
static void bound_cuts(const cp_boost_search *s, const cp_boost_total *all, const cp_boost_total *base,
                       cp_gain_scan *g) {
    const cp_boost_sums *c = s->sums;
    double least = least_curve(s), most_curve = (double)all->curve - least;
    int64_t min = (int64_t)s->min_rows;
    while (g->first < g->end &&
           (base->rows + c->rows[g->first] < min || (double)(base->curve + c->curve[g->first]) < least))
        g->first++;
    while (g->end > g->first && (all->rows - base->rows - c->rows[g->end - 1] < min ||
                                 (double)(base->curve + c->curve[g->end - 1]) > most_curve))
        g->end--;
}

/* Tries the cuts after bins 0 ... end-1; rows of `base` are on the left of all. */
static int scan_bins(const cp_boost_search *s, const cp_boost_total *all, cp_boost_total base, size_t end,
                     cp_boost_cut *best) {
    cp_gain_scan g = {.slope = s->sums->slope,
                      .curve = s->sums->curve,
                      .end = end,
                      .base_slope = (double)base.slope,
                      .base_curve = (double)base.curve,
                      .all_slope = (double)all->slope,
                      .all_curve = (double)all->curve,
                      .l2 = s->l2};
    double whole = score_of(s, all), score = whole + best->gain;
    bound_cuts(s, all, &base, &g);
    size_t at = s->scan(&g, &score);
    if (at == (size_t)-1) return 0;
    best->gain = score - whole;
    best->left = (cp_boost_total){base.rows + s->sums->rows[at], base.slope + s->sums->slope[at],
                                  base.curve + s->sums->curve[at]};
    best->split.below = (uint32_t)at;
    return 1;
}

static void try_number(const cp_boost_search *s, const cp_boost_total *all, const void *hist, size_t dim,
                       cp_boost_cut *best) {
    const cp_bins *b = s->hist->bins;
    cp_boost_sums *c = s->sums;
    cp_boost_hist_add_up(s->hist, hist, dim, c);
    if (c->bins == 0) return;
    int has_missing = c->missing.rows > 0;
    int better = scan_bins(s, all, (cp_boost_total){0, 0, 0}, has_missing ? c->bins : c->bins - 1, best);
    if (better) best->split.missing_left = !has_missing && best->left.curve > all->curve - best->left.curve;
    if (has_missing && scan_bins(s, all, c->missing, c->bins - 1, best)) better = best->split.missing_left = 1;
    if (!better) return;
    size_t below = best->split.below, above = below + 1;
    while (above < c->bins && c->rows[above] == c->rows[below]) above++;
    best->split.is_set = 0;
    best->split.dim = (int32_t)dim;
    best->split.cut = above == c->bins ? INFINITY
                      : b->exact[dim]  ? cp_bins_between(b, dim, below, above)
                                       : b->cut[dim * CP_BINS_MAX + below];
}

/* The cells of a category in the form of split_hist. */
static void widen(const cp_boost_search *s, const void *hist, size_t dim) {
    for (size_t b = 0; b < CP_BOOST_HIST_CELLS; b++) {
        if (b >= s->hist->bins->count[dim] && b + 1 < CP_BOOST_HIST_CELLS) continue;
        cp_boost_total a = cp_boost_hist_cell(s->hist, hist, dim, b);
        s->cell[b] = (cp_sum){a.rows << s->rule.shift | a.curve, a.slope};
    }
}

static cp_boost_total total_of_set(const cp_boost_search *s, const cp_split *split, const void *hist, size_t dim) {
    cp_boost_total left = {0, 0, 0};
    for (size_t b = 0; b < CP_BOOST_HIST_CELLS; b++) {
        int missing = b + 1 == CP_BOOST_HIST_CELLS;
        if (!missing && (b >= s->hist->bins->count[dim] || !cp_split_in_set(split->set, (uint32_t)b))) continue;
        if (missing && !split->missing_left) continue;
        cp_boost_total a = cp_boost_hist_cell(s->hist, hist, dim, b);
        left = (cp_boost_total){left.rows + a.rows, left.slope + a.slope, left.curve + a.curve};
    }
    return left;
}

/* Levels in the order of their steps without l2: the best set is a cut of this order [Breiman et al. 1984]. */
static void try_category(const cp_boost_search *s, const cp_boost_total *all, const void *hist, size_t dim,
                         cp_boost_cut *best) {
    uint32_t set[CP_BOOST_HIST_CELLS / 32] = {0};
    cp_split found = {.set = set};
    double weight = (double)all->curve;
    if (!(weight > 0)) return;
    cp_split_node n = {.rule = &s->rule,
                       .rows = (size_t)all->rows,
                       .weight = weight,
                       .mean = (double)all->slope / weight,
                       .level = s->level};
    cp_split_none(&found);
    widen(s, hist, dim);
    if (!cp_split_hist_levels(&n, s->cell, s->hist->bins->count[dim], &found)) return;
    cp_boost_total left = total_of_set(s, &found, hist, dim), right = minus(all, &left);
    double gain = score_of(s, &left) + score_of(s, &right) - score_of(s, all);
    if (gain <= best->gain) return;
    best->gain = gain;
    best->left = left;
    memcpy(best->split.set, set, sizeof set);
    best->split.is_set = 1;
    best->split.missing_left = found.missing_left;
    best->split.dim = (int32_t)dim;
}

void cp_boost_split_find(const cp_boost_search *s, const cp_boost_total *all, const void *hist, cp_boost_cut *out) {
    double least = out->gain = LEAST_GAIN * score_of(s, all);
    for (size_t d = 0; d < s->hist->bins->dims; d++) {
        if (!s->hist->use[d]) continue;
        if (s->levels && s->levels[d])
            try_category(s, all, hist, d, out);
        else
            try_number(s, all, hist, d, out);
    }
    if (!(out->gain > least)) out->gain = 0;
}
