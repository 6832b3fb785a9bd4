#include "split/split_category.h"

#include <stdlib.h>

#include "split/split_side.h"

enum { CLASSES_TRIED = 32 };

static int by_key(const void *a, const void *b) {
    const cp_split_level *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes the set in which the first `left` of the node's `count` levels go left.  Levels that the node does not have go
 * where missing values go. */
static void keep_set(const cp_split_node *n, size_t count, size_t left, uint32_t levels, cp_split *best) {
    size_t from = best->missing_left ? left : 0, to = best->missing_left ? count : left;
    memset(best->set, best->missing_left ? 0xff : 0, (levels + 31) / 32 * sizeof *best->set);
    for (size_t i = from; i < to; i++) best->set[n->level[i].id / 32] ^= 1u << n->level[i].id % 32;
    if (best->missing_left && levels % 32) best->set[levels / 32] &= (1u << levels % 32) - 1;
    best->is_set = 1;
}

static int better_than(const cp_split *best, double num, double den) {
    return num * best->den > best->num * den;
}

/* ------------------------------------------------------------------------------------------------------- regression */

/* Tries the cuts after the first `end` of the ordered levels; missing values are on the left if `base` holds them.
 * Returns how many levels go left in the best cut, 0 if none is better than `best`. */
static size_t scan_sums(const cp_split_node *n, cp_sum base, size_t end, cp_split *best) {
    size_t at = 0;
    cp_sum a = base;
    for (size_t i = 0; i < end; i++) {
        a.w += n->level[i].sum.w;
        a.s += n->level[i].sum.s;
        double wl = cp_split_weight(n->rule, a.w), q = cp_cut_scan_quality(wl, (double)a.s, n->weight, n->mean);
        if (!cp_split_enough(n, cp_split_rows(n->rule, a.w), wl) || !better_than(best, q, 1)) continue;
        best->num = q;
        best->den = 1;
        best->left = wl;
        at = i + 1;
    }
    return at;
}

int cp_split_category_sums(const cp_split_node *n, size_t count, cp_sum missing, uint32_t levels, cp_split *best) {
    for (size_t i = 0; i < count; i++)
        n->level[i].key = (double)n->level[i].sum.s / cp_split_weight(n->rule, n->level[i].sum.w);
    qsort(n->level, count, sizeof *n->level, by_key);
    size_t right = scan_sums(n, (cp_sum){0, 0}, missing.w ? count : count - (count > 0), best);
    if (right) {
        best->missing_left = missing.w ? 0 : cp_split_heavier_left(n, best->left);
        keep_set(n, count, right, levels, best);
    }
    if (!missing.w) return right > 0;
    size_t left = scan_sums(n, missing, count - (count > 0), best);
    if (left) {
        best->missing_left = 1;
        keep_set(n, count, left, levels, best);
    }
    return right > 0 || left > 0;
}

/* --------------------------------------------------------------------------------------------------- classification */

static void move_level(const cp_split_node *n, const cp_split_list *l, size_t first, size_t end, cp_split_side *t) {
    int entropy = n->rule->kind == CP_SPLIT_ENTROPY;
    for (size_t i = first; i < end; i++) cp_split_side_move(n, l->sum[cp_split_position(l, i)], entropy, t);
}

static int try_sides(const cp_split_node *n, const cp_split_side *t, size_t rows, cp_split *best) {
    double num, den;
    if (!cp_split_enough(n, rows, t->wl)) return 0;
    cp_split_side_quality(n, t, n->rule->kind == CP_SPLIT_ENTROPY, &num, &den);
    if (!better_than(best, num, den)) return 0;
    best->num = num;
    best->den = den;
    best->left = t->wl;
    return 1;
}

/* Tries the cuts of the ordered levels: they move to the left side one by one. */
static int scan_order(const cp_split_node *n, const cp_split_list *l, size_t count, int missing_left, uint32_t levels,
                      cp_split *best) {
    size_t rows = 0, at = 0, missing = l->n - l->present, end = missing && !missing_left ? count : count - 1;
    cp_split_side t = {0, 0, n->square};
    if (missing_left) {
        move_level(n, l, l->present, l->n, &t);
        rows = missing;
    }
    for (size_t i = 0; i < end; i++) {
        move_level(n, l, n->level[i].first, n->level[i].end, &t);
        rows += n->level[i].end - n->level[i].first;
        if (try_sides(n, &t, rows, best)) at = i + 1;
    }
    cp_split_side_reset(n, l);
    if (!at) return 0;
    best->missing_left = missing ? missing_left : cp_split_heavier_left(n, best->left);
    keep_set(n, count, at, levels, best);
    return 1;
}

/* Orders the levels by the share of class k in their weight. */
static void order_by_class(const cp_split_node *n, const cp_split_list *l, size_t count, size_t k) {
    for (size_t j = 0; j < count; j++) {
        double all = 0, of_k = 0;
        for (size_t i = n->level[j].first; i < n->level[j].end; i++) {
            const cp_sum *a = &l->sum[cp_split_position(l, i)];
            double w = cp_split_weight(n->rule, a->w);
            all += w;
            if ((size_t)a->s == k) of_k += w;
        }
        n->level[j].key = of_k / all;
    }
    qsort(n->level, count, sizeof *n->level, by_key);
}

static int scan_both_ways(const cp_split_node *n, const cp_split_list *l, size_t count, uint32_t levels,
                          cp_split *best) {
    int better = scan_order(n, l, count, 0, levels, best);
    if (l->present < l->n) better |= scan_order(n, l, count, 1, levels, best);
    return better;
}

/* Tries each level alone against the others: to write its set, it changes places with the first level. */
static int one_against_rest(const cp_split_node *n, const cp_split_list *l, size_t count, uint32_t levels,
                            cp_split *best) {
    int better = 0;
    for (size_t j = 0; j < count; j++) {
        for (int missing_left = 0; missing_left <= (l->present < l->n); missing_left++) {
            cp_split_side t = {0, 0, n->square};
            size_t rows = n->level[j].end - n->level[j].first;
            move_level(n, l, n->level[j].first, n->level[j].end, &t);
            if (missing_left) move_level(n, l, l->present, l->n, &t);
            if (missing_left) rows += l->n - l->present;
            int found = try_sides(n, &t, rows, best);
            cp_split_side_reset(n, l);
            if (!found) continue;
            cp_split_level swap = n->level[0];
            n->level[0] = n->level[j];
            n->level[j] = swap;
            best->missing_left = l->present < l->n ? missing_left : cp_split_heavier_left(n, best->left);
            keep_set(n, count, 1, levels, best);
            n->level[j] = n->level[0];
            n->level[0] = swap;
            better = 1;
        }
    }
    return better;
}

/* The class after (weight, k) in the order of falling weight, then rising number; SIZE_MAX if there is none. */
static size_t next_class(const cp_split_node *n, double weight, size_t k) {
    size_t found = SIZE_MAX;
    for (size_t c = 0; c < n->rule->classes; c++) {
        double w = n->total[c];
        if (w <= 0 || w > weight || (w == weight && c <= k)) continue;
        if (found == SIZE_MAX || w > n->total[found]) found = c;
    }
    return found;
}

static int scan_classes(const cp_split_node *n, const cp_split_list *l, size_t count, uint32_t levels, cp_split *best) {
    int better = 0;
    if (n->rule->classes == 2) {
        order_by_class(n, l, count, 1);
        return scan_both_ways(n, l, count, levels, best);
    }
    better |= one_against_rest(n, l, count, levels, best);
    size_t k = next_class(n, INFINITY, 0);
    for (int tried = 0; k != SIZE_MAX && tried < CLASSES_TRIED; tried++) {
        order_by_class(n, l, count, k);
        better |= scan_both_ways(n, l, count, levels, best);
        k = next_class(n, n->total[k], k);
    }
    return better;
}

/* ------------------------------------------------------------------------------------------------------------- both */

/* Lists the levels of the node with their rows and sums; returns how many there are. */
static size_t find_levels(const cp_split_node *n, const cp_split_list *l) {
    size_t count = 0;
    for (size_t i = 0; i < l->present; i++) {
        const cp_sum *a = &l->sum[cp_split_position(l, i)];
        if (i == 0 || cp_split_rank(l, i) != cp_split_rank(l, i - 1))
            n->level[count++] = (cp_split_level){.id = cp_split_rank(l, i), .first = (uint32_t)i};
        n->level[count - 1].end = (uint32_t)i + 1;
        n->level[count - 1].sum.w += a->w;
        n->level[count - 1].sum.s += a->s;
    }
    return count;
}

int cp_split_category(const cp_split_node *n, const cp_split_list *l, uint32_t levels, cp_split *best) {
    size_t count = find_levels(n, l);
    cp_sum missing = {0, 0};
    if (count == 0 || (count == 1 && l->present == l->n)) return 0;
    if (n->rule->kind != CP_SPLIT_SQUARED) return scan_classes(n, l, count, levels, best);
    for (size_t i = l->present; i < l->n; i++) {
        missing.w += l->sum[cp_split_position(l, i)].w;
        missing.s += l->sum[cp_split_position(l, i)].s;
    }
    return cp_split_category_sums(n, count, missing, levels, best);
}
