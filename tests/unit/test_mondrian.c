/* The structure: batch trees, walks, and files that lie.  What online learning has in common with other methods is in
 * test_online.c. */
#include "forest.h"

static void batch_trees_are_sound(void **state) {
    (void)state;
    const struct {
        size_t n, dims, classes;
        int steps;
        const char *options;
    } cases[] = {
        {1, 1, 1, 0, "trees=3"},
        {2, 1, 2, 0, "trees=3"},
        {200, 2, 3, 0, "trees=4"},
        {200, 3, 3, 4, "trees=4"},  /* many rows at one point, of several classes */
        {200, 5, 40, 8, "trees=4"}, /* more classes than bits in a word */
        {200, 2, 3, 0, "trees=4 lifetime=2"},
        {200, 2, 3, 0, "trees=4 min-samples-split=7"},
        {200, 2, 0, 0, "trees=4"},
        {200, 2, 0, 5, "trees=4 min-samples-split=2"},
        {200, 1, 0, 0, "trees=4 lifetime=1.5 posterior=fast"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample s = make_sample("batch", cases[i].n, cases[i].dims, cases[i].classes, cases[i].steps);
        copse_params *p = options(cases[i].options);
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
        assert_sound(f, p);
        cp_mondrian_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

static void must_not_read(const cp_mondrian *f, const cp_rows *rows, const copse_params *writing,
                          const copse_params *reading) {
    copse_error err;
    void *out;
    image in = image_with(f, writing, 0);
    assert_int_equal(read_image(in, rows, reading, &out, &err), COPSE_E_MODEL);
    if (!strstr(err.msg, "is split and should have paused")) fail_msg("%s", err.msg);
    assert_null(out);
    free(in.bytes);
}

/* N5, which a file could break without breaking anything else. */
static void splits_that_should_have_paused_are_not_read(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("paused", 60, 2, classes, 0);
        copse_params *p = options("trees=2 min-samples-split=2"), *larger = options("trees=2 min-samples-split=20");
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
        must_not_read(f, &s.rows, p, larger);
        for (size_t i = 0; f->label && i < s.rows.n; i++) f->label[i] = 1;
        if (f->label) must_not_read(f, &s.rows, p, p);
        cp_mondrian_free(f);
        cp_param_free(p);
        cp_param_free(larger);
        free_sample(&s);
    }
}

/* Rows of the sample and points outside of it. */
static void a_point_goes_through_many_trees_as_through_each(void **state) {
    (void)state;
    enum { TREES = CP_MONDRIAN_PATH_LANES, POINTS = 100 };
    copse_error err;
    sample s = make_sample("side by side", POINTS, 3, 4, 0);
    copse_params *p = options("trees=16");
    cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
    cp_mondrian_paths all = {0}, one = {0};
    for (size_t i = 0; i < POINTS; i++) {
        size_t trees = 1 + i % TREES;
        float x[3] = {s.x[3 * i], s.x[3 * i + 1], s.x[3 * i + 2] + (i % 2 ? 0.3f : 0)};
        must(cp_mondrian_path_descend_trees(&all, f->tree, trees, &f->space, x, &err), err);
        cp_mondrian_path_branch_trees(&all, f->tree, trees, &f->space, x);
        for (size_t m = 0; m < trees; m++) {
            const cp_mondrian_path *a = &all.path[m], *b = &one.path[0];
            must(cp_mondrian_path_find(&one, &f->tree[m], &f->space, x, 1, &err), err);
            assert_int_equal(a->n, b->n);
            for (size_t k = 0; k < a->n; k++)
                assert_int_equal(cp_mondrian_path_node(a, k), cp_mondrian_path_node(b, k));
            assert_int_equal(a->branch_points, b->branch_points);
            assert_memory_equal(a->branch_point, b->branch_point, a->branch_points * sizeof *a->branch_point);
            assert_true(a->p_stay == b->p_stay);
        }
    }
    cp_mondrian_path_clear(&all);
    cp_mondrian_path_clear(&one);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

static void a_cut_never_reaches_the_upper_end(void **state) {
    (void)state;
    const float lower = 1, upper = nextafterf(1, 2);
    for (int i = 0; i <= 10; i++) {
        assert_true(cp_mondrian_split_cut(lower, upper, i / 10. * (double)(upper - lower)) == lower);
        float c = cp_mondrian_split_cut(-3, 5, i / 10. * 8.);
        assert_true(c >= -3 && c < 5);
    }
}

/* A draw that is lost by rounding must not give a child its parent's time: N2. */
static void times_grow_however_short_the_step(void **state) {
    static const double since[] = {0, 1e-300, 1, 1e100};
    (void)state;
    for (size_t i = 0; i < COUNT(since); i++) {
        assert_true(cp_mondrian_tree_later(since[i], 0) > since[i]);
        assert_true(cp_mondrian_tree_later(since[i], 1e-20 * since[i]) > since[i]);
    }
    assert_true(cp_mondrian_tree_later(1, 0.5) == 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_trees_are_sound),
        cmocka_unit_test(splits_that_should_have_paused_are_not_read),
        cmocka_unit_test(a_point_goes_through_many_trees_as_through_each),
        cmocka_unit_test(times_grow_however_short_the_step),
        cmocka_unit_test(a_cut_never_reaches_the_upper_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
