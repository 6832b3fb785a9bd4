#include "kernel/kern.h"

#include <math.h>

#include "kernel/digits.h"
#include "kernel/kern_avx2.h"

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

static int gangs_plain(const float *x, size_t n, size_t d, uint32_t *out) {
    int odd = 0;
    for (size_t i = 0; i < n && !odd; i++, x += d)
        for (size_t k = 0; k < d; k++) {
            odd |= x[k] != x[k];
            out[(i - i % CP_KEY_BLOCK_ROWS) * d + k * CP_KEY_BLOCK_ROWS + i % CP_KEY_BLOCK_ROWS] = cp_kern_key(x[k]);
        }
    return !odd;
}

static int gang_column_plain(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride) {
    int fine = 1;
    for (size_t i = 0; i < n; i++) {
        double z = x[i] - shift;
        fine &= isfinite(x[i]) != 0;
        z = z > limit ? limit : z;
        z = z < -limit ? -limit : z;
        out[i / CP_KEY_BLOCK_ROWS * stride + i % CP_KEY_BLOCK_ROWS] = cp_kern_key((float)z);
    }
    return fine;
}

static uint64_t ends_plain(const char *text, char delimiter, uint64_t *out_other) {
    uint64_t ends = 0, other = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t found = text[i] == delimiter;
        ends |= (found | (text[i] == '\n') | (text[i] == '\r') | !text[i]) << i;
        other |= (found ^ 1) << i & (uint64_t)(text[i] < '0' || text[i] > '9') << i;
    }
    *out_other = other;
    return ends;
}

/* All bytes are pushed to the top of a double word.  A point becomes another leading zero, when the digits before it
 * have moved up over it. */
static int digits_plain(const char *text, size_t n, uint64_t *out) {
    __extension__ typedef unsigned __int128 u128;
    uint64_t low = 0, high = cp_digits_load(text);
    if (n > 8) {
        low = cp_digits_push(high, n - 8);
        high = cp_digits_load(text + n - 8);
    } else {
        high = n ? cp_digits_push(high, n) : 0;
    }
    uint64_t low_points = cp_digits_points(low), high_points = cp_digits_points(high);
    u128 v = (u128)high << 64 | low, points = (u128)high_points << 64 | low_points, at = points >> 7;
    size_t has_point = points != 0;
    if ((cp_digits_marks(low) & ~low_points) | (cp_digits_marks(high) & ~high_points)) return -1;
    if ((points & (points - 1)) || n <= has_point) return -1;
    v = ((v & (at - has_point)) << 8) | (v & ~((at << 8) - has_point));
    *out = cp_digits_value((uint64_t)v) * 100000000 + cp_digits_value((uint64_t)(v >> 64));
    if (high_points) return __builtin_clzll(high_points) / 8 + 1;
    return low_points ? __builtin_clzll(low_points) / 8 + 9 : 0;
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
                              .key_blocks = gangs_plain,
                              .gang_column = gang_column_plain,
                              .ends = ends_plain,
                              .digits = digits_plain};

const cp_kern *cp_kern_best(void) {
    const cp_kern *fast = cp_kern_avx2();
    return fast ? fast : &plain;
}

const cp_kern *cp_kern_find(const char *name) {
    if (!strcmp(name, "plain")) return &plain;
    return !strcmp(name, "avx2") ? cp_kern_avx2() : NULL;
}
