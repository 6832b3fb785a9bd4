/* normal - the normal cdf and density by branch-free polynomials. */
#include "num/normal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/math.h"

/* Polynomials are summed as (even powers) + x (odd powers): two short chains that the processor computes in
 * parallel. */

/* exp(-a) for 0 <= a <= 708, as 2^k exp(r) with |r| <= log(2)/2.  exp(r) is Taylor's polynomial; the first term that is
 * left out is below 2e-16.  Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.  k log(2) is
 * subtracted in two parts; the first is short enough to be exact. */
static inline double exp_minus(double a) {
    const double magic = 0x1.8p52, log2_e = 1.442695040888963407;
    const double ln2_high = 0x1.62e42fefap-1, ln2_low = 1.6465949582897081e-12;
    double shifted = magic - a * log2_e, k = shifted - magic;
    double r = (-a - k * ln2_high) - k * ln2_low, s = r * r;
    double even = 1.0 / 479001600, odd = 1.0 / 39916800;
    even = even * s + 1.0 / 3628800;
    odd = odd * s + 1.0 / 362880;
    even = even * s + 1.0 / 40320;
    odd = odd * s + 1.0 / 5040;
    even = even * s + 1.0 / 720;
    odd = odd * s + 1.0 / 120;
    even = even * s + 1.0 / 24;
    odd = odd * s + 1.0 / 6;
    even = even * s + 0.5;
    odd = odd * s + 1;
    even = even * s + 1;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52; /* the bits of magic itself are shifted out */
    double power;
    memcpy(&power, &bits, sizeof power);
    return (even + r * odd) * power;
}

/* Phi(-u) exp(u^2/2) for 0 <= u < 38: a rational function of degrees 8 and 9, fitted to a relative error of 3e-15 and
 * exactly 1/2 at 0.  All coefficients are positive, so nothing cancels. */
static inline double scaled_tail(double u) {
    double s = u * u;
    double p_even = 8.0632511706374834694e-6, p_odd = 1.8473997154300821795e-4;
    p_even = p_even * s + 2.0642224860024139352e-3;
    p_odd = p_odd * s + 1.4444377443906037138e-2;
    p_even = p_even * s + 6.8690302314355845858e-2;
    p_odd = p_odd * s + 2.2681169002591317448e-1;
    p_even = p_even * s + 5.0936655046342073747e-1;
    p_odd = p_odd * s + 7.1856068669950813898e-1;
    p_even = p_even * s + 0.5;
    double q_odd = 2.0211573368925251526e-5, q_even = 4.6307443627728341807e-4;
    q_odd = q_odd * s + 5.1944500096088776816e-3;
    q_even = q_even * s + 3.6669759932863819809e-2;
    q_odd = q_odd * s + 1.7731485059398053189e-1;
    q_even = q_even * s + 6.0381355703702408585e-1;
    q_odd = q_odd * s + 1.4388200348005204555;
    q_even = q_even * s + 2.3020098291197735304;
    q_odd = q_odd * s + 2.2350059342021786855;
    q_even = q_even * s + 1;
    return (p_even + u * p_odd) / (q_even + u * q_odd);
}

/* Inlined into one function for each tier.  Operations and their order are the same in each, and there is no fused
 * multiply-add, so the results are the same bit for bit. */
/* (Phi(x) - 1/2) / x for x^2 <= 2.25, by Taylor's polynomial in x^2: (-1/2)^k / (k! (2k+1)) over the root of 2 pi.  The
 * first term left out is below 1e-18. */
static double middle(double square) {
    static const double coefficient[20] = {
        0x1.9884533d43651p-2,  -0x1.1058377e2cee0p-4,  0x1.46d04297691dap-7,  -0x1.37403f6ba1100p-10,
        0x1.e42b0d5216fc8p-14, -0x1.3ce8fac15e2c4p-17, 0x1.658a2177b2739p-21, -0x1.62226a4aabe03p-25,
        0x1.3878b823c4d4ep-29, -0x1.f107e1883d947p-34, 0x1.67c1700ad73d2p-38, -0x1.ddc738b863ab4p-43,
        0x1.25098c9a0d57fp-47, -0x1.4df215a78901cp-52, 0x1.6354d1ae7b14dp-57, -0x1.62913220111d0p-62,
        0x1.4d14084cab3a5p-67, -0x1.27926c0b3e062p-72, 0x1.f10ed5fbd7c6ap-78, -0x1.8d1c171747da7p-83};
    double even = coefficient[18], odd = coefficient[19], s = square * square;
    for (int k = 16; k >= 0; k -= 2) {
        even = even * s + coefficient[k];
        odd = odd * s + coefficient[k + 1];
    }
    return even + square * odd;
}

