#include "bo/surrogate.h"

#include <stdio.h>

#include "base/mem.h"
#include "model/registry.h"

copse_status cp_surrogate_init(cp_surrogate *s, size_t cols, size_t trees, uint64_t seed, copse_error *err) {
    char number[32];
    *s = (cp_surrogate){.cols = cols, .trees = trees};
    CP_TRY(CP_RAW(s->scale, cols, err));
    CP_TRY(CP_RAW(s->scaled, cols, err));
    s->method = cp_registry_with_role(CP_REGISTRY_SURROGATE);
    CP_TRY(cp_param_new(s->method, &s->params, err));
    snprintf(number, sizeof number, "%zu", trees);
    CP_TRY(cp_param_set(s->params, "trees", number, err));
    CP_TRY(cp_param_set(s->params, "min-samples-split", "2", err));
    CP_TRY(cp_param_set(s->params, "posterior", "fast", err));
    CP_TRY(cp_param_set(s->params, "calibration", "none", err));
    return cp_surrogate_reset(s, seed, NULL, err);
}

static void clear_state(cp_surrogate *s) {
    if (s->state) s->method->clear(s->state);
    s->state = NULL;
    s->unfinished = 0;
}

copse_status cp_surrogate_reset(cp_surrogate *s, uint64_t seed, const float *opt_scale, copse_error *err) {
    char number[32];
    clear_state(s);
    for (size_t c = 0; c < s->cols; c++) s->scale[c] = opt_scale ? opt_scale[c] : 1;
    snprintf(number, sizeof number, "%llu", (unsigned long long)(seed & ((UINT64_C(1) << 53) - 1)));
    return cp_param_set(s->params, "seed", number, err);
}

void cp_surrogate_clear(cp_surrogate *s) {
    clear_state(s);
    cp_param_free(s->params);
    cp_mem_free(s->scale);
    cp_mem_free(s->scaled);
    *s = (cp_surrogate){0};
}

size_t cp_surrogate_rows(const cp_surrogate *s) {
    return s->state ? s->method->rows(s->state) : 0;
}

static void rescale(const cp_surrogate *s, const float *u, size_t n, float *out) {
    for (size_t i = 0; i < n; i++, u += s->cols, out += s->cols)
        for (size_t c = 0; c < s->cols; c++) out[c] = s->scale[c] * u[c];
}

/* `fit` gets the first point alone and `update` all others, so that the forest does not depend on how many points come
 * in one call.  One thread: to learn a point is less work than to start a thread. */
static copse_status update(cp_surrogate *s, const cp_rows *rows, copse_error *err) {
    const copse_run serial = {.threads = 1};
    size_t first = 0;
    if (!s->state) {
        cp_rows one = cp_rows_slice(rows, 0, 1);
        CP_TRY(s->method->fit(&one, s->params, &serial, &s->state, err));
        first = 1;
    }
    cp_rows rest = cp_rows_slice(rows, first, rows->n - first);
    copse_status status = s->method->update(s->state, &rest, s->params, &serial, NULL, err);
    s->unfinished = status != COPSE_OK;
    return status;
}

copse_status cp_surrogate_update(cp_surrogate *s, const float *u, const double *y, size_t n, copse_error *err) {
    float *scaled;
    if (n == 0 && !s->unfinished) return COPSE_OK;
    CP_TRY(CP_RAW(scaled, n * s->cols, err));
    rescale(s, u, n, scaled);
    copse_status status =
        update(s, &(cp_rows){.task = COPSE_REGRESS, .n = n, .dims = s->cols, .x = scaled, .y = y}, err);
    cp_mem_free(scaled);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ acquisition */

copse_status cp_surrogate_acquisition(const cp_surrogate *s, const cp_acquisition_params *a,
                                      const cp_surrogate_points *points, double *out, copse_error *err) {
    size_t n = points->n;
    cp_rows rows = {.task = COPSE_REGRESS, .n = n, .dims = s->cols};
    cp_answer answer = {0};
    double noise = s->method->inspect.noise(s->state), *leaf = NULL;
    float *scaled = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(scaled, n * s->cols, err));
    CP_TRY_OUT(CP_NEW(leaf, n, err));
    CP_TRY_OUT(cp_answer_init(&answer, COPSE_REGRESS, n, 0, err));
    rescale(s, points->u, n, scaled);
    rows.x = scaled;
    answer.leaf = leaf;
    if (a->kind == CP_ACQ_THOMPSON) answer.tree = a->tree;
    CP_TRY_OUT(s->method->predict(s->state, &rows, s->params, &answer, err));
    for (size_t i = 0; i < n; i++) {
        cp_acquisition_moments m = {.mean = leaf[i], .var = cp_mixture_var(cp_answer_mixture(&answer, i))};
        m.noise = noise;
        m.remaining = points->opt_remaining ? points->opt_remaining[i] : 1;
        out[i] = cp_acquisition_value(a, m);
    }
out:
    cp_answer_clear(&answer);
    cp_mem_free(leaf);
    cp_mem_free(scaled);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ cells */

int32_t cp_surrogate_leaf(const cp_surrogate *s, size_t tree, const float *u) {
    int32_t node = 0;
    cp_inspect_step step;
    rescale(s, u, 1, s->scaled);
    while (s->method->inspect.descend(s->state, tree, node, s->scaled, &step)) node = step.child;
    return node;
}

size_t cp_surrogate_cell(const cp_surrogate *s, size_t tree, const float *u, size_t depth, float *out) {
    int32_t node = 0;
    cp_inspect_step step;
    size_t passed = 0;
    rescale(s, u, 1, s->scaled);
    for (size_t c = 0; c < s->cols; c++) {
        out[2 * c] = 0;
        out[2 * c + 1] = 1;
    }
    for (; passed < depth && s->method->inspect.descend(s->state, tree, node, s->scaled, &step); passed++) {
        out[2 * step.dim + (step.is_left ? 1 : 0)] = step.cut / s->scale[step.dim];
        node = step.child;
    }
    return passed;
}
