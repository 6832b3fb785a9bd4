/* auc - the area under the ROC curve of scores that are added one by one.
 *
 * The AUC is the share of (positive, negative) pairs in which the positive has the larger score; ties count one half.
 * The weight of a pair is the product of its rows' weights. */
#ifndef CP_AUC_H
#define CP_AUC_H

#include "base/fail.h"

typedef struct cp_auc_row {
    double score, weight;
} cp_auc_row;

/* Rows in sorted runs whose lengths are the powers of two in n, largest first: 13 rows are runs of 8, 4 and 1.  Adding
 * a row merges runs of equal length as a binary counter carries, which takes O(log n) amortised time.  Reading needs no
 * memory and no sort, so many threads may read at once. */
typedef struct cp_auc_runs {
    cp_auc_row *v, *spare; /* cap each */
    size_t n, cap, cap_spare;
    double weight; /* of all rows */
} cp_auc_runs;

typedef struct cp_auc {
    cp_auc_runs positive, negative;
} cp_auc;

/* Makes room for n more scores of either kind: the next n calls of cp_auc_add cannot fail. */
copse_status cp_auc_reserve(cp_auc *a, size_t n, copse_error *err);
void cp_auc_add(cp_auc *a, cp_auc_row row, int positive);
/* NaN unless there is a positive and a negative. */
double cp_auc_read(const cp_auc *a);
void cp_auc_clear(cp_auc *a);

#endif
