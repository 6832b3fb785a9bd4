#include "check.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "num/dens.h"

static void exponential_agrees(void **state) {
    (void)state;
    for (double x = 1e-12; x < 1e3; x *= 1.3) assert_rel(cp_dens_exp_cdf(x), pexp(x, 1, 1, 0), 1e-15);
    assert_true(cp_dens_exp_cdf(-1) == 0 && cp_dens_exp_cdf(INFINITY) == 1);
}

static void normal_agrees(void **state) {
    (void)state;
    for (double x = -37; x < 37; x += 0.13) {
        assert_rel(cp_dens_normal_cdf(x), pnorm(x, 0, 1, 1, 0), 3e-13);
        assert_near(cp_dens_normal_log(x), dnorm(x, 0, 1, 1), 1e-15);
    }
}

static void gamma_agrees(void **state) {
    (void)state;
    static const double shapes[] = {0.05, 1, 3.3, 50, 1e4};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (double x = shapes[i] / 20; x < 4 * shapes[i]; x *= 1.1)
            assert_rel(cp_dens_gamma_cdf(x, shapes[i]), pgamma(x, shapes[i], 1, 1, 0), 1e-12);
    assert_true(cp_dens_gamma_cdf(-1, 2) == 0);
}

static void student_agrees_for_all_degrees_of_freedom(void **state) {
    (void)state;
    static const double dfs[] = {0.1, 0.5, 1, 2, 3.7, 10, 100, 1999, 9999, 1e4, 1e6, 1e12, INFINITY};
    for (size_t i = 0; i < COUNT(dfs); i++) {
        double df = dfs[i];
        for (double x = 1e-8; x < 25; x *= 1.17) {
            assert_rel(cp_dens_student_cdf(-x, df), pt(-x, df, 1, 0), 1e-11);
            assert_rel(cp_dens_student_cdf(x, df), pt(x, df, 1, 0), 1e-13);
            assert_near(cp_dens_student_log(x, df), dt(x, df, 1), 1e-13);
        }
    }
}

static void student_tails_reach_the_ends_of_the_doubles(void **state) {
    (void)state;
    assert_rel(cp_dens_student_cdf(-1e200, 1), 1e-200 / M_PI, 1e-12);
    assert_rel(cp_dens_student_cdf(-1e300, 0.5), pt(-1e300, 0.5, 1, 0), 1e-11);
    assert_true(cp_dens_student_cdf(-INFINITY, 3) == 0 && cp_dens_student_cdf(INFINITY, 3) == 1);
    assert_true(cp_dens_student_cdf(0, 3) == 0.5);
    assert_near(cp_dens_student_log(1e200, 1), -400 * log(10) - log(M_PI), 1e-13);
}

static void student_deviate_has_the_same_cdf(void **state) {
    (void)state;
    static const double dfs[] = {16, 17.5, 30, 200, 1e4, 1e9};
    for (size_t i = 0; i < COUNT(dfs); i++)
        for (double x = 1e-8; x < 1e6; x *= 1.17) {
            double most = dfs[i] < 30 ? 1e-10 : 2e-12;
            assert_near(pnorm(cp_dens_student_deviate(-x, dfs[i]), 0, 1, 1, 0), pt(-x, dfs[i], 1, 0), most);
            assert_near(pnorm(cp_dens_student_deviate(x, dfs[i]), 0, 1, 1, 0), pt(x, dfs[i], 1, 0), most);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_agrees),
        cmocka_unit_test(normal_agrees),
        cmocka_unit_test(gamma_agrees),
        cmocka_unit_test(student_agrees_for_all_degrees_of_freedom),
        cmocka_unit_test(student_tails_reach_the_ends_of_the_doubles),
        cmocka_unit_test(student_deviate_has_the_same_cdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
