/* The oracle is the C library's long double arithmetic: at least eleven bits more than a double has. */
#include "check.h"
#include "num/math.h"
#include "num/rng.h"

enum { MANY = 200000 };

/* One unit in the last place of a double near x; that of the smallest normal number below it. */
static double ulp(long double x) {
    int exponent;
    frexpl(x, &exponent);
    return ldexp(1, (exponent < -1021 ? -1021 : exponent) - 53);
}

typedef double (*function)(double);
typedef long double (*oracle)(long double);

/* How x is drawn: between two ends, or exp of that, or exp of that with either sign. */
typedef enum spacing { EVEN, LOG, BOTH_SIGNS } spacing;

static double draw(cp_rng *rng, double low, double high, spacing how) {
    double x = low + (high - low) * cp_rng_unit(rng);
    if (how == EVEN) return x;
    x = exp(x);
    return how == BOTH_SIGNS && cp_rng_unit(rng) < .5 ? -x : x;
}

static double worst(function f, oracle g, double low, double high, spacing how) {
    cp_rng rng;
    cp_rng_init(&rng, 17, CP_FOR_TEST, 0, 0);
    double most = 0;
    for (int i = 0; i < MANY; i++) {
        double x = draw(&rng, low, high, how);
        long double exact = g(x);
        most = fmax(most, (double)(fabsl(f(x) - exact) / ulp(exact)));
    }
    return most;
}

static void errors_are_as_the_header_says(void **state) {
    (void)state;
    static const struct {
        const char *name;
        function f;
        oracle g;
        double low, high, most;
        spacing how;
    } range[] = {
        {"exp", cp_math_exp, expl, -708, 709.7, .52, EVEN},
        {"exp near 0", cp_math_exp, expl, -1, 1, .52, EVEN},
        {"exp, subnormal", cp_math_exp, expl, -745, -708, 1.02, EVEN},
        {"exp2", cp_math_exp2, exp2l, -1022, 1023.9, .65, EVEN},
        {"expm1", cp_math_expm1, expm1l, -45, 709, .9, EVEN},
        {"expm1 between -2 and 2", cp_math_expm1, expm1l, -2, 2, .9, EVEN},
        {"expm1 of small numbers", cp_math_expm1, expm1l, -80, .5, .9, BOTH_SIGNS},
        {"log", cp_math_log, logl, -700, 700, .52, LOG},
        {"log near 1", cp_math_log, logl, .98, 1.02, .52, EVEN},
        {"log between 1/2 and 2", cp_math_log, logl, .5, 2, .52, EVEN},
        {"log of subnormal numbers", cp_math_log, logl, -744, -709, .52, LOG},
        {"log1p", cp_math_log1p, log1pl, -.9999, 3, .8, EVEN},
        {"log1p of small numbers", cp_math_log1p, log1pl, -80, -.01, .8, BOTH_SIGNS},
        {"log1p of large numbers", cp_math_log1p, log1pl, 0, 700, .8, LOG},
        {"log2", cp_math_log2, log2l, -700, 700, 1.5, LOG},
        {"log2 between 1/2 and 2", cp_math_log2, log2l, .5, 2, 1.5, EVEN},
        {"log10", cp_math_log10, log10l, -700, 700, 2, LOG},
        {"log10 between 1/2 and 2", cp_math_log10, log10l, .5, 2, 2, EVEN},
    };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        double most = worst(range[i].f, range[i].g, range[i].low, range[i].high, range[i].how);
        if (!(most <= range[i].most)) fail_msg("%s: %g ulp, promised %g", range[i].name, most, range[i].most);
    }
}

/* The comparison notices an error of one part in 2^53. */
static double log_off(double x) {
    return cp_math_log(x) * (1 + DBL_EPSILON);
}

static void comparison_can_fail(void **state) {
    (void)state;
    assert_true(worst(log_off, logl, -700, 700, LOG) > .9);
}

static void powers_are_right_to_the_last_digit_but_one(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, 18, CP_FOR_TEST, 0, 0);
    for (int i = 0; i < MANY; i++) {
        double x = draw(&rng, -20, 20, LOG), y = draw(&rng, -30, 30, EVEN);
        long double exact = powl(x, y);
        assert_true(fabsl(cp_math_pow(x, y) - exact) <= 1.5L * ulp(exact));
    }
    assert_true(cp_math_pow(10, 3) == 1000 && cp_math_pow(2, -1074) == 0x1p-1074 && cp_math_pow(0, 2) == 0);
    assert_true(cp_math_pow(0, -1) == INFINITY && cp_math_pow(3, 0) == 1 && isnan(cp_math_pow(-1, 2)));
    assert_true(cp_math_pow(INFINITY, -1) == 0 && cp_math_pow(INFINITY, 2) == INFINITY);
    assert_true(cp_math_pow(.5, INFINITY) == 0 && cp_math_pow(2, INFINITY) == INFINITY);
    assert_true(cp_math_pow(1e300, 2) == INFINITY && cp_math_pow(1e300, -2) == 0);
}

