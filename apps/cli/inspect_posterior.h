/* inspect_posterior - what a sampler's trees say about trees, for people. */
#ifndef INSPECT_POSTERIOR_H
#define INSPECT_POSTERIOR_H

#include "copse.h"

/* Nothing is printed for methods without weighted trees. */
copse_status inspect_posterior(const copse_model *m, const char *path, copse_error *err);

#endif
