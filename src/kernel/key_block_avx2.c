/* key_block_avx2 - the AVX2 version of the kernels that make keys. */
#include "kernel/key_block_avx2.h"

#if CP_TIER_HAS_AVX2

#include <string.h>

#include "kernel/avx2.h"
#include "kernel/sort.h"

AVX2 static inline void store_keys(__m256 x, uint32_t *out) {
    __m256i bits = _mm256_castps_si256(_mm256_add_ps(x, _mm256_setzero_ps()));
    __m256i flip = _mm256_or_si256(_mm256_srai_epi32(bits, 31), _mm256_set1_epi32(INT32_MIN));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_xor_si256(bits, flip));
}

AVX2 static int keys_avx2(const float *x, size_t n, uint32_t *out) {
    __m256 odd = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 v = _mm256_loadu_ps(x + i);
        odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        store_keys(v, out + i);
    }
    int fine = !_mm256_movemask_ps(odd);
    for (; i < n; i++) {
        float v = x[i];
        fine &= v == v;
        uint32_t key = cp_sort_from_float(v);
        memcpy(&out[i], &key, sizeof key); /* out[i] may be x[i] */
    }
    return fine;
}

/* Transposes eight rows of eight columns. */
AVX2 static void transpose(__m256 r[8]) {
    __m256 u[8];
    for (size_t i = 0; i < 4; i++) {
        u[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        u[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(u[i], u[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(u[i], u[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(u[i + 1], u[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(u[i + 1], u[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        u[i] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x20);
        u[i + 4] = _mm256_permute2f128_ps(r[i], r[i + 4], 0x31);
    }
    for (int i = 0; i < 8; i++) r[i] = u[i];
}

/* One key block; 0 if a number is NaN. */
AVX2 static int block_avx2(const float *x, size_t d, uint32_t *out) {
    __m256 odd = _mm256_setzero_ps();
    for (size_t k = 0; k < d; k += 8) {
        size_t some = d - k < 8 ? d - k : 8;
        __m256i mask = cp_avx2_tail(some);
        __m256 r[8];
        for (size_t i = 0; i < 8; i++) {
            r[i] = _mm256_maskload_ps(x + i * d + k, mask);
            odd = _mm256_or_ps(odd, _mm256_cmp_ps(r[i], r[i], _CMP_UNORD_Q));
        }
        transpose(r);
        for (size_t i = 0; i < some; i++) store_keys(r[i], out + (k + i) * 8);
    }
    return !_mm256_movemask_ps(odd);
}

AVX2 static int from_rows_avx2(const float *x, size_t n, size_t d, uint32_t *out) {
    for (; n >= CP_KEY_BLOCK_ROWS; n -= CP_KEY_BLOCK_ROWS, x += CP_KEY_BLOCK_ROWS * d, out += CP_KEY_BLOCK_ROWS * d)
        if (!block_avx2(x, d, out)) return 0;
    return cp_key_block_find(CP_TIER_PLAIN)->from_rows(x, n, d, out);
}

/* Numbers beyond the limit, NaN and infinite ones are rare: if there is one, the plain version does all again.  Columns
 * are prefetched, because they are read in stretches too short for the hardware prefetcher. */
AVX2 static int from_column_avx2(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride) {
    enum { SOON = 256 };
    const cp_key_block_kernel *plain = cp_key_block_find(CP_TIER_PLAIN);
    const __m256d minus = _mm256_set1_pd(-shift), most = _mm256_set1_pd(limit), sign = _mm256_set1_pd(-0.0);
    __m256d odd = _mm256_setzero_pd();
    uint32_t *to = out;
    size_t i = 0;
    for (; i + CP_KEY_BLOCK_ROWS <= n; i += CP_KEY_BLOCK_ROWS, to += stride) {
        __m256d a = _mm256_add_pd(_mm256_loadu_pd(x + i), minus), b = _mm256_add_pd(_mm256_loadu_pd(x + i + 4), minus);
        _mm_prefetch((const char *)(x + i + SOON), _MM_HINT_T0);
        odd = _mm256_or_pd(odd, _mm256_cmp_pd(_mm256_andnot_pd(sign, a), most, _CMP_NLE_UQ));
        odd = _mm256_or_pd(odd, _mm256_cmp_pd(_mm256_andnot_pd(sign, b), most, _CMP_NLE_UQ));
        store_keys(_mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a)), to);
    }
    if (_mm256_movemask_pd(odd)) return plain->from_column(x, shift, limit, n, out, stride);
    return plain->from_column(x + i, shift, limit, n - i, to, stride);
}

static const cp_key_block_kernel avx2 = {
    .keys = keys_avx2,
    .from_rows = from_rows_avx2,
    .from_column = from_column_avx2,
};

const cp_key_block_kernel *cp_key_block_avx2(void) {
    return &avx2;
}

#else

const cp_key_block_kernel *cp_key_block_avx2(void) {
    return NULL;
}

#endif
