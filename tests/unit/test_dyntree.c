/* Structure, streams, files and failures; what the moves are worth is in tests/exact/test_dyntree_moves.c. */
#include "dynamic.h"

#include "sanitized.h"

/* ------------------------------------------------------------------------------------------------------------ invariants */

/* Holders, lists, statistics and likelihoods recomputed from scratch after every single row. */
static void trees_are_sound_after_every_row(void **state) {
    (void)state;
    const struct {
        size_t dims, classes;
        int steps;
        const char *options;
    } cases[] = {
        {2, 3, 0, "particles=20"},
        {2, 3, 4, "particles=20 resampling=systematic"},
        {3, 40, 6, "particles=7 min-leaf=2"},
        {1, 2, 0, "particles=1"},
        {2, 0, 0, "particles=20"},
        {2, 0, 4, "particles=20 min-leaf=1 beta-split=0.2"},
        {3, 0, 0, "particles=9 min-leaf=5 resampling=residual"},
        {1, 0, 3, "particles=30 alpha-split=0.99 beta-split=0 resampling=stratified"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sample s = make_sample("every row", 150, cases[i].dims, cases[i].classes, cases[i].steps);
        copse_params *p = options(cases[i].options);
        cp_dyntree *f = fit_trees(&s.rows, 30, p);
        size_t most = 0;
        for (size_t r = 30; r < s.rows.n; r++) {
            learn_rows(f, &s.rows, r, 1, p);
            assert_sound(f);
            size_t leaves = f->pool.node[f->root[0]].leaves;
            most = leaves > most ? leaves : most;
        }
        assert_true(most > 1); /* else nothing was tested */
        cp_dyntree_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Rows that are all alike cannot be cut, and one row is enough to begin with. */
static void rows_that_are_alike_stay_together(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        sample s = make_sample("alike", 60, 3, classes, 1);
        copse_params *p = options("particles=10 min-leaf=1");
        cp_dyntree *f = fit_trees(&s.rows, 1, p);
        learn_rows(f, &s.rows, 1, 59, p);
        assert_sound(f);
        assert_int_equal(f->pool.live, 1);
        assert_int_equal(f->pool.node[f->root[0]].rows, 60);
        cp_dyntree_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* ------------------------------------------------------------------------------------------------------------ predictions */

/* y -> 8 y: the same trees, and answers eight times as large. */
static void targets_may_have_any_unit(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("unit", 120, 2, 0, 0);
    copse_params *p = options("particles=20");
    cp_dyntree *f[2];
    cp_answer a[2];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; k && i < 120; i++) s.y[i] *= 8;
        f[k] = fit_trees(&s.rows, 120, p);
        must(cp_answer_init(&a[k], COPSE_REGRESS, 120, 0, &err), err);
        must(cp_dyntree_predict(f[k], &s.rows, p, &a[k], &err), err);
    }
    assert_true(f[0]->pool.live > 10);
    assert_int_equal(f[0]->pool.live, f[1]->pool.live);
    for (size_t i = 0; i < 120; i++) {
        cp_mixture one = cp_answer_mixture(&a[0], i), eight = cp_answer_mixture(&a[1], i);
        assert_near(8 * cp_mixture_mean(one), cp_mixture_mean(eight), 1e-9);
        assert_near(64 * cp_mixture_var(one), cp_mixture_var(eight), 1e-9);
    }
    for (int k = 0; k < 2; k++) {
        cp_answer_clear(&a[k]);
        cp_dyntree_free(f[k]);
    }
    cp_param_free(p);
    free_sample(&s);
}

/* What is asked of all particles is the mean of what each says; and what one says is what its leaf says. */
static void the_answer_is_the_mean_over_particles(void **state) {
    (void)state;
    copse_error err;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("mean", 100, 2, classes, 0);
        copse_params *p = options("particles=12");
        cp_dyntree *f = fit_trees(&s.rows, 100, p);
        cp_answer all;
        double sum[100][3] = {{0}};
        must(cp_answer_init(&all, s.rows.task, 100, classes, &err), err);
        must(cp_dyntree_predict(f, &s.rows, p, &all, &err), err);
        for (int32_t t = 0; t < 12; t++) {
            cp_answer one;
            must(cp_answer_init(&one, s.rows.task, 100, classes, &err), err);
            one.tree = t;
            must(cp_dyntree_predict(f, &s.rows, p, &one, &err), err);
            for (size_t i = 0; i < 100; i++) {
                const double *stat =
                    cp_dyntree_pool_stat(&f->pool, cp_dyntree_pool_find(&f->pool, f->root[t], cp_dyntree_row(f, i)));
                if (!classes) {
                    double want = f->centre + f->scale * stat[1] / (f->kappa + stat[0]);
                    assert_near(cp_mixture_mean(cp_answer_mixture(&one, i)), want, 1e-12);
                    sum[i][0] += want / 12;
                }
                for (size_t k = 0; k < classes; k++) {
                    double want = (stat[k] + 1. / 3) / (stat[0] + stat[1] + stat[2] + 1);
                    assert_near(one.probs[i * 3 + k], want, 1e-12);
                    sum[i][k] += want / 12;
                }
            }
            cp_answer_clear(&one);
        }
        for (size_t i = 0; i < 100; i++) {
            if (!classes) assert_near(cp_mixture_mean(cp_answer_mixture(&all, i)), sum[i][0], 1e-12);
            for (size_t k = 0; k < classes; k++) assert_near(all.probs[i * 3 + k], sum[i][k], 1e-12);
        }
        cp_answer_clear(&all);
        cp_dyntree_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* --------------------------------------------------------------------------------------------------------------- streams */

static const struct {
    size_t classes;
    int steps;
    const char *options;
} streams[] = {
    {0, 0, "particles=15"},
    {4, 0, "particles=15"},
    {36, 6, "particles=15 resampling=systematic"},
    {0, 6, "particles=15 min-leaf=1 resampling=systematic"},
};

static void cutting_the_stream_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        sample s = make_sample("cut", 300, 3, streams[i].classes, streams[i].steps);
        copse_params *p = options(streams[i].options);
        cp_dyntree *one = fit_trees(&s.rows, 50, p), *many = fit_trees(&s.rows, 50, p);
        learn_rows(one, &s.rows, 50, 250, p);
        for (size_t r = 50, n = 1; r < 300; r += n) {
            n = 1 + r % 7 < 300 - r ? 1 + r % 7 : 300 - r;
            learn_rows(many, &s.rows, r, n, p);
        }
        assert_same_trees(one, many, p);
        if (streams[i].classes) { /* of numbers, the rows fitted on set the unit */
            cp_dyntree *all = fit_trees(&s.rows, 300, p);
            assert_same_trees(one, all, p);
            cp_dyntree_free(all);
        }
        cp_dyntree_free(one);
        cp_dyntree_free(many);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Classes beyond those known at first come with the row that brings them, also if that row comes with others. */
static void classes_that_are_new_come_with_their_row(void **state) {
    (void)state;
    sample s = make_sample("new classes", 200, 2, 6, 0);
    for (size_t i = 0; i < 80; i++) s.label[i] %= 2;
    copse_params *p = options("particles=25");
    cp_rows first = s.rows;
    first.classes = 2;
    cp_dyntree *one = fit_trees(&first, 80, p), *many = fit_trees(&first, 80, p);
    learn_rows(one, &s.rows, 80, 120, p);
    int32_t known = 2;
    for (size_t r = 80; r < 200; r++) {
        cp_rows row = s.rows;
        known = s.label[r] >= known ? s.label[r] + 1 : known;
        row.classes = (size_t)known;
        learn_rows(many, &row, r, 1, p);
        assert_sound(many);
        assert_int_equal(many->classes, known);
    }
    assert_same_trees(one, many, p);
    cp_dyntree_free(one);
    cp_dyntree_free(many);
    cp_param_free(p);
    free_sample(&s);
}

/* The answer just before a row is learnt is that of a model that has not seen it. */
static void answers_before_learning_are_those_of_the_model_before(void **state) {
    (void)state;
    copse_error err;
    for (size_t i = 0; i < COUNT(streams); i++) {
        sample s = make_sample("before", 120, 3, streams[i].classes, streams[i].steps);
        copse_params *p = options(streams[i].options);
        cp_dyntree *f = fit_trees(&s.rows, 40, p), *slow = fit_trees(&s.rows, 40, p);
        cp_answer before;
        cp_rows rest = cp_rows_part(&s.rows, 40, 80);
        must(cp_answer_init(&before, s.rows.task, 80, s.rows.classes, &err), err);
        must(cp_dyntree_method.update(f, &rest, p, NULL, &before, &err), err);
        for (size_t r = 40; r < 120; r++) {
            cp_answer one;
            cp_rows row = cp_rows_part(&s.rows, r, 1);
            must(cp_answer_init(&one, s.rows.task, 1, s.rows.classes, &err), err);
            must(cp_dyntree_predict(slow, &row, p, &one, &err), err);
            if (streams[i].classes)
                assert_memory_equal(one.probs, before.probs + (r - 40) * s.rows.classes,
                                    s.rows.classes * sizeof *one.probs);
            else
                assert_true(cp_mixture_mean(cp_answer_mixture(&one, 0)) ==
                            cp_mixture_mean(cp_answer_mixture(&before, r - 40)));
            cp_answer_clear(&one);
            learn_rows(slow, &s.rows, r, 1, p);
        }
        assert_same_trees(f, slow, p);
        cp_answer_clear(&before);
        cp_dyntree_free(f);
        cp_dyntree_free(slow);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* A stop leaves rows to be learnt, and the next update learns them. */
static void rows_that_wait_are_learnt_next(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("wait", 200, 2, 3, 0);
    copse_params *p = options("particles=9");
    cp_rows rest = cp_rows_part(&s.rows, 100, 100), none = cp_rows_part(&s.rows, 0, 0);
    cp_dyntree *whole = fit_trees(&s.rows, 100, p), *stopped = fit_trees(&s.rows, 100, p);
    learn_rows(whole, &s.rows, 100, 100, p);
    volatile int stop = 1;
    copse_run run = {.stop = &stop};
    assert_int_equal(cp_dyntree_method.update(stopped, &rest, p, &run, NULL, &err), COPSE_E_STOPPED);
    assert_sound(stopped);
    must(cp_dyntree_method.update(stopped, &none, p, NULL, NULL, &err), err);
    assert_same_trees(whole, stopped, p);
    cp_dyntree_free(whole);
    cp_dyntree_free(stopped);
    cp_param_free(p);
    free_sample(&s);
}

/* ---------------------------------------------------------------------------------------------------------------- files */

static copse_status read_bytes(const unsigned char *bytes, size_t n, const cp_rows *rows, const copse_params *p,
                               void **out, copse_error *err) {
    cp_reader *r;
    *out = NULL;
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    copse_status status = cp_dyntree_read(r, p, rows->task, rows->dims, rows->classes, out, err);
    cp_reader_free(r);
    return status;
}

static cp_dyntree *reread(const cp_dyntree *f, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    size_t n;
    void *out;
    unsigned char *bytes = bytes_of(f, p, &n);
    must(read_bytes(bytes, n, rows, p, &out, &err), err);
    free(bytes);
    return out;
}

static void saving_and_loading_in_between_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        sample s = make_sample("reload", 200, 3, streams[i].classes, streams[i].steps);
        copse_params *p = options(streams[i].options);
        cp_dyntree *one = fit_trees(&s.rows, 100, p), *two = fit_trees(&s.rows, 100, p);
        learn_rows(one, &s.rows, 100, 100, p);
        learn_rows(two, &s.rows, 100, 40, p);
        cp_dyntree *back = reread(two, &s.rows, p);
        assert_sound(back);
        assert_same_trees(two, back, p);
        learn_rows(back, &s.rows, 140, 60, p);
        assert_sound(back);
        assert_same_trees(one, back, p);
        cp_dyntree_free(one);
        cp_dyntree_free(two);
        cp_dyntree_free(back);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* What a file could break without breaking anything else. */
static void files_that_lie_are_not_read(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("lies", 80, 2, 3, 0);
    copse_params *p = options("particles=6"), *fewer = options("particles=5"),
                 *larger = options("particles=6 min-leaf=20");
    cp_dyntree *f = fit_trees(&s.rows, 80, p);
    size_t n;
    void *out;
    unsigned char *bytes = bytes_of(f, p, &n);
    assert_int_equal(read_bytes(bytes, n, &s.rows, fewer, &out, &err), COPSE_E_MODEL);
    assert_int_equal(read_bytes(bytes, n, &s.rows, larger, &out, &err), COPSE_E_MODEL);
    free(bytes);
    cp_dyntree_node *root = &f->pool.node[f->root[0]];
    assert_false(cp_dyntree_is_leaf(root));
    const struct {
        const char *says;
        void *at;
        size_t size;
        const void *lie;
    } lies[] = {
        {"wrong side", &root->cut, sizeof(float), &(float){1e30f}},
        {"impossible split", &root->cut, sizeof(float), &(float){NAN}},
        {"impossible split", &root->dim, sizeof(int32_t), &(int32_t){2}},
        {"impossible class", &f->label[3], sizeof(int32_t), &(int32_t){3}},
        {"number that is none", &f->x[3], sizeof(float), &(float){INFINITY}},
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        unsigned char was[8];
        memcpy(was, lies[i].at, lies[i].size);
        memcpy(lies[i].at, lies[i].lie, lies[i].size);
        bytes = bytes_of(f, p, &n);
        memcpy(lies[i].at, was, lies[i].size);
        assert_int_equal(read_bytes(bytes, n, &s.rows, p, &out, &err), COPSE_E_MODEL);
        if (!strstr(err.msg, lies[i].says)) fail_msg("'%s' does not say '%s'", err.msg, lies[i].says);
        free(bytes);
    }
    cp_dyntree_free(f);
    cp_param_free(p);
    cp_param_free(fewer);
    cp_param_free(larger);
    free_sample(&s);
}

/* -------------------------------------------------------------------------------------------------------------- failures */

/* Fit, learn with a new class, answer, write, read: each allocation in turn fails. */
static copse_status a_life(const cp_rows *rows, const copse_params *p, copse_error *err) {
    cp_rows first = cp_rows_part(rows, 0, 20), rest = cp_rows_part(rows, 20, 20);
    void *f = NULL, *back = NULL;
    cp_writer *w = NULL;
    cp_answer before = {0};
    const unsigned char *bytes;
    size_t n;
    if (first.classes) first.classes = 2;
    copse_status status;
    CP_TRY_OUT(cp_dyntree_method.fit(&first, p, NULL, &f, err));
    CP_TRY_OUT(cp_answer_init(&before, rows->task, 20, rows->classes, err));
    CP_TRY_OUT(cp_dyntree_method.update(f, &rest, p, NULL, rows->classes ? NULL : &before, err));
    CP_TRY_OUT(cp_writer_new(&w, err));
    CP_TRY_OUT(cp_dyntree_write(f, p, 0, w, err));
    CP_TRY_OUT(cp_writer_finish(w, &bytes, &n, err));
    CP_TRY_OUT(read_bytes(bytes, n, rows, p, &back, err));
out:
    cp_answer_clear(&before);
    cp_writer_free(w);
    cp_dyntree_free(f);
    cp_dyntree_free(back);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("failing", 40, 2, classes, 0);
        for (size_t i = 0; i < 20; i++) s.label[i] %= 2;
        copse_params *p = options("particles=8");
        size_t live = cp_mem_live();
        copse_status status = COPSE_E_MEMORY;
        for (long k = 0; status; k = next_failure(k)) {
            copse_error err;
            cp_mem_fail_after(k);
            status = a_life(&s.rows, p, &err);
            cp_mem_fail_after(-1);
            if (status) assert_int_equal(status, COPSE_E_MEMORY);
            assert_int_equal(cp_mem_live(), live);
        }
        cp_param_free(p);
        free_sample(&s);
    }
}

/* A row that ran out of memory half way is finished by the next update: the same trees as without. */
static void a_failure_leaves_no_trace(void **state) {
    (void)state;
    sample s = make_sample("no trace", 60, 2, 3, 0);
    copse_params *p = options("particles=12");
    cp_rows rest = cp_rows_part(&s.rows, 30, 30), none = cp_rows_part(&s.rows, 0, 0);
    cp_dyntree *whole = fit_trees(&s.rows, 60, p);
    int failed = 0;
    for (long k = 0;; k++) {
        copse_error err;
        cp_dyntree *f = fit_trees(&s.rows, 30, p);
        size_t rows = f->rows;
        cp_mem_fail_after(k);
        copse_status status = cp_dyntree_method.update(f, &rest, p, NULL, NULL, &err);
        cp_mem_fail_after(-1);
        assert_sound(f);
        failed += status && f->rows > rows;
        must(cp_dyntree_method.update(f, f->rows > rows ? &none : &rest, p, NULL, NULL, &err), err);
        assert_same_trees(whole, f, p);
        cp_dyntree_free(f);
        if (!status) break;
    }
    assert_true(failed > 0);
    cp_dyntree_free(whole);
    cp_param_free(p);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_sound_after_every_row),
        cmocka_unit_test(rows_that_are_alike_stay_together),
        cmocka_unit_test(targets_may_have_any_unit),
        cmocka_unit_test(the_answer_is_the_mean_over_particles),
        cmocka_unit_test(cutting_the_stream_changes_nothing),
        cmocka_unit_test(classes_that_are_new_come_with_their_row),
        cmocka_unit_test(answers_before_learning_are_those_of_the_model_before),
        cmocka_unit_test(rows_that_wait_are_learnt_next),
        cmocka_unit_test(saving_and_loading_in_between_changes_nothing),
        cmocka_unit_test(files_that_lie_are_not_read),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(a_failure_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
