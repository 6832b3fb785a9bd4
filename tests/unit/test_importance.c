/* Importance against answers that are known (the toy method) and against shuffling tables by hand. */
#include "check.h"

#include "eval/importance.h"
#include "model/model_predict.h"
#include "toy.h"

enum { ROWS = 300 };
static const copse_roles roles = {.target = "y"};

typedef struct data {
    double x[ROWS], noise[ROWS], y[ROWS];
    const char *c[ROWS], *label[ROWS];
} data;

/* y is what the toy forest says: 2 x, and 10 more for blue, its level 0. */
static data *make_data(const char *seed) {
    static const char *const colour[] = {"blue", "blue", "red", "green"};
    data *d = malloc(sizeof *d);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(seed), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        d->x[i] = 4 * cp_rng_unit(&rng) - 2;
        d->noise[i] = cp_rng_unit(&rng);
        d->c[i] = colour[cp_rng_below(&rng, COUNT(colour))];
        d->y[i] = 2 * (double)(float)d->x[i] + (strcmp(d->c[i], "blue") ? 0 : 10);
        d->label[i] = d->x[i] > 0 ? "a" : "b";
    }
    return d;
}

static copse_table *table_of(const data *d, const double *x, int classes) {
    copse_error err;
    copse_table *t = NULL;
    must(copse_table_new(ROWS, &t, &err), err);
    must(copse_table_add_numbers(t, "x", x, &err), err);
    must(copse_table_add_text(t, "c", d->c, &err), err);
    must(copse_table_add_numbers(t, "noise", d->noise, &err), err);
    if (classes)
        must(copse_table_add_text(t, "y", d->label, &err), err);
    else
        must(copse_table_add_numbers(t, "y", d->y, &err), err);
    return t;
}

static void impurity_is_averaged_over_trees(void **state) {
    (void)state;
    copse_error err;
    data *d = make_data("impurity_is_averaged_over_trees");
    copse_table *t = table_of(d, d->x, 0);
    copse_model *m = toy_model(t, &roles);
    copse_importance found[3];
    must(copse_importance_impurity(m, NULL, found, &err), err);
    assert_near(found[0].mean, .2, 1e-15);
    assert_near(found[0].sd, .1, 1e-15);
    assert_near(found[1].mean, .8, 1e-15);
    assert_near(found[1].sd, .1, 1e-15);
    assert_true(found[2].mean == 0 && found[2].sd == 0);
    copse_model_free(m);
    must(copse_fit(t, &roles, NULL, NULL, &m, &err), err);
    assert_int_equal(copse_importance_impurity(m, NULL, found, &err), COPSE_E_USAGE);
    assert_string_equal(err.msg, "method mondrian does not measure how much its splits lower the impurity");
    copse_model_free(m);
    copse_table_free(t);
    free(d);
}

/* A category that the method sees as several columns is one feature to the user. */
static void columns_of_one_feature_are_added_up(void **state) {
    (void)state;
    copse_error err;
    data *d = make_data("columns_of_one_feature_are_added_up");
    copse_table *t = table_of(d, d->x, 0);
    cp_method plain = toy_method;
    copse_params *p = NULL;
    copse_model *m = NULL;
    copse_importance found[1];
    plain.takes_raw = 0;
    must(cp_param_new(&plain, &p, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "y", .features = "c"}, p, NULL, &m, &err), err);
    assert_int_equal(m->schema->dims, 3);
    must(copse_importance_impurity(m, NULL, found, &err), err);
    assert_near(found[0].mean, 1, 1e-15);
    assert_near(found[0].sd, 0, 1e-15);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
    free(d);
}

/* ----------------------------------------------------------------------------------------------------- permutation */

static double rmse(const copse_model *m, const copse_table *t, const double *y, int32_t tree) {
    copse_error err;
    cp_answer a;
    double sum = 0;
    cp_model_query q = {.table = t, .n = ROWS, .one_tree = tree != CP_NONE, .tree = tree};
    must(cp_model_predict(m, &q, NULL, &a, &err), err);
    for (size_t i = 0; i < ROWS; i++) sum += pow(cp_mixture_mean(cp_answer_mixture(&a, i)) - y[i], 2);
    cp_answer_clear(&a);
    return sqrt(sum / ROWS);
}

