#include "greedy/greedy_hist.h"

#include <string.h>

#include "split/split_hist.h"

enum {
    GROUP = 8,      /* columns whose histograms are filled together: 32 KB, the first-level cache */
    STRETCH = 4096, /* rows that are added to all groups before the next rows are: they stay in a cache meanwhile */
    MOST_INHERITED = 512 /* with more columns, keeping the histograms of open nodes would take too much memory */
};

struct cp_greedy_hist {
    int inherits; /* nodes keep the histograms of all columns and hand them down */
    cp_sum *some; /* else: histograms of GROUP columns */
    cp_sum *free; /* inherits: a linked list of histograms to be used again */
};

/* Cells of a node's histograms. */
static size_t hist_size(const cp_greedy_grower *w) {
    return w->records->data->rows.dims * CP_SPLIT_CELLS;
}

int cp_greedy_hist_applies(const cp_greedy_grower *w) {
    return w->records->bin && w->records->rule.kind == CP_SPLIT_SQUARED && !w->rule->random_cuts;
}

int cp_greedy_hist_inherits(const cp_greedy_grower *w) {
    return w->hist && w->hist->inherits;
}

copse_status cp_greedy_hist_new(cp_greedy_grower *w, copse_error *err) {
    const size_t dims = w->records->data->rows.dims;
    struct cp_greedy_hist *h = w->hist = cp_arena_get(&w->arena, 1, sizeof *h);
    if (!h) return cp_fail_memory(err);
    *h = (struct cp_greedy_hist){.inherits =
                                     w->rule->features >= dims && dims <= MOST_INHERITED && !w->rule->max_leaves};
    if (h->inherits) return COPSE_OK;
    h->some = cp_arena_get(&w->arena, (size_t)GROUP * CP_SPLIT_CELLS, sizeof *h->some);
    return h->some ? COPSE_OK : cp_fail_memory(err);
}

/* ---------------------------------------------------------------------------------------------------------- filling */

static void add_cell(cp_sum *cell, const cp_sum *a) {
    *(cp_sum_pair *)cell += *(const cp_sum_pair *)a;
}

/* Adds records to the histograms of n <= GROUP columns. */
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

/* Histograms whose cells are all 0.  Free histograms are linked through their first words. */
static copse_status take(cp_greedy_grower *w, cp_sum **out, copse_error *err) {
    struct cp_greedy_hist *h = w->hist;
    *out = h->free;
    if (h->free)
        memcpy(&h->free, (const void *)*out, sizeof h->free);
    else if (!(*out = cp_arena_get(&w->arena, hist_size(w), sizeof **out)))
        return cp_fail_memory(err);
    memset(*out, 0, hist_size(w) * sizeof **out);
    return COPSE_OK;
}

void cp_greedy_hist_drop(cp_greedy_grower *w, cp_greedy_node *node) {
    if (!node->hist) return;
    memcpy((void *)node->hist, &w->hist->free, sizeof w->hist->free);
    w->hist->free = node->hist;
    node->hist = NULL;
}

copse_status cp_greedy_hist_add(cp_greedy_grower *w, size_t lo, size_t hi, cp_greedy_node *to, copse_error *err) {
    if (!to->hist) CP_TRY(take(w, &to->hist, err));
    for (size_t i = lo; i < hi; i += STRETCH) add_to_all(w, i, hi - i < STRETCH ? hi : i + STRETCH, to->hist);
    return COPSE_OK;
}

void cp_greedy_hist_merge(cp_greedy_grower *w, cp_greedy_node *to, cp_greedy_node *partial) {
    if (to->hist && partial->hist) {
        for (size_t i = 0; i < hist_size(w); i++) add_cell(&to->hist[i], &partial->hist[i]);
        cp_greedy_hist_drop(w, partial);
    }
    if (!to->hist) to->hist = partial->hist;
    partial->hist = NULL;
}

void cp_greedy_hist_subtract(const cp_greedy_grower *w, cp_greedy_node *parent, const cp_greedy_node *small,
                             cp_greedy_node *large) {
    large->hist = parent->hist;
    parent->hist = NULL;
    for (size_t i = 0; i < hist_size(w); i++) {
        large->hist[i].w -= small->hist[i].w;
        large->hist[i].s -= small->hist[i].s;
    }
}

/* -------------------------------------------------------------------------------------------------------- searching */

static void try_column(cp_greedy_grower *w, size_t dim, const cp_sum *cell) {
    const cp_bins *b = &w->records->data->bins;
    int better = cp_greedy_grower_levels(w, dim) ? cp_split_hist_levels(&w->stats, cell, b->count[dim], &w->best)
                                                 : cp_split_hist_numbers(&w->stats, cell, b->count[dim], &w->best);
    if (!better) return;
    w->best.dim = (int32_t)dim;
    if (!w->best.is_set) w->best.cut = cp_greedy_grower_bin_cut(w, dim, w->best.below, w->best.above);
}

static copse_status try_all(cp_greedy_grower *w, cp_greedy_node *node, copse_error *err) {
    if (!node->hist) CP_TRY(cp_greedy_hist_add(w, node->lo, node->hi, node, err));
    for (size_t d = 0; d < w->records->data->rows.dims; d++) try_column(w, d, node->hist + d * CP_SPLIT_CELLS);
    return COPSE_OK;
}

static void try_some(cp_greedy_grower *w, const cp_greedy_node *node) {
    uint32_t column[GROUP];
    int32_t dim = 0;
    while (dim != CP_NONE) {
        size_t n = 0;
        while (n < GROUP && (dim = cp_greedy_grower_column(w, n > 0 || w->best.num >= 0)) != CP_NONE)
            column[n++] = (uint32_t)dim;
        if (n == 0) break;
        memset(w->hist->some, 0, n * CP_SPLIT_CELLS * sizeof *w->hist->some);
        add_rows(w->records, node->lo, node->hi, column, n, w->hist->some);
        for (size_t j = 0; j < n; j++) try_column(w, column[j], w->hist->some + j * CP_SPLIT_CELLS);
        dim = 0;
    }
}

copse_status cp_greedy_hist_search(cp_greedy_grower *w, cp_greedy_node *node, copse_error *err) {
    if (w->hist->inherits) return try_all(w, node, err);
    try_some(w, node);
    return COPSE_OK;
}
