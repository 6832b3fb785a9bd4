#include "boost/boost_grow.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "boost/boost_quantile.h"
#include "boost/boost_split.h"

typedef struct leaf {
    int32_t node;
    size_t lo[2], hi[2], depth; /* its rows in both lists */
    cp_boost_total sum;
    void *hist; /* of all columns; NULL: it is not split further */
    cp_boost_cut cut;
} leaf;

typedef struct grower {
    cp_boost_grow *g;
    cp_tree *tree;
    cp_boost_search search;
    leaf *leaf;
    size_t leaves;
} grower;

/* ------------------------------------------------------------------------------------------------------- histograms */

static int may_split(const grower *w, const leaf *l) {
    const cp_boost_rule *r = w->g->rule;
    return l->depth < r->max_depth && (size_t)l->sum.rows >= 2 * r->min_rows && l->hi[0] - l->lo[0] > 1;
}

static copse_status fill(const grower *w, leaf *l, copse_error *err) {
    l->hist = cp_arena_get(&w->g->arena, 1, cp_boost_hist_bytes(&w->g->hist));
    if (!l->hist) return cp_fail_memory(err);
    cp_boost_hist_fill(&w->g->hist, w->g->grown.row + l->lo[0], l->hi[0] - l->lo[0], l->hist);
    return COPSE_OK;
}

/* The smaller child sums its own histograms, and the parent's minus these are the larger child's; a has the
 * parent's.  A child that is not split needs none. */
static copse_status hand_down(const grower *w, leaf *a, leaf *b, copse_error *err) {
    void *hist = a->hist;
    leaf *small = a->hi[0] - a->lo[0] < b->hi[0] - b->lo[0] ? a : b, *large = small == a ? b : a;
    int needs_small = may_split(w, small), needs_large = may_split(w, large);
    a->hist = b->hist = NULL;
    if (!needs_small && !needs_large) return COPSE_OK;
    CP_TRY(fill(w, small, err));
    cp_boost_hist_subtract(&w->g->hist, hist, small->hist);
    large->hist = needs_large ? hist : NULL;
    if (!needs_small) small->hist = NULL;
    return COPSE_OK;
}

static void search(const grower *w, leaf *l) {
    l->cut.gain = 0;
    if (l->hist) cp_boost_split_find(&w->search, &l->sum, l->hist, &l->cut);
}

/* -------------------------------------------------------------------------------------------------------- dividing */

/* Does the bin go left?  By the cut, as in predictions: a row outside the tree may lie in a bin that none of the leaf's
 * rows has. */
static void find_sides(const grower *w, const cp_split *s, uint8_t side[CP_BOOST_HIST_CELLS]) {
    const cp_bins *b = w->g->hist.bins;
    const size_t dim = (size_t)s->dim;
    for (size_t k = 0; k < CP_BINS_MAX; k++) {
        if (s->is_set)
            side[k] = (uint8_t)cp_split_in_set(s->set, (uint32_t)k);
        else
            side[k] = k < b->count[dim] && (b->exact[dim] ? b->low[dim * CP_BINS_MAX + k] <= s->cut : k <= s->below);
    }
    if (!s->is_set && s->cut == INFINITY) memset(side, 1, CP_BINS_MAX);
    side[CP_BINS_MISSING] = s->missing_left != 0;
}

/* Moves the rows that go left to the front; both sides keep their order.  Returns the first row of the right side. */
static size_t divide(const cp_boost_grow *g, cp_boost_list list, const uint8_t *bin, const uint8_t *side,
                     const size_t range[2]) {
    uint32_t *left = list.row + range[0], *right = g->spare;
    const uint32_t *row = left, *end = list.row + range[1];
    for (; row < end; row++) {
        const uint32_t i = *row;
        const size_t goes_left = side[bin[i]];
        *left = i;
        *right = i;
        left += goes_left;
        right += 1 - goes_left;
    }
    memcpy(left, g->spare, (size_t)(right - g->spare) * sizeof *right);
    return (size_t)(left - list.row);
}

/* The set of bins as a set of levels: levels from CP_BINS_MAX - 1 on share the last bin. */
static copse_status write_split(const grower *w, const leaf *l, copse_error *err) {
    const cp_split *s = &l->cut.split;
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
    enum { WORDS = CP_BOOST_HIST_CELLS / 32 };
    l->cut.split = (cp_split){.set = cp_arena_get(&w->g->arena, WORDS, sizeof *l->cut.split.set)};
    return l->cut.split.set ? COPSE_OK : cp_fail_memory(err);
}

/* --------------------------------------------------------------------------------------------------------- growing */

static double gain_of(const grower *w, const leaf *l) {
    return l->cut.gain * w->g->curve_scale / w->g->slope_scale / w->g->slope_scale;
}

