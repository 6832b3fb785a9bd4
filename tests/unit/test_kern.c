/* Every tier against the plain loops, bit for bit, at every length up to beyond two blocks and at odd addresses. */
#include "check.h"

#include "kernel/kern.h"
#include "num/rng.h"

enum { MOST = 70, ROWS = 9 };

static float number(cp_rng *rng) {
    return (float)(cp_rng_unit(rng) * 2 - 1);
}

static void make_box(cp_rng *rng, float *box, size_t d) {
    for (size_t i = 0; i < d; i++) {
        float a = number(rng), b = number(rng);
        box[i] = fminf(a, b);
        box[d + i] = fmaxf(a, b);
    }
}

static void plain_outside_is_the_definition(void **state) {
    (void)state;
    const cp_kern *k = cp_kern_find("plain");
    const float box[] = {0, 1, 2, 1, 2, 3}, x[] = {-1, 1.5f, 5};
    assert_near(k->outside(box, x, 3), 1 + 0 + 2, 0);
    assert_near(k->extent(box, 3), 3, 0);
    double left[] = {0.5, 1.25, 3};
    assert_int_equal(k->gap_at(box, x, 3, &left[0]), 0);
    assert_int_equal(k->gap_at(box, x, 3, &left[1]), 2);
    assert_int_equal(k->gap_at(box, x, 3, &left[2]), 3);
    assert_near(left[0], 0.5, 0);
    assert_near(left[1], 0.25, 0);
    const float m[] = {0, 0, 9, 9, 1, -1}, y[] = {2, 1};
    const int32_t row[] = {0, 2};
    assert_near(k->outside_rows(m, row, 2, y, 2), 2, 0);
}

static void tiers_agree_bit_for_bit(void **state) {
    (void)state;
    const cp_kern *plain = cp_kern_find("plain"), *fast = cp_kern_find("avx2");
    if (!fast) skip();
    cp_rng rng;
    cp_rng_init(&rng, seed_of("tiers"), CP_FOR_TEST, 0, 0);
    for (size_t d = 1; d <= MOST; d++) {
        /* exact sizes on the heap, so that a read past the end is seen by the address sanitizer */
        float *box = malloc(2 * d * sizeof *box), *twin = malloc(2 * d * sizeof *twin),
              *x = malloc(ROWS * d * sizeof *x);
        int32_t row[ROWS];
        make_box(&rng, box, d);
        for (size_t i = 0; i < ROWS * d; i++) x[i] = number(&rng);
        for (int i = 0; i < ROWS; i++) row[i] = (int32_t)cp_rng_below(&rng, ROWS);
        for (size_t r = 0; r + 1 < ROWS; r++) {
            double a = plain->outside(box, x + r * d, d), b = fast->outside(box, x + r * d, d);
            assert_memory_equal(&a, &b, sizeof a);
            a = plain->outside_rows(x, row, 1 + r % 4, x + r * d, d);
            b = fast->outside_rows(x, row, 1 + r % 4, x + r * d, d);
            assert_memory_equal(&a, &b, sizeof a);
        }
        for (size_t r = 0; r < ROWS; r++) {
            double all = plain->outside(box, x + r * d, d), left = all * cp_rng_unit(&rng) * 1.2, twin_left = left;
            size_t at = plain->gap_at(box, x + r * d, d, &left);
            assert_int_equal(fast->gap_at(box, x + r * d, d, &twin_left), at);
            assert_memory_equal(&left, &twin_left, sizeof left);
        }
        double a = plain->extent(box, d), b = fast->extent(box, d);
        assert_memory_equal(&a, &b, sizeof a);
        memcpy(twin, box, 2 * d * sizeof *box);
        plain->include(box, x, d);
        fast->include(twin, x, d);
        assert_memory_equal(box, twin, 2 * d * sizeof *box);
        for (size_t n = 1; n <= ROWS; n++) {
            plain->hull(x, d, row, n, box);
            fast->hull(x, d, row, n, twin);
            assert_memory_equal(box, twin, 2 * d * sizeof *box);
        }
        free(box);
        free(twin);
        free(x);
    }
}

