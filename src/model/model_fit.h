/* model_fit - fits a method to a training table. */
#ifndef CP_MODEL_FIT_H
#define CP_MODEL_FIT_H

#include "model/model.h"

/* opt_params NULL: the default method with its default options. */
copse_status cp_model_fit(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                          const copse_run *run, copse_model **out, copse_error *err);
/* The same, and *train is freed as soon as its rows are encoded, also on failure; *train becomes NULL. */
copse_status cp_model_fit_take(copse_table **train, const copse_roles *roles, const copse_params *opt_params,
                               const copse_run *run, copse_model **out, copse_error *err);

#endif
