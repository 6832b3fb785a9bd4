#include "check.h"

#include "num/rng.h"
#include "num/stat.h"

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void medians_equal_those_of_the_sorted_array(void **state) {
    (void)state;
    enum { MOST = 200 };
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t n = 1; n <= MOST; n++)
        for (uint64_t values = 1; values <= 1000; values *= 10) { /* few values: many ties */
            double v[MOST], sorted[MOST], work[MOST];
            for (size_t i = 0; i < n; i++) sorted[i] = v[i] = (double)cp_rng_below(&rng, values);
            qsort(sorted, n, sizeof *sorted, by_value);
            memcpy(work, v, sizeof v);
            assert_true(cp_stat_median(work, n) == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
        }
}

/* Values in any order; in a rhythm that a sample of every so manyth value gets all wrong; of many ties; far out. */
static void medians_of_many_values(void **state) {
    (void)state;
    enum { MOST = 40000 };
    static double sorted[MOST], work[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t n = 16382; n <= MOST; n += 1181)
        for (int kind = 0; kind < 5; kind++) {
            for (size_t i = 0; i < n; i++) {
                double u = cp_rng_unit(&rng);
                if (kind == 1) u += i % (n / 1024) ? 0 : 5;
                if (kind == 2) u = floor(3 * u);
                if (kind == 3) u = 1 / (u - 0.5);
                if (kind == 4) u = i % 3 ? -INFINITY : INFINITY;
                sorted[i] = work[i] = u;
            }
            qsort(sorted, n, sizeof *sorted, by_value);
            assert_true(cp_stat_median(work, n) == 0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2]);
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
        cmocka_unit_test(medians_equal_those_of_the_sorted_array),
        cmocka_unit_test(medians_of_many_values),
        cmocka_unit_test(medians_of_ordered_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
