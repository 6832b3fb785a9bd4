/* mixture - moments, cdf, density, quantiles and draws of a mixture. */
#include "num/mixture.h"

#include <float.h>
#include <math.h>

#include "num/dens.h"
#include "num/draw.h"
#include "num/math.h"
#include "num/normal.h"
#include "num/special.h"

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
        cp_component c = cp_mixture_at(&m, i);
        if (!(c.weight > 0 && isfinite(c.loc) && c.scale > 0 && isfinite(c.scale) && c.df > 0)) return 0;
        total += c.weight;
    }
    return m.n >= 1 && fabs(total - 1) <= 1e-9;
}

/* Sums differences from the first location: with y around 1e9 and noise around 1 their digits are kept. */
double cp_mixture_mean(cp_mixture m) {
    double sum = 0, base = cp_mixture_at(&m, 0).loc;
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        sum += c.weight * (c.loc - base);
    }
    return base + sum;
}

double cp_mixture_var(cp_mixture m) {
    double sum = 0, mean = cp_mixture_mean(m);
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        if (c.df <= 2) return INFINITY;
        double inflation = isinf(c.df) ? 1 : c.df / (c.df - 2), gap = c.loc - mean;
        sum += c.weight * (c.scale * c.scale * inflation + gap * gap);
    }
    return sum;
}

double cp_mixture_draw(cp_mixture m, cp_rng *rng) {
    double left = cp_rng_unit(rng);
    size_t i = 0;
    cp_component c = cp_mixture_at(&m, 0);
    while (i + 1 < m.n && left >= c.weight) {
        left -= c.weight;
        c = cp_mixture_at(&m, ++i);
    }
    return c.loc + c.scale * cp_draw_student(rng, c.df);
}

/* ------------------------------------------------------------------------------------------------ cdf and density */

/* The mass of one tail, and the density at its end. */
typedef struct tail {
    double mass, density;
} tail;

enum { CHUNK = 64 };

/* Replaces the normal values of Student components by their own. */
static void correct_students(const cp_component *c, size_t n, const double *z, double *cdf, double *opt_pdf) {
    for (size_t k = 0; k < n; k++) {
        if (isinf(c[k].df)) continue;
        cdf[k] = cp_dens_student_cdf(z[k], c[k].df);
        if (opt_pdf) opt_pdf[k] = cp_math_exp(cp_dens_student_log(z[k], c[k].df));
    }
}

enum { UPPER = 1, WITH_DENSITY = 2 };

/* P(Y <= y), or P(Y > y) for UPPER.  Each is a sum of its own small terms, so both tails have small relative error.
 * Without WITH_DENSITY the density of Student components is wrong. */
static tail tail_at(cp_mixture m, double y, int what) {
    double z[CHUNK], cdf[CHUNK], pdf[CHUNK], sign = what & UPPER ? -1 : 1;
    tail sum = {0};
    for (size_t first = 0; first < m.n; first += CHUNK) {
        cp_component c[CHUNK];
        size_t n = m.n - first < CHUNK ? m.n - first : CHUNK;
        int students = 0;
        for (size_t k = 0; k < n; k++) {
            c[k] = cp_mixture_at(&m, first + k);
            z[k] = sign * (y - c[k].loc) / c[k].scale;
            students |= !isinf(c[k].df);
        }
        cp_normal_many(z, n, cdf, pdf);
        if (students) correct_students(c, n, z, cdf, what & WITH_DENSITY ? pdf : NULL);
        for (size_t k = 0; k < n; k++) {
            sum.mass += c[k].weight * cdf[k];
            sum.density += c[k].weight / c[k].scale * pdf[k];
        }
    }
    sum.mass = fmin(1, sum.mass);
    return sum;
}

double cp_mixture_cdf(cp_mixture m, double y) {
    return tail_at(m, y, 0).mass;
}

double cp_mixture_upper(cp_mixture m, double y) {
    return tail_at(m, y, UPPER).mass;
}