/* In the tail u^2 is rounded, and exp(-u^2/2) would multiply that error by u^2/2.  So u is cut in two: the square of
 * the first part is exact, and the rest is small. */
double cp_normal_cdf(double x) {
    double u = fabs(x);
    if (u <= 1.5) return 0.5 + x * middle(x * x);
    if (!(u < 40)) return isnan(x) ? x : x > 0 ? 1 : 0;
    double high = (u + 0x1p27) - 0x1p27, low = u - high; /* a multiple of 2^-25 */
    double tail = scaled_tail(u) * (cp_math_exp(-0.5 * high * high) * cp_math_exp(-0.5 * low * (u + high)));
    return x < 0 ? tail : 1 - tail;
}

__attribute__((always_inline)) static inline void many(const double *restrict x, size_t n, double *restrict out_cdf,
                                                       double *restrict out_pdf) {
    const double inv_sqrt_two_pi = 0.398942280401432677940, limit = 37.5;
    for (size_t i = 0; i < n; i++) {
        double far_out = fabs(x[i]), u = far_out < limit ? far_out : limit;
        double bell = exp_minus(0.5 * u * u);
        bell = far_out < limit ? bell : 0;
        double tail = bell * scaled_tail(u), rest = 1 - tail;
        out_cdf[i] = x[i] < 0 ? tail : rest;
        out_pdf[i] = bell * inv_sqrt_two_pi;
    }
}

static void many_plain(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf) {
    many(x, n, out_cdf, out_pdf);
}

#if CP_TIER_HAS_AVX2
CP_TIER_FOR_AVX2 static void many_avx2(const double *restrict x, size_t n, double *restrict out_cdf,
                                       double *restrict out_pdf) {
    many(x, n, out_cdf, out_pdf);
}

#else
#define many_avx2 NULL
#endif

cp_normal_fn cp_normal_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? many_avx2 : many_plain;
}

void cp_normal_many(const double *restrict x, size_t n, double *restrict out_cdf, double *restrict out_pdf) {
    cp_normal_find(cp_tier_best())(x, n, out_cdf, out_pdf);
}

__attribute__((always_inline)) static inline void exps(const double *restrict a, size_t n, double *restrict out) {
    const double limit = 708;
    for (size_t i = 0; i < n; i++) {
        double e = exp_minus(a[i] < limit ? a[i] : limit);
        out[i] = a[i] < limit ? e : 0;
    }
}

static void exps_plain(const double *restrict a, size_t n, double *restrict out) {
    exps(a, n, out);
}

#if CP_TIER_HAS_AVX2
CP_TIER_FOR_AVX2 static void exps_avx2(const double *restrict a, size_t n, double *restrict out) {
    exps(a, n, out);
}
#else
#define exps_avx2 exps_plain
#endif

void cp_normal_exp_minus(const double *restrict a, size_t n, double *restrict out) {
    (cp_tier_best() == CP_TIER_AVX2 ? exps_avx2 : exps_plain)(a, n, out);
}

/* ------------------------------------------------------------------------------------------------ sums of mixtures */

/* The loop over points is the inner one: it is vectorised, and each point adds up its Gaussians in their order, so that
 * all tiers give the same bits. */
__attribute__((always_inline)) static inline void add(const cp_normal_gaussians *g, cp_normal_points *p) {
    const double inv_sqrt_two_pi = 0.398942280401432677940, limit = 37.5;
    size_t points = (p->n + 3) / 4 * 4;
    for (size_t i = 0; i < g->n; i++) {
        const double loc = g->loc[i], rate = g->rate[i], weight = g->weight[i];
        const double height = weight * rate * inv_sqrt_two_pi;
        for (size_t k = 0; k < points; k++) {
            double z = (p->y[k] - loc) * rate, x = p->sign[k] * z, far_out = fabs(z);
            double u = far_out < limit ? far_out : limit, bell = exp_minus(0.5 * u * u);
            bell = far_out < limit ? bell : 0;
            double tail = bell * scaled_tail(u), rest = 1 - tail, pdf = height * bell;
            p->mass[k] += weight * (x < 0 ? tail : rest);
            p->density[k] += pdf;
            p->slope[k] -= pdf * z * rate;
        }
    }
}

