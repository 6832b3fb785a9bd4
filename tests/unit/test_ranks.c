#include "check.h"

#include "base/mem.h"
#include "data/ranks.h"
#include "num/rng.h"

static cp_ranks ranks_of(const float *x, size_t rows, size_t dims, int threads) {
    cp_ranks r;
    copse_error err;
    copse_run run = {.threads = threads};
    must(cp_ranks_init(&r, x, rows, dims, &run, &err), err);
    return r;
}

/* Every rank by its definition: the number of different values below. */
static void check_literally(const cp_ranks *r, const float *x) {
    for (size_t d = 0; d < r->dims; d++) {
        const float *v = cp_ranks_values(r, d);
        size_t count = cp_ranks_count(r, d);
        for (size_t c = 1; c < count; c++) assert_true(v[c - 1] < v[c]);
        unsigned char *seen = calloc(count, 1);
        for (size_t i = 0; i < r->rows; i++) {
            uint32_t rank = cp_ranks_column(r, d)[i];
            assert_true(rank < count);
            assert_true(v[rank] == x[i * r->dims + d]);
            seen[rank] = 1;
        }
        for (size_t c = 0; c < count; c++) assert_true(seen[c]);
        free(seen);
    }
}

static void ranks_count_the_values_below(void **state) {
    (void)state;
    const float x[] = {3, 1, -1, 1, 3, 1, 7, 1, 2, 1};
    cp_ranks r = ranks_of(x, 5, 2, 1);
    const uint32_t want[] = {2, 0, 2, 3, 1};
    assert_memory_equal(cp_ranks_column(&r, 0), want, sizeof want);
    assert_int_equal(cp_ranks_count(&r, 0), 4);
    assert_int_equal(cp_ranks_count(&r, 1), 1); /* a constant column */
    assert_true(cp_ranks_width(&r, 0, 0, 3) == 8);
    check_literally(&r, x);
    cp_ranks_clear(&r);
}

static void made_up_columns_on_any_number_of_threads(void **state) {
    (void)state;
    enum { ROWS = 700, DIMS = 9 };
    static float x[ROWS * DIMS];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < COUNT(x); i++) { /* column d has about 4^d values; some are far from 0 */
        double u = floor(cp_rng_unit(&rng) * pow(4, (double)(i % DIMS))) - 3;
        x[i] = (float)(i % DIMS == 5 ? 1e9 + 1000 * u : u / 7);
    }
    cp_ranks one = ranks_of(x, ROWS, DIMS, 1), three = ranks_of(x, ROWS, DIMS, 3);
    check_literally(&one, x);
    assert_memory_equal(one.rank, three.rank, ROWS * DIMS * sizeof *one.rank);
    assert_memory_equal(one.start, three.start, (DIMS + 1) * sizeof *one.start);
    assert_memory_equal(one.value, three.value, one.start[DIMS] * sizeof *one.value);
    cp_ranks_clear(&one);
    cp_ranks_clear(&three);
}

static void two_zeros_are_one_value(void **state) {
    (void)state;
    const float x[] = {0.0f, -0.0f, -FLT_MIN};
    cp_ranks r = ranks_of(x, 3, 1, 1);
    assert_int_equal(cp_ranks_count(&r, 0), 2);
    assert_int_equal(r.rank[0], r.rank[1]);
    assert_false(signbit(cp_ranks_values(&r, 0)[1]));
    cp_ranks_clear(&r);
}

static void one_row_and_no_row(void **state) {
    (void)state;
    const float x[] = {2, -FLT_MAX};
    cp_ranks r = ranks_of(x, 1, 2, 1);
    assert_int_equal(cp_ranks_count(&r, 1), 1);
    assert_int_equal(r.rank[1], 0);
    cp_ranks_clear(&r);
    r = ranks_of(x, 0, 2, 1);
    assert_int_equal(cp_ranks_count(&r, 0), 0);
    cp_ranks_clear(&r);
}

static void width_of_the_widest_column_is_finite(void **state) {
    (void)state;
    const float x[] = {-FLT_MAX, FLT_MAX};
    cp_ranks r = ranks_of(x, 2, 1, 1);
    assert_true(cp_ranks_width(&r, 0, 0, 1) == 2 * (double)FLT_MAX);
    cp_ranks_clear(&r);
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    const float x[] = {3, 1, 2, 4};
    copse_error err;
    copse_run run = {.threads = 1};
    cp_ranks r;
    for (long k = 0;; k++) {
        cp_mem_fail_after(k);
        copse_status status = cp_ranks_init(&r, x, 2, 2, &run, &err);
        cp_mem_fail_after(-1);
        if (!status) {
            assert_true(k > 3);
            break;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(r.rank);
    }
    cp_ranks_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_count_the_values_below),
        cmocka_unit_test(made_up_columns_on_any_number_of_threads),
        cmocka_unit_test(two_zeros_are_one_value),
        cmocka_unit_test(one_row_and_no_row),
        cmocka_unit_test(width_of_the_widest_column_is_finite),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
