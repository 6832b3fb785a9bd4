/* How far from a leaf's mean new rows lie: by hand, and by whether intervals hold what they promise. */
#include "sample.h"

#include "base/mem.h"
#include "greedy/greedy.h"

/* ---------------------------------------------------------------------------------------------------------- by hand */

enum { ROWS = 99 };
static const double z_squared = 2.705543454095414;

/* Rows that lie on the end of their interval at c = 1/50, 2/50, ... in some order. */
static void make_unseen(cp_greedy_unseen_row *u, double between, double floor) {
    for (size_t i = 0; i < ROWS; i++) {
        double c = (double)(i * 37 % ROWS + 1) / 50, within = 1 + (double)(i % 3);
        u[i] = (cp_greedy_unseen_row){1, z_squared * (c * within + between + floor), between, within, .5};
    }
}

static double fitted(cp_greedy_unseen_row *u, size_t n, cp_greedy_votes votes) {
    cp_greedy_leaf_variance s = {.var = 1, .rows = 1, .stretch = 1, .floor = 1e-3};
    copse_error err;
    must(cp_greedy_leaf_variance_fit(&s, &(cp_greedy_unseen){u, n, 1, votes}, &err), err);
    return s.stretch;
}

static void nine_of_ten_rows_lie_within(void **state) {
    (void)state;
    cp_greedy_unseen_row u[ROWS];
    make_unseen(u, .4, 1e-3);
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_MANY), 90. / 50, 1e-12);
    for (size_t i = 0; i < ROWS; i++) u[i].weight = .25;
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_MANY), 90. / 50, 1e-12);
    /* Of 8 rows none is far enough out to be the tenth of ten. */
    assert_near(fitted(u, 8, CP_GREEDY_VOTES_MANY), 87. / 50, 1e-12);
    u[0].weight = 0;
    u[0].square = NAN;
    assert_true(isfinite(fitted(u, ROWS, CP_GREEDY_VOTES_MANY)));
}

/* Four copies of each row say no more than the rows. */
static void copies_count_as_one_row(void **state) {
    (void)state;
    cp_greedy_unseen_row u[4 * ROWS];
    for (size_t k = 0; k < 4; k++) make_unseen(u + k * ROWS, .4, 1e-3);
    cp_greedy_leaf_variance s = {.var = 1, .rows = 1, .stretch = 1, .floor = 1e-3};
    copse_error err;
    must(cp_greedy_leaf_variance_fit(&s, &(cp_greedy_unseen){u, 4 * ROWS, 4, CP_GREEDY_VOTES_MANY}, &err), err);
    assert_near(s.stretch, fitted(u, ROWS, CP_GREEDY_VOTES_MANY), 1e-12);
    /* As 4 ROWS rows they would reach for a smaller one. */
    for (size_t i = 0; i < 4 * ROWS; i++) u[i].square = z_squared * ((double)i + 1);
    must(cp_greedy_leaf_variance_fit(&s, &(cp_greedy_unseen){u, 4 * ROWS, 4, CP_GREEDY_VOTES_MANY}, &err), err);
    double grouped = s.stretch;
    must(cp_greedy_leaf_variance_fit(&s, &(cp_greedy_unseen){u, 4 * ROWS, 1, CP_GREEDY_VOTES_MANY}, &err), err);
    assert_true(s.stretch < grouped);
}

/* Leaves without a variance of their own get one that bridges the gaps between the trees. */
static void leaves_are_not_narrower_than_trees_are_apart(void **state) {
    (void)state;
    cp_greedy_unseen_row u[ROWS];
    for (size_t i = 0; i < ROWS; i++) u[i] = (cp_greedy_unseen_row){1, .1, 1, 1e-6 * .5, .5};
    cp_greedy_leaf_variance s = {.var = 1e-6, .rows = 1, .stretch = 1, .floor = 1e-9};
    copse_error err;
    must(cp_greedy_leaf_variance_fit(&s, &(cp_greedy_unseen){u, ROWS, 1, CP_GREEDY_VOTES_MANY}, &err), err);
    assert_near(s.var, .6, 1e-9); /* q = .5 v0 = .3 of 1 */
    assert_near(s.stretch, .3, 1e-12);
    for (size_t i = 0; i < ROWS; i++) assert_near(u[i].within, .3, 1e-9);
}

