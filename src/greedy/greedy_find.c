#include "greedy/greedy_find.h"

#include <math.h>
#include <string.h>

#include "greedy/greedy_random.h"
#include "kernel/sort.h"

enum {
    GROUP = 8,        /* columns whose histograms are filled together: 32 KB, the first-level cache; */
    STRETCH = 4096,   /* rows they are filled from before the next ones are, which find these rows still in a cache */
    MOST_HANDED = 512 /* columns beyond which handing histograms down would take too much memory */
};

struct cp_greedy_finder {
    int hands_down;          /* histograms of all columns are kept and handed down */
    cp_sum *hist;            /* else: those of a group of columns */
    cp_sum *spare;           /* a chain of histograms to be used again */
    uint64_t *key, *key_tmp; /* sorted lists */
    int64_t *classes;        /* gini: a column's histogram by class, and room for how many cells */
    size_t cells;
    uint32_t *levels; /* a set of levels made from a set of bins */
};

static size_t hist_size(const cp_greedy_grower *w) {
    return w->records->data->rows.dims * CP_SPLIT_CELLS;
}

static int uses_hist(const cp_greedy_grower *w) {
    return w->records->bin && w->records->rule.kind == CP_SPLIT_SQUARED && !w->rule->random_cuts;
}

copse_status cp_greedy_find_new(cp_greedy_grower *w, size_t rows, copse_error *err) {
    const cp_rows *data = &w->records->data->rows;
    struct cp_greedy_finder *f = cp_arena_get(&w->tmp, 1, sizeof *f);
    if (!f) return cp_fail_memory(err);
    *f = (struct cp_greedy_finder){0};
    w->finder = f;
    uint32_t widest = 0;
    for (size_t d = 0; data->levels && d < data->dims; d++)
        if (data->levels[d] > widest) widest = data->levels[d];
    f->levels = cp_arena_get(&w->tmp, cp_tree_words(widest) + 1, sizeof *f->levels);
    if (!f->levels) return cp_fail_memory(err);
    f->hands_down =
        uses_hist(w) && w->rule->features >= data->dims && data->dims <= MOST_HANDED && !w->rule->max_leaves;
    if (uses_hist(w)) {
        if (f->hands_down) return COPSE_OK;
        f->hist = cp_arena_get(&w->tmp, GROUP * CP_SPLIT_CELLS, sizeof *f->hist);
        return f->hist ? COPSE_OK : cp_fail_memory(err);
    }
    if (w->rule->random_cuts) return cp_greedy_random_new(w, rows, err);
    if (w->records->bin && w->records->rule.kind == CP_SPLIT_GINI) {
        size_t all = data->classes * CP_SPLIT_CELLS, most = CP_SPLIT_CELLS_A_ROW * rows;
        f->cells = all < most ? all : most;
        f->classes = cp_arena_get(&w->tmp, f->cells, sizeof *f->classes);
        if (!f->classes) return cp_fail_memory(err);
    }
    f->key = cp_arena_get(&w->tmp, rows, sizeof *f->key);
    f->key_tmp = cp_arena_get(&w->tmp, rows, sizeof *f->key_tmp);
    return f->key && f->key_tmp ? COPSE_OK : cp_fail_memory(err);
}

/* -------------------------------------------------------------------------------------------------------- measuring */

static cp_sum add_up(const cp_sum *sum, size_t n) {
    cp_sum all = {0, 0};
    for (size_t i = 0; i < n; i++) {
        all.w += sum[i].w;
        all.s += sum[i].s;
    }
    return all;
}

static void measure(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    cp_split_node *n = &w->node;
    const cp_sum *sum = w->records->sum;
    cp_sum all = {0, 0};
    n->rows = o->hi - o->lo;
    n->square = 0;
    if (n->rule->kind == CP_SPLIT_SQUARED) {
        all = o->hist ? add_up(o->hist, CP_SPLIT_CELLS) : add_up(sum + o->lo, n->rows); /* any column has all rows */
        n->weight = cp_split_weight(n->rule, all.w);
        n->mean = (double)all.s / n->weight;
        return;
    }
    /* Classes in the order greedy_cached meets them: squares of real weights are not summed exactly. */
    size_t seen = 0;
    memset(n->total, 0, n->rule->classes * sizeof *n->total);
    for (size_t i = o->lo; i < o->hi; i++) {
        all.w += sum[i].w;
        if (n->total[sum[i].s] == 0) w->seen[seen++] = (uint32_t)sum[i].s;
        n->total[sum[i].s] += cp_split_weight(n->rule, sum[i].w);
    }
    n->weight = cp_split_weight(n->rule, all.w);
    for (size_t k = 0; k < seen; k++) {
        double c = n->total[w->seen[k]];
        n->square += n->rule->kind == CP_SPLIT_GINI ? c * c : c * log(c);
    }
}

