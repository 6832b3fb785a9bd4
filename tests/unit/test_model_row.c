/* A single row gives what a table of that row gives: for every method and task, to the last bit, before and after
 * learning, and without allocating. */
#include "many_methods.h"

#include "base/mem.h"

enum { FIRST = 195, ROWS = 40 }; /* rows of which some were not seen, with levels that no training row has */

static void assert_same_bits(double a, double b) {
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_same_prediction(const copse_prediction *alone, const copse_prediction *all, size_t i) {
    assert_int_equal(copse_prediction_rows(alone), 1);
    assert_int_equal(copse_prediction_classes(alone), copse_prediction_classes(all));
    for (size_t k = 0; k < copse_prediction_classes(all); k++)
        assert_same_bits(copse_prediction_probs(alone, 0)[k], copse_prediction_probs(all, i)[k]);
    if (copse_prediction_classes(all)) return;
    assert_same_bits(copse_prediction_mean(alone, 0), copse_prediction_mean(all, i));
    assert_same_bits(copse_prediction_sd(alone, 0), copse_prediction_sd(all, i));
    assert_same_bits(copse_prediction_quantile(alone, 0, .9), copse_prediction_quantile(all, i, .9));
    assert_same_bits(copse_prediction_log_density(alone, 0, 1), copse_prediction_log_density(all, i, 1));
}

static void assert_rows_like_table(const copse_model *m, copse_row *row, int of_mean) {
    copse_error err;
    copse_table *t = mixed_table(FIRST, ROWS, copse_model_task(m));
    copse_prediction *all = NULL;
    must(copse_predict(m, t, &(copse_predict_options){.of_mean = of_mean}, &(copse_run){.threads = 1}, &all, &err),
         err);
    for (size_t i = 0; i < ROWS; i++) {
        const copse_prediction *alone = NULL;
        set_mixed_row(row, FIRST + i);
        must((of_mean ? copse_row_predict_mean : copse_row_predict)(row, &alone, &err), err);
        assert_same_prediction(alone, all, i);
    }
    copse_prediction_free(all);
    copse_table_free(t);
}

/* The first prediction may allocate, later ones must not. */
static void assert_no_allocation(copse_row *row) {
    copse_error err;
    const copse_prediction *p;
    for (size_t i = 0; i < ROWS; i++) {
        set_mixed_row(row, FIRST + i);
        must(copse_row_predict(row, &p, &err), err);
    }
    size_t count = cp_mem_count();
    for (size_t i = 0; i < ROWS; i++) {
        set_mixed_row(row, FIRST + i);
        must(copse_row_predict(row, &p, &err), err);
    }
    assert_int_equal(cp_mem_count(), count);
}

static void learn_mixed_row(copse_row *row, copse_model *m, size_t i) {
    copse_error err;
    mixed_row r = mixed_row_at(i);
    set_mixed_row(row, i);
    if (copse_model_task(m) == COPSE_REGRESS)
        must(copse_row_learn(row, m, r.y, &err), err);
    else
        must(copse_row_learn_class(row, m, i % 20 == 7 ? "new" : r.label, &err), err);
}

static void assert_same_digest(const copse_model *a, const copse_model *b) {
    copse_error err;
    char of_a[COPSE_DIGEST_SIZE], of_b[COPSE_DIGEST_SIZE];
    must(copse_model_digest(a, NULL, of_a, &err), err);
    must(copse_model_digest(b, NULL, of_b, &err), err);
    assert_string_equal(of_a, of_b);
}

/* Learns rows one by one, and in another model as a table. */
static void assert_learns_like_table(const copse_method_info *info, copse_task task) {
    copse_error err;
    copse_model *a = mixed_model(info, task), *b = mixed_model(info, task);
    copse_table *t = mixed_table(200, 6, task);
    copse_row *row = NULL;
    must(copse_row_new(a, &row, &err), err);
    for (size_t i = 0; i < 6; i++) learn_mixed_row(row, a, 200 + i);
    must(copse_update(b, t, &(copse_run){.threads = 1}, &err), err);
    assert_same_digest(a, b);
    for (size_t i = 0; i < 30; i++) { /* new classes too */
        learn_mixed_row(row, a, 206 + i);
        if (i % 5 == 0) assert_rows_like_table(a, row, 0);
    }
    must(copse_model_check(a, NULL, &err), err);
    assert_int_equal(copse_model_rows(a), 236);
    copse_row_free(row);
    copse_table_free(t);
    copse_model_free(a);
    copse_model_free(b);
}

static void test_method(const copse_method_info *info, copse_task task) {
    copse_error err;
    copse_model *m = mixed_model(info, task);
    copse_row *row = NULL;
    if (!m) return;
    must(copse_row_new(m, &row, &err), err);
    assert_rows_like_table(m, row, 0);
    int of_mean = task == COPSE_CLASS ? copse_model_has_prob_draws(m) : copse_model_has_draws(m);
    if (of_mean) assert_rows_like_table(m, row, 1);
    assert_no_allocation(row);
    if (of_mean) assert_rows_like_table(m, row, 1);
    copse_row_free(row);
    copse_model_free(m);
    if (info->online) assert_learns_like_table(info, task);
}

static void rows_of_numbers_equal_tables(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++) test_method(copse_method(i), COPSE_REGRESS);
}

static void rows_of_classes_equal_tables(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++) test_method(copse_method(i), COPSE_CLASS);
}

static copse_model *mondrian(copse_task task) {
    return mixed_model(copse_method(0), task);
}

