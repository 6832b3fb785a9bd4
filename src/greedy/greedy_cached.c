#include "greedy/greedy_cached.h"

#include <math.h>
#include <string.h>

#include "kernel/partition.h"
#include "kernel/sort.h"
#include "num/math.h"
#include "split/split_category.h"
#include "split/split_hist.h"

enum { MISSING_RANK = CP_GREEDY_RANK_NONE };

/* Rows of a small node, at most.  Rows are numbered in 16 bits, which bounds trees without bins.  With bins, larger
 * nodes are searched by histograms; the bound is lower where fewer than half the columns are tried, because here a
 * column is sorted for all rows before it is tried at any node. */
enum { MOST_ROWS = 65534, BINNED_ROWS = 1024, BINNED_ROWS_FEW_COLUMNS = 256 };

/* A node: rows lo ... hi-1 of member[half], and of every list that is kept divided.  The left child stays in its half,
 * the right one goes to the same rows of the other half, which are free. */
typedef struct cached_node {
    int32_t id;
    uint32_t depth, lo, hi, half;
    cp_greedy_query_rows query_rows;
    uint64_t path;
    cp_sum sum; /* regression: over its rows */
} cached_node;

typedef struct cp_greedy_cached {
    size_t stride;  /* from one column's array to the next column's */
    int keep_lists; /* sorted lists of all columns are kept, and divided with the nodes */
    cp_partition_fn partition;
    /* The rows of the small node that is grown, numbered 0 ... m-1. */
    size_t m;
    const cp_sum *sum;
    const uint32_t *row; /* numbers in the table */
    const uint8_t *bin;  /* NULL: there are no bins */
    double *y;           /* regression: targets */
    uint8_t *side;       /* in the split under way: 1 goes left */
    uint16_t *member[2];
    uint32_t *node_row; /* scratch: numbers of a leaf's rows in the table */
    /* Per column, `stride` elements each. */
    uint32_t *list[2];   /* keep_lists: sorted keys */
    uint16_t *rank;      /* else: of each row */
    float *own_value;    /* else: of each rank, where no bins tell it */
    const float **value; /* per column: own_value or the bins'; numbers only */
    uint32_t *ranks;     /* per column: how many ranks there are; 0: not sorted yet */
    int64_t *cell;       /* gini without keep_lists: weight by rank and class */
    uint32_t *key, *key_tmp;
    uint64_t *wide, *wide_tmp;
    cached_node *stack;
} cp_greedy_cached;

static void *scratch(cp_greedy_grower *w, size_t n, size_t size, int *fine) {
    void *p = cp_arena_get(&w->arena, n, size);
    if (!p) *fine = 0;
    return p;
}

/* Random cuts need no order, and best-first growth keeps its nodes: neither grows nodes in the cache. */
static size_t most_rows(const cp_greedy_grower *w) {
    if (w->rule->random_cuts || w->rule->max_leaves) return 0;
    if (!w->records->bin) return MOST_ROWS;
    return 2 * w->rule->features >= w->records->data->rows.dims ? BINNED_ROWS : BINNED_ROWS_FEW_COLUMNS;
}

