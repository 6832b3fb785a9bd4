/* Trees that are grown only where some rows go: there they are what whole trees are. */
#include "fitted.h"

#include "greedy/greedy_grow.h"
#include "greedy/greedy_grow_serial.h"
#include "tree/tree_walk.h"

enum { DIMS = 4, QUERY_ROWS = 60 };

/* With ties, missing values, and a category of more levels than there are bins, some unknown. */
static sample odd_sample(size_t rows) {
    static const uint32_t levels[DIMS] = {0, 0, 0, 300};
    sample s = make_sample("guests", rows, DIMS, 0, 0);
    for (size_t i = 0; i < rows; i++) {
        float *x = s.x + i * DIMS;
        s.y[i] += (x[0] > 0.5f ? 3 : 0) + (double)x[2];
        x[1] = floorf(20 * x[1]) / 20;
        if (i % 7 == 0) x[2] = NAN;
        x[3] = floorf(x[3] * 301);
    }
    s.rows.levels = levels;
    return s;
}

/* Every so manyth row is a query row, the others are what the tree is grown from. */
static void assert_same_for_query_rows(const cp_greedy_data *d, const cp_greedy_rule *rule, const copse_run *run) {
    size_t n = d->rows.n, every = n / QUERY_ROWS, others = 0, fewer;
    uint32_t *row = malloc(n * sizeof *row), query_row[QUERY_ROWS], again[QUERY_ROWS], leaf[2][QUERY_ROWS];
    copse_error err;
    cp_tree whole = {0}, part = {0};
    cp_forest f = {.dims = DIMS, .levels = (uint32_t[]){0, 0, 0, 300}};
    for (size_t i = 0; i < QUERY_ROWS; i++) query_row[i] = again[i] = (uint32_t)(i * every);
    for (size_t i = 0; i < n; i++)
        if (i % every || i / every >= QUERY_ROWS) row[others++] = (uint32_t)i;
    cp_greedy_job job = {.row = row, .rows = others, .root = 1};
    must(cp_greedy_grow(d, rule, &job, run, &whole, &err), err);
    job.query_row = again;
    job.query_rows = QUERY_ROWS;
    must(cp_greedy_grow(d, rule, &job, run, &part, &err), err);
    cp_tree_rows asked = {.x = d->rows.x, .row = query_row, .n = QUERY_ROWS};
    cp_tree_walk_rows(&whole, &f, &asked, leaf[0]);
    cp_tree_walk_rows(&part, &f, &asked, leaf[1]);
    for (size_t i = 0; i < QUERY_ROWS; i++)
        assert_memory_equal(&whole.value[leaf[0][i]], &part.value[leaf[1][i]], sizeof *whole.value);
    fewer = rule->max_leaves ? whole.leaves : whole.leaves / 2;
    assert_true(whole.leaves > 50 && part.leaves <= fewer);
    cp_tree_clear(&whole);
    cp_tree_clear(&part);
    free(row);
}

static void query_rows_find_what_they_would_find_in_the_whole_tree(void **state) {
    (void)state;
    sample s = odd_sample(6000);
    static const cp_greedy_rule rules[] = {{.features = DIMS, .min_leaf = 2},
                                           {.features = 1, .min_leaf = 1, .seed = 3},
                                           {.features = DIMS, .min_leaf = 2, .random_cuts = 1},
                                           {.features = DIMS, .min_leaf = 2, .max_leaves = 80}};
    for (int binned = 0; binned < 2; binned++) {
        copse_error err;
        cp_greedy_data d;
        must(cp_greedy_grow_data_init(&d, &s.rows, binned, NULL, &err), err);
        for (size_t k = 0; k < COUNT(rules); k++) assert_same_for_query_rows(&d, &rules[k], NULL);
        cp_greedy_grow_data_clear(&d);
    }
    free_sample(&s);
}

static void query_rows_of_a_tree_grown_in_parallel_too(void **state) {
    (void)state;
    sample s = odd_sample(2 * CP_GREEDY_GROW_SERIAL_ROWS + 10000);
    copse_error err;
    cp_greedy_data d;
    must(cp_greedy_grow_data_init(&d, &s.rows, 1, NULL, &err), err);
    for (int threads = 1; threads <= 3; threads += 2)
        assert_same_for_query_rows(&d, &(cp_greedy_rule){.features = DIMS, .min_leaf = 100},
                                   &(copse_run){.threads = threads});
    cp_greedy_grow_data_clear(&d);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_rows_find_what_they_would_find_in_the_whole_tree),
        cmocka_unit_test(query_rows_of_a_tree_grown_in_parallel_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
