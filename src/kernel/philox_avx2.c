/* philox_avx2 - Philox blocks in AVX2. */
#include "kernel/philox_avx2.h"

#include "kernel/tier.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* Philox 4x32-10 [Salmon, Moraes, Dror and Shaw 2011]: the two multipliers, and what is added to the key each round. */
static const uint32_t multiplier[2] = {0xd2511f53, 0xcd9e8d57}, weyl[2] = {0x9e3779b9, 0xbb67ae85};
enum { ROUNDS = 10 };

/* High and low halves of eight products.  The instruction multiplies even lanes only, so odd lanes are done after
 * them. */
AVX2 static void multiply(__m256i v, __m256i by, __m256i *out_high, __m256i *out_low) {
    __m256i even = _mm256_mul_epu32(v, by), odd = _mm256_mul_epu32(_mm256_srli_epi64(v, 32), by);
    *out_high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *out_low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

AVX2 static void blocks_8(const uint32_t key[2], __m256i c[4]) {
    uint32_t k0 = key[0], k1 = key[1];
    __m256i m0 = _mm256_set1_epi32((int)multiplier[0]), m1 = _mm256_set1_epi32((int)multiplier[1]);
    for (int round = 0; round < ROUNDS; round++) {
        __m256i high0, low0, high1, low1;
        multiply(c[0], m0, &high0, &low0);
        multiply(c[2], m1, &high1, &low1);
        c[0] = _mm256_xor_si256(_mm256_xor_si256(high1, c[1]), _mm256_set1_epi32((int)k0));
        c[1] = low1;
        c[2] = _mm256_xor_si256(_mm256_xor_si256(high0, c[3]), _mm256_set1_epi32((int)k1));
        c[3] = low0;
        k0 += weyl[0];
        k1 += weyl[1];
    }
}

AVX2 static void blocks(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_PHILOX_AVX2_BLOCKS]) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t i = 0; i < CP_PHILOX_AVX2_BLOCKS; i += 8) {
        __m256i c[4];
        for (int w = 0; w < 4; w++) c[w] = _mm256_set1_epi32((int)counter[w]);
        c[2] = _mm256_add_epi32(_mm256_set1_epi32((int)(counter[2] + i)), lane);
        blocks_8(key, c);
        for (int w = 0; w < 4; w++) _mm256_storeu_si256((__m256i *)(void *)&out[w][i], c[w]);
    }
}

int cp_philox_avx2(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_PHILOX_AVX2_BLOCKS]) {
    if (!cp_tier_runs(CP_TIER_AVX2) || counter[2] > UINT32_MAX - CP_PHILOX_AVX2_BLOCKS) return 0;
    blocks(key, counter, out);
    return 1;
}

#else

int cp_philox_avx2(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4][CP_PHILOX_AVX2_BLOCKS]) {
    (void)key, (void)counter, (void)out;
    return 0;
}

#endif
