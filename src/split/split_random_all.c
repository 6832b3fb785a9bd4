#include "split/split_random_all.h"

#include <string.h>

#include "kernel/float4.h"
#include "split/split_random.h"

enum {
    STRETCH = 64, /* rows that are fetched before the next ones */
    GROUP = 4     /* columns in one vector */
};

static const float *row_of(const cp_split_random_table *t, size_t i) {
    return t->x + (t->row ? t->row[i] : i) * t->dims;
}

static size_t stretch_end(const cp_split_random_table *t, size_t first) {
    return t->n - first < STRETCH ? t->n : first + STRETCH;
}

/* ----------------------------------------------------------------------------------------------------------- ranges */

/* Widens the ranges of GROUP columns from dim on.  Returns 1 if some value is missing. */
static int widen_group(const cp_split_random_table *t, size_t first, size_t end, size_t dim) {
    cp_float4_range r = {cp_float4_load(t->low + dim), cp_float4_load(t->high + dim), {0}};
    for (size_t i = first; i < end; i++) cp_float4_widen(&r, cp_float4_load(row_of(t, i) + dim));
    memcpy(t->low + dim, &r.low, sizeof r.low);
    memcpy(t->high + dim, &r.high, sizeof r.high);
    return cp_float4_any(r.missing);
}

static int widen_column(const cp_split_random_table *t, size_t first, size_t end, size_t dim) {
    float low = t->low[dim], high = t->high[dim];
    int missing = 0;
    for (size_t i = first; i < end; i++) {
        float x = row_of(t, i)[dim];
        missing |= x != x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    t->low[dim] = low;
    t->high[dim] = high;
    return missing;
}

/* A last group of fewer columns starts inside the group before it: widening a range twice does no harm. */
static int widen(const cp_split_random_table *t, size_t first, size_t end) {
    size_t d = 0;
    int missing = 0;
    for (; d + GROUP <= t->dims; d += GROUP) missing |= widen_group(t, first, end, d);
    if (d < t->dims && t->dims >= GROUP) return missing | widen_group(t, first, end, t->dims - GROUP);
    for (; d < t->dims; d++) missing |= widen_column(t, first, end, d);
    return missing;
}

int cp_split_random_all_ranges(const cp_split_random_table *t) {
    int missing = 0;
    for (size_t d = 0; d < t->dims; d++) {
        t->low[d] = INFINITY;
        t->high[d] = -INFINITY;
    }
    for (size_t i = 0; i < t->n && !missing; i += STRETCH) {
        size_t end = stretch_end(t, i);
        for (size_t k = i; k < end; k++) __builtin_prefetch(row_of(t, k));
        missing = widen(t, i, end);
    }
    return !missing;
}

/* ------------------------------------------------------------------------------------------------------------- sums */

/* Adds rows to the left sums of n <= GROUP columns.  A value is repeated four times, to mask all 16 bytes of a sum. */
static inline void add_left(const cp_split_random_table *t, size_t first, size_t end, size_t dim, size_t n) {
    cp_sum_pair left[GROUP];
    cp_float4 cut[GROUP];
    for (size_t k = 0; k < n; k++) {
        left[k] = *(const cp_sum_pair *)&t->left[dim + k];
        cut[k] = cp_float4_splat(t->cut[dim + k]);
    }
    for (size_t i = first; i < end; i++) {
        const float *x = row_of(t, i) + dim;
        const cp_sum_pair a = *(const cp_sum_pair *)&t->sum[i];
        for (size_t k = 0; k < n; k++) left[k] += a & (cp_sum_pair)(cp_float4_splat(x[k]) <= cut[k]);
    }
    for (size_t k = 0; k < n; k++) *(cp_sum_pair *)&t->left[dim + k] = left[k];
}

static void add_all(const cp_split_random_table *t) {
    for (size_t d = 0; d < t->dims; d++) t->left[d] = (cp_sum){0, 0};
    for (size_t i = 0; i < t->n; i += STRETCH) {
        size_t end = stretch_end(t, i), d = 0;
        for (size_t k = i; k < end; k++) __builtin_prefetch(row_of(t, k));
        for (; d + GROUP <= t->dims; d += GROUP) add_left(t, i, end, d, GROUP);
        for (; d < t->dims; d++) add_left(t, i, end, d, 1);
    }
}

void cp_split_random_all(const cp_split_node *n, const cp_split_random_table *t, cp_rng *rng, cp_split *best) {
    for (size_t d = 0; d < t->dims; d++)
        t->cut[d] = t->low[d] < t->high[d] ? cp_split_random_cut(rng, t->low[d], t->high[d]) : INFINITY;
    add_all(t);
    for (size_t d = 0; d < t->dims; d++) {
        const double left = cp_split_weight(n->rule, t->left[d].w);
        if (!(t->low[d] < t->high[d]) || !cp_split_enough(n, cp_split_rows(n->rule, t->left[d].w), left)) continue;
        double quality = cp_cut_scan_quality(left, (double)t->left[d].s, n->weight, n->mean);
        if (!(quality * best->den > best->num)) continue;
        *best = (cp_split){.num = quality,
                           .den = 1,
                           .left = left,
                           .dim = (int32_t)d,
                           .missing_left = cp_split_heavier_left(n, left),
                           .cut = t->cut[d],
                           .set = best->set};
    }
}
