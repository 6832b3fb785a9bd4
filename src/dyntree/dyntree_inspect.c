/* The id of a node within its tree is its place in preorder: a split, then its left subtree, then its right subtree.  A
 * tree of L leaves has 2L - 1 nodes, so the sizes of subtrees give the path to any id. */
#include "dyntree/dyntree_inspect.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "num/math.h"

static int32_t nodes_below(const cp_dyntree *f, int32_t node) {
    return 2 * (int32_t)f->pool.node[node].leaves - 1;
}

/* ---------------------------------------------------------------------------------------------------------- figures */

/* Each node of depth 0 is the root of a different tree. */
static size_t different_trees(const cp_dyntree *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->pool.nodes; i++) n += f->pool.node[i].refs && !f->pool.node[i].depth;
    return n;
}

/* In the unit of y: the density of each row's y is that of its scaled value over the scale. */
static double log_predictive(const cp_dyntree *f) {
    return f->log_predictive - (f->task == COPSE_REGRESS ? (double)f->learnt * cp_math_log(f->scale) : 0);
}

size_t cp_dyntree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_dyntree *f = state;
    double leaves = 0, depth = 0;
    size_t n = 0;
    for (size_t t = 0; t < f->particles; t++) {
        leaves += (double)f->pool.node[f->root[t]].leaves;
        depth += (double)f->pool.node[f->root[t]].height;
    }
    out[n++] = (copse_figure){"leaves", leaves / (double)f->particles};
    out[n++] = (copse_figure){"depth", depth / (double)f->particles};
    out[n++] = (copse_figure){"log_predictive", log_predictive(f)};
    return n;
}

size_t cp_dyntree_inspect_details(const void *state, copse_figure *out) {
    const cp_dyntree *f = state;
    size_t n = 0;
    out[n++] = (copse_figure){"unique_trees", (double)different_trees(f)};
    out[n++] = (copse_figure){"nodes", (double)f->pool.live};
    return n;
}

/* ------------------------------------------------------------------------------------------------------------ trees */

cp_inspect_shape cp_dyntree_inspect_shape(const void *state, size_t tree) {
    const cp_dyntree *f = state;
    const cp_dyntree_node *n = &f->pool.node[f->root[tree]];
    return (cp_inspect_shape){.weight = 1 / (double)f->particles, .leaves = n->leaves, .depth = n->height};
}

static int32_t find_node(const cp_dyntree *f, size_t tree, int32_t id) {
    int32_t node = f->root[tree];
    while (id > 0) {
        const cp_dyntree_node *n = &f->pool.node[node];
        int32_t left = nodes_below(f, n->left);
        id--;
        node = id < left ? n->left : n->right;
        if (id >= left) id -= left;
    }
    return node;
}

/* Moments of the rows in a leaf, in the unit of y. */
typedef struct moments {
    double mean, var;
} moments;

static moments moments_of(const cp_dyntree *f, const double *stat) {
    double mean = stat[1] / stat[0], var = fmax(0, stat[2] / stat[0] - mean * mean);
    return (moments){f->centre + f->scale * mean, f->scale * f->scale * var};
}

static void leaf_view(const cp_dyntree *f, int32_t node, cp_inspect_node *out) {
    const double *stat = cp_dyntree_pool_stat(&f->pool, node);
    double n = (double)f->pool.node[node].rows, most = 0;
    out->rows = f->pool.node[node].rows;
    if (f->task == COPSE_REGRESS) {
        moments m = moments_of(f, stat);
        snprintf(out->note, sizeof out->note, "mean %.4g, sd %.3g", m.mean, sqrt(m.var));
        return;
    }
    for (size_t k = 0; k < f->classes; k++) {
        if (stat[k] <= most) continue;
        most = stat[k];
        out->label = (int32_t)k;
    }
    if (most < n) snprintf(out->note, sizeof out->note, "%.3g%% of them", 100 * most / n);
}

