/* holdout - rows that a fit keeps apart, to measure itself on.
 *
 * A keyed hash of a row's encoded x decides.  So rows of equal x stay together: a held-out row has no copy among the
 * rows that are fitted, and a row of weight 2 goes the way of two equal rows. */
#ifndef CP_HOLDOUT_H
#define CP_HOLDOUT_H

#include <stddef.h>
#include <stdint.h>

/* A number in [0, 1) that rows of equal x share, uniform over distinct rows.  -0 equals 0, and all NaN are equal. */
double cp_holdout_place(const float *x, size_t dims, uint64_t seed);
/* Is the row held out, if about this share of all distinct rows is?  It is if its place is below the share. */
int cp_holdout_has(const float *x, size_t dims, uint64_t seed, double share);

#endif
