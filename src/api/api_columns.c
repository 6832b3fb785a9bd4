/* api_columns - what api_prediction gives for one row, for all rows of a prediction, on several threads. */
#include <math.h>

#include "api/api_check.h"
#include "api/api_prediction.h"
#include "base/parallel.h"
#include "num/math.h"
#include "num/mixture_crps.h"
#include "num/mixture_quantiles.h"

enum { CHUNK = 32 }; /* rows that a thread takes at a time: a long mixture takes a millisecond for each */

typedef struct column column;
struct column {
    const copse_prediction *p;
    copse_status (*row)(const column *c, size_t row, copse_error *err);
    const double *y; /* one per row, or the probabilities of quantiles */
    size_t n;        /* numbers of a row in out */
    uint64_t seed;
    double *out;
};

static copse_status do_chunk(void *arg, size_t i, size_t worker, copse_error *err) {
    const column *c = arg;
    size_t first = i * CHUNK, left = c->p->answer.rows - first, n = left < CHUNK ? left : CHUNK;
    (void)worker;
    for (size_t k = 0; k < n; k++) CP_TRY(c->row(c, first + k, err));
    return COPSE_OK;
}

static copse_status do_rows(void *arg, const copse_run *run, copse_error *err) {
    column *c = arg;
    size_t chunks = (c->p->answer.rows + CHUNK - 1) / CHUNK;
    return cp_parallel_for(run, cp_parallel_workers(run, chunks), chunks, NULL, do_chunk, c, err);
}

static copse_status for_all(column *c, const copse_run *run, copse_error *err) {
    double *out = c->out;
    if (!c->p->answer.rows || !c->n) return COPSE_OK;
    CP_API_NEED(out);
    return cp_api_check_call(run, do_rows, c, err);
}

static copse_status for_rows(column *c, const char *what, const copse_run *run, copse_error *err) {
    const copse_prediction *p = c->p;
    CP_API_NEED(p);
    if (p->answer.task != COPSE_REGRESS)
        return cp_fail(err, COPSE_E_USAGE, "%s are for numbers, and this prediction has classes", what);
    return for_all(c, run, err);
}

static cp_mixture mixture_of(const column *c, size_t row) {
    return cp_answer_mixture(&c->p->answer, row);
}

/* --------------------------------------------------------------------------------------------------------- moments */

static copse_status mean_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    c->out[row] = cp_mixture_mean(mixture_of(c, row));
    return COPSE_OK;
}

copse_status copse_predictions_mean(const copse_prediction *p, const copse_run *run, double *out, copse_error *err) {
    column c = {.p = p, .row = mean_row, .n = 1, .out = out};
    return for_rows(&c, "means", run, err);
}

static copse_status sd_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    c->out[row] = sqrt(cp_mixture_var(mixture_of(c, row)));
    return COPSE_OK;
}

copse_status copse_predictions_sd(const copse_prediction *p, const copse_run *run, double *out, copse_error *err) {
    column c = {.p = p, .row = sd_row, .n = 1, .out = out};
    return for_rows(&c, "standard deviations", run, err);
}

/* ------------------------------------------------------------------------------------------- quantiles and draws */

static copse_status quantile_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    cp_mixture_quantiles(mixture_of(c, row), c->y, c->n, c->out + row * c->n);
    return COPSE_OK;
}

copse_status copse_predictions_quantile(const copse_prediction *p, const double *q, size_t n, const copse_run *run,
                                        double *out, copse_error *err) {
    if (n) CP_API_NEED(q);
    column c = {.p = p, .row = quantile_row, .y = q, .n = n, .out = out};
    return for_rows(&c, "quantiles", run, err);
}

static copse_status draw_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    copse_prediction_draws(c->p, row, c->seed, c->n, c->out + row * c->n);
    return COPSE_OK;
}

copse_status copse_predictions_draws(const copse_prediction *p, uint64_t seed, size_t n, const copse_run *run,
                                     double *out, copse_error *err) {
    column c = {.p = p, .row = draw_row, .n = n, .seed = seed, .out = out};
    return for_rows(&c, "draws", run, err);
}

/* ---------------------------------------------------------------------------------------------------- at a value */

static copse_status cdf_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    c->out[row] = cp_mixture_cdf(mixture_of(c, row), c->y[row]);
    return COPSE_OK;
}

