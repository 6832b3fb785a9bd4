/* dens - cdfs of what draw.h draws, and the log densities that are needed, in the same standard forms (rate 1, or
 * location 0 and scale 1).  Symmetric laws have their upper tail at -x. */
#ifndef CP_DENS_H
#define CP_DENS_H

double cp_dens_exp_cdf(double x);

double cp_dens_normal_log(double x);
double cp_dens_normal_cdf(double x);

double cp_dens_gamma_cdf(double x, double shape);

/* df = INFINITY is the normal. */
double cp_dens_student_log(double x, double df);
double cp_dens_student_cdf(double x, double df);
/* The z with Phi(z) = Student's cdf at x, df finite.  Approximate: the cdf is off by less than 1e-10 from df = 16 on
 * and less than 2e-12 from 30 on, its tails by a growing share of themselves. */
double cp_dens_student_deviate(double x, double df);

#endif
