/* draw - random variates by transformation and rejection. */
#include "num/draw.h"

#include <math.h>

#include "num/math.h"

double cp_draw_exp(cp_rng *rng) {
    return -cp_math_log(cp_rng_unit(rng));
}

/* Box and Muller (1958), one of the pair.  A normal always takes two uniforms, so the position in a stream does not
 * depend on the values drawn, and no state is kept between calls. */
double cp_draw_normal(cp_rng *rng) {
    double radius = sqrt(-2 * cp_math_log(cp_rng_unit(rng)));
    double c, s;
    cp_math_cos_sin_turn(cp_rng_unit(rng), &c, &s);
    return radius * c;
}

void cp_draw_normals(cp_rng *rng, double out[2]) {
    double radius = sqrt(-2 * cp_math_log(cp_rng_unit(rng))), c, s;
    cp_math_cos_sin_turn(cp_rng_unit(rng), &c, &s);
    out[0] = radius * c;
    out[1] = radius * s;
}

/* Marsaglia and Tsang (2000), for shape >= 1: with d = shape - 1/3 and c = 1/sqrt(9 d), the density of d (1 + c z)^3
 * is so close to the gamma's that more than 95 % of the normals z are accepted. */
static double draw_gamma_from_one(cp_rng *rng, double shape) {
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double z = cp_draw_normal(rng), root = 1 + c * z;
        if (root <= 0) continue;
        double v = root * root * root;
        if (cp_math_log(cp_rng_unit(rng)) < 0.5 * z * z + d * (1 - v + cp_math_log(v))) return d * v;
    }
}

/* For shape a below 1: gamma(a) is distributed as gamma(a + 1) U^(1/a).  For shapes under about 0.01 much of the mass
 * lies below the smallest double and becomes 0. */
double cp_draw_gamma(cp_rng *rng, double shape) {
    if (shape >= 1) return draw_gamma_from_one(rng, shape);
    double whole = draw_gamma_from_one(rng, shape + 1);
    return whole * cp_math_exp(-cp_draw_exp(rng) / shape);
}

double cp_draw_log_gamma(cp_rng *rng, double shape) {
    if (shape >= 1) return cp_math_log(draw_gamma_from_one(rng, shape));
    double whole = draw_gamma_from_one(rng, shape + 1);
    return cp_math_log(whole) - cp_draw_exp(rng) / shape;
}

/* For low < 0 at least every second normal is above it.  For low >= 0, Robert (1995): exponentials shifted to `low`,
 * with the rate that accepts the most: three of four at 0, nearly all far out. */
double cp_draw_normal_above(cp_rng *rng, double low) {
    if (low < 0) {
        double z;
        do z = cp_draw_normal(rng);
        while (z <= low);
        return z;
    }
    double rate = 0.5 * (low + sqrt(low * low + 4));
    for (;;) {
        double beyond = cp_draw_exp(rng) / rate, off = low + beyond - rate;
        if (2 * cp_draw_exp(rng) >= off * off) return low + beyond;
    }
}

double cp_draw_student(cp_rng *rng, double df) {
    double z = cp_draw_normal(rng);
    if (isinf(df)) return z;
    return z / sqrt(2 * cp_draw_gamma(rng, 0.5 * df) / df);
}

/* Fisher and Yates' shuffle, from the end. */
void cp_draw_shuffle(cp_rng *rng, size_t *items, size_t n) {
    for (size_t left = n; left > 1; left--) {
        size_t i = (size_t)cp_rng_below(rng, left), last = items[left - 1];
        items[left - 1] = items[i];
        items[i] = last;
    }
}