static copse_status make_scratch(cp_greedy_grower *w, size_t most, copse_error *err) {
    enum { LINE = 64 / sizeof(uint32_t) };
    size_t dims = w->records->data->rows.dims;
    int fine = 1;
    cp_greedy_cached *l = scratch(w, 1, sizeof *l, &fine);
    if (!l) return cp_fail_memory(err);
    /* The stride is an odd number of cache lines: with an even one, the columns of a small node would compete for one
     * set of the cache. */
    *l = (cp_greedy_cached){.stride = (most / LINE | 1) * LINE,
                            .keep_lists = 2 * w->rule->features >= dims,
                            .partition = cp_partition_best()};
    if (l->stride < most) l->stride += (size_t)2 * LINE;
    l->side = scratch(w, most, sizeof *l->side, &fine);
    if (w->records->rule.kind == CP_SPLIT_SQUARED) l->y = scratch(w, most, sizeof *l->y, &fine);
    l->node_row = scratch(w, most, sizeof *l->node_row, &fine);
    l->ranks = scratch(w, dims, sizeof *l->ranks, &fine);
    l->key = scratch(w, most + CP_CUT_SCAN_PAD, sizeof *l->key, &fine);
    l->key_tmp = scratch(w, most, sizeof *l->key_tmp, &fine);
    l->wide = scratch(w, most, sizeof *l->wide, &fine);
    l->wide_tmp = scratch(w, most, sizeof *l->wide_tmp, &fine);
    l->stack = scratch(w, most + 1, sizeof *l->stack, &fine);
    for (int half = 0; half < 2; half++) {
        l->member[half] = scratch(w, most + 1, sizeof *l->member[half], &fine);
        if (l->keep_lists)
            l->list[half] = scratch(w, dims * l->stride + CP_PARTITION_PAD, sizeof *l->list[half], &fine);
    }
    if (!l->keep_lists) {
        l->rank = scratch(w, dims * l->stride, sizeof *l->rank, &fine);
        l->own_value = scratch(w, dims * l->stride, sizeof *l->own_value, &fine);
        l->value = scratch(w, dims, sizeof *l->value, &fine);
    }
    if (!l->keep_lists && w->records->rule.kind == CP_SPLIT_GINI)
        l->cell = scratch(w, CP_SPLIT_CELLS_A_ROW * most, sizeof *l->cell, &fine);
    w->cached = l;
    return fine ? COPSE_OK : cp_fail_memory(err);
}

