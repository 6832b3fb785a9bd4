/* tree_set - weighted trees that share their subtrees: what a sampler of trees leaves behind.
 *
 * Each different subtree is kept once, so a thousand draws that agree on most of their splits are little more than one
 * tree.  Children stand before their parents:
 *
 *      0 leaf   1 leaf   2 (0,1)   3 leaf   4 (2,3)   5 (0,3)          roots: 4 with weight .7, 5 with weight .3
 *
 * A split knows its cut as an interval [low, high): the cut is uniform on it, and x inside goes both ways, (high - x) /
 * (high - low) of it to the left: the posterior of the cut given the rows, integrated exactly.  low = high stands for a
 * cut at that very place; x <= low goes left.
 *
 * Leaves have a statistic of `width` doubles (what is in it is the leaf model's affair), each different one kept once.
 *
 * Invariants, checked by cp_tree_set_check:
 *   G1  children are numbered below their parents, leaves have leaf numbers below `leaves`; dims are below the tree
 * set's.
 *   G2  low <= high, both finite; statistics are finite.
 *   G3  at least one tree; falling weights, and rising roots where these are equal; they are > 0 and sum to 1 within
 *       1e-9. */
#ifndef CP_TREE_SET_H
#define CP_TREE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/codec.h"

typedef struct cp_tree_set_node {
    int32_t dim; /* CP_NONE: a leaf, whose number is `left`; the rest is then CP_NONE and 0 */
    float low, high;
    int32_t left, right;
} cp_tree_set_node;

typedef struct cp_tree_set {
    size_t dims, width;
    cp_tree_set_node *node;
    size_t nodes, cap_nodes;
    double *stat; /* leaves x width */
    size_t leaves, cap_stat;
    int32_t *root;
    double *weight;
    size_t trees, cap_root, cap_weight;
    struct cp_tree_set_index *index; /* finds equal ones while the tree set grows; NULL when finished */
} cp_tree_set;

copse_status cp_tree_set_init(cp_tree_set *g, size_t dims, size_t width, copse_error *err);
/* The node that is this leaf, or this split of two nodes; made if there is none. */
copse_status cp_tree_set_leaf(cp_tree_set *g, const double *stat, int32_t *out_node, copse_error *err);
copse_status cp_tree_set_split(cp_tree_set *g, const cp_tree_set_node *split, int32_t *out_node, copse_error *err);
/* One more draw: adds to the weight of the tree with this root.  A weight of 0 adds nothing. */
copse_status cp_tree_set_add(cp_tree_set *g, int32_t root, double weight, copse_error *err);
/* All trees of src, which may be finished, with `factor` times their weights.  For grown apart, joined in a fixed
 * order. */
copse_status cp_tree_set_merge(cp_tree_set *g, const cp_tree_set *src, double factor, copse_error *err);
/* Scales the weights to sum to 1, orders trees by falling weight (then by root), and forgets the index. */
copse_status cp_tree_set_finish(cp_tree_set *g, copse_error *err);
void cp_tree_set_clear(cp_tree_set *g);

/* Of a finished one: NULL if the invariants hold, else which does not. */
const char *cp_tree_set_check(const cp_tree_set *g);

/* Where x arrives: shares of leaves, which sum to 1. */
typedef struct cp_tree_set_arrival {
    int32_t leaf;
    double share;
} cp_tree_set_arrival;

/* What a walk needs and leaves; one for each thread. */
typedef struct cp_tree_set_walker {
    const cp_tree_set *g;
    double *share; /* of each node: what has come to it and not gone on; 0 between walks */
    uint64_t
        *waiting; /* down one tree: a bit for each node with a share, then a bit for each word of these that is not 0 */
    uint64_t *words;              /* where the latter begin */
    cp_tree_set_arrival *arrival; /* of the last walk, by falling node, each leaf once */
    size_t arrivals;
} cp_tree_set_walker;

/* The tree set is borrowed, and finished. */
copse_status cp_tree_set_walker_init(cp_tree_set_walker *w, const cp_tree_set *g, copse_error *err);
void cp_tree_set_walker_clear(cp_tree_set_walker *w);
/* Down one tree; or, with CP_NONE, down all of them at once, by weight: nodes that trees share are visited once. */
void cp_tree_set_walk(cp_tree_set_walker *w, int32_t tree, const float *x);

/* How large what hangs on a node is. */
typedef struct cp_tree_set_size {
    uint32_t leaves, depth; /* UINT32_MAX leaves: that many, or more; a leaf's depth is 0 */
} cp_tree_set_size;
/* For each node; all at once, because shared nodes would be counted again and again otherwise. */
void cp_tree_set_measure(const cp_tree_set *g, cp_tree_set_size *out);

#endif
