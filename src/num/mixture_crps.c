/* mixture_crps - the continuous ranked probability score of a mixture,
 *     CRPS(F, y) = int (F(z) - [z >= y])^2 dz = E|Y - y| - E|Y - Y'|/2,
 * by three methods:
 *   pairs  Gaussian components: both expectations in closed form, n^2/2 terms.  Exact.
 *   grid   Gaussian components: E|Y - Y'|/2 = int F (1 - F) dz by the trapezoidal rule.  The integrand is smooth and
 *          falls to 0 at both ends, so the error falls like exp(-(pi s/h)^2), where h is the step and s the scale of
 *          the components.
 *   sides  any components: adaptive quadrature of F^2 below and (1 - F)^2 above y.
 * For Gaussian mixtures the cheaper of the first two is used. */
#include "num/mixture_crps.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/dens.h"
#include "num/math.h"
#include "num/normal.h"
#include "num/quadrature.h"

enum { CHUNK = 64, MAX_GRID = 4096, LEVELS = 12 };

/* More than this many scales from its centre the cdf of a component is taken as 0 or 1 on the grid, which changes the
 * score by less than 4e-9 of the mean scale. */
static const double reach = 5.5;
static const double pi = 3.14159265358979323846;
static const double sqrt_two = 1.41421356237309504880;

/* ---------------------------------------------------------------------------------------------------------- pairs */

/* sum over k of weight_k E|N(gap_k, sd_k^2)|, n <= CHUNK; E|N(g, s^2)| = |g| + 2 s (phi(u) - u Phi(-u)), u = |g|/s. */
static double mean_distance(const double *weight, size_t n, const double *gap, const double *sd) {
    double minus_u[CHUNK], upper[CHUNK], pdf[CHUNK], sum = 0;
    for (size_t k = 0; k < n; k++) minus_u[k] = -fabs(gap[k]) / sd[k];
    cp_normal_many(minus_u, n, upper, pdf);
    for (size_t k = 0; k < n; k++) sum += weight[k] * (fabs(gap[k]) + 2 * sd[k] * (pdf[k] + minus_u[k] * upper[k]));
    return sum;
}

/* E|N(loc, scale^2) - Y| for Y from the first n components, not normalised; scale 0 is a constant. */
static double distance_from(double loc, double scale, cp_mixture m, size_t n) {
    double weight[CHUNK], gap[CHUNK], sd[CHUNK], sum = 0, square = scale * scale;
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t part = n - first < CHUNK ? n - first : CHUNK;
        for (size_t k = 0; k < part; k++) {
            cp_component b = cp_mixture_at(&m, first + k);
            weight[k] = b.weight;
            gap[k] = loc - b.loc;
            sd[k] = sqrt(square + b.scale * b.scale);
        }
        sum += mean_distance(weight, part, gap, sd);
    }
    return sum;
}

/* E|Y - Y'|/2: each component with itself, 2 s / sqrt(pi), then each pair once. */
static double half_spread_of_pairs(cp_mixture m) {
    const double inv_sqrt_pi = 0.564189583547756286948;
    double sum = 0;
    for (size_t i = 0; i < m.n; i++) {
        cp_component a = cp_mixture_at(&m, i);
        sum += a.weight * (a.weight * a.scale * inv_sqrt_pi + distance_from(a.loc, a.scale, m, i));
    }
    return sum;
}

/* ----------------------------------------------------------------------------------------------------------- grid */

typedef struct grid {
    double from, step;
    size_t points;
} grid;

/* A bound of the error of the trapezoidal rule.  A component with itself adds 4 s exp(-v^2/4) / (sqrt(pi) v^2), where
 * v = 2 pi s / h (from the Fourier transform of Phi (1 - Phi)); with a wider component it adds less.  A component that
 * the grid does not resolve adds at most its weight times h. */
static double grid_error(cp_mixture m, double step) {
    double x[CHUNK], cdf[CHUNK], pdf[CHUNK], sum = 0; /* x = v / sqrt(2), exp(-v^2/4) = sqrt(2 pi) phi(x) */
    for (size_t first = 0; first < m.n; first += CHUNK) {
        cp_component c[CHUNK];
        size_t n = m.n - first < CHUNK ? m.n - first : CHUNK;
        for (size_t k = 0; k < n; k++) {
            c[k] = cp_mixture_at(&m, first + k);
            x[k] = sqrt_two * pi / step * c[k].scale;
        }
        cp_normal_many(x, n, cdf, pdf);
        for (size_t k = 0; k < n; k++) {
            double resolved = sqrt_two * 2 * c[k].scale * pdf[k] / (x[k] * x[k]);
            sum += c[k].weight * (resolved < step ? resolved : step);
        }
    }
    return sum;
}

/* Roughly the widest step whose error is below `tolerance`; at least 0.75 of the smallest scale, where the
 * error is about 1e-9 of that scale. */
