/* Student's distribution at many points equals that at one; all tiers give the same bits. */
#include "check.h"

#include <math.h>

#include "num/dens.h"
#include "num/student.h"

static const double dfs[] = {2, 3, 4.5, 16, 30, 500, 2e4};

static void fill(cp_normal_points *p) {
    p->n = CP_NORMAL_POINTS;
    for (size_t k = 0; k < CP_NORMAL_POINTS; k++) {
        p->y[k] = 5 + 3 * ((double)k - 15.5) * fabs((double)k - 15.5) / 20;
        p->sign[k] = k % 2 ? 1 : -1;
        p->mass[k] = p->density[k] = p->slope[k] = 0;
    }
}

static double density(double y, double df) {
    return 0.25 / 3 * exp(cp_dens_student_log((y - 5) / 3, df));
}

static void equals_one_point(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(dfs); i++) {
        cp_student c = cp_student_make(5, 3, 0.25, dfs[i]);
        cp_normal_points p;
        fill(&p);
        cp_student_add(&c, &p);
        for (size_t k = 0; k < CP_NORMAL_POINTS; k++) {
            double y = p.y[k], f = density(y, dfs[i]), h = 1e-5;
            assert_near(p.mass[k], 0.25 * cp_dens_student_cdf(p.sign[k] * (y - 5) / 3, dfs[i]), 1e-15);
            assert_near(p.density[k], f, f * (1e-12 + 1e-15 * dfs[i]));
            assert_near(p.slope[k], (density(y + h, dfs[i]) - density(y - h, dfs[i])) / (2 * h), 1e-8);
        }
    }
}

static void rough_masses_are_near(void **state) {
    static const double off[] = {2e-2, 1e-3, 1e-4, 1e-10, 2e-12, 1e-12, 5e-12};
    (void)state;
    for (size_t i = 0; i < COUNT(dfs); i++) {
        cp_student c = cp_student_make(5, 3, 0.25, dfs[i]);
        cp_normal_points p, exact;
        fill(&p);
        fill(&exact);
        cp_student_add_roughly(&c, &p);
        cp_student_add(&c, &exact);
        for (size_t k = 0; k < CP_NORMAL_POINTS; k++) {
            assert_near(p.mass[k], exact.mass[k], off[i]);
            assert_true(p.density[k] == exact.density[k]);
        }
    }
}

static void tiers_agree(void **state) {
    (void)state;
    cp_student_fn plain = cp_student_find(CP_TIER_PLAIN), fast = cp_student_find(CP_TIER_AVX2);
    if (!fast) skip();
    for (size_t i = 0; i < COUNT(dfs); i++) {
        cp_student_points a = {0}, b;
        for (size_t k = 0; k < CP_NORMAL_POINTS; k++) a.z[k] = (k % 2 ? 1 : -1) * pow(10, (double)k * 2 - 20);
        b = a;
        plain(dfs[i], CP_NORMAL_POINTS, &a);
        fast(dfs[i], CP_NORMAL_POINTS, &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_one_point),
        cmocka_unit_test(rough_masses_are_near),
        cmocka_unit_test(tiers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
