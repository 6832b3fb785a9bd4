#include "check.h"

#include "base/mem.h"
#include "bo/target_transform.h"
#include "num/rng.h"

enum { MOST = 50 };

static cp_target_transform by(const double *objective, size_t n) {
    copse_error err;
    cp_target_transform t = {0};
    double *own;
    must(CP_RAW(own, n, &err), err);
    memcpy(own, objective, n * sizeof *own);
    cp_target_transform_fit(&t, own, n);
    return t;
}

/* Few of them differ where there are many, so that there are ties. */
static size_t draw(cp_rng *rng, double *objective) {
    size_t n = 1 + (size_t)cp_rng_below(rng, MOST);
    for (size_t i = 0; i < n; i++) objective[i] = (double)cp_rng_below(rng, 40) / 4 - 5;
    return n;
}

/* The definition, by counting: with s sorted, q its (n + 3) / 4-th (or last), m its last, r the mean place from the top
 * among equals, half of max(0, w - q) / (m - q) and half of log((n + 1.5) / (r + 1)) / log((n + 1.5) / 2). */
static double by_hand(const double *objective, size_t n, double w) {
    double above = 0, equal = 0, best = -INFINITY, floor = INFINITY;
    size_t quarter = (n + 3) / 4 < n ? (n + 3) / 4 : n - 1;
    for (size_t i = 0; i < n; i++) {
        size_t not_above = 0;
        for (size_t k = 0; k < n; k++) not_above += objective[k] <= objective[i];
        if (not_above > quarter) floor = fmin(floor, objective[i]);
        above += objective[i] > w;
        equal += objective[i] == w;
        best = fmax(best, objective[i]);
    }
    double rank = above + (equal + 1) / 2, value = best > floor ? fmax(0, w - floor) / (best - floor) : 0;
    return value / 2 + log(((double)n + 1.5) / (rank + 1)) / log(((double)n + 1.5) / 2) / 2;
}

static void half_value_half_rank(void **state) {
    cp_rng rng;
    double objective[MOST];
    (void)state;
    cp_rng_init(&rng, seed_of("lesson"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 300; i++) {
        size_t n = draw(&rng, objective);
        cp_target_transform t = by(objective, n);
        for (double w = -6; w <= 6; w += .125)
            assert_near(cp_target_transform_apply(&t, w), by_hand(objective, n, w), 1e-12);
        cp_target_transform_clear(&t);
    }
}

static void better_is_never_less(void **state) {
    cp_rng rng;
    double objective[MOST];
    (void)state;
    cp_rng_init(&rng, seed_of("better"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 300; i++) {
        cp_target_transform t = by(objective, draw(&rng, objective));
        double last = CP_TARGET_TRANSFORM_MIN, top = t.objective[t.n - 1];
        for (double w = -6; w <= 6; w += .125) {
            double now = cp_target_transform_apply(&t, w);
            assert_true(now >= last && (w > top || now <= 1));
            last = now;
        }
        cp_target_transform_clear(&t);
    }
}

/* Neither the unit nor the zero of an objective matters, nor how bad its worst quarter is. */
static void units_and_cliffs_do_not_matter(void **state) {
    const double objective[] = {3, -1, 0, 2, 7, 5, 6, 1}, cliff[] = {3, -1e200, -1e9, 2, 7, 5, 6, 1};
    double other[COUNT(objective)];
    (void)state;
    for (size_t i = 0; i < COUNT(objective); i++) other[i] = 1e-7 * objective[i] + 1;
    cp_target_transform a = by(objective, COUNT(objective)), b = by(other, COUNT(objective)),
                        c = by(cliff, COUNT(objective));
    for (size_t i = 0; i < COUNT(objective); i++) {
        assert_near(cp_target_transform_apply(&a, objective[i]), cp_target_transform_apply(&b, other[i]), 1e-8);
        if (objective[i] > 0)
            assert_near(cp_target_transform_apply(&a, objective[i]), cp_target_transform_apply(&c, objective[i]),
                        1e-12);
    }
    cp_target_transform_clear(&a);
    cp_target_transform_clear(&b);
    cp_target_transform_clear(&c);
}

static void extremes_have_lessons(void **state) {
    const double one[] = {4}, wide[] = {-DBL_MAX, DBL_MAX, 0, -1, 1, DBL_MAX / 2},
                 endless[] = {-INFINITY, -INFINITY, 0, INFINITY};
    (void)state;
    cp_target_transform a = by(one, 1), b = by(wide, COUNT(wide)), c = by(endless, COUNT(endless));
    assert_near(cp_target_transform_apply(&a, 4), .5, 1e-12);
    assert_near(cp_target_transform_apply(&b, DBL_MAX), 1, 1e-12);
    for (size_t i = 0; i < COUNT(wide); i++)
        assert_true(cp_target_transform_apply(&b, wide[i]) >= 0 && cp_target_transform_apply(&b, wide[i]) <= 1);
    for (size_t i = 0; i < COUNT(endless); i++)
        assert_true(cp_target_transform_apply(&c, endless[i]) >= 0 && cp_target_transform_apply(&c, endless[i]) <= 1);
    cp_target_transform_clear(&a);
    cp_target_transform_clear(&b);
    cp_target_transform_clear(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_value_half_rank),
        cmocka_unit_test(better_is_never_less),
        cmocka_unit_test(units_and_cliffs_do_not_matter),
        cmocka_unit_test(extremes_have_lessons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
