#include "kernel/kern_avx2.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* All-ones for the first `n` of eight lanes: the tail of a row is read through it, never past the row's end. */
AVX2 static __m256i tail_mask(size_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}

AVX2 static __m256 excess(__m256 lower, __m256 upper, __m256 x) {
    const __m256 zero = _mm256_setzero_ps();
    return _mm256_add_ps(_mm256_max_ps(_mm256_sub_ps(x, upper), zero), _mm256_max_ps(_mm256_sub_ps(lower, x), zero));
}

/* Elements 0-3, then 4-7, into the four lanes: the order of the plain loop. */
AVX2 static __m256d add_lanes(__m256d sum, __m256 v) {
    sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    return _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
}

AVX2 static double lanes_sum(__m256d sum) {
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

/* What the point lies outside by, dimension by dimension, summed; `some` has bits where it is not 0.  As a rule a
 * caller asks of box after box until one holds the point.  Which one that is nobody can guess, and so it matters how
 * soon it is known: long before the sum. */
typedef struct distance {
    __m256d sum;
    __m256 some;
} distance;

AVX2 static void distance_add(distance *to, __m256 e) {
    to->some = _mm256_or_ps(to->some, e);
    to->sum = add_lanes(to->sum, e);
}

AVX2 static double distance_read(const distance *d) {
    __m256i some = _mm256_castps_si256(d->some);
    return _mm256_testz_si256(some, some) ? 0 : lanes_sum(d->sum);
}

/* Sixteen columns are a common number, and few enough to know whether there is a distance before it is summed. */
AVX2 static double distance_16(__m256 a, __m256 b) {
    __m256i some = _mm256_castps_si256(_mm256_or_ps(a, b));
    if (_mm256_testz_si256(some, some)) return 0;
    return lanes_sum(add_lanes(add_lanes(_mm256_setzero_pd(), a), b));
}

AVX2 static double outside_avx2(const float *box, const float *x, size_t d) {
    const float *lower = box, *upper = box + d;
    if (d == 16)
        return distance_16(excess(_mm256_loadu_ps(lower), _mm256_loadu_ps(upper), _mm256_loadu_ps(x)),
                           excess(_mm256_loadu_ps(lower + 8), _mm256_loadu_ps(upper + 8), _mm256_loadu_ps(x + 8)));
    distance far = {_mm256_setzero_pd(), _mm256_setzero_ps()};
    size_t i = 0;
    for (; i + 8 <= d; i += 8)
        distance_add(&far, excess(_mm256_loadu_ps(lower + i), _mm256_loadu_ps(upper + i), _mm256_loadu_ps(x + i)));
    if (i < d) {
        __m256i m = tail_mask(d - i);
        distance_add(&far, excess(_mm256_maskload_ps(lower + i, m), _mm256_maskload_ps(upper + i, m),
                                  _mm256_maskload_ps(x + i, m)));
    }
    return distance_read(&far);
}

/* Eight columns of x against the box around four rows. */
AVX2 static __m256 excess_four(const float *const row[4], size_t i, const float *x) {
    __m256 p = _mm256_loadu_ps(row[0] + i), q = _mm256_loadu_ps(row[1] + i), r = _mm256_loadu_ps(row[2] + i),
           s = _mm256_loadu_ps(row[3] + i);
    __m256 lower = _mm256_min_ps(_mm256_min_ps(p, q), _mm256_min_ps(r, s));
    __m256 upper = _mm256_max_ps(_mm256_max_ps(p, q), _mm256_max_ps(r, s));
    return excess(lower, upper, _mm256_loadu_ps(x + i));
}

/* Four rows, and columns in eights: what trees ask for all the time. */
AVX2 static double outside_four(const float *m, const int32_t row[4], const float *x, size_t d) {
    const float *const p[] = {m + (size_t)row[0] * d, m + (size_t)row[1] * d, m + (size_t)row[2] * d,
                              m + (size_t)row[3] * d};
    if (d == 16) return distance_16(excess_four(p, 0, x), excess_four(p, 8, x));
    distance far = {_mm256_setzero_pd(), _mm256_setzero_ps()};
    for (size_t i = 0; i < d; i += 8) distance_add(&far, excess_four(p, i, x));
    return distance_read(&far);
}

AVX2 static double outside_rows_avx2(const float *m, const int32_t *row, size_t n, const float *x, size_t d) {
    if (n == 4 && d % 8 == 0) return outside_four(m, row, x, d);
    distance far = {_mm256_setzero_pd(), _mm256_setzero_ps()};
    size_t i = 0;
    for (; i + 8 <= d; i += 8) {
        __m256 l = _mm256_loadu_ps(m + (size_t)row[0] * d + i), u = l;
        for (size_t k = 1; k < n; k++) {
            __m256 v = _mm256_loadu_ps(m + (size_t)row[k] * d + i);
            l = _mm256_min_ps(l, v);
            u = _mm256_max_ps(u, v);
        }
        distance_add(&far, excess(l, u, _mm256_loadu_ps(x + i)));
    }
    if (i < d) {
        __m256i mask = tail_mask(d - i);
        __m256 l = _mm256_maskload_ps(m + (size_t)row[0] * d + i, mask), u = l;
        for (size_t k = 1; k < n; k++) {
            __m256 v = _mm256_maskload_ps(m + (size_t)row[k] * d + i, mask);
            l = _mm256_min_ps(l, v);
            u = _mm256_max_ps(u, v);
        }
        distance_add(&far, excess(l, u, _mm256_maskload_ps(x + i, mask)));
    }
    return distance_read(&far);
}

/* Most gaps are 0 and hold no place: only the others are looked at. */
AVX2 static int gap_in(__m256 e, double *left) {
    float gap[8];
    int some = _mm256_movemask_ps(_mm256_cmp_ps(e, _mm256_setzero_ps(), _CMP_GT_OQ));
    _mm256_storeu_ps(gap, e);
    for (; some; some &= some - 1) {
        int i = __builtin_ctz((unsigned)some);
        if (*left < (double)gap[i]) return i;
        *left -= (double)gap[i];
    }
    return 8;
}

AVX2 static size_t gap_at_avx2(const float *box, const float *x, size_t d, double *left) {
    const float *lower = box, *upper = box + d;
    size_t i = 0;
    int k = 8;
    for (; i + 8 <= d; i += 8) {
        k = gap_in(excess(_mm256_loadu_ps(lower + i), _mm256_loadu_ps(upper + i), _mm256_loadu_ps(x + i)), left);
        if (k < 8) return i + (size_t)k;
    }
    if (i < d) {
        __m256i m = tail_mask(d - i);
        k = gap_in(
            excess(_mm256_maskload_ps(lower + i, m), _mm256_maskload_ps(upper + i, m), _mm256_maskload_ps(x + i, m)),
            left);
    }
    return k < 8 ? i + (size_t)k : d;
}

AVX2 static double extent_avx2(const float *box, size_t d) {
    __m256d sum = _mm256_setzero_pd();
    size_t i = 0;
    for (; i + 8 <= d; i += 8)
        sum = add_lanes(sum, _mm256_sub_ps(_mm256_loadu_ps(box + d + i), _mm256_loadu_ps(box + i)));
    if (i < d) {
        __m256i m = tail_mask(d - i);
        sum = add_lanes(sum, _mm256_sub_ps(_mm256_maskload_ps(box + d + i, m), _mm256_maskload_ps(box + i, m)));
    }
    return lanes_sum(sum);
}

AVX2 static void include_8(float *lower, float *upper, __m256 v) {
    _mm256_storeu_ps(lower, _mm256_min_ps(_mm256_loadu_ps(lower), v));
    _mm256_storeu_ps(upper, _mm256_max_ps(_mm256_loadu_ps(upper), v));
}

AVX2 static void include_avx2(float *box, const float *x, size_t d) {
    if (d == 16) {
        include_8(box, box + 16, _mm256_loadu_ps(x));
        include_8(box + 8, box + 24, _mm256_loadu_ps(x + 8));
        return;
    }
    size_t i = 0;
    for (; i + 8 <= d; i += 8) {
        __m256 v = _mm256_loadu_ps(x + i);
        _mm256_storeu_ps(box + i, _mm256_min_ps(_mm256_loadu_ps(box + i), v));
        _mm256_storeu_ps(box + d + i, _mm256_max_ps(_mm256_loadu_ps(box + d + i), v));
    }
    if (i < d) {
        __m256i m = tail_mask(d - i);
        __m256 v = _mm256_maskload_ps(x + i, m);
        _mm256_maskstore_ps(box + i, m, _mm256_min_ps(_mm256_maskload_ps(box + i, m), v));
        _mm256_maskstore_ps(box + d + i, m, _mm256_max_ps(_mm256_maskload_ps(box + d + i, m), v));
    }
}

/* Rows are met in an order that the hardware does not see through: those a little ahead are asked for. */
enum { AHEAD = 12 };

AVX2 static void look_ahead(const float *x, size_t d, const int32_t *row, size_t i, size_t n) {
    if (i + AHEAD < n) _mm_prefetch((const char *)(x + (size_t)row[i + AHEAD] * d), _MM_HINT_T0);
}

/* Sixteen columns of all rows at a time, bounds in registers. */
AVX2 static void hull_16(const float *x, size_t d, const int32_t *row, size_t n, float *lower, float *upper) {
    const float *p = x + (size_t)row[0] * d;
    __m256 l0 = _mm256_loadu_ps(p), l1 = _mm256_loadu_ps(p + 8), u0 = l0, u1 = l1;
    for (size_t i = 1; i < n; i++) {
        look_ahead(x, d, row, i, n);
        p = x + (size_t)row[i] * d;
        __m256 v0 = _mm256_loadu_ps(p), v1 = _mm256_loadu_ps(p + 8);
        l0 = _mm256_min_ps(l0, v0);
        u0 = _mm256_max_ps(u0, v0);
        l1 = _mm256_min_ps(l1, v1);
        u1 = _mm256_max_ps(u1, v1);
    }
    _mm256_storeu_ps(lower, l0);
    _mm256_storeu_ps(lower + 8, l1);
    _mm256_storeu_ps(upper, u0);
    _mm256_storeu_ps(upper + 8, u1);
}

/* The same for the `width` <= 8 columns that are left. */
AVX2 static void hull_tail(const float *x, size_t d, const int32_t *row, size_t n, size_t width, float *lower,
                           float *upper) {
    __m256i m = tail_mask(width);
    __m256 l = _mm256_maskload_ps(x + (size_t)row[0] * d, m), u = l;
    for (size_t i = 1; i < n; i++) {
        look_ahead(x, d, row, i, n);
        __m256 v = _mm256_maskload_ps(x + (size_t)row[i] * d, m);
        l = _mm256_min_ps(l, v);
        u = _mm256_max_ps(u, v);
    }
    _mm256_maskstore_ps(lower, m, l);
    _mm256_maskstore_ps(upper, m, u);
}

/* 9 to 15 columns in one pass: eight whole and a tail. */
AVX2 static void hull_8_and_tail(const float *x, size_t d, const int32_t *row, size_t n, size_t width, float *lower,
                                 float *upper) {
    __m256i m = tail_mask(width - 8);
    const float *p = x + (size_t)row[0] * d;
    __m256 l0 = _mm256_loadu_ps(p), l1 = _mm256_maskload_ps(p + 8, m), u0 = l0, u1 = l1;
    for (size_t i = 1; i < n; i++) {
        look_ahead(x, d, row, i, n);
        p = x + (size_t)row[i] * d;
        __m256 v0 = _mm256_loadu_ps(p), v1 = _mm256_maskload_ps(p + 8, m);
        l0 = _mm256_min_ps(l0, v0);
        u0 = _mm256_max_ps(u0, v0);
        l1 = _mm256_min_ps(l1, v1);
        u1 = _mm256_max_ps(u1, v1);
    }
    _mm256_storeu_ps(lower, l0);
    _mm256_storeu_ps(upper, u0);
    _mm256_maskstore_ps(lower + 8, m, l1);
    _mm256_maskstore_ps(upper + 8, m, u1);
}

AVX2 static void hull_avx2(const float *x, size_t d, const int32_t *row, size_t n, float *out_box) {
    size_t i = 0;
    for (; i + 16 <= d; i += 16) hull_16(x + i, d, row, n, out_box + i, out_box + d + i);
    if (i + 8 < d)
        hull_8_and_tail(x + i, d, row, n, d - i, out_box + i, out_box + d + i);
    else if (i < d)
        hull_tail(x + i, d, row, n, d - i, out_box + i, out_box + d + i);
}

/* Four numbers of one column, and the largest seen so far.  Where an operand is NaN, max answers with its second. */
AVX2 static inline __m128 shifted(const double *x, __m256d minus, __m256d *largest) {
    __m256d z = _mm256_add_pd(_mm256_loadu_pd(x), minus);
    *largest = _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), z), *largest);
    return _mm256_cvtpd_ps(z);
}

