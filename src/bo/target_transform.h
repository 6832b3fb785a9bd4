/* target_transform - what the forest is taught of a value: half how good it is, half how few are better.
 *
 * Values alone would make the last steps of a climb too small to see; ranks alone make every step seem as large as the
 * first, and the search never leaves the hill it is on.  Larger is better, here as in all of bo. */
#ifndef CP_TARGET_TRANSFORM_H
#define CP_TARGET_TRANSFORM_H

#include "base/fail.h"

typedef struct cp_target_transform {
    size_t n;
    double *worth; /* those it goes by, ascending */
} cp_target_transform;

enum { CP_TARGET_TRANSFORM_MIN = 0 }; /* no value has a smaller transformed target */

/* Takes the array, which is sorted in place and freed with it. */
void cp_target_transform_fit(cp_target_transform *l, double *worth, size_t n);
void cp_target_transform_clear(cp_target_transform *l);
/* In [0,1], and 1 for the best of those it goes by if no other is as good; more for a value that is better still.  It
 * never falls as the worth grows.  There is at least one to go by. */
double cp_target_transform_apply(const cp_target_transform *l, double worth);

#endif
