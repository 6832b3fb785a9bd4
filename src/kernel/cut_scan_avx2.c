/* cut_scan_avx2 - the AVX2 version of the kernel that finds the best cut. */
#include "kernel/cut_scan_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* The best cut so far in each of four lanes. */
typedef struct lanes {
    __m256d quality, left;
    __m256i at;
} lanes;

/* The row of four that each lane holds. */
AVX2 static inline __m256i order(void) {
    return _mm256_setr_epi64x(0, 2, 1, 3);
}

/* Converts integers below 2^51 in size to doubles: added to the bits of 2^52 + 2^51 they are its low bits. */
AVX2 static inline __m256d to_double(__m256i v) {
    const __m256i magic = _mm256_set1_epi64x(0x4338000000000000);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(v, magic)), _mm256_castsi256_pd(magic));
}

/* All ones in the lanes of those of four rows whose rank equals that of the next row. */
AVX2 static inline __m256d rank_stays(const uint32_t *key) {
    __m128i a = _mm_loadu_si128((const __m128i *)key), b = _mm_loadu_si128((const __m128i *)(key + 1));
    __m128i same = _mm_cmpeq_epi32(_mm_srli_epi32(_mm_xor_si128(a, b), 16), _mm_setzero_si128());
    return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_shuffle_epi32(same, _MM_SHUFFLE(3, 1, 2, 0))));
}

/* Running sums after four rows: [0] of the first two, [1] of the last two. */
typedef struct four {
    __m256i sum[2];
} four;

AVX2 static inline __m128i add_row(const cp_cut_scan_list *l, size_t i, __m128i sum) {
    return _mm_add_epi64(sum, _mm_loadu_si128((const __m128i *)&l->sum[l->key[i] & 0xffff]));
}

AVX2 static inline four gather(__m128i a, __m128i b, __m128i c, __m128i d) {
    return (four){{_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1),
                   _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1)}};
}

/* Compares the cuts after rows i ... i+3 with the best ones, in the lanes that `allowed` has set. */
AVX2 static inline void judge(const cp_cut_scan_list *l, four f, size_t i, __m256i allowed, lanes *best) {
    const __m256d all = _mm256_set1_pd(l->weight), least = _mm256_set1_pd(l->least);
    __m256i w = _mm256_unpacklo_epi64(f.sum[0], f.sum[1]), s = _mm256_unpackhi_epi64(f.sum[0], f.sum[1]);
    __m256d wl = to_double(_mm256_and_si256(w, _mm256_set1_epi64x(l->mask))), wr = _mm256_sub_pd(all, wl);
    __m256d d = _mm256_sub_pd(to_double(s), _mm256_mul_pd(wl, _mm256_set1_pd(l->mean)));
    __m256d q = _mm256_div_pd(_mm256_mul_pd(d, d), _mm256_mul_pd(wl, wr));
    __m256i at = _mm256_add_epi64(_mm256_set1_epi64x((long long)i), order());
    __m256d better = _mm256_and_pd(_mm256_cmp_pd(q, best->quality, _CMP_GT_OQ), _mm256_castsi256_pd(allowed));
    better = _mm256_and_pd(better, _mm256_cmp_pd(_mm256_min_pd(wl, wr), least, _CMP_GE_OQ));
    better = _mm256_andnot_pd(rank_stays(l->key + i), better);
    best->quality = _mm256_blendv_pd(best->quality, q, better);
    best->left = _mm256_blendv_pd(best->left, wl, better);
    best->at = _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(best->at), _mm256_castsi256_pd(at), better));
}

/* The best cut of the four lanes; the earliest of equal ones.  At least one lane has found a cut, and its quality is
 * above the initial one. */
AVX2 static size_t best_lane(const lanes *best, double *quality, double *out_left) {
    double left[4];
    long long at[4];
    __m256d most = _mm256_max_pd(best->quality, _mm256_permute4x64_pd(best->quality, _MM_SHUFFLE(1, 0, 3, 2)));
    most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
    int equal = _mm256_movemask_pd(_mm256_cmp_pd(best->quality, most, _CMP_EQ_OQ));
    _mm256_storeu_pd(left, best->left);
    _mm256_storeu_si256((__m256i *)at, best->at);
    int first = __builtin_ctz((unsigned)equal);
    for (int k = first + 1; k < 4; k++) first = equal >> k & 1 && at[k] < at[first] ? k : first;
    *quality = _mm256_cvtsd_f64(most);
    *out_left = left[first];
    return (size_t)at[first];
}

AVX2 static size_t best_avx2(const cp_cut_scan_list *l, double *quality, double *out_left) {
    lanes best = {_mm256_set1_pd(*quality), _mm256_setzero_pd(), _mm256_set1_epi64x(-1)};
    __m128i sum = _mm_loadu_si128((const __m128i *)&l->base);
    const size_t end = l->end;
    size_t i = 0;
    for (; i < l->first && i < end; i++) sum = add_row(l, i, sum);
    for (; i + 4 <= end; i += 4) {
        __m128i a = add_row(l, i, sum), b = add_row(l, i + 1, a), c = add_row(l, i + 2, b);
        sum = add_row(l, i + 3, c);
        judge(l, gather(a, b, c, sum), i, _mm256_set1_epi64x(-1), &best);
    }
    if (i < end) { /* one to three rows; the other lanes repeat the last */
        __m128i a = add_row(l, i, sum), b = i + 1 < end ? add_row(l, i + 1, a) : a;
        __m128i c = i + 2 < end ? add_row(l, i + 2, b) : b;
        judge(l, gather(a, b, c, c), i, _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(end - i)), order()), &best);
    }
    /* Most columns are no better than the best so far. */
    if (_mm256_movemask_pd(_mm256_castsi256_pd(best.at)) == 15) return (size_t)-1;
    return best_lane(&best, quality, out_left);
}

cp_cut_scan_fn cp_cut_scan_avx2(void) {
    return best_avx2;
}

#else

cp_cut_scan_fn cp_cut_scan_avx2(void) {
    return NULL;
}

#endif
