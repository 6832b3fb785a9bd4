/* Dividing a list of keys: every way to do it against the definition. */
#include "check.h"

#include "kernel/partition.h"
#include "num/rng.h"

enum { MOST = 70 };

/* Sides in any order, and runs of one side, on which the ends of loops depend. */
static void make_sides(uint8_t *side, size_t n, cp_rng *rng) {
    uint64_t kind = cp_rng_below(rng, 4), from = cp_rng_below(rng, n + 1);
    for (size_t i = 0; i < n; i++) {
        side[i] = (uint8_t)cp_rng_below(rng, 2);
        if (kind < 2) side[i] = (uint8_t)(kind ^ (i < from));
    }
}

static void check(cp_partition_fn part, size_t n, cp_rng *rng) {
    uint32_t key[MOST], right[MOST + CP_PARTITION_PAD + 1], before[MOST];
    uint8_t side[MOST];
    size_t left = 0, other = 0;
    make_sides(side, n, rng);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = (uint32_t)(i * 29 % n); /* 29 is prime to most n; where not, rows occur twice */
        before[i] = key[i] = (uint32_t)cp_rng_below(rng, 1 << 16) << 16 | row;
        other += !side[row];
    }
    right[other + CP_PARTITION_PAD] = 12345;
    part(key, n, side, right);
    assert_int_equal(right[other + CP_PARTITION_PAD], 12345);
    other = 0;
    for (size_t i = 0; i < n; i++) {
        if (side[before[i] & 0xffff])
            assert_int_equal(key[left++], before[i]);
        else
            assert_int_equal(right[other++], before[i]);
    }
}

static void keys_go_where_their_rows_do_and_keep_their_order(void **state) {
    (void)state;
    for (cp_tier k = 0; k < CP_TIERS; k++) {
        cp_partition_fn part = cp_partition_find(k);
        cp_rng rng;
        if (!part) continue;
        cp_rng_init(&rng, seed_of("part"), CP_FOR_TEST, 0, 0);
        for (size_t i = 0; i < 5000; i++) check(part, 1 + i % MOST, &rng);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_go_where_their_rows_do_and_keep_their_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