copse_status cp_greedy_cached_new(cp_greedy_grower *w, size_t rows, copse_error *err) {
    w->cached_rows = most_rows(w);
    if (!w->cached_rows) return COPSE_OK;
    return make_scratch(w, rows < w->cached_rows ? rows : w->cached_rows, err);
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* The key a row is sorted by: order-preserving bits of a number, or a level; missing values come last. */
static uint32_t value_key(const cp_greedy_grower *w, size_t i, size_t dim, uint32_t levels) {
    float x = cp_greedy_records_value(w->records, w->cached->row[i], dim);
    if (!levels) return isnan(x) ? CP_SPLIT_MISSING : cp_sort_from_float(x);
    uint32_t k = cp_greedy_rank_level(x, levels);
    return k == MISSING_RANK ? CP_SPLIT_MISSING : k;
}

/* Bins are in the order of the values they hold, so rows go to their bins first, and only within a bin they are
 * sorted. */
static void sort_by_bins(cp_greedy_grower *w, size_t dim, uint32_t levels) {
    cp_greedy_cached *l = w->cached;
    size_t k = w->records->stride;
    uint32_t end[CP_BINS_MAX + 1] = {0};
    const uint8_t *bin = l->bin + dim;
    for (size_t i = 0; i < l->m; i++) end[bin[i * k]]++;
    for (uint32_t b = 0, at = 0; b <= CP_BINS_MAX; b++) {
        uint32_t c = end[b];
        end[b] = at;
        at += c;
    }
    for (size_t i = 0; i < l->m; i++) l->wide[end[bin[i * k]]++] = (uint64_t)value_key(w, i, dim, levels) << 32 | i;
    for (uint32_t b = 0, first = 0; b < CP_BINS_MAX; first = end[b++])
        if (end[b] - first > 1) cp_sort_wide(l->wide + first, end[b] - first, l->wide_tmp);
}

/* The column's keys in l->wide, sorted: value << 32 | row. */
static void sort_values(cp_greedy_grower *w, size_t dim) {
    cp_greedy_cached *l = w->cached;
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    if (l->bin) {
        sort_by_bins(w, dim, levels);
        return;
    }
    for (size_t i = 0; i < l->m; i++) l->wide[i] = (uint64_t)value_key(w, i, dim, levels) << 32 | i;
    cp_sort_wide(l->wide, l->m, l->wide_tmp);
}

/* Replaces sorted values by ranks: the rank of a level is the level itself, that of a number counts the different
 * values below it.  Returns the number of ranks. */
static uint32_t rank_values(cp_greedy_cached *l, size_t dim, int is_level, uint32_t *key) {
    uint32_t rank = 0, last = 0;
    float *value = l->own_value ? l->own_value + dim * l->stride : NULL;
    for (size_t i = 0; i < l->m; i++) {
        uint32_t v = (uint32_t)(l->wide[i] >> 32), row = (uint32_t)l->wide[i];
        uint32_t r = v;
        if (v == CP_SPLIT_MISSING) {
            r = MISSING_RANK;
        } else if (!is_level) {
            if (i > 0 && v != last) rank++;
            last = v;
            if (value) value[rank] = cp_sort_to_float(v);
            r = rank;
        }
        key[i] = r << 16 | row;
    }
    return is_level ? MISSING_RANK : rank + 1;
}

/* A column that has a bin for each value: bins are ranks, and nothing is sorted. */
static void rank_bins(cp_greedy_grower *w, size_t dim) {
    cp_greedy_cached *l = w->cached;
    const cp_bins *b = &w->records->data->bins;
    for (size_t i = 0; i < l->m; i++) {
        uint8_t bin = l->bin[i * w->records->stride + dim];
        l->rank[dim * l->stride + i] = bin == CP_BINS_MISSING ? MISSING_RANK : bin;
    }
    l->ranks[dim] = b->count[dim];
    l->value[dim] = b->low + dim * CP_BINS_MAX;
}

static void sort_column(cp_greedy_grower *w, size_t dim) {
    cp_greedy_cached *l = w->cached;
    int is_level = cp_greedy_grower_levels(w, dim) > 0;
    if (l->bin && !is_level && w->records->data->bins.exact[dim]) {
        rank_bins(w, dim);
        return;
    }
    sort_values(w, dim);
    l->value[dim] = l->own_value + dim * l->stride;
    l->ranks[dim] = rank_values(l, dim, is_level, l->key);
    for (size_t i = 0; i < l->m; i++) l->rank[dim * l->stride + (l->key[i] & 0xffff)] = (uint16_t)(l->key[i] >> 16);
}

/* Makes the lists of all columns from the ranks among all rows (greedy_rank.h). */
static void sort_by_ranks(cp_greedy_grower *w) {
    cp_greedy_cached *l = w->cached;
    const cp_greedy_rank *all = &w->records->data->rank;
    const size_t dims = w->records->data->rows.dims;
    for (size_t i = 0; i < l->m; i++) {
        const uint16_t *rank = all->rank + (size_t)l->row[i] * dims;
        __builtin_prefetch(w->records->data->rows.x + (size_t)l->row[i] * dims); /* place_cut reads it */
        for (size_t d = 0; d < dims; d++) l->list[0][d * l->stride + i] = (uint32_t)rank[d] << 16 | (uint32_t)i;
    }
    for (size_t d = 0; d < dims; d++) {
        uint32_t *key = l->list[0] + d * l->stride, limit = all->count[d];
        for (size_t i = 0; i < l->m; i++)
            if (key[i] >> 16 == MISSING_RANK) limit = MISSING_RANK + 1;
        cp_sort_narrow(key, l->m, limit, l->key_tmp);
    }
}

/* Lists that are divided with the nodes are made once, at the root. */
static void sort_all(cp_greedy_grower *w) {
    cp_greedy_cached *l = w->cached;
    if (w->records->data->rank.rank) {
        sort_by_ranks(w);
        return;
    }
    for (size_t d = 0; d < w->records->data->rows.dims; d++) {
        sort_values(w, d);
        rank_values(l, d, cp_greedy_grower_levels(w, d) > 0, l->list[0] + d * l->stride);
    }
}

static const uint32_t *sorted_keys(cp_greedy_grower *w, const cached_node *p, size_t dim) {
    cp_greedy_cached *l = w->cached;
    if (l->keep_lists) return l->list[p->half] + dim * l->stride + p->lo;
    if (!l->ranks[dim]) sort_column(w, dim);
    const uint16_t *rank = l->rank + dim * l->stride, *member = l->member[p->half] + p->lo;
    size_t n = p->hi - p->lo;
    uint32_t *key = l->key;
    int missing = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = member[i], r = rank[row];
        missing |= r == MISSING_RANK;
        key[i] = r << 16 | row;
    }
    cp_sort_narrow(l->key, n, missing ? 65536 : l->ranks[dim], l->key_tmp);
    return l->key;
}

