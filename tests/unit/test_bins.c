#include "check.h"

#include "base/mem.h"
#include "data/bins.h"
#include "num/rng.h"

static cp_bins make(const float *x, size_t rows, size_t dims, const uint32_t *levels, int threads) {
    cp_bins b;
    copse_error err;
    copse_run run = {.threads = threads};
    must(cp_bins_init(&b, &(cp_bins_data){x, rows, dims, levels}, &run, &err), err);
    return b;
}

static unsigned bin_at(const cp_bins *b, size_t row, size_t dim) {
    return b->bin[row * b->stride + dim];
}

/* What the header promises about a column of numbers: each row's bin is the one whose cuts enclose it, cuts rise, each
 * bin in use holds a row, and cuts lie between the neighbours that are told. */
static void assert_column(const cp_bins *b, const float *x, size_t dim) {
    const float *cut = b->cut + dim * CP_BINS_MAX;
    const float *low = b->low + dim * CP_BINS_MAX, *high = b->high + dim * CP_BINS_MAX;
    size_t bins = b->count[dim], held[CP_BINS_MAX] = {0};
    assert_true(bins <= CP_BINS_MAX);
    for (size_t i = 0; i < b->rows; i++) {
        float v = x[i * b->dims + dim];
        unsigned at = bin_at(b, i, dim);
        if (isnan(v)) {
            assert_int_equal(at, CP_BINS_MISSING);
            continue;
        }
        assert_true(at < bins);
        assert_true(at == 0 || cut[at - 1] < v);
        assert_true(at + 1 == bins || v <= cut[at]);
        held[at]++;
    }
    for (size_t k = 0; k < bins; k++) {
        assert_true(held[k] > 0);
        assert_true(low[k] <= high[k]);
        if (k + 1 == bins) break;
        assert_true(high[k] <= cut[k] && cut[k] < low[k + 1]);
        assert_true(cut[k] == cp_bins_middle(high[k], low[k + 1]));
        assert_true(cut[k] == cp_bins_between(b, dim, k, k + 1));
    }
    for (size_t k = bins ? bins - 1 : 0; k < CP_BINS_MAX; k++) assert_true(isinf(cut[k]) && cut[k] > 0);
}

static void a_middle_parts_its_neighbours(void **state) {
    (void)state;
    const float v[] = {-INFINITY, -FLT_MAX, -1e30f,           -1, nextafterf(-1, 0), -FLT_MIN, -1e-45f, 0,       1e-45f,
                       FLT_MIN,   1,        nextafterf(1, 2), 2,  16777216,          16777218, FLT_MAX, INFINITY};
    for (size_t i = 0; i < COUNT(v); i++)
        for (size_t j = i + 1; j < COUNT(v); j++) {
            float m = cp_bins_middle(v[i], v[j]);
            assert_true(v[i] <= m && m < v[j]);
        }
    assert_true(cp_bins_middle(1, 2) == 1.5f);
    assert_true(cp_bins_middle(-FLT_MAX, FLT_MAX) == 0);
    assert_true(cp_bins_middle(0.9f * FLT_MAX, FLT_MAX) > 0.9f * FLT_MAX);
    assert_true(cp_bins_middle(16777216, 16777218) == 16777216); /* 16777217 is no float */
}

/* One to 255 values: bin = rank of the value among the distinct ones. */
static void few_values_have_a_bin_each(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t distinct = 1; distinct <= CP_BINS_MAX; distinct += distinct < 4 ? 1 : 83) {
        enum { ROWS = 3000 };
        static float x[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            size_t rank = i < distinct ? i : cp_rng_below(&rng, distinct);
            x[i] = ((float)rank - 100) * 0.37f;
        }
        cp_bins b = make(x, ROWS, 1, NULL, 1);
        assert_int_equal(b.count[0], distinct);
        assert_column(&b, x, 0);
        for (size_t i = 0; i < ROWS; i++) {
            size_t rank = (size_t)lroundf(x[i] / 0.37f + 100);
            assert_int_equal(bin_at(&b, i, 0), rank);
            assert_true(b.low[rank] == x[i] && b.high[rank] == x[i]);
        }
        cp_bins_clear(&b);
    }
}

