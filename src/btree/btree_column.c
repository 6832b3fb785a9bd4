#include "btree/btree_column.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"

enum {
    SPARSE = 4,   /* more ranks than this times the rows: sorted, not counted */
    SHORT = 65536 /* as many ranks, from the lowest, have short keys */
};

/* Keys are for ranks further apart than 16 bits can say: there must be more rows than that. */
copse_status cp_btree_column_init(cp_btree_column *c, const cp_btree_problem *b, copse_error *err) {
    size_t n = b->ranks.rows;
    copse_status status;
    *c = (cp_btree_column){.b = b};
    CP_TRY_OUT(CP_RAW(c->rank, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->end, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->log_lik, n, err));
    CP_TRY_OUT(CP_RAW(c->mass, n, err));
    CP_TRY_OUT(CP_RAW(c->near, n, err));
    CP_TRY_OUT(CP_RAW(c->row, n, err));
    CP_TRY_OUT(CP_RAW(c->count, n, err)); /* of ranks, of which there are no more than rows; or short keys */
    if (n > SHORT) CP_TRY_OUT(CP_RAW(c->key, 2 * n, err));
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
    cp_mem_free(c->near);
    cp_mem_free(c->row);
    cp_mem_free(c->count);
    cp_mem_free(c->key);
    cp_mem_free(c->stat);
    *c = (cp_btree_column){0};
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* Ranks of the block's rows, in their order: from here on read one after the other. */
static cp_extent fetch_ranks(cp_btree_column *c, cp_span s, const uint32_t *rank) {
    cp_extent e = {UINT32_MAX, 0};
    for (size_t i = 0; i < s.n; i++) c->near[i] = rank[s.row[i]];
    for (size_t i = 0; i < s.n; i++) {
        e.low = c->near[i] < e.low ? c->near[i] : e.low;
        e.high = c->near[i] > e.high ? c->near[i] : e.high;
    }
    return e;
}

static size_t sort_by_counting(cp_btree_column *c, cp_span s, cp_extent e) {
    uint32_t range = e.high - e.low + 1, at = 0;
    size_t values = 0;
    memset(c->count, 0, range * sizeof *c->count);
    for (size_t i = 0; i < s.n; i++) c->count[c->near[i] - e.low]++;
    for (uint32_t r = 0; r < range; r++) {
        uint32_t here = c->count[r];
        c->count[r] = at;
        c->rank[values] = e.low + r;
        c->end[values] = at += here;
        values += here > 0;
    }
    for (size_t i = 0; i < s.n; i++) c->row[c->count[c->near[i] - e.low]++] = s.row[i];
    return values;
}

/* The i-th row in the column's order, and its rank, the so manieth value.  Rows of one rank write over each other. */
static void put_sorted(cp_btree_column *c, size_t i, uint32_t row, uint32_t rank, size_t values) {
    c->row[i] = row;
    c->rank[values] = rank;
    c->end[values] = (uint32_t)i + 1;
}

static size_t sort_by_key(cp_btree_column *c, cp_span s) {
    uint64_t *key = c->key;
    size_t values = 0;
    for (size_t i = 0; i < s.n; i++) key[i] = (uint64_t)c->near[i] << 32 | s.row[i];
    cp_sort_wide(key, s.n, key + s.n);
    for (size_t i = 0; i < s.n; i++) {
        put_sorted(c, i, (uint32_t)key[i], (uint32_t)(key[i] >> 32), values);
        values += i + 1 == s.n || key[i + 1] >> 32 != key[i] >> 32;
    }
    return values;
}

/* Ranks from the lowest, and places among the rows, in 16 bits each; there are 4 times as many ranks as rows, so
 * `count` has room for the keys twice. */
static size_t sort_by_short_key(cp_btree_column *c, cp_span s, cp_extent e) {
    uint32_t *key = c->count;
    size_t values = 0;
    for (size_t i = 0; i < s.n; i++) key[i] = (c->near[i] - e.low) << 16 | (uint32_t)i;
    cp_sort_narrow(key, s.n, e.high - e.low + 1, key + s.n);
    for (size_t i = 0; i < s.n; i++) {
        put_sorted(c, i, s.row[key[i] & 0xffff], e.low + (key[i] >> 16), values);
        values += i + 1 == s.n || key[i + 1] >> 16 != key[i] >> 16;
    }
    return values;
}

static size_t sort_rows(cp_btree_column *c, cp_span s, cp_extent e) {
    if ((e.high - e.low) / SPARSE < s.n) return sort_by_counting(c, s, e);
    return e.high - e.low < SHORT ? sort_by_short_key(c, s, e) : sort_by_key(c, s);
}

void cp_btree_column_load(cp_btree_column *c, const cp_btree_view *block, uint32_t dim) {
    cp_extent e = fetch_ranks(c, block->span, cp_ranks_column(&c->b->ranks, dim));
    c->dim = dim;
    c->gaps = 0;
    if (e.low == e.high) return;
    c->gaps = sort_rows(c, block->span, e) - 1;
    cp_leaf_scan(&c->b->leaf, &(cp_leaf_cuts){c->row, c->end, c->gaps}, block->stat, c->stat, c->log_lik);
}

/* ------------------------------------------------------------------------------------------------------------- gaps */

double cp_btree_column_share(const cp_btree_column *c, size_t gap) {
    const cp_ranks *r = &c->b->ranks;
    return cp_ranks_width(r, c->dim, c->rank[gap], c->rank[gap + 1]) /
           cp_ranks_width(r, c->dim, c->rank[0], c->rank[c->gaps]);
}

/* A gap less likely than the likeliest by so much has no mass and needs no exponential, as most gaps of a large block:
 * even if that one has the least share of an extent there can be among floats, e^-192, all of e^22 such gaps are lost
 * in rounding. */
enum { LOST = 300 };

void cp_btree_column_sum(cp_btree_column *c) {
    const float *v = cp_ranks_values(&c->b->ranks, c->dim);
    double top = c->log_lik[0], extent = cp_ranks_width(&c->b->ranks, c->dim, c->rank[0], c->rank[c->gaps]);
    for (size_t g = 1; g < c->gaps; g++) top = c->log_lik[g] > top ? c->log_lik[g] : top;
    c->sum = 0;
    for (size_t g = 0; g < c->gaps; g++) {
        double below = c->log_lik[g] - top;
        c->mass[g] = 0;
        if (below < -LOST) continue;
        c->mass[g] = ((double)v[c->rank[g + 1]] - (double)v[c->rank[g]]) / extent * exp(below);
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
