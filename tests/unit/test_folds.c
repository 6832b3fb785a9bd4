#include "check.h"

#include "base/mem.h"
#include "eval/folds.h"

enum { MOST = 1000 };

static void spread(const cp_folds_plan *plan, const int32_t *fold, int32_t label, size_t *out_least, size_t *out_most) {
    size_t count[MOST] = {0};
    for (size_t i = 0; i < plan->rows; i++)
        if (label == -2 || plan->label[i] == label) count[fold[i]]++;
    *out_least = SIZE_MAX;
    *out_most = 0;
    for (size_t f = 0; f < plan->folds; f++) {
        if (count[f] < *out_least) *out_least = count[f];
        if (count[f] > *out_most) *out_most = count[f];
    }
}

static void folds_are_even_in_rows_and_classes(void **state) {
    (void)state;
    copse_error err;
    int32_t label[MOST], fold[MOST];
    for (size_t rows = 2; rows < MOST; rows = rows * 5 / 3 + 1)
        for (size_t folds = 2; folds <= rows; folds = folds * 2 + 1) {
            for (size_t i = 0; i < rows; i++) label[i] = (int32_t)(i * i % 7 % 4) - 1; /* CP_NONE too, uneven */
            cp_folds_plan plan = {.rows = rows, .folds = folds, .label = label, .classes = 3, .seed = rows};
            must(cp_folds_assign(&plan, fold, &err), err);
            for (size_t i = 0; i < rows; i++) assert_in_range(fold[i], 0, folds - 1);
            for (int32_t k = -2; k < 3; k++) { /* -2: all rows */
                size_t least, most;
                spread(&plan, fold, k, &least, &most);
                assert_true(most - least <= 1);
            }
        }
}

static void folds_repeat_for_a_seed_and_differ_between_seeds_and_repeats(void **state) {
    (void)state;
    copse_error err;
    int32_t a[MOST], b[MOST];
    cp_folds_plan plan = {.rows = MOST, .folds = 10, .seed = 5};
    must(cp_folds_assign(&plan, a, &err), err);
    must(cp_folds_assign(&plan, b, &err), err);
    assert_memory_equal(a, b, sizeof a);
    plan.seed = 6;
    must(cp_folds_assign(&plan, b, &err), err);
    assert_memory_not_equal(a, b, sizeof a);
    plan.seed = 5;
    plan.repeat = 1;
    must(cp_folds_assign(&plan, b, &err), err);
    assert_memory_not_equal(a, b, sizeof a);
}

/* Over many seeds each row meets each fold equally often: 2000 seeds, 4 folds, within five standard deviations. */
static void every_row_is_equally_likely_in_every_fold(void **state) {
    (void)state;
    enum { SEEDS = 2000, ROWS = 10, FOLDS = 4 };
    copse_error err;
    static const int32_t label[ROWS] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    int count[ROWS][FOLDS] = {{0}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int32_t fold[ROWS];
        cp_folds_plan plan = {
            .rows = ROWS, .folds = FOLDS, .label = label, .classes = 2, .seed = seed_of(__func__) + seed};
        must(cp_folds_assign(&plan, fold, &err), err);
        for (int i = 0; i < ROWS; i++) count[i][fold[i]]++;
    }
    /* The first class of 5 starts at fold 0, which therefore gets two of it; the second goes on at fold 1. */
    for (int i = 0; i < ROWS; i++)
        for (int f = 0; f < FOLDS; f++) {
            double p = f == (label[i] ? 1 : 0) ? 0.4 : 0.2;
            assert_true(fabs(count[i][f] - SEEDS * p) < 5 * sqrt(SEEDS * p * (1 - p)));
        }
}

static void impossible_folds_are_refused(void **state) {
    (void)state;
    copse_error err;
    int32_t fold[4];
    cp_folds_plan plan = {.rows = 4, .folds = 5};
    assert_int_equal(cp_folds_assign(&plan, fold, &err), COPSE_E_USAGE);
    plan.folds = 1;
    assert_int_equal(cp_folds_assign(&plan, fold, &err), COPSE_E_USAGE);
}

static void holdout_has_the_asked_share(void **state) {
    (void)state;
    copse_error err;
    unsigned char test[MOST], again[MOST];
    for (double share = 0.1; share < 0.95; share += 0.1) {
        must(cp_folds_holdout(MOST, share, 3, test, &err), err);
        size_t n = 0;
        for (size_t i = 0; i < MOST; i++) n += test[i];
        assert_int_equal(n, llround(share * MOST));
    }
    must(cp_folds_holdout(MOST, 0.5, 3, test, &err), err);
    must(cp_folds_holdout(MOST, 0.5, 3, again, &err), err);
    assert_memory_equal(test, again, MOST);
    must(cp_folds_holdout(MOST, 0.5, 4, again, &err), err);
    assert_memory_not_equal(test, again, MOST);
}

static void impossible_holdouts_are_refused(void **state) {
    (void)state;
    copse_error err;
    unsigned char test[4];
    static const double shares[] = {-1, 0, 0.1, 0.9, 1, 2, NAN};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_int_equal(cp_folds_holdout(4, shares[i], 1, test, &err), COPSE_E_USAGE);
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    copse_error err;
    int32_t fold[10];
    unsigned char test[10];
    cp_folds_plan plan = {.rows = 10, .folds = 2};
    for (long k = 0; k < 2; k++) {
        cp_mem_fail_after(k);
        copse_status status = cp_folds_assign(&plan, fold, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    cp_mem_fail_after(0);
    copse_status status = cp_folds_holdout(10, 0.5, 1, test, &err);
    cp_mem_fail_after(-1);
    assert_int_equal(status, COPSE_E_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_even_in_rows_and_classes),
        cmocka_unit_test(folds_repeat_for_a_seed_and_differ_between_seeds_and_repeats),
        cmocka_unit_test(every_row_is_equally_likely_in_every_fold),
        cmocka_unit_test(impossible_folds_are_refused),
        cmocka_unit_test(holdout_has_the_asked_share),
        cmocka_unit_test(impossible_holdouts_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
