/* box - the plain version of the kernels on boxes, and the choice between it and AVX2. */
#include "kernel/box.h"

#include <string.h>

#include "kernel/box_avx2.h"

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

static const cp_box_kernel plain = {
    .outside = outside_plain,
    .outside_rows = outside_rows_plain,
    .gap_at = gap_at_plain,
    .extent = extent_plain,
    .include = include_plain,
    .hull = hull_plain,
};

const cp_box_kernel *cp_box_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_box_avx2() : &plain;
}

const cp_box_kernel *cp_box_best(void) {
    return cp_box_find(cp_tier_best());
}
