/* moves_tree - a decision tree that moves change in place, over a fixed set of rows.
 *
 * The rows stand in one permutation in which each node owns a range, its left child's range first:
 *
 *      row   3 8 9 | 0 5 | 1 2 4 6 7              0          node 1 owns 3 8 9 0 5,
 *            node 3 node 4   node 2            1     2       the root all
 *                                             3 4
 *
 * Nodes are allocated in pairs of siblings, so the right child is always left + 1; the root is node 0.  Pair k, nodes
 * 2k+1 and 2k+2, may belong to any inner node, so the k-th inner node is simply the parent of pair k.  The root's
 * children are pair 0.  When a pair is freed, the last pair gets its numbers.
 *
 * A rule is a column and a cell of the *whole* column (bayes/rule.h), because moves give rules to nodes with other
 * rows.  Two cells between the same two values of a node send the same rows left, but are different states.
 *
 * The numbers of nodes and the order of the two lists depend on the history of the tree and are part of the state: they
 * decide which node a random number chooses.  Everything else follows from links, rules and data.
 *
 * Invariants, checked by cp_moves_tree_check (moves_tree_check.h), which computes everything anew:
 *   T1  nodes = 2 pairs + 1; `left` of an inner node is odd, its two children have it as parent and are one deeper;
 *       each node is reached from the root once; the root's children are pair 0.
 *   T2  the root owns all rows; a node's range is its left child's followed by its right child's, neither empty; row is
 *       a permutation, rising within each leaf, so that sums over a leaf's rows do not depend on its history.
 *   T3  inner node: rows of the left child have rank <= rule.cell in rule.dim, those of the right child have more;
 *       extent and gap are those of its rows; columns is the number that vary; log is the log probability of its rule.
 *   T4  leaf: stat is the sum over its rows, log their log marginal likelihood; columns is 1 if any varies, else 0.
 *   T5  `growable` lists the leaves whose columns is 1, `prunable` the inner nodes whose children are leaves, each
 *       once, at list_index; list_index is CP_NONE for all other nodes.
 *   T6  log_prior and log_likelihood are the tree's, summed in the order of nodes. */
#ifndef CP_MOVES_TREE_H
#define CP_MOVES_TREE_H

#include "base/fail.h"
#include "bayes/tree_prior.h"
#include "leaf/leaf.h"

/* The target density: the prior of trees, and the likelihood of a leaf.  Read by all chains at once.  Borrows ranks and
 * leaf. */
typedef struct cp_moves_tree_model {
    const cp_ranks *ranks;
    const cp_leaf *leaf; /* NULL: no likelihood, the prior alone */
    cp_tree_prior_table prior;
} cp_moves_tree_model;

void cp_moves_tree_model_init(cp_moves_tree_model *m, const cp_ranks *ranks, const cp_leaf *opt_leaf,
                              cp_tree_prior prior);
/* Statistic and log marginal likelihood of rows in one leaf.  Without a likelihood, *out_log is 0 and out_stat is not
 * written. */
void cp_moves_tree_marginal(const cp_moves_tree_model *m, cp_span s, double *out_stat, double *out_log);

typedef struct cp_moves_node {
    int32_t parent; /* CP_NONE: the root */
    int32_t left;   /* CP_NONE: a leaf */
    uint32_t first, rows;
    uint32_t depth;
    uint32_t columns;
    cp_rule rule;
    cp_extent extent;   /* of rule.dim in the node's rows */
    cp_extent gap;      /* the greatest rank of the left child's rows, the least of the right one's */
    int32_t list_index; /* of a leaf in growable; of an inner node in prunable; CP_NONE: not listed */
    double log;         /* leaf: log marginal likelihood; inner: log probability of the rule */
} cp_moves_node;

typedef struct cp_moves_list {
    int32_t *node;
    size_t n, cap;
} cp_moves_list;

typedef struct cp_moves_tree {
    cp_moves_node *node;
    size_t pairs, cap_node;
    double *stat; /* nodes x width; valid for leaves */
    size_t width, cap_stat;
    uint32_t *row;
    size_t rows;
    cp_moves_list growable, prunable;
    double log_prior, log_likelihood;
} cp_moves_tree;

/* One leaf with all rows. */
copse_status cp_moves_tree_init(cp_moves_tree *t, const cp_moves_tree_model *m, copse_error *err);
void cp_moves_tree_clear(cp_moves_tree *t);
/* Allocates for so many pairs; no other function here allocates. */
copse_status cp_moves_tree_reserve(cp_moves_tree *t, size_t pairs, copse_error *err);
/* One leaf with all rows again. */
void cp_moves_tree_reset(cp_moves_tree *t, const cp_moves_tree_model *m);
/* Computes the leaves' statistics and likelihoods anew, after the targets have changed. */
void cp_moves_tree_refresh(cp_moves_tree *t, const cp_moves_tree_model *m);

static inline size_t cp_moves_tree_nodes(const cp_moves_tree *t) {
    return 2 * t->pairs + 1;
}

static inline size_t cp_moves_tree_leaves(const cp_moves_tree *t) {
    return t->pairs + 1;
}

static inline int cp_moves_tree_is_leaf(const cp_moves_tree *t, int32_t node) {
    return t->node[node].left == CP_NONE;
}

static inline cp_span cp_moves_tree_span(const cp_moves_tree *t, int32_t node) {
    return (cp_span){t->row + t->node[node].first, t->node[node].rows};
}

/* The node after `at` in the subtree of `top` in preorder, left before right; CP_NONE after the last. */
int32_t cp_moves_tree_next(const cp_moves_tree *t, int32_t at, int32_t top);
size_t cp_moves_tree_depth(const cp_moves_tree *t);
/* Sets log_prior and log_likelihood from the nodes. */
void cp_moves_tree_sum(cp_moves_tree *t, const cp_moves_tree_model *m);
/* Both keep list_index (T5). */
void cp_moves_tree_list_add(cp_moves_list *l, cp_moves_tree *t, int32_t node);
void cp_moves_tree_list_remove(cp_moves_list *l, cp_moves_tree *t, int32_t node);
/* The node's factor of the log prior: split and by which rule, or not split. */
double cp_moves_tree_log_node(const cp_moves_tree_model *m, const cp_moves_node *n);

#endif
