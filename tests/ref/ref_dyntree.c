#include "ref/ref_dyntree.h"

#include <math.h>
#include <stdlib.h>

ref_tree *ref_tree_copy(const cp_dyntree *f, int32_t node) {
    const cp_dyntree_node *n = &f->pool.node[node];
    ref_tree *t = calloc(1, sizeof *t);
    if (n->left == CP_NONE) return t;
    t->dim = n->dim;
    t->cut = n->cut;
    t->left = ref_tree_copy(f, n->left);
    t->right = ref_tree_copy(f, n->right);
    return t;
}

void ref_tree_free(ref_tree *t) {
    if (!t) return;
    ref_tree_free(t->left);
    ref_tree_free(t->right);
    free(t);
}

int ref_tree_same(const ref_tree *a, const ref_tree *b) {
    if (!a->left || !b->left) return !a->left && !b->left;
    return a->dim == b->dim && a->cut == b->cut && ref_tree_same(a->left, b->left) && ref_tree_same(a->right, b->right);
}

ref_tree **ref_tree_find(ref_tree **root, const float *x, ref_tree ***out_parent) {
    *out_parent = NULL;
    while ((*root)->left) {
        *out_parent = root;
        root = x[(*root)->dim] <= (*root)->cut ? &(*root)->left : &(*root)->right;
    }
    return root;
}

void ref_tree_prune(ref_tree *parent) {
    ref_tree_free(parent->left);
    ref_tree_free(parent->right);
    parent->left = parent->right = NULL;
}

void ref_tree_grow(ref_tree *leaf, int32_t dim, float cut) {
    leaf->dim = dim;
    leaf->cut = cut;
    leaf->left = calloc(1, sizeof *leaf);
    leaf->right = calloc(1, sizeof *leaf);
}

static double log_classes(const cp_dyntree *f, const size_t *rows, size_t n) {
    double a = f->alpha / (double)f->classes, sum = lgamma(f->alpha) - lgamma(f->alpha + (double)n);
    for (size_t k = 0; k < f->classes; k++) {
        double count = 0;
        for (size_t i = 0; i < n; i++) count += (size_t)f->label[rows[i]] == k;
        sum += lgamma(a + count) - lgamma(a);
    }
    return sum;
}

/* Murphy's form: about the mean of the rows, with the squares in two passes. */
static double log_numbers(const cp_dyntree *f, const size_t *rows, size_t n) {
    double mean = 0, squares = 0, count = (double)n, a = f->nu / 2, b = f->nu * f->lambda / 2;
    if (!n) return 0;
    for (size_t i = 0; i < n; i++) mean += f->y[rows[i]] / count;
    for (size_t i = 0; i < n; i++) squares += pow(f->y[rows[i]] - mean, 2);
    double bn = b + squares / 2 + f->kappa * count * mean * mean / (2 * (f->kappa + count));
    return lgamma(a + count / 2) - lgamma(a) + a * log(b) - (a + count / 2) * log(bn) +
           log(f->kappa / (f->kappa + count)) / 2 - count / 2 * log(2 * 3.14159265358979323846);
}

double ref_leaf_log(const cp_dyntree *f, const size_t *rows, size_t n) {
    return (f->task == COPSE_CLASS ? log_classes : log_numbers)(f, rows, n);
}

static double log_below(const cp_dyntree *f, const ref_tree *t, size_t depth, const size_t *rows, size_t n) {
    double split = f->prior.prior.alpha * pow(1 + (double)depth, -f->prior.prior.beta);
    if (!t->left) return log(1 - split) + ref_leaf_log(f, rows, n);
    size_t *part = calloc(n + 1, sizeof *part), left = 0, right = n;
    for (size_t i = 0; i < n; i++) {
        int below = f->x[rows[i] * f->dims + (size_t)t->dim] <= t->cut;
        if (below)
            part[left++] = rows[i];
        else
            part[--right] = rows[i];
    }
    double sum = log(split) + log_below(f, t->left, depth + 1, part, left) +
                 log_below(f, t->right, depth + 1, part + left, n - left);
    free(part);
    return sum;
}

double ref_tree_log(const cp_dyntree *f, const ref_tree *t, size_t n) {
    size_t *rows = calloc(n + 1, sizeof *rows);
    for (size_t i = 0; i < n; i++) rows[i] = i;
    double sum = log_below(f, t, 0, rows, n);
    free(rows);
    return sum;
}
