/* A node is identified within its tree by its place in preorder: a split, its left subtree, its right subtree.  A tree
 * of L leaves has 2L - 1 nodes, so the sizes of subtrees lead to any node. */
#include "btree/btree_inspect.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "btree/btree_diagnose.h"

static int32_t subtree_nodes(const cp_btree *b, int32_t node) {
    return 2 * (int32_t)b->size[node].leaves - 1;
}

static const double *stat_of(const cp_btree *b, const cp_tree_set_node *leaf) {
    return b->tree_set.stat + (size_t)leaf->left * b->tree_set.width;
}

/* ---------------------------------------------------------------------------------------------------------- figures */

static size_t island_figures(const cp_btree *b, copse_figure *out) {
    size_t n = 0;
    if (!b->prior_only) out[n++] = (copse_figure){"log_marginal", cp_btree_diagnose_log_marginal(b)};
    if (!b->prior_only && b->islands > 1)
        out[n++] = (copse_figure){"log_marginal_sd", cp_btree_diagnose_log_marginal_sd(b)};
    if (!b->tuned) return n;
    if (b->task == COPSE_CLASS) out[n++] = (copse_figure){"alpha", b->hyper.alpha};
    out[n++] = (copse_figure){"alpha_split", b->hyper.split.alpha};
    out[n++] = (copse_figure){"beta_split", b->hyper.split.beta};
    return n;
}

static size_t chain_figures(const cp_btree *b, copse_figure *out) {
    size_t n = 0;
    if (isnan(b->leaves.rhat)) return n;
    out[n++] = (copse_figure){"rhat", fmax(b->log_posterior.rhat, b->leaves.rhat)};
    out[n++] = (copse_figure){"ess", fmin(b->log_posterior.bulk, b->leaves.bulk)};
    return n;
}

size_t cp_btree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_btree *b = state;
    double leaves = 0, depth = 0;
    size_t n = 0;
    for (size_t t = 0; t < b->tree_set.trees; t++) {
        cp_inspect_shape s = cp_btree_inspect_shape(b, t);
        leaves += s.weight * (double)s.leaves;
        depth += s.weight * (double)s.depth;
    }
    out[n++] = (copse_figure){"leaves", leaves};
    out[n++] = (copse_figure){"depth", depth};
    return n + (b->chains ? chain_figures : island_figures)(b, out + n);
}

static size_t island_details(const cp_btree *b, copse_figure *out) {
    double stages = 0, resamplings = 0, expanded = 0, worked = 0, cut_short = 0;
    size_t n = 0;
    for (size_t i = 0; i < b->islands; i++) {
        const cp_btree_island *s = &b->island[i];
        stages = fmax(stages, (double)s->stages);
        resamplings += (double)s->resamplings;
        expanded += (double)s->expanded;
        worked += (double)s->worked;
        cut_short += (double)s->cut_short;
    }
    out[n++] = (copse_figure){"least_ess", cp_btree_diagnose_min_ess(b)};
    out[n++] = (copse_figure){"stages", stages};
    out[n++] = (copse_figure){"resamplings", resamplings};
    out[n++] = (copse_figure){"expanded", expanded};
    out[n++] = (copse_figure){"worked", worked};
    out[n++] = (copse_figure){"cut_short", cut_short};
    return n;
}

static size_t chain_details(const cp_btree *b, copse_figure *out) {
    size_t n = 0;
    if (!isnan(b->leaves.rhat)) out[n++] = (copse_figure){"ess_tail", fmin(b->log_posterior.tail, b->leaves.tail)};
    for (int m = 0; m < CP_MOVES; m++)
        out[n++] = (copse_figure){cp_btree_diagnose_accepted[m], cp_btree_diagnose_acceptance(b, (cp_move_kind)m)};
    return n;
}

