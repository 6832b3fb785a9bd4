/* mixture - the predictive distribution of regression: sum_i w_i t(loc_i, scale_i, df_i); df = INFINITY is Gaussian.
 *
 * Every method predicts one, and every number that a user sees (mean, interval, density, CRPS ...) is computed from it
 * here, in the same way for all methods.
 *
 * Invariants, checked by cp_mixture_check:
 *   M1  n >= 1; weights are > 0 and sum to 1 within 1e-9.
 *   M2  scales are finite and > 0 (the methods' variance floor ensures it); locations are finite; df > 0. */
#ifndef CP_MIXTURE_H
#define CP_MIXTURE_H

#include <math.h>
#include <stddef.h>

#include "num/rng.h"

typedef struct cp_component {
    double weight, loc, scale, df;
} cp_component;

/* A Gaussian in the units of its forest (cp_mixture.centre and unit). */
typedef struct cp_gauss {
    float mean, sd;
} cp_gauss;

/* A borrowed view of the components of one row.  Either c lists them; or c is NULL and they are Gaussians of equal
 * weight, in a quarter of the memory: component i is g[i * stride], with mean centre + unit * mean and standard
 * deviation unit * sd. */
typedef struct cp_mixture {
    const cp_component *c;
    size_t n;
    const cp_gauss *g;
    size_t stride;
    double centre, unit;
} cp_mixture;

static inline cp_component cp_mixture_at(const cp_mixture *m, size_t i) {
    if (m->c) return m->c[i];
    cp_gauss g = m->g[i * m->stride];
    return (cp_component){1 / (double)m->n, m->centre + m->unit * (double)g.mean, m->unit * (double)g.sd, INFINITY};
}

/* Drops components of weight below 1e-12 of the total, normalises the others in place, and returns their number. */
size_t cp_mixture_tidy(cp_component *c, size_t n);
int cp_mixture_check(cp_mixture m);

double cp_mixture_mean(cp_mixture m);
double cp_mixture_var(cp_mixture m); /* INFINITY if a df <= 2 */
double cp_mixture_cdf(cp_mixture m, double y);
double cp_mixture_upper(cp_mixture m, double y); /* 1 - cdf, with small relative error where it is small */
double cp_mixture_log_density(cp_mixture m, double y);
double cp_mixture_quantile(cp_mixture m, double q); /* |F(result) - q| <= 1e-10, or as near as doubles allow */
double cp_mixture_draw(cp_mixture m, cp_rng *rng);

#endif
