/* philox_avx2 - the blocks of random words of consecutive steps, eight at a time.  num/rng.c has the plain version. */
#ifndef CP_PHILOX_AVX2_H
#define CP_PHILOX_AVX2_H

#include <stdint.h>

enum { CP_PHILOX_AVX2_BLOCKS = 16 }; /* computed by one call */

/* Computes the block at `counter` and those of the next steps (its third word); out[w][i] is word w of block i.
 * Returns 0 and does nothing if the processor has no AVX2, or if the third word would overflow. */
int cp_philox_avx2(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_PHILOX_AVX2_BLOCKS]);

#endif
