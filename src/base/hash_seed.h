/* hash_seed - a number that nobody can guess, for hash tables whose keys come from untrusted data and for names of
 * temporary files.  It must not influence a result: the randomness of results comes from num/rng.h. */
#ifndef CP_HASH_SEED_H
#define CP_HASH_SEED_H

#include <stdint.h>

uint64_t cp_hash_seed(void);

#endif
