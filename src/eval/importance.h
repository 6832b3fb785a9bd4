/* importance - how much a model's predictions depend on each feature.
 *
 * Impurity importance is the share of the training rows' impurity that the splits on a feature removed.  It needs no
 * data, but is biased towards features with many values, which offer noise many cuts.  Permutation importance is the
 * increase of the model's loss when a column is shuffled: this breaks the column's relation to the target and keeps its
 * distribution.  It needs rows with known targets, preferably rows that the model was not trained on. */
#ifndef CP_IMPORTANCE_H
#define CP_IMPORTANCE_H

#include "model/model.h"

/* out has an entry for each feature: mean and standard deviation over the trees of its share in the tree's total.
 * COPSE_E_USAGE if the method does not measure impurity. */
copse_status cp_importance_impurity(const copse_model *m, copse_importance *out, copse_error *err);

typedef struct cp_importance_plan {
    const copse_table *data; /* borrowed */
    size_t repeats;          /* shuffles of each column */
    uint64_t seed;
} cp_importance_plan;

/* The loss is the RMSE, or the log loss of classes.  *out_loss is the loss on the unchanged rows.  out has an entry for
 * each feature: the increase of the forest's loss, averaged over the shuffles, and its standard deviation.  The latter
 * is over the trees, each taken as a model of its own, if they are posterior draws; else over the shuffles (NaN for a
 * single shuffle). */
copse_status cp_importance_permute(const copse_model *m, const cp_importance_plan *plan, const copse_run *run,
                                   double *out_loss, copse_importance *out, copse_error *err);

#endif
