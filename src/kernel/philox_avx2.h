/* philox_avx2 - Philox blocks, eight at a time. */
#ifndef CP_PHILOX_AVX2_H
#define CP_PHILOX_AVX2_H

#include <stdint.h>

enum { CP_PHILOX_AVX2_BLOCKS = 16 }; /* of one call */

/* The blocks at `counter` and those of the next steps (its third word): word w of the i-th in out[w][i].  Returns 0 and
 * does nothing where the processor cannot, or where the third word would overflow. */
int cp_philox_avx2(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_PHILOX_AVX2_BLOCKS]);

#endif
