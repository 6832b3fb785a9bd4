/* mixture_quantiles - a few passes over the components, each for all quantiles at once, in place of some eight passes
 * for each quantile:
 *   1. tail masses and densities at points spread over the mixture, in single precision;
 *   2. between them, guesses by interpolation; again in single precision, and Halley's step;
 *   3. in double precision, and Halley's step again.  It is of third order: from a guess that is off by 3e-5 of the
 *      narrowest component it is exact.  A quantile whose step is larger gets another pass.
 * What is left after a few passes is found one by one (cp_mixture_quantile).  Student components take part from two
 * degrees of freedom on: their exact tails cost most of the time, so the rough passes, by Hill's deviate, are repeated
 * until one exact pass is likely to be enough. */
#include "num/mixture_quantiles.h"

#include <math.h>

#include "num/math.h"
#include "num/normal.h"
#include "num/special.h"
#include "num/student.h"

enum { SPREAD = 16, PASSES = 4, FEW = 3, KEPT = 4 };
static const double least_df = 2;

/* As in mixture.c, a quantile is the end of the smaller tail, which has the mass `mass`. */
typedef struct wanted {
    double mass, sign; /* sign: 1 for the lower tail, -1 for the upper one */
    double at;         /* the guess */
    size_t place;      /* in out */
} wanted;

/* Some components in the form that the passes take. */
typedef struct block {
    cp_normal_gaussians g;
    size_t students;
    cp_student student[CP_NORMAL_GAUSSIANS];
} block;

typedef struct scene {
    cp_mixture m;
    double least; /* scale of the narrowest component */
    double mean, sd;
    int students; /* there are some */
    block kept[KEPT];
} scene;

static void fill_block(cp_mixture m, size_t first, block *b) {
    size_t end = first + CP_NORMAL_GAUSSIANS < m.n ? first + CP_NORMAL_GAUSSIANS : m.n;
    b->g.n = b->students = 0;
    for (size_t i = first; i < end; i++) {
        cp_component c = cp_mixture_at(&m, i);
        if (!isinf(c.df)) {
            b->student[b->students++] = cp_student_make(c.loc, c.scale, c.weight, c.df);
            continue;
        }
        b->g.loc[b->g.n] = c.loc;
        b->g.rate[b->g.n] = 1 / c.scale;
        b->g.weight[b->g.n++] = c.weight;
    }
}

static void add_block(const block *b, cp_normal_points *p, int roughly) {
    if (b->g.n) (roughly ? cp_normal_add_roughly : cp_normal_add)(&b->g, p);
    for (size_t i = 0; i < b->students; i++) (roughly ? cp_student_add_roughly : cp_student_add)(&b->student[i], p);
}

static void pass(const scene *s, cp_normal_points *p, int roughly) {
    for (size_t k = 0; k < CP_NORMAL_POINTS; k++) p->mass[k] = p->density[k] = p->slope[k] = 0;
    for (size_t k = p->n; k < CP_NORMAL_POINTS; k++) {
        p->y[k] = p->y[0];
        p->sign[k] = 1;
    }
    size_t first = 0;
    for (size_t k = 0; k < KEPT && first < s->m.n; k++, first += CP_NORMAL_GAUSSIANS)
        add_block(&s->kept[k], p, roughly);
    for (; first < s->m.n; first += CP_NORMAL_GAUSSIANS) {
        block b;
        fill_block(s->m, first, &b);
        add_block(&b, p, roughly);
    }
}

/* --------------------------------------------------------------------------------------------------- first guesses */

/* A normal deviate of a tail: increasing in y whichever tail it is. */
static double deviate(double mass, double sign) {
    return sign * cp_special_normal_quantile(fmin(0.5, fmax(1e-30, mass)));
}

/* Points spread as the deviates of the mixture's mean and sd would have it, from below the least quantile wanted to
 * above the largest. */
static void spread_points(const scene *s, const wanted *w, size_t n, cp_normal_points *p) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double z = deviate(w[i].mass, w[i].sign);
        low = fmin(low, z);
        high = fmax(high, z);
    }
    low -= 0.2;
    high += 0.2;
    p->n = SPREAD;
    for (size_t k = 0; k < SPREAD; k++) {
        double z = low + (high - low) * (double)k / (SPREAD - 1);
        p->y[k] = s->mean + z * s->sd;
        p->sign[k] = 1;
    }
}

/* y as a function of the deviate, which is nearly a straight line: a cubic through two points and their slopes. */
static double between(double z, const double *at, const double *y, const double *slope) {
    double h = at[1] - at[0], t = (z - at[0]) / h, r = 1 - t;
    double a = slope[0] * h, b = slope[1] * h, d = y[1] - y[0];
    if (!(h > 0)) return y[0];
    double cubic = y[0] * r * r * (1 + 2 * t) + y[1] * t * t * (3 - 2 * t) + r * t * (a * r - b * t);
    return a <= 3 * d && b <= 3 * d && t >= 0 && t <= 1 ? cubic : y[0] + t * d; /* the cubic could fall */
}

