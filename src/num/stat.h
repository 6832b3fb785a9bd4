/* stat - the median of an array. */
#ifndef CP_STAT_H
#define CP_STAT_H

#include <stddef.h>

/* The middle value, or the mean of the middle two; NaN if n is 0.  v must hold no NaN, and is rearranged. */
double cp_stat_median(double *v, size_t n);

#endif
