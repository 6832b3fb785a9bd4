/* particle - weights of particles, kept as logarithms, and resampling [Lakshminarayanan, Roy, Teh 2013, algorithm
 * 1]. */
#ifndef CP_PARTICLE_H
#define CP_PARTICLE_H

#include <stddef.h>
#include <stdint.h>

#include "num/rng.h"

typedef enum cp_resampling {
    CP_RESAMPLE_MULTINOMIAL,
    CP_RESAMPLE_SYSTEMATIC,
    CP_RESAMPLE_RESIDUAL,
    CP_RESAMPLE_STRATIFIED
} cp_resampling;

/* log of the mean of exp(log_w): the factor of one step in the estimate of the marginal likelihood. */
double cp_particle_log_mean(const double *log_w, size_t n);
/* Effective sample size, (sum w)^2 / sum w^2: from 1 to n; 0 if all weights are 0. */
double cp_particle_ess(const double *log_w, size_t n);
/* out_parent[i], rising: the particle that the i-th new particle is a copy of.  Under every scheme particle j has
 * n w_j / sum w copies in expectation.  tmp: scratch for 2 n.  At least one log_w is above -INFINITY. */
void cp_particle_resample(cp_resampling scheme, const double *log_w, size_t n, cp_rng *rng, double *tmp,
                          uint32_t *out_parent);

#endif