static double grid_step(cp_mixture m, double tolerance) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < m.n; i++) {
        double scale = cp_mixture_at(&m, i).scale;
        least = fmin(least, scale);
        most = fmax(most, scale);
    }
    double good = 0.75 * least, bad = 1.5 * most;
    for (int round = 0; round < 6 && bad > 1.1 * good; round++) {
        double mid = sqrt(good * bad);
        if (grid_error(m, mid) <= tolerance)
            good = mid;
        else
            bad = mid;
    }
    return good;
}

static grid make_grid(cp_mixture m, double tolerance) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        low = fmin(low, c.loc - reach * c.scale);
        high = fmax(high, c.loc + reach * c.scale);
    }
    double step = grid_step(m, tolerance), points = ceil((high - low) / step) + 2;
    return (grid){.from = low, .step = step, .points = points <= MAX_GRID ? (size_t)points : SIZE_MAX};
}

/* A grid of every second point; its last point is at or beyond the last one of the fine grid. */
static grid coarser(grid g) {
    return (grid){.from = g.from, .step = 2 * g.step, .points = g.points / 2 + 1};
}

/* Adds the cdf of one component to values[], point by point up to `reach`.  Beyond that it is the weight, which goes to
 * jumps[] once: the caller adds the running sum of jumps. */
static void add_to_grid(const cp_component *c, const grid *g, double *values, double *jumps) {
    double z[CHUNK], cdf[CHUNK], pdf[CHUNK];
    double start = (c->loc - g->from) / g->step, width = c->scale / g->step, per_step = 1 / width;
    size_t from = (size_t)fmax(0, ceil(start - reach * width)), to = (size_t)ceil(start + reach * width);
    if (to > g->points) to = g->points;
    for (size_t first = from; first < to; first += CHUNK) {
        size_t n = to - first < CHUNK ? to - first : CHUNK;
        for (size_t k = 0; k < n; k++) z[k] = ((double)(first + k) - start) * per_step;
        cp_normal_many(z, n, cdf, pdf);
        for (size_t k = 0; k < n; k++) values[first + k] += c->weight * cdf[k];
    }
    jumps[to] += c->weight;
}

/* Makes a grid of half the step: point 2k is in[k]; points between are interpolated by Lagrange's polynomial through
 * the six neighbours on each side.  For a component three steps wide the error is below 2e-7.  Outside the grid the
 * function is constant. */
static void interpolate(const double *in, size_t n, double *out, size_t n_out) {
    static const double tap[6] = {160083.0 / 262144, -38115.0 / 262144, 22869.0 / 524288,
                                  -5445.0 / 524288,  847.0 / 524288,    -63.0 / 524288};
    for (size_t i = 0; i < n_out; i += 2) out[i] = in[i / 2];
    for (size_t i = 1; i < n_out; i += 2) {
        size_t k = i / 2;
        out[i] = 0;
        for (size_t j = 0; j < 6; j++)
            out[i] += tap[j] * ((k >= j ? in[k - j] : 0) + in[k + 1 + j < n ? k + 1 + j : n - 1]);
    }
}

/* Computes F on the grid.  It starts with wide components on a coarse grid, then halves the step again and again and
 * adds narrower components.  Each component is added where it is three to six steps wide, so that interpolation is
 * accurate. */
static void fill_grid(cp_mixture m, const grid *g, double *values) {
    double other[MAX_GRID], jumps[MAX_GRID + 1];
    grid level[LEVELS] = {*g};
    int top = 0;
    for (; top + 1 < LEVELS && level[top].points > 32; top++) level[top + 1] = coarser(level[top]);
    memset(values, 0, level[top].points * sizeof *values);
    for (int l = top; l >= 0; l--) {
        double least = l > 0 ? 3 * level[l].step : 0, most = l < top ? 6 * level[l].step : INFINITY, past = 0;
        memset(jumps, 0, (level[l].points + 1) * sizeof *jumps);
        for (size_t i = 0; i < m.n; i++) {
            cp_component c = cp_mixture_at(&m, i);
            if (c.scale >= least && c.scale < most) add_to_grid(&c, &level[l], values, jumps);
        }
        for (size_t k = 0; k < level[l].points; k++) values[k] += past += jumps[k];
        if (l == 0) break;
        memcpy(other, values, level[l].points * sizeof *other);
        interpolate(other, level[l].points, values, level[l - 1].points);
    }
}

/* h sum F (1 - F); the end points contribute nothing. */
static double half_spread_on_grid(cp_mixture m, const grid *g) {
    double f[MAX_GRID], sum = 0;
    fill_grid(m, g, f);
    for (size_t k = 0; k < g->points; k++) sum += f[k] * (1 - f[k]);
    return g->step * sum;
}

/* Compares numbers of evaluations of the normal cdf: on the grid a component takes 2 * reach * (3 to 6) on its level
 * and a few for the step; a pair takes about two. */
static int grid_is_cheaper(cp_mixture m, const grid *g) {
    double n = (double)m.n;
    return g->points <= MAX_GRID && 60 * n + 4 * (double)g->points < n * n;
}

