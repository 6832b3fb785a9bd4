#include "auto/auto_inspect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many members before member m have its method. */
static size_t number_of(const cp_auto *a, size_t m) {
    size_t n = 0;
    for (size_t k = 0; k < m; k++) n += a->member[k].method == a->member[m].method;
    return n;
}

void cp_auto_inspect_name(cp_auto *a) {
    for (size_t m = 0; m < a->members; m++) {
        cp_auto_member *of = &a->member[m];
        size_t n = number_of(a, m);
        char name[24];
        snprintf(name, sizeof name, n ? "%.16s_%zu" : "%.16s", of->method->info.name, n + 1);
        snprintf(of->weight_name, sizeof of->weight_name, "%s_weight", name);
        snprintf(of->score_name, sizeof of->score_name, "%s_score", name);
    }
}

/* ------------------------------------------------------------------------------------------------ trees of members */

static size_t listed(const cp_auto_member *m) {
    return m->method->takes_raw ? m->method->trees(m->state) : 0;
}

size_t cp_auto_inspect_trees(const void *state) {
    const cp_auto *a = state;
    size_t trees = 0;
    for (size_t m = 0; m < a->members; m++) trees += listed(&a->member[m]);
    return trees;
}

/* The member that tree *tree belongs to; *tree becomes its number there. */
static const cp_auto_member *member_of(const cp_auto *a, size_t *tree) {
    for (size_t m = 0; m < a->members; m++) {
        size_t n = listed(&a->member[m]);
        if (*tree < n) return &a->member[m];
        *tree -= n;
    }
    CP_BUG(1);
}

copse_status cp_auto_inspect_tree_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_auto *a = state;
    const cp_auto_member *m = member_of(a, &tree);
    cp_json_integer(j, "member", m - a->member);
    cp_json_text(j, "member_method", m->method->info.name);
    return m->method->inspect.tree_json(m->state, tree, j, err);
}

void cp_auto_inspect_tree_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_auto_member *m = member_of(state, &tree);
    m->method->inspect.tree_node(m->state, tree, node, out);
}

/* Importance is the mean over all trees: each member's trees together count as its weight. */
void cp_auto_inspect_importance(const void *state, size_t tree, double *out_dims) {
    const cp_auto *a = state;
    size_t trees = cp_auto_inspect_trees(a);
    const cp_auto_member *m = member_of(a, &tree);
    double sum = 0;
    for (size_t k = 0; k < a->members; k++) sum += listed(&a->member[k]) ? a->member[k].weight : 0;
    double scale = m->weight / sum * (double)trees / (double)listed(m);
    m->method->inspect.importance(m->state, tree, out_dims);
    for (size_t d = 0; d < a->dims; d++) out_dims[d] *= scale;
}

/* ---------------------------------------------------------------------------------------------------------- figures */

size_t cp_auto_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_auto *a = state;
    size_t n = 0;
    for (size_t m = 0; m < a->members && n + 5 < COPSE_MAX_FIGURES; m++) {
        out[n++] = (copse_figure){a->member[m].weight_name, a->member[m].weight};
        if (a->scored) out[n++] = (copse_figure){a->member[m].score_name, a->member[m].score};
    }
    out[n++] = (copse_figure){a->task == COPSE_CLASS ? "temperature" : "interval_factor", a->factor};
    if (a->gate.state) out[n++] = (copse_figure){"gate_reference", a->gate.reference};
    return n;
}

static void json_member(const cp_auto_member *m, cp_json *j) {
    cp_json_object(j, NULL);
    cp_json_text(j, "method", m->method->info.name);
    cp_json_number(j, "weight", m->weight);
    cp_json_number(j, "score", m->score);
    cp_json_number(j, "factor", m->factor);
    cp_inspect_options_json(m->params, j);
    cp_json_close_object(j);
}

void cp_auto_inspect_json(const void *state, cp_json *j) {
    const cp_auto *a = state;
    cp_json_array(j, "members");
    for (size_t m = 0; m < a->members; m++) json_member(&a->member[m], j);
    cp_json_close_array(j);
    cp_json_object(j, "pool");
    cp_json_integer(j, "scored_rows", (int64_t)a->scored);
    cp_json_number(j, "background", a->background);
    if (a->task == COPSE_REGRESS) {
        cp_json_number(j, "centre", a->centre);
        cp_json_number(j, "width", a->width);
    }
    cp_json_number(j, "factor", a->factor);
    cp_json_close_object(j);
    if (!a->gate.state) return;
    cp_json_object(j, "gate");
    cp_json_number(j, "reference", a->gate.reference);
    cp_json_number(j, "factor", a->gate.factor);
    cp_json_close_object(j);
}
