/* mondrian_tree - one Mondrian tree in flat arrays, and the rows it refers to.
 *
 *            time 0   ........................................
 *   node 0   time .31      x[2] <= .48            box of all rows
 *                         /           \
 *   node 1   time .92  x[0] <= .1    leaf, time = lifetime     rows 4 > 7 > 2, linked through next[]
 *
 * A node's box is the smallest one around its rows.  A split holds only inside the box; outside it nothing is decided
 * yet.
 *
 * Boxes take most of the memory, and most nodes have few rows.  So a node of at most CP_MONDRIAN_HULL_ROWS rows stores
 * no box: its box is the hull of those rows.  All trees share the rows, so they are likely to be in the cache.
 *
 * The tree's shape, boxes and times depend on rows and randomness alone; targets only end pauses.  What a node keeps of
 * the targets under it is stored beside that: for classes in `class_set` and `class_counts` (see mondrian_hnsp.h), for
 * numbers in `stat` (mondrian_gauss.h).
 *
 * Invariants, checked by cp_mondrian_tree_check:
 *   N1  node 0 is the root; every other node is the child of exactly one node; each row learnt is in one leaf's list.
 *   N2  times grow strictly downwards; a leaf's time is the lifetime.
 *   N3  a node's box is exactly the hull of the rows under it.  The node stores a box if it has more than
 *       CP_MONDRIAN_HULL_ROWS rows, and none if it has fewer than CP_MONDRIAN_BOX_ROWS; without a box it stores the
 *       number of its rows instead.
 *   N4  a split lies inside its box: lower <= cut < upper in its dimension; rows with x <= cut are on the left.
 *   N5  a leaf that is paused (see cp_mondrian_tree_paused) was never split; a split has at least min_split rows, and
 *       two classes or more.
 *   N6  a leaf's label is its one class, or CP_NONE if it has several; then `class_counts` lists them.
 *   N7  a split's class set is the union of its children's classes, and its counts, if it keeps them, their sums.
 *   N7  a split's class set is the union of its children's classes.
 *   N8  with candidates > 1, a split of at least record_rows rows keeps its candidates (mondrian_candidates.h): all of
 *       them are inside its box, and its split is one of them.  No other node keeps any.
 *
 * In a frozen forest the rows of the space are hull rows only, as many as N3 needs, and a leaf's list has those of them
 * that are its own: no more than its `count`.  There are no targets; `label`, `class_counts` and `moments` keep what
 * prediction needs of them. */
#ifndef CP_MONDRIAN_TREE_H
#define CP_MONDRIAN_TREE_H

#include <math.h>

#include "base/mem.h"
#include "kernel/box.h"
#include "num/rng.h"

enum {
    CP_MONDRIAN_HULL_ROWS = 4, /* a node with more rows has a box */
    CP_MONDRIAN_BOX_ROWS = 4   /* a node gets a box when learning brings it to so many rows: more rows will follow */
};

enum {
    CP_MONDRIAN_RECORD_ROWS =
        8 /* default of space->record_rows: sampling few rows again is as quick as choosing again */
};

typedef struct cp_mondrian_node {
    double time;
    int32_t left; /* CP_NONE at a leaf */
    union {
        int32_t right;
        int32_t head; /* leaf: first row of its list */
    };
    union {
        int32_t dim;
        int32_t count; /* leaf: rows */
    };
    union {
        float cut;
        int32_t label; /* leaf: its class, CP_NONE if mixed */
    };
    int32_t box; /* index into boxes; without a box, minus the number of rows */
    union {
        uint32_t class_set;    /* split, classes: the classes under it, or where they are in tree->set */
        uint32_t class_counts; /* mixed leaf, or split with counts: where they begin in tree->count */
        uint32_t moments;      /* leaf of a frozen forest, exact posterior: its place in tree->moments */
    };
} cp_mondrian_node;

typedef struct cp_mondrian_split {
    int32_t dim;
    float cut; /* x[dim] <= cut goes left */
} cp_mondrian_split;

/* A split that was chosen among candidates: what learning needs to choose again. */
typedef struct cp_mondrian_choice {
    int32_t rows; /* under the node */
    int32_t last; /* rows up to this one have chosen; they are the node's first */
} cp_mondrian_choice;

/* Numbers: statistics of the targets under a node; the posterior decides which (mondrian_gauss.h). */
typedef union cp_mondrian_stat {
    struct {
        double n, mean, m2; /* fast: of the node's own rows */
    };
    struct {
        double m, v, c; /* exact: posterior mean, variance, covariance with the parent's */
    };
} cp_mondrian_stat;

