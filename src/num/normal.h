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

#endif
