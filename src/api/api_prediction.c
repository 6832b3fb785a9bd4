#include <math.h>
#include <string.h>

#include "api/prediction.h"
#include "base/mem.h"
#include "num/draw.h"
#include "num/mixture_crps.h"

size_t copse_prediction_rows(const copse_prediction *p) {
    return p->answer.rows;
}

size_t copse_prediction_classes(const copse_prediction *p) {
    return p->answer.classes;
}

const double *copse_prediction_probs(const copse_prediction *p, size_t row) {
    return p->answer.probs ? p->answer.probs + row * p->answer.classes : NULL;
}

size_t copse_prediction_label(const copse_prediction *p, size_t row) {
    return cp_answer_label(&p->answer, row);
}

double copse_prediction_prob_sd(const copse_prediction *p, size_t row, size_t k) {
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

/* The draws stay in their order: what is searched is the float, by halving.  Floats from 0 to 1 have the order of their
 * bits. */
double copse_prediction_prob_quantile(const copse_prediction *p, size_t row, size_t k, double q) {
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
    return cp_mixture_mean(cp_answer_mixture(&p->answer, row));
}

double copse_prediction_sd(const copse_prediction *p, size_t row) {
    return sqrt(cp_mixture_var(cp_answer_mixture(&p->answer, row)));
}

double copse_prediction_quantile(const copse_prediction *p, size_t row, double q) {
    return cp_mixture_quantile(cp_answer_mixture(&p->answer, row), q);
}

double copse_prediction_cdf(const copse_prediction *p, size_t row, double y) {
    return cp_mixture_cdf(cp_answer_mixture(&p->answer, row), y);
}

double copse_prediction_log_density(const copse_prediction *p, size_t row, double y) {
    return cp_mixture_log_density(cp_answer_mixture(&p->answer, row), y);
}

double copse_prediction_crps(const copse_prediction *p, size_t row, double y) {
    return cp_mixture_crps(cp_answer_mixture(&p->answer, row), y);
}

/* Draw i of n is of the same draw of the model in every row: at equal distances through all of them, or again and again
 * from the first where there are fewer. */
static size_t own_draw(size_t i, size_t n, size_t own) {
    return n <= own ? (size_t)((double)i * (double)own / (double)n) : i % own;
}

void copse_prediction_prob_draws(const copse_prediction *p, size_t row, size_t k, size_t n, double *out) {
    const float *drawn = cp_answer_drawn(&p->answer, row, k);
    for (size_t i = 0; i < n; i++) out[i] = (double)drawn[own_draw(i, n, p->answer.per_row)];
}

/* Of the mean of y there is nothing more to draw. */
static void draws_in_order(const cp_answer *a, size_t row, cp_rng *rng, size_t n, double *out) {
    cp_mixture m = cp_answer_mixture(a, row);
    for (size_t i = 0; i < n; i++) {
        cp_component c = cp_mixture_at(&m, own_draw(i, n, m.n));
        out[i] = a->of_mean ? c.loc : c.loc + c.scale * cp_draw_normal(rng);
    }
}

void copse_prediction_draws(const copse_prediction *p, size_t row, uint64_t seed, size_t n, double *out) {
    cp_rng rng;
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
