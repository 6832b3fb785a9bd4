#include "bo/surrogate.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "model/registry.h"
#include "num/dens.h"

static copse_status set(copse_params *p, const char *name, const char *value, copse_error *err) {
    return cp_param_set(p, name, value, err);
}

copse_status cp_surrogate_init(cp_surrogate *s, size_t cols, size_t trees, uint64_t seed, copse_error *err) {
    char number[32];
    *s = (cp_surrogate){.cols = cols, .trees = trees};
    CP_TRY(CP_RAW(s->scale, cols, err));
    CP_TRY(CP_RAW(s->at, cols, err));
    s->method = cp_registry_with_role(CP_REGISTRY_SURROGATE);
    CP_TRY(cp_param_new(s->method, &s->params, err));
    snprintf(number, sizeof number, "%zu", trees);
    CP_TRY(set(s->params, "trees", number, err));
    CP_TRY(set(s->params, "min-samples-split", "2", err));
    CP_TRY(set(s->params, "posterior", "fast", err));
    return cp_surrogate_begin(s, seed, NULL, err);
}

static void forget(cp_surrogate *s) {
    if (s->state) s->method->clear(s->state);
    s->state = NULL;
    s->behind = 0;
}

copse_status cp_surrogate_begin(cp_surrogate *s, uint64_t seed, const float *opt_scale, copse_error *err) {
    char number[32];
    forget(s);
    for (size_t c = 0; c < s->cols; c++) s->scale[c] = opt_scale ? opt_scale[c] : 1;
    snprintf(number, sizeof number, "%llu", (unsigned long long)(seed & ((UINT64_C(1) << 53) - 1)));
    return set(s->params, "seed", number, err);
}

void cp_surrogate_clear(cp_surrogate *s) {
    forget(s);
    cp_param_free(s->params);
    cp_mem_free(s->scale);
    cp_mem_free(s->at);
    *s = (cp_surrogate){0};
}

size_t cp_surrogate_rows(const cp_surrogate *s) {
    return s->state ? s->method->rows(s->state) : 0;
}

static void stretch(const cp_surrogate *s, const float *x, size_t n, float *out) {
    for (size_t i = 0; i < n; i++, x += s->cols, out += s->cols)
        for (size_t c = 0; c < s->cols; c++) out[c] = s->scale[c] * x[c];
}

/* The first point is fitted and every other one learnt, so that the forest does not depend on how many came at a time.
 * One thread: a point is less work than starting another. */
static copse_status learn(cp_surrogate *s, const cp_rows *rows, copse_error *err) {
    const copse_run alone = {.threads = 1};
    size_t first = 0;
    if (!s->state) {
        cp_rows one = cp_rows_slice(rows, 0, 1);
        CP_TRY(s->method->fit(&one, s->params, &alone, &s->state, err));
        first = 1;
    }
    cp_rows rest = cp_rows_slice(rows, first, rows->n - first);
    copse_status status = s->method->update(s->state, &rest, s->params, &alone, NULL, err);
    s->behind = status != COPSE_OK;
    return status;
}

copse_status cp_surrogate_learn(cp_surrogate *s, const float *x, const double *y, size_t n, copse_error *err) {
    float *stretched;
    if (n == 0 && !s->behind) return COPSE_OK;
    CP_TRY(CP_RAW(stretched, n * s->cols, err));
    stretch(s, x, n, stretched);
    copse_status status =
        learn(s, &(cp_rows){.task = COPSE_REGRESS, .n = n, .dims = s->cols, .x = stretched, .y = y}, err);
    cp_mem_free(stretched);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- judgement */

/* E max(f - best, 0) of a Gaussian; of a point mass where sd is 0. */
static double improvement(double mean, double sd, double best) {
    double off = mean - best;
    if (!(sd > 0)) return fmax(off, 0);
    double z = off / sd;
    return off * cp_dens_normal_cdf(z) + sd * exp(cp_dens_normal_log(z));
}

/* Expected improvement is that of a Gaussian.  The mixture's own would be small near all that is known: a leaf of one
 * point has no spread, so that all improvement comes from the share that branches off high in the trees, which is
 * largest far from everything good. */
static double judge(const cp_acq_params *v, double mean, double var, double noise, double open) {
    if (v->kind == CP_ACQ_UCB) return mean + v->kappa * open * sqrt(var);
    double sd = open * sqrt(fmax(0, var - noise));
    return v->kind == CP_ACQ_EI ? improvement(mean, sd, v->best) : mean + v->z * sd;
}

copse_status cp_surrogate_acquisition(const cp_surrogate *s, const cp_acq_params *v, const float *x, size_t n,
                                      const double *opt_open, double *out, copse_error *err) {
    cp_rows rows = {.task = COPSE_REGRESS, .n = n, .dims = s->cols};
    cp_answer answer = {0};
    double noise = s->method->inspect.noise(s->state), *leaf = NULL;
    float *stretched = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(stretched, n * s->cols, err));
    CP_TRY_OUT(CP_NEW(leaf, n, err));
    CP_TRY_OUT(cp_answer_init(&answer, COPSE_REGRESS, n, 0, err));
    stretch(s, x, n, stretched);
    rows.x = stretched;
    answer.leaf = leaf;
    if (v->kind == CP_ACQ_THOMPSON) answer.tree = v->tree;
    CP_TRY_OUT(s->method->predict(s->state, &rows, s->params, &answer, err));
    for (size_t i = 0; i < n; i++)
        out[i] = judge(v, leaf[i], cp_mixture_var(cp_answer_mixture(&answer, i)), noise, opt_open ? opt_open[i] : 1);
out:
    cp_answer_clear(&answer);
    cp_mem_free(leaf);
    cp_mem_free(stretched);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ cells */

int32_t cp_surrogate_leaf(const cp_surrogate *s, size_t tree, const float *x) {
    int32_t node = 0;
    cp_inspect_step step;
    stretch(s, x, 1, s->at);
    while (s->method->inspect.descend(s->state, tree, node, s->at, &step)) node = step.child;
    return node;
}

size_t cp_surrogate_cell(const cp_surrogate *s, size_t tree, const float *x, size_t depth, float *out) {
    int32_t node = 0;
    cp_inspect_step step;
    size_t passed = 0;
    stretch(s, x, 1, s->at);
    for (size_t c = 0; c < s->cols; c++) {
        out[2 * c] = 0;
        out[2 * c + 1] = 1;
    }
    for (; passed < depth && s->method->inspect.descend(s->state, tree, node, s->at, &step); passed++) {
        out[2 * step.dim + (step.is_left ? 1 : 0)] = step.cut / s->scale[step.dim];
        node = step.child;
    }
    return passed;
}
