/* Small nodes.  The rows of a node that fits the cache are numbered 0 ... m-1 once, each column is sorted once, and
 * from there on a split is a scan of sorted lists and a stable division of them: only the two values next to a cut are
 * looked at again.
 *
 * A column's list holds keys rank << 16 | row, where ranks count the column's different values, among the m rows or
 * among all (greedy_rank.h).  If all columns are tried at every node, all lists are divided along with the node; if
 * only few are, that would be wasted, and the list of a column is made from its ranks when it is asked for. */
#include <math.h>
#include <string.h>

#include "greedy/greedy_grower.h"
#include "kernel/partition.h"
#include "kernel/sort.h"

enum { MISSING_RANK = CP_GREEDY_RANK_NONE };

/* A node: rows lo ... hi-1 of member[half], and of every list that is kept divided.  The left child stays in its half,
 * the right one goes to the same rows of the other half, which are free. */
typedef struct part {
    int32_t node;
    uint32_t depth, lo, hi, half;
    cp_greedy_query_rows query_rows;
    uint64_t path;
    cp_sum sum; /* regression */
} part;

typedef struct cp_greedy_cached {
    size_t apart; /* from one column's array to the next's */
    int divides;  /* lists are divided with the nodes */
    cp_partition_fn part;
    /* of the rows at hand */
    size_t m;
    const cp_sum *sum;
    const uint32_t *row;
    const uint8_t *bin; /* NULL: there are none */
    double *y;          /* regression: targets */
    uint8_t *side;      /* 1: goes left */
    uint16_t *member[2];
    uint32_t *node_row; /* row numbers of a leaf */
    /* per column, `apart` elements apart */
    uint32_t *list[2];   /* divides: sorted keys */
    uint16_t *rank;      /* else: of each row */
    float *own_value;    /* else: */
    const float **value; /* of each rank; numbers only */
    uint32_t *ranks;     /* how many there are; 0: not sorted yet */
    int64_t *cell;       /* gini, if lists are not divided: classes by rank */
    uint32_t *key, *key_tmp;
    uint64_t *wide, *wide_tmp;
    part *stack;
} cp_greedy_cached;

static void *room(cp_greedy_grower *w, size_t n, size_t size, int *fine) {
    void *p = cp_arena_get(&w->tmp, n, size);
    if (!p) *fine = 0;
    return p;
}

