/* stat - moments that grow with the data, and quantiles of an array. */
#ifndef CP_STAT_H
#define CP_STAT_H

#include <stddef.h>

/* Weighted count, mean and sum of squares about the mean; all zeros is the empty sample.  A weight of 0 adds nothing. */
typedef struct cp_stat {
    double weight, mean, squares;
} cp_stat;

void cp_stat_add(cp_stat *s, double x, double weight);
/* s becomes the sample of both. */
void cp_stat_merge(cp_stat *s, const cp_stat *other);
/* Divided by the weight: 0 for one point, NaN for none. */
double cp_stat_var(const cp_stat *s);

/* The q-quantile, 0 <= q <= 1, by linear interpolation between order statistics (R's type 7); NaN if n is 0.
 * Rearranges v and allocates nothing; v holds no NaN. */
double cp_stat_quantile(double *v, size_t n, double q);
double cp_stat_median(double *v, size_t n);

#endif
