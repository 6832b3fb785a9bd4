/* bart_tree - one tree of the sum, changed in place, and the leaf of every row.
 *
 * Nodes are allocated in pairs of siblings, so the right child is left + 1; the root is node 0.  Leaves have slots
 * 0 ... leaves-1, and slot[row] is the slot of the row's leaf.  When a leaf is split, its left child keeps the slot and
 * the right child gets the next free slot.  When a pair of leaves is collapsed, the left slot remains, the last slot is
 * renumbered to the right one, and the last pair of nodes is renumbered to the collapsed pair.
 *
 * Invariants, checked by cp_bart_tree_check (bart_tree_check.h):
 *   T1  nodes = 2 pairs + 1; the children of an inner node are a pair, have it as parent and are one deeper; each node
 *       is reached once; the root's children are pair 0.  So the k-th inner node is the parent of pair k, nodes 2k+1
 *       and 2k+2.
 *   T2  leaves have slots 0 ... pairs, each once; slot[row] is the leaf to which the rules lead the row; no leaf is
 *       empty.
 *   T3  the cut lies in the rule's cell.
 *   T4  rows, sum_w, sum_wr of a slot are the sums over its rows, sum_wr as of the last pass over the residual; sum_w
 *       and sum_wr hold up to float rounding; `node` is the leaf.
 *   T5  `open` is 1 for a leaf in which some column varies, else 0.
 * The numbers of nodes and slots are part of the state, because they decide which node a random number chooses.  So is
 * the rounding of sum_w. */
#ifndef CP_BART_TREE_H
#define CP_BART_TREE_H

#include "bart/core/bart_view.h"

typedef struct cp_bart_node {
    int16_t parent; /* CP_NONE: the root */
    int16_t left;   /* CP_NONE: a leaf */
    uint16_t slot;  /* of a leaf */
    uint16_t depth;
    cp_rule rule; /* of an inner node, and its cut */
    float cut;
} cp_bart_node;

typedef struct cp_bart_leaf {
    uint32_t rows;
    uint32_t open;
    int16_t node;
    double sum_w, sum_wr;
} cp_bart_leaf;

typedef struct cp_bart_tree {
    size_t pairs;
    cp_bart_node *node; /* 2 * cap - 1 */
    cp_bart_leaf *leaf; /* cap, by slot */
    float *mu;          /* by slot, the leaf's mean; CP_BART_MAX_LEAVES of them, 0 beyond the last leaf */
    size_t cap;         /* leaves for which memory is allocated */
    uint8_t *slot;      /* of each row; borrowed from the chain, which keeps the slots of all trees in one array */
} cp_bart_tree;

static inline size_t cp_bart_tree_leaves(const cp_bart_tree *t) {
    return t->pairs + 1;
}

static inline size_t cp_bart_tree_nodes(const cp_bart_tree *t) {
    return 2 * t->pairs + 1;
}

static inline int cp_bart_tree_is_leaf(const cp_bart_tree *t, int16_t node) {
    return t->node[node].left == CP_NONE;
}

/* One leaf with all rows: every slot and mu is 0.  sum_wr is 0 until the next pass over the residual. */
copse_status cp_bart_tree_init(cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot, copse_error *err);
void cp_bart_tree_clear(cp_bart_tree *t);
/* One leaf with all rows again. */
void cp_bart_tree_reset(cp_bart_tree *t, const cp_bart_view *v);
/* Allocates for so many leaves, at most CP_BART_MAX_LEAVES.  No other function here allocates. */
copse_status cp_bart_tree_reserve(cp_bart_tree *t, size_t leaves, copse_error *err);

/* Divides a group of rows by a rule: out[0] is the left side, out[1] the right.  `whole` has the rows and sums of the
 * group.  Returns 0, and leaves out undefined, if one side has no rows. */
int cp_bart_tree_divide(const cp_bart_view *v, cp_bart_group rows, const cp_bart_leaf *whole, cp_rule rule,
                        cp_bart_leaf out[2]);

/* A split of a leaf. */
typedef struct cp_bart_split {
    int16_t node;
    cp_rule rule;
    float cut;
    cp_bart_leaf left, right; /* rows, sums and open: set by cp_bart_tree_try_split */
} cp_bart_split;
/* Fills in left and right for node and rule; 0 if one side has no rows. */
int cp_bart_tree_try_split(const cp_bart_tree *t, const cp_bart_view *v, cp_bart_split *s);
/* Splits a leaf; both children get its mu.  Memory for one more leaf must be reserved. */
void cp_bart_tree_split(cp_bart_tree *t, const cp_bart_view *v, const cp_bart_split *s);
/* Makes the inner node `at`, whose children are leaves, a leaf with the mu of its left child. */
void cp_bart_tree_collapse(cp_bart_tree *t, const cp_bart_view *v, int16_t at);

/* The node after `at` in the subtree of `top` in preorder, left before right; CP_NONE after the last. */
int16_t cp_bart_tree_next(const cp_bart_tree *t, int16_t at, int16_t top);
/* out_in[s] = 1 for the slots of the leaves below a node, else 0: the argument of `list` in leaf_pass.h. */
void cp_bart_tree_below(const cp_bart_tree *t, int16_t node, uint8_t out_in[CP_BART_MAX_LEAVES]);
/* The group of all rows below a node.  Copies the slots to out_slot, and there gives all rows below the node the slot
 * of its leftmost leaf. */
cp_bart_group cp_bart_tree_merge(const cp_bart_tree *t, const cp_bart_view *v, int16_t node, uint8_t *out_slot);
/* The slot of the leftmost leaf below a node. */
uint8_t cp_bart_tree_first(const cp_bart_tree *t, int16_t node);
/* 1 if some column varies among the rows of a slot. */
int cp_bart_tree_is_open(const cp_bart_tree *t, const cp_bart_view *v, uint8_t slot);
size_t cp_bart_tree_depth(const cp_bart_tree *t);
double cp_bart_tree_log_likelihood(const cp_bart_tree *t, const cp_bart_view *v);
/* Slow; slot is scratch for all rows. */
double cp_bart_tree_log_prior(const cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot);
/* The variance of a leaf of a variance tree is a float. */
#define CP_BART_TREE_MOST_LOG_LAMBDA 80.0f
/* Draws every mu from its posterior given the sums of its leaf (leaf_mean.c has the formula). */
void cp_bart_tree_draw_mu(cp_bart_tree *t, const cp_bart_view *v, cp_rng *rng);

#endif