/* log sum exp over the components, CHUNK at a time; term[0] holds the sum of the chunks before. */
static double far_log_density(cp_mixture m, double y) {
    double term[CHUNK] = {-INFINITY};
    size_t n = 1;
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        term[n++] = cp_math_log(c.weight / c.scale) + cp_dens_student_log((y - c.loc) / c.scale, c.df);
        if (n < CHUNK) continue;
        term[0] = cp_special_log_sum_exp(term, n);
        n = 1;
    }
    return cp_special_log_sum_exp(term, n);
}

/* Logarithms of single components are needed only where the density would underflow. */
double cp_mixture_log_density(cp_mixture m, double y) {
    double density = tail_at(m, y, WITH_DENSITY).density;
    return density > 1e-200 && density < INFINITY ? cp_math_log(density) : far_log_density(m, y);
}

/* ------------------------------------------------------------------------------------------------------ quantiles */

/* The search for the end of a tail of mass q <= 1/2. */
typedef struct search {
    cp_mixture m;
    int upper;
    double q;
    double low, high; /* the end lies in between */
} search;

/* The quantile of a mixture lies between the smallest and the largest quantile of its components.  The quantiles of
 * Gaussians are known.  Those of Student components are farther out, and steps that grow eightfold pass them. */
static void bracket(search *s) {
    double z = cp_special_normal_quantile(s->q), sign = s->upper ? -1 : 1, df = INFINITY, reach = 0;
    s->low = INFINITY;
    s->high = -INFINITY;
    for (size_t i = 0; i < s->m.n; i++) {
        cp_component c = cp_mixture_at(&s->m, i);
        double at = c.loc + sign * z * c.scale;
        s->low = fmin(s->low, at);
        s->high = fmax(s->high, at);
        df = fmin(df, c.df);
        reach = fmax(reach, c.scale);
    }
    if (isinf(df)) return;
    double *far_end = s->upper ? &s->high : &s->low;
    for (; isfinite(*far_end) && tail_at(s->m, *far_end, s->upper ? UPPER : 0).mass > s->q; reach *= 8)
        *far_end -= sign * reach;
    *far_end = fmax(-DBL_MAX, fmin(DBL_MAX, *far_end));
}

/* Newton's step for log(mass) = log q.  The logarithm of a normal tail is nearly a parabola, so a few steps are enough
 * even from far away, where Newton's method for the mass itself is slow. */
static double newton_step(const search *s, tail t) {
    double step = cp_math_log(t.mass / s->q) * t.mass / t.density;
    return s->upper ? step : -step;
}

/* Newton's method as long as it stays inside the bracket and each step is at most half of the last but one; else
 * bisection, for instance between modes, where the density is zero.  So two steps halve either the step or the
 * bracket. */
static double find_end(search *s) {
    bracket(s);
    double spread = sqrt(cp_mixture_var(s->m)), z = cp_special_normal_quantile(s->q);
    double y = cp_mixture_mean(s->m) + (s->upper ? -z : z) * spread;
    if (!(y > s->low && y < s->high)) y = 0.5 * s->low + 0.5 * s->high;
    double last = INFINITY, last_but_one = INFINITY;
    for (int round = 0; round < 300; round++) {
        tail t = tail_at(s->m, y, (s->upper ? UPPER : 0) | WITH_DENSITY);
        if (fabs(t.mass - s->q) <= 1e-13 * s->q) break;
        if ((t.mass > s->q) == !s->upper)
            s->high = y;
        else
            s->low = y;
        double mid = 0.5 * s->low + 0.5 * s->high;
        if (!(s->low < mid && mid < s->high)) break;
        double step = newton_step(s, t);
        if (!(y + step > s->low && y + step < s->high && fabs(step) <= 0.5 * last_but_one)) step = mid - y;
        last_but_one = last;
        last = fabs(step);
        y += step;
    }
    return y;
}

/* Searches in the smaller tail; 1 - q is exact for q >= 1/2. */
double cp_mixture_quantile(cp_mixture m, double q) {
    if (!(q >= 0 && q <= 1)) return NAN;
    if (q == 0) return -INFINITY;
    if (q == 1) return INFINITY;
    search s = {.m = m, .upper = q > 0.5, .q = q > 0.5 ? 1 - q : q};
    return find_end(&s);
}
