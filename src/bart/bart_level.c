#include "bart/bart_level.h"

#include <math.h>

#include "base/mem.h"
#include "num/sort.h"

/* Rows between which there is no gap to speak of, in the order of their residuals; and the best way to cut all up to here. */
typedef struct cp_bart_block {
    size_t begin, end; /* of its rows in the order */
    double w, wr;      /* sums over it */
    float low, high;
    double best;  /* up to and with this one */
    size_t first; /* block of the last level there */
} block;

copse_status cp_bart_levels_init(cp_bart_levels *l, size_t rows, copse_error *err) {
    copse_status status;
    *l = (cp_bart_levels){0};
    CP_TRY_OUT(CP_NEW(l->of, rows, err));
    CP_TRY_OUT(CP_RAW(l->key, 2 * rows, err));
    CP_TRY_OUT(CP_RAW(l->block, CP_BART_LEVELS, err));
out:
    if (status) cp_bart_levels_clear(l);
    return status;
}

void cp_bart_levels_clear(cp_bart_levels *l) {
    cp_mem_free(l->of);
    cp_mem_free(l->key);
    cp_mem_free(l->block);
    *l = (cp_bart_levels){0};
}

void cp_bart_levels_none(cp_bart_levels *l, cp_span rows) {
    l->n = 1;
    for (size_t i = 0; i < rows.n; i++) l->of[rows.row[i]] = 0;
}

static void sort_rows(cp_bart_levels *l, const cp_bart_view *v, cp_span rows) {
    for (size_t i = 0; i < rows.n; i++) l->key[i] = (uint64_t)cp_sort_from_float(v->r[rows.row[i]]) << 32 | rows.row[i];
    cp_sort_wide(l->key, rows.n, l->key + rows.n);
}

/* Blocks parted by gaps of more than half the noise; or by wider ones, if there were too many of them. */
static size_t find_blocks(cp_bart_levels *l, const cp_bart_view *v, size_t rows, double gap) {
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        uint32_t row = (uint32_t)l->key[i];
        float r = v->r[row];
        if (!n || (double)r - (double)l->block[n - 1].high > gap) {
            if (n == CP_BART_LEVELS) return find_blocks(l, v, rows, 2 * gap);
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

/* The last level of the best cut up to block j begins at its `first`.  Levels much wider than the noise are not tried. */
static void cut_blocks(cp_bart_levels *l, const cp_bart_view *v, size_t n, double price) {
    const double widest = 8 * sqrt(v->noise_var);
    for (size_t j = 0; j < n; j++) {
        block *b = &l->block[j];
        double w = 0, wr = 0;
        b->best = -INFINITY;
        for (size_t i = j + 1; i-- > 0;) {
            const block *a = &l->block[i];
            if (i < j && (double)b->low - (double)a->high > widest) break;
            w += a->w;
            wr += a->wr;
            double value = (i ? l->block[i - 1].best : 0) + cp_bart_log_leaf(v, w, wr) - price;
            if (value > b->best) {
                b->best = value;
                b->first = i;
            }
        }
    }
}

/* From the top down, so levels are numbered from the top. */
static void name_levels(cp_bart_levels *l, size_t blocks) {
    l->n = 0;
    for (size_t j = blocks; j; j = l->block[j - 1].first) {
        const block *first = &l->block[l->block[j - 1].first];
        for (size_t i = first->begin; i < l->block[j - 1].end; i++) l->of[(uint32_t)l->key[i]] = (uint16_t)l->n;
        l->n++;
    }
}

void cp_bart_levels_find(cp_bart_levels *l, const cp_bart_view *v, cp_span rows, double price) {
    sort_rows(l, v, rows);
    size_t blocks = find_blocks(l, v, rows.n, 0.5 * sqrt(v->noise_var));
    cut_blocks(l, v, blocks, price);
    name_levels(l, blocks);
}