static void many_values_share_bins_evenly(void **state) {
    (void)state;
    static float x[300000];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t rows = 256; rows <= 300000; rows = rows < 1000 ? 10000 : rows * 30) {
        for (size_t i = 0; i < rows; i++) x[i] = (float)tan(3.14 * (cp_rng_unit(&rng) - 0.5));
        cp_bins b = make(x, rows, 1, NULL, 1);
        assert_column(&b, x, 0);
        assert_true(b.count[0] > 240);
        size_t held[CP_BINS_MAX + 1] = {0};
        for (size_t i = 0; i < rows; i++) held[bin_at(&b, i, 0)]++;
        double fair = (double)rows / CP_BINS_MAX; /* sampled: 6 deviations of the sample's share */
        double slack = rows > 262144 ? 6 * fair / sqrt(131072. / CP_BINS_MAX) : 1.5;
        for (size_t k = 0; k < b.count[0]; k++) assert_true(fabs((double)held[k] - fair) <= slack);
        cp_bins_clear(&b);
    }
}

/* A value that fills half the rows must not cost the others their bins. */
static void a_frequent_value_has_a_bin_of_its_own(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    static float x[ROWS];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) x[i] = i % 2 ? 0.25f : (float)cp_rng_unit(&rng);
    cp_bins b = make(x, ROWS, 1, NULL, 1);
    assert_column(&b, x, 0);
    assert_true(b.count[0] >= 250);
    unsigned own = bin_at(&b, 1, 0);
    assert_true(b.high[own] - b.low[own] < 0.01f);
    size_t most = 0, held[CP_BINS_MAX + 1] = {0};
    for (size_t i = 0; i < ROWS; i++) held[bin_at(&b, i, 0)]++;
    for (size_t k = 0; k < b.count[0]; k++)
        if (k != own && held[k] > most) most = held[k];
    assert_true(most <= 60);
    cp_bins_clear(&b);
}

/* 254 values of 100 rows, and 253 single ones between them: no more than 255 bins, whatever the mixture. */
static void frequent_values_may_leave_no_bins(void **state) {
    (void)state;
    enum { MOST = 300 * 101 };
    static float x[MOST];
    for (size_t frequent = 1; frequent <= 300; frequent += frequent < 240 ? 17 : 1) {
        for (int before = 0; before <= 1; before++) {
            size_t n = 0;
            for (size_t k = 0; k < frequent; k++) {
                if (before) x[n++] = (float)k - 0.5f;
                for (size_t i = 0; i < 100; i++) x[n++] = (float)k;
                if (!before) x[n++] = (float)k + 0.5f;
            }
            cp_bins b = make(x, n, 1, NULL, 1);
            assert_column(&b, x, 0);
            assert_true(b.count[0] >= (2 * frequent < 255 ? 2 * frequent : 250));
            cp_bins_clear(&b);
        }
    }
}

/* Where the sample sees few values, the whole column decides: rare ones have their bins too. */
static void rare_values_of_long_columns_are_found(void **state) {
    (void)state;
    enum { ROWS = 400000 };
    float *x = malloc(2 * ROWS * sizeof *x);
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = (float)(i % 7);
        x[2 * i + 1] = (float)(i % 2);
    }
    for (size_t i = 0; i < 200; i++) x[2 * (i * 1999 + 77)] = 1000 + (float)i;
    for (size_t i = 0; i < 300; i++) x[2 * (i * 1301 + 13) + 1] = -1 - (float)i;
    cp_bins b = make(x, ROWS, 2, NULL, 2);
    assert_int_equal(b.count[0], 207);
    assert_true(b.count[1] <= CP_BINS_MAX);
    for (size_t d = 0; d < 2; d++) assert_column(&b, x, d);
    cp_bins_clear(&b);
    free(x);
}