static void circle_is_exact_at_its_quarters(void **state) {
    (void)state;
    static const long double two_pi = 6.28318530717958647692528676655900577L;
    cp_rng rng;
    cp_rng_init(&rng, 19, CP_FOR_TEST, 0, 0);
    double c, s;
    for (int i = -8; i <= 8; i++) {
        cp_math_cos_sin_turn(.25 * i, &c, &s);
        assert_true(c == (i % 2 ? 0 : i % 4 ? -1 : 1) && s == (i % 2 ? ((i % 4 + 4) % 4 == 1 ? 1 : -1) : 0));
    }
    for (int i = 0; i < MANY; i++) {
        double t = cp_rng_unit(&rng);
        cp_math_cos_sin_turn(t, &c, &s);
        long double angle = two_pi * t, cos_t = cosl(angle), sin_t = sinl(angle);
        assert_true(fabsl(c - cos_t) <= fmax(.9 * ulp(cos_t), 0x1p-60L));
        assert_true(fabsl(s - sin_t) <= fmax(.9 * ulp(sin_t), 0x1p-60L));
        double x = draw(&rng, -1000, 1000, EVEN);
        assert_true(fabsl(cp_math_cos(x) - cosl(x)) <= 2e-16 * (1 + fabs(x)));
        assert_true(fabsl(cp_math_sin(x) - sinl(x)) <= 2e-16 * (1 + fabs(x)));
    }
    cp_math_cos_sin_turn(INFINITY, &c, &s);
    assert_true(isnan(c) && isnan(s) && isnan(cp_math_sin(NAN)) && isnan(cp_math_cos(1e7)));
}

static void angles_are_right(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, 21, CP_FOR_TEST, 0, 0);
    for (int i = 0; i < MANY; i++) {
        double x = draw(&rng, -20, 20, BOTH_SIGNS), y = draw(&rng, -20, 20, BOTH_SIGNS);
        long double exact = atan2l(y, x);
        assert_true(fabsl(cp_math_atan2(y, x) - exact) <= 3 * ulp(exact));
    }
    assert_true(cp_math_atan2(0, 1) == 0 && cp_math_atan2(1, 0) == 0x1.921fb54442d18p+0);
}

static int same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void special_values_are_those_of_c(void **state) {
    (void)state;
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, -1, 5e-324, -5e-324, 1e308, -1e308};
    static const function ours[] = {cp_math_exp,   cp_math_exp2, cp_math_expm1, cp_math_log,
                                    cp_math_log1p, cp_math_log2, cp_math_log10};
    static const function theirs[] = {exp, exp2, expm1, log, log1p, log2, log10};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        for (size_t k = 0; k < sizeof special / sizeof *special; k++)
            if (!same(ours[i](special[k]), theirs[i](special[k])))
                fail_msg("function %zu of %g: %a, not %a", i, special[k], ours[i](special[k]), theirs[i](special[k]));
}

/* Whatever the bits of a number are, nothing is infinite or NaN that should not be. */
static void any_bits_will_do(void **state) {
    (void)state;
    static const function ours[] = {cp_math_exp, cp_math_exp2, cp_math_expm1, cp_math_log, cp_math_log1p};
    static const function theirs[] = {exp, exp2, expm1, log, log1p};
    cp_rng rng;
    cp_rng_init(&rng, 20, CP_FOR_TEST, 0, 0);
    for (int i = 0; i < MANY; i++) {
        uint64_t bits = (uint64_t)(cp_rng_unit(&rng) * 0x1p32) << 32 | (uint64_t)(cp_rng_unit(&rng) * 0x1p32);
        double x;
        memcpy(&x, &bits, sizeof x);
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
            double a = ours[k](x), b = theirs[k](x);
            assert_true(isnan(a) == isnan(b) && isinf(a) == isinf(b) && (isnan(a) || signbit(a) == signbit(b)));
        }
    }
}

static void whole_powers_of_two_are_exact(void **state) {
    (void)state;
    for (int k = -1074; k <= 1023; k++) {
        assert_true(cp_math_exp2(k) == ldexp(1, k));
        assert_true(cp_math_log2(ldexp(1, k)) == k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_as_the_header_says),
        cmocka_unit_test(comparison_can_fail),
        cmocka_unit_test(powers_are_right_to_the_last_digit_but_one),
        cmocka_unit_test(circle_is_exact_at_its_quarters),
        cmocka_unit_test(angles_are_right),
        cmocka_unit_test(special_values_are_those_of_c),
        cmocka_unit_test(any_bits_will_do),
        cmocka_unit_test(whole_powers_of_two_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
