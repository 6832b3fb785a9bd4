/* leaf_dirichlet - labels given class probabilities that are Dirichlet(alpha/K, ..., alpha/K) [Lakshminarayanan, Roy,
 * Teh 2013, eq. 3].  The statistic is the count of each class. */
#ifndef CP_LEAF_DIRICHLET_H
#define CP_LEAF_DIRICHLET_H

#include "leaf/leaf.h"

/* alpha > 0, classes >= 1. */
copse_status cp_leaf_dirichlet_init(cp_leaf *m, const int32_t *label, size_t rows, size_t classes, double alpha,
                                    copse_error *err);
/* Adds the posterior predictive: out_probs[k] += weight * p_k. */
void cp_leaf_dirichlet_predict(const cp_leaf *m, const double *stat, double weight, double *out_probs);

#endif