/* Columns into rows, every tier against one number after the other; nothing between the rows is touched. */
static void columns_become_rows(void **state) {
    (void)state;
    enum { N = 23, STRIDE = 6 };
    static const double odd[] = {NAN, -0.0, 1e300, -1e300, 3.4e38, 1e-310};
    static const char *const tier[] = {"plain", "avx2"};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("columns"), CP_FOR_TEST, 0, 0);
    for (size_t t = 0; t < COUNT(tier); t++)
        for (size_t n = 0; n <= N; n++)
            for (size_t at = 0; at <= 4 * n; at++) { /* where the infinite number is; 4n: nowhere */
                const cp_kern *k = cp_kern_find(tier[t]);
                double x[4][N], shift[4] = {0, -3.5, 1e9, 1e-3};
                float out[N * STRIDE];
                for (size_t i = 0; k && i < 4 * N; i++)
                    x[i / N][i % N] =
                        cp_rng_below(&rng, 4) ? cp_rng_unit(&rng) - .5 : odd[cp_rng_below(&rng, COUNT(odd))];
                if (!k) continue;
                if (at < 4 * n) x[at / n][at % n] = at % 2 ? -INFINITY : INFINITY;
                memset(out, 0x5a, sizeof out);
                const double *col[] = {x[0], x[1], x[2], x[3]};
                assert_int_equal(k->interleave(col, shift, 1e37, n, out, STRIDE), at == 4 * n);
                for (size_t i = 0; i < N * STRIDE; i++) {
                    size_t row = i / STRIDE, c = i % STRIDE;
                    float want;
                    memset(&want, 0x5a, sizeof want);
                    if (row < n && c < 4) want = (float)fmax(-1e37, fmin(1e37, x[c][row] - shift[c]));
                    if (row < n && c < 4 && isnan(x[c][row]))
                        assert_true(isnan(out[i]));
                    else
                        assert_memory_equal(&out[i], &want, sizeof want);
                }
            }
}

static void less_adds_one(void **state) {
    (void)state;
    static const uint32_t x[] = {0, 1, 2, 0x7fffffff, 0x80000000u, 0xffc00000u, UINT32_MAX};
    cp_kern_step step[COUNT(x)];
    for (size_t i = 0; i < COUNT(x); i++) step[i] = (cp_kern_step){.cut = x[i], .way = x[COUNT(x) - 1 - i]};
    for (size_t i = 0; i < COUNT(x); i++)
        for (size_t j = 0; j < COUNT(x); j++)
            for (uint32_t n = 0; n < 3; n++) assert_int_equal(cp_kern_add_less(n, step, i, x[j]), n + (x[i] < x[j]));
}

static void keys_of_every_tier_are_the_same(void **state) {
    (void)state;
    enum { N = 40 };
    static const char *const tier[] = {"plain", "avx2"};
    static const float odd[] = {-0.0f, 0, INFINITY, -INFINITY, 1e-45f, -1e-45f};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("keys"), CP_FOR_TEST, 0, 0);
    for (size_t t = 0; t < COUNT(tier); t++)
        for (size_t n = 0; n <= N; n++)
            for (size_t at = 0; at <= n; at++) { /* where NaN is; n: nowhere */
                const cp_kern *k = cp_kern_find(tier[t]);
                if (!k) continue;
                float *x = malloc((n + 1) * sizeof *x); /* exact sizes, for the address sanitizer */
                uint32_t *key = malloc((n + 1) * sizeof *key);
                for (size_t i = 0; i < n; i++)
                    x[i] = i == at ? NAN : cp_rng_below(&rng, 4) ? number(&rng) : odd[cp_rng_below(&rng, COUNT(odd))];
                key[n] = 77;
                assert_int_equal(k->keys(x, n, key), at == n);
                for (size_t i = 0; i < n; i++)
                    if (i != at) assert_int_equal(key[i], cp_kern_key(x[i]));
                assert_int_equal(key[n], 77);
                for (size_t i = 0; i < n; i++)
                    if (i != at) assert_true(cp_kern_unkey(key[i]) == x[i]);
                assert_int_equal(k->keys(x, n, (uint32_t *)(void *)x), at == n); /* in place of the numbers */
                assert_memory_equal(x, key, n * sizeof *x);
                free(x);
                free(key);
            }
}