static int is_pure(const cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    const cp_greedy_records *r = w->records;
    const double *y = r->data->rows.y;
    const int32_t *label = r->data->rows.label;
    uint32_t first = r->row[o->lo];
    for (size_t i = o->lo + 1; i < o->hi; i++)
        if (y ? y[r->row[i]] != y[first] : label[r->row[i]] != label[first]) return 0;
    return 1;
}

/* ------------------------------------------------------------------------------------------------------- histograms */

static void add_cell(cp_sum *cell, const cp_sum *a) {
    *(cp_sum_pair *)cell += *(const cp_sum_pair *)a;
}

/* Histograms of n <= GROUP columns. */
static void add_rows(const cp_greedy_records *r, size_t lo, size_t hi, const uint32_t *column, size_t n, cp_sum *hist) {
    for (size_t i = lo; i < hi; i++) {
        const uint8_t *bin = r->bin + i * r->stride;
        const cp_sum *a = &r->sum[i];
        for (size_t j = 0; j < n; j++) add_cell(&hist[j * CP_SPLIT_CELLS + bin[column[j]]], a);
    }
}

static void add_to_all(const cp_greedy_grower *w, size_t lo, size_t hi, cp_sum *hist) {
    size_t dims = w->records->data->rows.dims;
    for (size_t d = 0; d < dims; d += GROUP) {
        uint32_t column[GROUP];
        size_t n = dims - d < GROUP ? dims - d : GROUP;
        for (size_t j = 0; j < n; j++) column[j] = (uint32_t)(d + j);
        add_rows(w->records, lo, hi, column, n, hist + d * CP_SPLIT_CELLS);
    }
}

/* All cells 0.  Spare histograms are chained through their first words. */
static copse_status take_hist(cp_greedy_grower *w, cp_sum **out, copse_error *err) {
    struct cp_greedy_finder *f = w->finder;
    *out = f->spare;
    if (f->spare)
        memcpy(&f->spare, (const void *)*out, sizeof f->spare);
    else if (!(*out = cp_arena_get(&w->tmp, hist_size(w), sizeof **out)))
        return cp_fail_memory(err);
    memset(*out, 0, hist_size(w) * sizeof **out);
    return COPSE_OK;
}

void cp_greedy_find_drop_hist(cp_greedy_grower *w, cp_greedy_frontier_node *o) {
    if (!o->hist) return;
    memcpy((void *)o->hist, &w->finder->spare, sizeof w->finder->spare);
    w->finder->spare = o->hist;
    o->hist = NULL;
}

int cp_greedy_find_has_hist(const cp_greedy_grower *w) {
    return w->finder->hands_down;
}

copse_status cp_greedy_find_add_hist(cp_greedy_grower *w, size_t lo, size_t hi, cp_greedy_frontier_node *to,
                                     copse_error *err) {
    if (!to->hist) CP_TRY(take_hist(w, &to->hist, err));
    for (size_t i = lo; i < hi; i += STRETCH) add_to_all(w, i, hi - i < STRETCH ? hi : i + STRETCH, to->hist);
    return COPSE_OK;
}

void cp_greedy_find_merge_hist(cp_greedy_grower *w, cp_greedy_frontier_node *to, cp_greedy_frontier_node *part) {
    if (to->hist && part->hist) {
        for (size_t i = 0; i < hist_size(w); i++) add_cell(&to->hist[i], &part->hist[i]);
        cp_greedy_find_drop_hist(w, part);
    }
    if (!to->hist) to->hist = part->hist;
    part->hist = NULL;
}

