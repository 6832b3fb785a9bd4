#include "num/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/math_tables.h"

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A sum of two doubles, the second much smaller: a number with twice the digits. */
typedef struct wide {
    double high, low;
} wide;

/* a + b without error (Knuth). */
static inline wide add(double a, double b) {
    double high = a + b, of_b = high - a;
    return (wide){high, (a - (high - of_b)) + (b - of_b)};
}

/* a * b without error (Dekker), for |a| and |b| below 2^500. */
static inline wide multiply(double a, double b) {
    const double splitter = 0x1p27 + 1;
    double a_big = splitter * a, b_big = splitter * b;
    double a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
    double a_low = a - a_high, b_low = b - b_high, high = a * b;
    return (wide){high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/* --------------------------------------------------------------------------------------------------------- exp
 *
 * exp(x) = 2^k 2^(i/128) exp(r) with |r| <= log(2)/256: k and i from the nearest multiple of log(2)/128, 2^(i/128) from
 * a table, and Taylor's polynomial for exp(r), whose first term left out is below 2^-60. */

/* Adding 1.5 * 2^52 rounds to the nearest whole number and leaves it in the low bits. */
static const double round_magic = 0x1.8p52;

/* exp(r) - 1 for |r| <= .0028. */
static inline double exp_polynomial(double r) {
    double s = r * r;
    return r + s * (0.5 + r * (1.0 / 6)) + s * s * (1.0 / 24 + r * (1.0 / 120));
}

/* 2^(steps/128) (1 + small): what exp comes to.  shifted is steps + round_magic. */
typedef struct power {
    double shifted, small;
} power;

/* exp(x + low) for |x| < 750 and |low| below an ulp of x. */
static inline power reduce(double x, double low) {
    const double inverse = 184.664965233787316;                                  /* 128 / log(2) */
    const double step_high = 0x1.62e42fef8p-8, step_low = 0x1.1cf79abc9e3b4p-43; /* log(2) / 128 */
    double shifted = x * inverse + round_magic, steps = shifted - round_magic;
    double r = (x - steps * step_high) - (steps * step_low - low);
    return (power){shifted, exp_polynomial(r)};
}

/* The double next to 2^(steps/128), a normal number; what it lacks goes to `small`. */
static inline double scale(power *p) {
    uint64_t steps = bits_of(p->shifted);
    size_t i = steps & 127;
    p->small += exp_table[i].rest;
    return of_bits(bits_of(exp_table[i].power) + (steps >> 7 << 52));
}

/* The whole of p where 2^(steps/128) or the result may be too large or too small for a normal number. */
static double scale_far(power p) {
    uint64_t steps = bits_of(p.shifted);
    size_t i = steps & 127;
    int k = (int)((int64_t)(steps << 13) >> 20);
    double value = exp_table[i].power;
    return ldexp(value + value * (p.small + exp_table[i].rest), k);
}

static double exp_far(double x, double low) {
    if (isnan(x)) return x;
    if (x > 710) return HUGE_VAL;
    return x < -746 ? 0 : scale_far(reduce(x, low));
}

static inline double exp_wide(double x, double low) {
    if (!(fabs(x) < 650)) return exp_far(x, low); /* so that value * p.small is a normal number too */
    power p = reduce(x, low);
    double value = scale(&p);
    return value + value * p.small;
}

double cp_math_exp(double x) {
    return exp_wide(x, 0);
}

double cp_math_exp2(double x) {
    const double log_2 = 0.693147180559945309417;
    if (!(fabs(x) < 1080)) return isnan(x) ? x : x > 0 ? HUGE_VAL : 0;
    double shifted = x * 128 + round_magic, r = (x - (shifted - round_magic) / 128) * log_2;
    power p = {shifted, exp_polynomial(r)};
    if (!(fabs(x) < 950)) return scale_far(p);
    double value = scale(&p);
    return value + value * p.small;
}

/* x^2/2! + x^3/3! + ... for |x| <= .35; the first term left out is below 2^-60 of x. */
static double expm1_rest(double x) {
    double s = x * x;
    double even = 1.0 / 1307674368000, odd = 1.0 / 87178291200;
    even = even * s + 1.0 / 6227020800;
    odd = odd * s + 1.0 / 479001600;
    even = even * s + 1.0 / 39916800;
    odd = odd * s + 1.0 / 3628800;
    even = even * s + 1.0 / 362880;
    odd = odd * s + 1.0 / 40320;
    even = even * s + 1.0 / 5040;
    odd = odd * s + 1.0 / 720;
    even = even * s + 1.0 / 120;
    odd = odd * s + 1.0 / 24;
    even = even * s + 1.0 / 6;
    return s * (0.5 + (x * even + s * odd));
}

double cp_math_expm1(double x) {
    if (fabs(x) <= 0.35) return x + expm1_rest(x);
    if (!(x > -40 && x < 650)) return x <= -40 ? -1 : cp_math_exp(x);
    power p = reduce(x, 0);
    double value = scale(&p);
    wide less = add(value, -1);
    return less.high + (less.low + value * p.small);
}

/* --------------------------------------------------------------------------------------------------------- log
 *
 * x = 2^k z with z in [.703125, 1.40625), and a table gives a short number c near 1/z: log(x) = k log(2) - log(c) +
 * log(1 + r), where r = c z - 1 is small.  z is cut in two so that both products with c are exact. */

static const double log_2_lead = 0x1.62e42fefa38p-1, log_2_rest = 0x1.ef35793c7673p-45;

/* log(x) for finite x > 0, with a relative error below 2^-63 in all; low may be as large as high / 100. */
static inline wide log_wide(double x) {
    const uint64_t first = 0x3fe6800000000000u; /* .703125 */
    uint64_t bits = bits_of(x), offset = 0;
    if (bits < 0x0010000000000000u) { /* subnormal */
        bits = bits_of(x * 0x1p52);
        offset = 52;
    }
    uint64_t from_first = bits - first;
    double k = (double)((int64_t)from_first >> 52) - (double)offset;
    size_t i = (from_first >> 45) & 127;
    double z = of_bits(bits - (from_first & 0xfff0000000000000u)), c = log_table[i].inverse;
    double z_high = of_bits(bits_of(z) & 0xffffffffffe00000u), z_low = z - z_high;
    double r_high = z_high * c - 1, r_low = z_low * c, r = r_high + r_low;
    double lead = k * log_2_lead + log_table[i].lead; /* exact: a multiple of 2^-42 below 2^10 */
    wide sum = add(lead, r);
    double s = r * r;
    double rest = k * log_2_rest + log_table[i].rest + (r_low - (r - r_high));
    double tail = s * r * ((1.0 / 3 - r * (1.0 / 4)) + s * ((1.0 / 5 - r * (1.0 / 6)) + s * (1.0 / 7 - r * (1.0 / 8))));
    sum.low += rest + (tail - 0.5 * s);
    return sum;
}

/* log of what log_wide does not take. */
static double log_special(double x) {
    if (x == 0) return -HUGE_VAL;
    return x > 0 ? x : NAN; /* infinity; NaN and negative numbers */
}

static int is_positive(double x) {
    return x > 0 && x < HUGE_VAL;
}

double cp_math_log(double x) {
    if (!is_positive(x)) return log_special(x);
    wide log = log_wide(x);
    return log.high + log.low;
}

double cp_math_log1p(double x) {
    if (!(x > -1 && x < HUGE_VAL)) return x == -1 ? -HUGE_VAL : x > 0 ? x : NAN;
    if (fabs(x) < 0x1p-54) return x;
    wide y = add(1, x), log = log_wide(y.high);
    return log.high + (log.low + y.low / y.high);
}

/* log(x) times a constant of two parts. */
static double log_times(double x, double constant, double constant_rest) {
    wide log = log_wide(x);
    log = add(log.high, log.low);
    wide product = multiply(log.high, constant);
    return product.high + (product.low + (log.high * constant_rest + log.low * constant));
}

double cp_math_log2(double x) {
    if (!is_positive(x)) return log_special(x);
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (mantissa < 0.703125) {
        mantissa *= 2;
        exponent--;
    }
    return exponent + log_times(mantissa, 0x1.71547652p+0, 0x1.705fc2eefa2p-33); /* 1 / log(2) */
}

double cp_math_log10(double x) {
    if (!is_positive(x)) return log_special(x);
    return log_times(x, 0x1.bcb7b152p-2, 0x1.b9438ca9aadd5p-36); /* 1 / log(10) */
}

double cp_math_pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y) || x < 0) return NAN;
    if (x == 0 || isinf(x)) return (x == 0) == (y > 0) ? 0 : HUGE_VAL;
    if (isinf(y)) return (x > 1) == (y > 0) ? HUGE_VAL : 0;
    wide log = log_wide(x);
    double rough = y * log.high;
    if (!(fabs(rough) < 750)) return rough > 0 ? HUGE_VAL : 0;
    log = add(log.high, log.low);
    wide product = multiply(fabs(y) < 0x1p-500 ? 0 : y, log.high);
    product = add(product.high, product.low + y * log.low);
    return exp_wide(product.high, product.low);
}

