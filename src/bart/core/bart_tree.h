/* bart_tree - one tree of the sum, changed in place, and the leaf of every row.
 *
 * Nodes come in pairs, so the right child is left + 1; the root is node 0.  Leaves have slots 0 ... leaves-1, and
 * slot[row] is the slot of the row's leaf.  A split leaf's left child keeps the slot, the right one gets the next; when
 * a pair is cut off, its left slot remains, the last slot takes the place of the right one, and the last pair of nodes
 * the place of the pair.
 *
 * Invariants, checked by cp_bart_tree_check:
 *   T1  nodes = 2 pairs + 1; children of an inner node are a pair, have it as parent and are one deeper; each node is
 *       reached once; the root's children are pair 0.  So the k-th inner node is the parent of pair k, nodes 2k+1 and
 *       2k+2.
 *   T2  leaves have slots 0 ... pairs, each once; slot[row] is where the rules take the row; no leaf is empty.
 *   T3  cut lies in the rule's cell.
 *   T4  rows, sum_w, sum_wr of a slot are the sums over its rows (sum_wr as of the last pass over the residual), the
 *       last two as near as float sums are; node is the leaf.
 *   T5  open says of a leaf whether some column varies in it.
 * Numbering is part of the state: it decides what the next random number means; so is the rounding of sum_w. */
#ifndef CP_BART_TREE_H
#define CP_BART_TREE_H

#include "bart/core/bart_view.h"
#include "base/codec.h"

typedef struct cp_bart_node {
    int16_t parent; /* CP_NONE: the root */
    int16_t left;   /* CP_NONE: a leaf */
    uint16_t slot;  /* leaf */
    uint16_t depth;
    cp_rule rule; /* inner */
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
    cp_bart_node *node; /* room for 2 * CP_BART_MAX_LEAVES - 1, or grown in steps: see reserve */
    cp_bart_leaf *leaf; /* by slot */
    float *mu;          /* by slot: what the leaf adds; CP_BART_MAX_LEAVES of them, 0 beyond */
    size_t cap;         /* leaves there is room for */
    uint8_t *slot;      /* of each row; borrowed from the chain, which keeps those of all trees in one piece */
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

/* One leaf with all rows (slot becomes all 0), mu 0; sums of the residual are 0 until the next pass over it. */
copse_status cp_bart_tree_init(cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot, copse_error *err);
void cp_bart_tree_clear(cp_bart_tree *t);
/* One leaf again. */
void cp_bart_tree_reset(cp_bart_tree *t, const cp_bart_view *v);
/* Room for so many leaves, at most CP_BART_MAX_LEAVES; nothing else here allocates. */
copse_status cp_bart_tree_reserve(cp_bart_tree *t, size_t leaves, copse_error *err);

/* What a rule makes of a group of rows, whose own rows and sums are `whole`: left and right.  0 if one has no rows, and
 * then they are void. */
int cp_bart_tree_divide(const cp_bart_view *v, cp_bart_group rows, const cp_bart_leaf *whole, cp_rule rule,
                        cp_bart_leaf out[2]);

/* What a split of a leaf makes, as cp_bart_tree_try_split has found it. */
typedef struct cp_bart_split {
    int16_t node;
    cp_rule rule;
    float cut;
    cp_bart_leaf left, right; /* rows, sums, open */
} cp_bart_split;
/* Fills in left and right for node and rule; 0 if one has no rows. */
int cp_bart_tree_try_split(const cp_bart_tree *t, const cp_bart_view *v, cp_bart_split *s);
/* There is room for one more leaf.  Both have the mu of the leaf that was. */
void cp_bart_tree_split(cp_bart_tree *t, const cp_bart_view *v, const cp_bart_split *s);
/* The inner node `at`, whose children are leaves, becomes a leaf; its mu is the left one's. */
void cp_bart_tree_collapse(cp_bart_tree *t, const cp_bart_view *v, int16_t at);

/* The node after `at` in the subtree of `top`, parents before children, left before right; from top on, CP_NONE at the
 * end. */
int16_t cp_bart_tree_next(const cp_bart_tree *t, int16_t at, int16_t top);
/* Slots of the leaves under a node are 1, others 0: what num/slots.h lists rows by. */
void cp_bart_tree_below(const cp_bart_tree *t, int16_t node, uint8_t out_in[CP_BART_MAX_LEAVES]);
/* The group of all rows under a node: of the slot of its leftmost leaf, in a copy where the others under it have that
 * too. */
cp_bart_group cp_bart_tree_merge(const cp_bart_tree *t, const cp_bart_view *v, int16_t node, uint8_t *out_slot);
/* The slot of the leftmost leaf under a node. */
uint8_t cp_bart_tree_first(const cp_bart_tree *t, int16_t node);
/* Does some column vary among the rows of a slot? */
int cp_bart_tree_is_open(const cp_bart_tree *t, const cp_bart_view *v, uint8_t slot);
size_t cp_bart_tree_depth(const cp_bart_tree *t);
double cp_bart_tree_log_likelihood(const cp_bart_tree *t, const cp_bart_view *v);
/* Slow; slot is scratch for all rows. */
double cp_bart_tree_log_prior(const cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot);
/* mu from its posterior given the leaves' sums. */
void cp_bart_tree_draw_mu(cp_bart_tree *t, const cp_bart_view *v, cp_rng *rng);

/* In bart_tree_file.c: links, rules, cuts, mu and the leaves' sums of weights; the rest follows, but for the residual's
 * sums, which are 0 until the next pass over it.  All that is read is checked; t has been made, and after a failure is
 * one leaf. */
copse_status cp_bart_tree_file_write(const cp_bart_tree *t, cp_writer *w, copse_error *err);
copse_status cp_bart_tree_file_read(cp_bart_tree *t, const cp_bart_view *v, cp_reader *r, copse_error *err);

/* In bart_tree_check.c.  NULL if the invariants hold, else what is broken; without a residual its sums are not looked
 * at. */
const char *cp_bart_tree_check(const cp_bart_tree *t, const cp_bart_view *v);

#endif