/* `id` is the place of the node in its tree. */
static void view_node(const cp_dyntree *f, int32_t node, int32_t id, cp_inspect_node *out) {
    const cp_dyntree_node *n = &f->pool.node[node];
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE};
    if (cp_dyntree_pool_is_leaf(n)) {
        leaf_view(f, node, out);
        return;
    }
    out->left = id + 1;
    out->right = id + 1 + nodes_below(f, n->left);
    out->dim = (size_t)n->dim;
    out->cut = (double)n->cut;
}

void cp_dyntree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_dyntree *f = state;
    view_node(f, find_node(f, tree, node), node, out);
}

void cp_dyntree_inspect_splits(const void *state, size_t tree, double *out_dims) {
    const cp_dyntree *f = state;
    int32_t nodes = nodes_below(f, f->root[tree]);
    for (size_t d = 0; d < f->dims; d++) out_dims[d] = 0;
    for (int32_t i = 0; i < nodes; i++) {
        const cp_dyntree_node *n = &f->pool.node[find_node(f, tree, i)];
        if (!cp_dyntree_pool_is_leaf(n)) out_dims[n->dim]++;
    }
}

/* ------------------------------------------------------------------------------------------------------------- JSON */

static void json_hyper(const cp_dyntree *f, cp_json *j) {
    cp_json_object(j, "hyper");
    cp_json_number(j, "alpha_split", f->prior.prior.alpha);
    cp_json_number(j, "beta_split", f->prior.prior.beta);
    if (f->task == COPSE_CLASS) {
        cp_json_number(j, "alpha", f->alpha);
    } else {
        cp_json_number(j, "centre", f->centre);
        cp_json_number(j, "scale", f->scale);
        cp_json_number(j, "kappa", f->kappa);
        cp_json_number(j, "nu", f->nu);
        cp_json_number(j, "lambda", f->lambda);
    }
    cp_json_close_object(j);
}

static void json_leaf(const cp_dyntree *f, int32_t node, cp_json *j) {
    const double *stat = cp_dyntree_pool_stat(&f->pool, node);
    cp_json_integer(j, "n", f->pool.node[node].rows);
    if (f->task == COPSE_REGRESS) {
        moments m = moments_of(f, stat);
        cp_json_number(j, "mean", m.mean);
        cp_json_number(j, "var", m.var);
        return;
    }
    cp_json_array(j, "counts");
    for (size_t k = 0; k < f->classes; k++) cp_json_number(j, NULL, stat[k]);
    cp_json_close_array(j);
}

typedef struct visit {
    int32_t node, id, parent;
} visit;

static void json_node(const cp_dyntree *f, visit at, const cp_inspect_node *v, cp_json *j) {
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", at.id);
    cp_json_integer(j, "parent", at.parent);
    cp_json_integer(j, "left", v->left);
    cp_json_integer(j, "right", v->right);
    if (v->left == CP_NONE)
        json_leaf(f, at.node, j);
    else
        cp_inspect_node_json(v, 0, 0, j);
    cp_json_close_object(j);
}

copse_status cp_dyntree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_dyntree *f = state;
    int32_t root = f->root[tree];
    visit *todo;
    size_t n = 0;
    CP_TRY(CP_RAW(todo, (size_t)f->pool.node[root].height + 1, err)); /* a right child for each depth, and one node */
    todo[n++] = (visit){root, 0, CP_NONE};
    json_hyper(f, j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", 1 / (double)f->particles);
    cp_json_array(j, "nodes");
    while (n) {
        visit at = todo[--n];
        cp_inspect_node v;
        view_node(f, at.node, at.id, &v);
        json_node(f, at, &v, j);
        if (v.left == CP_NONE) continue;
        todo[n++] = (visit){f->pool.node[at.node].right, v.right, at.id};
        todo[n++] = (visit){f->pool.node[at.node].left, v.left, at.id};
    }
    cp_json_close_array(j);
    cp_mem_free(todo);
    return COPSE_OK;
}
