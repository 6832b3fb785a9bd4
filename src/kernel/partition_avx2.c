/* partition_avx2 - the AVX2 version of the kernel that divides a list of rows. */
#include "kernel/partition_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* pick[which]: the bytes of those of four keys whose bits are set in `which`, in their order. */
static const uint8_t pick[16][16] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},       {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},       {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0},
    {8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},     {0, 1, 2, 3, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0},
    {4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0},     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0},
    {12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},   {0, 1, 2, 3, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0},
    {4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0},   {0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0},
    {8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0},
    {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
};

AVX2 static inline __m128i picked(__m128i four, unsigned which) {
    return _mm_shuffle_epi8(four, _mm_loadu_si128((const __m128i *)pick[which]));
}

/* Four keys at a time.  Four are written to either side; the next write overwrites those that do not belong there. */
AVX2 static void partition_avx2(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right) {
    size_t i = 0, left = 0;
    for (; i + 4 <= n; i += 4) {
        const __m128i four = _mm_loadu_si128((const __m128i *)(key + i));
        unsigned which = side[key[i + 3] & 0xffff];
        which = 2 * which + side[key[i + 2] & 0xffff];
        which = 2 * which + side[key[i + 1] & 0xffff];
        which = 2 * which + side[key[i] & 0xffff];
        _mm_storeu_si128((__m128i *)(key + left), picked(four, which));
        _mm_storeu_si128((__m128i *)(right + (i - left)), picked(four, 15 - which));
        left += (size_t)_mm_popcnt_u32(which);
    }
    for (; i < n; i++) {
        uint32_t k = key[i];
        key[left] = right[i - left] = k;
        left += side[k & 0xffff];
    }
}

cp_partition_fn cp_partition_avx2(void) {
    return partition_avx2;
}

#else

cp_partition_fn cp_partition_avx2(void) {
    return NULL;
}

#endif
