/* ref_btree - the posterior over decision trees of a handful of rows, by listing every tree.
 *
 * Slow and literal, and it shares no code with the library: what samplers of trees are judged by.  Two state spaces
 * with the same law of everything that can be seen:
 *   gaps    a rule is a column and a gap between neighbouring values of the node's rows;
 *   cells   a rule is a column and a cell between neighbouring values of all rows, which need not be the node's.
 * In both the cut is uniform on the interval of its rule, and whoever predicts walks both ways. */
#ifndef REF_BTREE_H
#define REF_BTREE_H

#include <stddef.h>
#include <stdint.h>

enum { REF_BTREE_ROWS = 8, REF_BTREE_NODES = 2 * REF_BTREE_ROWS - 1, REF_BTREE_KEY = 16 * REF_BTREE_NODES };

typedef struct ref_btree {
    size_t n, dims; /* at most REF_BTREE_ROWS rows */
    const float *x; /* row-major */
    double alpha_split, beta_split;
    size_t classes; /* 0: the targets are numbers */
    const int32_t *label;
    double alpha;
    const double *y;
    double kappa, nu, lambda;
    /* If leaf_var > 0, y ~ N(mu, noise_var / weight) and mu ~ N(0, leaf_var); log likelihoods are then less by that of
     * mu = 0. */
    double leaf_var, noise_var;
    /* If lambda_shape > 0, y is a square with density l^(-weight/2) exp(-weight y / (2 l)) and 1/l ~
     * Gamma(lambda_shape, lambda_rate). */
    double lambda_shape, lambda_rate;
    const double *weight; /* NULL: all 1 */
    const double *share;  /* of each column; NULL: all alike */
} ref_btree;

/* rows: bit i for row i.  Children are numbered above their parents; the root is node 0. */
typedef struct ref_btree_node {
    int dim;         /* -1: a leaf */
    float low, high; /* the cut is uniform between */
    uint32_t cell;   /* values of all rows in the column that are <= the cut, less 1; of a gap's cells, the last */
    int left, right;
    unsigned rows, depth;
} ref_btree_node;

typedef struct ref_btree_tree {
    ref_btree_node node[REF_BTREE_NODES];
    size_t nodes;
    double log_prior, log_likelihood;
} ref_btree_tree;

typedef struct ref_btree_list {
    ref_btree_tree *tree;
    size_t n;
} ref_btree_list;

typedef enum ref_btree_space { REF_BTREE_GAPS, REF_BTREE_CELLS } ref_btree_space;

/* The caller frees `tree`. */
ref_btree_list ref_btree_all(const ref_btree *b, ref_btree_space space);
/* log of the sum of prior times likelihood. */
double ref_btree_log_z(const ref_btree_list *all);
/* Posterior probability of a tree. */
double ref_btree_posterior(const ref_btree_list *all, size_t tree);

/* The prior probability of a rule, a column and a cell between values of all rows, in a node with these rows. */
double ref_btree_rule_prob(const ref_btree *b, unsigned rows, size_t dim, uint32_t cell);
/* log marginal likelihood of the targets of a set of rows in one leaf. */
double ref_btree_log_leaf(const ref_btree *b, unsigned rows);
/* Probability of class `target`, or density at it, for a row x: by the leaf of these rows, by one tree, by all. */
double ref_btree_leaf_predict(const ref_btree *b, unsigned rows, double target);
double ref_btree_tree_predict(const ref_btree *b, const ref_btree_tree *t, const float *x, double target);
double ref_btree_predict(const ref_btree *b, const ref_btree_list *all, const float *x, double target);

/* A tree's rules in preorder, "dim:cell" or "." for a leaf, as in "0:2 . 1:0 . .": different for different trees. */
void ref_btree_key(const ref_btree_tree *t, char out[REF_BTREE_KEY]);

#endif
