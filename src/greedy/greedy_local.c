/* Small nodes.  The rows of a node that fits the cache are numbered 0 ... m-1 once, each column is sorted once, and from
 * there on a split is a scan of sorted lists and a stable division of them: no value is looked at again.
 *
 * A column's list holds keys rank << 16 | row, where ranks count the column's different values among the m rows.  If all
 * columns are tried at every node, all lists are divided along with the node; if only few are, that would be wasted, and
 * the list of a column is made from its ranks when it is asked for. */
#include <math.h>
#include <string.h>

#include "greedy/greedy_work.h"
#include "num/sort.h"

#define MISSING_RANK 0xffffu

/* A node: rows lo ... hi-1 of `member`, and of every list that is kept divided. */
typedef struct part {
    int32_t node;
    uint32_t depth, lo, hi;
    uint64_t path;
} part;

typedef struct cp_greedy_local {
    size_t most; /* rows that there is room for */
    int divides; /* lists are divided with the nodes */
    /* of the rows at hand */
    size_t m;
    const cp_sum *sum;
    const uint32_t *row;
    const uint8_t *bin; /* NULL: there are none */
    double *y;          /* regression: targets */
    uint8_t *side;      /* 1: goes left */
    uint16_t *member, *member_tmp;
    uint32_t *node_row; /* row numbers of a leaf */
    /* per column, `most` apart */
    uint32_t *list; /* divides: sorted keys */
    uint16_t *rank; /* else: of each row */
    float *own_value;
    const float **value; /* of each rank; numbers only */
    uint32_t *ranks;     /* how many there are; 0: not sorted yet */
    int64_t *cell;       /* gini, if lists are not divided: classes by rank */
    uint32_t *key, *key_tmp;
    uint64_t *wide, *wide_tmp;
    part *stack;
} cp_greedy_local;

static void *room(cp_greedy_work *w, size_t n, size_t size, int *fine) {
    void *p = cp_arena_get(&w->tmp, n, size);
    if (!p) *fine = 0;
    return p;
}

copse_status cp_greedy_local_new(cp_greedy_work *w, size_t most, copse_error *err) {
    size_t dims = w->records->data->rows.dims;
    int fine = 1;
    cp_greedy_local *l = room(w, 1, sizeof *l, &fine);
    if (!l) return cp_fail_memory(err);
    *l = (cp_greedy_local){.most = most, .divides = 2 * w->rule->features >= dims};
    l->side = room(w, most, sizeof *l->side, &fine);
    if (w->records->rule.kind == CP_SPLIT_SQUARED) {
        l->y = room(w, most, sizeof *l->y, &fine);
    }
    l->member = room(w, most, sizeof *l->member, &fine);
    l->member_tmp = room(w, most, sizeof *l->member_tmp, &fine);
    l->node_row = room(w, most, sizeof *l->node_row, &fine);
    l->own_value = room(w, dims * most, sizeof *l->own_value, &fine);
    l->value = room(w, dims, sizeof *l->value, &fine);
    l->ranks = room(w, dims, sizeof *l->ranks, &fine);
    l->key = room(w, most, sizeof *l->key, &fine);
    l->key_tmp = room(w, most, sizeof *l->key_tmp, &fine);
    l->wide = room(w, most, sizeof *l->wide, &fine);
    l->wide_tmp = room(w, most, sizeof *l->wide_tmp, &fine);
    l->stack = room(w, most + 1, sizeof *l->stack, &fine);
    if (l->divides)
        l->list = room(w, dims * most, sizeof *l->list, &fine);
    else
        l->rank = room(w, dims * most, sizeof *l->rank, &fine);
    if (!l->divides && w->records->rule.kind == CP_SPLIT_GINI)
        l->cell = room(w, CP_SPLIT_CELLS_A_ROW * most, sizeof *l->cell, &fine);
    w->local = l;
    return fine ? COPSE_OK : cp_fail_memory(err);
}

/* ------------------------------------------------------------------------------------------------------------- sorting */

/* What a row is sorted by: levels are values; missing ones come last. */
static uint32_t value_key(const cp_greedy_work *w, size_t i, size_t dim, uint32_t levels) {
    float x = cp_records_value(w->records, w->local->row[i], dim);
    uint32_t k = isnan(x) ? CP_SPLIT_MISSING : levels ? (uint32_t)x : cp_sort_from_float(x);
    /* A level unseen in training is as good as none; so is, here, one of the rare ones beyond what a rank can hold. */
    return levels && (k >= levels || k >= MISSING_RANK) ? CP_SPLIT_MISSING : k;
}

