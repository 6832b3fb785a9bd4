/* Models through the public header: what a program that embeds the library relies on. */
#include "comma.h"

#include "base/mem.h"
#include "data/schema_encode.h"
#include "method/method.h"
#include "model/model_file.h"
#include "model/model_predict.h"
#include "toy.h"

static copse_table *synth(const char *name, size_t rows, uint64_t seed) {
    copse_error err;
    copse_table *t = NULL;
    must(copse_synth(name, &(copse_synth_options){.rows = rows, .seed = seed}, &t, &err), err);
    return t;
}

static copse_table *slice(const copse_table *t, size_t first, size_t n) {
    copse_error err;
    copse_table *out = NULL;
    size_t *rows = malloc((n + 1) * sizeof *rows);
    for (size_t i = 0; i < n; i++) rows[i] = first + i;
    must(copse_table_select(t, rows, n, &out, &err), err);
    free(rows);
    return out;
}

static copse_params *params(const char *trees, const char *posterior) {
    copse_error err;
    copse_params *p = NULL;
    must(copse_params_new("mondrian", &p, &err), err);
    must(copse_params_set(p, "trees", trees, &err), err);
    must(copse_params_set(p, "posterior", posterior, &err), err);
    return p;
}

static const copse_roles roles = {.target = "target"};

static copse_model *fit(const copse_table *t, const copse_params *p, int threads) {
    copse_error err;
    copse_model *m = NULL;
    copse_run run = {.threads = threads};
    must(copse_fit(t, &roles, p, &run, &m, &err), err);
    return m;
}

/* ------------------------------------------------------------------------------------------------- test, then train */

static void assert_same_row(const copse_prediction *a, size_t i, const copse_prediction *b, size_t k) {
    size_t classes = copse_prediction_classes(b);
    if (!classes) {
        assert_near(copse_prediction_mean(a, i), copse_prediction_mean(b, k), 1e-12);
        assert_near(copse_prediction_sd(a, i), copse_prediction_sd(b, k), 1e-12);
        assert_near(copse_prediction_log_density(a, i, 3), copse_prediction_log_density(b, k, 3), 1e-9);
        return;
    }
    for (size_t c = 0; c < copse_prediction_classes(a); c++)
        assert_near(copse_prediction_probs(a, i)[c], c < classes ? copse_prediction_probs(b, k)[c] : 0, 1e-12);
}

/* One call for a table answers what asking and learning row by row would. */
static void test_then_train_equals_row_by_row(const char *name) {
    copse_error err;
    copse_table *all = synth(name, 260, 5), *first = slice(all, 0, 60), *rest = slice(all, 60, 200);
    copse_params *p = params("7", "fast");
    copse_model *a = fit(first, p, 2), *b = fit(first, p, 1);
    copse_prediction *together = NULL;
    must(copse_update_predict(a, rest, NULL, &together, &err), err);
    for (size_t i = 0; i < 200; i++) {
        copse_table *row = slice(rest, i, 1);
        copse_prediction *alone = NULL;
        must(copse_predict(b, row, &(copse_predict_options){.n = 1}, NULL, &alone, &err), err);
        assert_same_row(together, i, alone, 0);
        must(copse_update(b, row, NULL, &err), err);
        copse_prediction_free(alone);
        copse_table_free(row);
    }
    copse_prediction_free(together);
    copse_model_free(a);
    copse_model_free(b);
    copse_params_free(p);
    copse_table_free(all);
    copse_table_free(first);
    copse_table_free(rest);
}

static void prequential_answers_are_those_before_learning(void **state) {
    (void)state;
    test_then_train_equals_row_by_row("friedman1");
    test_then_train_equals_row_by_row("ringnorm");
}

/* A class nobody has seen: the answer before cannot know it, the answer after does. */
static void a_new_class_is_learnt_on_the_way(void **state) {
    (void)state;
    copse_error err;
    const double x[] = {0, .1, .2, .8, .9, 1, .5, .52, .54};
    const char *label[] = {"a", "a", "a", "b", "b", "b", "c", "c", "c"};
    copse_table *t = NULL;
    must(copse_table_new(9, &t, &err), err);
    must(copse_table_add_numbers(t, "x", x, &err), err);
    must(copse_table_add_text(t, "target", label, &err), err);
    copse_table *first = slice(t, 0, 6), *rest = slice(t, 6, 3);
    copse_params *p = params("20", "exact");
    copse_model *m = fit(first, p, 1);
    copse_prediction *before = NULL;
    must(copse_update_predict(m, rest, NULL, &before, &err), err);
    assert_int_equal(copse_model_classes(m), 3);
    assert_int_equal(copse_prediction_classes(before), 3);
    assert_true(copse_prediction_probs(before, 0)[2] == 0);
    assert_true(copse_prediction_probs(before, 1)[2] > .3);
    for (size_t i = 0; i < 3; i++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) sum += copse_prediction_probs(before, i)[k];
        assert_near(sum, 1, 1e-12);
    }
    copse_prediction_free(before);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
    copse_table_free(first);
    copse_table_free(rest);
}

