/* Which rows are held out together, against rows whose groups are known. */
#include "sample.h"

#include "base/mem.h"
#include "method/holdout.h"
#include "method/row_groups.h"

enum { DISTINCT = 300, DIMS = 3, MOST = 20 };

static cp_row_groups first_groups_of(const cp_rows *rows, size_t least, size_t wanted) {
    copse_error err;
    cp_row_groups g;
    uint32_t *row = malloc(rows->n * sizeof *row);
    for (size_t i = 0; i < rows->n; i++) row[i] = (uint32_t)i;
    must(cp_row_groups_init(&g, rows, &(cp_row_groups_ask){row, rows->n, least, wanted, 7}, &err), err);
    free(row);
    return g;
}

static cp_row_groups groups_of(const cp_rows *rows, size_t least) {
    cp_row_groups g = first_groups_of(rows, least, 0);
    /* Each row is in one group. */
    uint8_t *seen = calloc(rows->n, 1);
    assert_int_equal(g.rows, rows->n);
    assert_int_equal(g.start[0], 0);
    assert_int_equal(g.start[g.groups], rows->n);
    for (size_t k = 0; k < g.groups; k++) assert_true(g.start[k] < g.start[k + 1]);
    for (size_t i = 0; i < rows->n; i++) seen[g.row[i]]++;
    for (size_t i = 0; i < rows->n; i++) assert_int_equal(seen[i], 1);
    free(seen);
    return g;
}

/* The rows of `s`, row i of them `times[i]` times, in another order; `from` is the row that each came from. */
static sample repeated(const sample *s, const size_t *times, uint32_t **out_from) {
    sample r = {0};
    size_t n = 0, dims = s->rows.dims, at = 0;
    for (size_t i = 0; i < s->rows.n; i++) n += times[i];
    r.x = malloc(n * dims * sizeof *r.x);
    r.y = malloc(n * sizeof *r.y);
    r.label = malloc(n * sizeof *r.label);
    *out_from = malloc(n * sizeof **out_from);
    for (size_t copy = 0; copy < MOST; copy++)
        for (size_t i = s->rows.n; i-- > 0;) {
            if (copy >= times[i]) continue;
            memcpy(r.x + at * dims, s->x + i * dims, dims * sizeof *r.x);
            r.y[at] = s->y[i];
            r.label[at] = s->label[i];
            (*out_from)[at++] = (uint32_t)i;
        }
    r.rows = s->rows;
    r.rows.n = n;
    r.rows.x = r.x;
    if (s->rows.y) r.rows.y = r.y;
    if (s->rows.label) r.rows.label = r.label;
    return r;
}

static void copies_stay_together_and_change_no_order(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("copies", DISTINCT, DIMS, classes, 0);
        size_t times[DISTINCT];
        uint32_t *from;
        for (size_t i = 0; i < DISTINCT; i++) times[i] = 1 + i * 13 % MOST;
        sample r = repeated(&s, times, &from);
        cp_row_groups once = groups_of(&s.rows, 2), often = groups_of(&r.rows, 2);
        assert_int_equal(once.groups, DISTINCT);
        assert_int_equal(often.groups, DISTINCT);
        for (size_t k = 0; k < DISTINCT; k++) {
            assert_int_equal(often.start[k + 1] - often.start[k], times[once.row[k]]);
            for (size_t i = often.start[k]; i < often.start[k + 1]; i++)
                assert_int_equal(from[often.row[i]], once.row[k]);
        }
        cp_row_groups_clear(&once);
        cp_row_groups_clear(&often);
        free(from);
        free_sample(&s);
        free_sample(&r);
    }
}

/* Copies in which a last digit was changed belong together if they have the same number; classes say too little. */
static void near_copies_stay_together(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("near", DISTINCT, DIMS, classes, 0);
        size_t times[DISTINCT];
        uint32_t *from;
        for (size_t i = 0; i < DISTINCT; i++) times[i] = 3;
        sample r = repeated(&s, times, &from);
        for (size_t i = 0; i < r.rows.n; i++) r.x[i * DIMS + i % DIMS] *= 1 + (float)(i / DISTINCT) * 1e-6f;
        cp_row_groups g = groups_of(&r.rows, 2);
        if (classes) {
            assert_true(g.groups > 2 * DISTINCT);
        } else {
            assert_true(g.groups >= DISTINCT && g.groups <= DISTINCT + 6); /* some are divided by a rounding */
            for (size_t k = 0; k < g.groups; k++)
                for (size_t i = g.start[k]; i < g.start[k + 1]; i++)
                    assert_int_equal(from[g.row[i]], from[g.row[g.start[k]]]);
            for (size_t i = 0; i < r.rows.n; i++) r.y[i] += (double)i;
            cp_row_groups other = groups_of(&r.rows, 2);
            assert_true(other.groups > 2 * DISTINCT);
            cp_row_groups_clear(&other);
        }
        cp_row_groups_clear(&g);
        free(from);
        free_sample(&s);
        free_sample(&r);
    }
}

/* Replicates of a continuous x are one group, though their targets differ. */
static void replicates_stay_together(void **state) {
    (void)state;
    sample s = make_sample("replicates", DISTINCT, DIMS, 0, 0);
    size_t times[DISTINCT];
    uint32_t *from;
    for (size_t i = 0; i < DISTINCT; i++) times[i] = 10;
    sample r = repeated(&s, times, &from);
    for (size_t i = 0; i < r.rows.n; i++) r.y[i] += (double)i;
    cp_row_groups g = groups_of(&r.rows, 2);
    assert_int_equal(g.groups, DISTINCT);
    cp_row_groups_clear(&g);
    free(from);
    free_sample(&s);
    free_sample(&r);
}