/* The first grid assumes a score of the order of the mean scale.  If a component of small weight far away makes most of
 * the spread, the score is much smaller, and a second grid is made for it. */
static double gaussian_crps(cp_mixture m, double y) {
    const double rel = 1e-7;
    double near = distance_from(y, 0, m, m.n), order = 0;
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        order += c.weight * c.scale;
    }
    for (int attempt = 0; attempt < 2 && m.n > CHUNK; attempt++) {
        grid g = make_grid(m, rel * order);
        if (!grid_is_cheaper(m, &g)) break;
        order = near - half_spread_on_grid(m, &g);
        if (grid_error(m, g.step) <= 4 * rel * order) return order;
    }
    return fmax(0, near - half_spread_of_pairs(m));
}

/* ---------------------------------------------------------------------------------------------------------- sides */

/* One side of y, in distances from y, so that no digits are lost where y is large and the scales are small.  The mass
 * of a component beyond distance d is its cdf at (offset - d) / scale, where offset is the distance of its centre. */
typedef struct side {
    cp_mixture m;
    double y;
    int upper;
    double edge, stretch; /* outer tails: d = edge + stretch (e^u - 1) */
} side;

static double offset_of(const side *s, const cp_component *c) {
    return s->upper ? c->loc - s->y : s->y - c->loc;
}

/* Student's cdf at n <= CHUNK points.  With many degrees of freedom it is the normal cdf at a deviate, to 1e-10. */
static void student_cdfs(const double *t, size_t n, double df, double *out) {
    static const double near_normal = 16;
    double z[CHUNK], pdf[CHUNK];
    if (df >= near_normal) {
        for (size_t k = 0; k < n; k++) z[k] = isinf(df) ? t[k] : cp_dens_student_deviate(t[k], df);
        cp_normal_many(z, n, out, pdf);
        return;
    }
    for (size_t k = 0; k < n; k++) out[k] = cp_dens_student_cdf(t[k], df);
}

/* The square of the mass beyond each of n <= CHUNK distances. */
static void squared_masses(const side *s, const double *d, size_t n, double *out) {
    double t[CHUNK], cdf[CHUNK], mass[CHUNK] = {0};
    for (size_t i = 0; i < s->m.n; i++) {
        cp_component c = cp_mixture_at(&s->m, i);
        double offset = offset_of(s, &c);
        for (size_t k = 0; k < n; k++) t[k] = (offset - d[k]) / c.scale;
        student_cdfs(t, n, c.df, cdf);
        for (size_t k = 0; k < n; k++) mass[k] += c.weight * cdf[k];
    }
    for (size_t k = 0; k < n; k++) out[k] = mass[k] * mass[k];
}

static void inner(const void *arg, const double *d, size_t n, double *out) {
    for (size_t i = 0; i < n; i += CHUNK) squared_masses(arg, d + i, n - i < CHUNK ? n - i : CHUNK, out + i);
}

static void outer(const void *arg, const double *u, size_t n, double *out) {
    const side *s = arg;
    double d[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t part = n - i < CHUNK ? n - i : CHUNK;
        for (size_t k = 0; k < part; k++) d[k] = s->edge + s->stretch * cp_math_expm1(u[i + k]);
        squared_masses(s, d, part, out + i);
        for (size_t k = 0; k < part; k++) out[i + k] *= s->stretch * cp_math_exp(u[i + k]);
    }
}

static side make_side(cp_mixture m, double y, int upper) {
    const double body = 7; /* scales from a centre to the edge: beyond it the mass of a Gaussian is negligible */
    side s = {.m = m, .y = y, .upper = upper};
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        s.edge = fmax(s.edge, offset_of(&s, &c) + body * c.scale);
        s.stretch = fmax(s.stretch, c.scale);
    }
    return s;
}

/* Integrates first up to the edge, then over the outer tails.  There F^2 falls like d^(-2 df); with d exponential in u
 * the integrand falls like exp(-(2 df - 1) u). */
static double student_crps(cp_mixture m, double y, double least_df) {
    const double rel = 2e-7;
    double sum = 0, tail[2] = {0, fmin(600, 45 / (2 * least_df - 1))};
    side s[2] = {make_side(m, y, 0), make_side(m, y, 1)};
    for (int k = 0; k < 2; k++) {
        double body[2] = {0, s[k].edge};
        sum += cp_quadrature(inner, &s[k], body, 2, rel, sum).value;
    }
    for (int k = 0; k < 2; k++) sum += cp_quadrature(outer, &s[k], tail, 2, rel, sum).value;
    return sum;
}

double cp_mixture_crps(cp_mixture m, double y) {
    double df = INFINITY;
    for (size_t i = 0; i < m.n; i++) df = fmin(df, cp_mixture_at(&m, i).df);
    if (isinf(df)) return gaussian_crps(m, y);
    return df > 0.5 ? student_crps(m, y, df) : INFINITY;
}
