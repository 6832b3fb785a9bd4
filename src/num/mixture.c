#include "num/mixture.h"

#include <float.h>
#include <math.h>

#include "num/dens.h"
#include "num/draw.h"
#include "num/quad.h"
#include "num/special.h"

static const double sqrt_half = 0.707106781186547524401;
static const double inv_sqrt_two_pi = 0.398942280401432677940;

/* ---------------------------------------------------------------------------------------------------- components */

size_t cp_mixture_tidy(cp_component *c, size_t n) {
    double total = 0, kept = 0;
    for (size_t i = 0; i < n; i++) total += c[i].weight;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(c[i].weight >= 1e-12 * total)) continue;
        kept += c[i].weight;
        c[left++] = c[i];
    }
    for (size_t i = 0; i < left; i++) c[i].weight /= kept;
    return left;
}

int cp_mixture_check(cp_mixture m) {
    double total = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        if (!(c->weight > 0 && isfinite(c->loc) && c->scale > 0 && isfinite(c->scale) && c->df > 0)) return 0;
        total += c->weight;
    }
    return m.n >= 1 && fabs(total - 1) <= 1e-9;
}

/* Relative to one of the locations: with y around 1e9 and noise around 1 the digits of the difference survive. */
double cp_mixture_mean(cp_mixture m) {
    double sum = 0, base = m.c[0].loc;
    for (size_t i = 0; i < m.n; i++) sum += m.c[i].weight * (m.c[i].loc - base);
    return base + sum;
}

double cp_mixture_var(cp_mixture m) {
    double sum = 0, mean = cp_mixture_mean(m);
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        if (c->df <= 2) return INFINITY;
        double stretch = isinf(c->df) ? 1 : c->df / (c->df - 2), gap = c->loc - mean;
        sum += c->weight * (c->scale * c->scale * stretch + gap * gap);
    }
    return sum;
}

double cp_mixture_draw(cp_mixture m, cp_rng *rng) {
    double left = cp_rng_unit(rng);
    size_t i = 0;
    while (i + 1 < m.n && left >= m.c[i].weight) left -= m.c[i++].weight;
    return m.c[i].loc + m.c[i].scale * cp_draw_student(rng, m.c[i].df);
}

/* ------------------------------------------------------------------------------------------------ cdf and density */

/* P(Y <= y), or P(Y > y) if `upper`: each by sums of its own small terms, so that both tails keep their digits. */
static double tail_mass(cp_mixture m, double y, int upper) {
    double sum = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        double z = (y - c->loc) / c->scale;
        sum += c->weight * cp_dens_student_cdf(upper ? -z : z, c->df);
    }
    return fmin(1, sum);
}

double cp_mixture_cdf(cp_mixture m, double y) {
    return tail_mass(m, y, 0);
}

/* log-sum-exp in one pass: sum holds the terms so far divided by exp(top). */
double cp_mixture_log_density(cp_mixture m, double y) {
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        double term = log(c->weight / c->scale) + cp_dens_student_log((y - c->loc) / c->scale, c->df);
        if (term <= top) {
            sum += exp(term - top);
        } else {
            sum = sum * exp(top - term) + 1;
            top = term;
        }
    }
    return isinf(top) ? top : top + log(sum);
}

/* ------------------------------------------------------------------------------------------------------ quantiles */

/* The tail of mass q <= 1/2 that is looked for, and where it can end. */
typedef struct search {
    cp_mixture m;
    int upper;
    double q;
    double low, high; /* F(low) <= wanted <= F(high) */
} search;

/* The mixture's quantile lies between the smallest and the largest of its components'.  Those of Gaussians are at hand;
 * Student's are farther out than the normal's, and are reached by steps that grow eightfold. */
static void bracket(search *s) {
    double z = cp_special_normal_quantile(s->q), sign = s->upper ? -1 : 1;
    double df = INFINITY;
    s->low = INFINITY;
    s->high = -INFINITY;
    for (size_t i = 0; i < s->m.n; i++) {
        double at = s->m.c[i].loc + sign * z * s->m.c[i].scale;
        s->low = fmin(s->low, at);
        s->high = fmax(s->high, at);
        df = fmin(df, s->m.c[i].df);
    }
    if (isinf(df)) return;
    double reach = fmax(s->high - s->low, DBL_MIN);
    for (size_t i = 0; i < s->m.n; i++) reach = fmax(reach, s->m.c[i].scale);
    double *far_end = s->upper ? &s->high : &s->low;
    for (; isfinite(*far_end) && tail_mass(s->m, *far_end, s->upper) > s->q; reach *= 8) *far_end -= sign * reach;
    *far_end = fmax(-DBL_MAX, fmin(DBL_MAX, *far_end));
}

/* Newton's step on log(tail mass) = log q: the logarithm of a normal tail is nearly a parabola, so this arrives in a few
 * steps from far away where Newton on the mass itself would creep. */
static double newton(const search *s, double y, double mass) {
    double slope = exp(cp_mixture_log_density(s->m, y)) / mass;
    double step = log(mass / s->q) / slope;
    return s->upper ? y + step : y - step;
}

/* Newton where it stays inside the bracket and the bracket shrinks, bisection elsewhere (between modes the density is
 * flat zero and Newton knows nothing). */
