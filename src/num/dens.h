/* dens - cdfs of the distributions of draw.h, and some log densities, in the same standard forms (rate 1, or location 0
 * and scale 1).  For symmetric distributions the upper tail at x is the cdf at -x. */
#ifndef CP_DENS_H
#define CP_DENS_H

double cp_dens_exp_cdf(double x);

double cp_dens_normal_log(double x);
double cp_dens_normal_cdf(double x);

double cp_dens_gamma_cdf(double x, double shape);

/* df = INFINITY is the normal. */
double cp_dens_student_log(double x, double df);
double cp_dens_student_cdf(double x, double df);
/* The z with Phi(z) = Student's cdf at x, for finite df.  Approximate: the error of the cdf is below 1e-10 from df = 16
 * on and below 2e-12 from df = 30 on.  The relative error of a tail grows with its distance. */
double cp_dens_student_deviate(double x, double df);

#endif
