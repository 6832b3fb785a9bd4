/* What BART makes of rows and options: scales, priors, weights; against GSL's least squares, and where data are odd. */
#include "bart/draws/bart_problem.h"
#include "bart/mh/bart_mh.h"
#include "base/mem.h"
#include "num/dens.h"
#include "sample.h"

#include <gsl/gsl_multifit.h>

enum { ROWS = 80, DIMS = 4 };

typedef struct world {
    sample s;
    double weight[ROWS];
    char said[256];
    copse_run run;
    cp_bart_problem b;
} world;

static void hear(void *arg, copse_log_level level, const char *text) {
    world *w = arg;
    if (level == COPSE_LOG_WARNING) snprintf(w->said, sizeof w->said, "%s", text);
}

static cp_bart_options plain_options(void) {
    return (cp_bart_options){.sampler = &cp_bart_mh_sampler,
                             .sampler_opt = {.move_prob = {.5, .5}},
                             .trees = 20,
                             .samples = 1,
                             .thin = 1,
                             .split = {.95, 2},
                             .k = 2,
                             .nu = 3,
                             .q = .9,
                             .ols = 1};
}

static void make_world(world *w, const char *name, size_t classes) {
    *w = (world){.s = make_sample(name, ROWS, DIMS, classes, 0)};
    w->run = (copse_run){.log = hear, .arg = w};
    for (size_t i = 0; i < ROWS; i++) w->weight[i] = .5 + (double)(i % 7);
}

static copse_status set_up(world *w, const cp_bart_options *opt, copse_error *err) {
    w->said[0] = '\0';
    return cp_bart_problem_init(&w->b, &w->s.rows, opt, 1, &w->run, err);
}

/* The residual's standard deviation by GSL, from the columns that are named. */
static double gsl_sd(const world *w, const char *columns) {
    size_t n = strlen(columns) + 1;
    gsl_matrix *x = gsl_matrix_alloc(ROWS, n), *cov = gsl_matrix_alloc(n, n);
    gsl_vector *y = gsl_vector_alloc(ROWS), *c = gsl_vector_alloc(n);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(ROWS, n);
    double squares;
    for (size_t i = 0; i < ROWS; i++) {
        double root = w->s.rows.weight ? sqrt(w->weight[i]) : 1;
        gsl_vector_set(y, i, root * w->s.y[i]);
        gsl_matrix_set(x, i, 0, root);
        for (size_t j = 1; j < n; j++)
            gsl_matrix_set(x, i, j, root * (double)w->s.x[i * DIMS + (size_t)(columns[j - 1] - '0')]);
    }
    gsl_multifit_linear(x, y, c, cov, &squares, work);
    gsl_multifit_linear_free(work);
    gsl_matrix_free(x);
    gsl_matrix_free(cov);
    gsl_vector_free(y);
    gsl_vector_free(c);
    return sqrt(squares / (double)(ROWS - n));
}

static void targets_are_brought_to_a_range_of_one(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (size_t i = 0; i < ROWS; i++) w.s.y[i] = 1e9 + 3 * w.s.y[i];
    must(set_up(&w, &opt, &err), err);
    float low = 1, high = -1;
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(w.b.centre + w.b.scale * (double)w.b.y[i], w.s.y[i], 1e-15);
        low = w.b.y[i] < low ? w.b.y[i] : low;
        high = w.b.y[i] > high ? w.b.y[i] : high;
    }
    assert_true(low == -.5f && high == .5f);
    assert_near(w.b.hyper.leaf_var * 20, .25 * .25, 1e-12);
    assert_int_equal(w.b.sums, 1);
    assert_string_equal(w.said, "");
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

