#include "check.h"

#include "base/map.h"
#include "base/mem.h"
#include "num/rng.h"

/* Keys as they are used: two small numbers, so that many differ in few bits. */
static uint64_t key_of(size_t i) {
    return (uint64_t)(i / 37) << 32 | i % 37;
}

static void keys_are_found_and_others_are_not(void **state) {
    (void)state;
    enum { N = 5000 };
    copse_error err;
    cp_map m = {0};
    assert_int_equal(cp_map_find(&m, 7), CP_NONE);
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(cp_map_find(&m, key_of(i)), CP_NONE);
            must(cp_map_add(&m, key_of(i), (int32_t)i, &err), err);
        }
        for (size_t i = 0; i < N; i++) assert_int_equal(cp_map_find(&m, key_of(i)), i);
        for (size_t i = N; i < 2 * N; i++) assert_int_equal(cp_map_find(&m, key_of(i)), CP_NONE);
        assert_int_equal(m.used, N);
        cp_map_reset(&m);
        assert_int_equal(m.used, 0);
        assert_int_equal(cp_map_find(&m, key_of(1)), CP_NONE);
    }
    cp_map_clear(&m);
}

static void out_of_memory_leaves_the_map(void **state) {
    (void)state;
    copse_error err;
    cp_map m = {0};
    size_t n = 0;
    for (long k = 0; k < 8; k++) {
        cp_mem_fail_after(k % 2);
        while (!cp_map_add(&m, key_of(n), (int32_t)n, &err)) n++;
        cp_mem_fail_after(-1);
        for (size_t i = 0; i < n; i++) assert_int_equal(cp_map_find(&m, key_of(i)), i);
        assert_int_equal(cp_map_find(&m, key_of(n)), CP_NONE);
        assert_int_equal(m.used, n);
        must(cp_map_add(&m, key_of(n), (int32_t)n, &err), err);
        n++;
    }
    cp_map_clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_and_others_are_not),
        cmocka_unit_test(out_of_memory_leaves_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