copse_status cp_greedy_find_hand_down(cp_greedy_grower *w, cp_greedy_frontier_node *from,
                                      cp_greedy_frontier_node *small, cp_greedy_frontier_node *large, size_t local,
                                      copse_error *err) {
    if (!from->hist) return COPSE_OK;
    if (large->hi - large->lo > local) {
        if (!small->hist) CP_TRY(cp_greedy_find_add_hist(w, small->lo, small->hi, small, err));
        large->hist = from->hist;
        from->hist = NULL;
        for (size_t i = 0; i < hist_size(w); i++) {
            large->hist[i].w -= small->hist[i].w;
            large->hist[i].s -= small->hist[i].s;
        }
        if (small->hi - small->lo <= local) cp_greedy_find_drop_hist(w, small);
    }
    cp_greedy_find_drop_hist(w, from);
    return COPSE_OK;
}

static float cut_of_bins(const cp_bins *b, size_t dim, uint32_t below, uint32_t above) {
    if (above == CP_SPLIT_MISSING) return INFINITY;
    return cp_bins_between(b, dim, below, above);
}

static void try_hist(cp_greedy_grower *w, size_t dim, const cp_sum *cell) {
    const cp_bins *b = &w->records->data->bins;
    int better = cp_greedy_grower_levels(w, dim) ? cp_split_hist_levels(&w->node, cell, b->count[dim], &w->best)
                                                 : cp_split_hist_numbers(&w->node, cell, b->count[dim], &w->best);
    if (!better) return;
    w->best.dim = (int32_t)dim;
    if (!w->best.is_set) w->best.cut = cut_of_bins(b, dim, w->best.below, w->best.above);
}

static copse_status try_all_hist(cp_greedy_grower *w, cp_greedy_frontier_node *o, copse_error *err) {
    if (!o->hist) CP_TRY(cp_greedy_find_add_hist(w, o->lo, o->hi, o, err));
    for (size_t d = 0; d < w->records->data->rows.dims; d++) try_hist(w, d, o->hist + d * CP_SPLIT_CELLS);
    return COPSE_OK;
}

static void try_some_hist(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    uint32_t column[GROUP];
    int32_t dim = 0;
    while (dim != CP_NONE) {
        size_t n = 0;
        while (n < GROUP && (dim = cp_greedy_grower_column(w, n > 0 || w->best.num >= 0)) != CP_NONE)
            column[n++] = (uint32_t)dim;
        if (n == 0) break;
        memset(w->finder->hist, 0, n * CP_SPLIT_CELLS * sizeof *w->finder->hist);
        add_rows(w->records, o->lo, o->hi, column, n, w->finder->hist);
        for (size_t j = 0; j < n; j++) try_hist(w, column[j], w->finder->hist + j * CP_SPLIT_CELLS);
        dim = 0;
    }
}

/* ----------------------------------------------------------------------------------------------------- sorted lists */

/* Bins are ranks: one pass counts them, one puts the rows in their places. */
static void sort_bins(cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    const uint8_t *bin = w->records->bin + o->lo * w->records->stride + dim;
    size_t n = o->hi - o->lo, k = w->records->stride, place[CP_BINS_MAX + 1] = {0};
    for (size_t i = 0; i < n; i++) place[bin[i * k]]++;
    for (size_t b = 0, at = 0; b <= CP_BINS_MAX; b++) {
        size_t c = place[b];
        place[b] = at;
        at += c;
    }
    uint64_t *key = w->finder->key;
    for (size_t i = 0; i < n; i++) {
        uint32_t b = bin[i * k];
        uint32_t rank = b == CP_BINS_MISSING ? CP_SPLIT_MISSING : b;
        key[place[b]++] = (uint64_t)rank << 32 | i;
    }
}

static void sort_values(cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    size_t n = o->hi - o->lo;
    for (size_t i = 0; i < n; i++) {
        float x = cp_greedy_records_value(w->records, w->records->row[o->lo + i], dim);
        uint32_t rank = isnan(x) ? CP_SPLIT_MISSING : levels ? (uint32_t)x : cp_sort_from_float(x);
        if (levels && rank >= levels) rank = CP_SPLIT_MISSING;
        w->finder->key[i] = (uint64_t)rank << 32 | i;
    }
    cp_sort_wide(w->finder->key, n, w->finder->key_tmp);
}

