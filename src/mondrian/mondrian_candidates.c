#include "mondrian/mondrian_candidates.h"

#include <math.h>
#include <string.h>

#include "mondrian/mondrian_split.h"

copse_status cp_mondrian_candidates_alloc(cp_mondrian_candidates_scratch *c, size_t n, const cp_mondrian_space *s,
                                          cp_arena *arena, copse_error *err) {
    size_t k = s->candidates, kinds = n < s->classes ? n : s->classes;
    *c = (cp_mondrian_candidates_scratch){
        .side = cp_arena_get(arena, s->dims, sizeof *c->side),
        .draw = cp_arena_get(arena, k, sizeof *c->draw),
        .sum = cp_arena_get(arena, 2 * k, sizeof *c->sum),
        .left = cp_arena_get(arena, k, sizeof *c->left),
        .count = cp_arena_get(arena, kinds * k + 1, sizeof *c->count),
        .total = cp_arena_get(arena, kinds + 1, sizeof *c->total),
        .place = cp_arena_get(arena, s->classes + 1, sizeof *c->place),
    };
    if (!c->side || !c->draw || !c->sum || !c->left || !c->count || !c->total || !c->place) return cp_fail_memory(err);
    for (size_t i = 0; i < s->classes; i++) c->place[i] = CP_NONE;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ draws */

double cp_mondrian_candidates_extent(const cp_mondrian_candidates_scratch *c, const float *box, size_t dims) {
    double sum = 0;
    for (size_t d = 0; d < dims; d++) c->side[d] = sum += (double)(box[dims + d] - box[d]);
    return sum;
}

/* The first side whose end lies behind the drawn position. */
cp_mondrian_split cp_mondrian_candidates_draw(const cp_mondrian_candidates_scratch *c, const float *box, size_t dims,
                                              cp_rng *rng) {
    const double *end = c->side;
    double total = end[dims - 1], at = cp_rng_unit(rng) * total;
    if (!(at < total)) at = nextafter(total, 0); /* by rounding */
    size_t low = 0, n = dims;
    while (n > 1) {
        size_t half = n / 2;
        low += end[low + half - 1] <= at ? half : 0;
        n -= half;
    }
    double offset = low ? at - end[low - 1] : at;
    return (cp_mondrian_split){(int32_t)low, cp_mondrian_split_cut(box[low], box[dims + low], offset)};
}

/* ----------------------------------------------------------------------------------------------------------- choice */

size_t cp_mondrian_candidates_voters(const cp_mondrian_space *s, size_t n) {
    enum { DIGITS = 2 };
    size_t low = 0;
    if (!s->lazy) return n;
    while (n >> low >= (size_t)1 << DIGITS) low++;
    return n >> low << low;
}

/* a^2 / rows, 0 for an empty side. */
static inline double per_row(double square, double rows) {
    return rows > 0 ? square / rows : 0;
}

/* Counts the rows on the left of every candidate, and adds up their targets; returns the sum of all targets. */
static int64_t sum_sides(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                         const cp_mondrian_split *candidate, const int32_t *row, size_t n) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const float *x = cp_mondrian_tree_row(s, row[i]);
        int64_t y = s->whole[row[i]];
        sum += y;
        for (size_t k = 0; k < s->candidates; k++) {
            int left = x[candidate[k].dim] <= candidate[k].cut;
            c->left[k] += left;
            c->sum[k] += y & -(int64_t)left;
        }
    }
    return sum;
}

static size_t best_of_numbers(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                              const cp_mondrian_split *candidate, const int32_t *row, size_t n) {
    double most = -1;
    size_t best = 0;
    int64_t all = sum_sides(c, s, candidate, row, n);
    for (size_t k = 0; k < s->candidates; k++) {
        double left = (double)c->sum[k], right = (double)(all - c->sum[k]), rows = c->left[k];
        double score = per_row(left * left, rows) + per_row(right * right, (double)n - rows);
        if (!(score > most)) continue;
        most = score;
        best = k;
    }
    return best;
}

/* Counts the rows of each class, in all (c->total) and on the left of every candidate (c->count, c->left); returns the
 * number of classes. */
static size_t count_sides(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                          const cp_mondrian_split *candidate, const int32_t *row, size_t n) {
    size_t kinds = 0, m = s->candidates;
    for (size_t i = 0; i < n; i++) {
        const float *x = cp_mondrian_tree_row(s, row[i]);
        int32_t *place = &c->place[s->label[row[i]]];
        if (*place == CP_NONE) {
            *place = (int32_t)kinds++;
            c->total[*place] = 0;
            memset(c->count + (size_t)*place * m, 0, m * sizeof *c->count);
        }
        int32_t *count = c->count + (size_t)*place * m;
        c->total[*place]++;
        for (size_t k = 0; k < m; k++) count[k] += x[candidate[k].dim] <= candidate[k].cut;
    }
    for (size_t i = 0; i < n; i++) c->place[s->label[row[i]]] = CP_NONE;
    return kinds;
}

static size_t best_of_classes(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                              const cp_mondrian_split *candidate, const int32_t *row, size_t n) {
    size_t m = s->candidates, kinds = count_sides(c, s, candidate, row, n), best = 0;
    int64_t *left = c->sum, *right = c->sum + m;
    double most = -1;
    for (size_t i = 0; i < kinds; i++)
        for (size_t k = 0; k < m; k++) {
            int64_t l = c->count[i * m + k], r = c->total[i] - l;
            c->left[k] += (int32_t)l;
            left[k] += l * l;
            right[k] += r * r;
        }
    for (size_t k = 0; k < m; k++) {
        double rows = c->left[k], score = per_row((double)left[k], rows) + per_row((double)right[k], (double)n - rows);
        if (!(score > most)) continue;
        most = score;
        best = k;
    }
    return best;
}

size_t cp_mondrian_candidates_best(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                                   const cp_mondrian_split *candidate, const int32_t *row, size_t n) {
    memset(c->left, 0, s->candidates * sizeof *c->left);
    memset(c->sum, 0, 2 * s->candidates * sizeof *c->sum);
    return s->label ? best_of_classes(c, s, candidate, row, n) : best_of_numbers(c, s, candidate, row, n);
}

/* --------------------------------------------------------------------------------------------------- whole numbers */

int32_t cp_mondrian_candidates_whole(double y, double unit) {
    enum { MOST = 1 << 30 }; /* 2^14 standard deviations: further out a target counts as so far out */
    if (!(unit > 0)) return 0;
    double whole = rint(y / unit);
    return whole > MOST ? MOST : whole < -MOST ? -MOST : (int32_t)whole;
}

double cp_mondrian_candidates_unit(const double *y, size_t n, double center) {
    enum { DIGITS = 16 };
    double square = 0, most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(y[i] - center));
    if (!(most > 1e-12 * fabs(center))) return 0;
    for (size_t i = 0; i < n; i++) {
        double off = (y[i] - center) / most;
        square += off * off / (double)n;
    }
    return ldexp(1, ilogb(most * sqrt(square)) - DIGITS);
}
