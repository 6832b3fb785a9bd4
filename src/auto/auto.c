#include "auto/auto.h"

#include <math.h>

#include "auto/auto_file.h"
#include "auto/auto_fit.h"
#include "auto/auto_gate.h"
#include "auto/auto_inspect.h"
#include "auto/auto_predict.h"
#include "base/mem.h"

static const cp_param params[] = {
    CP_OPTION_CHOICE(
        "effort", "normal", "low normal high",
        "low: one method, chosen by the shape of the data; normal, high: several, weighed on held-out rows"),
    CP_OPTION_INT_AUTO("trees", 1, 100000, "trees of each member; auto: as many as suit it"),
    CP_OPTION_SEED,
};

void cp_auto_clear_member(cp_auto_member *m) {
    if (m->state) m->method->clear(m->state);
    cp_param_free(m->params);
    *m = (cp_auto_member){0};
}

void cp_auto_free(void *state) {
    cp_auto *a = state;
    if (!a) return;
    for (size_t m = 0; a->member && m < a->members; m++) cp_auto_clear_member(&a->member[m]);
    cp_auto_gate_clear(&a->gate);
    cp_recode_clear(&a->recode);
    cp_mem_free(a->member);
    cp_mem_free(a->levels);
    cp_mem_free(a->prior);
    cp_mem_free(a);
}

static const char *check(const void *state) {
    const cp_auto *a = state;
    double sum = a->background;
    for (size_t m = 0; m < a->members; m++) {
        const char *wrong = a->member[m].method->check(a->member[m].state);
        if (wrong) return wrong;
        sum += a->member[m].weight;
    }
    if (!(fabs(sum - 1) < 1e-6)) return "the weights of the members do not sum to 1";
    return a->gate.state ? a->gate.method->check(a->gate.state) : NULL;
}

static size_t count_rows(const void *state) {
    return ((const cp_auto *)state)->rows;
}

static const uint32_t *levels(const void *state) {
    return ((const cp_auto *)state)->levels;
}

const cp_method cp_method_auto = {
    .info = {.name = "auto",
             .summary = "the best of the others together: weighed and calibrated on rows they have not seen",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .takes_weights = 1,
             .takes_missing = 1,
             .takes_categories = 1},
    .takes_raw = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `trees` or a lower `effort`",
    .fit = cp_auto_fit,
    .predict = cp_auto_predict,
    .write = cp_auto_file_write,
    .read = cp_auto_file_read,
    .check = check,
    .clear = cp_auto_free,
    .levels = levels,
    .rows = count_rows,
    .trees = cp_auto_inspect_trees,
    .inspect = {.figures = cp_auto_inspect_figures,
                .json = cp_auto_inspect_json,
                .tree_json = cp_auto_inspect_tree_json,
                .tree_node = cp_auto_inspect_tree_node,
                .importance = cp_auto_inspect_importance},
};
