#include "check.h"

#include "data/histogram.h"
#include "num/rng.h"

/* The oracle computes with long double, whose exponents reach so far that nothing underflows or overflows. */
static long double bin_of(double x, int e) {
    return floorl(ldexpl((long double)x, -e));
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The state that the header describes, from all values at once. */
static cp_histogram oracle(const double *x, size_t n) {
    double sorted[400];
    cp_histogram h = {0};
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) sorted[h.n++] = x[i];
    if (!h.n) return h;
    qsort(sorted, h.n, sizeof *sorted, compare);
    h.min = sorted[0] == 0 ? 0 : sorted[0];
    h.max = sorted[h.n - 1] == 0 ? 0 : sorted[h.n - 1];
    double most = fmax(fabs(h.min), fabs(h.max));
    h.exponent = most > 0 && ilogb(most) - 40 > -1000 ? ilogb(most) - 40 : -1000;
    while (bin_of(h.max, h.exponent) - bin_of(h.min, h.exponent) > 31) h.exponent++;
    h.first = (int64_t)bin_of(h.min, h.exponent);
    for (size_t i = 0; i < h.n; i++) h.count[(int64_t)bin_of(sorted[i], h.exponent) - h.first]++;
    return h;
}

static void assert_same(const cp_histogram *a, const cp_histogram *b) {
    assert_true(a->n == b->n);
    assert_memory_equal(&a->min, &b->min, sizeof a->min); /* bits: 0 is not -0 */
    assert_memory_equal(&a->max, &b->max, sizeof a->max);
    assert_int_equal(a->exponent, b->exponent);
    assert_true(a->first == b->first);
    assert_memory_equal(a->count, b->count, sizeof a->count);
    assert_true(cp_histogram_check(a));
}

static void shuffle(double *x, size_t n, cp_rng *r) {
    for (size_t i = n; i > 1; i--) {
        size_t k = cp_rng_below(r, i);
        double was = x[i - 1];
        x[i - 1] = x[k];
        x[k] = was;
    }
}

/* Adds the values in pieces of random lengths, each to a histogram of its own that is merged, or directly. */
static cp_histogram in_pieces(const double *x, size_t n, cp_rng *r) {
    cp_histogram h = {0};
    for (size_t first = 0, piece; first < n; first += piece) {
        piece = 1 + cp_rng_below(r, cp_rng_below(r, 2) ? 3 : n - first);
        if (piece > n - first) piece = n - first;
        cp_histogram other = {0};
        int merged = cp_rng_below(r, 2) == 0;
        cp_histogram_add(merged ? &other : &h, x + first, piece);
        if (merged) cp_histogram_merge(&h, &other);
    }
    return h;
}

static void assert_any_order(double *x, size_t n, cp_rng *r) {
    const cp_histogram expected = oracle(x, n);
    for (int repeat = 0; repeat < 12; repeat++) {
        cp_histogram h = in_pieces(x, n, r);
        assert_same(&h, &expected);
        shuffle(x, n, r);
    }
}

static void order_and_pieces_do_not_matter(void **state) {
    (void)state;
    double x[300];
    cp_rng r;
    cp_rng_init(&r, seed_of("order_and_pieces_do_not_matter"), 0, 0, 0);
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + cp_rng_below(&r, COUNT(x));
        int spread = (int)cp_rng_below(&r, 5) * 500, centre = (int)cp_rng_below(&r, 2040) - 1070;
        double offset = cp_rng_below(&r, 2) ? 0 : ldexp(1, (int)cp_rng_below(&r, 60));
        for (size_t i = 0; i < n; i++) {
            int e = centre + (spread ? (int)cp_rng_below(&r, (uint64_t)spread) : 0);
            x[i] = ldexp(2 * cp_rng_unit(&r) - 1, e > 1023 ? 1023 : e) + offset;
            if (cp_rng_below(&r, 20) == 0) x[i] = NAN;
        }
        assert_any_order(x, n, &r);
    }
}

static void extremes(void **state) {
    (void)state;
    static const double value[] = {1e308,    -1e308,  DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324, -5e-324,
                                   1e-310,   -1e-310, 0.,      -0.,      1,       -1,       32,     31,
                                   0x1p-960, 0x1p53,  NAN,     1e300,    -1e-300, 0.1,      1e15};
    double x[COUNT(value)];
    cp_rng r;
    cp_rng_init(&r, seed_of("extremes"), 0, 0, 0);
    for (size_t i = 0; i < COUNT(value); i++)
        for (size_t k = 0; k < COUNT(value); k++) {
            double pair[3] = {value[i], value[k], value[i]};
            assert_any_order(pair, 1 + (k % 3), &r);
            assert_any_order(pair, 3, &r);
        }
    for (int round = 0; round < 300; round++) {
        memcpy(x, value, sizeof x);
        shuffle(x, COUNT(x), &r);
        assert_any_order(x, 1 + cp_rng_below(&r, COUNT(x)), &r);
    }
}

static void bins_have_edges(void **state) {
    (void)state;
    cp_histogram h = {0};
    assert_int_equal(cp_histogram_bins(&h), 0);
    cp_histogram_add(&h, (double[]){1, 2, 2, 32}, 4); /* floor(32) - floor(1) = 31: bins of width 1 */
    assert_int_equal(cp_histogram_bins(&h), 32);
    assert_int_equal(h.exponent, 0);
    assert_true(cp_histogram_edge(&h, 0) == 1 && cp_histogram_edge(&h, 32) == 33);
    assert_true(h.count[0] == 1 && h.count[1] == 2 && h.count[31] == 1);
    cp_histogram_add(&h, (double[]){-0.}, 1); /* now 0 to 32: bins of width 2 */
    assert_int_equal(cp_histogram_bins(&h), 17);
    assert_true(cp_histogram_edge(&h, 0) == 0 && cp_histogram_edge(&h, 17) == 34);
    assert_true(h.count[0] == 2 && h.count[1] == 2 && h.count[16] == 1);
    cp_histogram_add(&h, (double[]){-DBL_MAX, DBL_MAX}, 2);
    assert_int_equal(cp_histogram_bins(&h), 32);
    assert_true(cp_histogram_edge(&h, 0) == -DBL_MAX && cp_histogram_edge(&h, 32) == DBL_MAX);
    assert_true(cp_histogram_edge(&h, 16) == 0);
}

static void check_finds_what_cannot_be(void **state) {
    (void)state;
    cp_histogram good = {0}, h;
    cp_histogram_add(&good, (double[]){1, 5, 9}, 3);
    assert_true(cp_histogram_check(&good));
    h = good, h.n++;
    assert_false(cp_histogram_check(&h));
    h = good, h.count[0] = 0, h.n--; /* nothing at min */
    assert_false(cp_histogram_check(&h));
    h = good, h.count[cp_histogram_bins(&h) - 1] = 0, h.n--;
    assert_false(cp_histogram_check(&h));
    h = good, h.count[31]++, h.n++; /* beyond max */
    assert_false(cp_histogram_check(&h));
    h = good, h.count[1] = UINT64_MAX; /* the sum wraps */
    assert_false(cp_histogram_check(&h));
    h = (cp_histogram){.n = 1, .count = {1}}; /* one number cannot be both min and max */
    cp_histogram_set_range(&h, 1, nextafter(1, 2));
    assert_int_equal(cp_histogram_bins(&h), 1);
    assert_false(cp_histogram_check(&h));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_pieces_do_not_matter),
        cmocka_unit_test(extremes),
        cmocka_unit_test(bins_have_edges),
        cmocka_unit_test(check_finds_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