/* Where the number of row i, column k stands once rows go as key blocks. */
static size_t in_gang(size_t i, size_t k, size_t dims) {
    return i / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS * dims + k * CP_KEY_BLOCK_ROWS + i % CP_KEY_BLOCK_ROWS;
}

/* Room for n rows, in whole key blocks; exact, for the address sanitizer. */
static uint32_t *gang_room(size_t n, size_t dims) {
    return malloc((n + CP_KEY_BLOCK_ROWS - 1) / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS * dims * sizeof(uint32_t) + !n);
}

static void gangs_are_keys_turned_about(void **state) {
    (void)state;
    static const char *const tier[] = {"plain", "avx2"};
    static const size_t many[] = {1, 7, 8, 9, 24, 29};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("gangs"), CP_FOR_TEST, 0, 0);
    for (size_t t = 0; t < COUNT(tier); t++)
        for (size_t d = 1; d <= CP_KEY_BLOCK_DIMS; d++)
            for (size_t m = 0; m < COUNT(many); m++)
                for (size_t n = many[m], gap = 0; gap <= n;
                     gap++) { /* the row where NaN is; beyond the last: nowhere */
                    const cp_kern *k = cp_kern_find(tier[t]);
                    if (!k) continue;
                    float *x = malloc(n * d * sizeof *x);
                    uint32_t *key = gang_room(n, d);
                    for (size_t i = 0; i < n * d; i++) x[i] = cp_rng_below(&rng, 9) ? number(&rng) : -0.0f;
                    if (gap < n) x[gap * d + cp_rng_below(&rng, d)] = NAN;
                    assert_int_equal(k->key_blocks(x, n, d, key), gap == n);
                    for (size_t i = 0; gap == n && i < n; i++)
                        for (size_t c = 0; c < d; c++)
                            assert_int_equal(key[in_gang(i, c, d)], cp_kern_key(x[i * d + c]));
                    free(x);
                    free(key);
                }
}

/* Column by column they are the same; none but finite numbers go in, and those beyond the limit are held there. */
static void columns_become_gangs(void **state) {
    (void)state;
    static const char *const tier[] = {"plain", "avx2"};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e38, -1e300, -0.0, 0};
    const double limit = 1e37;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("gangs of columns"), CP_FOR_TEST, 0, 0);
    for (size_t t = 0; t < COUNT(tier); t++)
        for (size_t n = 0; n < 40; n++)
            for (size_t o = 0; o < COUNT(odd); o++) {
                const cp_kern *k = cp_kern_find(tier[t]);
                if (!k) continue;
                const size_t d = 3, column = cp_rng_below(&rng, d), at = n ? cp_rng_below(&rng, n) : 0;
                double *x = malloc(n * sizeof *x + !n), shift = cp_rng_below(&rng, 2) ? 0 : 1.5;
                uint32_t *key = gang_room(n, d);
                for (size_t i = 0; i < n; i++) x[i] = (double)number(&rng);
                if (n) x[at] = odd[o];
                int fine = k->gang_column(x, shift, limit, n, key + column * CP_KEY_BLOCK_ROWS, d * CP_KEY_BLOCK_ROWS);
                assert_int_equal(fine, !n || isfinite(odd[o]));
                for (size_t i = 0; fine && i < n; i++) {
                    double z = fmin(fmax(x[i] - shift, -limit), limit);
                    assert_int_equal(key[in_gang(i, column, d)], cp_kern_key((float)z));
                }
                free(x);
                free(key);
            }
}

