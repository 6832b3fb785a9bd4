/* Columns of training rows as copse_model_column shows them: against counts made from the rows themselves, for every
 * method; however rows are cut, learnt, saved and copied. */
#include "many_methods.h"

#include "data/summary.h"
#include "model/model.h"

enum { FEATURES = 4, TRAIN = 200, ALL = 320 };

/* ----------------------------------------------------------------------------------------------------------- oracle */

static void assert_numbers_counted(const copse_column *c, const copse_table *t, size_t col) {
    double min = INFINITY, max = -INFINITY;
    uint64_t count[COPSE_HISTOGRAM_BINS] = {0}, missing = 0;
    for (size_t i = 0; i < copse_table_rows(t); i++) {
        double x = copse_table_number(t, i, col);
        missing += isnan(x) ? 1 : 0;
        min = fmin(min, x);
        max = fmax(max, x);
        for (size_t k = 0; k < c->bins; k++) count[k] += x >= c->edge[k] && x < c->edge[k + 1];
    }
    assert_true(c->missing == missing && c->rows == copse_table_rows(t));
    assert_true(c->min == min && c->max == max);
    assert_in_range(c->bins, 12, COPSE_HISTOGRAM_BINS); /* a width of half as much would need more than 32 */
    assert_true(c->edge[0] <= min && max < c->edge[c->bins]);
    assert_memory_equal(c->count, count, sizeof count);
    assert_int_equal(c->levels, 0);
}

static void assert_level_counted(const copse_model *m, size_t i, size_t k, const copse_table *t, uint64_t *left) {
    copse_level level;
    uint64_t rows = 0;
    assert_int_equal(copse_model_column_level(m, i, k, &level), 1);
    for (size_t r = 0; r < copse_table_rows(t); r++) {
        const char *text = copse_table_text(t, r, i);
        rows += text && strcmp(text, level.text) == 0;
    }
    assert_true(level.rows == rows);
    *left -= rows;
}

static void assert_texts_counted(const copse_model *m, size_t i, const copse_column *c, const copse_table *t) {
    uint64_t missing = 0, left = copse_table_rows(t);
    copse_level none;
    for (size_t r = 0; r < copse_table_rows(t); r++) missing += copse_table_text(t, r, i) ? 0 : 1;
    for (size_t k = 0; k < c->levels; k++) assert_level_counted(m, i, k, t, &left);
    assert_true(c->levels && c->missing == missing && c->unseen == left - missing);
    assert_int_equal(c->bins, 0);
    assert_int_equal(copse_model_column_level(m, i, c->levels, &none), 0);
}

/* The table's columns are the features and the target, in the model's order. */
static void assert_counted(const copse_model *m, const copse_table *t) {
    for (size_t i = 0; i <= FEATURES; i++) {
        copse_column c;
        assert_int_equal(copse_model_column(m, i, &c), 1);
        assert_string_equal(c.name, copse_table_name(t, i));
        assert_int_equal(c.kind, copse_table_kind(t, i));
        if (c.kind == COPSE_NUMBER)
            assert_numbers_counted(&c, t, i);
        else
            assert_texts_counted(m, i, &c, t);
    }
    assert_true(cp_summary_check(m->summary, m->schema));
}

