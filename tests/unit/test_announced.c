/* Classes that are announced before a row has them, in every method. */
#include <string.h>
#include <unistd.h>

#include "check.h"

#include "data/schema.h"
#include "model/model.h"
#include "model/registry.h"

enum { ROWS = 60 };

/* Rows of two classes, as text or as the numbers 1 and 3. */
static copse_table *rows_of_two(int numbers) {
    copse_error err;
    copse_table *t = NULL;
    double x[ROWS], y[ROWS];
    const char *label[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)(i * 37 % 60);
        y[i] = x[i] < 30 ? 1 : 3;
        label[i] = x[i] < 30 ? "b" : "d";
    }
    must(copse_table_new(ROWS, &t, &err), err);
    must(copse_table_add_numbers(t, "x", x, &err), err);
    must(numbers ? copse_table_add_numbers(t, "y", y, &err) : copse_table_add_text(t, "y", label, &err), err);
    return t;
}

static const char *const few[] = {"samples", "burn-in", "trees", "particles", "chains", "islands"};

static copse_params *small(const char *method) {
    copse_error err;
    copse_params *p = NULL;
    must(copse_params_new(method, &p, &err), err);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (copse_params_get(p, few[i])) must(copse_params_set(p, few[i], i ? "4" : "10", &err), err);
    return p;
}

/* A row alone gets what it gets in a table. */
static void check_row(const copse_model *m, const copse_prediction *q, const copse_table *t) {
    const copse_prediction *alone = NULL;
    copse_row *row = NULL;
    copse_error err;
    must(copse_row_new(m, &row, &err), err);
    for (size_t i = 0; i < ROWS; i++) {
        must(copse_row_set_number(row, 0, copse_table_number(t, i, 0), &err), err);
        must(copse_row_predict(row, &alone, &err), err);
        assert_memory_equal(copse_prediction_probs(alone, 0), copse_prediction_probs(q, i), 4 * sizeof(double));
    }
    copse_row_free(row);
}

/* The class that no row has gets some probability, and what is left is right. */
static void check_method(const char *method, const copse_table *t) {
    static const char *const announced[] = {"e", "b", "a"};
    copse_roles roles = {.target = "y", .classes = announced, .n_classes = 3};
    copse_params *p = small(method);
    copse_model *m = NULL;
    copse_prediction *q = NULL;
    copse_error err;
    must(copse_fit(t, &roles, p, NULL, &m, &err), err);
    assert_int_equal(copse_model_classes(m), 4);
    for (size_t k = 0; k < 4; k++) assert_string_equal(copse_model_class(m, k), &"a\0b\0d\0e"[2 * k]);
    must(copse_model_check(m, NULL, &err), err);
    must(copse_predict(m, t, NULL, NULL, &q, &err), err);
    for (size_t i = 0; i < ROWS; i++) {
        const double *prob = copse_prediction_probs(q, i);
        assert_near(prob[0] + prob[1] + prob[2] + prob[3], 1, 1e-9);
        if (!(prob[0] >= 1e-16 && prob[3] >= 1e-16)) fail_msg("%s gives %g to a class that may come", method, prob[0]);
    }
    check_row(m, q, t);
    copse_prediction_free(q);
    copse_model_free(m);
    copse_params_free(p);
}

static void every_method_expects_what_was_announced(void **state) {
    (void)state;
    copse_table *t = rows_of_two(0);
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) check_method(m->name, t);
    copse_table_free(t);
}

static void announced_numbers_keep_the_order_of_numbers(void **state) {
    (void)state;
    static const char *const announced[] = {"10", "2", "1.0"};
    copse_roles roles = {.target = "y", .classes = announced, .n_classes = 3};
    copse_table *t = rows_of_two(1);
    copse_model *m = NULL;
    copse_error err;
    must(copse_fit(t, &roles, NULL, NULL, &m, &err), err);
    assert_int_equal(copse_model_classes(m), 4);
    static const char *const want[] = {"1", "2", "3", "10"};
    for (size_t k = 0; k < 4; k++) assert_string_equal(copse_model_class(m, k), want[k]);
    copse_model_free(m);
    copse_table_free(t);
}

/* A class that was announced is learnt under its own number, not appended. */
static void an_update_fills_the_place(void **state) {
    (void)state;
    static const char *const announced[] = {"c"}, *const label[] = {"c"};
    const double x[] = {30};
    copse_roles roles = {.target = "y", .classes = announced, .n_classes = 1};
    char path[] = "/tmp/copse-announced-XXXXXX";
    close(mkstemp(path));
    copse_table *t = rows_of_two(0), *more = NULL;
    copse_model *m = NULL;
    copse_error err;
    must(copse_fit(t, &roles, NULL, NULL, &m, &err), err);
    must(copse_table_new(1, &more, &err), err);
    must(copse_table_add_numbers(more, "x", x, &err), err);
    must(copse_table_add_text(more, "y", label, &err), err);
    must(copse_save(m, path, 0, NULL, &err), err);
    copse_model_free(m);
    must(copse_load(path, NULL, &m, &err), err);
    unlink(path);
    assert_true(m->schema->announced);
    must(copse_update(m, more, NULL, &err), err);
    assert_int_equal(copse_model_classes(m), 3);
    assert_string_equal(copse_model_class(m, 1), "c");
    copse_model_free(m);
    copse_table_free(t);
    copse_table_free(more);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const char *const words[] = {"high"}, *const hole[] = {"1", NULL};
    copse_table *t = rows_of_two(1);
    copse_model *m = NULL;
    copse_error err;
    copse_roles roles = {.target = "y", .classes = words, .n_classes = 1};
    assert_int_equal(copse_fit(t, &roles, NULL, NULL, &m, &err), COPSE_E_USAGE);
    assert_non_null(strstr(err.msg, "'high' is not a number"));
    roles = (copse_roles){.target = "y", .task = COPSE_REGRESS, .classes = hole, .n_classes = 1};
    assert_int_equal(copse_fit(t, &roles, NULL, NULL, &m, &err), COPSE_E_USAGE);
    copse_table_free(t);
}

/* What users see of a method says what the library does with it. */
static void methods_are_described_truly(void **state) {
    (void)state;
    const cp_method *m;
    for (size_t i = 0; (m = cp_registry_method(i)) != NULL; i++) {
        assert_int_equal(m->info.takes_missing, m->takes_raw);
        assert_int_equal(m->info.takes_categories, m->takes_raw);
        assert_int_equal(m->info.samples, m->sampler != NULL);
        assert_int_equal(m->info.samples, m->inspect.diagnose != NULL);
        assert_int_equal(m->info.online, m->update != NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_expects_what_was_announced),
        cmocka_unit_test(announced_numbers_keep_the_order_of_numbers),
        cmocka_unit_test(an_update_fills_the_place),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(methods_are_described_truly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