/* 0 if some rows have no value. */
static int fill_classes(const cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    const cp_greedy_records *r = w->records;
    const size_t classes = r->rule.classes, stride = r->stride;
    const uint8_t *bin = r->bin + o->lo * stride + dim;
    int64_t *cell = w->finder->classes;
    memset(cell, 0, r->data->bins.count[dim] * classes * sizeof *cell);
    for (const cp_sum *a = r->sum + o->lo, *end = r->sum + o->hi; a < end; a++, bin += stride) {
        if (*bin == CP_BINS_MISSING) return 0;
        cell[*bin * classes + (size_t)a->s] += a->w;
    }
    return 1;
}

/* Where there are fewer cells than rows, counting classes by bin is faster than sorting.  1: done. */
static int try_classes(cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    const cp_greedy_records *r = w->records;
    size_t cells = r->bin ? r->data->bins.count[dim] * r->rule.classes : 0;
    if (!w->finder->classes || cp_greedy_grower_levels(w, dim) || cells > w->finder->cells ||
        cells > CP_SPLIT_CELLS_A_ROW * (o->hi - o->lo))
        return 0;
    if (!fill_classes(w, o, dim)) return 0;
    if (!cp_split_hist_classes(&w->node, w->finder->classes, r->data->bins.count[dim], &w->best)) return 1;
    w->best.dim = (int32_t)dim;
    w->best.cut = cut_of_bins(&r->data->bins, dim, w->best.below, w->best.above);
    return 1;
}

static void try_list(cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    const cp_greedy_records *r = w->records;
    if (try_classes(w, o, dim)) return;
    if (r->bin)
        sort_bins(w, o, dim);
    else
        sort_values(w, o, dim);
    size_t n = o->hi - o->lo;
    cp_split_list l = {.key = w->finder->key, .wide = 1, .n = n, .present = n, .sum = r->sum + o->lo};
    if (cp_split_rank(&l, 0) == cp_split_rank(&l, n - 1)) return;
    while (l.present && cp_split_rank(&l, l.present - 1) == CP_SPLIT_MISSING) l.present--;
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    if (levels) {
        uint32_t ids = r->bin ? r->data->bins.count[dim] : levels;
        if (cp_split_category(&w->node, &l, ids, &w->best)) w->best.dim = (int32_t)dim;
        return;
    }
    if (!cp_split_scan(&w->node, &l, &w->best)) return;
    cp_split *s = &w->best;
    s->dim = (int32_t)dim;
    if (r->bin)
        s->cut = cut_of_bins(&r->data->bins, dim, s->below, s->above);
    else
        s->cut = s->above == CP_SPLIT_MISSING ? INFINITY
                                              : cp_bins_middle(cp_sort_to_float(s->below), cp_sort_to_float(s->above));
}

/* -------------------------------------------------------------------------------------------------------------- all */

static copse_status try_columns(cp_greedy_grower *w, cp_greedy_frontier_node *o, copse_error *err) {
    int32_t dim;
    if (w->finder->hands_down) return try_all_hist(w, o, err);
    if (uses_hist(w)) {
        try_some_hist(w, o);
        return COPSE_OK;
    }
    if (w->rule->random_cuts) {
        cp_greedy_random_try(w, o);
        return COPSE_OK;
    }
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE) try_list(w, o, (size_t)dim);
    return COPSE_OK;
}