static void few_votes_narrow_by_rows_and_widen_by_the_mean(void **state) {
    (void)state;
    cp_greedy_unseen_row u[ROWS];
    make_unseen(u, 0, 1e-3);
    double sum = 0, within = 0;
    for (size_t i = 0; i < ROWS; i++) {
        u[i].square *= .7;
        sum += u[i].square - 1e-3;
        within += u[i].within;
    }
    double within_c = (.7 * 90. / 50), mean_c = sum / within; /* the floor apart */
    assert_true(mean_c > within_c && within_c > 1);
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_FEW), within_c, 1e-2);
    /* A sixth of the rows far out, and the mean says that c is below 1. */
    for (size_t i = 0; i < ROWS; i++) u[i].square = i % 6 ? 1e-3 : z_squared * (1.4 * u[i].within + 1e-3);
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_FEW), 1, 1e-12);
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_MANY), 1.4, 1e-12);
    for (size_t i = 0; i < ROWS; i++) u[i].square = i ? 0 : 1e4;
    assert_near(fitted(u, ROWS, CP_GREEDY_VOTES_FEW), .3, 1e-12);
    assert_rel(fitted(u, ROWS, CP_GREEDY_VOTES_ONE), 1e4 / within / 3, 1e-3);
}

static void votes_become_a_row_to_judge_by(void **state) {
    (void)state;
    static const cp_greedy_leaf_variance s = {.var = 2, .rows = 1, .stretch = 1, .floor = .5};
    static const cp_tree_value leaf[] = {{.mean = 1, .var = 4, .weight = 3}, {.mean = 4, .var = 0, .weight = 1}};
    cp_greedy_unseen_votes h = {0};
    cp_greedy_leaf_variance_add_vote(&s, &leaf[0], &h);
    cp_greedy_leaf_variance_add_vote(&s, &leaf[1], &h);
    cp_greedy_unseen_row u = cp_greedy_leaf_variance_evaluate(&h, 2, 7, 10);
    assert_near(u.weight, 7, 0);
    assert_near(u.square, .25, 1e-15);
    assert_near(u.between, 4.5 * (1 + .5 - .2), 1e-12);
    assert_near(u.within, ((3 * 4 + 2) / 4. + 2 / 2.) / 2, 1e-12);
    assert_near(u.shrunk, (1 / 4. + 1 / 2.) / 2, 1e-12);
}

/* -------------------------------------------------------------------------------------------------------- intervals */

static const cp_method *const methods[] = {&cp_method_cart, &cp_method_rf,  &cp_method_ert,
                                           &cp_method_bf,   &cp_method_ssf, &cp_method_ebf};

/* Targets that have nothing to do with the columns; the last of these is a category if `levels` is not 0. */
static void make_noise(sample *s, uint32_t *levels, const char *name) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 1, 0);
    size_t dims = s->rows.dims, last = dims - 1;
    for (size_t i = 0; i < s->rows.n; i++) {
        s->y[i] = 1e3 + cp_draw_normal(&rng);
        if (levels[last]) s->x[i * dims + last] = floorf(s->x[i * dims + last] * (float)levels[last]);
    }
    s->rows.levels = levels;
}

static void count_within(const cp_method *m, const cp_greedy *g, const cp_rows *rows, const copse_params *p,
                         double out_share[2]) {
    static const double level[2] = {.5, .9};
    copse_error err;
    cp_answer a;
    must(cp_answer_init(&a, COPSE_REGRESS, rows->n, 0, &err), err);
    must(m->predict(g, rows, p, &a, &err), err);
    out_share[0] = out_share[1] = 0;
    for (size_t i = 0; i < rows->n; i++) {
        double below = cp_mixture_cdf(cp_answer_mixture(&a, i), rows->y[i]);
        for (int k = 0; k < 2; k++) out_share[k] += fabs(2 * below - 1) <= level[k];
    }
    for (int k = 0; k < 2; k++) out_share[k] /= (double)rows->n;
    cp_answer_clear(&a);
}

