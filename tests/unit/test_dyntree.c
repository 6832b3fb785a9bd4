/* Structure, predictions and files; streams and failures are in test_online.c, what the moves are worth in
 * tests/exact/test_dyntree_moves.c. */
#include "dynamic.h"

/* ------------------------------------------------------------------------------------------------------- invariants */

/* Rows that are all alike cannot be cut, and one row is enough to begin with. */
static void rows_that_are_alike_stay_together(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        sample s = make_sample("alike", 60, 3, classes, 1);
        copse_params *p = options("particles=10 min-leaf=1");
        cp_dyntree *f = fit_rows(&s.rows, 1, p);
        learn_rows(f, &s.rows, 1, 59, p);
        assert_sound(f, p);
        assert_int_equal(f->pool.live, 1);
        assert_int_equal(f->pool.node[f->root[0]].rows, 60);
        cp_dyntree_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Particles that are pruned to one leaf share it, wherever in the row of particles they stand. */
static void trees_that_several_particles_have_are_counted_once(void **state) {
    (void)state;
    sample s = make_sample("counted", 40, 2, 2, 0);
    copse_params *p = options("particles=50 alpha-split=0.5");
    cp_dyntree *f = fit_rows(&s.rows, 1, p);
    size_t scattered = 0;
    for (size_t row = 1; row < 40; row++) {
        copse_figure figure[COPSE_MAX_FIGURES];
        size_t different = 0, stretches = 0;
        learn_rows(f, &s.rows, row, 1, p);
        for (size_t i = 0; i < 50; i++) {
            size_t k = 0;
            while (f->root[k] != f->root[i]) k++;
            different += k == i;
            stretches += !i || f->root[i] != f->root[i - 1];
        }
        cp_dyntree_inspect_details(f, figure);
        assert_string_equal(figure[0].name, "unique_trees");
        assert_true(figure[0].value == (double)different);
        scattered += stretches > different;
    }
    assert_true(scattered > 0); /* or nothing was tried */
    cp_dyntree_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* --------------------------------------------------------------------------------------------------------- progress */

typedef struct watch {
    size_t calls;
    double most, total; /* of the last call */
    copse_flag stop;
    size_t stop_after;
} watch;

static void look(void *arg, const char *what, double done, double total) {
    watch *w = arg;
    (void)what;
    w->calls++;
    w->most = fmax(w->most, done);
    w->total = total;
    if (w->calls == w->stop_after) w->stop = 1;
}

/* Rows that a call left behind when it was stopped are part of the next one's work. */
static void progress_counts_rows_that_were_left_behind(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("progress", 60, 2, 0, 0);
    copse_params *p = options("particles=5");
    cp_dyntree *f = fit_rows(&s.rows, 20, p);
    watch first = {.stop_after = 5}, next = {0};
    cp_rows part = cp_rows_slice(&s.rows, 20, 30), rest = cp_rows_slice(&s.rows, 50, 10);
    copse_run run = {.progress = look, .arg = &first, .stop = &first.stop};
    assert_int_equal(cp_method_dyntree.update(f, &part, p, &run, NULL, &err), COPSE_E_STOPPED);
    assert_true(first.most == 5 && first.total == 30);
    run = (copse_run){.progress = look, .arg = &next};
    must(cp_method_dyntree.update(f, &rest, p, &run, NULL, &err), err);
    assert_int_equal(next.calls, 35);
    assert_true(next.most == 35 && next.total == 35);
    cp_dyntree_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* ------------------------------------------------------------------------------------------------------ predictions */

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
        f[k] = fit_rows(&s.rows, 120, p);
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
        cp_dyntree *f = fit_rows(&s.rows, 100, p);
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

/* ------------------------------------------------------------------------------------------------------------ files */

/* What a file could break without breaking anything else. */
/* Of one leaf: y, and its mean, have the Student distributions of a normal-inverse-gamma posterior. */
static void the_mean_of_y_has_the_law_of_its_posterior(void **state) {
    (void)state;
    enum { N = 7 };
    copse_error err;
    sample s = make_sample("mean of y", N, 1, 0, 0);
    copse_params *p = options("particles=3 min-leaf=100 kappa=0.3 nu=4 lambda=0.2");
    cp_dyntree *f = fit_rows(&s.rows, N, p);
    double sum = 0, squares = 0, k = .3 + N, df = 4 + N;
    for (size_t i = 0; i < N; i++) {
        double y = (s.y[i] - f->centre) / f->scale;
        sum += y;
        squares += y * y;
    }
    double var = (4 * .2 + squares - sum * sum / k) / df; /* mu is N(0, var / .3) before any row */
    for (int of_mean = 0; of_mean < 2; of_mean++) {
        cp_answer a;
        must(cp_answer_init(&a, COPSE_REGRESS, N, 0, &err), err);
        a.of_mean = of_mean;
        must(cp_dyntree_predict(f, &s.rows, p, &a, &err), err);
        cp_mixture m = cp_answer_mixture(&a, 0);
        cp_component c = cp_mixture_at(&m, 0);
        assert_int_equal(m.n, 1);
        assert_near(c.loc, f->centre + f->scale * sum / k, 1e-12);
        assert_near(c.scale, f->scale * sqrt(var * ((of_mean ? 0 : 1) + 1 / k)), 1e-12);
        assert_near(c.df, df, 1e-12);
        cp_answer_clear(&a);
    }
    cp_dyntree_free(f);
    cp_param_free(p);
    free_sample(&s);
}

static void files_that_lie_are_not_read(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("lies", 80, 2, 3, 0);
    copse_params *p = options("particles=6"), *fewer = options("particles=5"),
                 *larger = options("particles=6 min-leaf=20");
    cp_dyntree *f = fit_rows(&s.rows, 80, p);
    void *out;
    image in = image_with(f, p, 0);
    assert_int_equal(read_image(in, &s.rows, fewer, &out, &err), COPSE_E_MODEL);
    assert_int_equal(read_image(in, &s.rows, larger, &out, &err), COPSE_E_MODEL);
    free(in.bytes);
    cp_dyntree_node *root = &f->pool.node[f->root[0]];
    assert_false(cp_dyntree_pool_is_leaf(root));
    cp_dyntree_node *leaf = root;
    while (!cp_dyntree_pool_is_leaf(leaf)) leaf = &f->pool.node[leaf->left];
    const struct {
        const char *says;
        void *at;
        size_t size;
        const void *lie;
    } lies[] = {
        {"wrong side", &root->cut, sizeof(float), &(float){1e30f}},
        {"is out of range", &root->cut, sizeof(float), &(float){NAN}},
        {"impossible split", &root->dim, sizeof(int32_t), &(int32_t){2}},
        {"is a leaf and has a split", &leaf->dim, sizeof(int32_t), &(int32_t){1000000}},
        {"is a leaf and has a split", &leaf->dim, sizeof(int32_t), &(int32_t){1}},
        {"is a leaf and has a split", &leaf->cut, sizeof(float), &(float){1}},
        {"impossible class", &f->label[3], sizeof(int32_t), &(int32_t){3}},
        {"is out of range", &f->x[3], sizeof(float), &(float){INFINITY}},
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        unsigned char was[8];
        memcpy(was, lies[i].at, lies[i].size);
        memcpy(lies[i].at, lies[i].lie, lies[i].size);
        in = image_with(f, p, 0);
        memcpy(lies[i].at, was, lies[i].size);
        assert_int_equal(read_image(in, &s.rows, p, &out, &err), COPSE_E_MODEL);
        if (!strstr(err.msg, lies[i].says)) fail_msg("'%s' does not say '%s'", err.msg, lies[i].says);
        free(in.bytes);
    }
    cp_dyntree_free(f);
    cp_param_free(p);
    cp_param_free(fewer);
    cp_param_free(larger);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_alike_stay_together),
        cmocka_unit_test(trees_that_several_particles_have_are_counted_once),
        cmocka_unit_test(progress_counts_rows_that_were_left_behind),
        cmocka_unit_test(targets_may_have_any_unit),
        cmocka_unit_test(the_answer_is_the_mean_over_particles),
        cmocka_unit_test(the_mean_of_y_has_the_law_of_its_posterior),
        cmocka_unit_test(files_that_lie_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
