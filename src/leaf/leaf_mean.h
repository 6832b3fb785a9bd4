/* leaf_mean - a mean with known noise, for residuals of a sum of trees: r ~ N(mu, noise_var/w), mu ~ N(0, leaf_var)
 * [Chipman, George, McCulloch 2010, section 2.2.3].  The statistic is (sum w, sum w r). */
#ifndef CP_LEAF_MEAN_H
#define CP_LEAF_MEAN_H

#include "leaf/leaf.h"

typedef struct cp_leaf_residual {
    const float *r, *opt_weight;
    size_t rows;
} cp_leaf_residual;

/* Both variances are > 0.  Its log marginal leaves out the log density of the rows at mu = 0: that is the same for all
 * trees, and would need a sum of squares. */
void cp_leaf_mean_init(cp_leaf *m, const cp_leaf_residual *of, double leaf_var, double noise_var);
/* The log marginal from the sums alone. */
double cp_leaf_mean_log(double leaf_var, double noise_var, double sum_w, double sum_wr);

#endif
