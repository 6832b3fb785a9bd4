/* rng_avx2 - Philox blocks, eight at a time. */
#ifndef CP_RNG_AVX2_H
#define CP_RNG_AVX2_H

#include "num/rng.h"

/* The blocks at `counter` and those of the next steps (its third word): word w of the i-th in out[w][i].  Returns 0 and
 * does nothing where the processor cannot, or where the third word would overflow. */
int cp_rng_avx2_blocks(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_RNG_SHEAF]);

#endif
