#include "check.h"

#include "kernel/key_block.h"
#include "kernel/sort.h"
#include "kernel/walk_step.h"
#include "num/rng.h"

static float number(cp_rng *rng) {
    return (float)(cp_rng_unit(rng) * 2 - 1);
}

static void a_step_adds_one_to_go_right(void **state) {
    (void)state;
    static const uint32_t x[] = {0, 1, 2, 0x7fffffff, 0x80000000u, 0xffc00000u, UINT32_MAX};
    cp_walk_step step[COUNT(x)];
    for (size_t i = 0; i < COUNT(x); i++) step[i] = (cp_walk_step){.cut = x[i], .way = x[COUNT(x) - 1 - i]};
    for (size_t i = 0; i < COUNT(x); i++)
        for (size_t j = 0; j < COUNT(x); j++)
            for (uint32_t n = 0; n < 3; n++) assert_int_equal(cp_walk_step_add(n, step, i, x[j]), n + (x[i] < x[j]));
}

static void keys_of_every_tier_are_the_same(void **state) {
    (void)state;
    enum { N = 40 };
    static const float odd[] = {-0.0f, 0, INFINITY, -INFINITY, 1e-45f, -1e-45f};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("keys"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++)
        for (size_t n = 0; n <= N; n++)
            for (size_t at = 0; at <= n; at++) { /* where NaN is; n: nowhere */
                const cp_key_block_kernel *k = cp_key_block_find(t);
                if (!k) continue;
                float *x = malloc((n + 1) * sizeof *x); /* exact sizes, for the address sanitizer */
                uint32_t *key = malloc((n + 1) * sizeof *key);
                for (size_t i = 0; i < n; i++)
                    x[i] = i == at ? NAN : cp_rng_below(&rng, 4) ? number(&rng) : odd[cp_rng_below(&rng, COUNT(odd))];
                key[n] = 77;
                assert_int_equal(k->keys(x, n, key), at == n);
                for (size_t i = 0; i < n; i++)
                    if (i != at) assert_int_equal(key[i], cp_sort_from_float(x[i]));
                assert_int_equal(key[n], 77);
                for (size_t i = 0; i < n; i++)
                    if (i != at) assert_true(cp_sort_to_float(key[i]) == x[i]);
                assert_int_equal(k->keys(x, n, (uint32_t *)(void *)x), at == n); /* in place of the numbers */
                assert_memory_equal(x, key, n * sizeof *x);
                free(x);
                free(key);
            }
}

/* Where the number of row i, column k stands once rows go as key blocks. */
static size_t place_of(size_t i, size_t k, size_t dims) {
    return i / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS * dims + k * CP_KEY_BLOCK_ROWS + i % CP_KEY_BLOCK_ROWS;
}

/* Room for n rows, in whole key blocks; exact, for the address sanitizer. */
static uint32_t *room_for(size_t n, size_t dims) {
    return malloc((n + CP_KEY_BLOCK_ROWS - 1) / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS * dims * sizeof(uint32_t) + !n);
}

static void rows_become_key_blocks(void **state) {
    (void)state;
    static const size_t many[] = {1, 7, 8, 9, 24, 29};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("gangs"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++)
        for (size_t d = 1; d <= CP_KEY_BLOCK_DIMS; d++)
            for (size_t m = 0; m < COUNT(many); m++)
                for (size_t n = many[m], gap = 0; gap <= n;
                     gap++) { /* the row where NaN is; beyond the last: nowhere */
                    const cp_key_block_kernel *k = cp_key_block_find(t);
                    if (!k) continue;
                    float *x = malloc(n * d * sizeof *x);
                    uint32_t *key = room_for(n, d);
                    for (size_t i = 0; i < n * d; i++) x[i] = cp_rng_below(&rng, 9) ? number(&rng) : -0.0f;
                    if (gap < n) x[gap * d + cp_rng_below(&rng, d)] = NAN;
                    assert_int_equal(k->from_rows(x, n, d, key), gap == n);
                    for (size_t i = 0; gap == n && i < n; i++)
                        for (size_t c = 0; c < d; c++)
                            assert_int_equal(key[place_of(i, c, d)], cp_sort_from_float(x[i * d + c]));
                    free(x);
                    free(key);
                }
}

/* Column by column they are the same; none but finite numbers go in, and those beyond the limit are held there. */
static void columns_become_key_blocks(void **state) {
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e38, -1e300, -0.0, 0};
    const double limit = 1e37;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("gangs of columns"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++)
        for (size_t n = 0; n < 40; n++)
            for (size_t o = 0; o < COUNT(odd); o++) {
                const cp_key_block_kernel *k = cp_key_block_find(t);
                if (!k) continue;
                const size_t d = 3, column = cp_rng_below(&rng, d), at = n ? cp_rng_below(&rng, n) : 0;
                double *x = malloc(n * sizeof *x + !n), shift = cp_rng_below(&rng, 2) ? 0 : 1.5;
                uint32_t *key = room_for(n, d);
                for (size_t i = 0; i < n; i++) x[i] = (double)number(&rng);
                if (n) x[at] = odd[o];
                int fine = k->from_column(x, shift, limit, n, key + column * CP_KEY_BLOCK_ROWS, d * CP_KEY_BLOCK_ROWS);
                assert_int_equal(fine, !n || isfinite(odd[o]));
                for (size_t i = 0; fine && i < n; i++) {
                    double z = fmin(fmax(x[i] - shift, -limit), limit);
                    assert_int_equal(key[place_of(i, column, d)], cp_sort_from_float((float)z));
                }
                free(x);
                free(key);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_adds_one_to_go_right),
        cmocka_unit_test(keys_of_every_tier_are_the_same),
        cmocka_unit_test(rows_become_key_blocks),
        cmocka_unit_test(columns_become_key_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
