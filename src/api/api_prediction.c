#include <math.h>

#include "api/prediction.h"
#include "base/mem.h"
#include "num/draw.h"

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
 * from the first where there are fewer.  Of the mean of y there is nothing more to draw. */
static void draws_in_order(const cp_answer *a, size_t row, cp_rng *rng, size_t n, double *out) {
    cp_mixture m = cp_answer_mixture(a, row);
    for (size_t i = 0; i < n; i++) {
        size_t k = n <= m.n ? (size_t)((double)i * (double)m.n / (double)n) : i % m.n;
        cp_component c = cp_mixture_at(&m, k);
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
