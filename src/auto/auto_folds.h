/* auto_folds - the rows that weights, factors and the gate are learnt from, and their folds.
 *
 * Rows that would tell each other's answer are in one fold (method/row_groups.h): a held-out row has no copy, or almost
 * one, among the rows that are fitted.
 */
#ifndef CP_AUTO_FOLDS_H
#define CP_AUTO_FOLDS_H

#include "method/rows.h"

typedef struct cp_auto_folds {
    size_t n, *row;       /* numbers of the rows, fold after fold */
    size_t folds, *start; /* folds+1; no fold is empty.  folds < 2: there is nothing to learn from */
} cp_auto_folds;

/* At most about `most` rows of positive weight, in at most `folds` folds. */
copse_status cp_auto_folds_init(cp_auto_folds *f, const cp_rows *rows, size_t most, size_t folds, uint64_t seed,
                                copse_error *err);
void cp_auto_folds_clear(cp_auto_folds *f);

#endif
