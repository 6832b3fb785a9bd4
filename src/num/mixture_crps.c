/* The continuous ranked probability score of a mixture,
 *     CRPS(F, y) = int (F(z) - [z >= y])^2 dz = E|Y - y| - E|Y - Y'|/2,
 * in three ways:
 *   pairs  Gaussian components: both expectations in closed form, n^2/2 terms.  Exact.
 *   grid   Gaussian components: E|Y - Y'|/2 = int F (1 - F) dz by the trapezoidal rule.  The integrand is smooth and falls
 *          off at both ends, so the error falls like exp(-(pi s/h)^2) with the step h, s being the components' scale.
 *   sides  any components: adaptive quadrature of F^2 below and (1 - F)^2 above y.
 * Gaussian mixtures take whichever of the first two costs less. */
#include <math.h>
#include <string.h>

#include "num/mixture.h"
#include "num/normal.h"
#include "num/quad.h"

enum { CHUNK = 64, MAX_GRID = 4096 };

/* Beyond this many scales from its centre a component counts as 0 or 1 on the grid: that changes the score by less than
 * 4e-9 of the mean scale. */
static const double reach = 5.5;
static const double pi = 3.14159265358979323846;
static const double sqrt_two = 1.41421356237309504880;

/* ---------------------------------------------------------------------------------------------------------- pairs */

/* sum over k of weight_k E|N(gap_k, sd_k^2)|, n <= CHUNK; E|N(g, s^2)| = |g| + 2 s (phi(u) - u Phi(-u)), u = |g|/s.
 * Both gap and sd are overwritten. */
static double mean_distance(const cp_component *c, size_t n, double *gap, double *sd) {
    double u[CHUNK], upper[CHUNK], pdf[CHUNK], sum = 0;
    for (size_t k = 0; k < n; k++) {
        gap[k] = fabs(gap[k]);
        u[k] = -gap[k] / sd[k];
    }
    cp_normal_many(u, n, upper, pdf);
    for (size_t k = 0; k < n; k++) sum += c[k].weight * (gap[k] + 2 * sd[k] * (pdf[k] + u[k] * upper[k]));
    return sum;
}

/* E|N(loc, scale^2) - Y| for Y from the first n components; scale 0 is a fixed number. */
static double distance_from(double loc, double scale, const cp_component *c, size_t n) {
    double gap[CHUNK], sd[CHUNK], sum = 0, square = scale * scale;
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t part = n - first < CHUNK ? n - first : CHUNK;
        for (size_t k = 0; k < part; k++) {
            const cp_component *b = &c[first + k];
            gap[k] = loc - b->loc;
            sd[k] = sqrt(square + b->scale * b->scale);
        }
        sum += mean_distance(c + first, part, gap, sd);
    }
    return sum;
}

/* E|Y - Y'|/2; the components with themselves, 2 s / sqrt(pi), then every pair once. */
static double half_spread_of_pairs(cp_mixture m) {
    const double inv_sqrt_pi = 0.564189583547756286948;
    double sum = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *a = &m.c[i];
        sum += a->weight * (a->weight * a->scale * inv_sqrt_pi + distance_from(a->loc, a->scale, m.c, i));
    }
    return sum;
}

/* ----------------------------------------------------------------------------------------------------------- grid */

typedef struct grid {
    double from, step;
    size_t points;
} grid;

/* Bound of the trapezoidal rule's error.  A component with itself adds 4 s exp(-v^2/4) / (sqrt(pi) v^2), v = 2 pi s / h
 * (from the Fourier transform of Phi (1 - Phi)); with a wider one it adds less.  One that the grid does not resolve adds
 * at most its weight times h. */
static double grid_error(cp_mixture m, double step) {
    double x[CHUNK], cdf[CHUNK], pdf[CHUNK], sum = 0; /* x = v / sqrt(2), exp(-v^2/4) = sqrt(2 pi) phi(x) */
    for (size_t first = 0; first < m.n; first += CHUNK) {
        const cp_component *c = m.c + first;
        size_t n = m.n - first < CHUNK ? m.n - first : CHUNK;
        for (size_t k = 0; k < n; k++) x[k] = sqrt_two * pi / step * c[k].scale;
        cp_normal_many(x, n, cdf, pdf);
        for (size_t k = 0; k < n; k++) {
            double resolved = sqrt_two * 2 * c[k].scale * pdf[k] / (x[k] * x[k]);
            sum += c[k].weight * (resolved < step ? resolved : step);
        }
    }
    return sum;
}