typedef struct cp_mondrian_tree {
    cp_mondrian_node *node;
    float *box; /* 2*dims floats each */
    int32_t *next;
    size_t nodes, boxes, rows; /* rows learnt: 0 ... rows-1 of the space */
    size_t cap_nodes, cap_boxes, cap_next;

    uint32_t *set;  /* class sets of splits, if they take more than one word */
    int32_t *count; /* class counts of mixed leaves: m, then m pairs (class, rows); and of splits that keep them */
    size_t sets, counts, cap_sets, cap_counts;
    size_t tidy_counts; /* so many integers in `count` are a reason to look how many are in use */

    cp_mondrian_stat *stat; /* regression: one per node */
    size_t cap_stat;
    int32_t *chosen; /* candidates > 1: for each node its place in choice, or CP_NONE */
    cp_mondrian_choice *choice;
    cp_mondrian_split *candidate; /* for each choice as many as space->candidates */
    size_t choices, cap_chosen, cap_choices, cap_candidates;

    /* Places that subtrees have left, to be used again: 1 + the last such box, choice and class set, or 0.  Each of
     * them holds the next in its first four bytes.  A tree of one candidate never has any. */
    uint32_t free_box, free_choice, free_set;

    cp_mondrian_stat *moments; /* frozen regression, exact: indexed by a leaf's `moments` */
} cp_mondrian_tree;

/* The rows and rules that all trees of a forest share. */
typedef struct cp_mondrian_space {
    const cp_box_kernel *kern;
    size_t dims, rows;
    const float *x;       /* rows x dims */
    const int32_t *label; /* classification, else NULL */
    const double *y;      /* regression, else NULL */
    size_t classes;
    double lifetime;
    size_t min_split;
    size_t candidates;    /* cuts that a node's labels choose from; 1: labels have no say */
    int lazy;             /* not every row makes a node choose again (cp_mondrian_candidates_voters) */
    size_t record_rows;   /* splits of fewer rows keep no candidates: they are sampled again with every row */
    const int32_t *whole; /* regression, candidates > 1: targets in whole units, so that sums are exact */
    size_t frozen;        /* 0; or in a frozen forest the number of rows learnt, while x has hull rows only */
    int keeps_counts;     /* classification, calibrated: splits have counts and no class sets (mondrian_counts.h) */
    int keeps_moments;    /* regression with the fast posterior: tree->stat is kept up to date row by row */
} cp_mondrian_space;

static inline const float *cp_mondrian_tree_row(const cp_mondrian_space *s, int32_t row) {
    return s->x + (size_t)row * s->dims;
}

static inline int cp_mondrian_tree_has_box(const cp_mondrian_node *n) {
    return n->box >= 0;
}

static inline int cp_mondrian_tree_is_leaf(const cp_mondrian_node *n) {
    return n->left == CP_NONE;
}

void cp_mondrian_tree_clear(cp_mondrian_tree *t);

/* Room for more nodes and boxes, and for all rows of the space: the loops that use it cannot fail. */
copse_status cp_mondrian_tree_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t more_nodes,
                                      size_t more_boxes, copse_error *err);
/* Frees unused room. */
void cp_mondrian_tree_trim(cp_mondrian_tree *t, const cp_mondrian_space *s);

/* The rows under a node without a box, at most CP_MONDRIAN_HULL_ROWS; returns how many. */
size_t cp_mondrian_tree_hull_rows(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t *out);
/* How far x lies outside the hull of these rows. */
double cp_mondrian_tree_outside_hull(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n,
                                     const float *x);
/* The node's box: the stored one, or the hull of its rows written to buf (2*dims). */
const float *cp_mondrian_tree_box(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n,
                                  float *buf);
static inline float *cp_mondrian_tree_own_box(const cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t box) {
    return t->box + (size_t)box * 2 * s->dims;
}
/* How far x lies outside the node's box. */
static inline double cp_mondrian_tree_outside(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                              const cp_mondrian_node *n, const float *x) {
    if (cp_mondrian_tree_has_box(n)) return s->kern->outside(cp_mondrian_tree_own_box(t, s, n->box), x, s->dims);
    return cp_mondrian_tree_outside_hull(t, s, n, x);
}

/* A leaf is not split while it has fewer than min_split rows or rows of a single class. */
static inline int cp_mondrian_tree_paused(const cp_mondrian_space *s, const cp_mondrian_node *leaf) {
    return (size_t)leaf->count < s->min_split || (s->label && leaf->label != CP_NONE);
}

/* A place for a box, for the candidates of a split; room is reserved. */
int32_t cp_mondrian_tree_new_box(cp_mondrian_tree *t, const cp_mondrian_space *s);
int32_t cp_mondrian_tree_new_choice(cp_mondrian_tree *t);
/* One more row in a node's box. */
void cp_mondrian_tree_include(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *n, const float *x);
/* Does a node without a box, whose `box` this is, get one with the next row? */
static inline int cp_mondrian_tree_gets_box(int32_t box) {
    return box - 1 <= -CP_MONDRIAN_BOX_ROWS;
}

/* All nodes, parents before children; out holds t->nodes. */
void cp_mondrian_tree_order(const cp_mondrian_tree *t, int32_t *out);

/* The number of leaves, and their mean depth weighted by rows (root: 0). */
void cp_mondrian_tree_shape(const cp_mondrian_tree *t, int32_t *order, int32_t *depth, size_t *out_leaves,
                            double *out_depth);

/* NULL if N1 to N7 hold, else which does not.  In mondrian_tree_check.c, apart from the code that keeps them. */
const char *cp_mondrian_tree_check(const cp_mondrian_tree *t, const cp_mondrian_space *s);

/* The time that is `more` after `since`: later than it even where the sum is rounded to it (N2). */
static inline double cp_mondrian_tree_later(double since, double more) {
    double time = since + more;
    return time > since ? time : nextafter(since, INFINITY);
}

#endif
