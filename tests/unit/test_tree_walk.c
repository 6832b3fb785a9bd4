#include "check.h"

#include <float.h>

#include "kernel/key_block.h"
#include "kernel/sort.h"
#include "random_tree.h"
#include "tree/tree_walk.h"

enum { ROWS = 1200 };

/* Every tree, every length from none to more than what goes down together; all rows, or some of them in any order. */
static void compare_walks(const cp_forest *f, const cp_tree_rows *all) {
    static const size_t lengths[] = {0, 1, 7, 8, 9, 511, 512, 513, ROWS};
    uint32_t got[ROWS + 1], pick[ROWS];
    for (size_t i = 0; i < ROWS; i++) pick[i] = (uint32_t)(i * 7919 % ROWS / 2);
    for (size_t m = 0; m < f->trees; m++)
        for (size_t l = 0; l < COUNT(lengths); l++)
            for (int picked = 0; picked < 2; picked++) {
                const cp_tree *t = &f->tree[m];
                cp_tree_rows rows = *all;
                rows.n = lengths[l];
                rows.row = picked ? pick : NULL;
                memset(got, 0xa5, sizeof got);
                cp_tree_walk_rows(t, f, &rows, got);
                for (size_t i = 0; i < lengths[l]; i++) {
                    const float *x = all->x + (picked ? pick[i] : i) * f->dims;
                    assert_int_equal(got[i], t->node[literal_walk(t, f, 0, x)].at.leaf);
                }
                assert_int_equal(got[lengths[l]], 0xa5a5a5a5u);
            }
}

static void a_walk_is_the_literal_walk(void **state) {
    (void)state;
    for (int categories = 0; categories < 2; categories++)
        for (int missing = 0; missing < 2; missing++) {
            cp_forest f = random_forest("walk", COPSE_REGRESS, categories, 30, 300);
            float *x = random_rows("walk rows", &f, ROWS, missing);
            uint32_t *key = malloc(ROWS * f.dims * sizeof *key);
            assert_int_equal(cp_key_block_best()->keys(x, ROWS * f.dims, key), !missing);
            compare_walks(&f, &(cp_tree_rows){.x = x});
            if (!missing) compare_walks(&f, &(cp_tree_rows){.x = x, .key = key});
            if (!missing && cp_tree_walk_takes_key_blocks(&f)) {
                assert_true(cp_key_block_best()->from_rows(x, ROWS, f.dims, key));
                compare_walks(&f, &(cp_tree_rows){.x = x, .key_block = key});
            }
            assert_int_equal(cp_tree_walk_takes_key_blocks(&f), !categories);
            free(key);
            free(x);
            cp_tree_clear_forest(&f);
        }
}

/* Columns near, the last of them, and too far for key blocks; and too far for keys. */
static void columns_far_away_are_found(void **state) {
    (void)state;
    static const uint32_t last[] = {62, 63, 64, 65, 254, 255, 256, 300};
    for (size_t k = 0; k < COUNT(last); k++) {
        copse_error err;
        cp_rng rng;
        cp_forest f = empty_forest(COPSE_REGRESS, 0, 3);
        f.dims = last[k] + 1;
        cp_rng_init(&rng, seed_of("far"), CP_FOR_TEST, 0, k);
        for (size_t m = 0; m < f.trees; m++) {
            must(random_tree(&f.tree[m], &f, 700, 0, &rng, &err), err);
            must(cp_tree_finish(&f.tree[m], &err), err);
        }
        float *x = random_rows("far rows", &f, ROWS, 0);
        uint32_t *key = malloc(ROWS * f.dims * sizeof *key);
        assert_int_equal(cp_tree_walk_takes_keys(&f), last[k] < 256);
        assert_int_equal(cp_tree_walk_takes_key_blocks(&f), last[k] < CP_KEY_BLOCK_DIMS);
        assert_true(cp_key_block_best()->keys(x, ROWS * f.dims, key));
        compare_walks(&f, &(cp_tree_rows){.x = x, .key = key});
        if (cp_tree_walk_takes_key_blocks(&f)) {
            assert_true(cp_key_block_best()->from_rows(x, ROWS, f.dims, key));
            compare_walks(&f, &(cp_tree_rows){.x = x, .key_block = key});
        }
        free(key);
        free(x);
        cp_tree_clear_forest(&f);
    }
}

/* Keys are in the order of their numbers, and below the cut of every leaf. */
static void keys_keep_the_order(void **state) {
    (void)state;
    static const float odd[] = {-INFINITY, -FLT_MAX, -1,      -FLT_MIN, -1e-45f, -0.0f,
                                0,         1e-45f,   FLT_MIN, 1,        FLT_MAX, INFINITY};
    for (size_t i = 0; i < COUNT(odd); i++)
        for (size_t j = 0; j < COUNT(odd); j++)
            assert_int_equal(cp_sort_from_float(odd[i]) < cp_sort_from_float(odd[j]), odd[i] < odd[j]);
    assert_true(cp_sort_from_float(INFINITY) < CP_TREE_STEP_LEAF);
}

/* Infinities are numbers: beyond every cut, but not beyond an infinite one. */
static void infinities_find_their_side(void **state) {
    (void)state;
    copse_error err;
    const float cut[] = {-INFINITY, -0.0f, INFINITY};
    const float x[] = {-INFINITY, -1, -0.0f, 0, 1, INFINITY, NAN};
    for (size_t c = 0; c < COUNT(cut); c++)
        for (int missing_left = 0; missing_left < 2; missing_left++) {
            cp_forest f = empty_forest(COPSE_REGRESS, 0, 1);
            uint32_t leaf[COUNT(x)];
            f.dims = 1;
            must(cp_tree_init_root(&f.tree[0], &err), err);
            cp_tree_test test = {.cut = cut[c], .missing_left = missing_left};
            must(cp_tree_split(&f.tree[0], 0, &test, &err), err);
            must(cp_tree_leaf_value(&f.tree[0], 1, (cp_tree_value){0, 1, 1, 1}, &err), err);
            must(cp_tree_leaf_value(&f.tree[0], 2, (cp_tree_value){1, 1, 1, 1}, &err), err);
            must(cp_tree_finish(&f.tree[0], &err), err);
            cp_tree_walk(&f.tree[0], &f, x, COUNT(x), leaf);
            for (size_t i = 0; i < COUNT(x); i++)
                assert_int_equal(leaf[i], isnan(x[i]) ? !missing_left : x[i] > cut[c]);
            uint32_t key[COUNT(x)];
            assert_false(cp_key_block_best()->keys(x, COUNT(x), key));
            assert_true(cp_key_block_best()->keys(x, COUNT(x) - 1, key));
            cp_tree_walk_rows(&f.tree[0], &f, &(cp_tree_rows){.x = x, .key = key, .n = COUNT(x) - 1}, leaf);
            for (size_t i = 0; i + 1 < COUNT(x); i++) assert_int_equal(leaf[i], x[i] > cut[c]);
            cp_tree_clear_forest(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_is_the_literal_walk),
        cmocka_unit_test(columns_far_away_are_found),
        cmocka_unit_test(keys_keep_the_order),
        cmocka_unit_test(infinities_find_their_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
