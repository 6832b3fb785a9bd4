/* ard_scales - how much each dimension matters, by the values.
 *
 * Mondrian trees cut a dimension as often as it is long, whatever the values say.  So a dimension that matters is made
 * longer before they see it.  The mean of many trees is that of a Gaussian process with the covariance
 *
 *     exp(- sum over dimensions d of a_d |u_d - v_d|)                      [Balog et al. 2016, The Mondrian kernel]
 *
 * if dimension d is stretched by a_d, and so the a are those that this process finds most plausible, a priori alike:
 *
 *     log p(y | a) - sum of (log a_d - their mean)^2 / 2 -> max,
 *
 * mean and variance of the process being the best for a, and the noise a hundredth of its variance.  It is searched for
 * by coordinates; a mean of logarithms that is 0 is given to what was found: only ratios change a tree. */
#ifndef CP_ARD_SCALES_H
#define CP_ARD_SCALES_H

#include "bo/space.h"

enum {
    CP_ARD_SCALES_VALUES = 64, /* at most: their cube is the work */
    CP_ARD_SCALES_DIMS = 64    /* spaces of more are left as they are: so few values cannot tell them apart */
};

/* The factor of each column, from n <= CP_ARD_SCALES_VALUES points (columns u) and their values. */
copse_status cp_ard_scales_fit(const cp_space *s, const float *u, const double *y, size_t n, float *out,
                               copse_error *err);

/* For tests: the gaps between all pairs i > j of points in each dimension, n (n - 1) / 2 of them one after the other;
 * and log p(y | a), up to a constant; work is of n (n + 2). */
void cp_ard_scales_gaps(const cp_space *s, const float *u, size_t n, double *out);
double cp_ard_scales_evidence(const double *gap, const double *y, size_t n, const double *log_a, size_t dims,
                              double *work);

#endif
