/* cv - cross-validation: every fold is predicted by a model that was fitted without it. */
#ifndef CP_CV_H
#define CP_CV_H

#include "model/model.h"

typedef struct cp_cv_plan {
    const copse_params *params; /* NULL: the default method */
    size_t folds, repeats;
    uint64_t seed;
} cp_cv_plan;

/* out has folds x repeats entries, repeat by repeat.  The roles of the columns and the task are decided once, from all
 * rows.  Everything that is learnt (ranges, medians, levels, classes) is learnt again from each fold's training rows,
 * so that nothing of a test row leaks into its model. */
copse_status cp_cv_run(const copse_table *data, const copse_roles *roles, const cp_cv_plan *plan, const copse_run *run,
                       copse_scores *out, copse_error *err);

#endif
