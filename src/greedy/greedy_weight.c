#include "greedy/greedy_weight.h"

#include <math.h>

#include "base/mem.h"
#include "num/draw.h"

/* ------------------------------------------------------------------------------------------------------ own weights */

static double largest(const uint32_t *row, size_t n, const double *weight) {
    double max = 0;
    for (size_t i = 0; i < n; i++) max = fmax(max, weight[row[i]]);
    return max;
}

/* Scales the weights to a sum of n.  They are divided by the largest first: the sum of weights like 1e308 overflows. */
static void scale_to_count(const uint32_t *row, size_t n, double *weight) {
    double max = largest(row, n, weight), sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[row[i]] /= max;
    for (size_t i = 0; i < n; i++) weight[row[i]] *= (double)n / sum;
}

/* A weight below this share of the heaviest one would underflow when it is scaled: it counts as 0. */
static const double too_light = 1e-200;

/* Whether all weights are whole numbers that are plausible as counts of rows. */
static int are_counts(const double *weight, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] != floor(weight[i])) return 0;
        sum += weight[i];
    }
    return sum <= 0x1p40;
}

copse_status cp_greedy_weight_init(cp_greedy_weight *w, const cp_rows *rows, int may_count, copse_error *err) {
    *w = (cp_greedy_weight){0};
    CP_TRY(CP_RAW(w->row, rows->n, err));
    for (size_t i = 0; i < rows->n; i++) w->row[i] = (uint32_t)i;
    w->rows = rows->n;
    if (!rows->weight) return COPSE_OK;
    CP_TRY(CP_RAW(w->own, rows->n, err));
    w->are_counts = may_count && are_counts(rows->weight, rows->n);
    double max = w->are_counts ? 1 : largest(w->row, w->rows, rows->weight);
    w->rows = 0;
    for (size_t i = 0; i < rows->n; i++) {
        double share = rows->weight[i] / max;
        w->own[i] = share > too_light ? share : 0;
        if (w->own[i] > 0) w->row[w->rows++] = (uint32_t)i;
    }
    if (!w->are_counts) scale_to_count(w->row, w->rows, w->own);
    return COPSE_OK;
}

void cp_greedy_weight_clear(cp_greedy_weight *w) {
    cp_mem_free(w->row);
    cp_mem_free(w->own);
    *w = (cp_greedy_weight){0};
}

/* ------------------------------------------------------------------------------------------------------------ draws */

/* Uniform on 0 ... n-1, by a product in place of a division [Lemire 2019].  The few of the 2^32 words that would make
 * some results more likely than others are rejected. */
static uint32_t below(cp_rng *rng, uint32_t n) {
    for (;;) {
        uint64_t wide = (uint64_t)cp_rng_u32(rng) * n;
        uint32_t rest = (uint32_t)wide;
        if (rest >= n || rest >= (0 - n) % n) return (uint32_t)(wide >> 32);
    }
}

/* Multiplies the weights drawn by the rows' own weights. */
static void multiply(const uint32_t *row, size_t n, const double *own, double *out) {
    if (!own) return;
    for (size_t i = 0; i < n; i++) out[row[i]] *= own[row[i]];
    scale_to_count(row, n, out);
}

void cp_greedy_weight_bootstrap(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                double *out) {
    cp_rng rng;
    cp_rng_init(&rng, draw.seed, CP_FOR_WEIGHT, draw.tree, draw.subset);
    for (size_t i = 0; i < n; i++) out[row[i]] = 0;
    for (size_t i = 0; i < n; i++) out[row[below(&rng, (uint32_t)n)]] += 1;
    multiply(row, n, own, out);
}

void cp_greedy_weight_exponential(const uint32_t *row, size_t n, const double *own, cp_greedy_weight_draw draw,
                                  double *out) {
    cp_rng rng;
    cp_rng_init(&rng, draw.seed, CP_FOR_WEIGHT, draw.tree, draw.subset);
    for (size_t i = 0; i < n; i++) out[row[i]] = cp_draw_exp(&rng);
    if (own)
        multiply(row, n, own, out);
    else
        scale_to_count(row, n, out);
}

/* Words that have a bit for each of the row numbers. */
static size_t words_for(const uint32_t *row, size_t n) {
    size_t words = 1;
    for (size_t i = 0; i < n; i++) words = row[i] / 64 < words ? words : row[i] / 64 + 1;
    return words;
}

/* Sorts row numbers.  Each occurs once, so a bit set is enough; its bits are 0 before and after. */
static void sort_rows(uint32_t *row, size_t n, uint64_t *bit, size_t words) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) bit[row[i] / 64] |= (uint64_t)1 << row[i] % 64;
    for (size_t k = 0; k < words; k++) {
        for (; bit[k]; bit[k] &= bit[k] - 1) row[at++] = (uint32_t)(k * 64 + (size_t)__builtin_ctzll(bit[k]));
    }
}

copse_status cp_greedy_weight_sample(uint32_t *row, size_t n, const cp_greedy_sample *s, copse_error *err) {
    cp_rng rng;
    uint64_t *bit;
    size_t words = words_for(row, n);
    CP_TRY(CP_NEW(bit, words, err));
    cp_rng_init(&rng, s->seed, CP_FOR_PART, 0, s->draw);
    for (size_t i = 0; i < s->rows; i++) {
        size_t j = i + below(&rng, (uint32_t)(n - i));
        uint32_t swap = row[i];
        row[i] = row[j];
        row[j] = swap;
    }
    sort_rows(row, s->rows, bit, words);
    sort_rows(row + s->rows, n - s->rows, bit, words);
    cp_mem_free(bit);
    return COPSE_OK;
}

copse_status cp_greedy_weight_sort(uint32_t *row, size_t n, copse_error *err) {
    uint64_t *bit;
    size_t words = words_for(row, n);
    CP_TRY(CP_NEW(bit, words, err));
    sort_rows(row, n, bit, words);
    cp_mem_free(bit);
    return COPSE_OK;
}
