/* btree_islands - the sampler of smc: islands of particles in parallel, averaged with equal weights or by evidence. */
#ifndef CP_BTREE_ISLANDS_H
#define CP_BTREE_ISLANDS_H

#include "method/sampler.h"

extern const cp_sampler cp_btree_islands;

#endif
