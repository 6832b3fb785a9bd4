#include "check.h"

#include "num/draw.h"
#include "num/stat.h"

static void moments_keep_their_digits_at_a_large_offset(void **state) {
    (void)state;
    cp_stat s = {0};
    for (int i = 0; i < 1000; i++) cp_stat_add(&s, 1e9 + i % 2, 1);
    assert_near(s.mean, 1e9 + 0.5, 1e-15);
    assert_near(cp_stat_var(&s), 0.25, 1e-9);
}

static void moments_of_none_and_one(void **state) {
    (void)state;
    cp_stat s = {0};
    assert_true(isnan(cp_stat_var(&s)));
    cp_stat_add(&s, 7, 0);
    assert_true(s.weight == 0);
    cp_stat_add(&s, 7, 2.5);
    assert_true(s.mean == 7 && s.weight == 2.5 && cp_stat_var(&s) == 0);
}

static void weights_are_repetitions(void **state) {
    (void)state;
    cp_stat weighted = {0}, repeated = {0};
    for (int i = 1; i <= 20; i++) {
        cp_stat_add(&weighted, sin(i), i);
        for (int k = 0; k < i; k++) cp_stat_add(&repeated, sin(i), 1);
    }
    assert_near(weighted.mean, repeated.mean, 1e-14);
    assert_near(weighted.squares, repeated.squares, 1e-13);
}

static void merging_equals_adding(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (int cut = 0; cut <= 50; cut += 10) {
        cp_stat whole = {0}, first = {0}, second = {0};
        for (int i = 0; i < 50; i++) {
            double x = 1e6 + cp_draw_normal(&rng), w = cp_draw_exp(&rng);
            cp_stat_add(&whole, x, w);
            cp_stat_add(i < cut ? &first : &second, x, w);
        }
        cp_stat_merge(&first, &second);
        assert_near(first.weight, whole.weight, 1e-14);
        assert_near(first.mean, whole.mean, 1e-15);
        assert_near(first.squares, whole.squares, 1e-9);
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void quantiles_equal_those_of_the_sorted_array(void **state) {
    (void)state;
    enum { MOST = 200 };
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t n = 1; n <= MOST; n++)
        for (uint64_t values = 1; values <= 1000; values *= 10) { /* few values: many ties */
            double v[MOST], sorted[MOST], work[MOST];
            for (size_t i = 0; i < n; i++) sorted[i] = v[i] = (double)cp_rng_below(&rng, values);
            qsort(sorted, n, sizeof *sorted, by_value);
            for (double q = 0; q <= 1; q += 0.125) {
                double place = q * (double)(n - 1);
                size_t k = (size_t)place, next = k + 1 < n ? k + 1 : k;
                memcpy(work, v, sizeof v);
                assert_near(cp_stat_quantile(work, n, q), sorted[k] + (place - (double)k) * (sorted[next] - sorted[k]),
                            1e-15);
            }
        }
}

static void medians_of_ordered_arrays(void **state) {
    (void)state;
    static double up[100001], down[100001], same[100000];
    for (size_t i = 0; i < 100001; i++) {
        up[i] = (double)i;
        down[i] = -(double)i;
    }
    assert_true(cp_stat_median(up, 100001) == 50000);
    assert_true(cp_stat_median(down, 100001) == -50000);
    assert_true(cp_stat_median(same, 100000) == 0);
    assert_true(isnan(cp_stat_median(NULL, 0)));
    assert_true(cp_stat_median((double[]){4, 1}, 2) == 2.5);
    assert_true(cp_stat_median((double[]){-1.5e308, 1.5e308}, 2) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_keep_their_digits_at_a_large_offset),
        cmocka_unit_test(moments_of_none_and_one),
        cmocka_unit_test(weights_are_repetitions),
        cmocka_unit_test(merging_equals_adding),
        cmocka_unit_test(quantiles_equal_those_of_the_sorted_array),
        cmocka_unit_test(medians_of_ordered_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
