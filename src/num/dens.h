/* dens - log densities and cdfs of what draw.h draws, in the same standard forms (rate 1, or location 0 and scale 1).
 *
 * Outside the support the log density is -INFINITY and the cdf is 0 or 1.  Symmetric laws have their upper tail at -x.
 */
#ifndef CP_DENS_H
#define CP_DENS_H

double cp_dens_exp_log(double x);
double cp_dens_exp_cdf(double x);

/* The exponential of rate 1 given that it is below `limit` (> 0, may be INFINITY).  For rate r and bound t, ask at r x
 * with limit r t. */
double cp_dens_exp_below_log(double x, double limit);
double cp_dens_exp_below_cdf(double x, double limit);
double cp_dens_exp_below_quantile(double q, double limit);

double cp_dens_normal_log(double x);
double cp_dens_normal_cdf(double x);

double cp_dens_gamma_log(double x, double shape);
double cp_dens_gamma_cdf(double x, double shape);

/* df = INFINITY is the normal. */
double cp_dens_student_log(double x, double df);
double cp_dens_student_cdf(double x, double df);

#endif
