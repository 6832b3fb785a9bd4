/* holdout - rows that a fit keeps apart, to measure itself on.
 *
 * A keyed hash of a row's encoded x decides.  So rows of equal x stay together: a held-out row has no copy among the
 * rows that are fitted, and a row of weight 2 goes the way of two equal rows. */
#ifndef CP_HOLDOUT_H
#define CP_HOLDOUT_H

#include <stddef.h>
#include <stdint.h>

/* The keyed hash of a row: a random order of the rows, in which rows of equal x are equal.  -0 equals 0, and all NaN
 * are equal. */
uint64_t cp_holdout_hash(const float *x, size_t dims, uint64_t seed);
/* A bijection of 64-bit words that scatters them, to hash what belongs to a row as well. */
uint64_t cp_holdout_mix(uint64_t h);
/* Is the row held out, if about this share of all distinct rows is? */
int cp_holdout_has(const float *x, size_t dims, uint64_t seed, double share);

#endif