copse_status cp_greedy_find(cp_greedy_grower *w, cp_greedy_frontier_node *o, int *found, copse_error *err) {
    *found = 0;
    measure(w, o);
    if (cp_greedy_grower_must_stop(w, o->depth)) return COPSE_OK;
    if (is_pure(w, o)) return COPSE_OK;
    cp_greedy_grower_begin(w, o);
    CP_TRY(try_columns(w, o, err));
    cp_greedy_grower_end(w);
    *found = w->best.num >= 0; /* a cut that takes nothing away may still help further down: exclusive or */
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- splitting */

/* A set holds levels, or bins where there are some. */
static size_t set_words(const cp_greedy_grower *w, int32_t dim) {
    size_t words = cp_tree_words(cp_greedy_grower_levels(w, (size_t)dim));
    return words < CP_SPLIT_CELLS / 32 ? CP_SPLIT_CELLS / 32 : words;
}

copse_status cp_greedy_find_keep(cp_greedy_grower *w, cp_greedy_found *out, copse_error *err) {
    *out = (cp_greedy_found){.split = w->best, .weight = w->node.weight, .square = w->node.square};
    if (!w->best.is_set) return COPSE_OK;
    size_t words = set_words(w, w->best.dim);
    out->split.set = cp_arena_get(&w->tmp, words, sizeof *out->split.set);
    if (!out->split.set) return cp_fail_memory(err);
    memcpy(out->split.set, w->best.set, words * sizeof *out->split.set);
    return COPSE_OK;
}

void cp_greedy_find_recall(cp_greedy_grower *w, const cp_greedy_found *f) {
    uint32_t *set = w->best.set;
    w->best = f->split;
    w->best.set = set;
    if (f->split.is_set) memcpy(set, f->split.set, set_words(w, f->split.dim) * sizeof *set);
    w->node.weight = f->weight;
    w->node.square = f->square;
}

copse_status cp_greedy_find_write(cp_greedy_grower *w, int32_t node, copse_error *err) {
    cp_split *s = &w->best;
    uint32_t levels = s->is_set ? cp_greedy_grower_levels(w, (size_t)s->dim) : 0, bins = CP_BINS_MAX;
    if (!w->records->bin || levels <= bins) return cp_greedy_grower_split(w, node, err);
    /* The rarest levels share the last bin and go where it goes. */
    uint32_t *set = s->set, last = set[(bins - 1) / 32] >> (bins - 1) % 32 & 1;
    memset(w->finder->levels, last ? 0xff : 0, cp_tree_words(levels) * sizeof *set);
    for (uint32_t b = 0; b < bins; b++) {
        uint32_t bit = 1u << b % 32;
        w->finder->levels[b / 32] = (w->finder->levels[b / 32] & ~bit) | (set[b / 32] & bit);
    }
    if (levels % 32) w->finder->levels[levels / 32] &= (1u << levels % 32) - 1;
    s->set = w->finder->levels;
    copse_status status = cp_greedy_grower_split(w, node, err);
    s->set = set;
    return status;
}

static void make_children(const cp_greedy_frontier_node *o, size_t mid, cp_greedy_frontier_node child[2]) {
    child[0] = (cp_greedy_frontier_node){.node = CP_NONE,
                                         .depth = o->depth + 1,
                                         .lo = o->lo,
                                         .hi = mid,
                                         .path = cp_greedy_grower_child_path(o->path, 0)};
    child[1] = (cp_greedy_frontier_node){.node = CP_NONE,
                                         .depth = o->depth + 1,
                                         .lo = mid,
                                         .hi = o->hi,
                                         .path = cp_greedy_grower_child_path(o->path, 1)};
}

void cp_greedy_find_divide(cp_greedy_grower *w, const cp_greedy_frontier_node *o, cp_greedy_frontier_node child[2]) {
    size_t mid = w->rule->random_cuts ? cp_greedy_random_divide(w, o)
                                      : cp_greedy_records_divide(w->records, o->lo, o->hi, &w->best);
    make_children(o, mid, child);
}

copse_status cp_greedy_find_divide_parallel(cp_greedy_grower *w, const copse_run *run, const cp_greedy_frontier_node *o,
                                            cp_greedy_frontier_node child[2], copse_error *err) {
    cp_greedy_records_cut c = {.lo = o->lo, .hi = o->hi, .split = &w->best};
    CP_TRY(cp_greedy_records_divide_parallel(w->records, &c, run, err));
    make_children(o, c.mid, child);
    return COPSE_OK;
}

copse_status cp_greedy_find_split(cp_greedy_grower *w, const cp_greedy_frontier_node *o,
                                  cp_greedy_frontier_node child[2], copse_error *err) {
    CP_TRY(cp_greedy_find_write(w, o->node, err));
    cp_greedy_find_divide(w, o, child);
    child[0].node = w->tree->node[o->node].next;
    child[1].node = child[0].node + 1;
    cp_greedy_query_rows query_rows[2] = {{0}};
    cp_greedy_grower_divide_queries(w, o->node, o->query_rows, query_rows);
    for (int side = 0; side < 2; side++) child[side].query_rows = query_rows[side];
    return COPSE_OK;
}

copse_status cp_greedy_find_close(cp_greedy_grower *w, const cp_greedy_frontier_node *o, copse_error *err) {
    return cp_greedy_grower_leaf(w, o->node, w->records->row + o->lo, o->hi - o->lo, err);
}
