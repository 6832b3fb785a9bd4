#include "bayes/rule.h"

#include <math.h>

#include "num/math.h"

/* Two rows at a time, so that the minima and maxima form two independent chains of operations. */
cp_extent cp_rule_extent(const cp_ranks *r, size_t dim, cp_span s) {
    const uint32_t *rank = cp_ranks_column(r, dim);
    cp_extent a = {rank[s.row[0]], rank[s.row[0]]}, b = a;
    size_t i = s.n & 1;
    for (; i < s.n; i += 2) {
        uint32_t p = rank[s.row[i]], q = rank[s.row[i + 1]];
        a.low = p < a.low ? p : a.low;
        a.high = p > a.high ? p : a.high;
        b.low = q < b.low ? q : b.low;
        b.high = q > b.high ? q : b.high;
    }
    return (cp_extent){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

int cp_rule_varies(const cp_ranks *r, size_t dim, cp_span s) {
    const uint32_t *rank = cp_ranks_column(r, dim);
    uint32_t first = rank[s.row[0]];
    for (size_t i = 1; i < s.n; i++)
        if (rank[s.row[i]] != first) return 1;
    return 0;
}

size_t cp_rule_columns(const cp_ranks *r, cp_span s, size_t most) {
    size_t count = 0;
    for (size_t d = 0; d < r->dims && count < most; d++) count += (size_t)cp_rule_varies(r, d, s);
    return count;
}

/* ------------------------------------------------------------------------------------------------------------ draws */

/* Guesses the cell of point `at`: if values are spread evenly, the cell's share of the ranks is the point's share of
 * the values, up to four standard deviations.  Returns e narrowed to that range, in which a search touches little
 * memory, or e itself if the guess is wrong. */
static cp_extent narrowed(const float *v, cp_extent e, double share, double at) {
    double cells = (double)(e.high - e.low);
    uint32_t near = 16 + (uint32_t)(2 * sqrt(cells)), guess = e.low + (uint32_t)(share * cells);
    cp_extent n = {guess - e.low > near ? guess - near : e.low, e.high - guess > near ? guess + near : e.high};
    return (double)v[n.low] <= at && (n.high == e.high || (double)v[n.high] > at) ? n : e;
}

/* Draws a point uniform between the two values and finds its cell by binary search. */
uint32_t cp_rule_draw_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng) {
    enum { MANY = 64 };
    const float *v = cp_ranks_values(r, dim);
    double share = cp_rng_unit(rng), at = (double)v[e.low] + share * cp_ranks_width(r, dim, e.low, e.high);
    if (e.high - e.low > MANY) e = narrowed(v, e, share, at);
    uint32_t cell = e.low, left = e.high - e.low; /* the cell is among `left` cells from `cell` on */
    while (left > 1) {
        uint32_t half = left / 2;
        cell = (double)v[cell + half] <= at ? cell + half : cell;
        left -= half;
    }
    return cell;
}

static int take_column(const cp_ranks *r, uint32_t dim, cp_span s, cp_rng *rng, cp_rule *out, cp_extent *out_extent) {
    cp_extent e = cp_rule_extent(r, dim, s);
    if (e.low == e.high) return 0;
    *out = (cp_rule){.dim = dim, .cell = cp_rule_draw_cell(r, dim, e, rng)};
    *out_extent = e;
    return 1;
}

/* If most columns vary, one of a few columns drawn with replacement does, and no order has to be made.  The first that
 * varies is uniform over all that vary, with and without replacement. */
int cp_rule_draw(const cp_ranks *r, cp_span s, cp_rng *rng, uint32_t *order, cp_rule *out, cp_extent *out_extent) {
    enum { TRIES = 3 };
    for (int i = 0; i < TRIES; i++)
        if (take_column(r, (uint32_t)cp_rng_below(rng, r->dims), s, rng, out, out_extent)) return 1;
    for (uint32_t d = 0; d < r->dims; d++) order[d] = d;
    for (size_t left = r->dims; left; left--) {
        size_t i = (size_t)cp_rng_below(rng, left);
        uint32_t dim = order[i];
        order[i] = order[left - 1];
        if (take_column(r, dim, s, rng, out, out_extent)) return 1;
    }
    return 0;
}

double cp_rule_log_prob(const cp_ranks *r, cp_rule rule, cp_extent e, size_t columns) {
    if (rule.cell < e.low || rule.cell >= e.high) return -INFINITY;
    double share = cp_ranks_width(r, rule.dim, rule.cell, rule.cell + 1) / cp_ranks_width(r, rule.dim, e.low, e.high);
    return cp_math_log(share / (double)columns);
}

/* -------------------------------------------------------------------------------------------------------- partition */

cp_extent cp_rule_gap(const cp_ranks *r, cp_rule rule, cp_extent e, cp_span s) {
    const uint32_t *rank = cp_ranks_column(r, rule.dim);
    cp_extent gap = e;
    for (size_t i = 0; i < s.n; i++) {
        uint32_t p = rank[s.row[i]], low = p <= rule.cell ? p : 0, high = p <= rule.cell ? UINT32_MAX : p;
        gap.low = low > gap.low ? low : gap.low;
        gap.high = high < gap.high ? high : gap.high;
    }
    return gap;
}

/* Writes each row to both sides and advances one of them: a branch would seldom be predicted. */
size_t cp_rule_partition(const cp_ranks *r, cp_rule rule, cp_span s, uint32_t *out_left, uint32_t *out_right) {
    const uint32_t *rank = cp_ranks_column(r, rule.dim);
    size_t left = 0;
    for (size_t i = 0; i < s.n; i++) {
        uint32_t row = s.row[i];
        size_t goes = rank[row] <= rule.cell;
        out_left[left] = row;
        out_right[i - left] = row;
        left += goes;
    }
    return left;
}
