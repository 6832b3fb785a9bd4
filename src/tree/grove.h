/* grove - weighted trees that share their subtrees: what a sampler of trees leaves behind.
 *
 * Each different subtree is kept once, so a thousand draws that agree on most of their splits are little more than one
 * tree.  Children stand before their parents:
 *
 *      0 leaf   1 leaf   2 (0,1)   3 leaf   4 (2,3)   5 (0,3)          roots: 4 with weight .7, 5 with weight .3
 *
 * A split knows its cut as an interval [low, high): the cut is uniform on it, and whoever walks down with x inside goes
 * both ways, (high - x) / (high - low) of it to the left [the posterior of the cut given the rows, integrated exactly].
 * low = high stands for a cut at that very place; x <= low then goes left.
 *
 * Leaves have a statistic of `width` doubles (what is in it is the leaf model's affair), each different one kept once.
 *
 * Invariants, checked by cp_grove_check:
 *   G1  children are numbered below their parents, leaves have leaf numbers below `leaves`; dims are below the grove's.
 *   G2  low <= high, both finite; statistics are finite.
 *   G3  at least one tree; roots are different; weights are > 0, falling, and sum to 1 within 1e-9. */
#ifndef CP_GROVE_H
#define CP_GROVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct cp_grove_node {
    int32_t dim; /* CP_NONE: a leaf, whose number is `left` */
    float low, high;
    int32_t left, right;
} cp_grove_node;

typedef struct cp_grove {
    size_t dims, width;
    cp_grove_node *node;
    size_t nodes, cap_nodes;
    double *stat; /* leaves x width */
    size_t leaves, cap_stat;
    int32_t *root;
    double *weight;
    size_t trees, cap_root, cap_weight;
    struct cp_grove_index *index; /* finds equal ones while the grove grows; NULL when finished */
} cp_grove;

copse_status cp_grove_init(cp_grove *g, size_t dims, size_t width, copse_error *err);
/* The node that is this leaf, or this split of two nodes; made if there is none. */
copse_status cp_grove_leaf(cp_grove *g, const double *stat, int32_t *out_node, copse_error *err);
copse_status cp_grove_split(cp_grove *g, const cp_grove_node *split, int32_t *out_node, copse_error *err);
/* One more draw: adds to the weight of the tree with this root. */
copse_status cp_grove_add(cp_grove *g, int32_t root, double weight, copse_error *err);
/* Scales the weights to sum to 1, orders trees by falling weight (then by root), and forgets the index. */
copse_status cp_grove_finish(cp_grove *g, copse_error *err);
void cp_grove_clear(cp_grove *g);

const char *cp_grove_check(const cp_grove *g);

/* The leaves of a tree that x arrives at, with their shares, which sum to 1. */
typedef struct cp_grove_arrival {
    int32_t leaf;
    double share;
} cp_grove_arrival;
/* Each column can part x at most once on a way down, so there are seldom more than a few; when CP_GROVE_ARRIVALS are
 * reached, further ways are taken whole, the likelier one.  Returns how many there are. */
enum { CP_GROVE_ARRIVALS = 256 };
size_t cp_grove_walk(const cp_grove *g, size_t tree, const float *x, cp_grove_arrival out[CP_GROVE_ARRIVALS]);

/* Of one tree. */
size_t cp_grove_tree_leaves(const cp_grove *g, size_t tree);
size_t cp_grove_tree_depth(const cp_grove *g, size_t tree);

#endif
