#include "check.h"

#include "random_tree.h"
#include "tree/tree_walk.h"

enum { ROWS = 1200 };

typedef void (*walker)(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);

/* Every tree, every length from none to more than what goes down together. */
static void compare_walks(walker walk, const cp_forest *f, const float *x) {
    static const size_t lengths[] = {0, 1, 7, 8, 9, 511, 512, 513, ROWS};
    uint32_t got[ROWS + 1];
    for (size_t m = 0; m < f->trees; m++)
        for (size_t l = 0; l < COUNT(lengths); l++) {
            const cp_tree *t = &f->tree[m];
            memset(got, 0xa5, sizeof got);
            walk(t, f, x, lengths[l], got);
            for (size_t i = 0; i < lengths[l]; i++)
                assert_int_equal(got[i], t->node[literal_walk(t, f, 0, x + i * f->dims)].at.leaf);
            assert_int_equal(got[lengths[l]], 0xa5a5a5a5u);
        }
}

static void a_walk_is_the_literal_walk(void **state) {
    (void)state;
    for (int categories = 0; categories < 2; categories++)
        for (int missing = 0; missing < 2; missing++) {
            cp_forest f = random_forest("walk", COPSE_REGRESS, categories, 30, 300);
            float *x = random_rows("walk rows", &f, ROWS, missing);
            assert_int_equal(cp_tree_walk_is_plain(x, ROWS * f.dims), !missing);
            compare_walks(cp_tree_walk, &f, x);
            if (!missing) compare_walks(cp_tree_walk_plain, &f, x);
            free(x);
            cp_forest_clear(&f);
        }
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
            cp_tree_walk_plain(&f.tree[0], &f, x, COUNT(x) - 1, leaf);
            for (size_t i = 0; i + 1 < COUNT(x); i++) assert_int_equal(leaf[i], x[i] > cut[c]);
            cp_forest_clear(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_is_the_literal_walk),
        cmocka_unit_test(infinities_find_their_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
