#include "check.h"

#include "base/mem.h"
#include "eval/cv.h"
#include "eval/score.h"
#include "model/model_fit.h"
#include "model/model_predict.h"
#include "model/model_update.h"
#include "model/registry.h"
#include "num/draw.h"

enum { ROWS = 300 };

/* x, y = 2x + noise, and a class that says on which side of 1/2 x lies; row 7 has no targets if asked for. */
static copse_table *make_table(size_t rows, int with_missing) {
    copse_error err;
    copse_table *t;
    cp_column *x, *y, *side;
    must(cp_table_new(rows, &t, &err), err);
    must(cp_table_add(t, "x", COPSE_NUMBER, &x, &err), err);
    must(cp_table_add(t, "y", COPSE_NUMBER, &y, &err), err);
    must(cp_table_add(t, "side", COPSE_TEXT, &side, &err), err);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    x = &t->col[0], y = &t->col[1], side = &t->col[2];
    for (size_t i = 0; i < rows; i++) {
        int gap = with_missing && i == 7;
        x->number[i] = cp_rng_unit(&rng);
        y->number[i] = gap ? NAN : 2 * x->number[i] + 0.1 * cp_draw_normal(&rng);
        const char *text = x->number[i] < 0.5 ? "left" : "right";
        if (!gap) must(cp_dict_add(&side->levels, text, strlen(text), &side->code[i], &err), err);
    }
    return t;
}

static copse_params *few_trees(const char *trees) {
    copse_error err;
    copse_params *p;
    must(cp_param_new(cp_registry_method(0), &p, &err), err);
    must(cp_param_set(p, "trees", trees, &err), err);
    return p;
}

static copse_model *fit(const copse_table *t, const char *target) {
    copse_error err;
    copse_model *m;
    copse_roles roles = {.target = target, .features = "x"};
    copse_params *p = few_trees("10");
    must(cp_model_fit(t, &roles, p, NULL, &m, &err), err);
    cp_param_free(p);
    return m;
}

static void a_table_is_scored_as_its_blocks_are(void **state) {
    (void)state;
    static const char *targets[] = {"y", "side"};
    copse_error err;
    copse_table *train = make_table(ROWS, 0), *test = make_table(1100, 1);
    for (int k = 0; k < 2; k++) {
        copse_model *m = fit(train, targets[k]);
        copse_scores whole, parts = {0};
        must(cp_score_table(m, test, &(copse_eval_options){.interval = 0.9}, NULL, &whole, &err), err);
        assert_int_equal(whole.rows, 1099);
        assert_true(whole.predict_seconds > 0 && whole.predict_cpu_seconds > 0);
        assert_true(k ? whole.accuracy > 0.9 && whole.auc > 0.95 : whole.rmse < 0.3 && whole.interval_observed > 0.7);

        cp_metric metric;
        cp_metric_init(&metric, m->schema->task, 0.9);
        for (size_t first = 0; first < 1100; first += 100) {
            cp_answer answer;
            must(cp_model_predict(m, &(cp_model_query){.table = test, .first = first, .n = 100}, NULL, &answer, &err),
                 err);
            must(cp_score_add(&metric, m, &(cp_score_rows){.answer = &answer, .truth = test, .first = first}, NULL,
                              &err),
                 err);
            cp_answer_clear(&answer);
        }
        parts.predict_seconds = whole.predict_seconds;
        parts.predict_cpu_seconds = whole.predict_cpu_seconds;
        cp_metric_read(&metric, &parts);
        assert_memory_equal(&whole, &parts, sizeof whole);
        cp_metric_clear(&metric);
        cp_model_free(m);
    }
    cp_table_free(train);
    cp_table_free(test);
}

static void what_cannot_be_scored_is_said(void **state) {
    (void)state;
    copse_error err;
    copse_scores s;
    copse_table *t = make_table(ROWS, 0);
    copse_model *m = fit(t, "y");
    assert_int_equal(cp_score_table(m, t, &(copse_eval_options){.interval = 1.5}, NULL, &s, &err), COPSE_E_USAGE);
    assert_int_equal(cp_score_table(m, t, &(copse_eval_options){.interval = -0.1}, NULL, &s, &err), COPSE_E_USAGE);
    for (size_t i = 0; i < ROWS; i++) t->col[1].number[i] = NAN;
    assert_int_equal(cp_score_table(m, t, &(copse_eval_options){0}, NULL, &s, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "'y'"));
    cp_model_free(m);
    cp_table_free(t);
}

static void scorer_takes_classes_the_model_learns_on_the_way(void **state) {
    (void)state;
    copse_error err;
    copse_scorer *scorer;
    copse_scores s;
    copse_table *t = make_table(ROWS, 0), *lefts, *head;
    size_t rows[ROWS], n = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (t->col[2].code[i] == t->col[2].code[0]) rows[n++] = i;
    must(cp_table_select(t, rows, n, &lefts, &err), err);
    must(cp_table_select(t, rows, 1, &head, &err), err);
    copse_model *m = fit(lefts, "side");
    must(copse_scorer_new(m, 0, &scorer, &err), err);
    cp_answer before;
    must(cp_model_update_predict(m, t, NULL, &before, &err), err);
    copse_prediction *p = (copse_prediction *)&before; /* the handle is the answer and nothing else */
    assert_int_equal(copse_scorer_add(scorer, p, head, 0, &err), COPSE_E_USAGE);
    must(copse_scorer_add(scorer, p, t, 0, &err), err);
    copse_scorer_read(scorer, &s);
    assert_int_equal(s.rows, ROWS);
    assert_int_equal(s.classes, 2);
    assert_true(s.accuracy > 0.9 && s.accuracy < 1); /* the first of the new class cannot be right */
    assert_true(s.log_loss > -log(1e-15) / ROWS);
    copse_scorer_free(scorer);
    cp_answer_clear(&before);
    cp_model_free(m);
    cp_table_free(t);
    cp_table_free(lefts);
    cp_table_free(head);
}

