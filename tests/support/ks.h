/* ks - do draws follow a law?  Kolmogorov's distance against the bound of Dvoretzky, Kiefer and Wolfowitz with
 * Massart's constant: a right sampler fails one assertion with probability at most ALPHA, whatever the seed, and ties
 * only make it less.  Two samples: n draws each, n >= 458. */
#ifndef KS_H
#define KS_H

#include "check.h"

#define ALPHA 1e-6

static inline int ks_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Largest distance between the empirical cdf of v (sorted in place) and cdf(value, arg). */
static inline double ks_one(double *v, size_t n, double (*cdf)(double, const void *), const void *arg) {
    double most = 0;
    qsort(v, n, sizeof *v, ks_order);
    for (size_t i = 0; i < n; i++) {
        double f = cdf(v[i], arg);
        most = fmax(most, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return most;
}

static inline double ks_two(double *a, double *b, size_t n) {
    double most = 0;
    size_t i = 0, j = 0;
    qsort(a, n, sizeof *a, ks_order);
    qsort(b, n, sizeof *b, ks_order);
    while (i < n && j < n) {
        double at = fmin(a[i], b[j]);
        while (i < n && a[i] <= at) i++;
        while (j < n && b[j] <= at) j++;
        most = fmax(most, fabs((double)i - (double)j) / (double)n);
    }
    return most;
}

static inline double ks_bound_one(size_t n) {
    return sqrt(log(2 / ALPHA) / (2 * (double)n));
}

static inline double ks_bound_two(size_t n) {
    return sqrt(log(2 / ALPHA) / (double)n);
}

/* |share - p| of n independent trials, by Hoeffding at the same ALPHA. */
static inline double share_bound(size_t n) {
    return sqrt(log(2 / ALPHA) / (2 * (double)n));
}

#endif
