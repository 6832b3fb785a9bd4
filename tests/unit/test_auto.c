/* The pool: folds, factors and weights against brute force, the gate, and failures. */
#include "check.h"

#include "auto/auto.h"
#include "auto/auto_folds.h"
#include "auto/auto_pool.h"
#include "auto/auto_temper.h"
#include "base/mem.h"
#include "num/draw.h"

/* --------------------------------------------------------------------------------------------------------- folds */

enum { ROWS = 300 };

static cp_rows rows_of(const float *x, const double *y, const double *weight, size_t n) {
    return (cp_rows){.task = COPSE_REGRESS, .n = n, .dims = 1, .x = x, .y = y, .weight = weight};
}

static size_t fold_of(const cp_auto_folds *f, size_t row) {
    for (size_t k = 0; k < f->folds; k++)
        for (size_t i = f->start[k]; i < f->start[k + 1]; i++)
            if (f->row[i] == row) return k;
    return SIZE_MAX;
}

static void equal_rows_share_a_fold(void **state) {
    (void)state;
    copse_error err;
    float x[ROWS];
    double y[ROWS], weight[ROWS];
    cp_auto_folds f;
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (float)(i / 3); /* three times each */
        y[i] = (double)i;
        weight[i] = i != 7;
    }
    cp_rows rows = rows_of(x, y, weight, ROWS);
    must(cp_auto_folds_init(&f, &rows, ROWS, 5, 1, &err), err);
    assert_int_equal(f.folds, 5);
    assert_int_equal(f.n, ROWS - 1);
    assert_int_equal(fold_of(&f, 7), SIZE_MAX); /* no weight */
    for (size_t i = 9; i < ROWS; i += 3)
        for (size_t k = 1; k < 3; k++) assert_int_equal(fold_of(&f, i), fold_of(&f, i + k));
    for (size_t k = 0; k < 5; k++) assert_in_range(f.start[k + 1] - f.start[k], ROWS / 5 - 6, ROWS / 5 + 6);
    cp_auto_folds_clear(&f);
    must(cp_auto_folds_init(&f, &rows, 100, 5, 1, &err), err); /* a sample */
    assert_in_range(f.n, 100, 102);
    cp_auto_folds_clear(&f);
}

/* Two distinct x: rows of each must be in several folds, but rows with equal targets too must not. */
static void few_distinct_rows_are_divided(void **state) {
    (void)state;
    copse_error err;
    float x[ROWS];
    double y[ROWS];
    cp_auto_folds f;
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (float)(i % 2);
        y[i] = (double)(i / 4);
    }
    cp_rows rows = rows_of(x, y, NULL, ROWS);
    must(cp_auto_folds_init(&f, &rows, ROWS, 5, 1, &err), err);
    assert_int_equal(f.folds, 5);
    for (size_t i = 0; i + 2 < ROWS; i += 4) assert_int_equal(fold_of(&f, i), fold_of(&f, i + 2));
    cp_auto_folds_clear(&f);
}

/* Equal rows of a table of few categories are no copies: the folds measure what is known of an x that was seen. */
static void rows_of_few_values_are_divided(void **state) {
    (void)state;
    enum { N = 200 };
    copse_error err;
    float x[N];
    int32_t label[N];
    size_t zero[5] = {0}, all[5] = {0};
    cp_auto_folds f;
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(i % 2);
        label[i] = (int32_t)(i / 2 % 4 == 0);
    }
    cp_rows rows = {.task = COPSE_CLASS, .n = N, .dims = 1, .classes = 2, .x = x, .label = label};
    must(cp_auto_folds_init(&f, &rows, N, 5, 1, &err), err);
    assert_int_equal(f.folds, 5);
    for (size_t i = 0; i < N; i++) {
        all[fold_of(&f, i)]++;
        zero[fold_of(&f, i)] += label[i] == 0;
    }
    for (size_t k = 0; k < 5; k++) assert_true(zero[k] > all[k] / 2 && zero[k] < all[k]); /* no fold is of one class */
    cp_auto_folds_clear(&f);
}

