#include "check.h"

#include "kernel/sort.h"
#include "num/rng.h"

enum { MOST = 3000 };

static int by_high_wide(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b; /* positions rise, so a stable sort is a full one */
    return x < y ? -1 : x > y;
}

static int by_high_narrow(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void wide_keys_are_sorted_stably(void **state) {
    (void)state;
    static uint64_t key[MOST], want[MOST], tmp[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of("wide_keys"), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 200; round++) {
        size_t n = (size_t)cp_rng_below(&rng, round < 100 ? 70 : MOST);
        uint64_t mask = 0xffffffffu >> cp_rng_below(&rng, 32);
        for (size_t i = 0; i < n; i++) want[i] = key[i] = (cp_rng_u64(&rng) & mask) << 32 | i;
        qsort(want, n, sizeof *want, by_high_wide);
        cp_sort_wide(key, n, tmp);
        assert_memory_equal(key, want, n * sizeof *key);
    }
}

static void narrow_keys_are_sorted_stably(void **state) {
    (void)state;
    static uint32_t key[MOST], want[MOST], tmp[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of("narrow_keys"), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 300; round++) {
        size_t n = (size_t)cp_rng_below(&rng, round < 150 ? 70 : MOST);
        uint32_t limit = 1 + (uint32_t)cp_rng_below(&rng, 1u << (1 + round % 16));
        for (size_t i = 0; i < n; i++) want[i] = key[i] = (uint32_t)cp_rng_below(&rng, limit) << 16 | (uint32_t)i;
        qsort(want, n, sizeof *want, by_high_narrow);
        cp_sort_narrow(key, n, limit, tmp);
        assert_memory_equal(key, want, n * sizeof *key);
    }
}

static void floats_keep_their_order(void **state) {
    (void)state;
    const float rising[] = {-INFINITY,    -FLT_MAX, -1,   -FLT_MIN, -FLT_TRUE_MIN, 0,
                            FLT_TRUE_MIN, 1,        1.5f, FLT_MAX,  INFINITY};
    for (size_t i = 0; i < COUNT(rising); i++) {
        assert_true(cp_sort_to_float(cp_sort_from_float(rising[i])) == rising[i]);
        if (i) assert_true(cp_sort_from_float(rising[i - 1]) < cp_sort_from_float(rising[i]));
    }
    assert_int_equal(cp_sort_from_float(-0.0f), cp_sort_from_float(0.0f));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_keys_are_sorted_stably),
        cmocka_unit_test(narrow_keys_are_sorted_stably),
        cmocka_unit_test(floats_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