/* exp(-a) for 0 <= a <= 80, relative error below 3e-7 and the rounding of a. */
static inline float rough_exp_minus(float a) {
    const float magic = 0x1.8p23f, log2_e = 1.44269504f, ln2 = 0.693147181f;
    float shifted = magic - a * log2_e, k = shifted - magic, r = -a - k * ln2;
    float e = 1 + r * (1 + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (0.00833333333f)))));
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}

/* Phi(-u) exp(u^2/2) for u >= 0 [Abramowitz and Stegun, 26.2.17]: the error of the tail is below 1e-7. */
static inline float rough_scaled_tail(float u) {
    float t = 1 / (1 + 0.2316419f * u);
    float p = 0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f)));
    return 0.39894228f * t * p;
}

__attribute__((always_inline)) static inline void add_roughly(const cp_normal_gaussians *g, cp_normal_points *p) {
    const float limit = 12;
    float y[CP_NORMAL_POINTS], sign[CP_NORMAL_POINTS], mass[CP_NORMAL_POINTS] = {0}, density[CP_NORMAL_POINTS] = {0};
    float slope[CP_NORMAL_POINTS] = {0};
    size_t points = (p->n + 7) / 8 * 8;
    const double base = p->y[0]; /* floats hold distances from it, so that an offset of all takes no digits */
    for (size_t k = 0; k < points; k++) y[k] = (float)(p->y[k] - base);
    for (size_t k = 0; k < points; k++) sign[k] = (float)p->sign[k];
    for (size_t i = 0; i < g->n; i++) {
        const float loc = (float)(g->loc[i] - base), rate = (float)g->rate[i], weight = (float)g->weight[i];
        const float height = weight * rate * 0.39894228f;
        for (size_t k = 0; k < points; k++) {
            float z = (y[k] - loc) * rate, x = sign[k] * z, far_out = fabsf(z);
            float u = far_out < limit ? far_out : limit, bell = rough_exp_minus(0.5f * u * u);
            float tail = bell * rough_scaled_tail(u), rest = 1 - tail;
            mass[k] += weight * (x < 0 ? tail : rest);
            density[k] += height * bell;
            slope[k] -= height * bell * z * rate;
        }
    }
    for (size_t k = 0; k < points; k++) p->mass[k] += (double)mass[k];
    for (size_t k = 0; k < points; k++) p->density[k] += (double)density[k];
    for (size_t k = 0; k < points; k++) p->slope[k] += (double)slope[k];
}

static void add_plain(const cp_normal_gaussians *g, cp_normal_points *p) {
    add(g, p);
}

static void add_roughly_plain(const cp_normal_gaussians *g, cp_normal_points *p) {
    add_roughly(g, p);
}

#if CP_TIER_HAS_AVX2
CP_TIER_FOR_AVX2 static void add_avx2(const cp_normal_gaussians *g, cp_normal_points *p) {
    add(g, p);
}

CP_TIER_FOR_AVX2 static void add_roughly_avx2(const cp_normal_gaussians *g, cp_normal_points *p) {
    add_roughly(g, p);
}

#else
#define add_avx2         NULL
#define add_roughly_avx2 NULL
#endif

cp_normal_add_fn cp_normal_find_add(cp_tier tier, int roughly) {
    if (!cp_tier_runs(tier)) return NULL;
    if (tier == CP_TIER_AVX2) return roughly ? add_roughly_avx2 : add_avx2;
    return roughly ? add_roughly_plain : add_plain;
}

void cp_normal_add(const cp_normal_gaussians *g, cp_normal_points *p) {
    cp_normal_find_add(cp_tier_best(), 0)(g, p);
}

void cp_normal_add_roughly(const cp_normal_gaussians *g, cp_normal_points *p) {
    cp_normal_find_add(cp_tier_best(), 1)(g, p);
}
