/* auc - the area under the ROC curve of scores that arrive one by one: the share of (positive, negative) pairs in which
 * the positive has the larger score, ties counting one half.  A pair weighs the product of its rows' weights. */
#ifndef CP_AUC_H
#define CP_AUC_H

#include "base/fail.h"

typedef struct cp_auc_row {
    double score, weight;
} cp_auc_row;

/* Rows in sorted runs whose lengths are the powers of two in n, largest first: n = 13 is a run of 8, one of 4, one of
 * 1.  Adding merges equal neighbours as a binary counter carries, so it costs O(log n) amortised, and reading needs
 * neither memory nor a sort: readers may be many. */
typedef struct cp_auc_runs {
    cp_auc_row *v, *spare; /* cap each */
    size_t n, cap, cap_spare;
    double weight; /* of all */
} cp_auc_runs;

typedef struct cp_auc {
    cp_auc_runs positive, negative;
} cp_auc;

/* Room for n more scores of either kind: after it, n calls of cp_auc_add cannot fail. */
copse_status cp_auc_reserve(cp_auc *a, size_t n, copse_error *err);
void cp_auc_add(cp_auc *a, cp_auc_row row, int positive);
/* NaN unless both kinds are there. */
double cp_auc_read(const cp_auc *a);
void cp_auc_clear(cp_auc *a);

#endif
