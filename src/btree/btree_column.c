#include "btree/btree_column.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/sort.h"

enum { SPARSE = 4 }; /* more ranks than this times the rows: sorted, not counted */

copse_status cp_btree_column_init(cp_btree_column *c, const cp_btree_problem *b, copse_error *err) {
    size_t n = b->ranks.rows;
    copse_status status;
    *c = (cp_btree_column){.b = b};
    CP_TRY_OUT(CP_RAW(c->rank, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->end, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->log_lik, n, err));
    CP_TRY_OUT(CP_RAW(c->mass, n, err));
    CP_TRY_OUT(CP_RAW(c->row, n, err));
    CP_TRY_OUT(CP_RAW(c->count, n, err)); /* of ranks: there are no more than rows */
    CP_TRY_OUT(CP_RAW(c->key, 2 * n, err));
    CP_TRY_OUT(CP_RAW(c->stat, 2 * b->leaf.width, err));
out:
    if (status) cp_btree_column_clear(c);
    return status;
}

void cp_btree_column_clear(cp_btree_column *c) {
    cp_mem_free(c->rank);
    cp_mem_free(c->end);
    cp_mem_free(c->log_lik);
    cp_mem_free(c->mass);
    cp_mem_free(c->row);
    cp_mem_free(c->count);
    cp_mem_free(c->key);
    cp_mem_free(c->stat);
    *c = (cp_btree_column){0};
}

/* ------------------------------------------------------------------------------------------------------------- sorting */

static void sort_by_counting(cp_btree_column *c, cp_span s, const uint32_t *rank, cp_extent e) {
    uint32_t range = e.high - e.low + 1, at = 0;
    size_t values = 0;
    memset(c->count, 0, range * sizeof *c->count);
    for (size_t i = 0; i < s.n; i++) c->count[rank[s.row[i]] - e.low]++;
    for (uint32_t r = 0; r < range; r++) {
        uint32_t here = c->count[r];
        c->count[r] = at;
        c->rank[values] = e.low + r;
        c->end[values] = at += here;
        values += here > 0;
    }
    c->gaps = values - 1;
    for (size_t i = 0; i < s.n; i++) c->row[c->count[rank[s.row[i]] - e.low]++] = s.row[i];
}

static void sort_by_key(cp_btree_column *c, cp_span s, const uint32_t *rank) {
    size_t values = 0;
    for (size_t i = 0; i < s.n; i++) c->key[i] = (uint64_t)rank[s.row[i]] << 32 | s.row[i];
    cp_sort_wide(c->key, s.n, c->key + s.n);
    for (size_t i = 0; i < s.n; i++) {
        c->row[i] = (uint32_t)c->key[i];
        c->rank[values] = (uint32_t)(c->key[i] >> 32);
        c->end[values] = (uint32_t)i + 1;
        values += i + 1 == s.n || c->key[i + 1] >> 32 != c->key[i] >> 32;
    }
    c->gaps = values - 1;
}

void cp_btree_column_load(cp_btree_column *c, const cp_btree_view *block, uint32_t dim, cp_extent e) {
    const uint32_t *rank = cp_ranks_column(&c->b->ranks, dim);
    c->dim = dim;
    if ((e.high - e.low) / SPARSE < block->span.n)
        sort_by_counting(c, block->span, rank, e);
    else
        sort_by_key(c, block->span, rank);
    cp_leaf_scan(&c->b->leaf, c->row, c->end, c->gaps, block->stat, c->stat, c->log_lik);
}

/* -------------------------------------------------------------------------------------------------------------- gaps */

double cp_btree_column_share(const cp_btree_column *c, size_t gap) {
    const cp_ranks *r = &c->b->ranks;
    return cp_ranks_width(r, c->dim, c->rank[gap], c->rank[gap + 1]) /
           cp_ranks_width(r, c->dim, c->rank[0], c->rank[c->gaps]);
}

void cp_btree_column_sum(cp_btree_column *c) {
    double top = -INFINITY;
    for (size_t g = 0; g < c->gaps; g++) top = fmax(top, c->log_lik[g]);
    c->sum = 0;
    for (size_t g = 0; g < c->gaps; g++) {
        c->mass[g] = cp_btree_column_share(c, g) * exp(c->log_lik[g] - top);
        c->sum += c->mass[g];
    }
    c->log_sum = top + log(c->sum);
}

/* The last gap that begins at or before the cut. */
size_t cp_btree_column_gap_at(const cp_btree_column *c, double u) {
    const float *v = cp_ranks_values(&c->b->ranks, c->dim);
    double low = (double)v[c->rank[0]], at = low + u * ((double)v[c->rank[c->gaps]] - low);
    size_t gap = 0, left = c->gaps;
    while (left > 1) {
        size_t half = left / 2;
        gap = (double)v[c->rank[gap + half]] <= at ? gap + half : gap;
        left -= half;
    }
    return gap;
}

size_t cp_btree_column_gap_by_mass(const cp_btree_column *c, double u) {
    double left = u * c->sum;
    size_t last = 0;
    for (size_t g = 0; g < c->gaps; g++) {
        if (!(c->mass[g] > 0)) continue;
        last = g;
        left -= c->mass[g];
        if (left < 0) break;
    }
    return last;
}
