#include "greedy/greedy_sorted.h"

#include <math.h>
#include <string.h>

#include "kernel/sort.h"
#include "split/split_category.h"
#include "split/split_hist.h"

struct cp_greedy_sorted {
    uint64_t *key, *key_tmp; /* a sorted list: rank << 32 | position in the node */
    int64_t *cell;           /* gini on bins: weight by bin and class; NULL: not used */
    size_t cells;            /* how many there is room for */
};

copse_status cp_greedy_sorted_new(cp_greedy_grower *w, size_t rows, copse_error *err) {
    struct cp_greedy_sorted *f = w->sorted = cp_arena_get(&w->arena, 1, sizeof *f);
    if (!f) return cp_fail_memory(err);
    *f = (struct cp_greedy_sorted){0};
    if (w->records->bin && w->records->rule.kind == CP_SPLIT_GINI) {
        size_t all = w->records->data->rows.classes * CP_SPLIT_CELLS, most = CP_SPLIT_CELLS_A_ROW * rows;
        f->cells = all < most ? all : most;
        f->cell = cp_arena_get(&w->arena, f->cells, sizeof *f->cell);
        if (!f->cell) return cp_fail_memory(err);
    }
    f->key = cp_arena_get(&w->arena, rows, sizeof *f->key);
    f->key_tmp = cp_arena_get(&w->arena, rows, sizeof *f->key_tmp);
    return f->key && f->key_tmp ? COPSE_OK : cp_fail_memory(err);
}

/* ------------------------------------------------------------------------------------------------- counting classes */

/* Sums the weight of each class in each bin of a column.  Returns 0 if some row has no value. */
static int fill_classes(const cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    const cp_greedy_records *r = w->records;
    const size_t classes = r->rule.classes, stride = r->stride;
    const uint8_t *bin = r->bin + node->lo * stride + dim;
    int64_t *cell = w->sorted->cell;
    memset(cell, 0, r->data->bins.count[dim] * classes * sizeof *cell);
    for (const cp_sum *a = r->sum + node->lo, *end = r->sum + node->hi; a < end; a++, bin += stride) {
        if (*bin == CP_BINS_MISSING) return 0;
        cell[*bin * classes + (size_t)a->s] += a->w;
    }
    return 1;
}

/* Counts classes by bin, which is faster than sorting while there are few cells a row.  Returns 0 if the column needs
 * the sorted list. */
static int try_classes(cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    const cp_greedy_records *r = w->records;
    size_t cells = r->bin ? r->data->bins.count[dim] * r->rule.classes : 0;
    if (!w->sorted->cell || cp_greedy_grower_levels(w, dim) || cells > w->sorted->cells ||
        cells > CP_SPLIT_CELLS_A_ROW * (node->hi - node->lo))
        return 0;
    if (!fill_classes(w, node, dim)) return 0;
    if (!cp_split_hist_classes(&w->stats, w->sorted->cell, r->data->bins.count[dim], &w->best)) return 1;
    w->best.dim = (int32_t)dim;
    w->best.cut = cp_greedy_grower_bin_cut(w, dim, w->best.below, w->best.above);
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* A counting sort: bins are ranks. */
static void sort_bins(cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    const uint8_t *bin = w->records->bin + node->lo * w->records->stride + dim;
    size_t n = node->hi - node->lo, k = w->records->stride, place[CP_BINS_MAX + 1] = {0};
    for (size_t i = 0; i < n; i++) place[bin[i * k]]++;
    for (size_t b = 0, at = 0; b <= CP_BINS_MAX; b++) {
        size_t c = place[b];
        place[b] = at;
        at += c;
    }
    uint64_t *key = w->sorted->key;
    for (size_t i = 0; i < n; i++) {
        uint32_t b = bin[i * k];
        uint32_t rank = b == CP_BINS_MISSING ? CP_SPLIT_MISSING : b;
        key[place[b]++] = (uint64_t)rank << 32 | i;
    }
}

static void sort_values(cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    size_t n = node->hi - node->lo;
    for (size_t i = 0; i < n; i++) {
        float x = cp_greedy_records_value(w->records, w->records->row[node->lo + i], dim);
        uint32_t rank = isnan(x) ? CP_SPLIT_MISSING : levels ? (uint32_t)x : cp_sort_from_float(x);
        if (levels && rank >= levels) rank = CP_SPLIT_MISSING;
        w->sorted->key[i] = (uint64_t)rank << 32 | i;
    }
    cp_sort_wide(w->sorted->key, n, w->sorted->key_tmp);
}

static void try_column(cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    const cp_greedy_records *r = w->records;
    if (try_classes(w, node, dim)) return;
    if (r->bin)
        sort_bins(w, node, dim);
    else
        sort_values(w, node, dim);
    size_t n = node->hi - node->lo;
    cp_split_list l = {.key = w->sorted->key, .wide = 1, .n = n, .present = n, .sum = r->sum + node->lo};
    if (cp_split_rank(&l, 0) == cp_split_rank(&l, n - 1)) return;
    while (l.present && cp_split_rank(&l, l.present - 1) == CP_SPLIT_MISSING) l.present--;
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    if (levels) {
        uint32_t ids = r->bin ? r->data->bins.count[dim] : levels;
        if (cp_split_category(&w->stats, &l, ids, &w->best)) w->best.dim = (int32_t)dim;
        return;
    }
    if (!cp_split_scan(&w->stats, &l, &w->best)) return;
    cp_split *s = &w->best;
    s->dim = (int32_t)dim;
    if (r->bin)
        s->cut = cp_greedy_grower_bin_cut(w, dim, s->below, s->above);
    else
        s->cut = s->above == CP_SPLIT_MISSING ? INFINITY
                                              : cp_bins_middle(cp_sort_to_float(s->below), cp_sort_to_float(s->above));
}

void cp_greedy_sorted_search(cp_greedy_grower *w, const cp_greedy_node *node) {
    int32_t dim;
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE) try_column(w, node, (size_t)dim);
}
