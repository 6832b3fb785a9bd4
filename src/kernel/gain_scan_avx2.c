/* gain_scan_avx2 - the AVX2 version of the kernel that finds the best cut of a histogram. */
#include "kernel/gain_scan_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* Converts integers below 2^51 in size to doubles: added to the bits of 2^52 + 2^51 they are its low bits. */
AVX2 static inline __m256d to_double(const int64_t *from) {
    const __m256i magic = _mm256_set1_epi64x(0x4338000000000000);
    __m256i v = _mm256_loadu_si256((const __m256i *)from);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(v, magic)), _mm256_castsi256_pd(magic));
}

/* The scores of the cuts after bins b ... b+3. */
AVX2 static inline __m256d scores(const cp_gain_scan *g, size_t b) {
    const __m256d l2 = _mm256_set1_pd(g->l2);
    __m256d sl = _mm256_add_pd(_mm256_set1_pd(g->base_slope), to_double(g->slope + b));
    __m256d hl = _mm256_add_pd(_mm256_set1_pd(g->base_curve), to_double(g->curve + b));
    __m256d sr = _mm256_sub_pd(_mm256_set1_pd(g->all_slope), sl), hr = _mm256_sub_pd(_mm256_set1_pd(g->all_curve), hl);
    hl = _mm256_add_pd(hl, l2);
    hr = _mm256_add_pd(hr, l2);
    __m256d a = _mm256_mul_pd(_mm256_mul_pd(sl, sl), hr), c = _mm256_mul_pd(_mm256_mul_pd(sr, sr), hl);
    return _mm256_div_pd(_mm256_add_pd(a, c), _mm256_mul_pd(hl, hr));
}

AVX2 static inline double highest(__m256d v) {
    __m128d m = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_max_sd(m, _mm_unpackhi_pd(m, m)));
}

/* The highest score first, then the first bin that has it: most columns are no better than the best so far, and their
 * bins need not be found. */
AVX2 static size_t best_avx2(const cp_gain_scan *g, double *score) {
    const __m256i four = _mm256_set1_epi64x(4);
    __m256d most = _mm256_set1_pd(*score);
    __m256i at = _mm256_set1_epi64x(-1),
            here = _mm256_add_epi64(_mm256_set1_epi64x((long long)g->first), _mm256_setr_epi64x(0, 1, 2, 3));
    double best, lane[4];
    long long bin[4];
    size_t first = (size_t)-1, b = g->first;
    for (; b < g->end; b += 4, here = _mm256_add_epi64(here, four)) {
        __m256d q = scores(g, b), better = _mm256_cmp_pd(q, most, _CMP_GT_OQ);
        if (b + 4 > g->end) {
            __m256i inside = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)g->end), here);
            better = _mm256_and_pd(better, _mm256_castsi256_pd(inside));
        }
        most = _mm256_blendv_pd(most, q, better);
        at = _mm256_blendv_epi8(at, here, _mm256_castpd_si256(better));
    }
    best = highest(most);
    if (!(best > *score)) return first;
    _mm256_storeu_pd(lane, most);
    _mm256_storeu_si256((__m256i *)bin, at);
    for (int k = 0; k < 4; k++)
        if (lane[k] == best && (size_t)bin[k] < first) first = (size_t)bin[k];
    *score = best;
    return first;
}

cp_gain_scan_fn cp_gain_scan_avx2(void) {
    return best_avx2;
}

#else

cp_gain_scan_fn cp_gain_scan_avx2(void) {
    return NULL;
}

#endif
