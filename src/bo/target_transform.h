/* target_transform - the target that the surrogate learns for a value: half its size, half its rank.
 *
 * Values alone would make the last steps towards an optimum too small to see.  Ranks alone would make every step seem
 * as large as the first, and the search would never leave its local optimum. */
#ifndef CP_TARGET_TRANSFORM_H
#define CP_TARGET_TRANSFORM_H

#include "base/fail.h"

typedef struct cp_target_transform {
    size_t n;
    double *objective; /* the values it was fitted to, ascending; larger is better */
} cp_target_transform;

enum { CP_TARGET_TRANSFORM_MIN = 0 }; /* the smallest transformed target */

/* Takes over the array: sorts it in place, and frees it in cp_target_transform_clear. */
void cp_target_transform_fit(cp_target_transform *t, double *objective, size_t n);
void cp_target_transform_clear(cp_target_transform *t);
/* In [0,1] for the values it was fitted to, and 1 for the best of them if no other is as good; above 1 for a still
 * better value.  It never falls as the objective rises.  It must have been fitted to at least one value. */
double cp_target_transform_apply(const cp_target_transform *t, double objective);

#endif