/* -------------------------------------------------------------------------------------------------------- measuring */

/* Rows, weight and target totals of the node, into w->stats.  Returns 1 if all its targets are equal. */
static int measure_numbers(cp_greedy_grower *w, const cached_node *p) {
    const cp_greedy_cached *l = w->cached;
    cp_split_node *n = &w->stats;
    const uint16_t *member = l->member[p->half];
    n->rows = p->hi - p->lo;
    n->weight = cp_split_weight(n->rule, p->sum.w);
    n->mean = (double)p->sum.s / n->weight;
    for (uint32_t i = p->lo + 1; i < p->hi; i++)
        if (l->y[member[i]] != l->y[member[p->lo]]) return 0;
    return 1;
}

static int measure_classes(cp_greedy_grower *w, const cached_node *p) {
    const cp_greedy_cached *l = w->cached;
    cp_split_node *n = &w->stats;
    const uint16_t *member = l->member[p->half];
    const int64_t mask = n->rule->mask, first = l->sum[member[p->lo]].s;
    double *total = n->total;
    int64_t all = 0;
    int pure = 1;
    for (uint32_t i = p->lo; i < p->hi; i++) {
        const cp_sum *a = &l->sum[member[i]];
        all += a->w;
        total[a->s] += (double)(a->w & mask);
        pure &= a->s == first;
    }
    n->rows = p->hi - p->lo;
    n->weight = cp_split_weight(n->rule, all);
    return pure;
}

static int measure(cp_greedy_grower *w, const cached_node *p) {
    return w->stats.rule->kind == CP_SPLIT_SQUARED ? measure_numbers(w, p) : measure_classes(w, p);
}

static void sum_squares(cp_greedy_grower *w, const cached_node *p) {
    cp_greedy_cached *l = w->cached;
    cp_split_node *n = &w->stats;
    n->square = 0;
    if (n->rule->kind == CP_SPLIT_SQUARED) return;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) { /* n->left marks the classes that are counted already */
        int64_t k = l->sum[member[i]].s;
        if (n->left[k] != 0) continue;
        n->left[k] = 1;
        double c = n->total[k];
        n->square += n->rule->kind == CP_SPLIT_GINI ? c * c : c * cp_math_log(c);
    }
    for (uint32_t i = p->lo; i < p->hi; i++) n->left[l->sum[member[i]].s] = 0;
}

static void clear_totals(cp_greedy_grower *w, const cached_node *p) {
    cp_greedy_cached *l = w->cached;
    if (w->stats.rule->kind == CP_SPLIT_SQUARED) return;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) w->stats.total[l->sum[member[i]].s] = 0;
}

/* -------------------------------------------------------------------------------------------------------- searching */

/* Counts classes by rank, which is faster than sorting while there are few cells a row.  Returns 0 if the column needs
 * the sorted list. */
static int try_classes(cp_greedy_grower *w, const cached_node *p, size_t dim) {
    cp_greedy_cached *l = w->cached;
    size_t classes = w->stats.rule->classes, n = p->hi - p->lo;
    if (!l->cell || classes > CP_SPLIT_CELLS_A_ROW * n) return 0;
    if (!l->ranks[dim]) sort_column(w, dim);
    size_t cells = l->ranks[dim] * classes;
    if (cells > CP_SPLIT_CELLS_A_ROW * n || cp_greedy_grower_levels(w, dim)) return 0;
    const uint16_t *rank = l->rank + dim * l->stride;
    const cp_sum *sum = l->sum;
    int64_t *cell = l->cell;
    memset(cell, 0, cells * sizeof *cell);
    for (const uint16_t *row = l->member[p->half] + p->lo, *end = row + n; row < end; row++) {
        if (rank[*row] == MISSING_RANK) return 0;
        cell[rank[*row] * classes + (size_t)sum[*row].s] += sum[*row].w;
    }
    if (!cp_split_hist_classes(&w->stats, l->cell, l->ranks[dim], &w->best)) return 1;
    w->best.dim = (int32_t)dim;
    w->best.cut = cp_bins_middle(l->value[dim][w->best.below], l->value[dim][w->best.above]);
    return 1;
}

