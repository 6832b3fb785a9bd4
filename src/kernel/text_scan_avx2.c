/* text_scan_avx2 - the AVX2 version of the kernels on text. */
#include "kernel/text_scan_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

AVX2 static uint32_t ends_32(const char *text, __m256i delimiter, uint32_t *out_other) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i above = _mm256_sub_epi8(v, _mm256_set1_epi8('0')); /* a digit is not above 9 */
    __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8(9)), above);
    __m256i found = _mm256_cmpeq_epi8(v, delimiter);
    __m256i line =
        _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\r')));
    __m256i end = _mm256_or_si256(line, _mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
    *out_other = ~(uint32_t)_mm256_movemask_epi8(_mm256_or_si256(digit, found));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(found, end));
}

AVX2 static uint64_t ends_avx2(const char *text, char delimiter, uint64_t *out_other) {
    uint32_t other[2];
    __m256i d = _mm256_set1_epi8(delimiter);
    uint64_t low = ends_32(text, d, &other[0]), high = ends_32(text + 32, d, &other[1]);
    *out_other = other[0] | (uint64_t)other[1] << 32;
    return low | high << 32;
}

/* One permutation moves the bytes to the top, brings in leading zeros and leaves out the point. */
AVX2 static int digits_avx2(const char *text, size_t n, uint64_t *out) {
    static const signed char slide[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15};
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)text), _mm_set1_epi8('0'));
    __m128i is_point = _mm_cmpeq_epi8(v, _mm_set1_epi8('.' - '0'));
    unsigned behind = 1u << n, points = (unsigned)_mm_movemask_epi8(is_point) & (behind - 1);
    unsigned whole = (unsigned)__builtin_ctz(points | behind);
    size_t digits = n - (points != 0);
    __m128i from = _mm_loadu_si128((const __m128i *)(const void *)(slide + digits));
    from = _mm_sub_epi8(from,
                        _mm_cmpgt_epi8(from, _mm_set1_epi8((char)(whole - 1)))); /* from the point on, the next byte */
    v = _mm_shuffle_epi8(v, from);
    unsigned good = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
    if (good != 0xffff || !digits) return -1;
    __m128i pairs = _mm_maddubs_epi16(v, _mm_set1_epi16(10 | 1 << 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
    __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *out = (uint32_t)both * UINT64_C(100000000) + (both >> 32);
    return (int)(n - whole);
}

static const cp_text_scan avx2 = {
    .ends = ends_avx2,
    .digits = digits_avx2,
};

const cp_text_scan *cp_text_scan_avx2(void) {
    return &avx2;
}

#else

const cp_text_scan *cp_text_scan_avx2(void) {
    return NULL;
}

#endif
