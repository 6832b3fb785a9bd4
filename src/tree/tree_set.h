/* tree_set - weighted trees that share their subtrees: the draws of a sampler of trees.
 *
 * Each different subtree is stored once, so a thousand draws that agree on most of their splits take little more memory
 * than one tree.  Children are numbered before their parents:
 *
 *      0 leaf   1 leaf   2 (0,1)   3 leaf   4 (2,3)   5 (0,3)          roots: 4 with weight .7, 5 with weight .3
 *
 * The cut of a split is uniform on an interval [low, high): the posterior of the cut given the rows.  It is integrated
 * exactly: an x inside the interval goes both ways, with the share (high - x) / (high - low) to the left.  low = high
 * is a cut at that point; x <= low goes left.
 *
 * A leaf has a statistic of `width` doubles, whose meaning the leaf model defines; each different statistic is stored
 * once.
 *
 * Invariants, checked by cp_tree_set_check:
 *   G1  children are numbered below their parents, leaves have leaf numbers below `leaves`; columns are below
 *       `dims`.
 *   G2  low <= high, both finite; statistics are finite.
 *   G3  at least one tree; by falling weight, then by rising root; weights are > 0 and sum to 1 within 1e-9. */
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
    struct cp_tree_set_index *index; /* finds equal nodes while the tree set grows; NULL when finished */
} cp_tree_set;

copse_status cp_tree_set_init(cp_tree_set *g, size_t dims, size_t width, copse_error *err);
/* The node that is this leaf, or this split of two nodes; it is made if there is none. */
copse_status cp_tree_set_leaf(cp_tree_set *g, const double *stat, int32_t *out_node, copse_error *err);
copse_status cp_tree_set_split(cp_tree_set *g, const cp_tree_set_node *split, int32_t *out_node, copse_error *err);
/* Adds a draw: its weight is added to that of the tree with this root.  A weight of 0 adds no tree. */
copse_status cp_tree_set_add(cp_tree_set *g, int32_t root, double weight, copse_error *err);
/* Adds all trees of src, finished or not, with `factor` times their weights.  Tree sets that threads make are merged in
 * a fixed order, so that the result does not depend on threads. */
copse_status cp_tree_set_merge(cp_tree_set *g, const cp_tree_set *src, double factor, copse_error *err);
/* Scales the weights to sum to 1, sorts the trees by falling weight (then by root), and frees the index. */
copse_status cp_tree_set_finish(cp_tree_set *g, copse_error *err);
void cp_tree_set_clear(cp_tree_set *g);

/* NULL if the invariants hold for a finished tree set, else a phrase that says what is wrong. */
const char *cp_tree_set_check(const cp_tree_set *g);

/* A leaf that x reaches, and with what share; the shares of a walk sum to 1. */
typedef struct cp_tree_set_arrival {
    int32_t leaf;
    double share;
} cp_tree_set_arrival;

/* Scratch and result of a walk; one for each thread. */
typedef struct cp_tree_set_walker {
    const cp_tree_set *g;
    double *share;     /* of each node: the share that has arrived and not gone on to its children; 0 between walks */
    uint64_t *waiting; /* walks down one tree: a bit for each node that has a share, */
    uint64_t *words;   /* and a bit for each word of `waiting` that is not 0; in the same allocation */
    cp_tree_set_arrival *arrival; /* of the last walk, by falling node number, each leaf once */
    size_t arrivals;
} cp_tree_set_walker;

/* The tree set is finished, and borrowed. */
copse_status cp_tree_set_walker_init(cp_tree_set_walker *w, const cp_tree_set *g, copse_error *err);
void cp_tree_set_walker_clear(cp_tree_set_walker *w);
/* Walks down one tree; with CP_NONE down all trees at once, by their weights: a node that trees share is visited
 * once. */
void cp_tree_set_walk(cp_tree_set_walker *w, int32_t tree, const float *x);

/* The size of the subtree below a node. */
typedef struct cp_tree_set_size {
    uint32_t leaves, depth; /* UINT32_MAX leaves: that many, or more; a leaf's depth is 0 */
} cp_tree_set_size;
/* The sizes of all nodes at once: one node at a time, shared nodes would be counted many times. */
void cp_tree_set_measure(const cp_tree_set *g, cp_tree_set_size *out);

#endif
