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

static void exponentials_agree_with_the_oracle(void **state) {
    double a[MANY], out[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++) a[i] = i % 7 ? 710 * fabs(sin(i)) : 1e-3 * fabs(cos(i));
    a[0] = 0;
    a[1] = INFINITY;
    cp_normal_exp_minus(a, MANY, out);
    for (int i = 0; i < MANY; i++) {
        double want = a[i] < 708 ? exp(-a[i]) : 0;
        assert_true(fabs(out[i] - want) <= (1e-15 + 1e-16 * fmin(a[i], 708)) * want);
    }
}

/* ------------------------------------------------------------------------------------------------ sums of mixtures */

static void some_gaussians(cp_normal_gaussians *g, cp_normal_points *p, size_t points) {
    *g = (cp_normal_gaussians){.n = 37};
    *p = (cp_normal_points){.n = points};
    for (size_t i = 0; i < g->n; i++) {
        g->loc[i] = 1e3 + 3 * sin((double)i);
        g->rate[i] = exp(cos(3 * (double)i));
        g->weight[i] = 1 / (double)g->n;
    }
    for (size_t k = 0; k < CP_NORMAL_POINTS; k++) {
        p->y[k] = 1e3 - 6 + 0.4 * (double)k;
        p->sign[k] = k % 3 ? 1 : -1;
    }
}

static void sums_agree_with_the_oracle(void **state) {
    cp_normal_gaussians g;
    cp_normal_points exact, rough;
    (void)state;
    some_gaussians(&g, &exact, CP_NORMAL_POINTS);
    rough = exact;
    cp_normal_add(&g, &exact);
    cp_normal_add_roughly(&g, &rough);
    for (size_t k = 0; k < exact.n; k++) {
        double mass = 0, density = 0, slope = 0, steepness = 0;
        for (size_t i = 0; i < g.n; i++) {
            double z = (exact.y[k] - g.loc[i]) * g.rate[i], bell = g.weight[i] * g.rate[i] * dnorm(z, 0, 1, 0);
            mass += g.weight[i] * pnorm(z, 0, 1, exact.sign[k] > 0, 0);
            density += bell;
            slope -= bell * z * g.rate[i];
            steepness += bell * fabs(z) * g.rate[i];
        }
        assert_true(fabs(exact.mass[k] - mass) <= 1e-12 * mass);
        assert_true(fabs(exact.density[k] - density) <= 1e-12 * density);
        assert_true(fabs(exact.slope[k] - slope) <= 1e-12 * steepness);
        assert_true(fabs(rough.mass[k] - mass) <= 1e-6);
        assert_true(fabs(rough.density[k] - density) <= 1e-5 * density);
        assert_true(fabs(rough.slope[k] - slope) <= 1e-5 * steepness);
    }
}

static void sums_of_instruction_sets_agree_bit_for_bit(void **state) {
    cp_normal_gaussians g;
    (void)state;
    for (int roughly = 0; roughly < 2; roughly++)
        for (size_t n = 1; n <= CP_NORMAL_POINTS; n++) {
            cp_normal_points a, b;
            cp_normal_add_fn plain = cp_normal_find_add(CP_TIER_PLAIN, roughly),
                             fast = cp_normal_find_add(CP_TIER_AVX2, roughly);
            if (!fast) skip();
            some_gaussians(&g, &a, n);
            b = a;
            plain(&g, &a);
            fast(&g, &b);
            assert_memory_equal(a.mass, b.mass, n * sizeof *a.mass);
            assert_memory_equal(a.density, b.density, n * sizeof *a.density);
            assert_memory_equal(a.slope, b.slope, n * sizeof *a.slope);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_oracle_to_the_far_tail),
        cmocka_unit_test(is_one_half_in_the_middle),
        cmocka_unit_test(is_zero_and_one_far_out),
        cmocka_unit_test(instruction_sets_agree_bit_for_bit),
        cmocka_unit_test(exponentials_agree_with_the_oracle),
        cmocka_unit_test(sums_agree_with_the_oracle),
        cmocka_unit_test(sums_of_instruction_sets_agree_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
