/* Expectation-maximisation on a histogram of the residuals.
 *
 * The residuals are mapped by z -> u = log-like scale into cells (many near 0, where they lie close; few far away), so
 * that a pass takes the same time for any number of rows.  Each component has a share of a row as a prior, so that none
 * shrinks to a point, and one more component, wide and light, stands for the residual that was not seen: the next one
 * is the largest with probability 1 / (n + 1). */
#include "boost/boost_shape.h"

#include <math.h>
#include <stdint.h>

#include "base/mem.h"
#include "num/math.h"

enum {
    CELLS = 801, /* odd: the middle one is around 0 */
    PASSES = 200,
    ROWS_A_COMPONENT = 60
};
#define FINEST 1e-3 /* width of the middle cell, in root mean squares */
#define FAR    1e4  /* beyond, residuals share the outermost cells */

/* A cell: the sums of weight, weight z and weight z^2 of its residuals. */
typedef struct cells {
    double w[CELLS], z[CELLS], square[CELLS];
    double total, least, most;
} cells;

static double root_mean_square(const double *z, const double *w, size_t n) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        sum += w[i] * z[i] * z[i];
        total += w[i];
    }
    return sqrt(sum / total);
}

/* asinh(z / FINEST), scaled so that FAR is the last cell. */
static size_t cell_of(double z) {
    const double middle = CELLS / 2;
    double a = fabs(z) / FINEST, all = cp_math_log(2 * FAR / FINEST);
    double u = cp_math_log(a + sqrt(a * a + 1)) / all * middle;
    if (!(u < middle)) u = middle;
    return (size_t)(z < 0 ? middle - rint(u) : middle + rint(u));
}

static void fill(cells *c, const double *z, const double *w, size_t n, double unit) {
    for (size_t i = 0; i < n; i++) {
        double x = z[i] / unit;
        size_t k = cell_of(x);
        c->w[k] += w[i];
        c->z[k] += w[i] * x;
        c->square[k] += w[i] * x * x;
        c->total += w[i];
        c->most = fmax(c->most, fabs(x));
    }
}

/* Components side by side, from narrow and near to wide and far. */
static void start(cp_boost_shape *s, double mean) {
    static const double loc[CP_BOOST_SHAPE_MOST] = {0, .7, -.7, 0, 1.4, -1.4};
    static const double sd[CP_BOOST_SHAPE_MOST] = {.6, .5, .5, 1.8, 1.2, 1.2};
    for (size_t k = 0; k < s->n; k++) {
        s->weight[k] = 1 / (double)s->n;
        s->loc[k] = mean + loc[k];
        s->sd[k] = s->n == 1 ? 1 : sd[k];
    }
}

/* The shares of the components in a residual z. */
static double shares(const cp_boost_shape *s, double z, double *out) {
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < s->n; k++) {
        double d = (z - s->loc[k]) / s->sd[k];
        out[k] = -d * d / 2 + cp_math_log(s->weight[k] / s->sd[k]);
        most = fmax(most, out[k]);
    }
    for (size_t k = 0; k < s->n; k++) sum += out[k] = cp_math_exp(out[k] - most);
    for (size_t k = 0; k < s->n; k++) out[k] /= sum;
    return cp_math_log(sum) + most;
}

/* One pass; returns the log likelihood before it. */
static double improve(cp_boost_shape *s, const cells *c) {
    const double prior = 1, least_sd = .02;
    double w[CP_BOOST_SHAPE_MOST] = {0}, z[CP_BOOST_SHAPE_MOST] = {0}, square[CP_BOOST_SHAPE_MOST] = {0}, sum = 0;
    for (size_t i = 0; i < CELLS; i++) {
        double share[CP_BOOST_SHAPE_MOST];
        if (!(c->w[i] > 0)) continue;
        sum += c->w[i] * shares(s, c->z[i] / c->w[i], share);
        for (size_t k = 0; k < s->n; k++) {
            w[k] += share[k] * c->w[i];
            z[k] += share[k] * c->z[i];
            square[k] += share[k] * c->square[i];
        }
    }
    for (size_t k = 0; k < s->n; k++) {
        double loc = (z[k] + prior * s->loc[k]) / (w[k] + prior);
        double var = (square[k] - 2 * loc * z[k] + loc * loc * w[k] + prior) / (w[k] + prior);
        s->weight[k] = (w[k] + prior) / (c->total + (double)s->n * prior);
        s->loc[k] = loc;
        s->sd[k] = sqrt(fmax(var, least_sd * least_sd));
    }
    return sum;
}

/* The residual that was not seen. */
static void add_far(cp_boost_shape *s, const cells *c) {
    double share = 1 / (c->total + 2);
    for (size_t k = 0; k < s->n; k++) s->weight[k] *= 1 - share;
    s->weight[s->n] = share;
    s->loc[s->n] = 0;
    s->sd[s->n++] = fmax(3, c->most);
}

copse_status cp_boost_shape_fit(const double *z, const double *w, size_t n, cp_boost_shape *out, copse_error *err) {
    double unit = root_mean_square(z, w, n), before = -INFINITY, mean = 0;
    cells *c;
    *out = (cp_boost_shape){0};
    CP_TRY(CP_NEW(c, 1, err));
    if (!(unit > 0 && unit < INFINITY)) unit = 1;
    fill(c, z, w, n, unit);
    for (size_t i = 0; i < CELLS; i++) mean += c->z[i] / c->total;
    double wanted = c->total / ROWS_A_COMPONENT;
    out->n = wanted < 1 ? 1 : wanted < CP_BOOST_SHAPE_MOST - 1 ? (size_t)wanted : CP_BOOST_SHAPE_MOST - 1;
    start(out, mean);
    for (size_t i = 0; i < PASSES; i++) {
        double now = improve(out, c);
        if (now < before + 1e-7 * c->total) break;
        before = now;
    }
    add_far(out, c);
    for (size_t k = 0; k < out->n; k++) {
        out->loc[k] *= unit;
        out->sd[k] *= unit;
    }
    cp_mem_free(c);
    return COPSE_OK;
}