/* ------------------------------------------------------------------------------------------------- cos and sin */

/* cos and sin of the angle a + low, |a| <= pi/4, by Taylor's polynomials; the first terms left out are below 2^-58. */
static void cos_sin_small(double a, double low, double *out_cos, double *out_sin) {
    double s = a * a;
    double c = -1.0 / 6402373705728000, d = 1.0 / 355687428096000;
    c = c * s + 1.0 / 20922789888000;
    d = d * s - 1.0 / 1307674368000;
    c = c * s - 1.0 / 87178291200;
    d = d * s + 1.0 / 6227020800;
    c = c * s + 1.0 / 479001600;
    d = d * s - 1.0 / 39916800;
    c = c * s - 1.0 / 3628800;
    d = d * s + 1.0 / 362880;
    c = c * s + 1.0 / 40320;
    d = d * s - 1.0 / 5040;
    c = c * s - 1.0 / 720;
    d = d * s + 1.0 / 120;
    c = c * s + 1.0 / 24;
    d = d * s - 1.0 / 6;
    double half = 0.5 * s, top = 1 - half;
    *out_cos = top + (((1 - top) - half) + (s * s * c - a * low));
    *out_sin = a + (a * s * d + low * top);
}

/* cos and sin of an angle in the given quarter of the circle, from those of the same angle in the first. */
static void turn_quarters(unsigned quarter, double cos, double sin, double *out_cos, double *out_sin) {
    double c = quarter % 2 ? -sin : cos, s = quarter % 2 ? cos : sin;
    *out_cos = quarter & 2 ? -c : c;
    *out_sin = quarter & 2 ? -s : s;
}

