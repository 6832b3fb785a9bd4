/* tree - a binary tree of axis-aligned splits, laid out for prediction: 12 bytes a node, children side by side.
 *
 *        0                    node[i].next is the left child, next + 1 the right one
 *      /   \
 *     1     2                 a row goes left if x[dim] <= cut, or if its category's bit is set;
 *          / \                NaN and categories unseen in training go where CP_TREE_MISSING_LEFT says
 *         3   4
 *
 * Leaves are numbered in node order; their contents are in arrays of their own, so that a walk touches nodes only.
 * Invariants of a finished tree, checked by cp_tree_check (tree_check.h):
 *   N1  nodes >= 1 and odd; leaves = (nodes + 1) / 2; the k-th leaf in node order has number k.
 *   N2  a split's subtree is one run of nodes: its children, then all below the left one, then all below the right one,
 *       each subtree laid out alike.  So next > its own index, and the next node of a walk is often in the same cache
 *       line.
 *   N3  the columns of splits are below the forest's dims; the words of a set lie within `set`, and only categories
 *       have a set; no cut is NaN.
 *   N4  regression: value[k].mean is finite, var >= 0, weight > 0, both finite, rows >= 1.
 *       classification: start[0] = 0, start rises, the classes of a leaf rise and are known, their weights are > 0
 *       and finite, rows >= 1. */
#ifndef CP_TREE_H
#define CP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "kernel/key_block.h"
#include "kernel/walk_step.h"
#include "num/mixture.h"

enum { CP_TREE_DIM = (1 << 28) - 1 };
#define CP_TREE_LEAF         0x80000000u
#define CP_TREE_CATEGORY     0x40000000u
#define CP_TREE_MISSING_LEFT 0x20000000u

typedef struct cp_tree_node {
    union {
        float cut;     /* split of a number */
        uint32_t set;  /* split of a category: the first word of its bits */
        uint32_t leaf; /* leaf: its number */
    } at;
    uint32_t what; /* dim and flags; a leaf's dim is 0 */
    int32_t next;  /* a leaf: its own index */
} cp_tree_node;

/* A node for walks by keys (sort.h): 8 bytes, and no branches.  `cut` is the key of the node's cut; next = way >> 8,
 * and the column is (way & 255) / the tree's unit.  A leaf's cut is CP_TREE_STEP_LEAF + its number, which is above all
 * keys, and its next is itself: a row that has arrived at a leaf stays there. */
typedef cp_walk_step cp_tree_step;
/* The unit of trees whose columns are below CP_KEY_BLOCK_DIMS: the keys of a column are then 8 (way & 255) bytes from
 * the first key of a key block, an offset that processors compute as part of the load. */
enum { CP_TREE_STEP_UNIT = 4 };
#define CP_TREE_STEP_LEAF 0xffc00000u

/* A regression leaf, in units of the forest's centre and scale.  Mean and variance are weighted where rows have
 * weights. */
typedef struct cp_tree_value {
    float mean, var, weight;
    uint32_t rows;
} cp_tree_value;

/* The weight of one class in a leaf. */
typedef struct cp_tree_class_weight {
    uint32_t label;
    float weight;
} cp_tree_class_weight;

typedef struct cp_tree {
    cp_tree_node *node;
    size_t nodes, cap_nodes;
    size_t leaves;
    cp_tree_step
        *step;     /* the nodes again, for walks by keys; NULL: cp_tree_make_steps does not make them for this tree */
    uint32_t unit; /* of the steps' columns: CP_TREE_STEP_UNIT or 1 */
    uint32_t *set; /* bits of category splits, levels/32 rounded up words each */
    size_t sets, cap_sets;
    cp_tree_value *value; /* regression: one per leaf */
    size_t cap_value;
    cp_gauss *gauss; /* predictive distribution of each leaf, if the forest's owner has computed it from `value` */
    uint32_t *start; /* classification: the class weights of leaf k are entries start[k] ... start[k+1]-1 */
    cp_tree_class_weight *class_weight;
    uint32_t *rows; /* classification: training rows of each leaf */
    size_t cap_start, cap_class_weight, cap_rows;
    float *gain; /* per column: impurity that its splits took away; NULL if not known */
} cp_tree;

/* The least scale of a forest: products of squares in these units do not underflow to 0. */
#define CP_FOREST_LEAST_SCALE 1e-80

/* A model of many trees.  A leaf's mean m predicts y = centre + scale * m. */
typedef struct cp_forest {
    copse_task task;
    size_t dims, classes;
    uint32_t *levels; /* per column, 0 for numbers; NULL: all are numbers */
    cp_tree *tree;
    size_t trees;
    double centre, scale;
} cp_forest;

static inline size_t cp_tree_words(uint32_t levels) {
    return levels / 32 + (levels % 32 != 0);
}

static inline int cp_tree_is_leaf(const cp_tree_node *n) {
    return (n->what & CP_TREE_LEAF) != 0;
}

static inline uint32_t cp_tree_dim(const cp_tree_node *n) {
    return n->what & CP_TREE_DIM;
}

/* ---------------------------------------------------------------------------------------------------------- growing
 *
 * A tree starts as one open node.  Open nodes become splits (with two open children) or leaves, in any order; when none
 * is open, cp_tree_finish puts nodes and leaves into their final order and frees unused memory.  Node numbers are valid
 * until then.  A failure leaves a tree that cp_tree_clear frees. */

/* The test of a split. */
typedef struct cp_tree_test {
    uint32_t dim;
    int missing_left;
    float cut;           /* number: x <= cut goes left */
    const uint32_t *set; /* category: bits of the levels that go left, else NULL */
    size_t words;        /* of set: cp_tree_words of the column's levels */
} cp_tree_test;

/* t is zeroed; node 0 is open afterwards. */
copse_status cp_tree_init_root(cp_tree *t, copse_error *err);
/* The new children are t->node[node].next and the one after it. */
copse_status cp_tree_split(cp_tree *t, int32_t node, const cp_tree_test *test, copse_error *err);
/* Regression. */
copse_status cp_tree_leaf_value(cp_tree *t, int32_t node, cp_tree_value value, copse_error *err);
/* Classification: the weights of n classes by rising label, and how many rows they come from. */
copse_status cp_tree_leaf_classes(cp_tree *t, int32_t node, const cp_tree_class_weight *class_weight, size_t n,
                                  uint32_t rows, copse_error *err);
/* Replaces an open node by a tree without open nodes, finished or not.  The gains of that tree, if it has some, are
 * added to those of the `dims` columns of t. */
copse_status cp_tree_graft(cp_tree *t, int32_t node, const cp_tree *branch, size_t dims, copse_error *err);
copse_status cp_tree_finish(cp_tree *t, copse_error *err);
/* Fills in t->step of a finished tree, if it splits no categories, has columns below 256 and at most 2^22 leaves.
 * cp_tree_finish calls it. */
copse_status cp_tree_make_steps(cp_tree *t, copse_error *err);

/* ------------------------------------------------------------------------------------------------------ whole trees */

void cp_tree_clear(cp_tree *t);
void cp_tree_clear_forest(cp_forest *f);
/* The depth: splits on the longest path from the root to a leaf. */
size_t cp_tree_depth(const cp_tree *t);
/* Has it no split of a category? */
int cp_tree_is_numeric(const cp_tree *t);

#endif
