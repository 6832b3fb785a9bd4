/* smc_paths - everything that can happen to an island of particles, with its probability.
 *
 * The sampler is run again and again on scripted numbers.  What it does is constant between the places where a number
 * makes it do something else; those places are found by halving.  So the mean of its evidence is computed, not
 * estimated, and without knowing how the sampler draws. */
#ifndef SMC_PATHS_H
#define SMC_PATHS_H

#include "island.h"

typedef struct smc_paths {
    size_t paths, runs;
    double probability; /* of all of them: 1 */
    double z;           /* E[Z-hat] */
    double z_predicted[TINY_PLACES];
    double resamplings; /* E[how often] */
} smc_paths;

/* All ways of one island.  Systematic and stratified resampling only: the others weigh several numbers at once. */
smc_paths smc_paths_all(const island_problem *p, const cp_btree_smc_options *opt);

/* How far E[Z-hat] is from Z, or E[Z-hat prediction] from Z times the prediction, relatively; the larger. */
double smc_paths_error(const island_problem *p, const smc_paths *all);

#endif
