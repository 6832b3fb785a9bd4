/* tree - a binary tree of axis-aligned splits as prediction wants it: 12 bytes a node, children side by side.
 *
 *        0                    node[i].next is the left child, next + 1 the right one
 *      /   \
 *     1     2                 a row goes left if x[dim] <= cut, or if its category's bit is set;
 *          / \                NaN and categories unseen in training go where CP_TREE_MISSING_LEFT says
 *         3   4
 *
 * Leaves are numbered in node order; what they hold stands in arrays of its own, so that a walk touches nodes only.
 * Invariants, checked by cp_tree_check:
 *   N1  nodes >= 1 and odd; leaves = (nodes + 1) / 2; the k-th leaf in node order has number k.
 *   N2  a split's next > its own index; every node but the root is the child of exactly one.
 *   N3  dims are below the forest's; a set's words lie within `set`, and only categories have one; no cut is NaN.
 *   N4  regression: value[k].mean is finite, var >= 0, weight > 0, rows >= 1.
 *       classification: start[0] = 0, start rises, the classes of a leaf rise and are known, their weights are > 0. */
#ifndef CP_TREE_H
#define CP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CP_TREE_DIM = (1 << 28) - 1 };
#define CP_TREE_LEAF         0x80000000u
#define CP_TREE_SET          0x40000000u
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

/* A regression leaf, in units of the forest's centre and scale.  Weighted where rows have weights. */
typedef struct cp_tree_value {
    float mean, var, weight;
    uint32_t rows;
} cp_tree_value;

/* The weight of one class in a leaf. */
typedef struct cp_tree_share {
    uint32_t label;
    float weight;
} cp_tree_share;

typedef struct cp_tree {
    cp_tree_node *node;
    size_t nodes, cap_nodes;
    size_t leaves;
    uint32_t *set; /* bits of category splits, levels/32 rounded up words each */
    size_t sets, cap_sets;
    cp_tree_value *value; /* regression: one per leaf */
    size_t cap_value;
    uint32_t *start; /* classification: the shares of leaf k are start[k] ... start[k+1]-1 */
    cp_tree_share *share;
    uint32_t *rows; /* classification: training rows of each leaf */
    size_t cap_start, cap_share, cap_rows;
    float *gain; /* per column: share of the impurity its splits took away; NULL if not known */
} cp_tree;

/* A model of many trees.  y = centre + scale * what the leaves say. */
typedef struct cp_forest {
    copse_task task;
    size_t dims, classes;
    uint32_t *levels; /* per column, 0 for numbers; NULL: all are numbers */
    cp_tree *tree;
    size_t trees;
    double centre, scale;
} cp_forest;

static inline size_t cp_tree_words(uint32_t levels) {
    return (levels + 31) / 32;
}

#endif
