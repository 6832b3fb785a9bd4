/* split - the best split of a node in two, for one column after another.
 *
 *   split             cuts of a number, on a sorted list of the node's rows
 *   split_category    sets of levels
 *   split_hist        cuts and sets, on histograms
 *   split_random      one random cut of a column; split_random_all: of all columns at once
 *
 * Sums are integers.  A row's weight and its weight times its target are rounded once, to fixed point, before a tree is
 * grown (greedy_records.h); from then on every sum is exact.  So the result does not depend on the order in which rows
 * are added, on whether a sibling's histogram was summed or subtracted, or on the number of threads: equal data give
 * the same tree to the bit.
 *
 * The quality of a split is a fraction num/den, larger is better; fractions are compared by cross-multiplication.
 *   regression      d^2 / (wl wr) over 1,  d = sl - wl s/w:  w times this is the decrease of the squared error
 *   gini            (ql wr + qr wl) / (wl wr),  q = sum of the squared class weights of a side
 *   entropy         the information gain, over 1
 * (w, s: sums of weight and of weight times target; l, r: the left and the right side.)
 * The first of equal candidates wins: columns in the order they are tried, cuts from low to high. */
#ifndef CP_SPLIT_H
#define CP_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "kernel/cut_scan.h"
#include "num/rng.h"

typedef enum cp_split_kind { CP_SPLIT_SQUARED, CP_SPLIT_GINI, CP_SPLIT_ENTROPY } cp_split_kind;

/* What all nodes of a tree share. */
typedef struct cp_split_rule {
    cp_split_kind kind;
    unsigned shift;    /* cp_sum.w >> shift is the number of rows */
    int64_t mask;      /* cp_sum.w & mask is the weight */
    size_t min_rows;   /* on each side, at least 1 */
    double min_weight; /* on each side */
    size_t classes;
    cp_cut_scan_fn cut; /* regression: the scan of a sorted list */
} cp_split_rule;

/* A level of a category as it occurs in a node. */
typedef struct cp_split_level {
    uint32_t id, first, end; /* rows first ... end-1 of the node's list */
    cp_sum sum;
    double key; /* levels are tried in rising order of their keys */
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

/* Have both sides enough rows and weight, if so many rows of this weight are on the left? */
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
    int missing_left; /* rows without a value go left */
    int is_set;       /* a split of a category */
    float cut;        /* numbers: x <= cut goes left; INFINITY: missing values against all others */
    /* Numbers: the ranks (or bins) on either side of the cut; above = CP_SPLIT_MISSING: cut is INFINITY. */
    uint32_t below, above;
    size_t at;     /* numbers, found in a list: position of the last row that goes left by its value */
    uint32_t *set; /* categories: the levels (or bins) that go left; the caller's, with room for the widest category */
} cp_split;

#define CP_SPLIT_MISSING 0xffffffffu /* as a rank */

/* The rows of a node, sorted by one column.  A key is rank << 16 | position, or rank << 32 | position if wide; keys
 * rise.  Missing values have the largest rank that fits and come last.  `position` is the row's place in `sum`. */
typedef struct cp_split_list {
    const void *key;
    int wide;
    size_t n, present; /* rows; those that have a value */
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

/* Forgets the best split, but keeps the memory of its set. */
void cp_split_none(cp_split *s);

/* Rows without a value go to the heavier side, if the node has no such rows to learn from.  Is that the left one? */
static inline int cp_split_heavier_left(const cp_split_node *n, double left_weight) {
    return left_weight > n->weight - left_weight;
}

/* Tries the cuts of a number.  Returns 1 if one is better than `best`, which then holds it, except dim and cut, which
 * the caller knows. */
int cp_split_scan(const cp_split_node *n, const cp_split_list *l, cp_split *best);

/* The same for regression, on narrow keys without missing values: the list that cp_split_cut_list makes serves all
 * columns of a node, the caller sets its keys. */
cp_cut_scan_list cp_split_cut_list(const cp_split_node *n, const cp_sum *sum);
int cp_split_cut(const cp_split_node *n, const cp_cut_scan_list *c, cp_split *best);

#endif
