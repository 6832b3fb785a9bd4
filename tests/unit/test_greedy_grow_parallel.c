/* Trees of many rows, whose top and branches are grown on several threads. */
#include "fitted.h"
#include "sanitized.h"

#include "base/mem.h"
#include "greedy/greedy_grow_serial.h"
#include "greedy/greedy_records.h"
#include "tree/tree_walk.h"

/* Rows enough for the nodes at the top to go to different threads.  The last column is a category with more levels than
 * there are bins, some unknown. */
static sample large_sample(size_t classes, int categories) {
    enum { ROWS = 150000, DIMS = 3 };
    static const uint32_t levels[DIMS] = {0, 0, 300};
    CP_BUG(ROWS < 2 * CP_GREEDY_GROW_SERIAL_ROWS);
    sample s = make_sample("large", ROWS, DIMS, classes, 100);
    for (size_t i = 0; categories && i < ROWS; i++) {
        float *x = &s.x[i * DIMS + 2];
        *x = i % 50 == 0 ? NAN : floorf(*x * 300);
    }
    if (categories) s.rows.levels = levels;
    return s;
}

static void threads_within_a_tree_change_no_byte(void **state) {
    (void)state;
    static const struct {
        const cp_method *method;
        const char *text;
        size_t classes;
        int categories;
    } cases[] = {{&cp_method_cart, "min-leaf=1000", 0, 1},
                 {&cp_method_cart, "min-leaf=1000", 3, 1},
                 {&cp_method_cart, "min-leaf=2000 splits=exact", 0, 1},
                 {&cp_method_ert, "trees=1 min-leaf=1000", 0, 1},
                 {&cp_method_ert, "trees=1 min-leaf=1000", 0, 0},
                 {&cp_method_rf, "trees=1 min-leaf=1000 features-per-split=2", 0, 1},
                 {&cp_method_rf, "trees=3 min-leaf=2000 features-per-split=2", 0, 1}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        const cp_method *m = cases[k].method;
        sample s = large_sample(cases[k].classes, cases[k].categories);
        copse_params *p = options_of(m, cases[k].text);
        cp_greedy *one = fit(m, &s.rows, p, 1);
        assert_true(one->forest.tree[0].leaves > 20);
        for (int threads = 2; threads <= 7; threads += 5) {
            cp_greedy *g = fit(m, &s.rows, p, threads);
            assert_same_model(m, one, g, p);
            cp_greedy_free(g);
        }
        cp_greedy_free(one);
        cp_param_free(p);
        free_sample(&s);
    }
}

static void assert_divided_alike(const cp_greedy_data *d, const cp_split *s, int threads) {
    const cp_greedy_rule rule = {.features = d->rows.dims, .min_leaf = 1};
    const cp_greedy_job job = {.rows = d->rows.n, .root = 1};
    const copse_run run = {.threads = threads};
    const size_t lo = 1001, hi = d->rows.n - 77;
    cp_greedy_records one, all;
    copse_error err;
    must(cp_greedy_records_init(&one, d, &rule, &job, NULL, &err), err);
    must(cp_greedy_records_init(&all, d, &rule, &job, NULL, &err), err);
    cp_greedy_records_cut c = {.lo = lo, .hi = hi, .split = s};
    must(cp_greedy_records_divide_parallel(&all, &c, &run, &err), err);
    assert_int_equal(c.mid, cp_greedy_records_divide(&one, lo, hi, s));
    assert_memory_equal(one.row, all.row, one.n * sizeof *one.row);
    assert_memory_equal(one.sum, all.sum, one.n * sizeof *one.sum);
    if (one.bin) assert_memory_equal(one.bin, all.bin, one.n * one.stride);
    cp_greedy_records_clear(&one);
    cp_greedy_records_clear(&all);
}

static void records_are_divided_by_all_threads_as_by_one(void **state) {
    (void)state;
    sample s = large_sample(0, 0);
    for (int binned = 0; binned < 2; binned++) {
        cp_greedy_data d;
        copse_error err;
        must(cp_greedy_grow_data_init(&d, &s.rows, binned, NULL, &err), err);
        for (uint32_t percent = 0; percent <= 100; percent += 25) {
            cp_split split = {.dim = 1, .cut = (float)percent / 100, .below = d.bins.bin ? percent : 0};
            for (int threads = 1; threads <= 5; threads += 2) assert_divided_alike(&d, &split, threads);
        }
        cp_greedy_grow_data_clear(&d);
    }
    free_sample(&s);
}

