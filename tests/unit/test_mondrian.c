/* The structure: invariants after every kind of growth, batch and online, and what may not change it. */
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
        cp_mondrian *f = fit_forest(&s.rows, p);
        assert_sound(f);
        cp_mondrian_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* IKN marks and counts, boxes and lists recomputed from scratch after every single row. */
static void online_trees_are_sound_after_every_row(void **state) {
    (void)state;
    const struct {
        size_t dims, classes;
        int steps;
        const char *options;
    } cases[] = {
        {2, 3, 0, "trees=3"},
        {2, 3, 4, "trees=3"},
        {3, 40, 6, "trees=3"},
        {2, 3, 0, "trees=3 lifetime=1"},
        {2, 4, 5, "trees=3 min-samples-split=5"},
        {2, 0, 0, "trees=3 min-samples-split=4"},
        {2, 0, 4, "trees=3 min-samples-split=2 posterior=fast"},
        {1, 0, 0, "trees=3 lifetime=2 posterior=fast"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample s = make_sample("online", 120, cases[i].dims, cases[i].classes, cases[i].steps);
        copse_params *p = options(cases[i].options);
        cp_rows first = s.rows;
        first.n = 1;
        cp_mondrian *f = fit_forest(&first, p);
        for (size_t r = 1; r < s.rows.n; r++) {
            learn_rows(f, &s.rows, r, 1, p);
            assert_sound(f);
        }
        cp_mondrian_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* The same tree whatever the cutting of the stream: compared through the file, byte for byte. */
static void image_of(const cp_mondrian *f, const copse_params *p, unsigned char **out, size_t *out_n) {
    copse_error err;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(cp_mondrian_write(f, p, 0, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    *out = malloc(*out_n);
    memcpy(*out, bytes, *out_n);
    cp_writer_free(w);
}

static void assert_same_image(const cp_mondrian *a, const cp_mondrian *b, const copse_params *p) {
    unsigned char *x, *y;
    size_t n, m;
    image_of(a, p, &x, &n);
    image_of(b, p, &y, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void cutting_the_stream_changes_nothing(void **state) {
    (void)state;
    const char *opts[] = {"trees=5", "trees=20 posterior=fast", "trees=5 min-samples-split=6"};
    for (int i = 0; i < 6; i++) {
        sample s = make_sample("cut", 300, 3, i % 2 ? 4 : 0, i < 3 ? 0 : 6);
        copse_params *p = options(opts[i / 2]);
        cp_rows first = s.rows;
        first.n = 50;
        cp_mondrian *one = fit_forest(&first, p), *many = fit_forest(&first, p);
        learn_rows(one, &s.rows, 50, 250, p);
        for (size_t r = 50, n = 1; r < 300; r += n) {
            n = 1 + r % 7 < 300 - r ? 1 + r % 7 : 300 - r;
            learn_rows(many, &s.rows, r, n, p);
        }
        assert_same_image(one, many, p);
        cp_mondrian_free(one);
        cp_mondrian_free(many);
        cp_param_free(p);
        free_sample(&s);
    }
}

static cp_mondrian *reread(const cp_mondrian *f, const copse_params *p) {
    copse_error err;
    cp_reader *r = NULL;
    unsigned char *bytes;
    size_t n;
    void *out = NULL;
    image_of(f, p, &bytes, &n);
    must(cp_reader_new(bytes, n, &r, &err), err);
    must(cp_mondrian_read(r, p, f->task, f->space.dims, f->space.classes, &out, &err), err);
    cp_reader_free(r);
    free(bytes);
    return out;
}

static void saving_and_loading_in_between_changes_nothing(void **state) {
    (void)state;
    const char *opts[] = {"trees=5", "trees=5 posterior=fast", "trees=5 lifetime=3"};
    for (int i = 0; i < 6; i++) {
        sample s = make_sample("reload", 200, 3, i % 2 ? 36 : 0, i < 3 ? 0 : 6);
        copse_params *p = options(opts[i / 2]);
        cp_rows first = s.rows;
        first.n = 100;
        cp_mondrian *one = fit_forest(&first, p), *two = fit_forest(&first, p);
        learn_rows(one, &s.rows, 100, 100, p);
        learn_rows(two, &s.rows, 100, 40, p);
        cp_mondrian *back = reread(two, p);
        assert_sound(back);
        learn_rows(back, &s.rows, 140, 60, p);
        assert_sound(back);
        assert_same_image(one, back, p);
        cp_mondrian_free(one);
        cp_mondrian_free(two);
        cp_mondrian_free(back);
        cp_param_free(p);
        free_sample(&s);
    }
}

static void must_not_read(const cp_mondrian *f, const copse_params *writing, const copse_params *reading) {
    copse_error err;
    cp_reader *r;
    unsigned char *bytes;
    size_t n;
    void *out;
    image_of(f, writing, &bytes, &n);
    must(cp_reader_new(bytes, n, &r, &err), err);
    copse_status status = cp_mondrian_read(r, reading, f->task, f->space.dims, f->space.classes, &out, &err);
    assert_int_equal(status, COPSE_E_MODEL);
    if (!strstr(err.msg, "is split and should have paused")) fail_msg("%s", err.msg);
    assert_null(out);
    cp_reader_free(r);
    free(bytes);
}

/* N5, which a file could break without breaking anything else. */
static void splits_that_should_have_paused_are_not_read(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("paused", 60, 2, classes, 0);
        copse_params *p = options("trees=2 min-samples-split=2"), *larger = options("trees=2 min-samples-split=20");
        cp_mondrian *f = fit_forest(&s.rows, p);
        must_not_read(f, p, larger);
        for (size_t i = 0; f->label && i < s.rows.n; i++) f->label[i] = 1;
        if (f->label) must_not_read(f, p, p);
        cp_mondrian_free(f);
        cp_param_free(p);
        cp_param_free(larger);
        free_sample(&s);
    }
}

static void any_number_of_threads_gives_the_same_forest(void **state) {
    (void)state;
    copse_error err;
    for (int classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("threads", 400, 3, (size_t)classes, 0);
        copse_params *p = options("trees=37");
        void *f[3] = {0};
        const int threads[3] = {1, 2, 7};
        for (int i = 0; i < 3; i++) {
            copse_run run = {.threads = threads[i]};
            cp_rows part = cp_rows_part(&s.rows, 0, 200);
            must(cp_mondrian_method.fit(&part, p, &run, &f[i], &err), err);
            part = cp_rows_part(&s.rows, 200, 190);
            must(cp_mondrian_method.update(f[i], &part, p, &run, NULL, &err), err);
            for (size_t row = 390; row < 400; row++) {
                part = cp_rows_part(&s.rows, row, 1);
                must(cp_mondrian_method.update(f[i], &part, p, &run, NULL, &err), err);
            }
        }
        assert_same_image(f[0], f[1], p);
        assert_same_image(f[0], f[2], p);
        for (int i = 0; i < 3; i++) cp_mondrian_free(f[i]);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* After a stop some trees lag; the next update catches up and the forest is as if nothing had happened. */
static void trees_that_lag_catch_up(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("lag", 300, 2, 3, 0);
    copse_params *p = options("trees=9");
    cp_rows first = s.rows, rest = s.rows, none = s.rows;
    first.n = 100;
    rest.n = 200;
    rest.x += 200;
    rest.label += 100;
    none.n = 0;
    cp_mondrian *whole = fit_forest(&first, p), *stopped = fit_forest(&first, p);
    must(cp_mondrian_method.update(whole, &rest, p, NULL, NULL, &err), err);
    volatile int stop = 1;
    copse_run run = {.stop = &stop, .threads = 1};
    assert_int_equal(cp_mondrian_method.update(stopped, &rest, p, &run, NULL, &err), COPSE_E_STOPPED);
    assert_sound(stopped);
    must(cp_mondrian_method.update(stopped, &none, p, NULL, NULL, &err), err);
    assert_same_image(whole, stopped, p);
    cp_mondrian_free(whole);
    cp_mondrian_free(stopped);
    cp_param_free(p);
    free_sample(&s);
}

/* Rows of the sample and points outside of it. */
static void a_point_goes_through_many_trees_as_through_each(void **state) {
    (void)state;
    enum { TREES = CP_MONDRIAN_ABREAST, POINTS = 100 };
    copse_error err;
    sample s = make_sample("side by side", POINTS, 3, 4, 0);
    copse_params *p = options("trees=16");
    cp_mondrian *f = fit_forest(&s.rows, p);
    cp_mondrian_walk all = {0}, one = {0};
    for (size_t i = 0; i < POINTS; i++) {
        size_t trees = 1 + i % TREES;
        float x[3] = {s.x[3 * i], s.x[3 * i + 1], s.x[3 * i + 2] + (i % 2 ? 0.3f : 0)};
        must(cp_mondrian_walk_trees(&all, f->tree, trees, &f->space, x, &err), err);
        for (size_t m = 0; m < trees; m++) {
            const cp_mondrian_path *a = &all.path[m], *b = &one.path[0];
            must(cp_mondrian_walk_down(&one, &f->tree[m], &f->space, x, 1, &err), err);
            assert_int_equal(a->n, b->n);
            for (size_t k = 0; k < a->n; k++)
                assert_int_equal(cp_mondrian_path_node(a, k), cp_mondrian_path_node(b, k));
            assert_int_equal(a->exits, b->exits);
            assert_memory_equal(a->exit, b->exit, a->exits * sizeof *a->exit);
            assert_true(a->stay == b->stay);
        }
    }
    cp_mondrian_walk_clear(&all);
    cp_mondrian_walk_clear(&one);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

static void a_cut_never_reaches_the_upper_end(void **state) {
    (void)state;
    const float lower = 1, upper = nextafterf(1, 2);
    for (int i = 0; i <= 10; i++) {
        assert_true(cp_mondrian_cut(lower, upper, i / 10. * (double)(upper - lower)) == lower);
        float c = cp_mondrian_cut(-3, 5, i / 10. * 8.);
        assert_true(c >= -3 && c < 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_trees_are_sound),
        cmocka_unit_test(online_trees_are_sound_after_every_row),
        cmocka_unit_test(cutting_the_stream_changes_nothing),
        cmocka_unit_test(saving_and_loading_in_between_changes_nothing),
        cmocka_unit_test(splits_that_should_have_paused_are_not_read),
        cmocka_unit_test(any_number_of_threads_gives_the_same_forest),
        cmocka_unit_test(trees_that_lag_catch_up),
        cmocka_unit_test(a_point_goes_through_many_trees_as_through_each),
        cmocka_unit_test(a_cut_never_reaches_the_upper_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
