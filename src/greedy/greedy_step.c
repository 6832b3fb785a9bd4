#include "greedy/greedy_step.h"

#include <string.h>

#include "greedy/greedy_cached.h"
#include "greedy/greedy_hist.h"
#include "greedy/greedy_random.h"
#include "greedy/greedy_sorted.h"
#include "num/math.h"
#include "split/split_hist.h"

static copse_status new_search(cp_greedy_grower *w, size_t rows, copse_error *err) {
    if (cp_greedy_hist_applies(w)) return cp_greedy_hist_new(w, err);
    if (w->rule->random_cuts) return cp_greedy_random_new(w, rows, err);
    return cp_greedy_sorted_new(w, rows, err);
}

copse_status cp_greedy_step_init(cp_greedy_grower *w, const cp_greedy_context *context, size_t rows, cp_tree *tree,
                                 copse_error *err) {
    CP_TRY(cp_greedy_grower_init(w, context, tree, err));
    copse_status status = cp_greedy_cached_new(w, rows, err);
    if (!status) status = new_search(w, rows, err);
    if (status) cp_greedy_grower_clear(w);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- find */

static cp_sum add_up(const cp_sum *sum, size_t n) {
    cp_sum all = {0, 0};
    for (size_t i = 0; i < n; i++) {
        all.w += sum[i].w;
        all.s += sum[i].s;
    }
    return all;
}

/* Rows, weight and target totals of the node, into w->stats. */
static void measure(cp_greedy_grower *w, const cp_greedy_node *node) {
    cp_split_node *n = &w->stats;
    const cp_sum *sum = w->records->sum;
    cp_sum all = {0, 0};
    n->rows = node->hi - node->lo;
    n->square = 0;
    if (n->rule->kind == CP_SPLIT_SQUARED) {
        /* The histogram of every column has all rows: that of the first is enough. */
        all = node->hist ? add_up(node->hist, CP_SPLIT_CELLS) : add_up(sum + node->lo, n->rows);
        n->weight = cp_split_weight(n->rule, all.w);
        n->mean = (double)all.s / n->weight;
        return;
    }
    /* Classes are added in the order greedy_cached adds them: squares of real weights are rounded, so order matters. */
    size_t seen = 0;
    memset(n->total, 0, n->rule->classes * sizeof *n->total);
    for (size_t i = node->lo; i < node->hi; i++) {
        all.w += sum[i].w;
        if (n->total[sum[i].s] == 0) w->class_seen[seen++] = (uint32_t)sum[i].s;
        n->total[sum[i].s] += cp_split_weight(n->rule, sum[i].w);
    }
    n->weight = cp_split_weight(n->rule, all.w);
    for (size_t k = 0; k < seen; k++) {
        double c = n->total[w->class_seen[k]];
        n->square += n->rule->kind == CP_SPLIT_GINI ? c * c : c * cp_math_log(c);
    }
}

/* Are all targets of the node equal? */
static int is_pure(const cp_greedy_grower *w, const cp_greedy_node *node) {
    const cp_greedy_records *r = w->records;
    const double *y = r->data->rows.y;
    const int32_t *label = r->data->rows.label;
    uint32_t first = r->row[node->lo];
    for (size_t i = node->lo + 1; i < node->hi; i++)
        if (y ? y[r->row[i]] != y[first] : label[r->row[i]] != label[first]) return 0;
    return 1;
}

static copse_status search(cp_greedy_grower *w, cp_greedy_node *node, copse_error *err) {
    if (w->hist) return cp_greedy_hist_search(w, node, err);
    if (w->random)
        cp_greedy_random_search(w, node);
    else
        cp_greedy_sorted_search(w, node);
    return COPSE_OK;
}

copse_status cp_greedy_step_find(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err) {
    cp_greedy_node *node = &s->node;
    s->is_split = 0;
    measure(w, node);
    if (cp_greedy_grower_must_stop(w, node->depth) || is_pure(w, node)) return COPSE_OK;
    cp_greedy_grower_begin(w, node->path);
    CP_TRY(search(w, node, err));
    cp_greedy_grower_end(w);
    /* A split with gain 0 is made too: it may help further down, as with exclusive or. */
    if (w->best.num < 0) return COPSE_OK; /* no split was found */
    s->is_split = 1;
    s->split = w->best;
    s->gain = cp_greedy_grower_gain(w);
    return COPSE_OK;
}

/* A set holds levels, or bins where the tree is grown on bins. */
static size_t set_words(const cp_greedy_grower *w, int32_t dim) {
    size_t words = cp_tree_words(cp_greedy_grower_levels(w, (size_t)dim));
    return words < CP_SPLIT_CELLS / 32 ? CP_SPLIT_CELLS / 32 : words;
}

copse_status cp_greedy_step_keep(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err) {
    if (!s->split.is_set) return COPSE_OK;
    const size_t words = set_words(w, s->split.dim);
    uint32_t *set = cp_arena_get(&w->arena, words, sizeof *set);
    if (!set) return cp_fail_memory(err);
    memcpy(set, s->split.set, words * sizeof *set);
    s->split.set = set;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ write */

/* A set of bins as a set of levels.  Bin b < CP_BINS_MAX - 1 is level b; the rarest levels share the last bin, and all
 * go where it goes. */
static uint32_t *expand_set(cp_greedy_grower *w, const uint32_t *bins, uint32_t levels) {
    const uint32_t last = CP_BINS_MAX - 1;
    uint32_t *set = w->level_set;
    memset(set, cp_split_in_set(bins, last) ? 0xff : 0, cp_tree_words(levels) * sizeof *set);
    for (uint32_t b = 0; b <= last; b++) {
        uint32_t bit = 1u << b % 32;
        set[b / 32] = (set[b / 32] & ~bit) | (bins[b / 32] & bit);
    }
    if (levels % 32) set[levels / 32] &= (1u << levels % 32) - 1;
    return set;
}

copse_status cp_greedy_step_write(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err) {
    cp_split split = s->split;
    const uint32_t levels = split.is_set ? cp_greedy_grower_levels(w, (size_t)split.dim) : 0;
    if (w->records->bin && levels > CP_BINS_MAX) split.set = expand_set(w, split.set, levels);
    CP_TRY(cp_greedy_grower_split(w, s->node.id, &split, s->gain, err));
    cp_greedy_query_rows query_rows[2];
    cp_greedy_grower_divide_queries(w, s->node.id, s->node.query_rows, query_rows);
    for (int side = 0; side < 2; side++) {
        s->child[side].id = w->tree->node[s->node.id].next + side;
        s->child[side].query_rows = query_rows[side];
    }
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- divide */

/* The right child's records begin at `mid`. */
static void set_children(cp_greedy_step *s, size_t mid) {
    for (int side = 0; side < 2; side++) {
        cp_greedy_node *child = &s->child[side];
        child->depth = s->node.depth + 1;
        child->lo = side ? mid : s->node.lo;
        child->hi = side ? s->node.hi : mid;
        child->path = cp_greedy_grower_child_path(s->node.path, side);
        child->hist = NULL;
    }
}

void cp_greedy_step_divide(cp_greedy_grower *w, cp_greedy_step *s) {
    set_children(s, w->random ? cp_greedy_random_divide(w, &s->node, &s->split)
                              : cp_greedy_records_divide(w->records, s->node.lo, s->node.hi, &s->split));
}

copse_status cp_greedy_step_divide_parallel(cp_greedy_grower *w, const copse_run *run, cp_greedy_step *s,
                                            copse_error *err) {
    cp_greedy_records_cut c = {.lo = s->node.lo, .hi = s->node.hi, .split = &s->split};
    CP_TRY(cp_greedy_records_divide_parallel(w->records, &c, run, err));
    set_children(s, c.mid);
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- hand_down */

copse_status cp_greedy_step_hand_down(cp_greedy_grower *w, cp_greedy_step *s, size_t limit, copse_error *err) {
    const int smaller = cp_greedy_step_smaller(s);
    cp_greedy_node *node = &s->node, *small = &s->child[smaller], *large = &s->child[!smaller];
    if (!node->hist) return COPSE_OK;
    if (cp_greedy_node_rows(large) > limit) {
        if (!small->hist) CP_TRY(cp_greedy_hist_add(w, small->lo, small->hi, small, err));
        cp_greedy_hist_subtract(w, node, small, large);
        if (cp_greedy_node_rows(small) <= limit) cp_greedy_hist_drop(w, small);
    }
    cp_greedy_hist_drop(w, node);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ close */

copse_status cp_greedy_step_close(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err) {
    const cp_greedy_node *node = &s->node;
    cp_greedy_hist_drop(w, &s->node);
    return cp_greedy_grower_leaf(w, node->id, w->records->row + node->lo, cp_greedy_node_rows(node), err);
}
