/* quadrature - Clenshaw-Curtis panels that are halved until the error is small. */
#include "num/quadrature.h"

#include <math.h>

#include "num/math.h"

/* Clenshaw and Curtis' rule on 17 points and, for the error, on every second of them.  Point k is
 * mid + half * cos(k pi / 16), k = 0 ... 16.  The tables hold the first half; the other is its mirror image. */
enum { STEPS = 16, HALF = STEPS / 2, PANELS = 400 };

static const double node[HALF + 1] = {1,
                                      0.980785280403230449,
                                      0.923879532511286756,
                                      0.831469612302545237,
                                      0.707106781186547524,
                                      0.555570233019602225,
                                      0.382683432365089772,
                                      0.195090322016128268,
                                      0};
static const double fine[HALF + 1] = {0.00392156862745098039, 0.0373687028372056103, 0.0754823315431518344,
                                      0.10890555258189093,    0.138956468368233074,  0.163172664281703303,
                                      0.181473784236493357,   0.192513864612925647,  0.196410125821890528};
static const double coarse[HALF / 2 + 1] = {0.015873015873015873, 0.146218649216018155, 0.279365079365079365,
                                            0.361717858720489781, 0.393650793650793651};

typedef struct panel {
    double from, to;
    double at_from, at_mid, at_to; /* f at these points, which the halves of the panel need too */
    double value, error;
} panel;

/* The difference of the two rules is the error of the coarse one.  If f is smooth on the panel, the error of the fine
 * one is far smaller; QUADPACK's rule of thumb estimates it.  `spread` is the integral of |f - mean f|. */
static double estimate_error(double difference, double spread) {
    if (!(spread > 0)) return difference;
    return spread * fmin(1, cp_math_pow(200 * difference / spread, 1.5));
}

static panel measure(cp_quadrature_fn f, const void *arg, panel p) {
    double x[STEPS + 1], y[STEPS + 1];
    double mid = 0.5 * (p.from + p.to), half = 0.5 * (p.to - p.from);
    for (int k = 1; k < HALF; k++) {
        x[k] = mid - half * node[k];
        x[STEPS - k] = mid + half * node[k];
    }
    x[HALF] = mid;
    f(arg, x + 1, STEPS - 1, y + 1);
    y[0] = p.at_from;
    y[STEPS] = p.at_to;
    double all = fine[HALF] * y[HALF], some = coarse[HALF / 2] * y[HALF];
    for (int k = 0; k < HALF; k++) all += fine[k] * (y[k] + y[STEPS - k]);
    for (int k = 0; k < HALF; k += 2) some += coarse[k / 2] * (y[k] + y[STEPS - k]);
    double spread = fine[HALF] * fabs(y[HALF] - 0.5 * all);
    for (int k = 0; k < HALF; k++) spread += fine[k] * (fabs(y[k] - 0.5 * all) + fabs(y[STEPS - k] - 0.5 * all));
    p.at_mid = y[HALF];
    p.value = half * all;
    p.error = half * estimate_error(fabs(all - some), spread);
    return p;
}

static size_t worst_of(const panel *p, size_t n) {
    size_t worst = 0;
    for (size_t i = 1; i < n; i++)
        if (p[i].error > p[worst].error) worst = i;
    return worst;
}

/* The required accuracy, see cp_quadrature. */
typedef struct goal {
    double rel, rest;
} goal;

static cp_quadrature_result add_up(const panel *p, size_t n, goal g) {
    cp_quadrature_result sum = {0};
    for (size_t i = 0; i < n; i++) {
        sum.value += p[i].value;
        sum.error += p[i].error;
    }
    sum.converged = sum.error <= g.rel * (fabs(sum.value) + g.rest);
    return sum;
}

/* Halves the worst panel until the sum of errors is small, there are PANELS panels, or the worst cannot be halved. */
static size_t refine(cp_quadrature_fn f, const void *arg, panel *p, size_t n, goal g) {
    while (n < PANELS && !add_up(p, n, g).converged) {
        panel *worst = &p[worst_of(p, n)];
        double mid = 0.5 * (worst->from + worst->to);
        if (!(worst->from < mid && mid < worst->to)) break;
        panel left = {.from = worst->from, .to = mid, .at_from = worst->at_from, .at_to = worst->at_mid};
        panel right = {.from = mid, .to = worst->to, .at_from = worst->at_mid, .at_to = worst->at_to};
        *worst = measure(f, arg, left);
        p[n++] = measure(f, arg, right);
    }
    return n;
}

cp_quadrature_result cp_quadrature(cp_quadrature_fn f, const void *arg, const double *breaks, size_t n_breaks,
                                   double rel, double rest) {
    goal g = {rel, rest};
    panel p[PANELS];
    size_t n = 0;
    for (size_t i = 0; i + 1 < n_breaks && n < PANELS; i++) {
        if (!(breaks[i] < breaks[i + 1])) continue;
        panel fresh = {.from = breaks[i], .to = breaks[i + 1]};
        f(arg, &fresh.from, 1, &fresh.at_from);
        f(arg, &fresh.to, 1, &fresh.at_to);
        p[n++] = measure(f, arg, fresh);
    }
    n = refine(f, arg, p, n, g);
    return add_up(p, n, g);
}
