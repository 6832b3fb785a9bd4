/* special - the special functions behind densities and cdfs, with small relative error in the tails.
 *
 * Arguments outside a function's domain give NaN; nothing here can fail otherwise. */
#ifndef CP_SPECIAL_H
#define CP_SPECIAL_H

#include <stddef.h>

/* log(sum_i exp(v_i)) without overflow; -INFINITY for n = 0 or if all v are. */
double cp_special_log_sum_exp(const double *v, size_t n);

/* Phi(x); the upper tail is Phi(-x).  Relative error below 3e-13 down to the smallest normal double. */
double cp_special_normal_cdf(double x);
/* Phi^-1(p) for 0 < p < 1, -INFINITY at 0, INFINITY at 1. */
double cp_special_normal_quantile(double p);

/* log Gamma(x), x > 0.  Unlike lgamma it writes to no global. */
double cp_special_log_gamma(double x);
/* log Gamma(x + 1/2) - log Gamma(x), x > 0, without the cancellation of the two for large x. */
double cp_special_log_gamma_half(double x);
/* Regularized lower incomplete gamma function P(a, x), a > 0, x >= 0. */
double cp_special_gamma_lower(double a, double x);
/* Regularized incomplete beta function I_x(a, b), a and b > 0.  The caller passes both x and 1 - x, so that
 * neither loses digits here. */
double cp_special_beta_lower(double a, double b, double x, double one_minus_x);

#endif