/* The bounds leave room for 2000 rows asked (a standard error of .007 at .9) and for c, learnt from 800. */
static void intervals_of_noise_hold(const char *name, uint32_t level_count, double low, double high) {
    enum { TRAIN = 800, TEST = 2000, DIMS = 4 };
    sample s = make_sample(name, TRAIN + TEST, DIMS, 0, 0);
    uint32_t levels[DIMS] = {0, 0, 0, level_count};
    make_noise(&s, levels, name);
    for (size_t k = 0; k < COUNT(methods); k++) {
        copse_params *p = options_of(methods[k], methods[k] == &cp_method_cart ? "" : "trees=60");
        copse_error err;
        void *g = NULL;
        cp_rows train = s.rows, test = s.rows;
        train.n = TRAIN;
        test.n = TEST;
        test.x += (size_t)TRAIN * DIMS;
        test.y += TRAIN;
        double share[2];
        must(methods[k]->fit(&train, p, NULL, &g, &err), err);
        count_within(methods[k], g, &test, p, share);
        if (share[1] < .87 || share[1] > .93 || share[0] < low || share[0] > high)
            fail_msg("%s: intervals of 50 and 90 %% hold %.1f and %.1f %% of noise", methods[k]->info.name,
                     100 * share[0], 100 * share[1]);
        cp_greedy_free(g);
        cp_param_free(p);
    }
    free_sample(&s);
}

static void intervals_of_pure_noise_hold_what_they_promise(void **state) {
    (void)state;
    intervals_of_noise_hold("noise", 0, .46, .56);
}

/* Leaves of a level each fit noise best.  Some of them are far narrower than others, for no reason: the middle half is
 * narrower than it should be where nine of ten are right. */
static void intervals_hold_with_many_levels(void **state) {
    (void)state;
    intervals_of_noise_hold("levels", 300, .4, .56);
}

/* ---------------------------------------------------------------------------------------------------- repeated rows */

enum { SEEN = 300, NEW = 2000, COLUMNS = 4, MOST_COPIES = 20 };

/* Training rows, each as often as `times` says; the first NEW rows of `s` are others. */
static size_t repeat_rows(const sample *s, const size_t *times, float *x, double *y) {
    size_t n = 0;
    for (size_t copy = 0; copy < MOST_COPIES; copy++)
        for (size_t i = 0; i < SEEN; i++) {
            if (copy >= times[i]) continue;
            memcpy(x + n * COLUMNS, s->x + (NEW + i) * COLUMNS, COLUMNS * sizeof *x);
            y[n++] = s->y[NEW + i];
        }
    return n;
}

static double share_held(const cp_method *m, const cp_rows *train, const cp_rows *test, const char *text) {
    copse_params *p = options_of(m, text);
    copse_error err;
    double share[2];
    void *g = NULL;
    must(m->fit(train, p, NULL, &g, &err), err);
    count_within(m, g, test, p, share);
    cp_greedy_free(g);
    cp_param_free(p);
    return share[1];
}

/* Copies, however many, tell nothing of new rows.  The sine of a sum is smooth: forests are too wide rather than too
 * narrow.  With each row held out by itself, cart's intervals hold nothing where all rows are repeated. */
