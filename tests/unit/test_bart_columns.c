/* Columns as what cuts can tell apart: whatever the cuts, a rule's cell and its cut send the same rows left. */
#include "check.h"
#include "ks.h"

#include "bart/core/bart_columns.h"
#include "base/mem.h"
#include "num/draw.h"

static cp_bart_columns columns_of(const float *x, size_t rows, size_t dims, cp_bart_cuts cuts, size_t per_column) {
    cp_bart_columns c;
    copse_error err;
    const cp_bart_matrix m = {x, rows, dims};
    must(cp_bart_columns_init(&c, &m, cuts, per_column, NULL, &err), err);
    return c;
}

/* Of every `step`-th cell, some cuts. */
static void check_cuts(const cp_bart_columns *c, const float *x, size_t step, cp_rng *rng) {
    const cp_ranks *r = &c->ranks;
    for (uint32_t d = 0; d < r->dims; d++) {
        size_t values = cp_ranks_count(r, d);
        assert_true(values <= 65536);
        for (size_t i = 0; i < r->rows; i++) assert_int_equal(cp_bart_columns_code(c, d)[i], cp_ranks_column(r, d)[i]);
        for (uint32_t cell = 0; cell + 1 < values; cell += (uint32_t)step)
            for (int draw = 0; draw < 5; draw++) {
                cp_rule rule = {d, cell};
                float cut = cp_bart_columns_cut(c, rule, rng);
                assert_true(cp_bart_columns_has(c, rule, cut));
                for (size_t i = 0; i < r->rows; i++)
                    assert_int_equal(x[i * r->dims + d] <= cut, cp_bart_columns_code(c, d)[i] <= cell);
            }
    }
}

/* ---------------------------------------------------------------------------------------------------------- by hand */

static void uniform_cuts_lie_anywhere_between_values(void **state) {
    (void)state;
    const float x[] = {0, 5, 3, 5, 1, 5, 3, 5};
    enum { DRAWS = 20000 };
    static double at[DRAWS];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    cp_bart_columns c = columns_of(x, 4, 2, CP_BART_CUTS_UNIFORM, 0);
    assert_int_equal(cp_ranks_count(&c.ranks, 0), 3);
    assert_int_equal(cp_ranks_count(&c.ranks, 1), 1); /* a constant column has no cell */
    check_cuts(&c, x, 1, &rng);
    size_t below = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        at[i] = (double)cp_bart_columns_cut(&c, (cp_rule){0, 1}, &rng);
        below += at[i] < 1.5;
    }
    assert_true(fabs((double)below / DRAWS - 0.25) < share_bound(DRAWS));
    assert_false(cp_bart_columns_has(&c, (cp_rule){0, 1}, 3));
    assert_false(cp_bart_columns_has(&c, (cp_rule){0, 1}, 0.99f));
    cp_bart_columns_clear(&c);
}

/* Values next to each other: no float lies between, so the cut is the lower one. */
static void cuts_between_neighbouring_floats(void **state) {
    (void)state;
    const float x[] = {1, nextafterf(1, 2), 1e30f, -1e30f};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    cp_bart_columns c = columns_of(x, 4, 1, CP_BART_CUTS_UNIFORM, 0);
    for (int i = 0; i < 100; i++) assert_true(cp_bart_columns_cut(&c, (cp_rule){0, 1}, &rng) == 1);
    check_cuts(&c, x, 1, &rng);
    cp_bart_columns_clear(&c);
}

/* Cuts at 1, 2 ... 7: rows are in bins 0 0 1 7, so ranks 0 0 1 2, and cell 1 holds six cuts. */
static void a_grid_counts_its_cuts(void **state) {
    (void)state;
    const float x[] = {0, 1, 1.5f, 8};
    size_t seen[8] = {0};
    enum { DRAWS = 20000 };
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    cp_bart_columns c = columns_of(x, 4, 1, CP_BART_CUTS_GRID, 7);
    const uint16_t want[] = {0, 0, 1, 2};
    assert_memory_equal(c.code, want, sizeof want);
    assert_true(cp_ranks_width(&c.ranks, 0, 0, 1) == 1);
    assert_true(cp_ranks_width(&c.ranks, 0, 1, 2) == 6);
    check_cuts(&c, x, 1, &rng);
    for (int i = 0; i < DRAWS; i++) seen[(size_t)cp_bart_columns_cut(&c, (cp_rule){0, 1}, &rng)]++;
    for (size_t k = 0; k < 8; k++)
        assert_true(fabs((double)seen[k] / DRAWS - (k >= 2 ? 1.0 / 6 : 0)) < share_bound(DRAWS));
    assert_true(cp_bart_columns_has(&c, (cp_rule){0, 1}, 4));
    assert_false(cp_bart_columns_has(&c, (cp_rule){0, 1}, 4.5f));
    assert_false(cp_bart_columns_has(&c, (cp_rule){0, 1}, 1));
    cp_bart_columns_clear(&c);
}

static void quantiles_lie_between_all_values_if_few(void **state) {
    (void)state;
    const float x[] = {7, 1, 3, 3, 1, 7, 7};
    cp_bart_columns c = columns_of(x, 7, 1, CP_BART_CUTS_QUANTILE, 2);
    assert_int_equal(c.start[1], 2);
    assert_true(c.edge[0] == 2 && c.edge[1] == 5);
    assert_true(cp_ranks_width(&c.ranks, 0, 0, 2) == 2);
    cp_bart_columns_clear(&c);
}