/* Regression on a number without missing values: the case in which trees spend nearly all their time.  Returns 0 if the
 * column needs try_column. */
static int try_cut(cp_greedy_grower *w, const cached_node *p, cp_cut_scan_list *c, size_t dim) {
    const cp_greedy_cached *l = w->cached;
    const size_t n = p->hi - p->lo;
    if (!l->keep_lists || !l->y || cp_greedy_grower_levels(w, dim)) return 0;
    c->key = l->list[p->half] + dim * l->stride + p->lo;
    if (c->key[n - 1] >> 16 == MISSING_RANK) return 0;
    if (c->key[0] >> 16 != c->key[n - 1] >> 16 && cp_split_cut(&w->stats, c, &w->best)) w->best.dim = (int32_t)dim;
    return 1;
}

static void try_column(cp_greedy_grower *w, const cached_node *p, size_t dim) {
    cp_greedy_cached *l = w->cached;
    if (try_classes(w, p, dim)) return;
    const uint32_t *key = sorted_keys(w, p, dim), levels = cp_greedy_grower_levels(w, dim);
    cp_split_list list = {.key = key, .n = p->hi - p->lo, .present = p->hi - p->lo, .sum = l->sum};
    if (key[0] >> 16 == key[list.n - 1] >> 16) return; /* constant */
    while (list.present && key[list.present - 1] >> 16 == MISSING_RANK) list.present--;
    if (levels) {
        if (cp_split_category(&w->stats, &list, levels, &w->best)) w->best.dim = (int32_t)dim;
        return;
    }
    if (!cp_split_scan(&w->stats, &list, &w->best)) return;
    w->best.dim = (int32_t)dim;
    if (l->keep_lists) return; /* place_cut */
    const float *value = l->value[dim];
    w->best.cut =
        w->best.above == CP_SPLIT_MISSING ? INFINITY : cp_bins_middle(value[w->best.below], value[w->best.above]);
}

/* keep_lists: sets the cut of the best split, which lies between the values of two neighbours in the list. */
static void place_cut(cp_greedy_grower *w, const cached_node *p) {
    const cp_greedy_cached *l = w->cached;
    cp_split *s = &w->best;
    if (!l->keep_lists || s->num < 0 || s->is_set) return;
    const uint32_t *key = l->list[p->half] + (size_t)s->dim * l->stride + p->lo + s->at;
    float below = cp_greedy_records_value(w->records, l->row[key[0] & 0xffff], (size_t)s->dim) + 0.0f,
          above; /* -0 is 0 */
    s->cut = INFINITY;
    if (s->above == CP_SPLIT_MISSING) return;
    above = cp_greedy_records_value(w->records, l->row[key[1] & 0xffff], (size_t)s->dim) + 0.0f;
    s->cut = cp_bins_middle(below, above);
}

static int find_split(cp_greedy_grower *w, const cached_node *p) {
    int32_t dim;
    cp_greedy_grower_begin(w, p->path);
    sum_squares(w, p);
    cp_cut_scan_list cuts = cp_split_cut_list(&w->stats, w->cached->sum);
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE)
        if (!try_cut(w, p, &cuts, (size_t)dim)) try_column(w, p, (size_t)dim);
    cp_greedy_grower_end(w);
    place_cut(w, p);
    return w->best.num >= 0;
}

/* --------------------------------------------------------------------------------------------------------- dividing */

/* As cp_partition_fn, for row numbers without ranks. */
static void divide_members(uint16_t *member, size_t n, const uint8_t *side, uint16_t *right) {
    for (size_t i = 0, left = 0; i < n; i++) {
        uint16_t row = member[i];
        member[left] = right[i - left] = row;
        left += side[row];
    }
}