/* Numbers beyond the limit, or infinite, are so rare that the plain loop begins anew if there is one. */
AVX2 static int interleave_avx2(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                                size_t stride) {
    const cp_kern *plain = cp_kern_find("plain");
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
        return plain->interleave(col, shift, limit, n, out, stride);
    const double *const rest[] = {col[0] + i, col[1] + i, col[2] + i, col[3] + i};
    return plain->interleave(rest, shift, limit, n - i, to, stride);
}

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
        uint32_t key = cp_kern_key(v);
        memcpy(&out[i], &key, sizeof key); /* which may be x[i] */
    }
    return fine;
}

/* Row i, column k of eight rows becomes row k, column i. */
AVX2 static void turn_about(__m256 r[8]) {
    __m256 u[8];
    for (int i = 0; i < 4; i++) {
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

/* One key block; 0 if something is NaN. */
AVX2 static int gang_avx2(const float *x, size_t d, uint32_t *out) {
    __m256 odd = _mm256_setzero_ps();
    for (size_t k = 0; k < d; k += 8) {
        size_t some = d - k < 8 ? d - k : 8;
        __m256i mask = tail_mask(some);
        __m256 r[8];
        for (size_t i = 0; i < 8; i++) {
            r[i] = _mm256_maskload_ps(x + i * d + k, mask);
            odd = _mm256_or_ps(odd, _mm256_cmp_ps(r[i], r[i], _CMP_UNORD_Q));
        }
        turn_about(r);
        for (size_t i = 0; i < some; i++) store_keys(r[i], out + (k + i) * 8);
    }
    return !_mm256_movemask_ps(odd);
}

AVX2 static int gangs_avx2(const float *x, size_t n, size_t d, uint32_t *out) {
    for (; n >= CP_KEY_BLOCK_ROWS; n -= CP_KEY_BLOCK_ROWS, x += CP_KEY_BLOCK_ROWS * d, out += CP_KEY_BLOCK_ROWS * d)
        if (!gang_avx2(x, d, out)) return 0;
    return cp_kern_find("plain")->key_blocks(x, n, d, out);
}

/* Numbers beyond the limit are so rare that the plain loop begins anew if there is one; and if one is NaN or infinite.
 * Columns are asked for ahead, since they are taken in stretches too short for the processor to see where they lead. */
AVX2 static int gang_column_avx2(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride) {
    enum { SOON = 256 };
    const cp_kern *plain = cp_kern_find("plain");
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
    if (_mm256_movemask_pd(odd)) return plain->gang_column(x, shift, limit, n, out, stride);
    return plain->gang_column(x + i, shift, limit, n - i, to, stride);
}

AVX2 static uint32_t ends_32(const char *text, __m256i delimiter, uint32_t *out_other) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i above = _mm256_sub_epi8(v, _mm256_set1_epi8('0')); /* digits are what 9 does not make smaller */
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

/* One permutation pushes the bytes to the top, zeros coming in as leading digits, and leaves out the point. */
AVX2 static int digits_avx2(const char *text, size_t n, uint64_t *out) {
    static const signed char slide[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15};
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)text), _mm_set1_epi8('0'));
    __m128i is_point = _mm_cmpeq_epi8(v, _mm_set1_epi8('.' - '0'));
    unsigned behind = 1u << n, points = (unsigned)_mm_movemask_epi8(is_point) & (behind - 1);
    unsigned whole = (unsigned)__builtin_ctz(points | behind);
    size_t digits = n - (points != 0);
    __m128i from = _mm_loadu_si128((const __m128i *)(const void *)(slide + digits));
    from =
        _mm_sub_epi8(from, _mm_cmpgt_epi8(from, _mm_set1_epi8((char)(whole - 1)))); /* one further from the point on */
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

static const cp_kern avx2 = {.name = "avx2",
                             .outside = outside_avx2,
                             .outside_rows = outside_rows_avx2,
                             .gap_at = gap_at_avx2,
                             .extent = extent_avx2,
                             .include = include_avx2,
                             .hull = hull_avx2,
                             .interleave = interleave_avx2,
                             .keys = keys_avx2,
                             .key_blocks = gangs_avx2,
                             .gang_column = gang_column_avx2,
                             .ends = ends_avx2,
                             .digits = digits_avx2};

const cp_kern *cp_kern_avx2(void) {
    return __builtin_cpu_supports("avx2") ? &avx2 : NULL;
}

#else

const cp_kern *cp_kern_avx2(void) {
    return NULL;
}

#endif