/* With a bin for each value, growing the best split first until none is left gives the same tree, by another way. */
static void a_tree_grown_apart_is_the_tree_grown_whole(void **state) {
    (void)state;
    sample s = large_sample(0, 0);
    cp_greedy *apart = fit_with(&cp_method_cart, &s.rows, "min-leaf=500");
    cp_greedy *whole = fit_with(&cp_method_cart, &s.rows, "min-leaf=500 max-leaves=100000");
    const cp_tree *a = &apart->forest.tree[0], *b = &whole->forest.tree[0];
    assert_true(a->leaves > 100);
    assert_int_equal(a->nodes, b->nodes);
    assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
    assert_memory_equal(a->value, b->value, a->leaves * sizeof *a->value);
    cp_greedy_free(apart);
    cp_greedy_free(whole);
    free_sample(&s);
}

static void assert_rows_are_in_their_leaves(const cp_tree *t, const cp_forest *f, const cp_rows *rows) {
    uint32_t *leaf = malloc(rows->n * sizeof *leaf), *count = calloc(t->leaves, sizeof *count);
    double *sum = calloc(t->leaves, sizeof *sum);
    cp_tree_rows asked = {.x = rows->x, .n = rows->n};
    cp_tree_walk_rows(t, f, &asked, leaf);
    for (size_t i = 0; i < rows->n; i++) {
        count[leaf[i]]++;
        sum[leaf[i]] += (rows->y[i] - f->centre) / f->scale;
    }
    for (size_t k = 0; k < t->leaves; k++) {
        assert_int_equal(t->value[k].rows, count[k]);
        assert_near((double)t->value[k].mean, sum[k] / count[k], 1e-6);
    }
    free(leaf);
    free(count);
    free(sum);
}

/* Small nodes of a large table take their rows' numbers along, unless some are missing. */
static void rows_are_in_the_leaves_that_random_cuts_lead_to(void **state) {
    (void)state;
    static const size_t every[] = {5000, 1000000};
    for (size_t k = 0; k < COUNT(every); k++) {
        sample s = large_sample(0, 0);
        for (size_t i = 0; i < s.rows.n; i += every[k]) s.x[i * s.rows.dims] = NAN;
        cp_greedy *g = fit_with(&cp_method_ert, &s.rows, "trees=2 min-leaf=20");
        for (size_t m = 0; m < 2; m++) {
            assert_true(g->forest.tree[m].leaves > 1000);
            assert_rows_are_in_their_leaves(&g->forest.tree[m], &g->forest, &s.rows);
        }
        cp_greedy_free(g);
        free_sample(&s);
    }
}

/* Trees grown apart; ert, which needs no bins. */
static void any_allocation_of_a_large_tree_may_fail(void **state) {
    (void)state;
    sample s = large_sample(0, 1);
    copse_params *p = options_of(&cp_method_ert, "trees=1 min-leaf=20000");
    copse_status status = COPSE_E_MEMORY;
    for (long n = 0; status; n = next_failure(n)) {
        void *forest = NULL;
        copse_error err;
        size_t live = cp_mem_live();
        cp_mem_fail_after(n);
        status = cp_method_ert.fit(&s.rows, p, &(copse_run){.threads = 2}, &forest, &err);
        cp_mem_fail_after(-1);
        if (status) assert_int_equal(status, COPSE_E_MEMORY);
        cp_greedy_free(forest);
        assert_int_equal(cp_mem_live(), live);
        assert_true(n < 500);
    }
    cp_param_free(p);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_within_a_tree_change_no_byte),
        cmocka_unit_test(records_are_divided_by_all_threads_as_by_one),
        cmocka_unit_test(a_tree_grown_apart_is_the_tree_grown_whole),
        cmocka_unit_test(rows_are_in_the_leaves_that_random_cuts_lead_to),
        cmocka_unit_test(any_allocation_of_a_large_tree_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
