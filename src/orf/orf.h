/* orf - on-line random forests: Saffari, Leistner, Santner, Godec and Bischof (2009).
 *
 * Each tree takes each row in k ~ Poisson(1) times.  A leaf keeps a few random tests (a column and a cut) and counts,
 * for each of them, what falls to its left and right; once it has seen enough and one test gains enough, that test
 * becomes a split, whose children begin with the counts of its sides, and with tests of their own about which nothing
 * is known yet.  No row is kept.
 *
 * docs/methods/orf.md says where we differ from the paper. */
#ifndef CP_ORF_H
#define CP_ORF_H

#include "kernel/box.h"
#include "method/method.h"

/* Children stand side by side: left and left + 1.  Parents stand before their children. */
typedef struct cp_orf_node {
    int32_t left; /* CP_NONE at a leaf */
    int32_t dim;  /* split: encoded column; leaf: its number */
    float cut;    /* x <= cut goes left */
    uint32_t depth;
} cp_orf_node;

typedef struct cp_orf_test {
    int32_t dim;
    float cut;
} cp_orf_test;

/* Of targets less the forest's centre; n is whole. */
typedef struct cp_orf_moments {
    double n, mean, m2; /* m2: sum of squares about the mean */
} cp_orf_moments;

/* What a leaf knows of its targets, in a block of its own: what it was born with, its own rows, and for each test what
 * fell to the left (classes: counts), or to the left and to the right (numbers: moments).
 *
 * Invariants, checked by cp_orf_tree_check:
 *   O1  nodes = 2 leaves - 1; each pair of children has one parent, which stands before it, at a depth one less.
 *   O2  the leaves are numbered 0 ... leaves - 1, each once.
 *   O3  dims are below the forest's; cuts are finite.
 *   O4  classes: left <= own, for each test and class; numbers: n of left + n of right = n of own.
 *   O5  a leaf has at most CP_ORF_MAX_ROWS rows, copies counted. */
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
    float *range;       /* a box around [0,1] in every column and the rows so far */
    size_t rows;        /* learnt so far, taken in or not */
    size_t born;        /* of them, those before this tree was begun */
    double asked, miss; /* rows it left out since, and those of another class than it thought; only with forget > 0 */
} cp_orf_tree;

enum { CP_ORF_MAX_ROWS = INT32_MAX };

/* What all trees of a forest go by. */
typedef struct cp_orf_rules {
    const cp_box_kernel *kern;
    copse_task task;
    uint64_t seed;
    size_t dims, classes;
    size_t width; /* classes that there is room for in a block */
    size_t tests; /* of a leaf */
    double min_samples, min_gain, max_depth, smoothing;
    double forget; /* gamma of the paper's temporal knowledge weighting; 0: no tree is ever begun anew */
    int frozen;    /* without tests: does not learn */
} cp_orf_rules;

typedef struct cp_orf {
    cp_orf_rules rules;
    size_t trees;
    cp_orf_tree *tree;
    double centre;          /* numbers: the first target */
    cp_orf_moments moments; /* numbers: of all rows */
    size_t rows;            /* taken in */
    size_t turns;           /* of them, those after which a tree may have been begun anew */
    /* The last rows that were taken in, as long as a tree has still to learn one of them: after a failure some lag. */
    struct {
        size_t n, cap_x, cap_y;
        float *x;
        double *y; /* less the centre; classes: the label */
    } wait;
} cp_orf;

extern const cp_method cp_method_orf;

/* Elements of a leaf's block. */
static inline size_t cp_orf_block(const cp_orf_rules *f) {
    return f->task == COPSE_CLASS ? (2 + f->tests) * f->width : 2 + 2 * f->tests;
}

static inline cp_orf_moments *cp_orf_moments_of(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    return t->moment + leaf * cp_orf_block(f);
}

static inline uint32_t *cp_orf_counts_of(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    return t->count + leaf * cp_orf_block(f);
}

/* One leaf with fresh tests; t is zeroed but for its range, or a tree of the same forest, of which range and rows
 * stay. */
copse_status cp_orf_tree_begin(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, copse_error *err);
void cp_orf_tree_clear(cp_orf_tree *t);
/* The next row, with a stream of its own; y: a label, or a number less the centre.  A failure leaves the tree as it
 * was. */
copse_status cp_orf_tree_learn(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, const float *x, double y,
                               copse_error *err);
void cp_orf_tree_moments_add(cp_orf_moments *m, double y);
/* How often a tree takes a row: Poisson(1), from one number. */
size_t cp_orf_tree_copies(cp_rng *rng);
/* How much the test of a leaf lowers Gini's impurity of the rows it has seen; of numbers, the share of their
 * variance. */
double cp_orf_tree_gain(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, size_t test);
int32_t cp_orf_tree_find(const cp_orf_tree *t, const float *x);
/* Of a leaf: rows with copies, those it was born with among them. */
double cp_orf_tree_leaf_rows(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf);
/* Adds each class's probability. */
void cp_orf_tree_leaf_probs(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, double *probs);
/* Both kinds of a leaf's moments, put together. */
cp_orf_moments cp_orf_tree_leaf_moments(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf);
/* Room for blocks of `width` classes; and, once all trees have it, the blocks moved there. */
copse_status cp_orf_tree_reserve(cp_orf_tree *t, const cp_orf_rules *f, size_t width, copse_error *err);
void cp_orf_tree_widen(cp_orf_tree *t, const cp_orf_rules *f, size_t width);
/* NULL, or what is broken; seen: a zero for each node.  Whatever the arrays hold, it reads nothing beyond their
 * sizes. */
const char *cp_orf_tree_check(const cp_orf_tree *t, const cp_orf_rules *f, unsigned char *seen);

/* orf.c */
copse_status cp_orf_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_orf **out,
                        copse_error *err);
void cp_orf_free(void *state);
/* Numbers: the answer of a leaf, if these are the moments of all rows. */
cp_component cp_orf_leaf_gauss(const cp_orf *f, const cp_orf_tree *t, size_t leaf, const cp_orf_moments *all);

/* orf_file.c */
copse_status cp_orf_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                               copse_error *err);
copse_status cp_orf_file_read(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                              void **out_state, copse_error *err);

/* orf_inspect.c */
copse_status cp_orf_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_orf_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);

#endif