size_t cp_btree_inspect_details(const void *state, copse_figure *out) {
    const cp_btree *b = state;
    size_t n = 0;
    out[n++] = (copse_figure){"unique_trees", (double)b->tree_set.trees};
    out[n++] = (copse_figure){"nodes", (double)b->tree_set.nodes};
    return n + (b->chains ? chain_details : island_details)(b, out + n);
}

/* ------------------------------------------------------------------------------------------------------------ trees */

cp_inspect_shape cp_btree_inspect_shape(const void *state, size_t tree) {
    const cp_btree *b = state;
    cp_tree_set_size s = b->size[b->tree_set.root[tree]];
    return (cp_inspect_shape){.weight = b->tree_set.weight[tree], .leaves = s.leaves, .depth = s.depth};
}

static int32_t find_node(const cp_btree *b, size_t tree, int32_t id) {
    int32_t node = b->tree_set.root[tree];
    while (id > 0) {
        const cp_tree_set_node *n = &b->tree_set.node[node];
        int32_t left = subtree_nodes(b, n->left);
        id--;
        node = id < left ? n->left : n->right;
        if (id >= left) id -= left;
    }
    return node;
}

static void class_view(const cp_btree *b, const double *stat, cp_inspect_node *out) {
    double n = 0, most = 0;
    for (size_t k = 0; k < b->classes; k++) {
        n += stat[k];
        if (stat[k] <= most) continue;
        most = stat[k];
        out->label = (int32_t)k;
    }
    out->rows = (size_t)n;
    if (most < n) snprintf(out->note, sizeof out->note, "%.3g%% of them", 100 * most / n);
}

/* Moments of the targets in a leaf, in their own units. */
typedef struct moments {
    double n, mean, var;
} moments;

static moments moments_of(const cp_btree *b, const double *stat) {
    if (b->prior_only) return (moments){0, b->centre, 0};
    double mean = stat[1] / stat[0], var = fmax(0, stat[2] / stat[0] - mean * mean);
    return (moments){stat[0], b->centre + b->scale * mean, b->scale * b->scale * var};
}

static void number_view(const cp_btree *b, const double *stat, cp_inspect_node *out) {
    moments m = moments_of(b, stat);
    out->rows = (size_t)m.n;
    if (m.n > 0) snprintf(out->note, sizeof out->note, "mean %.4g, sd %.3g", m.mean, sqrt(m.var));
}

static void split_view(const cp_btree *b, int32_t id, const cp_tree_set_node *n, cp_inspect_node *out) {
    out->left = id + 1;
    out->right = id + 1 + subtree_nodes(b, n->left);
    out->dim = (size_t)n->dim;
    out->cut = 0.5 * ((double)n->low + (double)n->high);
    out->cut_halfwidth = 0.5 * ((double)n->high - (double)n->low);
}

void cp_btree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_btree *b = state;
    const cp_tree_set_node *n = &b->tree_set.node[find_node(b, tree, node)];
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE};
    if (n->dim != CP_NONE)
        split_view(b, node, n, out);
    else
        (b->task == COPSE_CLASS ? class_view : number_view)(b, stat_of(b, n), out);
}

/* A shared node counts as often as it occurs in the tree. */
void cp_btree_inspect_splits(const void *state, size_t tree, double *out_dims) {
    const cp_btree *b = state;
    int32_t nodes = subtree_nodes(b, b->tree_set.root[tree]);
    for (size_t d = 0; d < b->tree_set.dims; d++) out_dims[d] = 0;
    for (int32_t i = 0; i < nodes; i++) {
        int32_t dim = b->tree_set.node[find_node(b, tree, i)].dim;
        if (dim != CP_NONE) out_dims[dim]++;
    }
}

/* ------------------------------------------------------------------------------------------------------------- JSON */

