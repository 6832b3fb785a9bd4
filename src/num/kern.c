#include "num/kern.h"

#include <math.h>

#include "num/kern_avx2.h"

static float larger(float a, float b) {
    return a > b ? a : b;
}

static float smaller(float a, float b) {
    return a < b ? a : b;
}

static double lanes_sum(const double lane[4]) {
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

static double outside_plain(const float *box, const float *x, size_t d) {
    const float *lower = box, *upper = box + d;
    double lane[4] = {0};
    for (size_t i = 0; i < d; i++) lane[i % 4] += (double)(larger(x[i] - upper[i], 0) + larger(lower[i] - x[i], 0));
    return lanes_sum(lane);
}

static double outside_rows_plain(const float *m, const int32_t *row, size_t n, const float *x, size_t d) {
    double lane[4] = {0};
    for (size_t i = 0; i < d; i++) {
        float lower = m[(size_t)row[0] * d + i], upper = lower;
        for (size_t k = 1; k < n; k++) {
            lower = smaller(lower, m[(size_t)row[k] * d + i]);
            upper = larger(upper, m[(size_t)row[k] * d + i]);
        }
        lane[i % 4] += (double)(larger(x[i] - upper, 0) + larger(lower - x[i], 0));
    }
    return lanes_sum(lane);
}

static size_t gap_at_plain(const float *box, const float *x, size_t d, double *left) {
    const float *lower = box, *upper = box + d;
    for (size_t i = 0; i < d; i++) {
        double gap = (double)(larger(x[i] - upper[i], 0) + larger(lower[i] - x[i], 0));
        if (*left < gap) return i;
        *left -= gap;
    }
    return d;
}

static double extent_plain(const float *box, size_t d) {
    double lane[4] = {0};
    for (size_t i = 0; i < d; i++) lane[i % 4] += (double)(box[d + i] - box[i]);
    return lanes_sum(lane);
}

static void include_plain(float *box, const float *x, size_t d) {
    for (size_t i = 0; i < d; i++) {
        box[i] = smaller(box[i], x[i]);
        box[d + i] = larger(box[d + i], x[i]);
    }
}

static void hull_plain(const float *x, size_t d, const int32_t *row, size_t n, float *out_box) {
    memcpy(out_box, x + (size_t)row[0] * d, d * sizeof *x);
    memcpy(out_box + d, x + (size_t)row[0] * d, d * sizeof *x);
    for (size_t i = 1; i < n; i++) include_plain(out_box, x + (size_t)row[i] * d, d);
}

static int interleave_plain(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                            size_t stride) {
    int infinite = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++) {
            double z = col[k][i] - shift[k];
            infinite |= isinf(col[k][i]);
            z = z > limit ? limit : z;
            z = z < -limit ? -limit : z;
            out[i * stride + k] = (float)z;
        }
    return !infinite;
}

static int keys_plain(const float *x, size_t n, uint32_t *out) {
    int odd = 0;
    for (size_t i = 0; i < n; i++) {
        float v = x[i];
        odd |= v != v;
        uint32_t key = cp_kern_key(v);
        memcpy(&out[i], &key, sizeof key); /* which may be x[i] */
    }
    return !odd;
}

static size_t gangs_plain(const float *x, size_t n, size_t d, uint32_t *out) {
    uint32_t gang[CP_KERN_GANG_DIMS * CP_KERN_GANG]; /* since out may be x */
    for (size_t done = 0; done < n; done += CP_KERN_GANG, x += CP_KERN_GANG * d, out += CP_KERN_GANG * d) {
        int odd = 0;
        for (size_t i = 0; i < CP_KERN_GANG; i++)
            for (size_t k = 0; k < d; k++) {
                odd |= x[i * d + k] != x[i * d + k];
                gang[k * CP_KERN_GANG + i] = cp_kern_key(x[i * d + k]);
            }
        if (odd) return done;
        memcpy(out, gang, CP_KERN_GANG * d * sizeof *out);
    }
    return n;
}

static uint64_t delimiters_plain(const char *text, char delimiter, uint64_t *out_other) {
    uint64_t found = 0, other = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = UINT64_C(1) << i;
        if (text[i] == delimiter)
            found |= bit;
        else if (text[i] < '0' || text[i] > '9')
            other |= bit;
    }
    *out_other = other;
    return found;
}

static const cp_kern plain = {.name = "plain",
                              .outside = outside_plain,
                              .outside_rows = outside_rows_plain,
                              .gap_at = gap_at_plain,
                              .extent = extent_plain,
                              .include = include_plain,
                              .hull = hull_plain,
                              .interleave = interleave_plain,
                              .keys = keys_plain,
                              .gangs = gangs_plain,
                              .delimiters = delimiters_plain};

const cp_kern *cp_kern_best(void) {
    const cp_kern *fast = cp_kern_avx2();
    return fast ? fast : &plain;
}

const cp_kern *cp_kern_find(const char *name) {
    if (!strcmp(name, "plain")) return &plain;
    return !strcmp(name, "avx2") ? cp_kern_avx2() : NULL;
}
