/* normal - the standard normal cdf and density at many points at once: the inner loop of all mixtures.
 *
 * The code has no branches and no calls, so the compiler vectorises it.  It is several times faster than erfc and
 * exp. */
#ifndef CP_NORMAL_H
#define CP_NORMAL_H

#include <stddef.h>

#include "kernel/tier.h"

/* Phi(x) with a relative error below 1e-14, also in the lower tail as far as doubles reach. */
double cp_normal_cdf(double x);

/* Phi and phi at x[0] ... x[n-1], each with a relative error below 1e-13 where |x| < 37.5; beyond that the tail and
 * the density, both below 1e-300, are 0.  The arrays do not overlap. */
void cp_normal_many(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf);

/* The version of one tier, NULL if this processor cannot run it: for tests. */
typedef void (*cp_normal_fn)(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf);
cp_normal_fn cp_normal_find(cp_tier tier);

/* exp(-a[i]) for 0 <= a[i], with a relative error below 1e-15 + 1e-16 a[i]; 0 where a[i] > 708. */
void cp_normal_exp_minus(const double *restrict a, size_t n, double *restrict out);

/* Gaussians of a mixture, and points: for each point k it adds up, over the Gaussians,
 *     mass     weight Phi(sign z),  z = (y - loc) / scale: the tail below y (sign 1) or above y (sign -1)
 *     density  weight / scale phi(z)
 *     slope    the derivative of the density. */
enum { CP_NORMAL_GAUSSIANS = 64, CP_NORMAL_POINTS = 32 };
typedef struct cp_normal_gaussians {
    size_t n; /* <= CP_NORMAL_GAUSSIANS */
    double loc[CP_NORMAL_GAUSSIANS], rate[CP_NORMAL_GAUSSIANS], weight[CP_NORMAL_GAUSSIANS]; /* rate: 1 / scale */
} cp_normal_gaussians;
typedef struct cp_normal_points {
    size_t n; /* <= CP_NORMAL_POINTS; the arrays are used up to the next multiple of 8, so all of them hold numbers */
    double y[CP_NORMAL_POINTS], sign[CP_NORMAL_POINTS];
    double mass[CP_NORMAL_POINTS], density[CP_NORMAL_POINTS], slope[CP_NORMAL_POINTS];
} cp_normal_points;
typedef void (*cp_normal_add_fn)(const cp_normal_gaussians *g, cp_normal_points *p);
/* The version of one tier, NULL if this processor cannot run it: for tests. */
cp_normal_add_fn cp_normal_find_add(cp_tier tier, int roughly);
/* To the accuracy of cp_normal_many. */
void cp_normal_add(const cp_normal_gaussians *g, cp_normal_points *p);
/* The same in single precision, with an error of 1e-6 in all: for a first guess. */
void cp_normal_add_roughly(const cp_normal_gaussians *g, cp_normal_points *p);

#endif