static void json_hyper(const cp_btree *b, cp_json *j) {
    cp_json_object(j, "hyper");
    cp_json_number(j, "alpha_split", b->hyper.split.alpha);
    cp_json_number(j, "beta_split", b->hyper.split.beta);
    if (b->task == COPSE_CLASS) {
        cp_json_number(j, "alpha", b->hyper.alpha);
    } else {
        cp_json_number(j, "centre", b->centre);
        cp_json_number(j, "scale", b->scale);
        cp_json_number(j, "kappa", b->hyper.kappa);
        cp_json_number(j, "nu", b->hyper.nu);
        cp_json_number(j, "lambda", b->hyper.lambda);
    }
    cp_json_close_object(j);
}

static void json_leaf(const cp_btree *b, const double *stat, cp_json *j) {
    if (b->task == COPSE_REGRESS) {
        moments m = moments_of(b, stat);
        cp_json_integer(j, "n", (int64_t)m.n);
        cp_json_number(j, "mean", m.mean);
        cp_json_number(j, "var", m.var);
        return;
    }
    double n = 0;
    for (size_t k = 0; k < b->classes; k++) n += stat[k];
    cp_json_integer(j, "n", (int64_t)n);
    cp_json_array(j, "counts");
    for (size_t k = 0; k < b->classes; k++) cp_json_number(j, NULL, stat[k]);
    cp_json_close_array(j);
}

/* The cut is uniform between low and high; "cut" is the middle. */
static void json_split(const cp_inspect_node *v, const cp_tree_set_node *n, cp_json *j) {
    cp_inspect_node_json(v, 0, 0, j);
    cp_json_number(j, "low", (double)n->low);
    cp_json_number(j, "high", (double)n->high);
}

typedef struct visit {
    int32_t node, id, parent;
} visit;

static void json_node(const cp_btree *b, visit at, const cp_inspect_node *v, cp_json *j) {
    const cp_tree_set_node *n = &b->tree_set.node[at.node];
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", at.id);
    cp_json_integer(j, "parent", at.parent);
    cp_json_integer(j, "left", v->left);
    cp_json_integer(j, "right", v->right);
    if (n->dim == CP_NONE)
        json_leaf(b, stat_of(b, n), j);
    else
        json_split(v, n, j);
    cp_json_close_object(j);
}

copse_status cp_btree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_btree *b = state;
    int32_t root = b->tree_set.root[tree];
    visit *todo;
    size_t n = 0;
    CP_TRY(CP_RAW(todo, (size_t)b->size[root].depth + 1,
                  err)); /* at most one right subtree per depth, and the current node */
    todo[n++] = (visit){root, 0, CP_NONE};
    json_hyper(b, j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", b->tree_set.weight[tree]);
    cp_json_array(j, "nodes");
    while (n) {
        visit at = todo[--n];
        const cp_tree_set_node *node = &b->tree_set.node[at.node];
        cp_inspect_node v = {.left = CP_NONE, .right = CP_NONE};
        if (node->dim != CP_NONE) split_view(b, at.id, node, &v);
        json_node(b, at, &v, j);
        if (node->dim == CP_NONE) continue;
        todo[n++] = (visit){node->right, v.right, at.id};
        todo[n++] = (visit){node->left, v.left, at.id};
    }
    cp_json_close_array(j);
    cp_mem_free(todo);
    return COPSE_OK;
}

static double trace_value(const void *state, size_t i, size_t chain, size_t draw) {
    const cp_btree_trace *t = &((const cp_btree *)state)->trace[chain];
    return i ? (double)t->leaves[draw] : t->log_post[draw];
}

int cp_btree_inspect_trace(const void *state, size_t i, cp_inspect_trace *out) {
    static const char *const name[] = {"log_posterior", "leaves"};
    const cp_btree *b = state;
    if (!b->chains || i >= sizeof name / sizeof *name) return 0;
    *out = (cp_inspect_trace){.info = {.chains = b->chains, .draws = b->trace[0].samples}, .value = trace_value};
    snprintf(out->info.name, sizeof out->info.name, "%s", name[i]);
    return 1;
}
