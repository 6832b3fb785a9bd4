#include "num/student.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/dens.h"

cp_student cp_student_make(double loc, double scale, double weight, double df) {
    return (cp_student){
        .loc = loc, .rate = 1 / scale, .weight = weight, .df = df, .log_norm = cp_dens_student_log(0, df)};
}

/* log(1 + s) for 0 <= s < 1e300, with an absolute error of some 1e-16: 1 + s is m 2^k with m within a factor of root 2
 * of 1, and log m is the series of the inverse hyperbolic tangent. */
static inline double log_of_one_plus(double s) {
    const double ln2 = 0.693147180559945309417;
    double x = 1 + s;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t up = bits + 0x00095f619980c433; /* the exponent rises where m is above root 2 */
    uint64_t exponent = up >> 52;
    bits -= (exponent - 1023) << 52;
    double m, k, t;
    memcpy(&m, &bits, sizeof m);
    uint64_t whole = exponent + 0x4330000000000000; /* 2^52 + exponent as a double, as vectors cannot convert it */
    memcpy(&k, &whole, sizeof k);
    k -= 0x1p52 + 1023;
    t = (m - 1) / (m + 1);
    double u = t * t, even = 1.0 / 17, odd = 1.0 / 19, v = u * u;
    even = even * v + 1.0 / 13;
    odd = odd * v + 1.0 / 15;
    even = even * v + 1.0 / 9;
    odd = odd * v + 1.0 / 11;
    even = even * v + 1.0 / 5;
    odd = odd * v + 1.0 / 7;
    even = even * v + 1;
    odd = odd * v + 1.0 / 3;
    return k * ln2 + 2 * t * (even + u * odd);
}

/* Hill's deviate as in dens.c. */
__attribute__((always_inline)) static inline void points(double df, size_t n, cp_student_points *p) {
    const double per_df = 1 / df, a = df - 0.5, b = 48 * a * a, per_b = 1 / b, most = 1e150;
    for (size_t k = 0; k < n; k++) {
        double far_out = fabs(p->z[k]), z = far_out < most ? far_out : most, square = z * z;
        double ratio = log_of_one_plus(square * per_df), y = a * ratio;
        double inner = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b);
        double deviate = ((inner + y + 3) * per_b + 1) * sqrt(y);
        p->log_ratio[k] = ratio;
        p->deviate[k] = p->z[k] < 0 ? -deviate : deviate;
        p->slope[k] = -(df + 1) * p->z[k] / (df + square);
    }
}

static void points_plain(double df, size_t n, cp_student_points *p) {
    points(df, n, p);
}

#if CP_TIER_HAS_AVX2
CP_TIER_FOR_AVX2 static void points_avx2(double df, size_t n, cp_student_points *p) {
    points(df, n, p);
}
#else
#define points_avx2 NULL
#endif

cp_student_fn cp_student_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? points_avx2 : points_plain;
}

static void add(const cp_student *c, int roughly, cp_normal_points *p) {
    cp_student_points s;
    double minus_log[CP_NORMAL_POINTS], density[CP_NORMAL_POINTS], below[CP_NORMAL_POINTS], unused[CP_NORMAL_POINTS];
    size_t n = (p->n + 3) / 4 * 4;
    for (size_t k = 0; k < n; k++) s.z[k] = (p->y[k] - c->loc) * c->rate;
    cp_student_find(cp_tier_best())(c->df, n, &s);
    for (size_t k = 0; k < n; k++) minus_log[k] = 0.5 * (c->df + 1) * s.log_ratio[k] - c->log_norm;
    cp_normal_exp_minus(minus_log, n, density);
    for (size_t k = 0; roughly && k < n; k++) s.deviate[k] *= p->sign[k];
    if (roughly) cp_normal_many(s.deviate, n, below, unused);
    for (size_t k = 0; k < n; k++) {
        double pdf = c->weight * c->rate * density[k];
        p->mass[k] += c->weight * (roughly ? below[k] : k < p->n ? cp_dens_student_cdf(p->sign[k] * s.z[k], c->df) : 0);
        p->density[k] += pdf;
        p->slope[k] += pdf * s.slope[k] * c->rate;
    }
}

void cp_student_add(const cp_student *c, cp_normal_points *p) {
    add(c, 0, p);
}

void cp_student_add_roughly(const cp_student *c, cp_normal_points *p) {
    add(c, 1, p);
}
