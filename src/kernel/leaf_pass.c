/* leaf_pass - the plain version of the kernels, which defines their sums, and the choice between it and AVX2. */
#include "kernel/leaf_pass.h"

#include <string.h>

#include "kernel/leaf_pass_avx2.h"

enum { LANES = CP_LEAF_PASS_LANES };

static double folded(float lane[LANES]) {
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return (double)lane[0];
}

static size_t piece_end(size_t from, size_t n) {
    return n - from < CP_LEAF_PASS_PIECE ? n : from + CP_LEAF_PASS_PIECE;
}

static float weight_of(const float *opt_weight, size_t i) {
    return opt_weight ? opt_weight[i] : 1;
}

static void shift_plain(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *s) {
    for (size_t i = 0; i < x->n; i++) x->r[i] += s->add[s->slot[i]];
}

static void sum_plain(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *s, double *sum) {
    float lane[CP_LEAF_PASS_MAX][LANES];
    for (size_t g = 0; g < s->slots; g++) sum[g] = 0;
    for (size_t from = 0, end; from < x->n; from = end) {
        end = piece_end(from, x->n);
        memset(lane, 0, s->slots * sizeof *lane);
        for (size_t i = from; i < end; i++) lane[s->slot[i]][i % LANES] += weight_of(x->opt_weight, i) * x->r[i];
        for (size_t g = 0; g < s->slots; g++) sum[g] += folded(lane[g]);
    }
}

static void move_plain(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before,
                       const cp_leaf_pass_shift *shift, double *opt_sum) {
    if (opt_before) shift_plain(x, opt_before);
    shift_plain(x, shift);
    if (opt_sum) sum_plain(x, shift, opt_sum);
}

static void factor_plain(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *s) {
    for (size_t i = 0; i < x->n; i++) x->r[i] *= s->add[s->slot[i]];
}

static void scale_plain(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before,
                        const cp_leaf_pass_shift *shift, double *opt_sum) {
    if (opt_before) factor_plain(x, opt_before);
    factor_plain(x, shift);
    if (opt_sum) sum_plain(x, shift, opt_sum);
}

static double squares_plain(const cp_leaf_pass_values *x) {
    double sum = 0;
    for (size_t from = 0, end; from < x->n; from = end) {
        float lane[LANES] = {0};
        end = piece_end(from, x->n);
        for (size_t i = from; i < end; i++) lane[i % LANES] += weight_of(x->opt_weight, i) * (x->r[i] * x->r[i]);
        sum += folded(lane);
    }
    return sum;
}

static size_t extent_plain(const uint8_t *slot, uint8_t s, const uint16_t *code, size_t n, uint16_t out[2]) {
    size_t rows = 0;
    uint16_t low = UINT16_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        if (slot[i] != s) continue;
        low = code[i] < low ? code[i] : low;
        high = code[i] > high ? code[i] : high;
        rows++;
    }
    out[0] = low;
    out[1] = high;
    return rows;
}

static cp_leaf_pass_side left_plain(const cp_leaf_pass_rows *rows, uint8_t s, cp_leaf_pass_cut cut) {
    cp_leaf_pass_side side = {0};
    for (size_t from = 0, end; from < rows->n; from = end) {
        float w[LANES] = {0}, wr[LANES] = {0};
        end = piece_end(from, rows->n);
        for (size_t i = from; i < end; i++) {
            if (rows->slot[i] != s || cut.code[i] > cut.cell) continue;
            float weight = weight_of(rows->opt_weight, i);
            side.rows++;
            w[i % LANES] += weight;
            if (rows->opt_r) wr[i % LANES] += weight * rows->opt_r[i];
        }
        side.sum_w += folded(w);
        side.sum_wr += folded(wr);
    }
    return side;
}

static size_t next_plain(const uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, int right, size_t from, size_t n) {
    while (from < n && (slot[from] != s || (cut.code[from] > cut.cell) != right)) from++;
    return from;
}

static void split_plain(uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slot[i] == s && cut.code[i] > cut.cell) slot[i] = to;
}

static void rename_plain(uint8_t *slot, uint8_t from, uint8_t to, size_t n) {
    for (size_t i = 0; i < n; i++) slot[i] = slot[i] == from ? to : slot[i];
}

static size_t list_plain(const uint8_t *slot, const uint8_t in[CP_LEAF_PASS_MAX], size_t n, uint32_t *out_row) {
    size_t rows = 0;
    for (size_t i = 0; i < n; i++) {
        out_row[rows] = (uint32_t)i;
        rows += in[slot[i]];
    }
    return rows;
}

static const cp_leaf_pass plain = {
    .move = move_plain,
    .scale = scale_plain,
    .sum = sum_plain,
    .squares = squares_plain,
    .extent = extent_plain,
    .left = left_plain,
    .next = next_plain,
    .split = split_plain,
    .rename = rename_plain,
    .list = list_plain,
};

const cp_leaf_pass *cp_leaf_pass_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_leaf_pass_avx2() : &plain;
}

const cp_leaf_pass *cp_leaf_pass_best(void) {
    return cp_leaf_pass_find(cp_tier_best());
}
