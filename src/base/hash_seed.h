/* hash_seed - a number that nobody can guess, for hash tables whose keys come from strangers.  It may decide how long
 * something takes, never what comes out: what is random in a result comes from num/rng.h. */
#ifndef CP_HASH_SEED_H
#define CP_HASH_SEED_H

#include <stdint.h>

uint64_t cp_hash_seed(void);

#endif