void cp_math_cos_sin_turn(double t, double *out_cos, double *out_sin) {
    const double two_pi = 0x1.921fb54442d18p+2, two_pi_rest = 0x1.1a62633145c07p-52;
    *out_cos = *out_sin = NAN;
    if (!(fabs(t) <= 0x1p50)) return;
    double quarters = rint(4 * t), rest = t - 0.25 * quarters, c, s;
    wide angle = multiply(rest, two_pi);
    cos_sin_small(angle.high, angle.low + rest * two_pi_rest, &c, &s);
    turn_quarters((unsigned)(int64_t)quarters & 3, c, s, out_cos, out_sin);
}

static void cos_sin(double x, double *out_cos, double *out_sin) {
    const double half_pi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
    *out_cos = *out_sin = NAN;
    if (!(fabs(x) <= 1e6)) return;
    double quarters = rint(x * 0.636619772367581343), c, s;
    wide angle = add(x - quarters * half_pi[0], -quarters * half_pi[1]);
    cos_sin_small(angle.high, angle.low - quarters * half_pi[2], &c, &s);
    turn_quarters((unsigned)(int64_t)quarters & 3, c, s, out_cos, out_sin);
}

double cp_math_cos(double x) {
    double c, s;
    cos_sin(x, &c, &s);
    return c;
}

double cp_math_sin(double x) {
    double c, s;
    cos_sin(x, &c, &s);
    return s;
}

/* atan(t) for 0 <= t <= 1: atan(c) + atan(r) with c = k/8 next to t, r = (t - c) / (1 + t c), |r| <= 1/16, and Taylor's
 * polynomial for atan(r), whose first term left out is below 2^-66. */
static double atan_unit(double t) {
    static const double at[9] = {0,
                                 0x1.fd5ba9aac2f6ep-4,
                                 0x1.f5b75f92c80ddp-3,
                                 0x1.6f61941e4def1p-2,
                                 0x1.dac670561bb4fp-2,
                                 0x1.1e00babdefeb4p-1,
                                 0x1.4978fa3269ee1p-1,
                                 0x1.700a7c5784634p-1,
                                 0x1.921fb54442d18p-1};
    size_t k = (size_t)(8 * t + 0.5);
    double c = (double)k / 8, r = (t - c) / (1 + t * c), s = r * r;
    double rest = -1.0 / 3 + s * (1.0 / 5 + s * (-1.0 / 7 + s * (1.0 / 9 + s * (-1.0 / 11 + s * (1.0 / 13 - s / 15)))));
    return at[k] + (r + r * s * rest);
}

double cp_math_atan2(double y, double x) {
    const double pi = 0x1.921fb54442d18p+1;
    double far = fabs(x) > fabs(y) ? fabs(x) : fabs(y), near = fabs(x) > fabs(y) ? fabs(y) : fabs(x);
    double angle = atan_unit(near / far);
    if (fabs(y) > fabs(x)) angle = pi / 2 - angle;
    if (x < 0) angle = pi - angle;
    return y < 0 ? -angle : angle;
}
