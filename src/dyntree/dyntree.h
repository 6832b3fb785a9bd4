/* dyntree - dynamic trees [Taddy, Gramacy, Polson 2011]: one Bayesian tree, learnt a row at a time by particles.
 *
 * How row t, (x, y), is learnt.  Each particle is a tree; eta is its leaf that x falls into.
 *   weigh     particles are resampled with weights p(y | x, tree), the posterior predictive of eta
 *   add       the row joins eta, and the statistics of all splits above it
 *   move      stay: the tree does not change; prune: the parent of eta, with all below it, becomes a leaf; grow: eta is
 *             split.  A move is drawn in proportion to prior x marginal likelihood of the tree it leads to, over all
 *             rows so far.  Grow tries one cut: a column, uniform among those that can be cut; a place, uniform among
 *             those that leave min-leaf rows on both sides.
 * The prior of a tree is the product of alpha (1+d)^-beta over its splits and 1 - alpha (1+d)^-beta over its leaves, at
 * depth d.
 *
 * Particles are copies of few ancestors, so they share most of their nodes (dyntree_pool.h).  A node has the same place
 * in all trees that hold it, so a row that falls into it is added once, for all of them.  Only a tree that moves copies
 * nodes: those from its root down to its change.  A row takes time in proportion to the different nodes above x, and to
 * the rows in the different leaves that x falls into.  A row only raises the count of a split.  The split's statistic
 * and log_tree are then stale, and are refreshed when they are needed: for the parents of leaves, and for the siblings
 * of those leaves.
 *
 * How we differ: leaves of numbers have a proper prior, that of smc and bcart.  With the paper's prior, 1/variance, the
 * odds of a split depend on the unit of y, and a leaf has no predictive before it has three rows.
 *
 * Invariants, checked by cp_dyntree_check:
 *   D1  the trees hold the first `learnt` of the `rows` kept; `moved` is learnt, or learnt - 1.  After a call that was
 *       stopped or ran out of memory, the next update goes on from there
 *   D2  a node is held by `refs` splits and particles, at least one; a split holds two nodes, one level deeper
 *   D3  each row that is learnt is in one leaf of each tree; left of a split x[dim] <= cut, right of it x[dim] > cut
 *   D4  a leaf below a split has at least min_leaf rows
 *   D5  the statistic of a leaf is the sum over its list, in that order; of a split that is fresh, the sum of its
 *       children's, which are fresh too.  With rows, leaves, height and log_tree, it follows from cuts and lists, to
 *       the last bit */
#ifndef CP_DYNTREE_H
#define CP_DYNTREE_H

#include "bayes/particle.h"
#include "bayes/tree_prior.h"
#include "dyntree/dyntree_pool.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"
#include "method/method.h"

typedef struct cp_dyntree {
    copse_task task;
    size_t dims, classes; /* classes: those of the rows learnt, and those known from the start */
    size_t particles, min_leaf;
    uint64_t seed;
    cp_resampling resampling;
    cp_tree_prior_table prior;
    double alpha, kappa, nu, lambda;

    int frozen; /* read from a file without rows: it can only predict; there are no lists and no log_tree */
    size_t rows, learnt, moved;
    float *x;       /* rows x dims */
    int32_t *label; /* classes */
    double *y;      /* numbers: (y - centre) / scale, which has mean 0 and mean square 1 over the rows of `fit` */
    size_t cap_x, cap_label, cap_y;
    double centre, scale;

    cp_leaf leaf; /* the leaf model; points into the targets; its tables reach to leaf.rows rows */
    cp_dyntree_pool pool;
    int32_t *root;         /* one per particle */
    double log_predictive; /* sum over rows of log p(y | x, rows before), the mean over particles */
} cp_dyntree;

extern const cp_method cp_method_dyntree;

/* A model without nodes.  Numbers: the caller sets centre and scale. */
copse_status cp_dyntree_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_dyntree **out,
                            copse_error *err);
void cp_dyntree_free(void *state);
/* The leaf model for so many classes and rows. */
copse_status cp_dyntree_make_leaf(const cp_dyntree *f, size_t classes, size_t rows, cp_leaf *out, copse_error *err);

/* Computes statistic and log_tree of a leaf from its list. */
void cp_dyntree_refresh_leaf(cp_dyntree *f, int32_t leaf);
/* Computes rows, leaves and height of a split from its children; statistic and log_tree become stale. */
void cp_dyntree_shape_split(cp_dyntree *f, int32_t split);
/* Computes statistic and log_tree of every stale split from `node` down; todo has room for its height and one. */
void cp_dyntree_refresh(cp_dyntree *f, int32_t node, int32_t *todo);

/* Statistic and log_tree include all rows of the node. */
static inline int cp_dyntree_is_fresh(const cp_dyntree_node *n) {
    return cp_dyntree_pool_is_leaf(n) || n->of.summed == n->rows;
}

static inline const float *cp_dyntree_row(const cp_dyntree *f, size_t row) {
    return f->x + row * f->dims;
}

#endif
