/* student - Student's distribution at many points at once, for quantiles of mixtures.
 *
 * Densities and rough masses have no branches, so the compiler vectorises them; the exact mass is that of
 * cp_dens_student_cdf, point by point. */
#ifndef CP_STUDENT_H
#define CP_STUDENT_H

#include "num/normal.h"

/* A component of a mixture; 2 <= df, finite. */
typedef struct cp_student {
    double loc, rate, weight, df; /* rate: 1 / scale */
    double log_norm;              /* of the density at 0 in scales */
} cp_student;

cp_student cp_student_make(double loc, double scale, double weight, double df);

/* Adds to the masses, densities and slopes of the points, as cp_normal_add does for Gaussians. */
void cp_student_add(const cp_student *c, cp_normal_points *p);
/* The same with masses by Hill's deviate, whose error is below 1e-10 from df = 16 on and some 1e-4 at df = 3. */
void cp_student_add_roughly(const cp_student *c, cp_normal_points *p);

/* The part of both that is vectorised, of one tier, NULL if this processor cannot run it: for tests.  At z, in scales:
 * log(1 + z^2 / df), the deviate and the derivative of the density's logarithm. */
typedef struct cp_student_points {
    double z[CP_NORMAL_POINTS];
    double log_ratio[CP_NORMAL_POINTS], deviate[CP_NORMAL_POINTS], slope[CP_NORMAL_POINTS];
} cp_student_points;
typedef void (*cp_student_fn)(double df, size_t n, cp_student_points *p);
cp_student_fn cp_student_find(cp_tier tier);

#endif
