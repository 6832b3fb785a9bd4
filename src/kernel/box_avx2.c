/* box_avx2 - the AVX2 version of the kernels on boxes. */
#include "kernel/box_avx2.h"

#if CP_TIER_HAS_AVX2

#include "kernel/avx2.h"

/* By how much x lies outside, in eight dimensions. */
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

/* The sum of the excesses; `some` has a bit set if one of them is not 0.  Callers ask box after box until one holds the
 * point, and branch prediction cannot guess which.  So it must be known early that the distance is 0: `some` is ready
 * long before the sum. */
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

/* Sixteen columns are common.  They fit into two registers, so the test for 0 can come before the sum. */
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
        __m256i m = cp_avx2_tail(d - i);
        distance_add(&far, excess(_mm256_maskload_ps(lower + i, m), _mm256_maskload_ps(upper + i, m),
                                  _mm256_maskload_ps(x + i, m)));
    }
    return distance_read(&far);
}

/* The excess of eight columns of x over the box around four rows. */
AVX2 static __m256 excess_four(const float *const row[4], size_t i, const float *x) {
    __m256 p = _mm256_loadu_ps(row[0] + i), q = _mm256_loadu_ps(row[1] + i), r = _mm256_loadu_ps(row[2] + i),
           s = _mm256_loadu_ps(row[3] + i);
    __m256 lower = _mm256_min_ps(_mm256_min_ps(p, q), _mm256_min_ps(r, s));
    __m256 upper = _mm256_max_ps(_mm256_max_ps(p, q), _mm256_max_ps(r, s));
    return excess(lower, upper, _mm256_loadu_ps(x + i));
}

/* Four rows, and a multiple of eight columns: the most frequent case in trees. */
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
        __m256i mask = cp_avx2_tail(d - i);
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

/* The lane whose term contains the position *left, 8 if none does.  Most terms are 0; only the others are looked at. */
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
        __m256i m = cp_avx2_tail(d - i);
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
        __m256i m = cp_avx2_tail(d - i);
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
        __m256i m = cp_avx2_tail(d - i);
        __m256 v = _mm256_maskload_ps(x + i, m);
        _mm256_maskstore_ps(box + i, m, _mm256_min_ps(_mm256_maskload_ps(box + i, m), v));
        _mm256_maskstore_ps(box + d + i, m, _mm256_max_ps(_mm256_maskload_ps(box + d + i, m), v));
    }
}

/* Rows come in random order, which the hardware cannot predict: rows AHEAD of the current one are prefetched. */
enum { AHEAD = 12 };

AVX2 static void look_ahead(const float *x, size_t d, const int32_t *row, size_t i, size_t n) {
    if (i + AHEAD < n) _mm_prefetch((const char *)(x + (size_t)row[i + AHEAD] * d), _MM_HINT_T0);
}

/* Sixteen columns of all rows in one pass, with the bounds in registers. */
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

/* The last `width` <= 8 columns in one pass. */
AVX2 static void hull_tail(const float *x, size_t d, const int32_t *row, size_t n, size_t width, float *lower,
                           float *upper) {
    __m256i m = cp_avx2_tail(width);
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

/* The last 9 to 15 columns in one pass: eight whole, and a masked tail. */
AVX2 static void hull_8_and_tail(const float *x, size_t d, const int32_t *row, size_t n, size_t width, float *lower,
                                 float *upper) {
    __m256i m = cp_avx2_tail(width - 8);
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

static const cp_box_kernel avx2 = {
    .outside = outside_avx2,
    .outside_rows = outside_rows_avx2,
    .gap_at = gap_at_avx2,
    .extent = extent_avx2,
    .include = include_avx2,
    .hull = hull_avx2,
};

const cp_box_kernel *cp_box_avx2(void) {
    return &avx2;
}

#else

const cp_box_kernel *cp_box_avx2(void) {
    return NULL;
}

#endif
