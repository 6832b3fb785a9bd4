#include "check.h"

#include "num/quadrature.h"

typedef struct counted {
    double (*f)(double x);
    size_t calls;
} counted;

static void many(const void *arg, const double *x, size_t n, double *out) {
    counted *c = *(counted *const *)arg;
    c->calls += n;
    for (size_t i = 0; i < n; i++) out[i] = c->f(x[i]);
}

static cp_quadrature_result integrate(double (*f)(double), const double *breaks, size_t n, double rel,
                                      size_t *out_calls) {
    counted c = {f, 0};
    counted *arg = &c;
    cp_quadrature_result r = cp_quadrature(many, &arg, breaks, n, rel, 0);
    if (out_calls) *out_calls = c.calls;
    return r;
}

static double poly(double x) {
    return 1 + x * x * (3 - 5 * pow(x, 6));
}
static double bell(double x) {
    return exp(-0.5 * x * x);
}
static double step_at_pi(double x) {
    return x < 3.14159265358979 ? 1 : 0;
}
static double late_step(double x) { /* between the last point of a rule and the end of the first panel */
    return x < 999.5 ? 1 : 0;
}
static double kink(double x) {
    return fabs(x - 0.1);
}
static double none(double x) {
    (void)x;
    return 0;
}

static void polynomials_are_exact_in_one_panel(void **state) {
    (void)state;
    size_t calls;
    cp_quadrature_result r = integrate(poly, (double[]){-1, 2}, 2, 1e-12, &calls);
    assert_near(r.value, 3 + 9 - 5.0 / 9 * (512 + 1), 1e-14);
    assert_int_equal(calls, 17);
    assert_true(r.converged);
}

static void smooth_functions_meet_the_tolerance(void **state) {
    (void)state;
    for (double rel = 1e-3; rel > 1e-13; rel /= 10) {
        cp_quadrature_result r = integrate(bell, (double[]){-9, 12}, 2, rel, NULL);
        assert_true(r.converged);
        assert_true(fabs(r.value - 2.50662827463100050) <= rel * 2.6);
        assert_true(fabs(r.value - 2.50662827463100050) <= r.error + 1e-15);
    }
}

static void steps_are_found_wherever_they_hide(void **state) {
    (void)state;
    cp_quadrature_result r = integrate(step_at_pi, (double[]){0, 1e6}, 2, 1e-8, NULL);
    assert_true(r.converged);
    assert_near(r.value, 3.14159265358979, 1e-7);
    r = integrate(late_step, (double[]){0, 1000}, 2, 1e-8, NULL);
    assert_near(r.value, 999.5, 1e-7);
}

static void breaks_help_where_a_function_is_not_smooth(void **state) {
    (void)state;
    size_t with, without;
    assert_near(integrate(kink, (double[]){-1, 0.1, 0.1, 1}, 4, 1e-9, &with).value, 0.5 * (1.21 + 0.81), 1e-15);
    assert_near(integrate(kink, (double[]){-1, 1}, 2, 1e-9, &without).value, 0.5 * (1.21 + 0.81), 1e-9);
    assert_int_equal(with, 34);
    assert_true(with < without);
}

static void little_is_spent_on_a_small_part_of_a_large_sum(void **state) {
    (void)state;
    counted c = {kink, 0};
    counted *arg = &c;
    cp_quadrature_result r = cp_quadrature(many, &arg, (double[]){-1, 1}, 2, 1e-6, 1e6);
    assert_int_equal(c.calls, 17);
    assert_true(r.converged);
}

static void nothing_integrates_to_zero(void **state) {
    (void)state;
    cp_quadrature_result r = integrate(none, (double[]){0, 1}, 2, 1e-9, NULL);
    assert_true(r.value == 0 && r.converged);
    assert_true(integrate(bell, (double[]){1, 1}, 2, 1e-9, NULL).value == 0);
    assert_true(integrate(bell, NULL, 0, 1e-9, NULL).value == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_exact_in_one_panel),
        cmocka_unit_test(smooth_functions_meet_the_tolerance),
        cmocka_unit_test(steps_are_found_wherever_they_hide),
        cmocka_unit_test(breaks_help_where_a_function_is_not_smooth),
        cmocka_unit_test(little_is_spent_on_a_small_part_of_a_large_sum),
        cmocka_unit_test(nothing_integrates_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
