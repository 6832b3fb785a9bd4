#include "bart/pg/bart_pg_levels.h"

#include <math.h>

#include "base/mem.h"
#include "kernel/sort.h"
#include "num/math.h"

/* A block: consecutive rows in the order of residuals without a wide gap between them; and the best division of all
 * blocks up to this one into levels. */
typedef struct cp_bart_pg_levels_block {
    size_t begin, end; /* positions of its rows in the order */
    double w, wr;      /* sums over its rows */
    float low, high;
    double best;  /* score of the best division up to this block */
    size_t first; /* the first block of the last level of that division */
} block;

copse_status cp_bart_pg_levels_init(cp_bart_pg_levels *l, size_t rows, copse_error *err) {
    copse_status status;
    *l = (cp_bart_pg_levels){0};
    CP_TRY_OUT(CP_NEW(l->of, rows, err));
    CP_TRY_OUT(CP_RAW(l->key, 3 * rows, err));
    CP_TRY_OUT(CP_RAW(l->block, CP_BART_PG_LEVELS_MAX, err));
out:
    if (status) cp_bart_pg_levels_clear(l);
    return status;
}

void cp_bart_pg_levels_clear(cp_bart_pg_levels *l) {
    cp_mem_free(l->of);
    cp_mem_free(l->key);
    cp_mem_free(l->block);
    *l = (cp_bart_pg_levels){0};
}

void cp_bart_pg_levels_none(cp_bart_pg_levels *l, cp_span rows) {
    l->n = 1;
    l->usual_rows = rows.n;
    for (size_t i = 0; i < rows.n; i++) l->of[rows.row[i]] = 0;
}

static void sort_rows(cp_bart_pg_levels *l, const cp_bart_view *v, cp_span rows) {
    for (size_t i = 0; i < rows.n; i++) l->key[i] = (uint64_t)cp_sort_from_float(v->r[rows.row[i]]) << 32 | rows.row[i];
    cp_sort_wide(l->key, rows.n, l->key + rows.n);
}

/* Separates blocks by gaps wider than `gap`; doubles the gap if there would be too many blocks. */
static size_t find_blocks(cp_bart_pg_levels *l, const cp_bart_view *v, size_t rows, double gap) {
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        uint32_t row = (uint32_t)l->key[i];
        float r = v->r[row];
        if (!n || (double)r - (double)l->block[n - 1].high > gap) {
            if (n == CP_BART_PG_LEVELS_MAX) return find_blocks(l, v, rows, 2 * gap);
            l->block[n++] = (block){.low = r, .begin = i};
        }
        block *b = &l->block[n - 1];
        double w = v->opt_weight ? (double)v->opt_weight[row] : 1;
        b->end = i + 1;
        b->w += w;
        b->wr += w * (double)r;
        b->high = r;
    }
    return n;
}

/* The score of a level of n rows among all, without the penalty: bart_pg_levels.h. */
static double log_level(const cp_bart_view *v, const block *sum, size_t rows) {
    double n = (double)(sum->end - sum->begin);
    return cp_bart_view_log_leaf(v, sum->w, sum->wr) + n * cp_math_log(n / (double)rows);
}

/* Dynamic programming: the last level of the best division up to block j begins at block[j].first.  Levels much wider
 * than the noise are not tried. */
static void cut_blocks(cp_bart_pg_levels *l, const cp_bart_view *v, size_t n, double leaf_penalty) {
    const double widest = 8 * sqrt(v->noise_var);
    size_t rows = l->block[n - 1].end;
    for (size_t j = 0; j < n; j++) {
        block *b = &l->block[j], sum = {.end = b->end};
        b->best = -INFINITY;
        for (size_t i = j + 1; i-- > 0;) {
            const block *a = &l->block[i];
            if (i < j && (double)b->low - (double)a->high > widest) break;
            sum.begin = a->begin;
            sum.w += a->w;
            sum.wr += a->wr;
            double value = (i ? l->block[i - 1].best : 0) + log_level(v, &sum, rows) - leaf_penalty;
            if (value > b->best) {
                b->best = value;
                b->first = i;
            }
        }
    }
}

/* Follows `first` from the last block, so levels are numbered from the greatest residuals down. */
static void number_levels(cp_bart_pg_levels *l, size_t blocks) {
    l->n = 0;
    for (size_t j = blocks; j; j = l->block[j - 1].first) {
        const block *first = &l->block[l->block[j - 1].first];
        for (size_t i = first->begin; i < l->block[j - 1].end; i++) l->of[(uint32_t)l->key[i]] = (uint16_t)l->n;
        l->n++;
    }
}

/* The size of a level such that a quarter of the rows are in levels of at most that size. */
static size_t find_usual_rows(cp_bart_pg_levels *l, size_t rows) {
    size_t below = 0;
    uint64_t *size = l->key + rows;
    for (size_t k = 0; k < l->n; k++) size[k] = 0;
    for (size_t i = 0; i < rows; i++) size[l->of[(uint32_t)l->key[i]]] += UINT64_C(1) << 32;
    cp_sort_wide(size, l->n, size + l->n);
    for (size_t k = 0; k < l->n; k++) {
        below += (size_t)(size[k] >> 32);
        if (4 * below >= rows) return (size_t)(size[k] >> 32);
    }
    return rows;
}

/* cp_bart_view_log_leaf leaves out terms that depend on the noise only.  For noise s2 in place of s02 they are, for
 * each row, 1/2 log(s02/s2) + w r^2 (1/s02 - 1/s2) / 2. */
static double log_rescaled(const cp_bart_view *v, cp_span rows, double noise_var) {
    double sum = 0;
    for (size_t i = 0; i < rows.n; i++) {
        double r = (double)v->r[rows.row[i]];
        sum += (v->opt_weight ? (double)v->opt_weight[rows.row[i]] : 1) * r * r;
    }
    return 0.5 * ((double)rows.n * cp_math_log(v->noise_var / noise_var) + sum * (1 / v->noise_var - 1 / noise_var));
}

void cp_bart_pg_levels_find(cp_bart_pg_levels *l, const cp_bart_view *v, cp_span rows, double leaf_penalty) {
    enum { SCALES = 6 }; /* of sigma, each a quarter of the one before */
    cp_bart_view fine = *v;
    double best = -INFINITY;
    sort_rows(l, v, rows);
    for (int k = 0; k < SCALES; k++, fine.noise_var /= 16) {
        size_t blocks = find_blocks(l, &fine, rows.n, 0.5 * sqrt(fine.noise_var));
        cut_blocks(l, &fine, blocks, leaf_penalty);
        double value = l->block[blocks - 1].best + log_rescaled(v, rows, fine.noise_var);
        if (!(value > best)) continue;
        best = value;
        number_levels(l, blocks);
    }
    l->usual_rows = find_usual_rows(l, rows.n);
}