static void ends_and_strangers_are_found(void **state) {
    (void)state;
    const char *tiers[] = {"plain", "avx2"};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("delimiters"), CP_FOR_TEST, 0, 0);
    for (int t = 0; t < 2; t++) {
        const cp_kern *k = cp_kern_find(tiers[t]);
        for (int round = 0; k && round < 5000; round++) {
            char *text = malloc(64), delimiter = (char)cp_rng_below(&rng, 256);
            uint64_t found = 0, strange = 0, other;
            for (unsigned i = 0; i < 64; i++) {
                uint64_t kind = cp_rng_below(&rng, 4);
                text[i] = (char)(kind == 0   ? (uint64_t)(unsigned char)delimiter
                                 : kind == 1 ? cp_rng_below(&rng, round % 2 ? 256 : 16)
                                             : '0' - 1 + cp_rng_below(&rng, 12));
                found |= (uint64_t)(text[i] == delimiter || strchr("\n\r", text[i])) << i; /* and its end, 0 */
                strange |= (uint64_t)(text[i] != delimiter && !strchr("0123456789", text[i])) << i;
                strange |= (uint64_t)(text[i] != delimiter && text[i] == 0) << i; /* strchr finds its end, too */
            }
            assert_true(k->ends(text, delimiter, &other) == found);
            assert_true(other == strange);
            free(text);
        }
    }
}

/* One digit after another. */
static int digits_one_by_one(const char *text, size_t n, uint64_t *w) {
    size_t digits = 0, point = n;
    *w = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.' && point == n) {
            point = i;
        } else {
            if (text[i] < '0' || text[i] > '9') return -1;
            *w = *w * 10 + (uint64_t)(text[i] - '0');
            digits++;
        }
    }
    return digits ? (int)(n - point) : -1;
}

/* Any length, any place of the point, now and then a byte that does not belong there; and any bytes behind. */
static void digits_are_added_up(void **state) {
    (void)state;
    const char *tiers[] = {"plain", "avx2"};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("digits"), CP_FOR_TEST, 0, 0);
    for (int t = 0; t < 2; t++) {
        const cp_kern *k = cp_kern_find(tiers[t]);
        for (int round = 0; k && round < 100000; round++) {
            char *text = malloc(16);
            size_t n = cp_rng_below(&rng, 17);
            uint64_t want, got;
            for (unsigned i = 0; i < 16; i++) text[i] = (char)('0' + cp_rng_below(&rng, 10));
            if (round % 3) text[cp_rng_below(&rng, 16)] = '.';
            if (round % 7 == 0) text[cp_rng_below(&rng, 16)] = "./"[round % 2];
            if (round % 5 == 0) text[cp_rng_below(&rng, 16)] = (char)cp_rng_below(&rng, 256);
            int point = digits_one_by_one(text, n, &want);
            assert_int_equal(k->digits(text, n, &got), point);
            if (point >= 0) assert_true(got == want);
            free(text);
        }
    }
}

static void unknown_tier_is_none(void **state) {
    (void)state;
    assert_null(cp_kern_find("abacus"));
    assert_non_null(cp_kern_best());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_outside_is_the_definition),
        cmocka_unit_test(tiers_agree_bit_for_bit),
        cmocka_unit_test(columns_become_rows),
        cmocka_unit_test(less_adds_one),
        cmocka_unit_test(keys_of_every_tier_are_the_same),
        cmocka_unit_test(gangs_are_keys_turned_about),
        cmocka_unit_test(columns_become_gangs),
        cmocka_unit_test(ends_and_strangers_are_found),
        cmocka_unit_test(digits_are_added_up),
        cmocka_unit_test(unknown_tier_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
