/* smc_joint - the joint test (tests/support/joint.h) of islands of particles.
 *
 * An island is not a Markov chain, but the proposal of one [Andrieu, Doucet, Holenstein 2010]: from a draw of the
 * posterior that has evidence Z, step to a tree of a new island, chosen by weight, with probability min(1, Z'/Z).  This
 * leaves the posterior as it is because islands are properly weighted, their evidence included, and would not if they
 * were not.
 *
 * The evidence of the first tree is that of an island that was bound to find it: one particle is led along the tree,
 * the others go free, and where particles are resampled some copy, any, is one of the particle led.  Before the first
 * step the tree is exchanged for one of this island, by weight, which leaves the posterior as it is too. */
#ifndef SMC_JOINT_H
#define SMC_JOINT_H

#include "btree/btree_smc.h"
#include "joint.h"

/* The largest distance of a feature's law from what it should be, as a share of the bound. */
double smc_joint_distance(world *w, const cp_btree_smc_options *opt, const char *name);

#endif