/* ----------------------------------------------------------------------------------------------- cross-validation */

static void every_row_is_tested_once_in_each_repeat(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_table(ROWS + 1, 0);
    copse_scores s[6], again[6];
    copse_roles roles = {.target = "side", .features = "x"};
    cp_cv_plan plan = {.folds = 3, .repeats = 2, .seed = 4};
    must(cp_cv_run(t, &roles, &plan, &(copse_run){.threads = 1}, s, &err), err);
    must(cp_cv_run(t, &roles, &plan, &(copse_run){.threads = 3}, again, &err), err);
    for (int r = 0; r < 2; r++) {
        size_t rows = 0;
        for (int f = 0; f < 3; f++) {
            const copse_scores *a = &s[3 * r + f], *b = &again[3 * r + f];
            rows += a->rows;
            assert_true(a->accuracy > 0.9);
            assert_true(a->log_loss == b->log_loss && a->auc == b->auc);
        }
        assert_int_equal(rows, ROWS + 1);
    }
    assert_true(s[0].log_loss != s[3].log_loss);
    cp_table_free(t);
}

/* The task is decided from all rows: 3 appears once, so this is regression, also in the folds that train without it. */
static void the_task_is_the_same_in_all_folds(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_table(40, 0);
    for (size_t i = 0; i < 40; i++) t->col[1].number[i] = i == 5 ? 3 : (double)(i % 2);
    copse_scores s[2];
    must(cp_cv_run(t, &(copse_roles){.target = "y", .features = "x"}, &(cp_cv_plan){.folds = 2, .repeats = 1}, NULL, s,
                   &err),
         err);
    assert_int_equal(s[0].task, COPSE_REGRESS);
    assert_int_equal(s[1].task, COPSE_REGRESS);
    cp_table_free(t);
}

static void impossible_cross_validations_are_refused(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_table(10, 0);
    copse_scores s[20];
    copse_roles roles = {.target = "y"};
    assert_int_equal(copse_cv(t, &roles, &(copse_cv_options){.folds = 11, .repeats = 1, .seed = 1}, NULL, s, &err),
                     COPSE_E_USAGE);
    assert_int_equal(copse_cv(t, &roles, &(copse_cv_options){.folds = 1, .repeats = 1, .seed = 1}, NULL, s, &err),
                     COPSE_E_USAGE);
    cp_table_free(t);
}

static void failed_allocations_end_a_cross_validation_cleanly(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_table(12, 0);
    copse_params *params = few_trees("2");
    copse_scores s[2];
    cp_cv_plan plan = {.params = params, .folds = 2, .repeats = 1};
    copse_status status = COPSE_E_MEMORY;
    long k = 0;
    for (; status; k++) {
        cp_mem_fail_after(k);
        status =
            cp_cv_run(t, &(copse_roles){.target = "side", .features = "x"}, &plan, &(copse_run){.threads = 1}, s, &err);
        cp_mem_fail_after(-1);
        assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
    }
    assert_true(k > 20);
    cp_param_free(params);
    cp_table_free(t);
}

/* -------------------------------------------------------------------------------------------------------- holdout */

static void holdout_divides_the_rows(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_table(ROWS, 0), *train, *test;
    must(copse_holdout(t, 0.2, 1, &train, &test, &err), err);
    assert_int_equal(test->rows, ROWS / 5);
    assert_int_equal(train->rows, ROWS - ROWS / 5);
    double sum = 0, parts = 0;
    for (size_t i = 0; i < ROWS; i++) sum += t->col[0].number[i];
    for (size_t i = 0; i < train->rows; i++) parts += train->col[0].number[i];
    for (size_t i = 0; i < test->rows; i++) parts += test->col[0].number[i];
    assert_near(sum, parts, 1e-12);
    cp_table_free(train);
    cp_table_free(test);
    assert_int_equal(copse_holdout(t, 1.2, 1, &train, &test, &err), COPSE_E_USAGE);
    assert_null(train);
    assert_null(test);
    for (long k = 0; k < 4; k++) {
        cp_mem_fail_after(k);
        copse_status status = copse_holdout(t, 0.2, 1, &train, &test, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(train);
        assert_null(test);
    }
    cp_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_scored_as_its_blocks_are),
        cmocka_unit_test(what_cannot_be_scored_is_said),
        cmocka_unit_test(scorer_takes_classes_the_model_learns_on_the_way),
        cmocka_unit_test(every_row_is_tested_once_in_each_repeat),
        cmocka_unit_test(the_task_is_the_same_in_all_folds),
        cmocka_unit_test(impossible_cross_validations_are_refused),
        cmocka_unit_test(failed_allocations_end_a_cross_validation_cleanly),
        cmocka_unit_test(holdout_divides_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