static void scoring_while_learning_needs_the_fast_posterior(void **state) {
    (void)state;
    copse_error err = {0};
    copse_table *t = synth("friedman1", 40, 1);
    copse_params *p = params("3", "exact");
    copse_model *m = fit(t, p, 1);
    copse_prediction *before = NULL;
    assert_int_equal(copse_update_predict(m, t, NULL, &before, &err), COPSE_E_USAGE);
    assert_non_null(strstr(err.msg, "`posterior=fast`"));
    assert_null(before);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
}

/* ------------------------------------------------------------------------------------------------------------ files */

static void image_of(const copse_model *m, unsigned flags, unsigned char **out, size_t *out_n) {
    copse_error err;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(cp_model_file_write(m, flags, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    *out = malloc(*out_n);
    memcpy(*out, bytes, *out_n);
    cp_writer_free(w);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    copse_error err;
    const char *sets[] = {"friedman1", "ringnorm"};
    const int threads[] = {1, 2, 7};
    for (int s = 0; s < 2; s++) {
        copse_table *t = synth(sets[s], 400, 2), *more = synth(sets[s], 100, 3);
        copse_params *p = params("11", s ? "exact" : "fast");
        unsigned char *image[3];
        size_t n[3];
        for (int i = 0; i < 3; i++) {
            copse_run run = {.threads = threads[i]};
            copse_model *m = fit(t, p, threads[i]);
            must(copse_update(m, more, &run, &err), err);
            image_of(m, 0, &image[i], &n[i]);
            copse_model_free(m);
        }
        for (int i = 1; i < 3; i++) {
            assert_int_equal(n[0], n[i]);
            assert_memory_equal(image[0], image[i], n[0]);
        }
        for (int i = 0; i < 3; i++) free(image[i]);
        copse_params_free(p);
        copse_table_free(t);
        copse_table_free(more);
    }
}

/* A fitted model, and the options of all methods as they are before anything is said. */
static void life_in_this_locale(const copse_table *t, unsigned char **out, size_t *out_n, char *out_options,
                                size_t size) {
    copse_error err;
    copse_params *p = NULL;
    const copse_method_info *m;
    copse_option_info o;
    size_t used = 0;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) {
        must(copse_params_new(m->name, &p, &err), err);
        for (size_t k = 0; copse_method_option(m->name, k, &o); k++)
            used += (size_t)snprintf(out_options + used, size - used, "%s %s\n", o.name, copse_params_get(p, o.name));
        assert_true(used < size);
        copse_params_free(p);
    }
    must(copse_params_new("rf", &p, &err), err);
    must(copse_params_set(p, "trees", "3", &err), err);
    must(copse_params_set(p, "min-leaf-weight", "2.25", &err), err);
    copse_model *made = fit(t, p, 1), *back = NULL;
    image_of(made, 0, out, out_n);
    must(cp_model_file_read(*out, *out_n, &back, &err), err);
    copse_model_free(made);
    copse_model_free(back);
    copse_params_free(p);
}

static void a_locale_does_not_change_a_byte(void **state) {
    (void)state;
    enum { SIZE = 1 << 16 };
    copse_table *t = synth("friedman1", 100, 4);
    char *options[2] = {malloc(SIZE), malloc(SIZE)};
    unsigned char *image[2];
    size_t n[2];
    life_in_this_locale(t, &image[0], &n[0], options[0], SIZE);
    commas_for_points();
    life_in_this_locale(t, &image[1], &n[1], options[1], SIZE);
    points_again();
    assert_string_equal(options[0], options[1]);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(image[0], image[1], n[0]);
    for (int i = 0; i < 2; i++) {
        free(options[i]);
        free(image[i]);
    }
    copse_table_free(t);
}

static void a_model_read_back_predicts_the_same(void **state) {
    (void)state;
    copse_error err;
    const char *sets[] = {"friedman1", "ringnorm"}, *posterior[] = {"exact", "fast"};
    for (int i = 0; i < 8; i++) {
        copse_table *t = synth(sets[i % 2], 150, 2), *test = synth(sets[i % 2], 20, 9);
        copse_params *p = params("5", posterior[i / 2 % 2]);
        copse_model *m = fit(t, p, 1), *back = NULL;
        unsigned flags = i / 4 ? COPSE_SAVE_FROZEN : 0;
        unsigned char *bytes;
        size_t n;
        image_of(m, flags, &bytes, &n);
        must(cp_model_file_read(bytes, n, &back, &err), err);
        assert_int_equal(copse_model_can_learn(back), !flags);
        copse_prediction *a = NULL, *b = NULL;
        must(copse_predict(m, test, &(copse_predict_options){.n = 20}, NULL, &a, &err), err);
        must(copse_predict(back, test, &(copse_predict_options){.n = 20}, NULL, &b, &err), err);
        for (size_t r = 0; r < 20; r++) assert_same_row(a, r, b, r);
        if (flags) assert_int_equal(copse_update(back, test, NULL, &err), COPSE_E_USAGE);
        copse_prediction_free(a);
        copse_prediction_free(b);
        copse_model_free(m);
        copse_model_free(back);
        copse_params_free(p);
        copse_table_free(t);
        copse_table_free(test);
        free(bytes);
    }
}

/* Takes the targets of some rows away. */
static void blank_targets(copse_table *t, size_t every) {
    cp_column *c = &t->col[cp_table_find(t, "target")];
    for (size_t i = 0; i < t->rows; i += every) {
        if (c->kind == COPSE_TEXT)
            c->code[i] = CP_NONE;
        else
            c->number[i] = NAN;
    }
}

/* In a fit and in updates they are as if they were not there; before they are passed over, they are still answered. */
static void rows_without_a_target_are_left_out(void **state) {
    (void)state;
    copse_error err;
    const char *sets[] = {"friedman1", "ringnorm"};
    for (int i = 0; i < 2; i++) {
        copse_table *holes = synth(sets[i], 90, 3), *more = synth(sets[i], 40, 4), *whole, *rest;
        size_t rows[90], n = 0, m = 0;
        blank_targets(holes, 3);
        blank_targets(more, 4);
        for (size_t r = 0; r < 90; r++)
            if (r % 3) rows[n++] = r;
        must(copse_table_select(holes, rows, n, &whole, &err), err);
        for (size_t r = 0; r < 40; r++)
            if (r % 4) rows[m++] = r;
        must(copse_table_select(more, rows, m, &rest, &err), err);
        copse_params *p = params("5", "fast");
        copse_model *a = fit(holes, p, 1), *b = fit(whole, p, 1), *c = fit(whole, p, 1);
        copse_prediction *before = NULL;
        unsigned char *x, *y, *z;
        size_t nx, ny, nz;
        must(copse_update(a, more, NULL, &err), err);
        must(copse_update(b, rest, NULL, &err), err);
        must(copse_update_predict(c, more, NULL, &before, &err), err);
        assert_int_equal(copse_prediction_rows(before), 40);
        image_of(a, 0, &x, &nx);
        image_of(b, 0, &y, &ny);
        image_of(c, 0, &z, &nz);
        assert_int_equal(copse_model_rows(a), n + m);
        assert_true(nx == ny && nx == nz);
        assert_memory_equal(x, y, nx);
        assert_memory_equal(x, z, nx);
        free(x);
        free(y);
        free(z);
        copse_prediction_free(before);
        copse_model_free(a);
        copse_model_free(b);
        copse_model_free(c);
        copse_params_free(p);
        copse_table_free(holes);
        copse_table_free(more);
        copse_table_free(whole);
        copse_table_free(rest);
    }
}

/* -------------------------------------------------------------------------------------------- a table that is taken */

static void assert_same_files(const char *a, const char *b) {
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    assert_true(x && y);
    int c;
    while ((c = getc(x)) == getc(y) && c != EOF) {
    }
    assert_int_equal(c, EOF);
    fclose(x);
    fclose(y);
}

/* A few rows lack their target, so that the rows that are learnt are a copy of the table's. */
static copse_table *with_gaps(void) {
    enum { ROWS = 50 };
    copse_error err;
    double x[ROWS], y[ROWS];
    copse_table *t = NULL;
    for (int i = 0; i < ROWS; i++) {
        x[i] = i * 7 % ROWS;
        y[i] = i % 9 == 4 ? NAN : x[i] / 3;
    }
    must(copse_table_new(ROWS, &t, &err), err);
    must(copse_table_add_numbers(t, "x", x, &err), err);
    must(copse_table_add_numbers(t, "target", y, &err), err);
    return t;
}

static void fit_take_gives_the_same_model_and_takes_the_table(void **state) {
    (void)state;
    char kept[] = "/tmp/copse-test-XXXXXX", taken[] = "/tmp/copse-test-XXXXXX";
    assert_true(mkstemp(kept) >= 0 && mkstemp(taken) >= 0);
    copse_error err;
    copse_table *t = with_gaps(), *again = with_gaps();
    copse_model *m = fit(t, NULL, 1), *n = NULL;
    must(copse_fit_take(&again, &roles, NULL, NULL, &n, &err), err);
    assert_null(again);
    must(copse_save(m, kept, 0, NULL, &err), err);
    must(copse_save(n, taken, 0, NULL, &err), err);
    assert_same_files(kept, taken);
    copse_model_free(m);
    copse_model_free(n);
    copse_table_free(t);
    remove(kept);
    remove(taken);
}

static void fit_take_frees_the_table_of_a_fit_that_fails(void **state) {
    (void)state;
    copse_error err;
    copse_model *m;
    copse_table *t = with_gaps();
    assert_int_equal(copse_fit_take(&t, &(copse_roles){0}, NULL, NULL, &m, &err), COPSE_E_USAGE);
    assert_null(t);
    t = with_gaps();
    assert_int_equal(copse_fit_take(&t, &(copse_roles){.target = "nothing"}, NULL, NULL, &m, &err), COPSE_E_USAGE);
    assert_null(t);
    assert_null(m);
}

/* --------------------------------------------------------------------------------------------- memory that runs out */

typedef struct restarts {
    const copse_table *train, *more;
    const copse_params *p;
    const char *path;
} restarts;

/* Everything a program does with a model, start to end; the first failure is returned. */
static copse_status tell(const restarts *s, copse_error *err) {
    copse_model *m = NULL, *back = NULL, *frozen = NULL;
    copse_prediction *a = NULL, *b = NULL;
    copse_scores scores;
    const copse_run run = {.threads = 1};
    copse_status status = copse_fit(s->train, &roles, s->p, &run, &m, err);
    if (!status) status = copse_update(m, s->more, &run, err);
    if (!status) status = copse_predict(m, s->more, NULL, &run, &a, err);
    if (!status && !strcmp(copse_params_get(s->p, "posterior"), "fast"))
        status = copse_update_predict(m, s->more, &run, &b, err);
    if (!status) status = copse_save(m, s->path, 0, NULL, err);
    if (!status) status = copse_load(s->path, NULL, &back, err);
    if (!status) status = copse_eval(back, s->more, &(copse_eval_options){.interval = .9}, &run, &scores, err);
    if (!status) status = copse_save(m, s->path, COPSE_SAVE_FROZEN, NULL, err);
    if (!status) status = copse_load(s->path, NULL, &frozen, err);
    if (!status) status = copse_eval(frozen, s->more, &(copse_eval_options){.interval = .9}, &run, &scores, err);
    copse_prediction_free(a);
    copse_prediction_free(b);
    copse_model_free(m);
    copse_model_free(back);
    copse_model_free(frozen);
    return status;
}

static void every_allocation_may_fail(const char *set, const char *posterior, int classes_later) {
    char path[] = "/tmp/copse-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    copse_table *all = synth(set, 60, 4), *train = slice(all, 0, classes_later ? 2 : 40), *more = slice(all, 40, 20);
    copse_params *p = params("2", posterior);
    restarts s = {train, more, p, path};
    copse_error err = {0};
    long k = 0;
    for (; k < 100000; k++) {
        cp_mem_fail_after(k);
        copse_status status = tell(&s, &err);
        cp_mem_fail_after(-1);
        if (!status) break;
        if (status != COPSE_E_MEMORY) fail_msg("allocation %ld: %s (%s)", k, err.msg, copse_status_text(status));
    }
    assert_true(k > 50 && k < 100000);
    must(tell(&s, &err), err);
    copse_params_free(p);
    copse_table_free(all);
    copse_table_free(train);
    copse_table_free(more);
    remove(path);
}

static void out_of_memory_is_a_status_everywhere(void **state) {
    (void)state;
    every_allocation_may_fail("friedman1", "exact", 0);
    every_allocation_may_fail("friedman1", "fast", 0);
    every_allocation_may_fail("ringnorm", "exact", 0);
    every_allocation_may_fail("ringnorm", "fast", 1);
}

/* The name of the next option in a message, `name` or --name; NULL if there is none. */
static const char *next_option(const char *at) {
    const char *dashes = strstr(at, "--"), *quote = strchr(at, '`');
    if (!quote || (dashes && dashes < quote)) return dashes ? dashes + 2 : NULL;
    return quote + 1;
}

/* Every word of advice is an option there is. */
static void assert_advice_can_be_taken(const char *method, const char *message) {
    const char *at = strstr(message, "does not fit; ");
    assert_non_null(at);
    size_t options = 0;
    for (size_t n; (at = next_option(at)) != NULL; at += n + (at[n] == '`'), options++) {
        char name[32] = "";
        n = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        copse_option_info o;
        int found = n == strlen("threads") && strncmp(at, "threads", n) == 0;
        for (size_t i = 0; !found && copse_method_option(method, i, &o); i++)
            found = strlen(o.name) == n && strncmp(o.name, at, n) == 0;
        memcpy(name, at, n < sizeof name ? n : sizeof name - 1);
        if (!found) fail_msg("%s is advised to use `%s`, which it has not", method, name);
    }
    assert_true(options > 0);
}

static void out_of_memory_comes_with_advice(void **state) {
    (void)state;
    const copse_method_info *method;
    copse_table *t = synth("friedman1", 40, 3);
    for (size_t i = 0; (method = copse_method(i)) != NULL; i++) {
        copse_error err;
        copse_params *p = NULL;
        copse_model *m = NULL;
        copse_run run = {.threads = 1};
        must(copse_params_new(method->name, &p, &err), err);
        if (copse_params_get(p, "samples")) must(copse_params_set(p, "samples", "5", &err), err);
        size_t before = cp_mem_count();
        must(copse_fit(t, &roles, p, &run, &m, &err), err);
        size_t needed = cp_mem_count() - before;
        copse_model_free(m);
        cp_mem_fail_after((long)needed - 1);
        copse_status status = copse_fit(t, &roles, p, &run, &m, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_non_null(strstr(err.msg, "on 40 rows of 10 columns"));
        assert_advice_can_be_taken(method->name, err.msg);
        copse_params_free(p);
    }
    copse_table_free(t);
}

/* Predicting again and again costs a fixed number of allocations, however many rows and trees there are. */
static void predicting_more_rows_allocates_no_more(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = synth("ringnorm", 300, 1);
    copse_params *p = params("10", "exact");
    copse_model *m = fit(t, p, 1);
    size_t made[2];
    for (int i = 0; i < 2; i++) {
        copse_prediction *a = NULL;
        copse_run run = {.threads = 1};
        size_t before = cp_mem_count();
        must(copse_predict(m, t, &(copse_predict_options){.n = i ? 300 : 100}, &run, &a, &err), err);
        made[i] = cp_mem_count() - before;
        copse_prediction_free(a);
    }
    assert_int_equal(made[0], made[1]);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
}

/* ------------------------------------------------------------------------- categories, missing values and weights */

enum { MIXED = 6 };
static const double mixed_x[MIXED] = {1.5, NAN, 2, 3, 4, 5}, mixed_y[MIXED] = {1.5, 2, 3, 4, 5, 6};
static const char *const mixed_c[MIXED] = {"red", "blue", NULL, "red", "blue", "green"};

static copse_table *mixed(const double *weight) {
    copse_error err;
    copse_table *t = NULL;
    must(copse_table_new(MIXED, &t, &err), err);
    must(copse_table_add_numbers(t, "x", mixed_x, &err), err);
    must(copse_table_add_text(t, "c", mixed_c, &err), err);
    must(copse_table_add_numbers(t, "target", mixed_y, &err), err);
    if (weight) must(copse_table_add_numbers(t, "w", weight, &err), err);
    return t;
}

static void raw_methods_are_given_everything_as_it_is(void **state) {
    (void)state;
    const double weight[MIXED] = {1, 0, .5, 2, 0, 3};
    copse_table *t = mixed(weight);
    copse_model *m = toy_model(t, &(copse_roles){.target = "target", .weights = "w"});
    const toy *seen = m->state;
    assert_int_equal(seen->dims, 2);
    assert_int_equal(seen->levels[0], 0);
    assert_int_equal(seen->levels[1], 3);
    assert_true(seen->first[0] == 1.5f && seen->first[1] == 1); /* blue comes before red: as frequent, byte order */
    assert_true(seen->weight == 6.5);
    copse_error err;
    copse_prediction *p = NULL;
    must(copse_predict(m, t, &(copse_predict_options){.n = MIXED}, NULL, &p, &err), err);
    assert_near(copse_prediction_mean(p, 0), 3, 1e-12);
    assert_near(copse_prediction_mean(p, 1), -100, 1e-12);
    assert_near(copse_prediction_mean(p, 2), 4, 1e-12);
    assert_near(copse_prediction_mean(p, 4), 18, 1e-12);
    copse_prediction_free(p);
    copse_model_free(m);
    copse_table_free(t);
}

static void refuse_weights(const double *weight, long row, const char *message) {
    copse_error err = {0};
    copse_params *p = NULL;
    copse_model *m = NULL;
    copse_table *t = mixed(weight);
    must(cp_param_new(&toy_method, &p, &err), err);
    assert_int_equal(copse_fit(t, &(copse_roles){.target = "target", .weights = "w"}, p, NULL, &m, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, message);
    assert_int_equal(err.row, row);
    assert_null(m);
    copse_params_free(p);
    copse_table_free(t);
}

static void weights_that_are_none_are_refused(void **state) {
    (void)state;
    copse_error err = {0};
    copse_model *m = NULL;
    refuse_weights((const double[MIXED]){1, 2, NAN, 4, 5, 6}, 3,
                   "row 3: the weight 'w' is missing: fill it in or leave the row out");
    refuse_weights((const double[MIXED]){1, 2, 3, -4, 5, 6}, 4,
                   "row 4: the weight 'w' is -4: weights are numbers, 0 or from 1e-30 to 1e30");
    refuse_weights((const double[MIXED]){1e300, 2, 3, 4, 5, 6}, 1,
                   "row 1: the weight 'w' is 1e+300: weights are numbers, 0 or from 1e-30 to 1e30");
    refuse_weights((const double[MIXED]){1, 1e-31, 3, 4, 5, 6}, 2,
                   "row 2: the weight 'w' is 1e-31: weights are numbers, 0 or from 1e-30 to 1e30");
    refuse_weights((const double[MIXED]){1, 2, 3, 4, 5, INFINITY}, 6,
                   "row 6: the weight 'w' is inf: weights are numbers, 0 or from 1e-30 to 1e30");
    refuse_weights((const double[MIXED]){0}, 0, "every weight in 'w' is 0: no row counts");
    copse_table *t = mixed(mixed_y);
    copse_params *p = params("2", "exact");
    assert_int_equal(copse_fit(t, &(copse_roles){.target = "target", .weights = "w"}, p, NULL, &m, &err),
                     COPSE_E_USAGE);
    copse_params_free(p);
    must(cp_param_new(&toy_method, &p, &err), err);
    assert_int_equal(copse_fit(t, &(copse_roles){.target = "target", .weights = "c"}, p, NULL, &m, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "the weights 'c' are text: they must be numbers");
    copse_params_free(p);
    copse_table_free(t);
}

static void a_part_of_the_rows_has_its_own_weights(void **state) {
    (void)state;
    const float x[] = {1, 2, 3};
    const double y[] = {4, 5, 6}, weight[] = {7, 8, 9};
    cp_rows rows = {.n = 3, .dims = 1, .x = x, .y = y, .weight = weight}, part = cp_rows_slice(&rows, 1, 2);
    assert_true(part.n == 2 && part.x[0] == 2 && part.y[0] == 5 && part.weight[0] == 8);
}

static void the_mean_has_a_distribution_of_its_own(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = mixed(NULL);
    copse_model *m = toy_model(t, &roles);
    copse_prediction *y = NULL, *f = NULL;
    must(copse_predict(m, t, &(copse_predict_options){.n = MIXED}, NULL, &y, &err), err);
    must(copse_predict(m, t, &(copse_predict_options){.n = MIXED, .of_mean = 1}, NULL, &f, &err), err);
    double between = 1.5 * sqrt(2. / 3); /* sd of 1.5, 3, 4.5 */
    assert_near(copse_prediction_mean(f, 0), 3, 1e-12);
    assert_near(copse_prediction_sd(f, 0), between, 1e-9);
    assert_near(copse_prediction_sd(y, 0), sqrt(between * between + .25), 1e-9);
    for (int32_t tree = 0; tree < TOY_TREES; tree++) {
        cp_answer a;
        cp_model_query q = {.table = t, .first = 3, .n = 2, .one_tree = 1, .tree = tree};
        must(cp_model_predict(m, &q, NULL, &a, &err), err);
        assert_near(cp_mixture_mean(cp_answer_mixture(&a, 0)), 3 * (tree + 1), 1e-12);
        assert_near(cp_mixture_mean(cp_answer_mixture(&a, 1)), 4 * (tree + 1) + 10, 1e-12);
        cp_answer_clear(&a);
    }
    copse_prediction_free(y);
    copse_prediction_free(f);
    copse_model_free(m);
    copse_params *p = params("2", "exact");
    m = fit(t, p, 1);
    assert_false(copse_model_has_draws(m));
    assert_int_equal(copse_predict(m, t, &(copse_predict_options){.n = 1, .of_mean = 1}, NULL, &f, &err),
                     COPSE_E_USAGE);
    assert_string_equal(err.msg, "method mondrian has no distribution of the mean, only of y");
    copse_params_free(p);
    copse_model_free(m);
    copse_table_free(t);
}

static void classes_have_no_mean(void **state) {
    (void)state;
    copse_error err;
    copse_table *all = mixed(NULL), *t = slice(all, 3, 3);
    copse_model *m = toy_model(t, &(copse_roles){.target = "c"});
    copse_prediction *p = NULL;
    assert_int_equal(copse_predict(m, t, &(copse_predict_options){.n = 1, .of_mean = 1}, NULL, &p, &err),
                     COPSE_E_USAGE);
    assert_string_equal(err.msg, "method toy has no draws of the probabilities of classes of 'c', only their mean");
    copse_model_free(m);
    copse_table_free(t);
    copse_table_free(all);
}

/* A file whose schema knows more levels than its trees would have them looked up beyond the end of a set. */
static void a_schema_with_other_levels_than_the_trees_is_refused(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = mixed(NULL);
    copse_params *p = NULL;
    copse_model *m = NULL, *back = NULL;
    unsigned char *bytes;
    size_t n;
    must(copse_params_new("cart", &p, &err), err);
    must(copse_fit(t, &roles, p, NULL, &m, &err), err);
    image_of(m, 0, &bytes, &n);
    must(cp_model_file_read(bytes, n, &back, &err), err);
    copse_model_free(back);
    free(bytes);
    for (int32_t id, i = 0; i < 40; i++) {
        char level[8];
        int length = snprintf(level, sizeof level, "L%d", i);
        must(cp_dict_add(&m->schema->feature[1].levels, level, (size_t)length, &id, &err), err);
    }
    image_of(m, 0, &bytes, &n);
    assert_int_equal(cp_model_file_read(bytes, n, &back, &err), COPSE_E_MODEL);
    assert_non_null(strstr(err.msg, "its categories do not fit its trees"));
    assert_null(back);
    free(bytes);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
}

typedef struct text {
    char at[4096];
    size_t n;
} text;

static copse_status collect(void *arg, const char *bytes, size_t n) {
    text *t = arg;
    assert_true(t->n + n < sizeof t->at);
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
    return COPSE_OK;
}

static void splits_of_categories_are_listed(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = mixed(NULL);
    copse_model *m = toy_model(t, &roles);
    text listing = {.n = 0}, json = {.n = 0};
    must(copse_model_write_tree(m, 0, "text", collect, &listing, &err), err);
    assert_string_equal(listing.at,
                        "c in {blue, green} or missing\n  x <= 1 or missing\n    7 rows\n    7 rows\n  7 rows\n");
    must(copse_model_write_tree(m, 0, "json", collect, &json, &err), err);
    assert_non_null(strstr(json.at, "\"features\":[\"x\",\"c\"],\"levels\":[null,[\"blue\",\"red\",\"green\"]]"));
    assert_non_null(strstr(json.at, "\"scale\":[{\"min\":0,\"max\":1},{\"min\":0,\"max\":1}]"));
    assert_non_null(strstr(json.at,
                           "\"nodes\":[{\"feature\":1,\"levels\":[0,2],\"missing\":\"left\"},"
                           "{\"feature\":0,\"cut\":1,\"missing\":\"left\"}]"));
    copse_model_free(m);
    copse_table_free(t);
}

/* Rows of a table, which forests take as key blocks where they can, are answered as if they had been encoded before. */
static void assert_answered_as_encoded(const copse_model *m, const copse_table *t, size_t first) {
    copse_error err;
    cp_answer a, b;
    size_t n = t->rows - first, per_row;
    float *x = malloc(n * m->schema->dims * sizeof *x);
    must(cp_schema_encode(m->schema, (cp_table_rows){t, first, n}, x, &err), err);
    cp_rows rows = cp_model_rows(m, x, n);
    copse_run whole = {.threads = 1}, cut = {.threads = first ? 2 : 1}; /* two: smaller blocks */
    must(cp_model_predict(m, &(cp_model_query){.table = t, .first = first, .n = n}, &cut, &a, &err), err);
    must(cp_model_predict(m, &(cp_model_query){.rows = &rows, .n = n}, &whole, &b, &err), err);
    if (m->schema->task == COPSE_CLASS) assert_memory_equal(a.probs, b.probs, n * a.classes * sizeof *a.probs);
    per_row = m->schema->task == COPSE_CLASS ? 0 : a.per_row;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < per_row; k++)
            assert_memory_equal(cp_answer_gauss(&a, i, k), cp_answer_gauss(&b, i, k), sizeof(cp_gauss));
    cp_answer_clear(&a);
    cp_answer_clear(&b);
    free(x);
}

static copse_table *wide(size_t rows, size_t dims, copse_task task) {
    copse_error err;
    copse_table *t = NULL;
    char name[24];
    double *x = malloc(rows * sizeof *x), *y = calloc(rows, sizeof *y);
    must(copse_table_new(rows, &t, &err), err);
    for (size_t d = 0; d < dims; d++) {
        for (size_t i = 0; i < rows; i++) x[i] = (double)((i * (2 * d + 7) + d * d) % 1009) - 500;
        for (size_t i = 0; i < rows; i++) y[i] += d + 3 > dims ? x[i] * (double)(1 + d % 2) : 0;
        snprintf(name, sizeof name, "x%zu", d);
        must(copse_table_add_numbers(t, name, x, &err), err);
    }
    for (size_t i = 0; i < rows; i++) y[i] = task == COPSE_CLASS ? (double)(y[i] > 0) + (double)(y[i] > 300) : y[i];
    must(copse_table_add_numbers(t, "target", y, &err), err);
    free(x);
    free(y);
    return t;
}

static void tables_are_answered_like_encoded_rows(void **state) {
    (void)state;
    enum { ROWS = 8192 + 803 }; /* two blocks, and rows beyond the last key block */
    static const size_t dims[] = {1, 5, 64, 65};
    static const size_t gap[] = {0, 4001, ROWS - 1};
    for (size_t d = 0; d < COUNT(dims); d++)
        for (int task = COPSE_CLASS; task <= COPSE_REGRESS; task++) {
            copse_error err;
            copse_params *p = NULL;
            copse_table *t = wide(ROWS, dims[d], (copse_task)task), *few = slice(t, 0, 700);
            must(copse_params_new("rf", &p, &err), err);
            must(copse_params_set(p, "trees", "3", &err), err);
            copse_model *m = NULL;
            must(copse_fit(few, &(copse_roles){.target = "target", .task = (copse_task)task}, p, NULL, &m, &err), err);
            assert_int_equal(m->method->takes_key_blocks(m->state), dims[d] <= 64);
            for (size_t first = 0; first < ROWS; first = first ? first * 29 : 3)
                assert_answered_as_encoded(m, t, first);
            for (size_t g = 0; g < COUNT(gap); g++) {
                double known = t->col[dims[d] / 2].number[gap[g]];
                t->col[dims[d] / 2].number[gap[g]] = NAN;
                assert_answered_as_encoded(m, t, 0);
                t->col[dims[d] / 2].number[gap[g]] = known;
            }
            copse_model_free(m);
            copse_params_free(p);
            copse_table_free(few);
            copse_table_free(t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prequential_answers_are_those_before_learning),
        cmocka_unit_test(a_new_class_is_learnt_on_the_way),
        cmocka_unit_test(scoring_while_learning_needs_the_fast_posterior),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(a_locale_does_not_change_a_byte),
        cmocka_unit_test(a_model_read_back_predicts_the_same),
        cmocka_unit_test(rows_without_a_target_are_left_out),
        cmocka_unit_test(fit_take_gives_the_same_model_and_takes_the_table),
        cmocka_unit_test(fit_take_frees_the_table_of_a_fit_that_fails),
        cmocka_unit_test(out_of_memory_is_a_status_everywhere),
        cmocka_unit_test(out_of_memory_comes_with_advice),
        cmocka_unit_test(predicting_more_rows_allocates_no_more),
        cmocka_unit_test(raw_methods_are_given_everything_as_it_is),
        cmocka_unit_test(weights_that_are_none_are_refused),
        cmocka_unit_test(a_part_of_the_rows_has_its_own_weights),
        cmocka_unit_test(the_mean_has_a_distribution_of_its_own),
        cmocka_unit_test(classes_have_no_mean),
        cmocka_unit_test(a_schema_with_other_levels_than_the_trees_is_refused),
        cmocka_unit_test(splits_of_categories_are_listed),
        cmocka_unit_test(tables_are_answered_like_encoded_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