static void intervals_hold_where_rows_are_repeated(void **state) {
    (void)state;
    sample s = make_sample("repeated", NEW + SEEN, COLUMNS, 0, 0);
    float *x = malloc(SEEN * MOST_COPIES * COLUMNS * sizeof *x);
    double *y = malloc(SEEN * MOST_COPIES * sizeof *y);
    size_t times[SEEN];
    cp_rows test = s.rows, train = s.rows;
    test.n = NEW;
    train.x = x;
    train.y = y;
    for (size_t way = 0; way < 4; way++) {
        for (size_t i = 0; i < SEEN; i++) times[i] = way < 3 ? 1 + way : 1 + i * 7 % MOST_COPIES;
        train.n = repeat_rows(&s, times, x, y);
        for (size_t k = 0; k < COUNT(methods); k++) {
            double share = share_held(methods[k], &train, &test, methods[k] == &cp_method_cart ? "" : "trees=60");
            if (share < .83 || share > .98) fail_msg("%s, way %zu: %.3f in 90 %%", methods[k]->info.name, way, share);
        }
    }
    free(x);
    free(y);
    free_sample(&s);
}

/* Without draws, a row of weight w is w equal rows, intervals included. */
static void counts_give_the_intervals_of_copies(void **state) {
    (void)state;
    static const cp_method *const drawless[] = {&cp_method_cart, &cp_method_ert};
    sample s = make_sample("counted", NEW + SEEN, COLUMNS, 0, 0);
    float *x = malloc(SEEN * MOST_COPIES * COLUMNS * sizeof *x);
    double *y = malloc(SEEN * MOST_COPIES * sizeof *y), weight[SEEN];
    size_t times[SEEN];
    for (size_t i = 0; i < SEEN; i++) weight[i] = (double)(times[i] = 1 + i * 7 % MOST_COPIES);
    cp_rows copies = s.rows, counts = s.rows;
    copies.x = x;
    copies.y = y;
    copies.n = repeat_rows(&s, times, x, y);
    counts.x = s.x + NEW * COLUMNS;
    counts.y = s.y + NEW;
    counts.n = SEEN;
    counts.weight = weight;
    for (size_t k = 0; k < COUNT(drawless); k++) {
        copse_error err;
        void *a = NULL, *b = NULL;
        copse_params *p = options_of(drawless[k], k ? "trees=20" : "");
        must(drawless[k]->fit(&copies, p, NULL, &a, &err), err);
        must(drawless[k]->fit(&counts, p, NULL, &b, &err), err);
        const cp_greedy_leaf_variance *u = &((cp_greedy *)a)->leaf_variance, *v = &((cp_greedy *)b)->leaf_variance;
        assert_rel(u->var, v->var, 1e-6);
        assert_rel(u->stretch, v->stretch, 1e-6);
        assert_true(fabs(u->stretch - 1) > 1e-3);
        cp_greedy_free(a);
        cp_greedy_free(b);
        cp_param_free(p);
    }
    free(x);
    free(y);
    free_sample(&s);
}

/* What a file says must leave every sd above 0, in the floats that leaves keep. */
static void spreads_that_vanish_are_none(void **state) {
    (void)state;
    static const double floor[] = {1e-6, 1e-80, 1e-95, 5e-324, 0, -1, INFINITY, NAN};
    for (size_t i = 0; i < COUNT(floor); i++)
        assert_int_equal(cp_greedy_leaf_variance_check(&(cp_greedy_leaf_variance){1, 1, 1, floor[i]}), i < 2);
    assert_true(cp_greedy_leaf_variance_check(&cp_greedy_leaf_variance_none));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreads_that_vanish_are_none),
        cmocka_unit_test(nine_of_ten_rows_lie_within),
        cmocka_unit_test(copies_count_as_one_row),
        cmocka_unit_test(leaves_are_not_narrower_than_trees_are_apart),
        cmocka_unit_test(few_votes_narrow_by_rows_and_widen_by_the_mean),
        cmocka_unit_test(votes_become_a_row_to_judge_by),
        cmocka_unit_test(intervals_of_pure_noise_hold_what_they_promise),
        cmocka_unit_test(intervals_hold_with_many_levels),
        cmocka_unit_test(intervals_hold_where_rows_are_repeated),
        cmocka_unit_test(counts_give_the_intervals_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
