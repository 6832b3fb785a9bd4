/* ard_scales - automatic relevance determination: how much each dimension matters, estimated from the values.
 *
 * Mondrian trees cut a dimension in proportion to its length, whatever the values are.  So a dimension that matters is
 * stretched before the trees see it.  If dimension d is stretched by a_d, the mean of many trees is that of a Gaussian
 * process with the covariance
 *
 *     exp(- sum over dimensions d of a_d |u_d - v_d|)                      [Balog et al. 2016, The Mondrian kernel]
 *
 * So the a_d are chosen to maximise the log posterior of this process, under a prior that they are alike:
 *
 *     log p(y | a) - sum of (log a_d - their mean)^2 / 2 -> max.
 *
 * The mean and the variance of the process are the best ones for a; the noise variance is a hundredth of the process
 * variance.  The maximum is searched for by coordinate ascent in log a.  The result is normalised so that the log a_d
 * have mean 0: only their ratios change a tree. */
#ifndef CP_ARD_SCALES_H
#define CP_ARD_SCALES_H

#include "bo/space.h"

enum {
    CP_ARD_SCALES_VALUES = 64, /* at most: the time grows with their cube */
    CP_ARD_SCALES_DIMS = 64    /* spaces of more dimensions keep scale 1: so few values cannot tell them apart */
};

/* The factor of each column, from n <= CP_ARD_SCALES_VALUES points (encoded columns u) and their values. */
copse_status cp_ard_scales_fit(const cp_space *s, const float *u, const double *y, size_t n, float *out,
                               copse_error *err);

/* For tests.  The distances between all pairs i > j of points: dimension by dimension, n (n - 1) / 2 of each. */
void cp_ard_scales_distances(const cp_space *s, const float *u, size_t n, double *out);
/* For tests.  log p(y | a) up to a constant; work has room for n (n + 2). */
double cp_ard_scales_evidence(const double *distance, const double *y, size_t n, const double *log_a, size_t dims,
                              double *work);

#endif
