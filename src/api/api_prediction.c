#include "api/api_prediction.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/draw.h"
#include "num/mixture_crps.h"

static int has_row(const copse_prediction *p, size_t row) {
    return p && row < p->answer.rows;
}

/* The row has a distribution of numbers. */
static int has_mixture(const copse_prediction *p, size_t row) {
    return has_row(p, row) && p->answer.task == COPSE_REGRESS;
}

/* The row has the probability of class k in every draw. */
static int has_drawn(const copse_prediction *p, size_t row, size_t k) {
    return has_row(p, row) && p->answer.drawn && k < p->answer.classes;
}

static void fill_nan(double *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = NAN;
}

size_t copse_prediction_rows(const copse_prediction *p) {
    return p ? p->answer.rows : 0;
}

size_t copse_prediction_classes(const copse_prediction *p) {
    return p ? p->answer.classes : 0;
}

const double *copse_prediction_probs(const copse_prediction *p, size_t row) {
    return has_row(p, row) && p->answer.probs ? p->answer.probs + row * p->answer.classes : NULL;
}

size_t copse_prediction_label(const copse_prediction *p, size_t row) {
    return has_row(p, row) && p->answer.probs ? cp_answer_label(&p->answer, row) : (size_t)-1;
}

double copse_prediction_prob_sd(const copse_prediction *p, size_t row, size_t k) {
    if (!has_drawn(p, row, k)) return NAN;
    const float *drawn = cp_answer_drawn(&p->answer, row, k);
    size_t n = p->answer.per_row;
    double mean = copse_prediction_probs(p, row)[k], squares = 0;
    for (size_t i = 0; i < n; i++) squares += ((double)drawn[i] - mean) * ((double)drawn[i] - mean);
    return sqrt(squares / (double)n);
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Bisects over all floats from 0 to 1, which are ordered as their bits are; so the draws need not be sorted. */
double copse_prediction_prob_quantile(const copse_prediction *p, size_t row, size_t k, double q) {
    if (!has_drawn(p, row, k) || !(q >= 0 && q <= 1)) return NAN;
    const float *drawn = cp_answer_drawn(&p->answer, row, k);
    size_t n = p->answer.per_row;
    uint32_t low = 0, high = 0x3f800000u; /* 0 and 1 */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, below = 0;
        float x = float_of(middle);
        for (size_t i = 0; i < n; i++) below += drawn[i] <= x;
        if ((double)below >= q * (double)n)
            high = middle;
        else
            low = middle + 1;
    }
    return (double)float_of(low);
}

double copse_prediction_mean(const copse_prediction *p, size_t row) {
    if (!has_mixture(p, row)) return NAN;
    return cp_mixture_mean(cp_answer_mixture(&p->answer, row));
}

double copse_prediction_sd(const copse_prediction *p, size_t row) {
    if (!has_mixture(p, row)) return NAN;
    return sqrt(cp_mixture_var(cp_answer_mixture(&p->answer, row)));
}

double copse_prediction_quantile(const copse_prediction *p, size_t row, double q) {
    if (!has_mixture(p, row) || !(q >= 0 && q <= 1)) return NAN;
    return cp_mixture_quantile(cp_answer_mixture(&p->answer, row), q);
}

double copse_prediction_cdf(const copse_prediction *p, size_t row, double y) {
    if (!has_mixture(p, row) || isnan(y)) return NAN;
    return cp_mixture_cdf(cp_answer_mixture(&p->answer, row), y);
}

double copse_prediction_log_density(const copse_prediction *p, size_t row, double y) {
    if (!has_mixture(p, row) || isnan(y)) return NAN;
    return cp_mixture_log_density(cp_answer_mixture(&p->answer, row), y);
}

double copse_prediction_crps(const copse_prediction *p, size_t row, double y) {
    if (!has_mixture(p, row) || isnan(y)) return NAN;
    return cp_mixture_crps(cp_answer_mixture(&p->answer, row), y);
}

/* The draw of the model that is draw i of n, the same in every row: at equal distances if the model has at least n
 * draws, else its draws again and again. */
static size_t model_draw(size_t i, size_t n, size_t draws) {
    return n <= draws ? (size_t)((double)i * (double)draws / (double)n) : i % draws;
}

void copse_prediction_prob_draws(const copse_prediction *p, size_t row, size_t k, size_t n, double *out) {
    if (!out) return;
    if (!has_drawn(p, row, k)) {
        fill_nan(out, n);
        return;
    }
    const float *drawn = cp_answer_drawn(&p->answer, row, k);
    for (size_t i = 0; i < n; i++) out[i] = (double)drawn[model_draw(i, n, p->answer.per_row)];
}

/* A draw of the model gives the mean of y itself; for y the noise is added. */
static void draws_in_order(const cp_answer *a, size_t row, cp_rng *rng, size_t n, double *out) {
    cp_mixture m = cp_answer_mixture(a, row);
    for (size_t i = 0; i < n; i++) {
        cp_component c = cp_mixture_at(&m, model_draw(i, n, m.n));
        out[i] = a->of_mean ? c.loc : c.loc + c.scale * cp_draw_normal(rng);
    }
}

void copse_prediction_draws(const copse_prediction *p, size_t row, uint64_t seed, size_t n, double *out) {
    cp_rng rng;
    if (!out) return;
    if (!has_mixture(p, row)) {
        fill_nan(out, n);
        return;
    }
    cp_rng_init(&rng, seed, CP_FOR_DRAW, 0, row);
    if (p->answer.in_order) {
        draws_in_order(&p->answer, row, &rng, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) out[i] = cp_mixture_draw(cp_answer_mixture(&p->answer, row), &rng);
}

void copse_prediction_free(copse_prediction *p) {
    if (!p) return;
    cp_answer_clear(&p->answer);
    cp_mem_free(p);
}