static void assert_same_columns(const copse_model *a, const copse_model *b) {
    for (size_t i = 0; i <= FEATURES; i++) {
        copse_column of_a = {0}, of_b = {0};
        copse_level x, y;
        assert_int_equal(copse_model_column(a, i, &of_a), 1);
        assert_int_equal(copse_model_column(b, i, &of_b), 1);
        assert_string_equal(of_a.name, of_b.name);
        of_a.name = of_b.name = NULL;
        assert_memory_equal(&of_a.kind, &of_b.kind, sizeof of_a.kind);
        assert_memory_equal(&of_a.rows, &of_b.rows, sizeof of_a - offsetof(copse_column, rows));
        for (size_t k = 0; k < of_a.levels; k++) {
            assert_int_equal(copse_model_column_level(a, i, k, &x), 1);
            assert_int_equal(copse_model_column_level(b, i, k, &y), 1);
            assert_string_equal(x.text, y.text);
            assert_true(x.rows == y.rows);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------- models */

static const copse_method_info *mondrian(void) {
    size_t i = 0;
    while (strcmp(copse_method(i)->name, "mondrian") != 0) i++;
    return copse_method(i);
}

static copse_model *reread(const copse_model *m) {
    copse_error err;
    copse_model *copy = NULL;
    must(copse_model_copy(m, NULL, &copy, &err), err);
    return copy;
}

static void learn_table(copse_model *m, size_t first, size_t n, int predict) {
    copse_error err;
    copse_prediction *p = NULL;
    copse_table *t = mixed_table(first, n, copse_model_task(m));
    if (predict)
        must(copse_update_predict(m, t, NULL, &p, &err), err);
    else
        must(copse_update(m, t, NULL, &err), err);
    copse_prediction_free(p);
    copse_table_free(t);
}

static void learn_rows(copse_model *m, size_t first, size_t n) {
    copse_error err;
    copse_row *row = NULL;
    must(copse_row_new(m, &row, &err), err);
    for (size_t i = first; i < first + n; i++) {
        mixed_row r = mixed_row_at(i);
        set_mixed_row(row, i);
        if (copse_model_task(m) == COPSE_REGRESS)
            must(copse_row_learn(row, m, r.y, &err), err);
        else
            must(copse_row_learn_class(row, m, r.label, &err), err);
    }
    copse_row_free(row);
}

/* The same rows in one table, and in pieces of every kind. */
static void assert_cut_does_not_matter(const copse_method_info *info, copse_task task) {
    copse_model *whole = mixed_model(info, task), *pieces = mixed_model(info, task), *loaded;
    copse_table *all = mixed_table(0, ALL, task);
    learn_table(whole, TRAIN, ALL - TRAIN, 0);
    learn_table(pieces, TRAIN, 1, 0);
    learn_table(pieces, TRAIN + 1, 49, task == COPSE_CLASS); /* the exact posterior of numbers refuses */
    loaded = reread(pieces);
    learn_rows(loaded, TRAIN + 50, 30);
    learn_table(loaded, TRAIN + 80, ALL - TRAIN - 80, 0);
    assert_counted(whole, all);
    assert_same_columns(whole, loaded);
    copse_table_free(all);
    copse_model_free(whole);
    copse_model_free(pieces);
    copse_model_free(loaded);
}

static void test_method(const copse_method_info *info, copse_task task) {
    copse_model *m = mixed_model(info, task);
    if (!m) return;
    copse_table *t = mixed_table(0, TRAIN, task);
    copse_model *copy = reread(m);
    assert_counted(m, t);
    assert_same_columns(m, copy);
    copse_table_free(t);
    copse_model_free(m);
    copse_model_free(copy);
    if (info->online) assert_cut_does_not_matter(info, task);
}

static void columns_are_counted(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++) {
        test_method(copse_method(i), COPSE_REGRESS);
        test_method(copse_method(i), COPSE_CLASS);
    }
}

/* Rows that are refused, or have no target, do not count. */
static void only_learnt_rows_count(void **state) {
    copse_error err;
    copse_model *m = mixed_model(mondrian(), COPSE_REGRESS), *before = reread(m);
    copse_table *t = mixed_table(TRAIN, 9, COPSE_REGRESS), *bad = NULL;
    copse_prediction *p = NULL;
    copse_row *row = NULL;
    (void)state;
    for (size_t i = 0; i < 9; i++) t->col[4].number[i] = NAN;
    must(copse_update(m, t, NULL, &err), err);
    must(copse_update_predict(m, t, NULL, &p, &err), err);
    must(copse_table_new(1, &bad, &err), err);
    assert_int_equal(copse_update(m, bad, NULL, &err), COPSE_E_DATA);
    must(copse_row_new(m, &row, &err), err);
    assert_int_equal(copse_row_learn(row, m, NAN, &err), COPSE_E_DATA);
    assert_same_columns(m, before);
    copse_row_free(row);
    copse_prediction_free(p);
    copse_table_free(t);
    copse_table_free(bad);
    copse_model_free(m);
    copse_model_free(before);
}

/* A feature that is read from the text of a column counts as the numbers it becomes. */
static void derived_features_are_counted(void **state) {
    copse_error err;
    copse_table *t = NULL;
    copse_model *m = NULL;
    copse_column c = {0};
    const char *amount[60];
    double y[60];
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        amount[i] = i % 10 == 0 ? NULL : i % 2 ? "$1,250.50" : "$3.00";
        y[i] = (double)(i % 7);
    }
    must(copse_table_new(60, &t, &err), err);
    must(copse_table_add_text(t, "amount", amount, &err), err);
    must(copse_table_add_numbers(t, "target", y, &err), err);
    copse_params *p = short_params("mondrian");
    must(copse_fit(t, &(copse_roles){.target = "target", .task = COPSE_REGRESS}, p, NULL, &m, &err), err);
    assert_int_equal(copse_model_column(m, 0, &c), 1);
    assert_int_equal(c.kind, COPSE_NUMBER);
    assert_true(c.missing == 6 && c.rows == 60 && c.min == 3 && c.max == 1250.5);
    assert_true(c.count[0] == 24 && c.count[c.bins - 1] == 30);
    copse_params_free(p);
    copse_model_free(m);
    copse_table_free(t);
}

/* A class that only updates bring. */
static void new_classes_are_counted(void **state) {
    copse_error err;
    copse_model *m = mixed_model(mondrian(), COPSE_CLASS);
    copse_row *row = NULL;
    copse_level level;
    (void)state;
    must(copse_row_new(m, &row, &err), err);
    for (int i = 0; i < 3; i++) must(copse_row_learn_class(row, m, "new", &err), err);
    copse_model *copy = reread(m);
    assert_int_equal(copse_model_column_level(copy, FEATURES, 3, &level), 1);
    assert_string_equal(level.text, "new");
    assert_true(level.rows == 3);
    assert_same_columns(m, copy);
    copse_row_free(row);
    copse_model_free(m);
    copse_model_free(copy);
}

/* As distributed fits do it: one summary of each shard, merged in any order. */
static void shards_merge(void **state) {
    copse_error err;
    copse_model *m = mixed_model(mondrian(), COPSE_CLASS);
    copse_table *t = mixed_table(0, ALL, COPSE_CLASS);
    cp_summary *whole, *part[3];
    static const size_t cut[] = {0, 100, 101, ALL};
    (void)state;
    must(cp_summary_new(m->schema, &whole, &err), err);
    for (size_t f = 0; f < FEATURES; f++) cp_summary_add(whole, m->schema, f, (cp_table_rows){t, 0, ALL});
    for (size_t k = 0; k < 3; k++) {
        must(cp_summary_new(m->schema, &part[k], &err), err);
        for (size_t f = 0; f < FEATURES; f++)
            cp_summary_add(part[k], m->schema, f, (cp_table_rows){t, cut[k], cut[k + 1] - cut[k]});
    }
    must(cp_summary_merge(part[2], part[0], &err), err);
    must(cp_summary_merge(part[2], part[1], &err), err);
    for (size_t f = 0; f < FEATURES; f++) {
        const cp_summary_column *a = &whole->column[f], *b = &part[2]->column[f];
        assert_true(a->missing == b->missing && a->unseen == b->unseen && a->counts == b->counts);
        assert_memory_equal(a->histogram.count, b->histogram.count, sizeof a->histogram.count);
        assert_true(a->histogram.min == b->histogram.min && a->histogram.max == b->histogram.max);
        if (a->counts) assert_memory_equal(a->count, b->count, a->counts * sizeof *a->count);
    }
    for (size_t k = 0; k < 3; k++) cp_summary_free(part[k]);
    cp_summary_free(whole);
    copse_table_free(t);
    copse_model_free(m);
}

/* A model of a file that has no summary learns without one. */
static void old_models_have_none(void **state) {
    copse_error err;
    copse_column c;
    copse_level level;
    copse_model *m = mixed_model(mondrian(), COPSE_CLASS);
    char with[COPSE_DIGEST_SIZE], without[COPSE_DIGEST_SIZE];
    (void)state;
    must(copse_model_digest(m, NULL, with, &err), err);
    cp_summary_free(m->summary);
    m->summary = NULL;
    must(copse_model_digest(m, NULL, without, &err), err);
    assert_string_equal(with, without);
    copse_model *old = reread(m);
    learn_table(old, TRAIN, 20, 0);
    learn_table(old, TRAIN + 20, 20, 1);
    learn_rows(old, TRAIN + 40, 5);
    assert_int_equal(copse_model_column(old, 0, &c), 0);
    assert_int_equal(copse_model_column_level(old, 1, 0, &level), 0);
    must(copse_model_check(old, NULL, &err), err);
    copse_model_free(m);
    copse_model_free(old);
}

static void misuse_gives_0(void **state) {
    copse_column c;
    copse_level level;
    copse_model *m = mixed_model(mondrian(), COPSE_REGRESS);
    (void)state;
    assert_int_equal(copse_model_column(NULL, 0, &c), 0);
    assert_int_equal(copse_model_column(m, 0, NULL), 0);
    assert_int_equal(copse_model_column(m, FEATURES + 1, &c), 0);
    assert_int_equal(copse_model_column_level(m, 0, 0, &level), 0); /* numbers */
    assert_int_equal(copse_model_column_level(m, 1, 0, NULL), 0);
    copse_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_counted),          cmocka_unit_test(only_learnt_rows_count),
        cmocka_unit_test(new_classes_are_counted),      cmocka_unit_test(shards_merge),
        cmocka_unit_test(old_models_have_none),         cmocka_unit_test(misuse_gives_0),
        cmocka_unit_test(derived_features_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
