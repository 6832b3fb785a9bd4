/* dens - cdfs and log densities by the functions of special.h. */
#include "num/dens.h"

#include <math.h>

#include "num/math.h"
#include "num/special.h"

static const double half_log_two_pi = 0.918938533204672741780;
static const double half_log_pi = 0.572364942924700087072;

double cp_dens_exp_cdf(double x) {
    return x <= 0 ? 0 : -cp_math_expm1(-x);
}

double cp_dens_normal_log(double x) {
    return -0.5 * x * x - half_log_two_pi;
}

double cp_dens_normal_cdf(double x) {
    return cp_special_normal_cdf(x);
}

double cp_dens_gamma_cdf(double x, double shape) {
    return x <= 0 ? 0 : cp_special_gamma_lower(shape, x);
}

/* log(1 + x^2 / df) without overflow. */
static double log1p_square(double x, double df) {
    double u = x / sqrt(df);
    return fabs(u) < 1e100 ? cp_math_log1p(u * u) : 2 * cp_math_log(fabs(u));
}

double cp_dens_student_log(double x, double df) {
    if (isinf(df)) return cp_dens_normal_log(x);
    double norm = cp_special_log_gamma_half(0.5 * df) - 0.5 * cp_math_log(df) - half_log_pi;
    return norm - 0.5 * (df + 1) * log1p_square(x, df);
}

/* Hill's expansion (CACM algorithm 395, 1970). */
double cp_dens_student_deviate(double x, double df) {
    double a = df - 0.5, b = 48 * a * a, y = a * log1p_square(x, df);
    double inner = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b);
    return copysign(((inner + y + 3) / b + 1) * sqrt(y), x);
}

/* P(T < -|x|).  From df = `many` on the deviate is exact but for rounding.  Below, P(T < -|x|) = I_{df/(df+x^2)}(df/2,
 * 1/2) / 2. */
static double lower_student_tail(double x, double df) {
    static const double many = 1e4;
    if (df >= many) return cp_special_normal_cdf(-fabs(cp_dens_student_deviate(x, df)));
    double u = x / sqrt(df), square = u * u;
    double near_part = isinf(square) ? 0 : 1 / (1 + square);
    if (near_part < 1e-200)
        return 0.5 * cp_math_exp(-df * cp_math_log(fabs(u)) + cp_special_log_gamma_half(0.5 * df) - half_log_pi -
                                 cp_math_log(0.5 * df));
    return 0.5 * cp_special_beta_lower(0.5 * df, 0.5, near_part, square / (1 + square));
}

double cp_dens_student_cdf(double x, double df) {
    if (isinf(df)) return cp_special_normal_cdf(x);
    double tail = lower_student_tail(x, df);
    return x < 0 ? tail : 1 - tail;
}