/* The shuffles of column 0 with this seed, made again. */
static void shuffled(const double *x, uint64_t seed, size_t repeat, double *out) {
    size_t order[ROWS];
    cp_rng rng;
    cp_rng_init(&rng, seed, CP_FOR_SHUFFLE, 0, repeat);
    for (size_t i = 0; i < ROWS; i++) order[i] = i;
    for (size_t i = ROWS; i > 1; i--) {
        size_t k = (size_t)cp_rng_below(&rng, i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (size_t i = 0; i < ROWS; i++) out[i] = x[order[i]];
}

static void permutation_equals_shuffling_by_hand(void **state) {
    (void)state;
    enum { REPEATS = 3 };
    copse_error err;
    data *d = make_data("permutation_equals_shuffling_by_hand");
    copse_table *t = table_of(d, d->x, 0);
    copse_model *m = toy_model(t, &roles);
    copse_importance found[3];
    double loss, forest = 0, tree[TOY_TREES] = {0}, mean = 0, squares = 0;
    must(copse_importance_permute(m, t, &(copse_permute_options){.repeats = REPEATS, .seed = 5, .out_loss = &loss},
                                  NULL, found, &err),
         err);
    assert_near(loss, 0, 1e-12);
    for (size_t r = 0; r < REPEATS; r++) {
        double x[ROWS];
        shuffled(d->x, 5, r, x);
        copse_table *u = table_of(d, x, 0);
        forest += rmse(m, u, d->y, CP_NONE) / REPEATS;
        for (int32_t k = 0; k < TOY_TREES; k++) tree[k] += (rmse(m, u, d->y, k) - rmse(m, t, d->y, k)) / REPEATS;
        copse_table_free(u);
    }
    assert_near(found[0].mean, forest, 1e-12);
    for (int k = 0; k < TOY_TREES; k++) mean += tree[k] / TOY_TREES;
    for (int k = 0; k < TOY_TREES; k++) squares += pow(tree[k] - mean, 2);
    assert_near(found[0].sd, sqrt(squares / (TOY_TREES - 1)), 1e-12);
    assert_true(found[1].mean > 1); /* half of the rows are off by 10 about half of the time */
    assert_true(found[2].mean == 0 && found[2].sd == 0);
    copse_model_free(m);
    copse_table_free(t);
    free(d);
}

static void classes_are_judged_by_log_loss(void **state) {
    (void)state;
    copse_error err;
    data *d = make_data("classes_are_judged_by_log_loss");
    copse_table *t = table_of(d, d->x, 1);
    copse_model *m = toy_model(t, &roles);
    copse_importance found[3];
    double loss;
    must(copse_importance_permute(m, t, &(copse_permute_options){.repeats = 2, .seed = 1, .out_loss = &loss}, NULL,
                                  found, &err),
         err);
    assert_near(loss, log(2), 1e-12); /* the toy forest says 1/2 everywhere, but its trees do not */
    assert_near(found[0].mean, 0, 1e-12);
    assert_true(found[0].sd > .01);
    assert_true(found[1].mean == 0 && found[2].mean == 0);
    copse_model_free(m);
    copse_table_free(t);
    free(d);
}

static void rows_without_target_do_not_count(void **state) {
    (void)state;
    copse_error err;
    data *d = make_data("rows_without_target_do_not_count");
    copse_table *t = table_of(d, d->x, 0);
    copse_model *m = toy_model(t, &roles);
    copse_importance found[3];
    double loss;
    for (size_t i = 0; i < ROWS; i++) d->y[i] = i % 3 ? NAN : d->y[i] + 1;
    copse_table *u = table_of(d, d->x, 0);
    must(copse_importance_permute(m, u, &(copse_permute_options){.repeats = 1, .seed = 1, .out_loss = &loss}, NULL,
                                  found, &err),
         err);
    assert_near(loss, 1, 1e-12);
    for (size_t i = 0; i < ROWS; i++) d->y[i] = NAN;
    copse_table *none = table_of(d, d->x, 0);
    assert_int_equal(
        copse_importance_permute(m, none, &(copse_permute_options){.repeats = 1, .seed = 1, .out_loss = &loss}, NULL,
                                 found, &err),
        COPSE_E_DATA);
    copse_model_free(m);
    copse_table_free(t);
    copse_table_free(u);
    copse_table_free(none);
    free(d);
}

/* Any method will do; where trees are no draws the spread is over the shuffles, and threads change nothing. */
static void a_mondrian_forest_knows_what_matters(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = NULL, *test = NULL;
    copse_model *m = NULL;
    copse_importance found[10], again[10];
    double loss, same;
    must(
        copse_synth("friedman1", &(copse_synth_options){.rows = 400, .dims = 10, .noise_free = 1, .seed = 1}, &t, &err),
        err);
    must(copse_synth("friedman1", &(copse_synth_options){.rows = 300, .dims = 10, .noise_free = 1, .seed = 2}, &test,
                     &err),
         err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, NULL, NULL, &m, &err), err);
    must(copse_importance_permute(m, test, &(copse_permute_options){.repeats = 3, .seed = 1, .out_loss = &loss},
                                  &(copse_run){.threads = 1}, found, &err),
         err);
    must(copse_importance_permute(m, test, &(copse_permute_options){.repeats = 3, .seed = 1, .out_loss = &same},
                                  &(copse_run){.threads = 4}, again, &err),
         err);
    assert_true(loss == same);
    assert_memory_equal(found, again, sizeof found);
    assert_true(found[3].mean > 5 * fabs(found[7].mean)); /* 10 x4 is the largest term; x8 is none */
    assert_true(found[3].sd > 0 && found[3].sd < found[3].mean);
    must(copse_importance_permute(m, test, &(copse_permute_options){.repeats = 1, .seed = 1, .out_loss = &loss}, NULL,
                                  found, &err),
         err);
    assert_true(isnan(found[0].sd));
    copse_model_free(m);
    copse_table_free(t);
    copse_table_free(test);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    copse_error err;
    data *d = make_data("every_failed_allocation_is_clean");
    copse_table *t = table_of(d, d->x, 0);
    copse_model *m = toy_model(t, &roles);
    const copse_run run = {.threads = 1};
    copse_importance found[3];
    double loss;
    long k = 0;
    for (; k < 10000; k++) {
        cp_mem_fail_after(k);
        copse_status status = copse_importance_permute(
            m, t, &(copse_permute_options){.repeats = 1, .seed = 1, .out_loss = &loss}, &run, found, &err);
        if (!status) status = copse_importance_impurity(m, NULL, found, &err);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    assert_true(k > 20 && k < 10000);
    copse_model_free(m);
    copse_table_free(t);
    free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impurity_is_averaged_over_trees),      cmocka_unit_test(columns_of_one_feature_are_added_up),
        cmocka_unit_test(permutation_equals_shuffling_by_hand), cmocka_unit_test(classes_are_judged_by_log_loss),
        cmocka_unit_test(rows_without_target_do_not_count),     cmocka_unit_test(a_mondrian_forest_knows_what_matters),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