static int goes_left(const cp_split *s, uint32_t rank) {
    if (rank == MISSING_RANK) return s->missing_left;
    return s->is_set ? cp_split_in_set(s->set, rank) : rank <= s->below;
}

/* The rows that go left: how many, and the sum over them. */
typedef struct left_side {
    uint32_t rows;
    cp_sum sum;
} left_side;

static inline void add_row(left_side *left, const cp_sum *a) {
    left->rows++;
    left->sum.w += a->w;
    left->sum.s += a->s;
}

/* The sides of a cut of a kept list: rows up to position `at` go left, and missing values, which stand at the end, go
 * where the split sends them. */
static left_side cut_sides(const cp_greedy_cached *l, const cp_split *s, const uint32_t *key, size_t n) {
    left_side left = {0};
    uint8_t *side = l->side;
    size_t i = 0;
    for (; i <= s->at; i++) {
        uint32_t row = key[i] & 0xffff;
        side[row] = 1;
        add_row(&left, &l->sum[row]);
    }
    for (; i < n; i++) side[key[i] & 0xffff] = 0;
    while (s->missing_left && key[i - 1] >> 16 == MISSING_RANK) {
        uint32_t row = key[--i] & 0xffff;
        side[row] = 1;
        add_row(&left, &l->sum[row]);
    }
    return left;
}

static left_side set_sides(const cp_greedy_grower *w, const cached_node *p) {
    const cp_greedy_cached *l = w->cached;
    const cp_split s = w->best; /* a copy: the compiler need not assume that writing sides changes it */
    const size_t from = (size_t)s.dim * l->stride, n = p->hi - p->lo;
    const uint32_t *key = l->keep_lists ? l->list[p->half] + from + p->lo : NULL;
    const uint16_t *rank = l->keep_lists ? NULL : l->rank + from, *member = l->member[p->half] + p->lo;
    if (key && !s.is_set) return cut_sides(l, &s, key, n);
    left_side left = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t row = key ? key[i] & 0xffff : member[i];
        l->side[row] = (uint8_t)goes_left(&s, key ? key[i] >> 16 : rank[row]);
        if (l->side[row]) add_row(&left, &l->sum[row]);
    }
    return left;
}

/* Divides a list: what goes left stays in `key`, what goes right goes to `other`, from row `mid` on.  What stands
 * beyond the end of `other` belongs to other nodes and is restored.  The list of the column that is cut is divided
 * already, unless it has missing values, which may go left. */
static void divide_list(const cp_greedy_cached *l, uint32_t *key, uint32_t *other, size_t n, size_t mid, int is_cut) {
    uint32_t after[CP_PARTITION_PAD];
    if (is_cut && key[n - 1] >> 16 != MISSING_RANK) {
        memcpy(other + mid, key + mid, (n - mid) * sizeof *key);
        return;
    }
    memcpy(after, other + n, sizeof after);
    l->partition(key, n, l->side, other + mid);
    memcpy(other + n, after, sizeof after);
}

/* Divides the node's rows, and the kept lists unless both children must be leaves. */
static left_side divide(cp_greedy_grower *w, const cached_node *p) {
    cp_greedy_cached *l = w->cached;
    const left_side left = set_sides(w, p);
    const uint32_t n = p->hi - p->lo, mid = left.rows, most = mid > n - mid ? mid : n - mid, half = p->half;
    uint16_t *other = l->member[1 - half] + p->lo, next = other[n];
    divide_members(l->member[half] + p->lo, n, l->side, other + mid);
    other[n] = next; /* belongs to another node: restored */
    if (!l->keep_lists || most < 2 * w->records->rule.min_rows) return left;
    const size_t cut = w->best.is_set ? SIZE_MAX : (size_t)w->best.dim;
    for (size_t d = 0; d < w->records->data->rows.dims; d++) {
        size_t at = d * l->stride + p->lo;
        divide_list(l, l->list[half] + at, l->list[1 - half] + at, n, mid, d == cut);
    }
    return left;
}

