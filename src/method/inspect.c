/* inspect - a split of a tree as JSON. */
#include "method/inspect.h"

#include <math.h>

#include "method/method.h"

void cp_inspect_options_json(const copse_params *p, cp_json *j) {
    cp_json_object(j, "options");
    for (size_t i = 0; i < p->method->n_params; i++) {
        const cp_param *d = &p->method->params[i];
        double v = p->value[i];
        if ((d->type != CP_PARAM_INT && d->type != CP_PARAM_REAL) || isnan(v))
            cp_json_text(j, d->name, p->text[i]);
        else
            cp_json_number(j, d->name, v);
    }
    cp_json_close_object(j);
}

int cp_inspect_tree_node(const cp_tree *t, int32_t node, cp_inspect_node *out) {
    const cp_tree_node *n = &t->node[node];
    int categories = (n->what & CP_TREE_CATEGORY) != 0;
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE};
    if (cp_tree_is_leaf(n)) return 0;
    out->left = n->next;
    out->right = n->next + 1;
    out->dim = cp_tree_dim(n);
    out->missing_left = (n->what & CP_TREE_MISSING_LEFT) != 0;
    out->cut = categories ? NAN : (double)n->at.cut;
    out->set = categories ? t->set + n->at.set : NULL;
    return 1;
}

void cp_inspect_node_json(const cp_inspect_node *v, uint32_t levels, int takes_missing, cp_json *j) {
    cp_json_integer(j, "feature", (int64_t)v->dim);
    if (v->set) {
        cp_json_array(j, "levels");
        for (uint32_t k = 0; k < levels; k++)
            if (v->set[k / 32] >> k % 32 & 1) cp_json_integer(j, NULL, k);
        cp_json_close_array(j);
    } else {
        cp_json_number(j, "cut", v->cut);
    }
    if (takes_missing) cp_json_text(j, "missing", v->missing_left ? "left" : "right");
}
