/* split - the best way to cut a node in two.
 *
 * Sums are integers.  A row's weight and its weight times its target are rounded once, to fixed point, before a tree is
 * grown (greedy_records.h); from then on every sum is exact.  So it does not matter in what order rows are added,
 * whether a sibling's histogram was summed or subtracted, or how many threads worked: equal data give the same tree to
 * the bit.
 *
 * What is compared is a fraction num/den, larger is better, by cross-multiplication:
 *   regression      d^2 / (wl wr) over 1,  d = sl - wl s/w:  the squared error taken away is w times that
 *   gini            (ql wr + qr wl) / (wl wr),  q = sum of the squared class weights of a side
 *   entropy         the information gained, over 1
 * The first of equal candidates wins: columns in the order they are tried, cuts from low to high. */
#ifndef CP_SPLIT_H
#define CP_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "kernel/cut_scan.h"
#include "num/rng.h"

typedef enum cp_split_kind { CP_SPLIT_SQUARED, CP_SPLIT_GINI, CP_SPLIT_ENTROPY } cp_split_kind;

/* What all nodes of a tree have in common. */
typedef struct cp_split_rule {
    cp_split_kind kind;
    unsigned shift;    /* of rows in cp_sum.w */
    int64_t mask;      /* of weight in cp_sum.w */
    size_t min_rows;   /* of each side, at least 1 */
    double min_weight; /* of each side */
    size_t classes;
    cp_cut_scan_fn cut; /* regression: the scan of sorted lists */
} cp_split_rule;

/* A level of a category as it occurs in a node. */
typedef struct cp_split_level {
    uint32_t id, first, end; /* rows first ... end-1 of the node's list */
    cp_sum sum;
    double key; /* by which levels are ordered */
} cp_split_level;

/* The node to be split. */
typedef struct cp_split_node {
    const cp_split_rule *rule;
    size_t rows;
    double weight;
    double mean;           /* regression: s/w */
    double *total;         /* classification: weight of each class */
    double *left;          /* classification: scratch, one per class, zero between calls */
    double square;         /* gini: sum of total^2; entropy: sum of total log total */
    cp_split_level *level; /* scratch: as many as the widest category has levels, and one more */
} cp_split_node;

/* Have both sides enough, if this is on the left? */
static inline int cp_split_enough(const cp_split_node *n, size_t rows, double weight) {
    const cp_split_rule *r = n->rule;
    return rows >= r->min_rows && n->rows - rows >= r->min_rows && weight >= r->min_weight &&
           n->weight - weight >= r->min_weight;
}

static inline int cp_split_in_set(const uint32_t *set, uint32_t level) {
    return (int)(set[level / 32] >> level % 32 & 1);
}

/* The best split so far.  num < 0: there is none. */
typedef struct cp_split {
    double num, den;
    double left; /* weight of the left side */
    int32_t dim;
    int missing_left;
    int is_set;
    float cut; /* numbers: x <= cut goes left; INFINITY: missing values against all others */
    /* Numbers: the ranks (or bins) on either side of the cut; above = CP_SPLIT_MISSING: cut is INFINITY. */
    uint32_t below, above;
    size_t at;     /* numbers, found in a list: the last row of it on the left, missing values apart */
    uint32_t *set; /* categories: the levels (or bins) that go left; room for the widest category */
} cp_split;

#define CP_SPLIT_MISSING 0xffffffffu /* as a rank */

/* Rows of a node in the order of one column.  A key is rank << 16 | position, or rank << 32 | position if wide; keys
 * rise; missing values have the largest rank there is and come last.  Positions are those in `sum`. */
typedef struct cp_split_list {
    const void *key;
    int wide;
    size_t n, present; /* rows, and those not missing */
    const cp_sum *sum;
} cp_split_list;

static inline uint64_t cp_split_key(const cp_split_list *l, size_t i) {
    return l->wide ? ((const uint64_t *)l->key)[i] : ((const uint32_t *)l->key)[i];
}
static inline uint32_t cp_split_rank(const cp_split_list *l, size_t i) {
    return l->wide ? (uint32_t)(cp_split_key(l, i) >> 32) : (uint32_t)(cp_split_key(l, i) >> 16);
}
static inline size_t cp_split_position(const cp_split_list *l, size_t i) {
    return (size_t)(cp_split_key(l, i) & (l->wide ? 0xffffffffu : 0xffffu));
}
static inline size_t cp_split_rows(const cp_split_rule *r, int64_t w) {
    return (size_t)(w >> r->shift);
}
static inline double cp_split_weight(const cp_split_rule *r, int64_t w) {
    return (double)(w & r->mask);
}

void cp_split_none(cp_split *s); /* keeps the room for the set */

/* Where rows without a value go when the node has none to learn it from: with the heavier side. */
static inline int cp_split_heavier_left(const cp_split_node *n, double left_weight) {
    return left_weight > n->weight - left_weight;
}

/* In split.c: the best cut of a number.  Returns 1 if it is better than `best`, which then holds it, but for dim
 * and cut, which the caller knows. */
int cp_split_scan(const cp_split_node *n, const cp_split_list *l, cp_split *best);

/* The same for regression, of narrow keys none of which is missing: a list that serves all columns of a node, but for
 * its keys. */
cp_cut_scan_list cp_split_cut_list(const cp_split_node *n, const cp_sum *sum);
int cp_split_cut(const cp_split_node *n, const cp_cut_scan_list *c, cp_split *best);

/* In split_category.c: the best set of levels; `levels` is the number of ranks there can be.  Regression and two
 * classes: levels in the order of their mean response, which is known to hold the best of all subsets [Breiman et al.
 * 1984, sec. 4.2].  More classes: for each of the 32 heaviest classes levels in the order of its share; and each level
 * against the others. */
int cp_split_category(const cp_split_node *n, const cp_split_list *l, uint32_t levels, cp_split *best);
/* The same for regression from `count` levels already summed up in n->level; `missing` is the sum over rows without. */
int cp_split_category_sums(const cp_split_node *n, size_t count, cp_sum missing, uint32_t levels, cp_split *best);

/* In split_hist.c.  Regression: a column's histogram.  Cell b is the sum over bin b < bins, the last cell that over the
 * rows without a value. */
enum { CP_SPLIT_CELLS = 256 };
int cp_split_hist_numbers(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best);
int cp_split_hist_levels(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best);
/* Gini of numbers none of which is missing: cell b * classes + k is cp_sum.w over the rows of class k in bin b. */
int cp_split_hist_classes(const cp_split_node *n, const int64_t *cell, size_t bins, cp_split *best);
enum { CP_SPLIT_CELLS_A_ROW = 2 }; /* up to here filling it is faster than sorting */

#endif
