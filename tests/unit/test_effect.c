/* Partial dependence against answers that are known (the toy method) and against setting columns by hand. */
#include "check.h"

#include "eval/effect.h"
#include "toy.h"

enum { ROWS = 6 };
static const double x[ROWS] = {1, 2, 2, 3, 7, NAN}, y[ROWS] = {1.5, 2, 3, 4, 5, 6};
static const char *const c[ROWS] = {"red", "blue", "blue", "green", "blue", "red"};
static const char *const label[ROWS] = {"a", "b", "a", "b", "a", "b"};
static const copse_roles roles = {.target = "y"};

static copse_table *table_with(const double *numbers, const char *const *texts, int classes) {
    copse_error err;
    copse_table *t = NULL;
    must(copse_table_new(ROWS, &t, &err), err);
    must(copse_table_add_numbers(t, "x", numbers, &err), err);
    must(copse_table_add_text(t, "c", texts, &err), err);
    if (classes)
        must(copse_table_add_text(t, "y", label, &err), err);
    else
        must(copse_table_add_numbers(t, "y", y, &err), err);
    return t;
}

static copse_effect *effect_of(const copse_model *m, const copse_table *t, copse_effect_options opt) {
    copse_error err;
    copse_effect *e = NULL;
    must(copse_effect_new(m, t, &opt, &(copse_run){.threads = 2}, &e, &err), err);
    return e;
}

static void a_number_moves_the_mean_of_the_forest(void **state) {
    (void)state;
    copse_table *t = table_with(x, c, 0);
    copse_model *m = toy_model(t, &roles);
    copse_effect *e = effect_of(m, t, (copse_effect_options){.feature = "x"});
    const double grid[] = {1, 2, 3, 7};
    assert_int_equal(copse_effect_points(e), COUNT(grid) + 1); /* one value is missing */
    assert_int_equal(copse_effect_rows(e), ROWS);
    for (size_t i = 0; i < COUNT(grid); i++) {
        double v = grid[i], blue = 10 * 3. / 6; /* tree t says (t + 1) v + blue */
        assert_true(copse_effect_number(e, i) == v);
        assert_null(copse_effect_text(e, i));
        assert_near(copse_effect_mean(e, i, 0), 2 * v + blue, 1e-12);
        assert_near(copse_effect_lo(e, i, 0), 1.1 * v + blue, 1e-12);
        assert_near(copse_effect_hi(e, i, 0), 2.9 * v + blue, 1e-12);
        assert_false(copse_effect_is_missing(e, i));
    }
    assert_true(copse_effect_is_missing(e, COUNT(grid)) && isnan(copse_effect_number(e, COUNT(grid))));
    assert_near(copse_effect_mean(e, COUNT(grid), 0), -100, 1e-12);
    copse_effect_free(e);
    e = effect_of(m, t, (copse_effect_options){.feature = "x", .points = 2, .level = .5});
    assert_int_equal(copse_effect_points(e), 3);
    assert_true(copse_effect_number(e, 0) == 1 && copse_effect_number(e, 1) == 7);
    assert_near(copse_effect_lo(e, 1, 0), 1.5 * 7 + 5, 1e-12);
    copse_effect_free(e);
    e = effect_of(m, t, (copse_effect_options){.feature = "x", .points = 1});
    assert_true(copse_effect_points(e) == 2 && copse_effect_number(e, 0) == 2);
    copse_effect_free(e);
    copse_model_free(m);
    copse_table_free(t);
}

static void a_category_moves_it_too(void **state) {
    (void)state;
    const double known[ROWS] = {1, 2, 2, 3, 7, 9};
    copse_table *t = table_with(known, c, 0);
    copse_model *m = toy_model(t, &roles);
    copse_effect *e = effect_of(m, t, (copse_effect_options){.feature = "c", .points = 2});
    assert_int_equal(copse_effect_points(e), 2);
    assert_int_equal(copse_effect_left_out(e), 1);
    assert_string_equal(copse_effect_text(e, 0), "blue");
    assert_true(isnan(copse_effect_number(e, 0)));
    assert_near(copse_effect_mean(e, 0, 0), 2 * 4 + 10, 1e-12);
    assert_near(copse_effect_mean(e, 1, 0), 2 * 4, 1e-12);
    assert_near(copse_effect_lo(e, 1, 0), 1.1 * 4, 1e-12);
    copse_effect_free(e);
    copse_model_free(m);
    copse_table_free(t);
}

static void classes_have_probabilities(void **state) {
    (void)state;
    const double both[ROWS] = {-1, -1, -1, 1, 1, 1};
    copse_table *t = table_with(both, c, 1);
    copse_model *m = toy_model(t, &roles);
    copse_effect *e = effect_of(m, t, (copse_effect_options){.feature = "x"});
    assert_int_equal(copse_effect_points(e), 2);
    assert_near(copse_effect_mean(e, 0, 0), .5, 1e-12);
    assert_near(copse_effect_lo(e, 0, 1), .5, 1e-12);
    assert_near(copse_effect_mean(e, 1, 0), .5, 1e-12); /* trees say 1/4, 1/2, 3/4 */
    assert_near(copse_effect_lo(e, 1, 0), .275, 1e-12);
    assert_near(copse_effect_hi(e, 1, 1), .725, 1e-12);
    copse_effect_free(e);
    copse_model_free(m);
    copse_table_free(t);
}

