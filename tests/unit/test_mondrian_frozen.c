/* Frozen forests: they predict what the living one does, hold none of its rows, and cannot be forged into work without
 * end. */
#include "forest.h"

static cp_mondrian *thaw(image from, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    void *out;
    must(read_image(from, rows, p, &out, &err), err);
    must(cp_method_mondrian.refresh(out, p, NULL, &err), err);
    return out;
}

/* tolerance 0: to the last bit. */
static void assert_same_answers(const cp_mondrian *a, const cp_mondrian *b, const cp_rows *rows, const copse_params *p,
                                double tolerance) {
    cp_answer x = ask(a, rows, p), y = ask(b, rows, p);
    assert_int_equal(x.n_comp, y.n_comp);
    for (size_t i = 0; i < x.n_comp; i++) {
        assert_near(x.comp[i].weight, y.comp[i].weight, tolerance);
        assert_near(x.comp[i].loc, y.comp[i].loc, tolerance);
        assert_near(x.comp[i].scale, y.comp[i].scale, tolerance);
    }
    for (size_t i = 0; x.probs && i < rows->n * x.classes; i++) assert_near(x.probs[i], y.probs[i], tolerance);
    cp_answer_clear(&x);
    cp_answer_clear(&y);
}

static const struct {
    size_t n, dims, classes;
    int steps;
    const char *options;
} cases[] = {
    {1, 2, 1, 0, "trees=2"},
    {300, 3, 3, 0, "trees=5"},
    {300, 3, 3, 4, "trees=5"},  /* many rows at one point, of several classes */
    {300, 2, 40, 8, "trees=5"}, /* more classes than bits in a word */
    {300, 2, 5, 0, "trees=5 min-samples-split=30"},
    {300, 2, 5, 0, "trees=5 lifetime=1.5"},
    {1, 2, 0, 0, "trees=2"},
    {300, 3, 0, 0, "trees=5"},
    {300, 3, 0, 0, "trees=5 min-samples-split=2"},
    {300, 2, 0, 5, "trees=5 hyper=marginal"},
    {300, 3, 0, 0, "trees=5 posterior=fast"},
    {300, 2, 0, 5, "trees=5 posterior=fast lifetime=2"},
};
enum { CASES = sizeof cases / sizeof *cases };

static sample sample_of(size_t i, const char *name) {
    return make_sample(name, cases[i].n, cases[i].dims, cases[i].classes, cases[i].steps);
}

static void a_frozen_forest_predicts_the_same_to_the_last_bit(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        sample s = sample_of(i, "frozen"), far = make_sample("far", 100, cases[i].dims, cases[i].classes, 0);
        for (size_t k = 0; k < 100 * cases[i].dims; k++) far.x[k] = 3 * far.x[k] - 1;
        copse_params *p = options(cases[i].options);
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
        image living = image_with(f, p, 0), frozen = image_with(f, p, COPSE_SAVE_FROZEN);
        cp_mondrian *back = thaw(frozen, &s.rows, p);
        assert_sound(back, p);
        assert_false(cp_method_mondrian.can_learn(back));
        assert_int_equal(cp_method_mondrian.rows(back), cases[i].n);
        assert_true(back->space.rows <= cases[i].n);
        assert_true(back->log_marginal == f->log_marginal);
        assert_same_answers(f, back, &s.rows, p, 0);
        assert_same_answers(f, back, &far.rows, p, 0);
        if (cases[i].n > 1) assert_true(frozen.n <= living.n);
        image again = image_with(back, p, 0);
        assert_int_equal(again.n, frozen.n);
        assert_memory_equal(again.bytes, frozen.bytes, frozen.n);
        cp_mondrian_free(f);
        cp_mondrian_free(back);
        cp_param_free(p);
        free_sample(&s);
        free_sample(&far);
        free(living.bytes);
        free(frozen.bytes);
        free(again.bytes);
    }
}

/* Learnt row by row, nodes of a fast forest were summed in another order. */
static void so_it_does_after_learning_online(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        sample s = sample_of(i, "online");
        copse_params *p = options(cases[i].options);
        copse_error err;
        cp_rows first = s.rows;
        first.n = (s.rows.n + 1) / 2;
        cp_mondrian *f = fit_rows(&first, first.n, p);
        for (size_t r = first.n; r < s.rows.n; r++) learn_rows(f, &s.rows, r, 1, p);
        must(cp_method_mondrian.refresh(f, p, NULL, &err), err);
        image frozen = image_with(f, p, COPSE_SAVE_FROZEN);
        cp_mondrian *back = thaw(frozen, &s.rows, p);
        assert_sound(back, p);
        assert_same_answers(f, back, &s.rows, p, f->space.keeps_moments ? 1e-12 : 0);
        cp_mondrian_free(f);
        cp_mondrian_free(back);
        cp_param_free(p);
        free_sample(&s);
        free(frozen.bytes);
    }
}

