#include "check.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "num/normal.h"

enum { MANY = 1000 };

static void agrees_with_the_oracle_to_the_far_tail(void **state) {
    (void)state;
    double x[MANY], cdf[MANY], pdf[MANY];
    for (double from = -37.4; from < 37.4; from += 1) {
        for (int i = 0; i < MANY; i++) x[i] = from + i * 0.001;
        cp_normal_many(x, MANY, cdf, pdf);
        for (int i = 0; i < MANY; i++) {
            if (fabs(x[i]) >= 37.5) continue;
            double want = pnorm(x[i], 0, 1, 1, 0), bell = dnorm(x[i], 0, 1, 0);
            assert_true(fabs(cdf[i] - want) <= 1e-13 * want);
            assert_true(fabs(pdf[i] - bell) <= 1e-13 * bell);
        }
    }
}

static void is_one_half_in_the_middle(void **state) {
    (void)state;
    double zero = 0, cdf, pdf;
    cp_normal_many(&zero, 1, &cdf, &pdf);
    assert_true(cdf == 0.5);
}

static void is_zero_and_one_far_out(void **state) {
    (void)state;
    double x[] = {-INFINITY, -1e300, -38, 38, 1e300, INFINITY}, cdf[6], pdf[6];
    cp_normal_many(x, 6, cdf, pdf);
    for (int i = 0; i < 6; i++) {
        assert_true(cdf[i] == (i < 3 ? 0 : 1));
        assert_true(pdf[i] == 0);
    }
}

static void instruction_sets_agree_bit_for_bit(void **state) {
    (void)state;
    cp_normal_fn plain = cp_normal_find(CP_TIER_PLAIN), fast = cp_normal_find(CP_TIER_AVX2);
    assert_non_null(plain);
    if (!fast) skip();
    double x[MANY], a[MANY], b[MANY], c[MANY], d[MANY];
    for (int i = 0; i < MANY; i++) x[i] = 40 * sin(i);
    for (size_t n = 0; n <= MANY; n = n < 20 ? n + 1 : n * 7 / 5) {
        memset(c, 0, sizeof c);
        memset(d, 0, sizeof d);
        plain(x, n, a, b);
        fast(x, n, c, d);
        assert_memory_equal(a, c, n * sizeof *a);
        assert_memory_equal(b, d, n * sizeof *b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_oracle_to_the_far_tail),
        cmocka_unit_test(is_one_half_in_the_middle),
        cmocka_unit_test(is_zero_and_one_far_out),
        cmocka_unit_test(instruction_sets_agree_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
