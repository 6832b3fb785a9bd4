/* folds - which rows test and which train: a random assignment that depends on the seed alone. */
#ifndef CP_FOLDS_H
#define CP_FOLDS_H

#include "base/fail.h"

typedef struct cp_folds_plan {
    size_t rows, folds;
    const int32_t *label; /* stratify by these; NULL: do not; CP_NONE (missing) is a class of its own */
    size_t classes;
    uint64_t seed;
    uint32_t repeat;
} cp_folds_plan;

/* out_fold[i] is the fold (0 ... folds-1) that tests row i.  Fold sizes differ by at most one, and so do the
 * counts of each class among folds.  COPSE_E_USAGE unless 2 <= folds <= rows. */
copse_status cp_folds_assign(const cp_folds_plan *plan, int32_t *out_fold, copse_error *err);

/* A holdout: out_is_test[i] is 1 for round(share * n) rows.  COPSE_E_USAGE unless both parts have a row. */
copse_status cp_folds_holdout(size_t n, double share, uint64_t seed, unsigned char *out_is_test, copse_error *err);

#endif
