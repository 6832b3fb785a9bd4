/* toy - a method whose answers are known: it learns nothing, keeps what it was shown, and takes everything raw.
 *
 * Column 0 is a number x, column 1, if there is one, a category c.  Tree t = 0, 1, 2 says
 *   regression       y = (t + 1) x + 10 [c is level 0], -100 where x is missing, with a standard deviation of 1/2
 *   classification   class 0 with probability (t + 1) / 4 where x > 0, else 1/2; the other classes share the rest */
#ifndef TOY_H
#define TOY_H

#include "base/mem.h"
#include "check.h"
#include "method/method.h"

enum { TOY_TREES = 3, TOY_DIMS = 4 };

typedef struct toy {
    size_t n, dims;
    copse_task task;
    uint32_t levels[TOY_DIMS];
    int has_levels;
    double weight; /* in all; 0 if there were no weights */
    float first[TOY_DIMS];
} toy;

static copse_status toy_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                            copse_error *err) {
    toy *t;
    (void)p;
    (void)run;
    CP_TRY(CP_NEW(t, 1, err));
    *t = (toy){.n = rows->n, .dims = rows->dims, .task = rows->task, .has_levels = rows->levels != NULL};
    for (size_t d = 0; d < rows->dims && d < TOY_DIMS; d++) {
        t->levels[d] = rows->levels ? rows->levels[d] : 0;
        t->first[d] = rows->x[d];
    }
    for (size_t i = 0; rows->weight && i < rows->n; i++) t->weight += rows->weight[i];
    *out_state = t;
    return COPSE_OK;
}

static double toy_says(const cp_rows *rows, size_t i, int32_t tree) {
    const float *x = rows->x + i * rows->dims;
    if (isnan(x[0])) return -100;
    return (tree + 1) * (double)x[0] + (rows->dims > 1 && x[1] == 0 ? 10 : 0);
}

static copse_status toy_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                copse_error *err) {
    int32_t first = out->tree == CP_NONE ? 0 : out->tree, last = out->tree == CP_NONE ? TOY_TREES - 1 : out->tree;
    double weight = 1.0 / (last - first + 1);
    (void)state;
    (void)p;
    for (size_t i = 0; i < rows->n; i++) {
        for (int32_t t = first; t <= last; t++) {
            if (rows->task == COPSE_REGRESS) {
                cp_component c = {weight, toy_says(rows, i, t), out->of_mean ? 1e-9 : .5, INFINITY};
                CP_TRY(cp_answer_add(out, c, err));
                continue;
            }
            double head = rows->x[i * rows->dims] > 0 ? (t + 1) / 4.0 : .5;
            for (size_t k = 0; k < rows->classes; k++)
                out->probs[i * rows->classes + k] += weight * (k ? (1 - head) / (double)(rows->classes - 1) : head);
        }
        if (rows->task == COPSE_REGRESS) cp_answer_end_row(out);
    }
    return COPSE_OK;
}

static size_t toy_rows(const void *state) {
    return ((const toy *)state)->n;
}

static size_t toy_trees(const void *state) {
    (void)state;
    return TOY_TREES;
}

/*      c in {0, 2} or missing
 *       /             \
 *   x <= 1 or missing  leaf 2
 *     /   \
 *    3     4 */
static void toy_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    static const uint32_t set[] = {5};
    (void)state;
    (void)tree;
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE, .rows = 7};
    if (node == 0) *out = (cp_inspect_node){.left = 1, .right = 2, .dim = 1, .cut = NAN, .set = set, .missing_left = 1};
    if (node == 1) *out = (cp_inspect_node){.left = 3, .right = 4, .dim = 0, .cut = 1, .missing_left = 1};
}

static copse_status toy_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const toy *t = state;
    (void)err;
    cp_json_array(j, "nodes");
    for (int32_t i = 0; i < 2; i++) {
        cp_inspect_node v;
        toy_node(state, tree, i, &v);
        cp_json_object(j, NULL);
        cp_inspect_node_json(&v, t->levels[v.dim], 1, j);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
    return COPSE_OK;
}

/* Tree t has seen a share of (t + 1) / 10 in column 0, the rest in column 1. */
static void toy_importance(const void *state, size_t tree, double *out_dims) {
    const toy *t = state;
    for (size_t d = 0; d < t->dims; d++) out_dims[d] = 0;
    out_dims[0] = (double)(tree + 1) / 10;
    if (t->dims > 1) out_dims[1] = 1 - out_dims[0];
}

static size_t toy_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    (void)state;
    (void)out;
    return 0;
}

static const cp_method toy_method = {
    .info = {.name = "toy", .summary = "knows nothing", .tasks = COPSE_CLASS | COPSE_REGRESS, .takes_weights = 1},
    .takes_raw = 1,
    .has_draws = 1,
    .fit = toy_fit,
    .predict = toy_predict,
    .clear = cp_mem_free,
    .rows = toy_rows,
    .trees = toy_trees,
    .inspect.figures = toy_figures,
    .inspect.tree_json = toy_json,
    .inspect.tree_node = toy_node,
    .inspect.importance = toy_importance,
};

/* A model of it. */
static inline copse_model *toy_model(const copse_table *t, const copse_roles *roles) {
    copse_error err;
    copse_params *p = NULL;
    copse_model *m = NULL;
    must(cp_param_new(&toy_method, &p, &err), err);
    must(copse_fit(t, roles, p, NULL, &m, &err), err);
    copse_params_free(p);
    return m;
}

#endif
