#include "num/cut_avx2.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { STRETCH = 128 }; /* rows whose running sums are made before they are judged; a multiple of 4 */

/* Best cut so far, in each of four lanes. */
typedef struct lanes {
    __m256d quality, left;
    __m256i at;
} lanes;

/* Integers below 2^51 in size as doubles: added to the bits of 2^52 + 2^51 they are its last digits. */
AVX2 static inline __m256d to_double(__m256i v) {
    const __m256i magic = _mm256_set1_epi64x(0x4338000000000000);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(v, magic)), _mm256_castsi256_pd(magic));
}

/* All-ones in the lanes of rows i ... i+3 (in the order 0 2 1 3) whose rank differs from the next row's. */
AVX2 static inline __m256i rank_changes(const uint32_t *key) {
    __m128i a = _mm_loadu_si128((const __m128i *)key), b = _mm_loadu_si128((const __m128i *)(key + 1));
    __m128i same = _mm_cmpeq_epi32(_mm_srli_epi32(_mm_xor_si128(a, b), 16), _mm_setzero_si128());
    __m256i wide = _mm256_cvtepi32_epi64(_mm_shuffle_epi32(same, _MM_SHUFFLE(3, 1, 2, 0)));
    return _mm256_xor_si256(wide, _mm256_set1_epi64x(-1));
}

/* Judges the cuts after rows i ... i+3 from their running sums; rows from `end` on do not count. */
AVX2 static inline void judge(const cp_cut_list *l, const cp_sum *sum, size_t i, lanes *best) {
    __m256i a = _mm256_loadu_si256((const __m256i *)sum), b = _mm256_loadu_si256((const __m256i *)(sum + 2));
    const __m256d all = _mm256_set1_pd(l->weight), least = _mm256_set1_pd(l->least);
    __m256d wl = to_double(_mm256_and_si256(_mm256_unpacklo_epi64(a, b), _mm256_set1_epi64x(l->mask)));
    __m256d sl = to_double(_mm256_unpackhi_epi64(a, b)), wr = _mm256_sub_pd(all, wl);
    __m256d d = _mm256_sub_pd(sl, _mm256_mul_pd(wl, _mm256_set1_pd(l->mean)));
    __m256d q = _mm256_div_pd(_mm256_mul_pd(d, d), _mm256_mul_pd(wl, wr));
    __m256d better = _mm256_cmp_pd(q, best->quality, _CMP_GT_OQ);
    better = _mm256_and_pd(better, _mm256_castsi256_pd(rank_changes(l->key + i)));
    better = _mm256_and_pd(better, _mm256_cmp_pd(wl, least, _CMP_GE_OQ));
    better = _mm256_and_pd(better, _mm256_cmp_pd(wr, least, _CMP_GE_OQ));
    __m256i at = _mm256_add_epi64(_mm256_set1_epi64x((long long)i), _mm256_setr_epi64x(0, 2, 1, 3));
    best->quality = _mm256_blendv_pd(best->quality, q, better);
    best->left = _mm256_blendv_pd(best->left, wl, better);
    best->at = _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(best->at), _mm256_castsi256_pd(at), better));
}

/* Running sums of rows i ... end-1. */
AVX2 static inline __m128i run(const cp_cut_list *l, size_t i, size_t end, __m128i sum, cp_sum *out) {
    for (; i < end; i++) {
        sum = _mm_add_epi64(sum, _mm_loadu_si128((const __m128i *)&l->sum[l->key[i] & 0xffff]));
        _mm_storeu_si128((__m128i *)out++, sum);
    }
    return sum;
}

/* The best of the lanes; the earliest, if they are equal. */
AVX2 static size_t best_lane(const lanes *best, double *quality, double *out_left) {
    double q[4], left[4];
    long long at[4];
    size_t found = (size_t)-1;
    _mm256_storeu_pd(q, best->quality);
    _mm256_storeu_pd(left, best->left);
    _mm256_storeu_si256((__m256i *)at, best->at);
    for (int k = 0; k < 4; k++) {
        if (at[k] < 0 || q[k] < *quality || (q[k] == *quality && found != (size_t)-1 && (size_t)at[k] > found))
            continue;
        *quality = q[k];
        *out_left = left[k];
        found = (size_t)at[k];
    }
    return found;
}

AVX2 static size_t best_avx2(const cp_cut_list *l, double *quality, double *out_left) {
    cp_sum stretch[STRETCH];
    lanes best = {_mm256_set1_pd(*quality), _mm256_setzero_pd(), _mm256_set1_epi64x(-1)};
    __m128i sum = _mm_loadu_si128((const __m128i *)&l->base);
    size_t i = 0, tail = (size_t)-1;
    for (; i < l->first && i < l->end; i++)
        sum = _mm_add_epi64(sum, _mm_loadu_si128((const __m128i *)&l->sum[l->key[i] & 0xffff]));
    size_t whole = i + (l->end - i) / 4 * 4;
    while (i < whole) {
        size_t end = whole - i < STRETCH ? whole : i + STRETCH;
        sum = run(l, i, end, sum, stretch);
        for (size_t j = i; j < end; j += 4) judge(l, stretch + (j - i), j, &best);
        i = end;
    }
    size_t at = best_lane(&best, quality, out_left);
    for (; i < l->end; i++) {
        sum = run(l, i, i + 1, sum, stretch);
        double wl = (double)(stretch->w & l->mask), q = cp_cut_quality(wl, (double)stretch->s, l->weight, l->mean);
        if ((l->key[i] ^ l->key[i + 1]) < 0x10000 || !(q > *quality)) continue;
        if (wl < l->least || l->weight - wl < l->least) continue;
        *quality = q;
        *out_left = wl;
        tail = i;
    }
    return tail == (size_t)-1 ? at : tail;
}

cp_cut_fn cp_cut_avx2(void) {
    return __builtin_cpu_supports("avx2") ? best_avx2 : NULL;
}

#else

cp_cut_fn cp_cut_avx2(void) {
    return NULL;
}

#endif
