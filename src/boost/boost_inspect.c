#include "boost/boost_inspect.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

void cp_boost_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_forest *f = &((const cp_boost *)state)->forest;
    const cp_tree *t = &f->tree[tree];
    if (cp_inspect_tree_node(t, node, out)) return;
    size_t leaf = t->node[node].at.leaf;
    out->rows = t->value[leaf].rows;
    snprintf(out->note, sizeof out->note, "adds %.4g", (double)t->value[leaf].mean);
}

/* The head that a tree belongs to, and what its score means. */
static void json_hyper(const cp_boost *b, size_t tree, cp_json *j) {
    static const char *const names[] = {"squared", "gaussian", "logistic", "softmax", "quantile"};
    const cp_boost_shape *s = &b->shape;
    size_t head = cp_boost_head(b, tree);
    cp_json_object(j, "hyper");
    cp_json_text(j, "loss", names[b->loss]);
    cp_json_integer(j, "heads", (int64_t)b->heads);
    cp_json_integer(j, "head", (int64_t)head);
    cp_json_array(j, "start");
    for (size_t h = 0; h < b->heads; h++) cp_json_number(j, NULL, b->start[h]);
    cp_json_close_array(j);
    cp_json_number(j, "centre", b->forest.centre);
    cp_json_number(j, "scale", b->forest.scale);
    cp_json_number(j, "noise", b->noise);
    cp_json_integer(j, "rows", (int64_t)b->rows);
    cp_json_array(j, "shape");
    for (size_t k = 0; k < s->n; k++) {
        cp_json_object(j, NULL);
        cp_json_number(j, "weight", s->weight[k]);
        cp_json_number(j, "loc", s->loc[k]);
        cp_json_number(j, "sd", s->sd[k]);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
    cp_json_close_object(j);
}

static void json_node(const cp_boost *b, size_t tree, size_t i, int32_t parent, cp_json *j) {
    const cp_tree *t = &b->forest.tree[tree];
    const cp_tree_node *n = &t->node[i];
    int leaf = cp_tree_is_leaf(n);
    cp_inspect_node v;
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", (int64_t)i);
    cp_json_integer(j, "parent", parent);
    cp_json_integer(j, "left", leaf ? CP_NONE : n->next);
    cp_json_integer(j, "right", leaf ? CP_NONE : n->next + 1);
    cp_boost_inspect_node(b, tree, (int32_t)i, &v);
    if (leaf) {
        cp_json_integer(j, "n", t->value[n->at.leaf].rows);
        cp_json_number(j, "adds", (double)t->value[n->at.leaf].mean);
    } else {
        cp_inspect_node_json(&v, b->forest.levels ? b->forest.levels[v.dim] : 0, 1, j);
    }
    cp_json_close_object(j);
}

copse_status cp_boost_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_boost *b = state;
    const cp_tree *t = &b->forest.tree[tree];
    int32_t *parent;
    CP_TRY(CP_RAW(parent, t->nodes, err));
    parent[0] = CP_NONE;
    json_hyper(b, tree, j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", 1);
    cp_json_array(j, "nodes");
    for (size_t i = 0; i < t->nodes; i++) {
        if (!cp_tree_is_leaf(&t->node[i])) parent[t->node[i].next] = parent[t->node[i].next + 1] = (int32_t)i;
        json_node(b, tree, i, parent[i], j);
    }
    cp_json_close_array(j);
    cp_mem_free(parent);
    return COPSE_OK;
}
