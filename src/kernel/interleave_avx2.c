/* interleave_avx2 - the AVX2 version of the kernel that turns columns into rows. */
#include "kernel/interleave_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* Four numbers of one column, shifted; *largest is the largest size so far.  If the first operand of max is NaN, the
 * result is the second: NaN is ignored. */
AVX2 static inline __m128 shifted(const double *x, __m256d minus, __m256d *largest) {
    __m256d z = _mm256_add_pd(_mm256_loadu_pd(x), minus);
    *largest = _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), z), *largest);
    return _mm256_cvtpd_ps(z);
}

/* Numbers beyond the limit, or infinite, are rare: if there is one, the plain version does all again. */
AVX2 static int interleave_avx2(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                                size_t stride) {
    const cp_interleave_fn plain = cp_interleave_find(CP_TIER_PLAIN);
    __m256d minus[4], largest = _mm256_setzero_pd();
    float *to = out;
    size_t i = 0;
    for (size_t k = 0; k < 4; k++) minus[k] = _mm256_set1_pd(-shift[k]);
    for (; i + 4 <= n; i += 4, to += 4 * stride) {
        __m128 a = shifted(col[0] + i, minus[0], &largest), b = shifted(col[1] + i, minus[1], &largest),
               c = shifted(col[2] + i, minus[2], &largest), d = shifted(col[3] + i, minus[3], &largest);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to + stride, b);
        _mm_storeu_ps(to + 2 * stride, c);
        _mm_storeu_ps(to + 3 * stride, d);
    }
    if (_mm256_movemask_pd(_mm256_cmp_pd(largest, _mm256_set1_pd(limit), _CMP_GT_OQ)))
        return plain(col, shift, limit, n, out, stride);
    const double *const rest[] = {col[0] + i, col[1] + i, col[2] + i, col[3] + i};
    return plain(rest, shift, limit, n - i, to, stride);
}

cp_interleave_fn cp_interleave_avx2(void) {
    return interleave_avx2;
}

#else

cp_interleave_fn cp_interleave_avx2(void) {
    return NULL;
}

#endif