static double mean_of(const copse_model *m, const copse_table *t) {
    copse_error err;
    copse_prediction *p = NULL;
    double sum = 0;
    must(copse_predict(m, t, &(copse_predict_options){.n = ROWS}, NULL, &p, &err), err);
    for (size_t i = 0; i < ROWS; i++) sum += copse_prediction_mean(p, i);
    copse_prediction_free(p);
    return sum / ROWS;
}

/* Scaled columns and indicators: a method that takes nothing raw, and whose trees are no draws. */
static void a_mondrian_forest_answers_as_if_the_column_were_set(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = table_with(x, c, 0);
    copse_model *m = NULL;
    must(copse_fit(t, &roles, NULL, NULL, &m, &err), err);
    copse_effect *e = effect_of(m, t, (copse_effect_options){.feature = "x"});
    for (size_t i = 0; i < copse_effect_points(e); i++) {
        double set[ROWS];
        for (size_t k = 0; k < ROWS; k++) set[k] = copse_effect_number(e, i);
        copse_table *u = table_with(set, c, 0);
        assert_near(copse_effect_mean(e, i, 0), mean_of(m, u), 1e-12);
        assert_true(isnan(copse_effect_lo(e, i, 0)) && isnan(copse_effect_hi(e, i, 0)));
        copse_table_free(u);
    }
    copse_effect_free(e);
    e = effect_of(m, t, (copse_effect_options){.feature = "c"});
    assert_int_equal(copse_effect_points(e), 3);
    for (size_t i = 0; i < 3; i++) {
        const char *set[ROWS];
        for (size_t k = 0; k < ROWS; k++) set[k] = copse_effect_text(e, i);
        copse_table *u = table_with(x, set, 0);
        assert_near(copse_effect_mean(e, i, 0), mean_of(m, u), 1e-12);
        copse_table_free(u);
    }
    copse_effect_free(e);
    copse_model_free(m);
    copse_table_free(t);
}

/* The mean of the sampled rows is that of some rows of the table, the same ones for the same seed. */
static void a_sample_of_the_rows_will_do(void **state) {
    (void)state;
    copse_table *t = table_with(x, c, 0);
    copse_model *m = toy_model(t, &roles);
    int seen[4] = {0};
    for (uint64_t seed = 0; seed < 64; seed++) {
        copse_effect *e = effect_of(m, t, (copse_effect_options){.feature = "x", .rows = 3, .seed = seed});
        copse_effect *again = effect_of(m, t, (copse_effect_options){.feature = "x", .rows = 3, .seed = seed});
        assert_int_equal(copse_effect_rows(e), 3);
        double blue = 3 * (copse_effect_mean(e, 0, 0) - 2) / 10; /* blue rows among the three */
        assert_near(blue, rint(blue), 1e-9);
        assert_true(copse_effect_mean(e, 0, 0) == copse_effect_mean(again, 0, 0));
        seen[(int)rint(blue)]++;
        copse_effect_free(e);
        copse_effect_free(again);
    }
    for (int i = 0; i < 4; i++) assert_true(seen[i] > 0);
    copse_model_free(m);
    copse_table_free(t);
}

static void refuse(const copse_model *m, const copse_table *t, copse_effect_options opt, copse_status status,
                   const char *message) {
    copse_error err;
    copse_effect *e = NULL;
    assert_int_equal(copse_effect_new(m, t, &opt, NULL, &e, &err), status);
    assert_string_equal(err.msg, message);
    assert_null(e);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    const double none[ROWS] = {NAN, NAN, NAN, NAN, NAN, NAN};
    copse_table *t = table_with(x, c, 0), *empty = table_with(none, c, 0), *nothing = NULL;
    copse_error err;
    copse_model *m = toy_model(t, &roles);
    must(copse_table_new(0, &nothing, &err), err);
    refuse(m, t, (copse_effect_options){.feature = "xx"}, COPSE_E_USAGE,
           "the model has no feature 'xx'; did you mean 'x'?");
    refuse(m, t, (copse_effect_options){.feature = NULL}, COPSE_E_USAGE, "an effect is of a feature: name it");
    refuse(m, t, (copse_effect_options){.feature = "x", .level = 1}, COPSE_E_USAGE,
           "an interval of level 1 cannot be: give a level between 0 and 1");
    refuse(m, empty, (copse_effect_options){.feature = "x"}, COPSE_E_DATA, "'x' has no values in this table");
    refuse(m, nothing, (copse_effect_options){.feature = "x"}, COPSE_E_DATA, "there are no rows to average over");
    copse_model_free(m);
    copse_table_free(t);
    copse_table_free(empty);
    copse_table_free(nothing);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = table_with(x, c, 0);
    copse_model *m = toy_model(t, &roles);
    const char *const feature[] = {"x", "c"};
    for (size_t f = 0; f < 2; f++) {
        long k = 0;
        for (; k < 10000; k++) {
            copse_effect *e = NULL;
            copse_effect_options opt = {.feature = feature[f], .points = 3};
            cp_mem_fail_after(k);
            copse_status status = copse_effect_new(m, t, &opt, &(copse_run){.threads = 1}, &e, &err);
            cp_mem_fail_after(-1);
            copse_effect_free(e);
            if (!status) break;
            assert_int_equal(status, COPSE_E_MEMORY);
        }
        assert_true(k > 20 && k < 10000);
    }
    copse_model_free(m);
    copse_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_moves_the_mean_of_the_forest),
        cmocka_unit_test(a_category_moves_it_too),
        cmocka_unit_test(classes_have_probabilities),
        cmocka_unit_test(a_mondrian_forest_answers_as_if_the_column_were_set),
        cmocka_unit_test(a_sample_of_the_rows_will_do),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
