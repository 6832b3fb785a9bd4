/* importance - which features a model's predictions rest on.
 *
 * By impurity: how much of the impurity of the training rows the splits on a feature took away.  It comes with the
 * model, and flatters features with many values, which give noise many chances.  By permutation: how much worse the
 * model predicts when a column is shuffled, so that its tie to the target is broken and its values are as they were; it
 * needs rows with known targets, best unseen ones. */
#ifndef CP_IMPORTANCE_H
#define CP_IMPORTANCE_H

#include "model/model.h"

/* out has an entry for each feature: mean and standard deviation over the trees of its share in the tree's total.
 * COPSE_E_USAGE if the method does not know. */
copse_status cp_importance_impurity(const copse_model *m, copse_importance *out, copse_error *err);

typedef struct cp_importance_plan {
    size_t repeats; /* shuffles of each column */
    uint64_t seed;
} cp_importance_plan;

/* The loss is the RMSE, or the log loss of classes.  *out_loss is that of the rows as they are; out has an entry for
 * each feature: the increase of the forest's loss, averaged over the shuffles, and its standard deviation: over the
 * trees, each taken as a model of its own, where they are draws; else over the shuffles (NaN for a single one). */
copse_status cp_importance_permute(const copse_model *m, const copse_table *data, const cp_importance_plan *plan,
                                   const copse_run *run, double *out_loss, copse_importance *out, copse_error *err);

#endif