static void first_guesses(const scene *s, wanted *w, size_t n) {
    cp_normal_points p;
    double z[SPREAD], slope[SPREAD];
    spread_points(s, w, n, &p);
    pass(s, &p, 1);
    for (size_t k = 0; k < SPREAD; k++) {
        double below = fmin(1, p.mass[k]);
        z[k] = below <= 0.5 ? deviate(below, 1) : deviate(1 - below, -1);
        slope[k] = 0.398942280401432677940 * cp_math_exp(-0.5 * z[k] * z[k]) / p.density[k]; /* dy/dz = phi(z) / f(y) */
    }
    for (size_t i = 0; i < n; i++) {
        double to = deviate(w[i].mass, w[i].sign);
        size_t k = 0;
        while (k + 2 < SPREAD && z[k + 1] < to) k++;
        w[i].at = between(to, z + k, p.y + k, slope + k);
        if (!isfinite(w[i].at)) w[i].at = s->mean + to * s->sd;
    }
}

/* ------------------------------------------------------------------------------------------------------------ steps */

static void set_points(const wanted *w, size_t n, cp_normal_points *p) {
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        p->y[i] = w[i].at;
        p->sign[i] = w[i].sign;
    }
}

/* Halley's step from point i: of third order. */
static double halley_step(const wanted *w, const cp_normal_points *p, size_t i) {
    double newton = w->sign * (w->mass - p->mass[i]) / p->density[i];
    return newton / (1 + 0.5 * newton * p->slope[i] / p->density[i]);
}

/* Where the mass is far from the one wanted: Newton's step for the logarithm of the mass, as in mixture.c.  A step that
 * leaves the neighbourhood is not taken. */
static double safe_step(const scene *s, const wanted *w, const cp_normal_points *p, size_t i) {
    double off = p->mass[i] / w->mass, step = -w->sign * cp_math_log(off) * p->mass[i] / p->density[i];
    if (fabs(off - 1) < 0.1) step = halley_step(w, p, i);
    return fabs(step) <= s->sd ? step : 0;
}

/* Returns the largest step. */
static double better_guesses(const scene *s, wanted *w, size_t n) {
    cp_normal_points p;
    double most = 0;
    set_points(w, n, &p);
    pass(s, &p, 1);
    for (size_t i = 0; i < n; i++) {
        double step = safe_step(s, &w[i], &p, i);
        w[i].at += step;
        most = fmax(most, fabs(step));
    }
    return most;
}

/* In scales of the narrowest component: what Halley's step leaves is of the order of the cube. */
static const double near_enough = 3e-5;

/* One pass in double precision.  Writes the quantiles that are exact now and returns how many are left. */
static size_t exact_pass(const scene *s, wanted *w, size_t n, double *out) {
    cp_normal_points p;
    size_t left = 0;
    set_points(w, n, &p);
    pass(s, &p, 0);
    for (size_t i = 0; i < n; i++) {
        double step = halley_step(&w[i], &p, i);
        if (fabs(step) <= near_enough * s->least) {
            out[w[i].place] = w[i].at + step;
            continue;
        }
        w[left] = w[i];
        w[left].at += safe_step(s, &w[i], &p, i);
        left++;
    }
    return left;
}

/* n <= CP_NORMAL_POINTS. */
static void find_some(const scene *s, wanted *w, size_t n, const double *q, double *out) {
    first_guesses(s, w, n);
    double step = better_guesses(s, w, n);
    for (int k = 0; s->students && step > 0.01 * s->least && k < PASSES; k++) step = better_guesses(s, w, n);
    for (int k = 0; k < PASSES && n; k++) n = exact_pass(s, w, n, out);
    for (size_t i = 0; i < n; i++) out[w[i].place] = cp_mixture_quantile(s->m, q[w[i].place]);
}

/* Of a Student with few degrees of freedom, the variance is that of one with three. */
static double variance_of(cp_component c) {
    return c.scale * c.scale * (isinf(c.df) ? 1 : c.df > 3 ? c.df / (c.df - 2) : 3);
}

/* 0 if the quantiles must be found one by one. */
static int set_scene(scene *s) {
    double mean = cp_mixture_mean(s->m), var = 0;
    s->least = INFINITY;
    for (size_t i = 0; i < s->m.n; i++) {
        cp_component c = cp_mixture_at(&s->m, i);
        if (c.df < least_df) return 0;
        s->students |= !isinf(c.df);
        s->least = fmin(s->least, c.scale);
        var += c.weight * (variance_of(c) + (c.loc - mean) * (c.loc - mean));
    }
    s->mean = mean;
    s->sd = sqrt(s->students ? var : cp_mixture_var(s->m));
    for (size_t k = 0, first = 0; k < KEPT && first < s->m.n; k++, first += CP_NORMAL_GAUSSIANS)
        fill_block(s->m, first, &s->kept[k]);
    return isfinite(s->sd);
}

/* Where the smaller tail has less mass than this, single precision is of no use. */
static const double least_mass = 1e-25;

void cp_mixture_quantiles(cp_mixture m, const double *q, size_t n, double *out) {
    scene s;
    wanted w[CP_NORMAL_POINTS];
    size_t have = 0;
    s.m = m;
    s.students = 0;
    int together = n >= FEW && set_scene(&s);
    for (size_t i = 0; i < n; i++) {
        double mass = q[i] > 0.5 ? 1 - q[i] : q[i];
        if (!together || !(mass >= least_mass)) {
            out[i] = cp_mixture_quantile(m, q[i]);
            continue;
        }
        w[have++] = (wanted){.mass = mass, .sign = q[i] > 0.5 ? -1 : 1, .place = i};
        if (have < CP_NORMAL_POINTS) continue;
        find_some(&s, w, have, q, out);
        have = 0;
    }
    if (have) find_some(&s, w, have, q, out);
}