/* Bins are in the order of the values they hold, so rows go to their bins first, and only within a bin they are sorted. */
static void sort_by_bins(cp_greedy_work *w, size_t dim, uint32_t levels) {
    cp_greedy_local *l = w->local;
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
static void sort_values(cp_greedy_work *w, size_t dim) {
    cp_greedy_local *l = w->local;
    uint32_t levels = cp_greedy_work_levels(w, dim);
    if (l->bin) {
        sort_by_bins(w, dim, levels);
        return;
    }
    for (size_t i = 0; i < l->m; i++) l->wide[i] = (uint64_t)value_key(w, i, dim, levels) << 32 | i;
    cp_sort_wide(l->wide, l->m, l->wide_tmp);
}

/* Ranks: a level's is the level itself, a number's counts the different values below it. */
static uint32_t rank_values(cp_greedy_local *l, size_t dim, int is_level) {
    uint32_t rank = 0, last = 0;
    float *value = l->own_value + dim * l->most;
    for (size_t i = 0; i < l->m; i++) {
        uint32_t v = (uint32_t)(l->wide[i] >> 32), row = (uint32_t)l->wide[i];
        uint32_t r = v;
        if (v == CP_SPLIT_MISSING) {
            r = MISSING_RANK;
        } else if (!is_level) {
            if (i > 0 && v != last) rank++;
            last = v;
            value[rank] = cp_sort_to_float(v);
            r = rank;
        }
        l->key[i] = r << 16 | row;
    }
    return is_level ? MISSING_RANK : rank + 1;
}

/* With a bin for each value, bins are ranks, and there is nothing to sort. */
static void rank_bins(cp_greedy_work *w, size_t dim) {
    cp_greedy_local *l = w->local;
    const cp_bins *b = &w->records->data->bins;
    for (size_t i = 0; i < l->m; i++) {
        uint8_t bin = l->bin[i * w->records->stride + dim];
        l->rank[dim * l->most + i] = bin == CP_BINS_MISSING ? MISSING_RANK : bin;
    }
    l->ranks[dim] = b->count[dim];
    l->value[dim] = b->low + dim * CP_BINS_MAX;
}

static void sort_column(cp_greedy_work *w, size_t dim) {
    cp_greedy_local *l = w->local;
    int is_level = cp_greedy_work_levels(w, dim) > 0;
    if (l->bin && !l->divides && !is_level && w->records->data->bins.exact[dim]) {
        rank_bins(w, dim);
        return;
    }
    sort_values(w, dim);
    l->value[dim] = l->own_value + dim * l->most;
    l->ranks[dim] = rank_values(l, dim, is_level);
    if (l->divides)
        memcpy(l->list + dim * l->most, l->key, l->m * sizeof *l->key);
    else
        for (size_t i = 0; i < l->m; i++) l->rank[dim * l->most + (l->key[i] & 0xffff)] = (uint16_t)(l->key[i] >> 16);
}

static const uint32_t *sorted_keys(cp_greedy_work *w, const part *p, size_t dim) {
    cp_greedy_local *l = w->local;
    if (!l->ranks[dim]) sort_column(w, dim);
    if (l->divides) return l->list + dim * l->most + p->lo;
    const uint16_t *rank = l->rank + dim * l->most, *member = l->member + p->lo;
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

/* ------------------------------------------------------------------------------------------------------------ measuring */

/* The node's totals; 1 if all its targets are equal. */
static int measure(cp_greedy_work *w, const part *p) {
    cp_greedy_local *l = w->local;
    cp_split_node *n = &w->node;
    cp_sum all = {0, 0};
    int pure = 1;
    n->rows = p->hi - p->lo;
    if (n->rule->kind == CP_SPLIT_SQUARED) {
        double first = l->y[l->member[p->lo]];
        for (uint32_t i = p->lo; i < p->hi; i++) {
            const cp_sum *a = &l->sum[l->member[i]];
            all.w += a->w;
            all.s += a->s;
            pure &= l->y[l->member[i]] == first;
        }
        n->weight = cp_split_weight(n->rule, all.w);
        n->mean = (double)all.s / n->weight;
        return pure;
    }
    const int64_t mask = n->rule->mask, first = l->sum[l->member[p->lo]].s;
    double *total = n->total;
    for (uint32_t i = p->lo; i < p->hi; i++) {
        const cp_sum *a = &l->sum[l->member[i]];
        all.w += a->w;
        total[a->s] += (double)(a->w & mask);
        pure &= a->s == first;
    }
    n->weight = cp_split_weight(n->rule, all.w);
    return pure;
}

static void sum_squares(cp_greedy_work *w, const part *p) {
    cp_greedy_local *l = w->local;
    cp_split_node *n = &w->node;
    n->square = 0;
    if (n->rule->kind == CP_SPLIT_SQUARED) return;
    for (uint32_t i = p->lo; i < p->hi; i++) { /* each class once: where its left weight is first touched */
        int64_t k = l->sum[l->member[i]].s;
        if (n->left[k] != 0) continue;
        n->left[k] = 1;
        double c = n->total[k];
        n->square += n->rule->kind == CP_SPLIT_GINI ? c * c : c * log(c);
    }
    for (uint32_t i = p->lo; i < p->hi; i++) n->left[l->sum[l->member[i]].s] = 0;
}

static void forget_totals(cp_greedy_work *w, const part *p) {
    cp_greedy_local *l = w->local;
    if (w->node.rule->kind == CP_SPLIT_SQUARED) return;
    for (uint32_t i = p->lo; i < p->hi; i++) w->node.total[l->sum[l->member[i]].s] = 0;
}

/* ------------------------------------------------------------------------------------------------------------ splitting */

/* Few values and few classes: counting classes by value is faster than sorting.  1: done. */
static int try_classes(cp_greedy_work *w, const part *p, size_t dim) {
    cp_greedy_local *l = w->local;
    size_t classes = w->node.rule->classes, n = p->hi - p->lo;
    if (!l->cell || classes > CP_SPLIT_CELLS_A_ROW * n) return 0;
    if (!l->ranks[dim]) sort_column(w, dim);
    size_t cells = l->ranks[dim] * classes;
    if (cells > CP_SPLIT_CELLS_A_ROW * n || cp_greedy_work_levels(w, dim)) return 0;
    const uint16_t *rank = l->rank + dim * l->most;
    const cp_sum *sum = l->sum;
    int64_t *cell = l->cell;
    memset(cell, 0, cells * sizeof *cell);
    for (const uint16_t *row = l->member + p->lo, *end = l->member + p->hi; row < end; row++) {
        if (rank[*row] == MISSING_RANK) return 0;
        cell[rank[*row] * classes + (size_t)sum[*row].s] += sum[*row].w;
    }
    if (!cp_split_hist_classes(&w->node, l->cell, l->ranks[dim], &w->best)) return 1;
    w->best.dim = (int32_t)dim;
    w->best.cut = cp_bins_middle(l->value[dim][w->best.below], l->value[dim][w->best.above]);
    return 1;
}

static void try_column(cp_greedy_work *w, const part *p, size_t dim) {
    cp_greedy_local *l = w->local;
    if (try_classes(w, p, dim)) return;
    const uint32_t *key = sorted_keys(w, p, dim), levels = cp_greedy_work_levels(w, dim);
    cp_split_list list = {.key = key, .n = p->hi - p->lo, .present = p->hi - p->lo, .sum = l->sum};
    if (key[0] >> 16 == key[list.n - 1] >> 16) return; /* constant */
    while (list.present && key[list.present - 1] >> 16 == MISSING_RANK) list.present--;
    if (levels) {
        if (cp_split_levels(&w->node, &list, levels, &w->best)) w->best.dim = (int32_t)dim;
        return;
    }
    if (!cp_split_scan(&w->node, &list, &w->best)) return;
    const float *value = l->value[dim];
    w->best.dim = (int32_t)dim;
    w->best.cut =
        w->best.above == CP_SPLIT_MISSING ? INFINITY : cp_bins_middle(value[w->best.below], value[w->best.above]);
}

static int find_split(cp_greedy_work *w, const part *p) {
    cp_greedy_open o = {.path = p->path};
    int32_t dim;
    cp_greedy_work_begin(w, &o);
    sum_squares(w, p);
    while ((dim = cp_greedy_work_column(w, w->best.num >= 0)) != CP_NONE) try_column(w, p, (size_t)dim);
    cp_greedy_work_end(w);
    return w->best.num >= 0;
}

/* Stable: keys of rows that go left first. */
static void divide_keys(uint32_t *key, size_t n, const uint8_t *side, uint32_t *tmp) {
    size_t left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = key[i];
        size_t s = side[k & 0xffff];
        key[left] = k;
        tmp[right] = k;
        left += s;
        right += 1 - s;
    }
    memcpy(key + left, tmp, right * sizeof *key);
}

static uint32_t divide_members(const cp_greedy_local *l, const part *p) {
    const uint8_t *side = l->side;
    uint16_t *member = l->member, *tmp = l->member_tmp;
    uint32_t left = p->lo, right = 0;
    for (uint32_t i = p->lo, end = p->hi; i < end; i++) {
        uint16_t row = member[i];
        uint32_t s = side[row];
        member[left] = row;
        tmp[right] = row;
        left += s;
        right += 1 - s;
    }
    memcpy(member + left, tmp, right * sizeof *member);
    return left;
}

static int goes_left(const cp_split *s, uint32_t rank) {
    if (rank == MISSING_RANK) return s->missing_left;
    return s->is_set ? cp_split_in_set(s->set, rank) : rank <= s->below;
}

static void set_sides(const cp_greedy_work *w, const part *p) {
    const cp_greedy_local *l = w->local;
    const cp_split s = w->best; /* a copy, which writing sides cannot seem to change */
    uint8_t *side = l->side;
    const size_t from = (size_t)s.dim * l->most;
    if (l->divides) {
        for (const uint32_t *key = l->list + from + p->lo, *end = key + (p->hi - p->lo); key < end; key++)
            side[*key & 0xffff] = (uint8_t)goes_left(&s, *key >> 16);
        return;
    }
    const uint16_t *rank = l->rank + from;
    for (const uint16_t *row = l->member + p->lo, *end = l->member + p->hi; row < end; row++)
        side[*row] = (uint8_t)goes_left(&s, rank[*row]);
}

/* Lists that no child will look at need not be divided. */
static uint32_t divide(cp_greedy_work *w, const part *p) {
    cp_greedy_local *l = w->local;
    set_sides(w, p);
    uint32_t mid = divide_members(l, p), most = mid - p->lo > p->hi - mid ? mid - p->lo : p->hi - mid;
    if (l->divides && most >= 2 * w->records->rule.min_rows)
        for (size_t d = 0; d < w->records->data->rows.dims; d++)
            divide_keys(l->list + d * l->most + p->lo, p->hi - p->lo, l->side, l->key_tmp);
    return mid;
}

static copse_status close_leaf(cp_greedy_work *w, const part *p, copse_error *err) {
    cp_greedy_local *l = w->local;
    for (uint32_t i = p->lo; i < p->hi; i++) l->node_row[i - p->lo] = l->row[l->member[i]];
    return cp_greedy_work_leaf(w, p->node, l->node_row, p->hi - p->lo, err);
}

/* Splits or closes one node; its children go on the stack, the left one on top. */
static copse_status grow_part(cp_greedy_work *w, part p, size_t *depth, copse_error *err) {
    cp_greedy_local *l = w->local;
    CP_TRY(cp_fail_if_stopped(w->records->stop, err));
    int leaf = measure(w, &p) || cp_greedy_work_stop(w, p.depth) || !find_split(w, &p);
    copse_status status = leaf ? COPSE_OK : cp_greedy_work_split(w, p.node, err);
    forget_totals(w, &p);
    if (status) return status;
    if (leaf) return close_leaf(w, &p, err);
    int32_t left = w->tree->node[p.node].next;
    uint32_t mid = divide(w, &p);
    l->stack[(*depth)++] = (part){left + 1, p.depth + 1, mid, p.hi, cp_greedy_work_child(p.path, 1)};
    l->stack[(*depth)++] = (part){left, p.depth + 1, p.lo, mid, cp_greedy_work_child(p.path, 0)};
    return COPSE_OK;
}

copse_status cp_greedy_local_grow(cp_greedy_work *w, const cp_greedy_open *o, copse_error *err) {
    cp_greedy_local *l = w->local;
    size_t depth = 0, dims = w->records->data->rows.dims;
    const double *y = w->records->data->rows.y;
    l->m = o->hi - o->lo;
    l->sum = w->records->sum + o->lo;
    l->row = w->records->row + o->lo;
    l->bin = w->records->bin ? w->records->bin + o->lo * w->records->stride : NULL;
    memset(l->ranks, 0, dims * sizeof *l->ranks);
    for (size_t i = 0; i < l->m; i++) l->member[i] = (uint16_t)i;
    for (size_t i = 0; y && i < l->m; i++) l->y[i] = y[l->row[i]];
    if (!y) memset(w->node.total, 0, w->node.rule->classes * sizeof *w->node.total); /* greedy_find leaves its own */
    /* A list is divided from the top or not at all. */
    if (l->divides)
        for (size_t d = 0; d < dims; d++) sort_column(w, d);
    l->stack[depth++] = (part){o->node, o->depth, 0, (uint32_t)l->m, o->path};
    while (depth > 0) CP_TRY(grow_part(w, l->stack[--depth], &depth, err));
    return COPSE_OK;
}