copse_status cp_greedy_cached_new(cp_greedy_grower *w, size_t most, copse_error *err) {
    enum { LINE = 64 / sizeof(uint32_t) };
    size_t dims = w->records->data->rows.dims;
    int fine = 1;
    cp_greedy_cached *l = room(w, 1, sizeof *l, &fine);
    if (!l) return cp_fail_memory(err);
    /* An odd number of cache lines: the columns of a small node would otherwise compete for one set of the cache. */
    *l = (cp_greedy_cached){
        .apart = (most / LINE | 1) * LINE, .divides = 2 * w->rule->features >= dims, .part = cp_partition_best()};
    if (l->apart < most) l->apart += 2 * LINE;
    l->side = room(w, most, sizeof *l->side, &fine);
    if (w->records->rule.kind == CP_SPLIT_SQUARED) {
        l->y = room(w, most, sizeof *l->y, &fine);
    }
    l->node_row = room(w, most, sizeof *l->node_row, &fine);
    l->ranks = room(w, dims, sizeof *l->ranks, &fine);
    l->key = room(w, most + CP_CUT_SCAN_PAD, sizeof *l->key, &fine);
    l->key_tmp = room(w, most, sizeof *l->key_tmp, &fine);
    l->wide = room(w, most, sizeof *l->wide, &fine);
    l->wide_tmp = room(w, most, sizeof *l->wide_tmp, &fine);
    l->stack = room(w, most + 1, sizeof *l->stack, &fine);
    for (int half = 0; half < 2; half++) {
        l->member[half] = room(w, most + 1, sizeof *l->member[half], &fine);
        if (l->divides) l->list[half] = room(w, dims * l->apart + CP_PARTITION_PAD, sizeof *l->list[half], &fine);
    }
    if (!l->divides) {
        l->rank = room(w, dims * l->apart, sizeof *l->rank, &fine);
        l->own_value = room(w, dims * l->apart, sizeof *l->own_value, &fine);
        l->value = room(w, dims, sizeof *l->value, &fine);
    }
    if (!l->divides && w->records->rule.kind == CP_SPLIT_GINI)
        l->cell = room(w, CP_SPLIT_CELLS_A_ROW * most, sizeof *l->cell, &fine);
    w->local = l;
    return fine ? COPSE_OK : cp_fail_memory(err);
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* What a row is sorted by: levels are values; missing ones come last. */
static uint32_t value_key(const cp_greedy_grower *w, size_t i, size_t dim, uint32_t levels) {
    float x = cp_greedy_records_value(w->records, w->local->row[i], dim);
    if (!levels) return isnan(x) ? CP_SPLIT_MISSING : cp_sort_from_float(x);
    uint32_t k = cp_greedy_rank_level(x, levels);
    return k == MISSING_RANK ? CP_SPLIT_MISSING : k;
}

/* Bins are in the order of the values they hold, so rows go to their bins first, and only within a bin they are
 * sorted. */
static void sort_by_bins(cp_greedy_grower *w, size_t dim, uint32_t levels) {
    cp_greedy_cached *l = w->local;
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
    cp_greedy_cached *l = w->local;
    uint32_t levels = cp_greedy_grower_levels(w, dim);
    if (l->bin) {
        sort_by_bins(w, dim, levels);
        return;
    }
    for (size_t i = 0; i < l->m; i++) l->wide[i] = (uint64_t)value_key(w, i, dim, levels) << 32 | i;
    cp_sort_wide(l->wide, l->m, l->wide_tmp);
}

/* Ranks: a level's is the level itself, a number's counts the different values below it. */
static uint32_t rank_values(cp_greedy_cached *l, size_t dim, int is_level, uint32_t *key) {
    uint32_t rank = 0, last = 0;
    float *value = l->own_value ? l->own_value + dim * l->apart : NULL;
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

/* With a bin for each value, bins are ranks, and there is nothing to sort. */
static void rank_bins(cp_greedy_grower *w, size_t dim) {
    cp_greedy_cached *l = w->local;
    const cp_bins *b = &w->records->data->bins;
    for (size_t i = 0; i < l->m; i++) {
        uint8_t bin = l->bin[i * w->records->stride + dim];
        l->rank[dim * l->apart + i] = bin == CP_BINS_MISSING ? MISSING_RANK : bin;
    }
    l->ranks[dim] = b->count[dim];
    l->value[dim] = b->low + dim * CP_BINS_MAX;
}

static void sort_column(cp_greedy_grower *w, size_t dim) {
    cp_greedy_cached *l = w->local;
    int is_level = cp_greedy_grower_levels(w, dim) > 0;
    if (l->bin && !is_level && w->records->data->bins.exact[dim]) {
        rank_bins(w, dim);
        return;
    }
    sort_values(w, dim);
    l->value[dim] = l->own_value + dim * l->apart;
    l->ranks[dim] = rank_values(l, dim, is_level, l->key);
    for (size_t i = 0; i < l->m; i++) l->rank[dim * l->apart + (l->key[i] & 0xffff)] = (uint16_t)(l->key[i] >> 16);
}

/* Divided lists are made from the ranks among all rows, where there are some. */
static void sort_by_ranks(cp_greedy_grower *w) {
    cp_greedy_cached *l = w->local;
    const cp_greedy_rank *all = &w->records->data->rank;
    const size_t dims = w->records->data->rows.dims;
    for (size_t i = 0; i < l->m; i++) {
        const uint16_t *rank = all->rank + (size_t)l->row[i] * dims;
        __builtin_prefetch(w->records->data->rows.x + (size_t)l->row[i] * dims); /* place_cut will look here */
        for (size_t d = 0; d < dims; d++) l->list[0][d * l->apart + i] = (uint32_t)rank[d] << 16 | (uint32_t)i;
    }
    for (size_t d = 0; d < dims; d++) {
        uint32_t *key = l->list[0] + d * l->apart, limit = all->count[d];
        for (size_t i = 0; i < l->m; i++)
            if (key[i] >> 16 == MISSING_RANK) limit = MISSING_RANK + 1;
        cp_sort_narrow(key, l->m, limit, l->key_tmp);
    }
}

/* A list is divided from the top or not at all. */
static void sort_all(cp_greedy_grower *w) {
    cp_greedy_cached *l = w->local;
    if (w->records->data->rank.rank) {
        sort_by_ranks(w);
        return;
    }
    for (size_t d = 0; d < w->records->data->rows.dims; d++) {
        sort_values(w, d);
        rank_values(l, d, cp_greedy_grower_levels(w, d) > 0, l->list[0] + d * l->apart);
    }
}

static const uint32_t *sorted_keys(cp_greedy_grower *w, const part *p, size_t dim) {
    cp_greedy_cached *l = w->local;
    if (l->divides) return l->list[p->half] + dim * l->apart + p->lo;
    if (!l->ranks[dim]) sort_column(w, dim);
    const uint16_t *rank = l->rank + dim * l->apart, *member = l->member[p->half] + p->lo;
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

/* The node's totals; 1 if all its targets are equal. */
static int measure_numbers(cp_greedy_grower *w, const part *p) {
    const cp_greedy_cached *l = w->local;
    cp_split_node *n = &w->node;
    const uint16_t *member = l->member[p->half];
    n->rows = p->hi - p->lo;
    n->weight = cp_split_weight(n->rule, p->sum.w);
    n->mean = (double)p->sum.s / n->weight;
    for (uint32_t i = p->lo + 1; i < p->hi; i++)
        if (l->y[member[i]] != l->y[member[p->lo]]) return 0;
    return 1;
}

static int measure_classes(cp_greedy_grower *w, const part *p) {
    const cp_greedy_cached *l = w->local;
    cp_split_node *n = &w->node;
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

static int measure(cp_greedy_grower *w, const part *p) {
    return w->node.rule->kind == CP_SPLIT_SQUARED ? measure_numbers(w, p) : measure_classes(w, p);
}

static void sum_squares(cp_greedy_grower *w, const part *p) {
    cp_greedy_cached *l = w->local;
    cp_split_node *n = &w->node;
    n->square = 0;
    if (n->rule->kind == CP_SPLIT_SQUARED) return;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) { /* each class once: where its left weight is first touched */
        int64_t k = l->sum[member[i]].s;
        if (n->left[k] != 0) continue;
        n->left[k] = 1;
        double c = n->total[k];
        n->square += n->rule->kind == CP_SPLIT_GINI ? c * c : c * log(c);
    }
    for (uint32_t i = p->lo; i < p->hi; i++) n->left[l->sum[member[i]].s] = 0;
}

static void forget_totals(cp_greedy_grower *w, const part *p) {
    cp_greedy_cached *l = w->local;
    if (w->node.rule->kind == CP_SPLIT_SQUARED) return;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) w->node.total[l->sum[member[i]].s] = 0;
}

/* -------------------------------------------------------------------------------------------------------- splitting */

/* Few values and few classes: counting classes by value is faster than sorting.  1: done. */
static int try_classes(cp_greedy_grower *w, const part *p, size_t dim) {
    cp_greedy_cached *l = w->local;
    size_t classes = w->node.rule->classes, n = p->hi - p->lo;
    if (!l->cell || classes > CP_SPLIT_CELLS_A_ROW * n) return 0;
    if (!l->ranks[dim]) sort_column(w, dim);
    size_t cells = l->ranks[dim] * classes;
    if (cells > CP_SPLIT_CELLS_A_ROW * n || cp_greedy_grower_levels(w, dim)) return 0;
    const uint16_t *rank = l->rank + dim * l->apart;
    const cp_sum *sum = l->sum;
    int64_t *cell = l->cell;
    memset(cell, 0, cells * sizeof *cell);
    for (const uint16_t *row = l->member[p->half] + p->lo, *end = row + n; row < end; row++) {
        if (rank[*row] == MISSING_RANK) return 0;
        cell[rank[*row] * classes + (size_t)sum[*row].s] += sum[*row].w;
    }
    if (!cp_split_hist_classes(&w->node, l->cell, l->ranks[dim], &w->best)) return 1;
    w->best.dim = (int32_t)dim;
    w->best.cut = cp_bins_middle(l->value[dim][w->best.below], l->value[dim][w->best.above]);
    return 1;
}

/* Regression on a number, where no value is missing: nearly all that trees do.  1: done. */
static int try_cut(cp_greedy_grower *w, const part *p, cp_cut_scan_list *c, size_t dim) {
    const cp_greedy_cached *l = w->local;
    const size_t n = p->hi - p->lo;
    if (!l->divides || !l->y || cp_greedy_grower_levels(w, dim)) return 0;
    c->key = l->list[p->half] + dim * l->apart + p->lo;
    if (c->key[n - 1] >> 16 == MISSING_RANK) return 0;
    if (c->key[0] >> 16 != c->key[n - 1] >> 16 && cp_split_cut(&w->node, c, &w->best)) w->best.dim = (int32_t)dim;
    return 1;
}

static void try_column(cp_greedy_grower *w, const part *p, size_t dim) {
    cp_greedy_cached *l = w->local;
    if (try_classes(w, p, dim)) return;
    const uint32_t *key = sorted_keys(w, p, dim), levels = cp_greedy_grower_levels(w, dim);
    cp_split_list list = {.key = key, .n = p->hi - p->lo, .present = p->hi - p->lo, .sum = l->sum};
    if (key[0] >> 16 == key[list.n - 1] >> 16) return; /* constant */
    while (list.present && key[list.present - 1] >> 16 == MISSING_RANK) list.present--;
    if (levels) {
        if (cp_split_category(&w->node, &list, levels, &w->best)) w->best.dim = (int32_t)dim;
        return;
    }
    if (!cp_split_scan(&w->node, &list, &w->best)) return;
    w->best.dim = (int32_t)dim;
    if (l->divides) return; /* place_cut */
    const float *value = l->value[dim];
    w->best.cut =
        w->best.above == CP_SPLIT_MISSING ? INFINITY : cp_bins_middle(value[w->best.below], value[w->best.above]);
}

/* The cut of a divided list, between the values of two rows. */
static void place_cut(cp_greedy_grower *w, const part *p) {
    const cp_greedy_cached *l = w->local;
    cp_split *s = &w->best;
    if (!l->divides || s->num < 0 || s->is_set) return;
    const uint32_t *key = l->list[p->half] + (size_t)s->dim * l->apart + p->lo + s->at;
    float below = cp_greedy_records_value(w->records, l->row[key[0] & 0xffff], (size_t)s->dim) + 0.0f,
          above; /* -0 is 0 */
    s->cut = INFINITY;
    if (s->above == CP_SPLIT_MISSING) return;
    above = cp_greedy_records_value(w->records, l->row[key[1] & 0xffff], (size_t)s->dim) + 0.0f;
    s->cut = cp_bins_middle(below, above);
}

static int find_split(cp_greedy_grower *w, const part *p) {
    cp_greedy_frontier_node o = {.path = p->path};
    int32_t dim;
    cp_greedy_grower_begin(w, &o);
    sum_squares(w, p);
    cp_cut_scan_list cuts = cp_split_cut_list(&w->node, w->local->sum);
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE)
        if (!try_cut(w, p, &cuts, (size_t)dim)) try_column(w, p, (size_t)dim);
    cp_greedy_grower_end(w);
    place_cut(w, p);
    return w->best.num >= 0;
}

/* As cp_partition_fn. */
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

/* What goes left. */
typedef struct lot {
    uint32_t rows;
    cp_sum sum;
} lot;

static inline void add_row(lot *left, const cp_sum *a) {
    left->rows++;
    left->sum.w += a->w;
    left->sum.s += a->s;
}

/* A cut of a divided list: all up to row `at` of it, and, if they do, the missing values at its end. */
static lot cut_sides(const cp_greedy_cached *l, const cp_split *s, const uint32_t *key, size_t n) {
    lot left = {0};
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

static lot set_sides(const cp_greedy_grower *w, const part *p) {
    const cp_greedy_cached *l = w->local;
    const cp_split s = w->best; /* a copy, which writing sides cannot seem to change */
    const size_t from = (size_t)s.dim * l->apart, n = p->hi - p->lo;
    const uint32_t *key = l->divides ? l->list[p->half] + from + p->lo : NULL;
    const uint16_t *rank = l->divides ? NULL : l->rank + from, *member = l->member[p->half] + p->lo;
    if (key && !s.is_set) return cut_sides(l, &s, key, n);
    lot left = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t row = key ? key[i] & 0xffff : member[i];
        l->side[row] = (uint8_t)goes_left(&s, key ? key[i] >> 16 : rank[row]);
        if (l->side[row]) add_row(&left, &l->sum[row]);
    }
    return left;
}

/* From `key` to `other`, where the rows beyond the end belong to other nodes.  The list of the column that is cut
 * stands divided, unless its missing values go left. */
static void divide_list(const cp_greedy_cached *l, uint32_t *key, uint32_t *other, size_t n, size_t mid, int is_cut) {
    uint32_t after[CP_PARTITION_PAD];
    if (is_cut && key[n - 1] >> 16 != MISSING_RANK) {
        memcpy(other + mid, key + mid, (n - mid) * sizeof *key);
        return;
    }
    memcpy(after, other + n, sizeof after);
    l->part(key, n, l->side, other + mid);
    memcpy(other + n, after, sizeof after);
}

/* Lists that no child will look at need not be divided. */
static lot divide(cp_greedy_grower *w, const part *p) {
    cp_greedy_cached *l = w->local;
    const lot left = set_sides(w, p);
    const uint32_t n = p->hi - p->lo, mid = left.rows, most = mid > n - mid ? mid : n - mid, half = p->half;
    uint16_t *other = l->member[1 - half] + p->lo, next = other[n];
    divide_members(l->member[half] + p->lo, n, l->side, other + mid);
    other[n] = next; /* belongs to another node */
    if (!l->divides || most < 2 * w->records->rule.min_rows) return left;
    const size_t cut = w->best.is_set ? SIZE_MAX : (size_t)w->best.dim;
    for (size_t d = 0; d < w->records->data->rows.dims; d++) {
        size_t at = d * l->apart + p->lo;
        divide_list(l, l->list[half] + at, l->list[1 - half] + at, n, mid, d == cut);
    }
    return left;
}

static copse_status close_leaf(cp_greedy_grower *w, const part *p, copse_error *err) {
    cp_greedy_cached *l = w->local;
    const uint16_t *member = l->member[p->half];
    for (uint32_t i = p->lo; i < p->hi; i++) l->node_row[i - p->lo] = l->row[member[i]];
    return cp_greedy_grower_leaf(w, p->node, l->node_row, p->hi - p->lo, err);
}

/* Splits or closes one node; its children go on the stack, the left one on top. */
static copse_status grow_part(cp_greedy_grower *w, part p, size_t *depth, copse_error *err) {
    cp_greedy_cached *l = w->local;
    CP_TRY(cp_fail_if_stopped(w->records->stop, err));
    if (cp_greedy_grower_unqueried(w, p.query_rows)) return cp_greedy_grower_abandon(w, p.node, err);
    int leaf = measure(w, &p) || cp_greedy_grower_must_stop(w, p.depth) || !find_split(w, &p);
    copse_status status = leaf ? COPSE_OK : cp_greedy_grower_split(w, p.node, err);
    forget_totals(w, &p);
    if (status) return status;
    if (leaf) return close_leaf(w, &p, err);
    const lot left = divide(w, &p);
    const cp_sum rest = {p.sum.w - left.sum.w, p.sum.s - left.sum.s};
    cp_greedy_query_rows query_rows[2] = {{0}};
    cp_greedy_grower_divide_queries(w, p.node, p.query_rows, query_rows);
    part child = {w->tree->node[p.node].next,
                  p.depth + 1,
                  p.lo,
                  p.lo + left.rows,
                  p.half,
                  query_rows[0],
                  cp_greedy_grower_child_path(p.path, 0),
                  left.sum};
    part other = {child.node + 1,
                  p.depth + 1,
                  child.hi,
                  p.hi,
                  1 - p.half,
                  query_rows[1],
                  cp_greedy_grower_child_path(p.path, 1),
                  rest};
    l->stack[(*depth)++] = other;
    l->stack[(*depth)++] = child;
    return COPSE_OK;
}

copse_status cp_greedy_cached_grow(cp_greedy_grower *w, const cp_greedy_frontier_node *o, copse_error *err) {
    cp_greedy_cached *l = w->local;
    size_t depth = 0, dims = w->records->data->rows.dims;
    const double *y = w->records->data->rows.y;
    l->m = o->hi - o->lo;
    l->sum = w->records->sum + o->lo;
    l->row = w->records->row + o->lo;
    l->bin = w->records->bin ? w->records->bin + o->lo * w->records->stride : NULL;
    memset(l->ranks, 0, dims * sizeof *l->ranks);
    for (size_t i = 0; i < l->m; i++) l->member[0][i] = (uint16_t)i;
    for (size_t i = 0; y && i < l->m; i++) l->y[i] = y[l->row[i]];
    if (!y) memset(w->node.total, 0, w->node.rule->classes * sizeof *w->node.total); /* greedy_find leaves its own */
    if (l->divides && l->m >= 2 * w->records->rule.min_rows) sort_all(w); /* else nobody will look at a column */
    part root = {
        .node = o->node, .depth = o->depth, .hi = (uint32_t)l->m, .query_rows = o->query_rows, .path = o->path};
    for (size_t i = 0; i < l->m; i++) {
        root.sum.w += l->sum[i].w;
        root.sum.s += l->sum[i].s;
    }
    l->stack[depth++] = root;
    while (depth > 0) CP_TRY(grow_part(w, l->stack[--depth], &depth, err));
    return COPSE_OK;
}