/* A copy in which a digit was changed would tell its answer from another fold. */
static void near_copies_stay_together(void **state) {
    (void)state;
    enum { N = 300 };
    copse_error err;
    float x[N];
    double y[N];
    cp_auto_folds f;
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(i / 3 * 7919 % 1009 + 1) * (1 + (float)(i % 3) * 1e-5f);
        y[i] = (double)(i / 3 * 31 % 97) + .5;
    }
    cp_rows rows = rows_of(x, y, NULL, N);
    must(cp_auto_folds_init(&f, &rows, N, 5, 1, &err), err);
    assert_int_equal(f.folds, 5);
    for (size_t i = 0; i < N; i++) assert_int_equal(fold_of(&f, i), fold_of(&f, i / 3 * 3));
    cp_auto_folds_clear(&f);
}

/* ---------------------------------------------------------------------------------------------------- temperature */

static void temperature_sharpens_and_flattens(void **state) {
    (void)state;
    for (double t = .25; t < 5; t *= 1.7) {
        double p[4] = {.5, .3, .2, 0}, want[4], sum = 0;
        for (size_t k = 0; k < 4; k++) sum += want[k] = pow(p[k], 1 / t);
        cp_auto_temper(p, 4, t);
        for (size_t k = 0; k < 4; k++) assert_near(p[k], want[k] / sum, 1e-12);
    }
}

/* ------------------------------------------------------------------------------------------------------- the pool */

enum { SCORED = 400 };

/* Predictions of SCORED rows by Gaussians about the truth, some of whose sd is wrong. */
typedef struct world {
    cp_auto a;
    cp_auto_member member[2];
    cp_answer answer[2];
    cp_auto_folds folds;
    size_t start[2];
    double y[SCORED], mean[2][SCORED];
    cp_rows rows;
} world;

static void make_world(world *w, double sd0, double sd1) {
    copse_error err;
    cp_rng rng;
    *w = (world){.start = {0, SCORED}};
    cp_rng_init(&rng, seed_of("auto pool"), CP_FOR_SPLIT, 0, 0);
    w->a = (cp_auto){.task = COPSE_REGRESS, .members = 2, .member = w->member, .centre = 0, .width = 4};
    w->folds = (cp_auto_folds){.n = SCORED, .folds = 1, .start = w->start};
    for (size_t m = 0; m < 2; m++) must(cp_answer_init(&w->answer[m], COPSE_REGRESS, SCORED, 0, &err), err);
    for (size_t i = 0; i < SCORED; i++) {
        double truth = 2 * cp_draw_normal(&rng);
        w->y[i] = truth + .5 * cp_draw_normal(&rng);
        w->mean[0][i] = truth;
        w->mean[1][i] = truth + cp_draw_normal(&rng); /* a worse one */
        for (size_t m = 0; m < 2; m++) {
            must(cp_answer_add(&w->answer[m], (cp_component){1, w->mean[m][i], m ? sd1 : sd0, INFINITY}, &err), err);
            cp_answer_end_row(&w->answer[m]);
        }
    }
    w->rows = rows_of(NULL, w->y, NULL, SCORED);
    cp_auto_trials t = {&w->rows, &w->folds, w->answer};
    double mean[SCORED];
    must(cp_auto_pool_learn(&w->a, &t, NULL, mean, &err), err);
    assert_near(mean[9], w->member[0].weight * w->mean[0][9] + w->member[1].weight * w->mean[1][9], 1e-12);
}

static void clear_world(world *w) {
    for (size_t m = 0; m < 2; m++) cp_answer_clear(&w->answer[m]);
}

static double normal(double y, double mean, double sd) {
    return exp(-(y - mean) * (y - mean) / (2 * sd * sd)) / (sd * sqrt(2 * acos(-1)));
}

/* A member twice too narrow, and one three times too wide. */
static void factors_mend_the_width(void **state) {
    (void)state;
    world w;
    make_world(&w, .25, 3 * sqrt(1.25));
    double n = SCORED, shrunk = n / (n + 50);
    assert_near(w.member[0].factor, pow(2, shrunk), .12);
    assert_near(w.member[1].factor, pow(1.0 / 3, shrunk), .06);
    clear_world(&w);
}

/* The mean log score of the pool with these weights, at the members' factors. */
static double score(const world *w, double w0, double w1) {
    double sum = 0;
    for (size_t i = 0; i < SCORED; i++) {
        double f0 = normal(w->y[i], w->mean[0][i], .5 * w->member[0].factor);
        double f1 = normal(w->y[i], w->mean[1][i], sqrt(1.25) * w->member[1].factor);
        sum += log(w0 * f0 + w1 * f1 + (1 - w0 - w1) * normal(w->y[i], 0, 4));
    }
    return sum / SCORED;
}

