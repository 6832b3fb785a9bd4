/* ref_dyntree - dynamic trees taken literally: whole trees of their own, judged over all rows from scratch, nothing
 * shared and nothing kept up to date. */
#ifndef REF_DYNTREE_H
#define REF_DYNTREE_H

#include "dyntree/dyntree.h"

typedef struct ref_tree {
    struct ref_tree *left, *right; /* NULL at a leaf */
    int32_t dim;
    float cut;
} ref_tree;

/* The tree below a node, in memory of its own. */
ref_tree *ref_tree_copy(const cp_dyntree *f, int32_t node);
void ref_tree_free(ref_tree *t);
int ref_tree_same(const ref_tree *a, const ref_tree *b);

/* The leaf that x falls into, as the place that points to it; and the place of its parent, NULL if the leaf is the
 * root. */
ref_tree **ref_tree_find(ref_tree **root, const float *x, ref_tree ***out_parent);

/* In place: the parent becomes a leaf; the leaf is split. */
void ref_tree_prune(ref_tree *parent);
void ref_tree_grow(ref_tree *leaf, int32_t dim, float cut);

/* log of prior x marginal likelihood, over the first n rows of f; by closed forms, with lgamma. */
double ref_tree_log(const cp_dyntree *f, const ref_tree *t, size_t n);
double ref_leaf_log(const cp_dyntree *f, const size_t *rows, size_t n);

#endif
