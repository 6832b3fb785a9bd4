#include "greedy/greedy_inspect.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

static double raw_var(const cp_forest *f, double var) {
    return var * f->scale * f->scale;
}

static void json_leaf(const cp_forest *f, const cp_tree *t, uint32_t leaf, cp_json *j) {
    if (f->task == COPSE_REGRESS) {
        const cp_tree_value *v = &t->value[leaf];
        cp_json_integer(j, "n", v->rows);
        cp_json_number(j, "weight", (double)v->weight);
        cp_json_number(j, "mean", f->centre + f->scale * (double)v->mean);
        cp_json_number(j, "var", raw_var(f, (double)v->var));
        return;
    }
    uint32_t s = t->start[leaf], end = t->start[leaf + 1];
    cp_json_integer(j, "n", t->rows[leaf]);
    cp_json_array(j, "counts");
    for (size_t k = 0; k < f->classes; k++) {
        int here = s < end && t->class_weight[s].label == k;
        cp_json_number(j, NULL, here ? (double)t->class_weight[s++].weight : 0);
    }
    cp_json_close_array(j);
}

static void json_hyper(const cp_greedy *g, cp_json *j) {
    cp_json_object(j, "hyper");
    if (g->forest.task == COPSE_REGRESS) {
        cp_json_number(j, "leaf_var", raw_var(&g->forest, g->leaf_variance.var));
        cp_json_number(j, "leaf_var_weight", g->leaf_variance.rows);
        cp_json_number(j, "stretch", g->leaf_variance.stretch);
        cp_json_number(j, "floor", raw_var(&g->forest, g->leaf_variance.floor));
    }
    if (g->temperature.share) {
        cp_json_number(j, "power", g->temperature.power);
        cp_json_number(j, "mix", g->temperature.mix);
        cp_json_array(j, "shares");
        for (size_t k = 0; k < g->temperature.classes; k++) cp_json_number(j, NULL, g->temperature.share[k]);
        cp_json_close_array(j);
    }
    cp_json_close_object(j);
}

static void leaf_view(const cp_forest *f, const cp_tree *t, uint32_t leaf, cp_inspect_node *out) {
    if (f->task == COPSE_REGRESS) {
        const cp_tree_value *v = &t->value[leaf];
        out->rows = v->rows;
        snprintf(out->note, sizeof out->note, "mean %.4g, sd %.3g", f->centre + f->scale * (double)v->mean,
                 f->scale * sqrt((double)v->var));
        return;
    }
    uint32_t first = t->start[leaf], end = t->start[leaf + 1];
    double total = 0, most = 0;
    out->rows = t->rows[leaf];
    for (uint32_t s = first; s < end; s++) {
        double weight = (double)t->class_weight[s].weight;
        total += weight;
        if (weight <= most) continue;
        most = weight;
        out->label = (int32_t)t->class_weight[s].label;
    }
    if (end - first > 1) snprintf(out->note, sizeof out->note, "%.3g%% of the weight", 100 * most / total);
}

void cp_greedy_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_forest *f = &((const cp_greedy *)state)->forest;
    const cp_tree *t = &f->tree[tree];
    if (!cp_inspect_tree_node(t, node, out)) leaf_view(f, t, t->node[node].at.leaf, out);
}

/* A cut is printed as the double that equals the float: programs that compare doubles get the same side. */
static void json_split(const cp_greedy *g, size_t tree, int32_t node, cp_json *j) {
    cp_inspect_node v;
    cp_greedy_inspect_node(g, tree, node, &v);
    cp_inspect_node_json(&v, g->forest.levels ? g->forest.levels[v.dim] : 0, 1, j);
}

copse_status cp_greedy_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_greedy *g = state;
    const cp_tree *t = &g->forest.tree[tree];
    int32_t *parent;
    CP_TRY(CP_RAW(parent, t->nodes, err));
    parent[0] = CP_NONE;
    json_hyper(g, j);
    cp_json_integer(j, "tree", (int64_t)tree);
    cp_json_number(j, "weight", 1 / (double)g->forest.trees);
    cp_json_array(j, "nodes");
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_tree_node *n = &t->node[i];
        int leaf = cp_tree_is_leaf(n);
        if (!leaf) parent[n->next] = parent[n->next + 1] = (int32_t)i;
        cp_json_object(j, NULL);
        cp_json_integer(j, "id", (int64_t)i);
        cp_json_integer(j, "parent", parent[i]);
        cp_json_integer(j, "left", leaf ? CP_NONE : n->next);
        cp_json_integer(j, "right", leaf ? CP_NONE : n->next + 1);
        if (leaf)
            json_leaf(&g->forest, t, n->at.leaf, j);
        else
            json_split(g, tree, (int32_t)i, j);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
    cp_mem_free(parent);
    return COPSE_OK;
}
