#include "check.h"

#include "bo/grid.h"
#include "data/table.h"

/* Points of `cols` columns whose values are few, so that there are ties and equal points. */
static cp_space *points(size_t n, size_t cols, int values, cp_rng *rng) {
    copse_error err;
    copse_table *t;
    cp_space *s;
    char name[32];
    double *x = malloc(n * sizeof *x);
    must(copse_table_new(n, &t, &err), err);
    for (size_t c = 0; c < cols; c++) {
        for (size_t i = 0; i < n; i++) x[i] = values ? (double)cp_rng_below(rng, (uint64_t)values) : cp_rng_unit(rng);
        snprintf(name, sizeof name, "x%zu", c);
        must(copse_table_add_numbers(t, name, x, &err), err);
    }
    must(cp_space_of_table(t, NULL, NULL, &s, &err), err);
    copse_table_free(t);
    free(x);
    return s;
}

static double distance(const cp_grid *g, int32_t point, const float *x) {
    double sum = 0;
    for (size_t c = 0; c < g->cols; c++) sum += fabs((double)cp_grid_point(g, point)[c] - (double)x[c]);
    return sum;
}

static int32_t nearest(const cp_grid *g, const float *x) {
    int32_t best = CP_NONE;
    for (int32_t i = 0; i < (int32_t)g->n; i++)
        if (!g->taken[i] && (best == CP_NONE || distance(g, i, x) < distance(g, best, x))) best = i;
    return best;
}

/* Until none is left.  The points asked about lie in the cube, beside it, and on points of the list. */
static void takes_them_one_by_one(size_t n, size_t cols, int values, const char *name) {
    copse_error err;
    cp_rng rng;
    cp_grid g;
    float x[8];
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    cp_space *s = points(n, cols, values, &rng);
    must(cp_grid_init(&g, s, &err), err);
    for (size_t left = n; left; left--) {
        assert_int_equal(g.free, left);
        for (int k = 0; k < 5; k++) {
            const float *on = cp_grid_point(&g, (int32_t)cp_rng_below(&rng, n));
            for (size_t c = 0; c < cols; c++) x[c] = k ? (float)(1.2 * cp_rng_unit(&rng) - .1) : on[c];
            assert_int_equal(cp_grid_nearest(&g, x, SIZE_MAX), nearest(&g, x));
            int32_t hasty = cp_grid_nearest(&g, x, 1);
            assert_true(hasty != CP_NONE && !g.taken[hasty]);
        }
        int32_t drawn = cp_grid_draw(&g, &rng);
        assert_false(g.taken[drawn]);
        cp_grid_take(&g, drawn);
        cp_grid_take(&g, drawn);
    }
    assert_int_equal(cp_grid_nearest(&g, x, SIZE_MAX), CP_NONE);
    assert_int_equal(cp_grid_draw(&g, &rng), CP_NONE);
    cp_grid_clear(&g);
    cp_space_free(s);
}

static void near_ones_are_nearest(void **state) {
    (void)state;
    takes_them_one_by_one(1, 1, 0, "one");
    takes_them_one_by_one(150, 1, 0, "line");
    takes_them_one_by_one(300, 2, 0, "plane");
    takes_them_one_by_one(200, 6, 0, "many columns");
    takes_them_one_by_one(200, 3, 4, "ties");
    takes_them_one_by_one(100, 2, 1, "all equal");
}

/* Each free point alike: 20,000 draws from 10 points of which 4 are taken, by the chi-square bound with 5 degrees of
 * freedom that is exceeded once in a million. */
static void draws_are_even(void **state) {
    enum { N = 10, DRAWS = 20000 };
    copse_error err;
    cp_rng rng;
    cp_grid g;
    int count[N] = {0};
    double chi = 0;
    (void)state;
    cp_rng_init(&rng, seed_of("draws"), CP_FOR_TEST, 0, 0);
    cp_space *s = points(N, 2, 0, &rng);
    must(cp_grid_init(&g, s, &err), err);
    for (int32_t i = 0; i < 4; i++) cp_grid_take(&g, 2 * i);
    for (int i = 0; i < DRAWS; i++) count[cp_grid_draw(&g, &rng)]++;
    for (int i = 0; i < N; i++) {
        if (g.taken[i])
            assert_int_equal(count[i], 0);
        else
            chi += pow(count[i] - DRAWS / 6.0, 2) / (DRAWS / 6.0);
    }
    assert_true(chi < 35.9);
    cp_grid_clear(&g);
    cp_space_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_ones_are_nearest),
        cmocka_unit_test(draws_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