static copse_status split_leaf(grower *w, size_t at, copse_error *err) {
    const cp_boost_grow *g = w->g;
    leaf *l = &w->leaf[at], *r = &w->leaf[w->leaves];
    uint8_t side[CP_BOOST_HIST_CELLS];
    CP_TRY(write_split(w, l, err));
    w->tree->gain[l->cut.split.dim] += (float)gain_of(w, l);
    find_sides(w, &l->cut.split, side);
    const uint8_t *bin = g->column + (size_t)l->cut.split.dim * g->hist.bins->rows;
    *r = *l;
    r->lo[0] = l->hi[0] = divide(g, g->grown, bin, side, (size_t[]){l->lo[0], l->hi[0]});
    r->lo[1] = l->hi[1] = divide(g, g->rest, bin, side, (size_t[]){l->lo[1], l->hi[1]});
    const cp_boost_total left = l->cut.left, all = l->sum;
    r->sum = (cp_boost_total){all.rows - left.rows, all.slope - left.slope, all.curve - left.curve};
    l->sum = left;
    l->node = w->tree->node[l->node].next;
    r->node = l->node + 1;
    r->depth = ++l->depth;
    w->leaves++;
    l->cut.gain = r->cut.gain = 0;
    CP_TRY(new_set(w, r, err));
    if (w->leaves == g->rule->max_leaves) return COPSE_OK;
    CP_TRY(hand_down(w, l, r, err));
    search(w, l);
    search(w, r);
    return COPSE_OK;
}

static copse_status grow_root(grower *w, copse_error *err) {
    const cp_boost_grow *g = w->g;
    leaf *l = &w->leaf[0];
    *l = (leaf){.hi = {g->grown.n, g->rest.n}, .sum = cp_boost_hist_total(&g->hist, g->grown.row, g->grown.n)};
    w->leaves = 1;
    CP_TRY(new_set(w, l, err));
    if (may_split(w, l)) CP_TRY(fill(w, l, err));
    search(w, l);
    return COPSE_OK;
}

static size_t best_leaf(const grower *w) {
    size_t best = 0;
    for (size_t i = 1; i < w->leaves; i++)
        if (w->leaf[i].cut.gain > w->leaf[best].cut.gain) best = i;
    return best;
}

/* What a leaf adds, rounded to the float that the model keeps: training and prediction add the same. */
static float step_of(const grower *w, const cp_boost_total *a) {
    const cp_boost_grow *g = w->g;
    double curve = (double)a->curve / g->curve_scale + g->rule->l2;
    double step = curve > 0 ? -(double)a->slope / g->slope_scale / curve : 0;
    if (step > g->most_step) step = g->most_step;
    if (step < -g->most_step) step = -g->most_step;
    return (float)(g->rule->shrinkage * step);
}

static copse_status quantile_step(const grower *w, const leaf *l, float *out, copse_error *err) {
    cp_boost_grow *g = w->g;
    size_t n = l->hi[0] - l->lo[0];
    cp_boost_weighted *list = cp_arena_get(&g->arena, n, sizeof *list);
    if (!list) return cp_fail_memory(err);
    for (size_t k = 0; k < n; k++) {
        size_t i = g->grown.row[l->lo[0] + k];
        list[k] = (cp_boost_weighted){g->y[i] - g->f[i * g->stride], g->weight ? g->weight[i] : 1};
    }
    *out = (float)(g->rule->shrinkage * cp_boost_quantile_of(list, n, g->level));
    return COPSE_OK;
}

static void add_step(const cp_boost_grow *g, const uint32_t *row, size_t n, double step) {
    for (size_t i = 0; i < n; i++) g->f[row[i] * g->stride] += step;
}

static copse_status close_leaf(const grower *w, const leaf *l, double *most, copse_error *err) {
    const cp_boost_grow *g = w->g;
    float step = step_of(w, &l->sum);
    if (g->y) CP_TRY(quantile_step(w, l, &step, err));
    add_step(g, g->grown.row + l->lo[0], l->hi[0] - l->lo[0], (double)step);
    add_step(g, g->rest.row + l->lo[1], l->hi[1] - l->lo[1], (double)step);
    *most = fmax(*most, fabs((double)step));
    uint32_t rows = (uint32_t)l->sum.rows;
    return cp_tree_leaf_value(w->tree, l->node, (cp_tree_value){.mean = step, .weight = (float)rows, .rows = rows},
                              err);
}

static copse_status make_room(grower *w, copse_error *err) {
    cp_boost_grow *g = w->g;
    size_t most = g->rule->max_leaves < g->grown.n ? g->rule->max_leaves : g->grown.n;
    w->leaf = cp_arena_get(&g->arena, most + 1, sizeof *w->leaf);
    if (!w->leaf) return cp_fail_memory(err);
    CP_TRY(cp_boost_split_init(&w->search, &g->arena, err));
    return CP_NEW(w->tree->gain, g->hist.bins->dims, err);
}

copse_status cp_boost_grow_tree(cp_boost_grow *g, cp_tree *out, double *out_step, copse_error *err) {
    grower w = {.g = g, .tree = out};
    w.search = (cp_boost_search){.hist = &g->hist,
                                 .levels = g->levels,
                                 .min_rows = g->rule->min_rows,
                                 .min_curve = g->rule->min_curve * g->curve_scale,
                                 .l2 = g->rule->l2 * g->curve_scale};
    cp_arena_reset(&g->arena);
    *out_step = 0;
    CP_TRY(cp_tree_init_root(out, err));
    CP_TRY(make_room(&w, err));
    CP_TRY(grow_root(&w, err));
    for (size_t at = 0; w.leaves < g->rule->max_leaves && w.leaf[at = best_leaf(&w)].cut.gain > 0;)
        CP_TRY(split_leaf(&w, at, err));
    for (size_t i = 0; i < w.leaves; i++) CP_TRY(close_leaf(&w, &w.leaf[i], out_step, err));
    return cp_tree_finish(out, err);
}
