#include "bart/core/bart_split_probs.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_parallel.h"
#include "base/mem.h"
#include "num/math.h"

copse_status cp_bart_split_probs_init(cp_bart_split_probs *s, size_t dims, int dart, copse_error *err) {
    copse_status status = COPSE_OK;
    *s = (cp_bart_split_probs){.dims = dims};
    if (!dart) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(s->opt_s, dims, err));
    CP_TRY_OUT(CP_RAW(s->opt_sum, dims, err));
    for (size_t d = 0; d < dims; d++) s->opt_s[d] = 1 / (double)dims;
    cp_bart_split_probs_set(s, s->opt_s);
out:
    if (status) cp_bart_split_probs_clear(s);
    return status;
}

void cp_bart_split_probs_clear(cp_bart_split_probs *s) {
    cp_mem_free(s->opt_s);
    cp_mem_free(s->opt_sum);
    *s = (cp_bart_split_probs){0};
}

void cp_bart_split_probs_set(cp_bart_split_probs *s, const double *probability) {
    double sum = 0;
    for (size_t d = 0; d < s->dims; d++) {
        s->opt_s[d] = fmax(probability[d], 1e-200);
        s->opt_sum[d] = sum += s->opt_s[d];
    }
}

uint32_t cp_bart_split_probs_draw(const cp_bart_split_probs *s, cp_rng *rng) {
    if (!s->opt_s) return (uint32_t)cp_rng_below(rng, s->dims);
    double u = cp_rng_unit(rng) * s->opt_sum[s->dims - 1];
    size_t low = 0, left = s->dims; /* the column is among `left` columns from `low` on */
    while (left > 1) {
        size_t half = left / 2;
        low = s->opt_sum[low + half - 1] <= u ? low + half : low;
        left -= half;
    }
    return (uint32_t)low;
}

/* ------------------------------------------------------------------------------------------------ columns that vary */

/* 1 if some row has a greater or a smaller code than the first row; mostly few rows are read. */
static int varies(const cp_bart_columns *c, size_t dim, cp_bart_group g) {
    size_t n = c->ranks.rows;
    const uint16_t *code = cp_bart_columns_code(c, dim);
    const uint8_t *at = memchr(g.slot, g.id, n);
    size_t first = at ? (size_t)(at - g.slot) : n;
    if (first == n) return 0;
    if (c->leaf_pass->next(g.slot, g.id, (cp_leaf_pass_cut){code, code[first]}, 1, first, n) < n) return 1;
    return code[first] &&
           c->leaf_pass->next(g.slot, g.id, (cp_leaf_pass_cut){code, (uint16_t)(code[first] - 1)}, 0, first, n) < n;
}

static cp_extent extent_of(const cp_bart_view *v, size_t dim, cp_bart_group g) {
    uint16_t end[2];
    size_t n = cp_bart_parallel_extent(v, g, dim, end);
    return n ? (cp_extent){end[0], end[1]} : (cp_extent){0, 0};
}

double cp_bart_split_probs_mass(const cp_bart_view *v, cp_bart_group rows) {
    double mass = 0;
    for (size_t d = 0; d < v->split_probs->dims; d++)
        if (varies(v->columns, d, rows)) mass += cp_bart_split_probs_of(v->split_probs, d);
    return mass;
}

/* Draws a column among those that vary, by testing all columns. */
static uint32_t draw_varying(const cp_bart_view *v, cp_bart_group rows, cp_rng *rng) {
    double left = cp_rng_unit(rng) * cp_bart_split_probs_mass(v, rows);
    uint32_t last = 0;
    for (uint32_t d = 0; d < v->split_probs->dims; d++) {
        if (!varies(v->columns, d, rows)) continue;
        last = d;
        left -= cp_bart_split_probs_of(v->split_probs, d);
        if (left < 0) break;
    }
    return last;
}

/* Draws columns until one varies: rejection sampling from the columns that vary.  After TRIES rejections, the columns
 * that vary are listed. */
int cp_bart_split_probs_draw_rule(const cp_bart_view *v, cp_bart_group rows, cp_rng *rng, cp_rule *out) {
    enum { TRIES = 4 };
    cp_extent e = {0, 0};
    for (int i = 0; i <= TRIES && e.low == e.high; i++) {
        out->dim = i < TRIES ? cp_bart_split_probs_draw(v->split_probs, rng) : draw_varying(v, rows, rng);
        e = extent_of(v, out->dim, rows);
    }
    if (e.low == e.high) return 0;
    out->cell = cp_rule_draw_cell(&v->columns->ranks, out->dim, e, rng);
    return 1;
}

double cp_bart_split_probs_log_rule(const cp_bart_view *v, cp_rule rule, cp_bart_group rows) {
    const cp_ranks *r = &v->columns->ranks;
    cp_extent e = extent_of(v, rule.dim, rows);
    if (rule.cell < e.low || rule.cell >= e.high) return -INFINITY;
    double width = cp_ranks_width(r, rule.dim, rule.cell, rule.cell + 1) / cp_ranks_width(r, rule.dim, e.low, e.high);
    return cp_math_log(width * cp_bart_split_probs_of(v->split_probs, rule.dim) / cp_bart_split_probs_mass(v, rows));
}
