#include "eval/folds.h"

#include <math.h>

#include "base/mem.h"
#include "num/draw.h"

/* Steps of the CP_FOR_SPLIT streams: a holdout, and folds made of the rows it leaves, share no random numbers. */
enum { STEP_FOLDS = 0, STEP_HOLDOUT = 1 };

static copse_status shuffled_rows(size_t n, cp_rng *rng, size_t **out, copse_error *err) {
    CP_TRY(CP_RAW(*out, n, err));
    for (size_t i = 0; i < n; i++) (*out)[i] = i;
    cp_draw_shuffle(rng, *out, n);
    return COPSE_OK;
}

/* Rows without a class come before class 0. */
static size_t class_slot(const cp_folds_plan *p, size_t row) {
    return p->label ? (size_t)(p->label[row] + 1) : 0;
}

/* start[k] becomes the number of rows in slots before k: where slot k begins when rows are ordered by class. */
static void count_slots(const cp_folds_plan *p, size_t *start, size_t slots) {
    for (size_t i = 0; i < p->rows; i++) start[class_slot(p, i)]++;
    size_t sum = 0;
    for (size_t k = 0; k < slots; k++) {
        size_t here = start[k];
        start[k] = sum;
        sum += here;
    }
}

/* Stratified folds: the rows are ordered by class, shuffled within each class, and assigned to the folds in turn.  A
 * class continues at the fold where the class before it stopped, which balances both classes and totals. */
copse_status cp_folds_assign(const cp_folds_plan *plan, int32_t *out_fold, copse_error *err) {
    copse_status status = COPSE_OK;
    size_t *order = NULL, *start = NULL, slots = plan->label ? plan->classes + 1 : 1;
    if (plan->folds < 2 || plan->folds > plan->rows)
        return cp_fail(err, COPSE_E_USAGE,
                       "%zu fold%s of %zu row%s cannot be: ask for 2 folds or more, and at most as many as rows",
                       plan->folds, cp_plural(plan->folds), plan->rows, cp_plural(plan->rows));
    cp_rng rng;
    cp_rng_init(&rng, plan->seed, CP_FOR_SPLIT, plan->repeat, STEP_FOLDS);
    CP_TRY_OUT(shuffled_rows(plan->rows, &rng, &order, err));
    CP_TRY_OUT(CP_NEW(start, slots, err));
    count_slots(plan, start, slots);
    for (size_t i = 0; i < plan->rows; i++)
        out_fold[order[i]] = (int32_t)(start[class_slot(plan, order[i])]++ % plan->folds);
out:
    cp_mem_free(order);
    cp_mem_free(start);
    return status;
}

copse_status cp_folds_holdout(size_t n, double share, uint64_t seed, unsigned char *out_is_test, copse_error *err) {
    if (!(share > 0 && share < 1))
        return cp_fail(err, COPSE_E_USAGE, "a holdout of %g of the rows cannot be: give a share between 0 and 1",
                       share);
    size_t test = (size_t)llround(share * (double)n);
    if (test == 0 || test >= n)
        return cp_fail(err, COPSE_E_USAGE, "a holdout of %g leaves %zu of %zu row%s to train on and %zu to test on",
                       share, n - (test < n ? test : n), n, cp_plural(n), test);
    size_t *order = NULL;
    cp_rng rng;
    cp_rng_init(&rng, seed, CP_FOR_SPLIT, 0, STEP_HOLDOUT);
    CP_TRY(shuffled_rows(n, &rng, &order, err));
    for (size_t i = 0; i < n; i++) out_is_test[order[i]] = i < test;
    cp_mem_free(order);
    return COPSE_OK;
}
