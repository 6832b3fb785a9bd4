/* avx2 - what the AVX2 versions of kernels have in common.  Only *_avx2.c files include it, where CP_TIER_HAS_AVX2. */
#ifndef CP_AVX2_H
#define CP_AVX2_H

#include <immintrin.h>
#include <stddef.h>

#include "kernel/tier.h"

#define AVX2 CP_TIER_FOR_AVX2

/* A mask of all ones in the first `n` of eight lanes, to read the tail of a row and not past its end. */
AVX2 static inline __m256i cp_avx2_tail(size_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

#endif
