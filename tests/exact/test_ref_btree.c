/* The reference for trees, judged before it judges: by hand, by sums that must be 1, and by its two state spaces. */
#include "tiny.h"

static void prior_sums_to_one(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies); k++)
        for (int space = 0; space < 2; space++) {
            ref_btree b = tiny_reference(&tinies[k], 0);
            ref_btree_list all = ref_btree_all(&b, (ref_btree_space)space);
            double sum = 0;
            for (size_t i = 0; i < all.n; i++) sum += exp(all.tree[i].log_prior);
            assert_near(sum, 1, 1e-13);
            free(all.tree);
        }
}

static void gaps_and_cells_see_the_same(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies); k++)
        for (int numbers = 0; numbers < 2; numbers++) {
            ref_btree b = tiny_reference(&tinies[k], numbers);
            ref_btree_list gaps = ref_btree_all(&b, REF_BTREE_GAPS), cells = ref_btree_all(&b, REF_BTREE_CELLS);
            assert_true(cells.n >= gaps.n);
            assert_near(ref_btree_log_z(&gaps), ref_btree_log_z(&cells), 1e-13);
            for (size_t place = 0; place < TINY_PLACES; place++) {
                float x[2];
                tiny_place(&tinies[k], place, x);
                assert_near(ref_btree_predict(&b, &gaps, x, 1), ref_btree_predict(&b, &cells, x, 1), 1e-13);
            }
            free(gaps.tree);
            free(cells.tree);
        }
}

/* A fresh target makes one row more: its predictive is a ratio of two Z where it goes with a row that is there already
 * (the cuts' law does not change), and predictives of the classes sum to 1 everywhere. */
static void predictions_are_probabilities(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies); k++) {
        ref_btree b = tiny_reference(&tinies[k], 0);
        ref_btree_list all = ref_btree_all(&b, REF_BTREE_GAPS);
        for (size_t place = 0; place < TINY_PLACES; place++) {
            float x[2];
            double sum = 0;
            tiny_place(&tinies[k], place, x);
            for (size_t c = 0; c < b.classes; c++) sum += ref_btree_predict(&b, &all, x, (double)c);
            assert_near(sum, 1, 1e-13);
        }
        free(all.tree);
    }
}

static void prediction_is_a_ratio_of_evidences(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies); k++)
        for (int numbers = 0; numbers < 2; numbers++) {
            tiny more = tinies[k];
            const float *again = more.x; /* row 0, seen a second time with another target */
            for (size_t d = 0; d < more.dims; d++) more.x[more.n * more.dims + d] = again[d];
            more.label[more.n] = 1;
            more.y[more.n] = 0.77;
            more.n++;
            ref_btree b = tiny_reference(&tinies[k], numbers), c = tiny_reference(&more, numbers);
            ref_btree_list fewer = ref_btree_all(&b, REF_BTREE_GAPS), longer = ref_btree_all(&c, REF_BTREE_GAPS);
            double predicted = ref_btree_predict(&b, &fewer, again, numbers ? 0.77 : 1);
            assert_near(log(predicted), ref_btree_log_z(&longer) - ref_btree_log_z(&fewer), 1e-12);
            free(fewer.tree);
            free(longer.tree);
        }
}

/* Two rows of different classes, one column: a stump or a single leaf. */
static void two_rows_by_hand(void **state) {
    (void)state;
    ref_btree b = tiny_reference(&tinies[1], 0);
    ref_btree_list all = ref_btree_all(&b, REF_BTREE_GAPS);
    assert_int_equal(all.n, 2);
    double leaf = 0.5 * (0.75 / 2.5), stump = 0.5 * 0.5;
    assert_near(ref_btree_log_z(&all), log(0.2 * leaf + 0.8 * stump), 1e-14);
    char key[REF_BTREE_KEY];
    ref_btree_key(&all.tree[1], key);
    assert_string_equal(key, "0:0 . .");
    assert_near(ref_btree_posterior(&all, 1), 0.8 * stump / (0.2 * leaf + 0.8 * stump), 1e-14);
    /* At 1/4, three of four cuts lie to the right: class 0 is the left leaf's with probability 1.75/2.5. */
    const float x[] = {0.25f};
    assert_near(ref_btree_tree_predict(&b, &all.tree[1], x, 0), 0.75 * 0.7 + 0.25 * 0.3, 1e-14);
    free(all.tree);
}

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

static void keys_are_different(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies); k++)
        for (int space = 0; space < 2; space++) {
            ref_btree b = tiny_reference(&tinies[k], 0);
            ref_btree_list all = ref_btree_all(&b, (ref_btree_space)space);
            char(*key)[REF_BTREE_KEY] = malloc(all.n * sizeof *key);
            for (size_t i = 0; i < all.n; i++) ref_btree_key(&all.tree[i], key[i]);
            qsort(key, all.n, sizeof *key, by_text);
            for (size_t i = 1; i < all.n; i++) assert_string_not_equal(key[i - 1], key[i]);
            free(key);
            free(all.tree);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prior_sums_to_one),
        cmocka_unit_test(gaps_and_cells_see_the_same),
        cmocka_unit_test(predictions_are_probabilities),
        cmocka_unit_test(prediction_is_a_ratio_of_evidences),
        cmocka_unit_test(two_rows_by_hand),
        cmocka_unit_test(keys_are_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