/* A table of few different x: new rows repeat them, so other rows of that x need not be held out with a row. */
static void rows_of_few_different_x_are_held_out_alone(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    static const uint32_t levels[DIMS] = {4, 0, 4};
    uint32_t *from;
    size_t three[ROWS];
    for (size_t i = 0; i < ROWS; i++) three[i] = 3;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("table", ROWS, DIMS, classes, 4);
        for (size_t i = 0; i < ROWS * DIMS; i++) s.x[i] = floorf(s.x[i] * 4);
        for (size_t i = 0; classes && i < ROWS; i++) s.label[i] = (int32_t)(i * 7 % 11 % 3);
        s.rows.levels = levels;
        sample r = repeated(&s, three, &from);
        cp_row_groups once = groups_of(&s.rows, 2), often = groups_of(&r.rows, 2);
        assert_int_equal(once.groups, ROWS);
        assert_int_equal(often.groups, classes ? 3 * ROWS : ROWS); /* equal numbers are copies, equal classes are not */
        cp_row_groups_clear(&once);
        cp_row_groups_clear(&often);
        /* Where x tells the class, copies could explain everything: equal x stay together. */
        if (classes) {
            for (size_t i = 0; i < ROWS; i++) s.label[i] = (int32_t)s.x[i * DIMS] % 3;
            once = groups_of(&s.rows, 2);
            assert_int_equal(once.groups, 64);
            cp_row_groups_clear(&once);
        }
        free(from);
        free_sample(&s);
        free_sample(&r);
    }
}

static void groups_are_as_many_as_needed(void **state) {
    (void)state;
    enum { ROWS = 40 };
    sample s = make_sample("one x", ROWS, 1, 0, 0);
    for (size_t i = 0; i < ROWS; i++) s.x[i] = i % 3 ? i % 3 == 1 ? -0.0f : 0.0f : NAN;
    for (size_t i = 0; i < ROWS; i++) s.y[i] = i % 3 ? 1 : 2;
    cp_row_groups g = groups_of(&s.rows, 2);
    assert_int_equal(g.groups, 2); /* 0 is -0, and NaN is NaN */
    cp_row_groups_clear(&g);
    g = groups_of(&s.rows, 3);
    assert_int_equal(g.groups, ROWS);
    cp_row_groups_clear(&g);
    for (size_t i = 0; i < ROWS; i++) s.y[i] = (double)i;
    g = groups_of(&s.rows, 3);
    assert_int_equal(g.groups, ROWS);
    cp_row_groups_clear(&g);
    free_sample(&s);
}

/* Where few groups of many rows are wanted, they are the first ones of all, near copies included. */
static void few_groups_of_many_rows_are_the_first(void **state) {
    (void)state;
    enum { ROWS = 90000, WANTED = 3000 };
    for (size_t classes = 0; classes <= 3; classes += 3)
        for (size_t copied = 0; copied <= ROWS / 3; copied += ROWS / 3) {
            sample s = make_sample("many", ROWS, DIMS, classes, 0);
            for (size_t i = ROWS - copied; i < ROWS; i++) {
                size_t from = i - (ROWS - copied);
                for (size_t d = 0; d < DIMS; d++)
                    s.x[i * DIMS + d] = s.x[from * DIMS + d] * (1 + (float)(i % 2) * 1e-6f);
                s.y[i] = s.y[from];
            }
            cp_row_groups all = groups_of(&s.rows, 2), first = first_groups_of(&s.rows, 2, WANTED);
            assert_true(first.groups >= WANTED && first.groups < ROWS / 4);
            for (size_t k = 0; k <= WANTED; k++) assert_int_equal(first.start[k], all.start[k]);
            for (size_t i = 0; i < first.start[WANTED]; i++) {
                size_t found = 0;
                size_t k = 0;
                while (first.start[k + 1] <= i) k++;
                for (size_t j = all.start[k]; j < all.start[k + 1]; j++) found += all.row[j] == first.row[i];
                assert_int_equal(found, 1);
            }
            cp_row_groups_clear(&all);
            cp_row_groups_clear(&first);
            /* Too few different rows for a share: all of them are looked at. */
            for (size_t i = 0; i < ROWS * DIMS; i++) s.x[i] = floorf(s.x[i] * 10) + (float)(i % DIMS);
            for (size_t i = 0; i < ROWS; i++) s.y[i] = s.x[i * DIMS], s.label[i] = s.x[i * DIMS] > 5;
            first = first_groups_of(&s.rows, 2, WANTED);
            assert_int_equal(first.rows, ROWS);
            assert_int_equal(first.groups, 1000);
            cp_row_groups_clear(&first);
            free_sample(&s);
        }
}

static void about_so_many_rows(void **state) {
    (void)state;
    uint32_t start[] = {0, 10, 11, 15, 30};
    cp_row_groups g = {.start = start, .rows = 30, .groups = 4};
    static const size_t asked[][2] = {{0, 1}, {10, 1}, {11, 2}, {12, 2}, {13, 3}, {22, 3}, {30, 3}};
    for (size_t i = 0; i < COUNT(asked); i++) assert_int_equal(cp_row_groups_about(&g, asked[i][0]), asked[i][1]);
    g.groups = 1;
    assert_int_equal(cp_row_groups_about(&g, 30), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_stay_together_and_change_no_order),
        cmocka_unit_test(near_copies_stay_together),
        cmocka_unit_test(replicates_stay_together),
        cmocka_unit_test(rows_of_few_different_x_are_held_out_alone),
        cmocka_unit_test(groups_are_as_many_as_needed),
        cmocka_unit_test(few_groups_of_many_rows_are_the_first),
        cmocka_unit_test(about_so_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