static copse_status log_density_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    c->out[row] = cp_mixture_log_density(mixture_of(c, row), c->y[row]);
    return COPSE_OK;
}

static copse_status crps_row(const column *c, size_t row, copse_error *err) {
    (void)err;
    c->out[row] = cp_mixture_crps(mixture_of(c, row), c->y[row]);
    return COPSE_OK;
}

static copse_status at_values(column *c, const char *what, const copse_run *run, copse_error *err) {
    const double *y = c->y;
    c->n = 1;
    if (c->p && c->p->answer.rows) CP_API_NEED(y);
    return for_rows(c, what, run, err);
}

copse_status copse_predictions_cdf(const copse_prediction *p, const double *y, const copse_run *run, double *out,
                                   copse_error *err) {
    column c = {.p = p, .row = cdf_row, .y = y, .out = out};
    return at_values(&c, "values of the cdf", run, err);
}

copse_status copse_predictions_log_density(const copse_prediction *p, const double *y, const copse_run *run,
                                           double *out, copse_error *err) {
    column c = {.p = p, .row = log_density_row, .y = y, .out = out};
    return at_values(&c, "log densities", run, err);
}

copse_status copse_predictions_crps(const copse_prediction *p, const double *y, const copse_run *run, double *out,
                                    copse_error *err) {
    column c = {.p = p, .row = crps_row, .y = y, .out = out};
    return at_values(&c, "values of the CRPS", run, err);
}

/* ---------------------------------------------------------------------------------- components, and draws of models */

size_t copse_prediction_components(const copse_prediction *p, size_t row) {
    if (!p || p->answer.task != COPSE_REGRESS || row >= p->answer.rows) return 0;
    return cp_answer_mixture(&p->answer, row).n;
}

int copse_prediction_component(const copse_prediction *p, size_t row, size_t i, copse_component *out) {
    if (!out || i >= copse_prediction_components(p, row)) return 0;
    cp_mixture m = cp_answer_mixture(&p->answer, row);
    cp_component c = cp_mixture_at(&m, i);
    *out = (copse_component){.weight = c.weight, .location = c.loc, .scale = c.scale, .df = c.df};
    return 1;
}

static copse_status likelihood_row(const column *c, size_t row, copse_error *err) {
    const cp_answer *a = &c->p->answer;
    double *out = c->out + row * c->n;
    if (a->task == COPSE_CLASS) {
        size_t k = (size_t)c->y[row];
        if (!(c->y[row] >= 0 && k < a->classes))
            return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, 0, "row %zu: there is no class of number %g", row + 1,
                              c->y[row]);
        for (size_t i = 0; i < c->n; i++) out[i] = cp_math_log((double)cp_answer_drawn(a, row, k)[i]);
        return COPSE_OK;
    }
    cp_mixture m = mixture_of(c, row);
    for (size_t i = 0; i < c->n; i++) {
        cp_component part = cp_mixture_at(&m, i);
        double z = (c->y[row] - part.loc) / part.scale;
        out[i] = -0.5 * z * z - cp_math_log(part.scale) - 0.918938533204672741780; /* log sqrt(2 pi) */
    }
    return COPSE_OK;
}

size_t copse_predictions_model_draws(const copse_prediction *p) {
    if (!p) return 0;
    const cp_answer *a = &p->answer;
    if (a->task == COPSE_CLASS) return a->drawn ? a->per_row : 0;
    return a->in_order && !a->of_mean ? a->per_row : 0;
}

copse_status copse_predictions_log_likelihood(const copse_prediction *p, const double *y, const copse_run *run,
                                              double *out, copse_error *err) {
    CP_API_NEED(p);
    CP_API_NEED(y);
    CP_API_NEED(out);
    column c = {.p = p, .row = likelihood_row, .y = y, .n = copse_predictions_model_draws(p), .out = out};
    if (!c.n)
        return cp_fail(err, COPSE_E_USAGE,
                       "this prediction does not hold the draws of its model: those of bart do, of classes if they are "
                       "predicted with `of_mean`");
    return for_all(&c, run, err);
}

const double *copse_predictions_probs(const copse_prediction *p) {
    return p ? p->answer.probs : NULL;
}
