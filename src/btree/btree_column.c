#include "btree/btree_column.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"
#include "num/math.h"

enum {
    SPARSE = 4,   /* with more ranks than this times the rows, rows are sorted by key, not by counting */
    SHORT = 65536 /* a range of fewer ranks has keys of 32 bits */
};

/* 64-bit keys are needed only if ranks span more than 16 bits, which takes as many rows. */
copse_status cp_btree_column_init(cp_btree_column *c, const cp_btree_problem *b, copse_error *err) {
    size_t n = b->ranks.rows;
    copse_status status;
    *c = (cp_btree_column){.b = b};
    CP_TRY_OUT(CP_RAW(c->rank, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->end, n + 1, err));
    CP_TRY_OUT(CP_RAW(c->log_lik, n, err));
    CP_TRY_OUT(CP_RAW(c->mass, n, err));
    CP_TRY_OUT(CP_RAW(c->block_rank, n, err));
    CP_TRY_OUT(CP_RAW(c->row, n, err));
    CP_TRY_OUT(CP_RAW(c->count, n, err)); /* counts of ranks, of which there are no more than rows; or short keys */
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
    cp_mem_free(c->block_rank);
    cp_mem_free(c->row);
    cp_mem_free(c->count);
    cp_mem_free(c->key);
    cp_mem_free(c->stat);
    *c = (cp_btree_column){0};
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* Copies the ranks of the block's rows, so that later passes read them sequentially. */
static cp_extent fetch_ranks(cp_btree_column *c, cp_span s, const uint32_t *rank) {
    cp_extent e = {UINT32_MAX, 0};
    for (size_t i = 0; i < s.n; i++) c->block_rank[i] = rank[s.row[i]];
    for (size_t i = 0; i < s.n; i++) {
        e.low = c->block_rank[i] < e.low ? c->block_rank[i] : e.low;
        e.high = c->block_rank[i] > e.high ? c->block_rank[i] : e.high;
    }
    return e;
}

static size_t sort_by_counting(cp_btree_column *c, cp_span s, cp_extent e) {
    uint32_t range = e.high - e.low + 1, at = 0;
    size_t values = 0;
    memset(c->count, 0, range * sizeof *c->count);
    for (size_t i = 0; i < s.n; i++) c->count[c->block_rank[i] - e.low]++;
    for (uint32_t r = 0; r < range; r++) {
        uint32_t here = c->count[r];
        c->count[r] = at;
        c->rank[values] = e.low + r;
        c->end[values] = at += here;
        values += here > 0;
    }
    for (size_t i = 0; i < s.n; i++) c->row[c->count[c->block_rank[i] - e.low]++] = s.row[i];
    return values;
}

/* Sets the i-th row in the column's order; its rank is value number `values`.  Rows of equal rank overwrite the same
 * entries. */
static void put_sorted(cp_btree_column *c, size_t i, uint32_t row, uint32_t rank, size_t values) {
    c->row[i] = row;
    c->rank[values] = rank;
    c->end[values] = (uint32_t)i + 1;
}

static size_t sort_by_key(cp_btree_column *c, cp_span s) {
    uint64_t *key = c->key;
    size_t values = 0;
    for (size_t i = 0; i < s.n; i++) key[i] = (uint64_t)c->block_rank[i] << 32 | s.row[i];
    cp_sort_wide(key, s.n, key + s.n);
    for (size_t i = 0; i < s.n; i++) {
        put_sorted(c, i, (uint32_t)key[i], (uint32_t)(key[i] >> 32), values);
        values += i + 1 == s.n || key[i + 1] >> 32 != key[i] >> 32;
    }
    return values;
}

/* A short key has the rank, from the lowest, and the index among the rows, in 16 bits each.  There are at least SPARSE
 * times as many ranks as rows, so `count` has room for the keys twice. */
static size_t sort_by_short_key(cp_btree_column *c, cp_span s, cp_extent e) {
    uint32_t *key = c->count;
    size_t values = 0;
    for (size_t i = 0; i < s.n; i++) key[i] = (c->block_rank[i] - e.low) << 16 | (uint32_t)i;
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

/* A gap whose log likelihood is this much below the largest gets mass 0 without an exponential; most gaps of a large
 * block do.  The smallest share of an extent among floats is e^-192; even if the likeliest gap has that share, the mass
 * of e^22 such gaps is lost in rounding. */
enum { NEGLIGIBLE = 300 };

void cp_btree_column_sum(cp_btree_column *c) {
    const float *v = cp_ranks_values(&c->b->ranks, c->dim);
    double top = c->log_lik[0], extent = cp_ranks_width(&c->b->ranks, c->dim, c->rank[0], c->rank[c->gaps]);
    for (size_t g = 1; g < c->gaps; g++) top = c->log_lik[g] > top ? c->log_lik[g] : top;
    c->sum = 0;
    for (size_t g = 0; g < c->gaps; g++) {
        double below = c->log_lik[g] - top;
        c->mass[g] = 0;
        if (below < -NEGLIGIBLE) continue;
        c->mass[g] = ((double)v[c->rank[g + 1]] - (double)v[c->rank[g]]) / extent * cp_math_exp(below);
        c->sum += c->mass[g];
    }
    c->log_sum = top + cp_math_log(c->sum);
}

/* Binary search for the last gap that begins at or before the cut. */
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