static double find_tail(search *s) {
    bracket(s);
    double y = fmax(s->low, fmin(s->high, cp_mixture_mean(s->m)));
    if (y == s->low || y == s->high) y = 0.5 * s->low + 0.5 * s->high;
    for (int step = 0; step < 300; step++) {
        double mass = tail_mass(s->m, y, s->upper);
        if (fabs(mass - s->q) <= 1e-13 * s->q) break;
        if ((mass > s->q) == !s->upper)
            s->high = y;
        else
            s->low = y;
        double mid = 0.5 * s->low + 0.5 * s->high;
        if (!(s->low < mid && mid < s->high)) break;
        double next = newton(s, y, mass);
        int trusted = next > s->low && next < s->high && step % 3 != 2;
        y = trusted ? next : mid;
    }
    return y;
}

/* Works in the smaller tail; 1 - q is exact for q >= 1/2. */
double cp_mixture_quantile(cp_mixture m, double q) {
    if (!(q >= 0 && q <= 1)) return NAN;
    if (q == 0) return -INFINITY;
    if (q == 1) return INFINITY;
    search s = {.m = m, .upper = q > 0.5, .q = q > 0.5 ? 1 - q : q};
    return find_tail(&s);
}

/* ----------------------------------------------------------------------------------------------------------- crps */

static int is_gaussian(cp_mixture m) {
    for (size_t i = 0; i < m.n; i++)
        if (!isinf(m.c[i].df)) return 0;
    return 1;
}

/* E|N(gap, sd^2)|. */
static double mean_abs_normal(double gap, double sd) {
    double u = gap / sd;
    return 2 * sd * inv_sqrt_two_pi * exp(-0.5 * u * u) + gap * erf(u * sqrt_half);
}

/* CRPS = E|Y - y| - E|Y - Y'|/2, in closed form for Gaussians (Grimit and others 2006), O(n^2). */
static double crps_of_pairs(cp_mixture m, double y) {
    double near = 0, apart = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *a = &m.c[i];
        near += a->weight * mean_abs_normal(y - a->loc, a->scale);
        double row = 0.5 * a->weight * mean_abs_normal(0, a->scale * (2 * sqrt_half));
        for (size_t j = 0; j < i; j++) {
            const cp_component *b = &m.c[j];
            row += b->weight * mean_abs_normal(a->loc - b->loc, sqrt(a->scale * a->scale + b->scale * b->scale));
        }
        apart += a->weight * row;
    }
    return near - apart;
}

typedef struct crps_task {
    cp_mixture m;
    int upper;            /* the side of y: the integrand is (1 - F)^2 above, F^2 below */
    double edge, stretch; /* outer tails: z = edge -+ stretch (e^u - 1) */
} crps_task;

static void squared_tail(const void *arg, const double *z, size_t n, double *out) {
    const crps_task *t = arg;
    for (size_t k = 0; k < n; k++) {
        double mass = tail_mass(t->m, z[k], t->upper);
        out[k] = mass * mass;
    }
}

static void squared_outer_tail(const void *arg, const double *u, size_t n, double *out) {
    const crps_task *t = arg;
    for (size_t k = 0; k < n; k++) {
        double far_out = t->stretch * expm1(u[k]);
        double mass = tail_mass(t->m, t->upper ? t->edge + far_out : t->edge - far_out, t->upper);
        out[k] = mass * mass * t->stretch * exp(u[k]);
    }
}

static const double quad_rel = 1e-7;

static void accumulate(cp_quad_result *sum, cp_quad_result part) {
    sum->value += part.value;
    sum->error += part.error;
    sum->converged = sum->converged && part.converged;
}

/* One side of y: the part where components have their bodies, then the outer tail of Student components, where F^2
 * falls like |z|^(-2 df): with z exponential in u the integrand falls like exp(-(2 df - 1) u). */
static void crps_side(cp_mixture m, double y, int upper, cp_quad_result *sum) {
    static const double reach = 7;
    crps_task t = {.m = m, .upper = upper};
    double df = INFINITY, end = y;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *c = &m.c[i];
        end = upper ? fmax(end, c->loc + reach * c->scale) : fmin(end, c->loc - reach * c->scale);
        t.stretch = fmax(t.stretch, c->scale);
        df = fmin(df, c->df);
    }
    double breaks[2] = {fmin(y, end), fmax(y, end)};
    accumulate(sum, cp_quad_integrate(squared_tail, &t, breaks, 2, quad_rel));
    if (isinf(df)) return;
    t.edge = end;
    double outer[2] = {0, fmin(600, 45 / (2 * df - 1))};
    accumulate(sum, cp_quad_integrate(squared_outer_tail, &t, outer, 2, quad_rel));
}

/* Pairs cost n^2/2 and are exact; quadrature costs some 60 n where the mixture is smooth.  Where it is not (hundreds of
 * narrow components far apart) quadrature says so, and pairs are the way out. */
double cp_mixture_crps(cp_mixture m, double y) {
    enum { FEW = 256 };
    for (size_t i = 0; i < m.n; i++)
        if (m.c[i].df <= 0.5) return INFINITY;
    int gaussian = is_gaussian(m);
    if (gaussian && m.n <= FEW) return crps_of_pairs(m, y);
    cp_quad_result sum = {.converged = 1};
    crps_side(m, y, 0, &sum);
    crps_side(m, y, 1, &sum);
    return gaussian && !sum.converged ? crps_of_pairs(m, y) : sum.value;
}
