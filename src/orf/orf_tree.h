/* orf_tree - one tree of an online random forest: its leaves, their random tests, and how a row is learnt.
 *
 * A leaf keeps a block of statistics of its targets: those it inherited from the split that made it, those of its own
 * rows, and for each test those of its own rows on the left (classes: counts), or on the left and on the right
 * (numbers: moments).
 *
 *   classes   inherited | own | left of test 0 | left of test 1 | ...           rules.width counts each
 *   numbers   inherited | own | left, right of test 0 | left, right of test 1 | ...      one moments each
 *
 * Invariants, checked by cp_orf_tree_check:
 *   O1  nodes = 2 leaves - 1; each pair of children has one parent, which stands before it, at a depth one less.
 *   O2  the leaves are numbered 0 ... leaves - 1, each once.
 *   O3  dims are below the forest's; cuts are finite.
 *   O4  classes: left <= own, for each test and class; numbers: n of left + n of right = n of own.
 *   O5  a leaf has at most CP_ORF_TREE_MAX_ROWS rows, copies counted. */
#ifndef CP_ORF_TREE_H
#define CP_ORF_TREE_H

#include "kernel/box.h"
#include "method/method.h"

/* Children stand side by side: left and left + 1.  Parents stand before their children. */
typedef struct cp_orf_node {
    int32_t left; /* CP_NONE at a leaf */
    int32_t dim;  /* split: encoded column; leaf: its number */
    float cut;    /* x <= cut goes left */
    uint32_t depth;
} cp_orf_node;

/* A split that a leaf may make. */
typedef struct cp_orf_test {
    int32_t dim;
    float cut;
} cp_orf_test;

/* Moments of targets minus the forest's centre; n is whole. */
typedef struct cp_orf_moments {
    double n, mean, m2; /* m2: sum of squares about the mean */
} cp_orf_moments;

typedef struct cp_orf_tree {
    cp_orf_node *node;
    size_t nodes, cap_nodes;
    size_t leaves;
    cp_orf_test *test; /* tests of leaf 0, of leaf 1 ... */
    size_t cap_test;
    uint32_t *count; /* classes: blocks of leaf 0, of leaf 1 ... */
    size_t cap_count;
    cp_orf_moments *moment; /* numbers: likewise */
    size_t cap_moment;
    float *range;                /* a box around [0,1] in every column and the rows so far */
    size_t rows;                 /* rows seen, also those of which the tree took no copy */
    size_t born;                 /* rows seen before the tree was last reset */
    double oob_rows, oob_errors; /* since then, with rules.forget > 0: out-of-bag rows, and those it got wrong */
} cp_orf_tree;

enum { CP_ORF_TREE_MAX_ROWS = INT32_MAX };

/* What all trees of a forest have in common. */
typedef struct cp_orf_rules {
    const cp_box_kernel *kern;
    copse_task task;
    uint64_t seed;
    size_t dims, classes;
    size_t width; /* classes: room for so many in a block */
    size_t tests; /* per leaf */
    double min_samples, min_gain, max_depth, smoothing;
    double forget; /* gamma of the paper's temporal knowledge weighting; 0: no tree is ever reset */
    int frozen;    /* the leaves have no tests: the forest cannot learn */
} cp_orf_rules;

/* Elements of a leaf's block. */
static inline size_t cp_orf_tree_block_size(const cp_orf_rules *f) {
    return f->task == COPSE_CLASS ? (2 + f->tests) * f->width : 2 + 2 * f->tests;
}

/* The block of a leaf: numbers, classes. */
static inline cp_orf_moments *cp_orf_tree_moments(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    return t->moment + leaf * cp_orf_tree_block_size(f);
}

static inline uint32_t *cp_orf_tree_counts(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    return t->count + leaf * cp_orf_tree_block_size(f);
}

/* Makes the tree a single leaf with new tests.  `range` and `rows` stay; all else may be zero before. */
copse_status cp_orf_tree_reset(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, copse_error *err);
void cp_orf_tree_clear(cp_orf_tree *t);

/* Learns the next row, with a random stream of its own; y: a label, or a number minus the centre.  A failure leaves the
 * tree as it was. */
copse_status cp_orf_tree_learn(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, const float *x, double y,
                               copse_error *err);
/* One more number in the moments (Welford). */
void cp_orf_tree_moments_add(cp_orf_moments *m, double y);
/* How many copies of a row a tree takes: Poisson(1), from one uniform. */
size_t cp_orf_tree_draw_copies(cp_rng *rng);
/* How much a test of a leaf lowers the Gini impurity of the leaf's own rows; numbers: the share of their variance. */
double cp_orf_tree_gain(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, size_t test);

/* The node of the leaf that x falls into. */
int32_t cp_orf_tree_find(const cp_orf_tree *t, const float *x);
/* Rows of a leaf, inherited and own, copies counted. */
double cp_orf_tree_leaf_rows(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf);
/* Adds the leaf's class probabilities to probs. */
void cp_orf_tree_leaf_probs(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, double *probs);
/* Moments of a leaf's rows, inherited and own. */
cp_orf_moments cp_orf_tree_leaf_moments(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf);

/* Room for blocks of `width` classes; then, once all trees have it, moves the blocks to their new places. */
copse_status cp_orf_tree_reserve(cp_orf_tree *t, const cp_orf_rules *f, size_t width, copse_error *err);
void cp_orf_tree_widen(cp_orf_tree *t, const cp_orf_rules *f, size_t width);

/* NULL, or which invariant does not hold; `seen` is zero, one byte per node.  Whatever the arrays hold, it reads
 * nothing beyond their sizes: files are checked by it. */
const char *cp_orf_tree_check(const cp_orf_tree *t, const cp_orf_rules *f, unsigned char *seen);

#endif
