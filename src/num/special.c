/* special - series, continued fractions and asymptotic expansions. */
#include "num/special.h"

#include <float.h>
#include <math.h>

#include "num/math.h"
#include "num/normal.h"

static const double half_log_two_pi = 0.918938533204672741780;
static const double sqrt_two_pi = 2.506628274631000502416;

/* A series or continued fraction stops after this many terms even if it has not converged.  No argument whose result
 * differs from 0 and 1 reaches it; see the tests of shape 1e8. */
enum { MAX_TERMS = 200000 };

double cp_special_log_sum_exp(const double *v, size_t n) {
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) top = fmax(top, v[i]);
    if (isinf(top)) return top;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += cp_math_exp(v[i] - top);
    return top + cp_math_log(sum);
}

double cp_special_normal_cdf(double x) {
    return cp_normal_cdf(x);
}

/* One step of Halley's method on Phi(x) = p, in the lower half where Phi has small relative error. */
static double polish_normal_quantile(double x, double p) {
    double step = (cp_special_normal_cdf(x) - p) * sqrt_two_pi * cp_math_exp(0.5 * x * x);
    return x - step / (1 + 0.5 * x * step);
}

/* Start: Hastings' rational function of t = sqrt(-2 log p), good to 4.5e-4 (Abramowitz and Stegun 26.2.23).  Each
 * Halley step cubes the error, so two reach the last bits. */
static double lower_normal_quantile(double p) {
    double t = sqrt(-2 * cp_math_log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    return polish_normal_quantile(polish_normal_quantile(x, p), p);
}

double cp_special_normal_quantile(double p) {
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0) return -INFINITY;
    if (p == 1) return INFINITY;
    return p <= 0.5 ? lower_normal_quantile(p) : -lower_normal_quantile(1 - p);
}

/* The remainder of Stirling's formula: log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2, for x >= 10.  Coefficients
 * B_2k / (2k (2k-1)); the first term left out is below 1e-16 at x = 10. */
static double stirling_rest(double x) {
    double r = 1 / (x * x);
    double s = 1.0 / 12 +
               r * (-1.0 / 360 +
                    r * (1.0 / 1260 + r * (-1.0 / 1680 + r * (1.0 / 1188 + r * (-691.0 / 360360 + r * (1.0 / 156))))));
    return s / x;
}

double cp_special_log_gamma(double x) {
    if (!(x > 0)) return NAN;
    double product = 1;
    for (; x < 10; x++) product *= x;
    return (x - 0.5) * cp_math_log(x) - x + half_log_two_pi + stirling_rest(x) - cp_math_log(product);
}

/* Raises x to 10 by Gamma(x + 1/2) / Gamma(x) = Gamma(x + 3/2) / Gamma(x + 1) * x / (x + 1/2), then the difference of
 * the two Stirling formulas, whose large terms cancel on paper. */
double cp_special_log_gamma_half(double x) {
    if (!(x > 0)) return NAN;
    double product = 1;
    for (; x < 10; x++) product *= x / (x + 0.5);
    double large = 0.5 * cp_math_log(x) + (x * cp_math_log1p(0.5 / x) - 0.5);
    return large + stirling_rest(x + 0.5) - stirling_rest(x) + cp_math_log(product);
}

/* log of x^a e^-x / Gamma(a + 1).  For large a both powers are huge and nearly cancel: with x = a (1 + m) the exponent
 * is a (log1p(m) - m). */
static double log_gamma_term(double a, double x) {
    if (a < 10) return a * cp_math_log(x) - x - cp_special_log_gamma(a + 1);
    double m = (x - a) / a;
    double exponent = fabs(m) < 0.5 ? a * (cp_math_log1p(m) - m) : a * cp_math_log(x / a) - (x - a);
    return exponent - 0.5 * cp_math_log(a) - half_log_two_pi - stirling_rest(a);
}

/* sum_k x^k / ((a+1) ... (a+k)), all terms positive: for x below a + 1, where they fall from the start. */
static double gamma_series(double a, double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < MAX_TERMS && term > sum * 0x1p-56; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum;
}

/* Legendre's continued fraction for Gamma(a, x) / (x^a e^-x), by Lentz's method: 1/(x+1-a- 1(1-a)/(x+3-a- ...)). */
static double gamma_fraction(double a, double x) {
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, f = d;
    for (int k = 1; k < MAX_TERMS; k++) {
        double num = k * (a - k);
        b += 2;
        d = 1 / (num * d + b);
        c = b + num / c;
        f *= c * d;
        if (fabs(c * d - 1) < 0x1p-52) break;
    }
    return f;
}

double cp_special_gamma_lower(double a, double x) {
    if (!(a > 0 && x >= 0)) return NAN;
    if (x == 0) return 0;
    if (isinf(x)) return 1;
    double front = cp_math_exp(log_gamma_term(a, x));
    return x < a + 1 ? fmin(1, front * gamma_series(a, x)) : fmax(0, 1 - front * a * gamma_fraction(a, x));
}

/* log Beta(a, b), without cancellation when one argument is much larger than the other. */
static double log_beta(double a, double b) {
    double small = fmin(a, b), large = fmax(a, b);
    if (large < 10) return cp_special_log_gamma(a) + cp_special_log_gamma(b) - cp_special_log_gamma(a + b);
    /* log Gamma(sum) - log Gamma(large) */
    double sum = large + small, rests = stirling_rest(sum) - stirling_rest(large);
    double rise = (large - 0.5) * cp_math_log1p(small / large) + small * cp_math_log(sum) - small + rests;
    return cp_special_log_gamma(small) - rise;
}

/* The continued fraction of I_x(a,b) a B(a,b) / (x^a (1-x)^b), by Lentz's method (DLMF 8.17.22). */
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;
    for (int m = 1; m < MAX_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        f *= c * d;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        f *= c * d;
        if (fabs(c * d - 1) < 0x1p-52) break;
    }
    return f;
}

/* log(part), where part + rest = 1, from the one of them that has more digits. */
static double log_of_part(double part, double rest) {
    return part < 0.5 ? cp_math_log(part) : cp_math_log1p(-rest);
}

double cp_special_beta_lower(double a, double b, double x, double one_minus_x) {
    if (!(a > 0 && b > 0 && x >= 0 && one_minus_x >= 0)) return NAN;
    if (x == 0) return 0;
    if (one_minus_x == 0) return 1;
    double front = cp_math_exp(a * log_of_part(x, one_minus_x) + b * log_of_part(one_minus_x, x) - log_beta(a, b));
    if (x <= (a + 1) / (a + b + 2)) return fmin(1, front * beta_fraction(a, b, x) / a);
    return fmax(0, 1 - front * beta_fraction(b, a, one_minus_x) / b);
}