static void quantiles_part_rows_evenly(void **state) {
    (void)state;
    enum { ROWS = 1000, CUTS = 9 };
    static float x[ROWS];
    size_t in[CUTS + 1] = {0};
    for (size_t i = 0; i < ROWS; i++) x[i] = (float)(i * 7 % ROWS) * (float)(i * 7 % ROWS);
    cp_bart_columns c = columns_of(x, ROWS, 1, CP_BART_CUTS_QUANTILE, CUTS);
    assert_int_equal(c.start[1], CUTS);
    for (size_t i = 0; i < ROWS; i++) in[c.code[i]]++;
    for (size_t b = 0; b <= CUTS; b++) assert_in_range(in[b], ROWS / (CUTS + 1) - 1, ROWS / (CUTS + 1) + 1);
    cp_bart_columns_clear(&c);
}

/* One value has nearly all rows: cuts that would fall on it are one. */
static void quantiles_of_a_heap(void **state) {
    (void)state;
    enum { ROWS = 300 };
    static float x[ROWS];
    for (size_t i = 0; i < ROWS; i++) x[i] = i < 40 ? (float)i - 20 : 0.5f;
    cp_bart_columns c = columns_of(x, ROWS, 1, CP_BART_CUTS_QUANTILE, 9);
    assert_true(c.start[1] >= 2 && c.start[1] <= 9);
    for (size_t j = 1; j < c.start[1]; j++) assert_true(c.edge[j - 1] < c.edge[j]);
    cp_bart_columns_clear(&c);
}

/* ---------------------------------------------------------------------------------------------------------- made up */

static void every_kind_of_cut_on_made_up_columns(void **state) {
    (void)state;
    enum { ROWS = 300, DIMS = 6 };
    static float x[ROWS * DIMS];
    const size_t per_column[] = {1, 2, 7, 100, 1000};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < COUNT(x); i++) { /* constant, two values, few, heaped, far from 0, continuous */
        double u = cp_rng_unit(&rng);
        const double of[DIMS] = {3, u < .4, floor(9 * u), fmax(0, u - .9), 1e7 + floor(20 * u), cp_draw_normal(&rng)};
        x[i] = (float)of[i % DIMS];
    }
    cp_bart_columns c = columns_of(x, ROWS, DIMS, CP_BART_CUTS_UNIFORM, 0);
    check_cuts(&c, x, 1, &rng);
    cp_bart_columns_clear(&c);
    for (int cuts = CP_BART_CUTS_GRID; cuts <= CP_BART_CUTS_QUANTILE; cuts++)
        for (size_t k = 0; k < COUNT(per_column); k++) {
            c = columns_of(x, ROWS, DIMS, (cp_bart_cuts)cuts, per_column[k]);
            check_cuts(&c, x, 1, &rng);
            for (size_t d = 0; d < DIMS; d++) assert_true(c.start[d + 1] - c.start[d] <= per_column[k]);
            cp_bart_columns_clear(&c);
        }
}

/* More different values than codes: they share codes, in order. */
static void many_values_share_codes(void **state) {
    (void)state;
    enum { ROWS = 70000, DIMS = 2 };
    float *x = malloc(ROWS * DIMS * sizeof *x);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        x[DIMS * i] = (float)(i * 11 % ROWS) * 0.125f;
        x[DIMS * i + 1] = (float)(i % 3);
    }
    cp_bart_columns c = columns_of(x, ROWS, DIMS, CP_BART_CUTS_UNIFORM, 0);
    assert_int_equal(cp_ranks_count(&c.ranks, 0), 65536);
    assert_int_equal(cp_ranks_count(&c.ranks, 1), 3);
    check_cuts(&c, x, 9001, &rng);
    assert_true(cp_ranks_width(&c.ranks, 0, 0, 65535) > 0.999 * 0.125 * ROWS);
    cp_bart_columns_clear(&c);
    c = columns_of(x, ROWS, DIMS, CP_BART_CUTS_GRID, 65535);
    check_cuts(&c, x, 9001, &rng);
    cp_bart_columns_clear(&c);
    free(x);
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    const float x[] = {0, 1, 1.5f, 8, 3, 3};
    const cp_bart_matrix m = {x, 3, 2};
    for (int cuts = CP_BART_CUTS_UNIFORM; cuts <= CP_BART_CUTS_QUANTILE; cuts++)
        for (long k = 0;; k++) {
            cp_bart_columns c;
            copse_error err;
            cp_mem_fail_after(k);
            copse_status status = cp_bart_columns_init(&c, &m, (cp_bart_cuts)cuts, 4, NULL, &err);
            cp_mem_fail_after(-1);
            if (!status) {
                assert_true(k > 3);
                cp_bart_columns_clear(&c);
                break;
            }
            assert_int_equal(status, COPSE_E_MEMORY);
            assert_null(c.code);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_cuts_lie_anywhere_between_values),
        cmocka_unit_test(cuts_between_neighbouring_floats),
        cmocka_unit_test(a_grid_counts_its_cuts),
        cmocka_unit_test(quantiles_lie_between_all_values_if_few),
        cmocka_unit_test(quantiles_part_rows_evenly),
        cmocka_unit_test(quantiles_of_a_heap),
        cmocka_unit_test(every_kind_of_cut_on_made_up_columns),
        cmocka_unit_test(many_values_share_codes),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