/* No weights on a grid have a better score, but for what the prior rows and the least background cost. */
static void weights_are_the_best_there_are(void **state) {
    (void)state;
    world w;
    double best = -INFINITY;
    make_world(&w, .5, sqrt(1.25));
    for (double a = 0; a <= 1; a += .01)
        for (double b = 0; a + b <= 1; b += .01) best = fmax(best, score(&w, a, b));
    assert_true(score(&w, w.member[0].weight, w.member[1].weight) > best - .004);
    assert_true(score(&w, .5, .499) < best - .02); /* equal weights would not do */
    assert_near(w.member[0].weight + w.member[1].weight + w.a.background, 1, 1e-12);
    assert_true(w.a.background >= 1e-3);
    assert_true(w.member[0].weight > .8);
    clear_world(&w);
}

/* --------------------------------------------------------------------------------------------------- whole models */

static copse_model *fit(const char *set, const char *effort, size_t rows) {
    copse_error err;
    copse_table *t;
    copse_params *p;
    copse_model *m;
    must(copse_synth(set, &(copse_synth_options){.rows = rows, .seed = 1}, &t, &err), err);
    must(copse_params_new("auto", &p, &err), err);
    must(copse_params_set(p, "trees", "20", &err), err);
    must(copse_params_set(p, "effort", effort, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, p, NULL, &m, &err), err);
    copse_table_free(t);
    copse_params_free(p);
    return m;
}

static double sd_at(const copse_model *m, double x1, double x2) {
    copse_error err;
    copse_row *row;
    const copse_prediction *p;
    must(copse_row_new(m, &row, &err), err);
    must(copse_row_set_number(row, 0, x1, &err), err);
    must(copse_row_set_number(row, 1, x2, &err), err);
    must(copse_row_predict(row, &p, &err), err);
    double sd = copse_prediction_sd(p, 0);
    copse_row_free(row);
    return sd;
}

static void intervals_widen_away_from_the_data(void **state) {
    (void)state;
    static const char *const efforts[] = {"low", "normal"};
    for (size_t e = 0; e < COUNT(efforts); e++) {
        copse_model *m = fit("hole", efforts[e], 400);
        double here = sd_at(m, .8, .8);
        assert_true(sd_at(m, 0, 0) > 2 * here); /* the hole */
        assert_true(sd_at(m, 6, 6) > 2 * here);
        copse_model_free(m);
    }
}

/* Every allocation of a fit may fail, and then nothing is left behind. */
static void survives_without_memory(void **state) {
    (void)state;
    copse_error err;
    copse_table *t;
    copse_params *p;
    copse_model *m;
    copse_run run = {.size = sizeof run, .threads = 1};
    copse_roles roles = {.target = "target"};
    must(copse_synth("hole", &(copse_synth_options){.rows = 60, .seed = 1}, &t, &err), err);
    must(copse_params_new("auto", &p, &err), err);
    must(copse_params_set(p, "trees", "2", &err), err);
    size_t before = cp_mem_count();
    must(copse_fit(t, &roles, p, &run, &m, &err), err);
    size_t needed = cp_mem_count() - before;
    copse_model_free(m);
    size_t live = cp_mem_live();
    for (size_t k = 0; k < needed; k += 1 + needed / 150) {
        cp_mem_fail_after((long)k);
        copse_status status = copse_fit(t, &roles, p, &run, &m, &err);
        cp_mem_fail_after(-1);
        if (!status) copse_model_free(m); /* some memory only saves time */
        assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
        assert_int_equal(cp_mem_live(), live);
    }
    copse_params_free(p);
    copse_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_share_a_fold),           cmocka_unit_test(few_distinct_rows_are_divided),
        cmocka_unit_test(rows_of_few_values_are_divided),    cmocka_unit_test(near_copies_stay_together),
        cmocka_unit_test(temperature_sharpens_and_flattens), cmocka_unit_test(factors_mend_the_width),
        cmocka_unit_test(weights_are_the_best_there_are),    cmocka_unit_test(intervals_widen_away_from_the_data),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
