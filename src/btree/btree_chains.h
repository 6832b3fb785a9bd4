/* btree_chains - the sampler of bcart: Markov chains in parallel; each draw of each chain has the same weight. */
#ifndef CP_BTREE_CHAINS_H
#define CP_BTREE_CHAINS_H

#include "method/sampler.h"

extern const cp_sampler cp_btree_chains;

#endif
