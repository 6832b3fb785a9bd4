/* normal - the standard normal cdf and density at many points at once: the inner loop of every mixture.
 *
 * No branches and no calls, so the compiler makes vector code of it, several times faster than erfc and exp. */
#ifndef CP_NORMAL_H
#define CP_NORMAL_H

#include <stddef.h>

/* Phi and phi at x[0] ... x[n-1], each with a relative error below 1e-13 where |x| < 37.5; beyond that the tail and
 * the density, both below 1e-300, are 0.  The arrays do not overlap. */
void cp_normal_many(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf);

/* One instruction set's version, NULL if this processor lacks it: for tests. */
typedef enum cp_normal_tier { CP_NORMAL_PLAIN, CP_NORMAL_AVX2 } cp_normal_tier;
typedef void (*cp_normal_fn)(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf);
cp_normal_fn cp_normal_find(cp_normal_tier tier);

#endif
