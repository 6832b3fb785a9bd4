#include "boost/boost_grow.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "split/split_hist.h"

enum { GROUP = 8 /* columns whose histograms are filled together: 32 KB, the first-level cache */ };

typedef struct leaf {
    int32_t node;
    size_t lo, hi, depth; /* rows lo ... hi-1 of g->row */
    cp_sum sum;
    cp_sum *hist; /* of all columns */
    double gain;  /* of the best split; <= 0: there is none */
    cp_split split;
} leaf;

typedef struct grower {
    cp_boost_grow *g;
    cp_tree *tree;
    cp_split_rule rule;
    cp_split_level *level;
    size_t dims;
    leaf *leaf;
    size_t leaves;
} grower;

/* ----------------------------------------------------------------------------------------------------------- sums */

static double slope_of(const cp_boost_grow *g, int64_t s) {
    return (double)s / g->slope_scale;
}

static double curve_of(const grower *w, int64_t packed) {
    return (double)(packed & w->rule.mask) / w->g->curve_scale;
}

static double score_of(const grower *w, cp_sum a) {
    double slope = slope_of(w->g, a.s), curve = curve_of(w, a.w) + w->g->rule->l2;
    return curve > 0 ? slope * slope / curve : 0;
}

static int has_enough(const grower *w, cp_sum a) {
    return cp_split_rows(&w->rule, a.w) >= w->rule.min_rows && curve_of(w, a.w) >= w->g->rule->min_curve;
}

/* ----------------------------------------------------------------------------------------------------- histograms */

typedef struct filling {
    const grower *w;
    const leaf *from;
    cp_sum *hist;
} filling;

static void fill_group(const filling *f, size_t first, size_t n) {
    const cp_boost_grow *g = f->w->g;
    cp_sum *hist = f->hist + first * CP_SPLIT_CELLS;
    memset(hist, 0, n * CP_SPLIT_CELLS * sizeof *hist);
    for (size_t i = f->from->lo; i < f->from->hi; i++) {
        uint32_t row = g->row[i];
        const uint8_t *bin = g->bins->bin + row * g->bins->stride + first;
        cp_sum_pair a = *(const cp_sum_pair *)&g->sum[row];
        for (size_t j = 0; j < n; j++) *(cp_sum_pair *)&hist[j * CP_SPLIT_CELLS + bin[j]] += a;
    }
}

static void fill_groups(void *arg, size_t from, size_t to) {
    const filling *f = arg;
    for (size_t i = from; i < to; i++) {
        size_t first = i * GROUP, n = f->w->dims - first;
        fill_group(f, first, n < GROUP ? n : GROUP);
    }
}

