#include "mondrian/mondrian_inspect.h"

#include <math.h>
#include <stdio.h>

#include "mondrian/mondrian_hnsp.h"

static void json_leaf(const cp_mondrian *f, const cp_mondrian_tree *t, const cp_mondrian_node *n, cp_json *j) {
    cp_json_integer(j, "n", n->count);
    if (f->task == COPSE_CLASS) {
        cp_json_array(j, "counts");
        for (size_t k = 0; k < f->space.classes; k++)
            cp_json_integer(j, NULL, cp_mondrian_hnsp_leaf_count(t, n, (int32_t)k));
        cp_json_close_array(j);
    } else {
        cp_mondrian_stat st = f->space.keeps_moments ? t->stat[n - t->node] : cp_mondrian_gauss_leaf(t, &f->space, n);
        cp_json_number(j, "mean", st.mean + f->center);
        cp_json_number(j, "var", st.m2 / st.n);
    }
}

static void json_posterior(const cp_mondrian *f, const cp_mondrian_stat *st, cp_json *j) {
    if (f->space.keeps_moments) return;
    cp_json_number(j, "posterior_mean", st->m + f->center);
    cp_json_number(j, "posterior_var", st->v);
}

/* The cuts that the labels chose from; only a node that keeps them has them. */
static void json_candidates(const cp_mondrian *f, const cp_mondrian_tree *t, int32_t id, cp_json *j) {
    if (!t->chosen || t->chosen[id] == CP_NONE) return;
    const cp_mondrian_split *c = t->candidate + (size_t)t->chosen[id] * f->space.candidates;
    cp_json_array(j, "candidates");
    for (size_t k = 0; k < f->space.candidates; k++) {
        cp_json_object(j, NULL);
        cp_json_integer(j, "feature", c[k].dim);
        cp_json_number(j, "cut", (double)c[k].cut);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
}

/* Floats are written with all digits of their double: a program that reads doubles then gets the same side of every
 * cut. */
static void json_node(const cp_mondrian *f, const cp_mondrian_tree *t, int32_t id, int32_t parent, float *buf,
                      cp_json *j) {
    const cp_mondrian_node *n = &t->node[id];
    int leaf = cp_mondrian_tree_is_leaf(n);
    const float *box = cp_mondrian_tree_box(t, &f->space, n, buf);
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", id);
    cp_json_integer(j, "parent", parent);
    cp_json_integer(j, "left", leaf ? CP_NONE : n->left);
    cp_json_integer(j, "right", leaf ? CP_NONE : n->right);
    if (!leaf) {
        cp_json_integer(j, "feature", n->dim);
        cp_json_number(j, "cut", (double)n->cut);
        json_candidates(f, t, id, j);
    }
    cp_json_number(j, "time", n->time);
    cp_json_array(j, "lower");
    for (size_t d = 0; d < f->space.dims; d++) cp_json_number(j, NULL, (double)box[d]);
    cp_json_close_array(j);
    cp_json_array(j, "upper");
    for (size_t d = 0; d < f->space.dims; d++) cp_json_number(j, NULL, (double)box[f->space.dims + d]);
    cp_json_close_array(j);
    if (f->task == COPSE_REGRESS) json_posterior(f, &t->stat[id], j);
    if (leaf) json_leaf(f, t, n, j);
    cp_json_close_object(j);
}

static void json_honest(const cp_mondrian *f, cp_json *j) {
    const cp_mondrian_honest *h = &f->honest;
    cp_json_object(j, "calibration");
    cp_json_integer(j, "rows", (int64_t)h->rows);
    if (f->task == COPSE_CLASS) {
        cp_json_number(j, "strength", h->strength);
        cp_json_number(j, "sharpness", h->sharpness);
    } else {
        cp_json_number(j, "within", h->within);
        cp_json_number(j, "between", h->between);
        cp_json_number(j, "near", h->near);
        cp_json_number(j, "far", h->far);
        cp_json_number(j, "all_rows", f->moments.n);
        cp_json_number(j, "all_var", f->moments.m2 / f->moments.n);
    }
    cp_json_close_object(j);
}

copse_status cp_mondrian_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_mondrian *f = state;
    const cp_mondrian_tree *t = &f->tree[tree];
    int32_t *order = NULL, *parent = NULL;
    float *buf = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(order, t->nodes, err));
    CP_TRY_OUT(CP_RAW(parent, t->nodes, err));
    CP_TRY_OUT(CP_RAW(buf, 2 * f->space.dims, err));
    cp_mondrian_tree_order(t, order);
    parent[0] = CP_NONE;
    cp_json_object(j, "hyper");
    if (f->task == COPSE_CLASS) {
        if (!f->honest.on) cp_json_number(j, "gamma", f->gamma);
    } else {
        cp_json_number(j, "mean", f->hyper.mean + f->center);
        cp_json_number(j, "gamma1", f->hyper.gamma1);
        cp_json_number(j, "gamma2", f->hyper.gamma2);
        cp_json_number(j, "noise", f->hyper.noise);
        cp_json_number(j, "floor", f->hyper.floor);
    }
    cp_json_close_object(j);
    if (f->honest.on) json_honest(f, j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", 1 / (double)f->trees);
    cp_json_array(j, "nodes");
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[order[i]];
        if (!cp_mondrian_tree_is_leaf(n)) parent[n->left] = parent[n->right] = order[i];
        json_node(f, t, order[i], parent[order[i]], buf, j);
    }
    cp_json_close_array(j);
out:
    cp_mem_free(order);
    cp_mem_free(parent);
    cp_mem_free(buf);
    return status;
}

static void leaf_note(const cp_mondrian *f, const cp_mondrian_tree *t, const cp_mondrian_node *n,
                      cp_inspect_node *out) {
    if (f->task == COPSE_REGRESS) {
        const cp_mondrian_stat *st = &t->stat[n - t->node];
        snprintf(out->note, sizeof out->note, "mean %.4g", (f->space.keeps_moments ? st->mean : st->m) + f->center);
        return;
    }
    out->label = n->label;
    if (n->label == CP_NONE) snprintf(out->note, sizeof out->note, "several classes");
}

void cp_mondrian_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_mondrian *f = state;
    const cp_mondrian_tree *t = &f->tree[tree];
    const cp_mondrian_node *n = &t->node[node];
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE};
    if (cp_mondrian_tree_is_leaf(n)) {
        out->rows = (size_t)n->count;
        leaf_note(f, t, n, out);
        return;
    }
    out->left = n->left;
    out->right = n->right;
    out->dim = (size_t)n->dim;
    out->cut = (double)n->cut;
    snprintf(out->note, sizeof out->note, "time %.4g", n->time);
}

int cp_mondrian_inspect_descend(const void *state, size_t tree, int32_t node, const float *x, cp_inspect_step *out) {
    const cp_mondrian *f = state;
    const cp_mondrian_node *n = &f->tree[tree].node[node];
    if (cp_mondrian_tree_is_leaf(n)) return 0;
    int left = x[n->dim] <= n->cut;
    *out = (cp_inspect_step){.child = left ? n->left : n->right, .dim = (size_t)n->dim, .cut = n->cut, .is_left = left};
    return 1;
}