static void noise_is_scaled_by_least_squares(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (int weighted = 0; weighted < 2; weighted++) {
        w.s.rows.weight = weighted ? w.weight : NULL;
        must(set_up(&w, &opt, &err), err);
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++) mean += weighted ? w.weight[i] / ROWS : 1. / ROWS;
        assert_rel(w.b.sigma_hat * w.b.scale, gsl_sd(&w, "0123") / sqrt(mean), 1e-5);
        /* P(sigma < sigma-hat) = P(chi^2_nu > nu lambda / sigma-hat^2) = q */
        double x = opt.nu * w.b.hyper.lambda / (w.b.sigma_hat * w.b.sigma_hat);
        assert_near(1 - cp_dens_gamma_cdf(.5 * x, .5 * opt.nu), opt.q, 1e-9);
        cp_bart_problem_clear(&w.b);
    }
    free_sample(&w.s);
}

/* Constant and repeated columns, as categories make them, take no degrees of freedom. */
static void columns_that_say_nothing_do_no_harm(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (size_t i = 0; i < ROWS; i++) {
        float *x = w.s.x + i * DIMS;
        x[1] = 1e6f;
        x[3] = 2 * x[0] - 1;
    }
    must(set_up(&w, &opt, &err), err);
    assert_rel(w.b.sigma_hat * w.b.scale, gsl_sd(&w, "02"), 1e-5);
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

static void too_few_rows_for_least_squares_have_a_deviation(void **state) {
    (void)state;
    copse_error err;
    cp_bart_options opt = plain_options();
    sample s = make_sample(__func__, 12, 30, 0, 0);
    double mean = 0, squares = 0;
    cp_bart_problem b;
    for (size_t i = 0; i < 12; i++) mean += s.y[i] / 12;
    for (size_t i = 0; i < 12; i++) squares += (s.y[i] - mean) * (s.y[i] - mean);
    for (opt.ols = 0; opt.ols < 2; opt.ols++) {
        must(cp_bart_problem_init(&b, &s.rows, &opt, 1, NULL, &err), err);
        assert_rel(b.sigma_hat * b.scale, sqrt(squares / 11), 1e-6);
        cp_bart_problem_clear(&b);
    }
    free_sample(&s);
}

/* All weights times 1e-20, or 1e20, change nothing. */
static void the_unit_of_weights_does_not_matter(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    w.s.rows.weight = w.weight;
    must(set_up(&w, &opt, &err), err);
    cp_bart_hyper once = w.b.hyper;
    cp_bart_problem_clear(&w.b);
    for (size_t i = 0; i < ROWS; i++) w.weight[i] *= 1e-20;
    must(set_up(&w, &opt, &err), err);
    assert_rel(w.b.hyper.lambda, once.lambda, 1e-6);
    assert_rel(w.b.hyper.leaf_var, once.leaf_var, 1e-6);
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

/* A row that counts nothing moves no scale. */
static void rows_of_no_weight_are_not_looked_at(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    w.s.rows.weight = w.weight;
    w.weight[3] = 0;
    must(set_up(&w, &opt, &err), err);
    double scale = w.b.scale, sigma = w.b.sigma_hat;
    assert_int_equal(w.b.positive_rows, ROWS - 1);
    cp_bart_problem_clear(&w.b);
    w.s.y[3] = 1e300;
    must(set_up(&w, &opt, &err), err);
    assert_true(w.b.scale == scale && w.b.sigma_hat == sigma && w.b.y[3] == 0);
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

/* A class begins at its share of the rows, by weight; one that has no rows begins half a row off 0. */
static void classes_begin_at_their_shares(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 4);
    for (size_t i = 0; i < ROWS; i++) w.s.label[i] = (int32_t)(i % 3);
    must(set_up(&w, &opt, &err), err);
    assert_int_equal(w.b.sums, 4);
    assert_near(cp_dens_normal_cdf(w.b.offset[0]), 27.0 / 80, 1e-12);
    assert_near(cp_dens_normal_cdf(w.b.offset[2]), 26.0 / 80, 1e-12);
    assert_near(cp_dens_normal_cdf(w.b.offset[3]), .5 / 80, 1e-12);
    assert_near(w.b.hyper.leaf_var * 20, 1.5 * 1.5, 1e-12);
    cp_bart_problem_clear(&w.b);
    w.s.rows.classes = 2;
    for (size_t i = 0; i < ROWS; i++) {
        w.s.label[i] = i < 20;
        w.weight[i] = i < 20 ? 3 : 1;
    }
    w.s.rows.weight = w.weight;
    must(set_up(&w, &opt, &err), err);
    assert_int_equal(w.b.sums, 1);
    assert_near(cp_dens_normal_cdf(w.b.offset[0]), .5, 1e-12);
    assert_true(cp_bart_problem_is_in(&w.b, 0, 3) && !cp_bart_problem_is_in(&w.b, 0, 30));
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

static void equal_targets_have_a_small_unit(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (size_t i = 0; i < ROWS; i++) w.s.y[i] = -7e5;
    must(set_up(&w, &opt, &err), err);
    assert_true(w.b.centre == -7e5 && w.b.scale == 1e-6 && w.b.sigma_hat == 1 && w.b.y[5] == 0);
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

/* A column that is the target leaves no noise, and the prior some. */
static void an_exact_fit_leaves_some_noise(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (size_t i = 0; i < ROWS; i++) w.s.y[i] = (double)w.s.x[i * DIMS];
    must(set_up(&w, &opt, &err), err);
    assert_true(w.b.sigma_hat > 1e-4 && w.b.sigma_hat < 1e-3);
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

static void must_refuse(world *w, const char *word) {
    copse_error err;
    cp_bart_options opt = plain_options();
    assert_int_equal(set_up(w, &opt, &err), COPSE_E_DATA);
    if (!strstr(err.msg, word)) fail_msg("'%s' does not say '%s'", err.msg, word);
}

static void what_cannot_be_learnt_is_refused(void **state) {
    (void)state;
    world w;
    make_world(&w, __func__, 0);
    w.s.rows.n = 4;
    must_refuse(&w, "4 rows to learn from");
    w.s.rows.n = ROWS;
    w.s.rows.weight = w.weight;
    for (size_t i = 2; i < ROWS; i++) w.weight[i] = 0;
    must_refuse(&w, "with a weight above 0");
    w.s.rows.weight = NULL;
    w.s.y[0] = 1e308;
    w.s.y[1] = -1e308;
    must_refuse(&w, "too far apart");
    free_sample(&w.s);
    make_world(&w, __func__, 2);
    w.s.rows.weight = w.weight;
    must_refuse(&w, "whole number");
    free_sample(&w.s);
}

static void numbers_that_look_like_labels_are_remarked(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    make_world(&w, __func__, 0);
    for (size_t i = 0; i < ROWS; i++) w.s.y[i] = (double)(i % 2);
    must(set_up(&w, &opt, &err), err);
    assert_non_null(strstr(w.said, "`task=class`"));
    cp_bart_problem_clear(&w.b);
    free_sample(&w.s);
}

static void memory_may_run_out(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        world w;
        copse_error err;
        cp_bart_options opt = plain_options();
        make_world(&w, __func__, classes);
        for (size_t i = 0; i < ROWS; i++) w.weight[i] = 1;
        w.s.rows.weight = w.weight;
        for (long k = 0;; k++) {
            assert_true(k < 1000);
            cp_mem_fail_after(k);
            copse_status status = set_up(&w, &opt, &err);
            cp_mem_fail_after(-1);
            if (!status) break;
            assert_int_equal(status, COPSE_E_MEMORY);
        }
        cp_bart_problem_clear(&w.b);
        free_sample(&w.s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_brought_to_a_range_of_one),
        cmocka_unit_test(noise_is_scaled_by_least_squares),
        cmocka_unit_test(columns_that_say_nothing_do_no_harm),
        cmocka_unit_test(too_few_rows_for_least_squares_have_a_deviation),
        cmocka_unit_test(the_unit_of_weights_does_not_matter),
        cmocka_unit_test(rows_of_no_weight_are_not_looked_at),
        cmocka_unit_test(classes_begin_at_their_shares),
        cmocka_unit_test(equal_targets_have_a_small_unit),
        cmocka_unit_test(an_exact_fit_leaves_some_noise),
        cmocka_unit_test(what_cannot_be_learnt_is_refused),
        cmocka_unit_test(numbers_that_look_like_labels_are_remarked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
