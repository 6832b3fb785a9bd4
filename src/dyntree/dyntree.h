/* dyntree - dynamic trees [Taddy, Gramacy, Polson 2011]: one Bayesian tree, learnt a row at a time by particles.
 *
 * The path of row t, (x, y).  Each particle is a tree; eta is its leaf that x falls into.
 *   weigh     p(y | x, tree) is the posterior predictive of eta; particles are resampled in proportion to it
 *   add       the row becomes one of eta's, and counts in the statistics of all splits above it
 *   move      the tree stays as it is; or the parent of eta, with all below it, becomes one leaf (prune); or eta is
 *             split (grow).  One of them is drawn in proportion to prior x marginal likelihood of the tree it leads to,
 *             over all rows so far.  The cut that is tried: a column, uniform among those that have one; a place,
 *             uniform between those where the smaller side would have less than min-leaf rows.
 * The prior of a tree is the product of alpha (1+d)^-beta over its splits and 1 - alpha (1+d)^-beta over its leaves, at
 * depth d.
 *
 * Particles are copies of few ancestors, so they share most of their nodes (dyntree_pool.h).  All trees that hold a
 * node have it in the same place, so a row that falls into it is added once, for all of them, where the node is: only
 * trees that move copy the way from the root down to their change.  A row takes time in proportion to the different
 * nodes above x, and to the rows in the different leaves that x falls into.  Of a split it only raises the count; what
 * a split is worth is computed when somebody asks, and they ask for parents of leaves and what hangs beside these.
 *
 * How we differ: leaves of numbers have a proper prior, that of smc and bcart.  The paper's, 1/variance, leaves the
 * odds of a split to the unit of y, and says nothing before a leaf has three rows.
 *
 *   D1  of `rows` kept, the trees hold the first `learnt`; `moved` is learnt, or one less: rows are taken in, and the
 *       next update goes on with them, after a call that was stopped or ran out of memory
 *   D2  a node is held by `refs` splits and particles, at least one; a split holds two nodes, of one more depth
 *   D3  each row that is learnt is in one leaf of each tree; left of a split x[dim] <= cut, right of it x[dim] > cut
 *   D4  a leaf below a split has min_leaf rows at least
 *   D5  the statistic of a leaf is the sum over its list, in that order; of a split that is settled, the sum of its
 *       children's, which are settled too.  With rows, leaves, height and log_tree, it follows from cuts and lists, to
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
    size_t dims, classes; /* classes: of the rows learnt, and those known from the start */
    size_t particles, min_leaf;
    uint64_t seed;
    cp_resampling resampling;
    cp_tree_prior_table prior;
    double alpha, kappa, nu, lambda;

    int frozen; /* read from a file without rows: it predicts, and D1, D3 and D5 hold but for lists and log_tree */
    size_t rows, learnt, moved;
    float *x;       /* rows x dims */
    int32_t *label; /* classes */
    double *y;      /* numbers, in units of (y - centre) / scale: of the rows fitted on, mean 0 and mean square 1 */
    size_t cap_x, cap_label, cap_y;
    double centre, scale;

    cp_leaf leaf; /* points into the targets; its tables are for leaf.rows rows */
    cp_dyntree_pool pool;
    int32_t *root;         /* of each particle */
    double log_predictive; /* sum over rows of log p(y | x, rows before), the mean over particles */
} cp_dyntree;

extern const cp_method cp_method_dyntree;

/* Particles of one empty leaf.  Of numbers, centre and scale are set by the caller. */
copse_status cp_dyntree_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_dyntree **out,
                            copse_error *err);
void cp_dyntree_free(void *state);
/* The leaf model for so many classes and rows. */
copse_status cp_dyntree_make_leaf(const cp_dyntree *f, size_t classes, size_t rows, cp_leaf *out, copse_error *err);

/* What follows from a leaf's list: statistic and log_tree. */
void cp_dyntree_refresh_leaf(cp_dyntree *f, int32_t leaf);
/* What follows from a split's children: rows, leaves and height; the rest is not settled. */
void cp_dyntree_shape_split(cp_dyntree *f, int32_t split);
/* And the rest, of all below a node that is not settled; todo has room for its height and one. */
void cp_dyntree_refresh(cp_dyntree *f, int32_t node, int32_t *todo);

static inline int cp_dyntree_is_fresh(const cp_dyntree_node *n) {
    return cp_dyntree_pool_is_leaf(n) || n->of.summed == n->rows;
}

static inline const float *cp_dyntree_row(const cp_dyntree *f, size_t row) {
    return f->x + row * f->dims;
}

/* Pieces in their own files. */
copse_status cp_dyntree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                copse_error *err);
/* The answer to a row that is kept, put where `place` says: to be asked in order. */
copse_status cp_dyntree_predict_row(const cp_dyntree *f, size_t row, size_t place, cp_answer *out, copse_error *err);
copse_status cp_dyntree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                   copse_error *err);
copse_status cp_dyntree_file_read(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                                  void **out_state, copse_error *err);
const char *cp_dyntree_check(const void *state);
/* D3 but for the lists: every row is on its side of every cut.  `order`: all nodes, parents first. */
copse_status cp_dyntree_check_cells(const cp_dyntree *f, const int32_t *order, size_t n, int *out_sound,
                                    copse_error *err);
size_t cp_dyntree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
size_t cp_dyntree_inspect_details(const void *state, copse_figure *out);
copse_status cp_dyntree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_dyntree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_dyntree_inspect_shape(const void *state, size_t tree);
void cp_dyntree_inspect_splits(const void *state, size_t tree, double *out_dims);

#endif
