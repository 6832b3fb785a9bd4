/* inspect_posterior - prints the posterior over trees of a sampler: leaves, depth, features. */
#ifndef INSPECT_POSTERIOR_H
#define INSPECT_POSTERIOR_H

#include "copse.h"

/* Prints nothing for methods without weighted trees. */
copse_status inspect_posterior(const copse_model *m, const char *path, const copse_run *run, copse_error *err);

#endif