static void misuse_is_refused(void **state) {
    copse_error err;
    copse_model *m = mondrian(COPSE_REGRESS), *other = mondrian(COPSE_REGRESS);
    copse_row *row = NULL;
    const copse_prediction *p = NULL;
    double x[4] = {0};
    (void)state;
    assert_int_equal(copse_row_new(NULL, &row, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_new(m, NULL, &err), COPSE_E_USAGE);
    must(copse_row_new(m, &row, &err), err);
    assert_int_equal(copse_row_set_number(row, 4, 1, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_number(row, 1, 1, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_number(row, 0, INFINITY, &err), COPSE_E_DATA);
    assert_int_equal(copse_row_set_text(row, 0, "red", &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_text(NULL, 0, "red", &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_missing(row, 9, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_numbers(row, x, 3, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_numbers(row, x, 4, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_set_numbers(row, NULL, 4, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_predict(NULL, &p, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_predict(row, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_learn(row, other, 1, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_learn(row, m, NAN, &err), COPSE_E_DATA);
    assert_int_equal(copse_row_learn(row, m, INFINITY, &err), COPSE_E_DATA);
    assert_int_equal(copse_row_learn(row, m, 1e300, &err), COPSE_E_DATA);
    assert_int_equal(copse_row_learn(row, NULL, 1, &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_learn_class(row, m, "a", &err), COPSE_E_USAGE);
    assert_int_equal(copse_row_learn_class(row, m, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_model_rows(m), 200);
    copse_row_free(row);
    copse_row_free(NULL);
    copse_model_free(m);
    copse_model_free(other);
}

/* A class that cannot be learnt leaves no trace in the schema. */
static void a_refused_class_is_forgotten(void **state) {
    copse_error err;
    copse_model *m = NULL;
    copse_row *row = NULL;
    (void)state;
    for (size_t i = 0; copse_method(i); i++)
        if (!copse_method(i)->online && !m) m = mixed_model(copse_method(i), COPSE_CLASS);
    must(copse_row_new(m, &row, &err), err);
    assert_int_equal(copse_row_learn_class(row, m, "new", &err), COPSE_E_USAGE);
    assert_int_equal(copse_model_classes(m), 3);
    copse_row_free(row);
    copse_model_free(m);
}

static double target_numbers[] = {1, 2, 10, 2, 1, 10, 2, 2, 1, 10};

/* Classes that are numbers are given as numbers or as text, however written. */
static void numeric_classes_are_matched_by_value(void **state) {
    copse_error err;
    copse_table *t = NULL;
    copse_model *m = NULL;
    copse_row *row = NULL;
    double x[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    (void)state;
    must(copse_table_new(10, &t, &err), err);
    must(copse_table_add_numbers(t, "x", x, &err), err);
    must(copse_table_add_numbers(t, "target", target_numbers, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target", .task = COPSE_CLASS}, NULL, NULL, &m, &err), err);
    must(copse_row_new(m, &row, &err), err);
    must(copse_row_set_number(row, 0, 3, &err), err);
    must(copse_row_learn(row, m, 10, &err), err);
    must(copse_row_learn_class(row, m, "1e1", &err), err);
    assert_int_equal(copse_model_classes(m), 3);
    must(copse_row_learn(row, m, 11, &err), err);
    assert_int_equal(copse_model_classes(m), 4);
    assert_string_equal(copse_model_class(m, 3), "11");
    copse_row_free(row);
    copse_model_free(m);
    copse_table_free(t);
}

/* A class that was announced and not seen has the probability that a table gives it, which is not 0. */
static void announced_classes_as_in_tables(void **state) {
    static const char *const classes[] = {"a", "b", "c", "never seen"};
    copse_error err;
    (void)state;
    for (size_t i = 0; copse_method(i); i++) {
        copse_table *t = mixed_table(0, 200, COPSE_CLASS);
        copse_params *p = short_params(copse_method(i)->name);
        copse_model *m = NULL;
        copse_row *row = NULL;
        copse_roles roles = {.target = "target", .task = COPSE_CLASS, .classes = classes, .n_classes = COUNT(classes)};
        must(copse_fit(t, &roles, p, &(copse_run){.threads = 1}, &m, &err), err);
        must(copse_row_new(m, &row, &err), err);
        assert_rows_like_table(m, row, 0);
        copse_row_free(row);
        copse_model_free(m);
        copse_params_free(p);
        copse_table_free(t);
    }
}

/* Every allocation of a first prediction fails once: a status, and a row that can be used afterwards. */
static void survives_without_memory(void **state) {
    copse_error err;
    (void)state;
    for (size_t i = 0; copse_method(i); i++) {
        copse_model *m = mixed_model(copse_method(i), COPSE_REGRESS);
        copse_row *row = NULL;
        const copse_prediction *p;
        copse_status status = COPSE_E_MEMORY;
        if (!m) continue;
        for (long k = 0; status; k++) {
            copse_row_free(row);
            row = NULL;
            cp_mem_fail_after(k);
            status = copse_row_new(m, &row, &err);
            if (!status) status = copse_row_predict(row, &p, &err);
            cp_mem_fail_after(-1);
            assert_true(!status || status == COPSE_E_MEMORY);
            if (status && row) must(copse_row_predict(row, &p, &err), err);
        }
        copse_row_free(row);
        copse_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_numbers_equal_tables),
        cmocka_unit_test(rows_of_classes_equal_tables),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(a_refused_class_is_forgotten),
        cmocka_unit_test(numeric_classes_are_matched_by_value),
        cmocka_unit_test(announced_classes_as_in_tables),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