/* The widest step, within some percent, whose error is below `tolerance`.  0.75 of the smallest scale always is. */
static double grid_step(cp_mixture m, double tolerance) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < m.n; i++) {
        least = fmin(least, m.c[i].scale);
        most = fmax(most, m.c[i].scale);
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
        low = fmin(low, m.c[i].loc - reach * m.c[i].scale);
        high = fmax(high, m.c[i].loc + reach * m.c[i].scale);
    }
    double step = grid_step(m, tolerance), points = ceil((high - low) / step) + 2;
    return (grid){.from = low, .step = step, .points = points < 1e9 ? (size_t)points : (size_t)1e9};
}

/* Cost in evaluations of the normal cdf; a pair costs about two. */
static double grid_cost(cp_mixture m, const grid *g) {
    double sum = 0;
    for (size_t i = 0; i < m.n; i++) sum += m.c[i].scale;
    return 2 * reach * sum / g->step + 8 * (double)m.n + (double)g->points;
}

/* Adds one component's cdf to values[]: where it moves point by point; where it has reached its weight, by a jump that
 * is carried on when the jumps are summed up. */
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

/* h sum F (1 - F); the ends contribute nothing. */
static double half_spread_on_grid(cp_mixture m, const grid *g) {
    double values[MAX_GRID], jumps[MAX_GRID + 1], sum = 0, past = 0;
    memset(values, 0, g->points * sizeof *values);
    memset(jumps, 0, (g->points + 1) * sizeof *jumps);
    for (size_t i = 0; i < m.n; i++) add_to_grid(&m.c[i], g, values, jumps);
    for (size_t k = 0; k < g->points; k++) {
        past += jumps[k];
        double f = values[k] + past;
        sum += f * (1 - f);
    }
    return g->step * sum;
}

static double gaussian_crps(cp_mixture m, double y) {
    const double rel = 1e-7;
    double near = distance_from(y, 0, m.c, m.n), pairs_cost = (double)m.n * (double)m.n, scale = 0;
    if (m.n <= CHUNK) return near - half_spread_of_pairs(m);
    for (size_t i = 0; i < m.n; i++) scale += m.c[i].weight * m.c[i].scale;
    grid g = make_grid(m, 0.5 * rel * scale);
    if (g.points > MAX_GRID || grid_cost(m, &g) > pairs_cost) return near - half_spread_of_pairs(m);
    double crps = near - half_spread_on_grid(m, &g);
    /* The score may be far below the mean scale when a light component far away makes most of the spread. */
    return grid_error(m, g.step) <= 3 * rel * crps ? crps : near - half_spread_of_pairs(m);
}

/* ---------------------------------------------------------------------------------------------------------- sides */

typedef struct side {
    cp_mixture m;
    int upper;            /* the side of y: the integrand is (1 - F)^2 above, F^2 below */
    double edge, stretch; /* outer tails: z = edge -+ stretch (e^u - 1) */
} side;

static double squared_mass(const side *s, double z) {
    double mass = s->upper ? cp_mixture_upper(s->m, z) : cp_mixture_cdf(s->m, z);
    return mass * mass;
}

static void inner(const void *arg, const double *z, size_t n, double *out) {
    const side *s = arg;
    for (size_t k = 0; k < n; k++) out[k] = squared_mass(s, z[k]);
}

static void outer(const void *arg, const double *u, size_t n, double *out) {
    const side *s = arg;
    for (size_t k = 0; k < n; k++) {
        double far_out = s->stretch * expm1(u[k]);
        out[k] = squared_mass(s, s->upper ? s->edge + far_out : s->edge - far_out) * s->stretch * exp(u[k]);
    }
}

/* First where components have their bodies, then the outer tail, where F^2 falls like |z|^(-2 df): with z exponential
 * in u the integrand falls like exp(-(2 df - 1) u). */
static double one_side(cp_mixture m, double y, int upper) {
    const double rel = 1e-7, body_reach = 7;
    side s = {.m = m, .upper = upper, .edge = y};
    double df = INFINITY;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        s.edge = upper ? fmax(s.edge, c->loc + body_reach * c->scale) : fmin(s.edge, c->loc - body_reach * c->scale);
        s.stretch = fmax(s.stretch, c->scale);
        df = fmin(df, c->df);
    }
    double body[2] = {fmin(y, s.edge), fmax(y, s.edge)}, tail[2] = {0, fmin(600, 45 / (2 * df - 1))};
    return cp_quad_integrate(inner, &s, body, 2, rel).value + cp_quad_integrate(outer, &s, tail, 2, rel).value;
}

double cp_mixture_crps(cp_mixture m, double y) {
    double df = INFINITY;
    for (size_t i = 0; i < m.n; i++) df = fmin(df, m.c[i].df);
    if (isinf(df)) return gaussian_crps(m, y);
    return df > 0.5 ? one_side(m, y, 0) + one_side(m, y, 1) : INFINITY;
}
