/* Every tier against the plain loops, bit for bit, at every length up to beyond two blocks and at odd addresses. */
#include "check.h"

#include "kernel/box.h"
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
    const cp_box_kernel *k = cp_box_find(CP_TIER_PLAIN);
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
    const cp_box_kernel *plain = cp_box_find(CP_TIER_PLAIN), *fast = cp_box_find(CP_TIER_AVX2);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_outside_is_the_definition),
        cmocka_unit_test(tiers_agree_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
