#include "mondrian/mondrian_honest.h"

#include <math.h>

#include "num/math.h"

void cp_mondrian_honest_classes(const cp_mondrian_honest *h, double rows, const double *base, size_t classes,
                                double *probs) {
    double most = -INFINITY, sum = 0, keep = 1 / (rows + 2);
    if (h->sharpness == 1) {
        for (size_t k = 0; k < classes; k++) probs[k] = (1 - keep) * probs[k] + keep * base[k];
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        probs[k] = h->sharpness * cp_math_log(fmax(probs[k], 1e-300) / base[k]);
        most = fmax(most, probs[k]);
    }
    for (size_t k = 0; k < classes; k++) sum += probs[k] = base[k] * cp_math_exp(probs[k] - most);
    for (size_t k = 0; k < classes; k++) probs[k] = (1 - keep) * probs[k] / sum + keep * base[k];
}

/* 0 up to `from`, 1 from `to` on, straight between. */
static double ramp(double x, double from, double to) {
    if (!(x > from)) return 0;
    return x < to ? (x - from) / (to - from) : 1;
}

void cp_mondrian_honest_numbers(const cp_mondrian_honest *h, cp_mondrian_spread x, cp_component *c, size_t n) {
    double away = ramp(x.size, h->near, h->far), lost = ramp(x.size, h->far, cp_mondrian_honest_log2(x.rows));
    double within = h->within + (1 - h->within) * away, between = h->between + (1 - h->between) * away;
    double sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++) {
        sum += c[i].weight;
        mean += c[i].weight * c[i].loc;
    }
    mean /= sum;
    for (size_t i = 0; i < n; i++) {
        c[i].loc = mean + between * (c[i].loc - mean);
        c[i].scale *= within;
        double lacks = x.var - c[i].scale * c[i].scale;
        if (lost > 0 && lacks > 0) c[i].scale = sqrt(c[i].scale * c[i].scale + lost * lacks);
    }
}