/* Rows inside the boxes of all leaves, and copies of others, leave no trace. */
static void only_corners_are_kept(void **state) {
    (void)state;
    sample s = make_sample("corners", 1000, 2, 0, 0), g = make_sample("grid", 1000, 2, 0, 5);
    copse_params *p = options("trees=3 min-samples-split=1001"), *full = options("trees=3 min-samples-split=2");
    cp_mondrian *one = fit_rows(&s.rows, s.rows.n, p), *grid = fit_rows(&g.rows, g.rows.n, full);
    image a = image_with(one, p, COPSE_SAVE_FROZEN), b = image_with(grid, full, COPSE_SAVE_FROZEN);
    cp_mondrian *box = thaw(a, &s.rows, p), *points = thaw(b, &g.rows, full);
    assert_true(box->space.rows <= 4); /* one leaf in two dimensions has four sides */
    assert_int_equal(points->space.rows, 25);
    assert_null(box->y);
    assert_null(box->label);
    cp_reader *r = NULL;
    copse_error err;
    must(cp_reader_new(b.bytes, b.n, &r, &err), err);
    assert_false(cp_reader_has(r, "x") || cp_reader_has(r, "y") || cp_reader_has(r, "label"));
    assert_false(cp_reader_has(r, "tree.0.next"));
    cp_reader_free(r);
    free(a.bytes);
    free(b.bytes);
    cp_mondrian_free(one);
    cp_mondrian_free(grid);
    cp_mondrian_free(box);
    cp_mondrian_free(points);
    cp_param_free(p);
    cp_param_free(full);
    free_sample(&s);
    free_sample(&g);
}

static void a_forest_that_lags_is_not_frozen(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("lag", 60, 2, 3, 0);
    copse_params *p = options("trees=3");
    cp_rows first = s.rows;
    first.n = 30;
    cp_mondrian *f = fit_rows(&first, first.n, p);
    copse_flag stop = 1;
    copse_run run = {.stop = &stop, .threads = 1};
    assert_int_equal(cp_method_mondrian.update(f, &first, p, &run, NULL, &err), COPSE_E_STOPPED);
    cp_writer *w = NULL;
    must(cp_writer_new(&w, &err), err);
    assert_int_equal(cp_mondrian_file_write(f, p, COPSE_SAVE_FROZEN, w, &err), COPSE_E_USAGE);
    cp_writer_free(w);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* One leaf hangs from each of n - 1 splits: all corners together go n^2 / 2 steps to their leaves. */
static image comb(size_t n) {
    copse_error err;
    cp_writer *w = NULL;
    image out;
    size_t nodes = 2 * n - 1;
    float *x = malloc(n * sizeof *x);
    double *time = malloc(n * sizeof *time);
    int32_t *dim = malloc(nodes * sizeof *dim), *one = malloc(n * sizeof *one), *label = malloc(n * sizeof *label);
    for (size_t i = 0; i < nodes; i++) dim[i] = i % 2 == 0 && i + 1 < nodes;
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
        time[i] = (double)(i + 1);
        one[i] = 1;
        label[i] = (int32_t)(i % 2);
    }
    must(cp_writer_new(&w, &err), err);
    must(cp_writer_i64(w, "rows", (int64_t)n, &err), err);
    must(cp_writer_i64(w, "frozen", 1, &err), err);
    must(cp_writer_array(w, "corner", CP_F32, x, n, &err), err);
    must(cp_writer_array(w, "tree.0.dim", CP_I32, dim, nodes, &err), err);
    must(cp_writer_array(w, "tree.0.cut", CP_F32, x, n - 1, &err), err);
    must(cp_writer_array(w, "tree.0.time", CP_F64, time, n - 1, &err), err);
    must(cp_writer_array(w, "tree.0.kinds", CP_I32, one, n, &err), err);
    must(cp_writer_array(w, "tree.0.class", CP_I32, label, n, &err), err);
    must(cp_writer_array(w, "tree.0.count", CP_I32, one, n, &err), err);
    free(x);
    free(time);
    free(dim);
    free(one);
    free(label);
    must(finish_image(w, &out, &err), err);
    cp_writer_free(w);
    return out;
}

static copse_status read_comb(size_t n, copse_error *err) {
    copse_params *p = options("trees=1");
    image from = comb(n);
    void *out;
    copse_status status = read_image(from, &(cp_rows){.task = COPSE_CLASS, .dims = 1, .classes = 2}, p, &out, err);
    if (out) assert_sound(out, p);
    cp_mondrian_free(out);
    cp_param_free(p);
    free(from.bytes);
    return status;
}

static void a_tree_as_deep_as_it_is_large_takes_no_time(void **state) {
    (void)state;
    copse_error err;
    must(read_comb(100, &err), err);
    assert_int_equal(read_comb(500000, &err), COPSE_E_MODEL); /* 1e11 steps otherwise */
    if (!strstr(err.msg, "than a file of this size")) fail_msg("%s", err.msg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frozen_forest_predicts_the_same_to_the_last_bit),
        cmocka_unit_test(so_it_does_after_learning_online),
        cmocka_unit_test(only_corners_are_kept),
        cmocka_unit_test(a_forest_that_lags_is_not_frozen),
        cmocka_unit_test(a_tree_as_deep_as_it_is_large_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