static copse_status fill(const grower *w, leaf *l, copse_error *err) {
    l->hist = cp_arena_get(&w->g->arena, w->dims * CP_SPLIT_CELLS, sizeof *l->hist);
    if (!l->hist) return cp_fail_memory(err);
    filling f = {.w = w, .from = l, .hist = l->hist};
    cp_thread_team_pass(w->g->team, (w->dims + GROUP - 1) / GROUP, fill_groups, &f);
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- searches */

/* Tries the cuts after bins 0 ... end-1.  `left` holds the missing values, if they go left. */
static int scan_bins(const grower *w, leaf *l, const cp_sum *cell, size_t end, cp_sum left) {
    const double whole = score_of(w, l->sum);
    int better = 0;
    for (size_t b = 0; b < end; b++) {
        if (!cell[b].w) continue; /* the same split as the cut before */
        left.w += cell[b].w;
        left.s += cell[b].s;
        cp_sum right = {l->sum.w - left.w, l->sum.s - left.s};
        if (!has_enough(w, left) || !has_enough(w, right)) continue;
        double gain = score_of(w, left) + score_of(w, right) - whole;
        if (gain <= l->gain) continue;
        l->gain = gain;
        l->split.below = (uint32_t)b;
        l->split.left = curve_of(w, left.w);
        better = 1;
    }
    return better;
}

static void try_number(const grower *w, leaf *l, size_t dim, const cp_sum *cell) {
    const cp_bins *b = w->g->bins;
    cp_sum missing = cell[CP_SPLIT_CELLS - 1];
    size_t bins = b->count[dim];
    while (bins > 0 && !cell[bins - 1].w) bins--;
    if (bins == 0) return;
    int better = scan_bins(w, l, cell, missing.w ? bins : bins - 1, (cp_sum){0, 0});
    if (better) l->split.missing_left = !missing.w && l->split.left * 2 > curve_of(w, l->sum.w);
    if (missing.w && scan_bins(w, l, cell, bins - 1, missing)) better = l->split.missing_left = 1;
    if (!better) return;
    uint32_t above = l->split.below + 1;
    while (above < bins && !cell[above].w) above++;
    l->split.is_set = 0;
    l->split.dim = (int32_t)dim;
    l->split.cut = above == bins   ? INFINITY
                   : b->exact[dim] ? cp_bins_between(b, dim, l->split.below, above)
                                   : b->cut[dim * CP_BINS_MAX + l->split.below];
}

static cp_sum sum_of_set(const cp_split *s, const cp_sum *cell, size_t bins) {
    cp_sum left = {0, 0};
    for (size_t b = 0; b < bins; b++) {
        if (!cp_split_in_set(s->set, (uint32_t)b)) continue;
        left.w += cell[b].w;
        left.s += cell[b].s;
    }
    if (s->missing_left) {
        left.w += cell[CP_SPLIT_CELLS - 1].w;
        left.s += cell[CP_SPLIT_CELLS - 1].s;
    }
    return left;
}

/* Levels in the order of their steps without l2: the best set is a cut of this order [Breiman et al. 1984]. */
static void try_category(const grower *w, leaf *l, size_t dim, const cp_sum *cell) {
    uint32_t set[CP_SPLIT_CELLS / 32] = {0};
    cp_split found = {.set = set};
    double weight = (double)(l->sum.w & w->rule.mask);
    if (!(weight > 0)) return;
    cp_split_node n = {.rule = &w->rule,
                       .rows = cp_split_rows(&w->rule, l->sum.w),
                       .weight = weight,
                       .mean = (double)l->sum.s / weight,
                       .level = w->level};
    cp_split_none(&found);
    if (!cp_split_hist_levels(&n, cell, w->g->bins->count[dim], &found)) return;
    cp_sum left = sum_of_set(&found, cell, w->g->bins->count[dim]);
    cp_sum right = {l->sum.w - left.w, l->sum.s - left.s};
    double gain = score_of(w, left) + score_of(w, right) - score_of(w, l->sum);
    if (gain <= l->gain) return;
    l->gain = gain;
    memcpy(l->split.set, set, sizeof set);
    l->split.is_set = 1;
    l->split.missing_left = found.missing_left;
    l->split.dim = (int32_t)dim;
}

static void search(const grower *w, leaf *l) {
    const cp_boost_grow *g = w->g;
    l->gain = 0;
    if (l->depth >= g->rule->max_depth || cp_split_rows(&w->rule, l->sum.w) < 2 * w->rule.min_rows) return;
    for (size_t d = 0; d < w->dims; d++) {
        if (!g->use[d]) continue;
        const cp_sum *cell = l->hist + d * CP_SPLIT_CELLS;
        if (g->levels && g->levels[d])
            try_category(w, l, d, cell);
        else
            try_number(w, l, d, cell);
    }
}

/* --------------------------------------------------------------------------------------------------------- growing */

static int goes_left(const cp_split *s, uint8_t bin) {
    if (bin == CP_BINS_MISSING) return s->missing_left;
    return s->is_set ? cp_split_in_set(s->set, bin) : bin <= s->below;
}

/* Moves the rows that go left to the front; both sides keep their order.  Returns the first row of the right side. */
static size_t divide(const grower *w, const leaf *l, cp_sum *out_left) {
    const cp_boost_grow *g = w->g;
    const uint8_t *bin = g->bins->bin + (size_t)l->split.dim;
    size_t left = l->lo, right = 0;
    *out_left = (cp_sum){0, 0};
    for (size_t i = l->lo; i < l->hi; i++) {
        uint32_t row = g->row[i];
        if (goes_left(&l->split, bin[row * g->bins->stride])) {
            g->row[left++] = row;
            out_left->w += g->sum[row].w;
            out_left->s += g->sum[row].s;
        } else {
            g->spare[right++] = row;
        }
    }
    memcpy(g->row + left, g->spare, right * sizeof *g->row);
    return left;
}

/* The set of bins as a set of levels: levels from CP_BINS_MAX - 1 on share the last bin. */
static copse_status write_split(const grower *w, const leaf *l, copse_error *err) {
    const cp_split *s = &l->split;
    cp_tree_test test = {.dim = (uint32_t)s->dim, .missing_left = s->missing_left, .cut = s->cut};
    if (!s->is_set) return cp_tree_split(w->tree, l->node, &test, err);
    uint32_t levels = w->g->levels[s->dim], *set;
    test.words = cp_tree_words(levels);
    test.set = set = cp_arena_get(&w->g->arena, test.words, sizeof *set);
    if (!set) return cp_fail_memory(err);
    memset(set, 0, test.words * sizeof *set);
    for (uint32_t c = 0; c < levels; c++) {
        uint32_t bin = c < CP_BINS_MAX ? c : CP_BINS_MAX - 1;
        if (cp_split_in_set(s->set, bin)) set[c / 32] |= 1u << c % 32;
    }
    return cp_tree_split(w->tree, l->node, &test, err);
}

static copse_status new_set(const grower *w, leaf *l, copse_error *err) {
    l->split = (cp_split){.set = cp_arena_get(&w->g->arena, CP_SPLIT_CELLS / 32, sizeof *l->split.set)};
    return l->split.set ? COPSE_OK : cp_fail_memory(err);
}

/* The smaller child sums its own histograms, and the parent's minus these are the larger child's; a has the
 * parent's. */
static copse_status hand_down(const grower *w, leaf *a, leaf *b, copse_error *err) {
    cp_sum *hist = a->hist;
    leaf *small = a->hi - a->lo < b->hi - b->lo ? a : b, *large = small == a ? b : a;
    CP_TRY(fill(w, small, err));
    for (size_t i = 0; i < w->dims * CP_SPLIT_CELLS; i++) {
        hist[i].w -= small->hist[i].w;
        hist[i].s -= small->hist[i].s;
    }
    large->hist = hist;
    return COPSE_OK;
}

static copse_status split_leaf(grower *w, size_t at, copse_error *err) {
    leaf *l = &w->leaf[at], *r = &w->leaf[w->leaves];
    cp_sum left;
    CP_TRY(write_split(w, l, err));
    w->tree->gain[l->split.dim] += (float)l->gain;
    size_t middle = divide(w, l, &left);
    int32_t next = w->tree->node[l->node].next;
    *r = (leaf){.node = next + 1, .lo = middle, .hi = l->hi, .depth = l->depth + 1};
    r->sum = (cp_sum){l->sum.w - left.w, l->sum.s - left.s};
    l->node = next;
    l->hi = middle;
    l->depth++;
    l->sum = left;
    w->leaves++;
    CP_TRY(new_set(w, r, err));
    if (w->leaves == w->g->rule->max_leaves) return COPSE_OK;
    CP_TRY(hand_down(w, l, r, err));
    search(w, l);
    search(w, r);
    return COPSE_OK;
}

static copse_status grow_root(grower *w, copse_error *err) {
    const cp_boost_grow *g = w->g;
    leaf *l = &w->leaf[0];
    *l = (leaf){.hi = g->rows};
    for (size_t i = 0; i < g->rows; i++) {
        l->sum.w += g->sum[g->row[i]].w;
        l->sum.s += g->sum[g->row[i]].s;
    }
    w->leaves = 1;
    CP_TRY(new_set(w, l, err));
    CP_TRY(fill(w, l, err));
    search(w, l);
    return COPSE_OK;
}

static size_t best_leaf(const grower *w) {
    size_t best = 0;
    for (size_t i = 1; i < w->leaves; i++)
        if (w->leaf[i].gain > w->leaf[best].gain) best = i;
    return best;
}

/* What a leaf adds, rounded to the float that the model keeps: training and prediction add the same. */
static float step_of(const grower *w, cp_sum a) {
    const cp_boost_rule *r = w->g->rule;
    double curve = curve_of(w, a.w) + r->l2;
    double step = curve > 0 ? -slope_of(w->g, a.s) / curve : 0;
    if (step > r->most_step) step = r->most_step;
    if (step < -r->most_step) step = -r->most_step;
    return (float)(r->shrinkage * step);
}

static copse_status close_leaf(const grower *w, const leaf *l, copse_error *err) {
    const cp_boost_grow *g = w->g;
    float step = step_of(w, l->sum);
    size_t rows = cp_split_rows(&w->rule, l->sum.w);
    for (size_t i = l->lo; i < l->hi; i++) g->f[g->row[i] * g->stride] += (double)step;
    return cp_tree_leaf_value(w->tree, l->node,
                              (cp_tree_value){.mean = step, .weight = (float)rows, .rows = (uint32_t)rows}, err);
}

static copse_status make_room(grower *w, copse_error *err) {
    cp_boost_grow *g = w->g;
    size_t levels = CP_SPLIT_CELLS + 1, most = g->rule->max_leaves < g->rows ? g->rule->max_leaves : g->rows;
    w->level = cp_arena_get(&g->arena, levels, sizeof *w->level);
    w->leaf = cp_arena_get(&g->arena, most + 1, sizeof *w->leaf);
    if (!w->level || !w->leaf) return cp_fail_memory(err);
    return CP_NEW(w->tree->gain, w->dims, err);
}

copse_status cp_boost_grow_tree(cp_boost_grow *g, cp_tree *out, copse_error *err) {
    grower w = {.g = g, .tree = out, .dims = g->bins->dims};
    w.rule = (cp_split_rule){.kind = CP_SPLIT_SQUARED,
                             .shift = g->shift,
                             .mask = ((int64_t)1 << g->shift) - 1,
                             .min_rows = g->rule->min_rows,
                             .min_weight = g->rule->min_curve * g->curve_scale};
    cp_arena_reset(&g->arena);
    CP_TRY(cp_tree_init_root(out, err));
    CP_TRY(make_room(&w, err));
    CP_TRY(grow_root(&w, err));
    for (size_t at = 0; w.leaves < g->rule->max_leaves && w.leaf[at = best_leaf(&w)].gain > 0;)
        CP_TRY(split_leaf(&w, at, err));
    for (size_t i = 0; i < w.leaves; i++) CP_TRY(close_leaf(&w, &w.leaf[i], err));
    return cp_tree_finish(out, err);
}
