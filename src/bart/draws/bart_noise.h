/* bart_noise - the Gibbs steps for the scalars of a sum: sigma^2 or the latent z, and the variance of leaves [Chipman,
 * George, McCulloch 2010, sections 3.1 and 4]. */
#ifndef CP_BART_NOISE_H
#define CP_BART_NOISE_H

#include "bart/draws/bart_chain_state.h"

/* Draws sigma^2 (regression) or every latent z (classes) given the trees; `sweep` keys the random numbers. */
void cp_bart_noise_draw(const cp_bart_chain *c, cp_bart_sum *s, uint64_t sweep, cp_rng *rng);
/* Draws leaf_var given all mu, if k is sampled.  Prior: leaf_var ~ 3 hyper.leaf_var / chi^2_3. */
void cp_bart_noise_draw_leaf_var(const cp_bart_chain *c, cp_bart_sum *s, cp_rng *rng);
/* log likelihood of the targets given trees and noise, z integrated out. */
double cp_bart_noise_log_likelihood(const cp_bart_chain *c, const cp_bart_sum *s);

#endif
