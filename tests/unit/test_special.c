#include "check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "num/special.h"

static void log_sum_exp_survives_any_size(void **state) {
    (void)state;
    assert_near(cp_special_log_sum_exp((double[]){1, 2, 3}, 3), log(exp(1) + exp(2) + exp(3)), 1e-15);
    assert_near(cp_special_log_sum_exp((double[]){-5000, -5000}, 2), -5000 + log(2), 1e-15);
    assert_near(cp_special_log_sum_exp((double[]){5000, -5000}, 2), 5000, 1e-15);
    assert_true(cp_special_log_sum_exp((double[]){-INFINITY, -INFINITY}, 2) == -INFINITY);
    assert_true(cp_special_log_sum_exp(NULL, 0) == -INFINITY);
    assert_near(cp_special_log_sum_exp((double[]){-INFINITY, 2}, 2), 2, 0);
}

static void normal_cdf_agrees_to_the_far_tail(void **state) {
    (void)state;
    for (double x = -37.5; x < 9; x += 0.01) assert_rel(cp_special_normal_cdf(x), pnorm(x, 0, 1, 1, 0), 3e-13);
    for (double x = -8; x < 8; x += 0.1) assert_rel(cp_special_normal_cdf(x), gsl_sf_erf_Q(-x), 1e-13);
    assert_true(cp_special_normal_cdf(-INFINITY) == 0 && cp_special_normal_cdf(INFINITY) == 1);
}

static void normal_quantile_inverts_the_cdf(void **state) {
    (void)state;
    for (double p = 1e-307; p < 0.4; p *= 1.7) {
        assert_rel(cp_special_normal_quantile(p), qnorm(p, 0, 1, 1, 0), 3e-15);
        assert_rel(cp_special_normal_cdf(cp_special_normal_quantile(p)), p, 1e-12);
    }
    for (double p = 0.001; p < 1; p += 0.001) assert_near(cp_special_normal_quantile(p), qnorm(p, 0, 1, 1, 0), 3e-15);
    assert_near(cp_special_normal_quantile(1 - 0x1p-53), qnorm(1 - 0x1p-53, 0, 1, 1, 0), 3e-15);
    assert_true(cp_special_normal_quantile(0) == -INFINITY && cp_special_normal_quantile(1) == INFINITY);
    assert_true(isnan(cp_special_normal_quantile(-0.1)) && isnan(cp_special_normal_quantile(NAN)));
}

static void log_gamma_agrees(void **state) {
    (void)state;
    for (double x = 1e-8; x < 1e12; x *= 1.13) assert_near(cp_special_log_gamma(x), lgammafn(x), 1e-14);
    assert_true(isnan(cp_special_log_gamma(0)));
}

/* The duplication formula is an oracle without cancellation: Gamma(x+1/2)/Gamma(x) = sqrt(pi) 2^(1-2x) Gamma(2x) /
 * Gamma(x)^2 for small x; for large x the ratio is sqrt(x) (1 - 1/(8x) + 1/(128x^2) + 5/(1024x^3) ...). */
static void log_gamma_half_step_agrees(void **state) {
    (void)state;
    for (double x = 1e-6; x < 20; x *= 1.1) {
        double oracle = 0.5 * log(M_PI) + (1 - 2 * x) * M_LN2 + lgammafn(2 * x) - 2 * lgammafn(x);
        assert_near(cp_special_log_gamma_half(x), oracle, 1e-13);
    }
    for (double x = 1e4; x < 1e15; x *= 3) {
        double oracle = 0.5 * log(x) + log1p(-1 / (8 * x) + 1 / (128 * x * x));
        assert_near(cp_special_log_gamma_half(x), oracle, 1e-15);
    }
}

static void incomplete_gamma_agrees(void **state) {
    (void)state;
    static const double shapes[] = {1e-4, 0.1, 0.5, 1, 2.5, 9.9, 10, 40, 1e3, 1e5, 1e8};
    static const double deviations[] = {-30, -8, -3, -1, -0.1, 0, 0.1, 1, 3, 8, 30};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(deviations); j++) {
            double a = shapes[i], x = a + deviations[j] * sqrt(a);
            if (x <= 0) x = a * exp(deviations[j]);
            assert_rel(cp_special_gamma_lower(a, x), pgamma(x, a, 1, 1, 0), 2e-11);
        }
    assert_true(cp_special_gamma_lower(2, 0) == 0 && cp_special_gamma_lower(2, INFINITY) == 1);
}

static void incomplete_beta_agrees(void **state) {
    (void)state;
    static const double shapes[] = {0.01, 0.5, 1, 3, 11, 60, 1000};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(shapes); j++)
            for (double x = 1e-6; x < 1; x += 0.0173)
                assert_near(cp_special_beta_lower(shapes[i], shapes[j], x, 1 - x), pbeta(x, shapes[i], shapes[j], 1, 0),
                            1e-12);
    assert_rel(cp_special_beta_lower(50, 0.5, 1e-5, 1 - 1e-5), gsl_sf_beta_inc(50, 0.5, 1e-5), 1e-12);
    assert_true(cp_special_beta_lower(2, 3, 0, 1) == 0 && cp_special_beta_lower(2, 3, 1, 0) == 1);
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_sum_exp_survives_any_size),   cmocka_unit_test(normal_cdf_agrees_to_the_far_tail),
        cmocka_unit_test(normal_quantile_inverts_the_cdf), cmocka_unit_test(log_gamma_agrees),
        cmocka_unit_test(log_gamma_half_step_agrees),      cmocka_unit_test(incomplete_gamma_agrees),
        cmocka_unit_test(incomplete_beta_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
