#include "orf/orf_inspect.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

/* Without rows: NaN, which JSON writes as null. */
static void json_moments(const cp_orf *f, cp_orf_moments m, cp_json *j) {
    cp_json_number(j, "mean", m.n > 0 ? m.mean + f->centre : NAN);
    cp_json_number(j, "var", m.m2 / m.n);
}

static void json_leaf(const cp_orf *f, const cp_orf_tree *t, size_t leaf, cp_json *j) {
    cp_json_number(j, "n", cp_orf_tree_leaf_rows(t, &f->rules, leaf));
    if (f->rules.task == COPSE_CLASS) {
        const uint32_t *inherited = cp_orf_tree_counts(t, &f->rules, leaf), *own = inherited + f->rules.width;
        cp_json_array(j, "counts");
        for (size_t k = 0; k < f->rules.classes; k++) cp_json_integer(j, NULL, (int64_t)inherited[k] + own[k]);
        cp_json_close_array(j);
        return;
    }
    json_moments(f, cp_orf_tree_leaf_moments(t, &f->rules, leaf), j);
}

static void json_node(const cp_orf *f, const cp_orf_tree *t, int32_t id, int32_t parent, cp_json *j) {
    const cp_orf_node *n = &t->node[id];
    int leaf = n->left == CP_NONE;
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", id);
    cp_json_integer(j, "parent", parent);
    cp_json_integer(j, "left", n->left);
    cp_json_integer(j, "right", leaf ? CP_NONE : n->left + 1);
    if (leaf) {
        json_leaf(f, t, (size_t)n->dim, j);
    } else {
        cp_json_integer(j, "feature", n->dim);
        cp_json_number(j, "cut", (double)n->cut);
    }
    cp_json_close_object(j);
}

copse_status cp_orf_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_orf *f = state;
    const cp_orf_tree *t = &f->tree[tree];
    int32_t *parent;
    CP_TRY(CP_RAW(parent, t->nodes, err));
    parent[0] = CP_NONE;
    cp_json_object(j, "hyper");
    cp_json_number(j, "smoothing", f->rules.smoothing);
    if (f->rules.task == COPSE_REGRESS) json_moments(f, f->moments, j);
    cp_json_close_object(j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", 1 / (double)f->trees);
    cp_json_array(j, "nodes");
    for (size_t i = 0; i < t->nodes; i++) {
        int32_t left = t->node[i].left;
        if (left != CP_NONE) parent[left] = parent[left + 1] = (int32_t)i;
        json_node(f, t, (int32_t)i, parent[i], j);
    }
    cp_json_close_array(j);
    cp_mem_free(parent);
    return COPSE_OK;
}

/* The class of a leaf that has only one, else CP_NONE. */
static int32_t only_class(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    const uint32_t *inherited = cp_orf_tree_counts(t, f, leaf), *own = inherited + f->width;
    int32_t found = CP_NONE;
    for (size_t k = 0; k < f->classes; k++) {
        if (!inherited[k] && !own[k]) continue;
        if (found != CP_NONE) return CP_NONE;
        found = (int32_t)k;
    }
    return found;
}

void cp_orf_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_orf *f = state;
    const cp_orf_tree *t = &f->tree[tree];
    const cp_orf_node *n = &t->node[node];
    *out = (cp_inspect_node){.left = n->left, .right = n->left, .label = CP_NONE};
    if (n->left != CP_NONE) {
        out->right = n->left + 1;
        out->dim = (size_t)n->dim;
        out->cut = (double)n->cut;
        return;
    }
    size_t leaf = (size_t)n->dim;
    out->rows = (size_t)cp_orf_tree_leaf_rows(t, &f->rules, leaf);
    if (f->rules.task == COPSE_REGRESS) {
        snprintf(out->note, sizeof out->note, "mean %.4g", cp_orf_leaf_gauss(f, t, leaf, &f->moments).loc);
        return;
    }
    out->label = only_class(t, &f->rules, leaf);
    if (out->label == CP_NONE) snprintf(out->note, sizeof out->note, "%s", out->rows ? "several classes" : "no rows");
}