static copse_status close_leaf(cp_greedy_grower *w, const cached_node *p, copse_error *err) {
    cp_greedy_cached *l = w->cached;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) l->node_row[i - p->lo] = l->row[member[i]];
    return cp_greedy_grower_leaf(w, p->id, l->node_row, p->hi - p->lo, err);
}

/* ---------------------------------------------------------------------------------------------------------- growing */

/* Puts the children of a node that is split in the tree on the stack, the left one on top. */
static void push_children(cp_greedy_grower *w, const cached_node *p, left_side left, size_t *depth) {
    cp_greedy_query_rows query_rows[2];
    cp_greedy_grower_divide_queries(w, p->id, p->query_rows, query_rows);
    const int32_t first = w->tree->node[p->id].next;
    const cached_node right_child = {.id = first + 1,
                                     .depth = p->depth + 1,
                                     .lo = p->lo + left.rows,
                                     .hi = p->hi,
                                     .half = 1 - p->half,
                                     .query_rows = query_rows[1],
                                     .path = cp_greedy_grower_child_path(p->path, 1),
                                     .sum = {p->sum.w - left.sum.w, p->sum.s - left.sum.s}};
    const cached_node left_child = {.id = first,
                                    .depth = p->depth + 1,
                                    .lo = p->lo,
                                    .hi = p->lo + left.rows,
                                    .half = p->half,
                                    .query_rows = query_rows[0],
                                    .path = cp_greedy_grower_child_path(p->path, 0),
                                    .sum = left.sum};
    w->cached->stack[(*depth)++] = right_child;
    w->cached->stack[(*depth)++] = left_child;
}

/* Splits or closes one node: the steps of greedy_step.h, on the lists in the cache. */
static copse_status grow_node(cp_greedy_grower *w, cached_node p, size_t *depth, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(w->records->stop, err));
    if (cp_greedy_grower_is_unqueried(w, p.query_rows)) return cp_greedy_grower_abandon(w, p.id, err);
    int leaf = measure(w, &p) || cp_greedy_grower_must_stop(w, p.depth) || !find_split(w, &p);
    copse_status status = leaf ? COPSE_OK : cp_greedy_grower_split(w, p.id, &w->best, cp_greedy_grower_gain(w), err);
    clear_totals(w, &p);
    if (status) return status;
    if (leaf) return close_leaf(w, &p, err);
    push_children(w, &p, divide(w, &p), depth);
    return COPSE_OK;
}

/* Takes over the node's rows; returns the root of what is grown below it. */
static cached_node begin(cp_greedy_grower *w, const cp_greedy_node *node) {
    cp_greedy_cached *l = w->cached;
    const cp_greedy_records *r = w->records;
    const double *y = r->data->rows.y;
    l->m = cp_greedy_node_rows(node);
    l->sum = r->sum + node->lo;
    l->row = r->row + node->lo;
    l->bin = r->bin ? r->bin + node->lo * r->stride : NULL;
    memset(l->ranks, 0, r->data->rows.dims * sizeof *l->ranks);
    for (size_t i = 0; i < l->m; i++) l->member[0][i] = (uint16_t)i;
    for (size_t i = 0; y && i < l->m; i++) l->y[i] = y[l->row[i]];
    if (!y) memset(w->stats.total, 0, w->stats.rule->classes * sizeof *w->stats.total); /* greedy_step leaves its own */
    if (l->keep_lists && l->m >= 2 * r->rule.min_rows) sort_all(w); /* else the node is a leaf: no column is tried */
    cached_node root = {
        .id = node->id, .depth = node->depth, .hi = (uint32_t)l->m, .query_rows = node->query_rows, .path = node->path};
    for (size_t i = 0; i < l->m; i++) {
        root.sum.w += l->sum[i].w;
        root.sum.s += l->sum[i].s;
    }
    return root;
}

copse_status cp_greedy_cached_grow(cp_greedy_grower *w, const cp_greedy_node *node, copse_error *err) {
    size_t depth = 0;
    w->cached->stack[depth++] = begin(w, node);
    while (depth > 0) CP_TRY(grow_node(w, w->cached->stack[--depth], &depth, err));
    return COPSE_OK;
}