static void missing_infinite_and_neighbouring_values(void **state) {
    (void)state;
    float x[] = {NAN, 1, -INFINITY, INFINITY, nextafterf(1, 2), 0.0f, -0.0f, -NAN, FLT_MAX, -FLT_MAX, 1e-45f};
    cp_bins b = make(x, COUNT(x), 1, NULL, 1);
    assert_column(&b, x, 0);
    assert_int_equal(b.count[0], 8);
    assert_int_equal(bin_at(&b, 5, 0), bin_at(&b, 6, 0));
    assert_int_equal(bin_at(&b, 7, 0), CP_BINS_MISSING);
    cp_bins_clear(&b);

    float none[] = {NAN, NAN, NAN};
    b = make(none, 3, 1, NULL, 1);
    assert_int_equal(b.count[0], 0);
    assert_column(&b, none, 0);
    cp_bins_clear(&b);
}

static void a_level_is_its_bin(void **state) {
    (void)state;
    enum { ROWS = 600 };
    static float x[3 * ROWS];
    const uint32_t levels[] = {5, 255, 400};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t d = 0; d < 3; d++) x[3 * i + d] = i == 7 ? NAN : (float)(i % (levels[d] + 1));
    cp_bins b = make(x, ROWS, 3, levels, 2);
    assert_int_equal(b.stride, 4);
    for (size_t d = 0; d < 3; d++) {
        assert_int_equal(b.count[d], levels[d] < 255 ? levels[d] : 255);
        for (size_t i = 0; i < ROWS; i++) {
            float code = x[3 * i + d];
            unsigned want = isnan(code) || code == (float)levels[d] ? CP_BINS_MISSING
                            : code < 254                            ? (unsigned)code
                                                                    : 254;
            assert_int_equal(bin_at(&b, i, d), want);
        }
    }
    cp_bins_clear(&b);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    enum { ROWS = 5000, DIMS = 70 };
    float *x = malloc(ROWS * DIMS * sizeof *x);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < (size_t)ROWS * DIMS; i++)
        x[i] = cp_rng_below(&rng, 20) ? (float)floor(cp_rng_unit(&rng) * (double)(i % DIMS * 50)) : NAN;
    cp_bins one = make(x, ROWS, DIMS, NULL, 1);
    for (size_t d = 0; d < DIMS; d++) assert_column(&one, x, d);
    for (int threads = 2; threads <= 7; threads += 5) {
        cp_bins b = make(x, ROWS, DIMS, NULL, threads);
        assert_memory_equal(b.bin, one.bin, ROWS * b.stride + 8);
        assert_memory_equal(b.cut, one.cut, DIMS * CP_BINS_MAX * sizeof *b.cut);
        assert_memory_equal(b.count, one.count, DIMS * sizeof *b.count);
        cp_bins_clear(&b);
    }
    cp_bins_clear(&one);
    free(x);
}

static void no_rows_and_no_columns(void **state) {
    (void)state;
    float x[1] = {1};
    cp_bins b = make(x, 0, 1, NULL, 1);
    assert_int_equal(b.count[0], 0);
    cp_bins_clear(&b);
    b = make(x, 1, 0, NULL, 1);
    assert_non_null(b.bin);
    cp_bins_clear(&b);
    cp_bins_clear(&b);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6};
    for (long k = 0;; k++) {
        cp_bins b;
        copse_error err;
        copse_run run = {.threads = 2};
        cp_mem_fail_after(k);
        copse_status status = cp_bins_init(&b, &(cp_bins_data){x, 3, 2, NULL}, &run, &err);
        cp_mem_fail_after(-1);
        assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
        if (status) assert_null(b.bin);
        cp_bins_clear(&b);
        if (!status) {
            assert_true(k > 5);
            return;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_middle_parts_its_neighbours),
        cmocka_unit_test(few_values_have_a_bin_each),
        cmocka_unit_test(many_values_share_bins_evenly),
        cmocka_unit_test(a_frequent_value_has_a_bin_of_its_own),
        cmocka_unit_test(frequent_values_may_leave_no_bins),
        cmocka_unit_test(rare_values_of_long_columns_are_found),
        cmocka_unit_test(missing_infinite_and_neighbouring_values),
        cmocka_unit_test(a_level_is_its_bin),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(no_rows_and_no_columns),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
