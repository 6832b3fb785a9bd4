#include "boost/boost_hist.h"

#include <string.h>

#include "kernel/prefetch.h"

enum {
    CELLS = CP_BOOST_HIST_CELLS,
    GROUP = 8,      /* columns whose histograms are filled together: 16 or 32 KB, which the first-level cache holds */
    STRETCH = 2048, /* rows that are added to all groups before the next rows are: they stay in a cache meanwhile */
    AHEAD = 12      /* rows: the rows of a leaf lie far from each other, and are prefetched */
};

#define INLINE static inline __attribute__((always_inline))

static size_t cell_bytes(const cp_boost_hist *h) {
    return h->narrow ? sizeof(uint64_t) : sizeof(cp_sum);
}

static void *column_of(const cp_boost_hist *h, void *hist, size_t dim) {
    return (char *)hist + dim * CELLS * cell_bytes(h);
}

static const void *column_in(const cp_boost_hist *h, const void *hist, size_t dim) {
    return (const char *)hist + dim * CELLS * cell_bytes(h);
}

size_t cp_boost_hist_bytes(const cp_boost_hist *h) {
    return h->bins->dims * CELLS * cell_bytes(h);
}

/* ---------------------------------------------------------------------------------------------------------- filling */

typedef struct filling {
    const cp_boost_hist *h;
    const uint32_t *row;
    size_t n;
    void *hist;
} filling;

/* `columns` is a constant wherever this is inlined, so the inner loop has no branches. */
INLINE void add_narrow(const filling *f, size_t from, size_t to, size_t first, size_t columns) {
    const cp_bins *b = f->h->bins;
    const uint64_t *sum = f->h->sum;
    const uint8_t *bins = b->bin + first;
    const size_t stride = b->stride;
    uint64_t *hist = column_of(f->h, f->hist, first);
    for (size_t i = from; i < to; i++) {
        if (first == 0) {
            size_t next = f->row[i + AHEAD < f->n ? i + AHEAD : i];
            __builtin_prefetch(bins + next * stride);
            __builtin_prefetch(sum + next);
        }
        const size_t row = f->row[i];
        const uint8_t *bin = bins + row * stride;
        const uint64_t a = sum[row];
        for (size_t j = 0; j < columns; j++) hist[j * CELLS + bin[j]] += a;
    }
}

INLINE void add_wide(const filling *f, size_t from, size_t to, size_t first, size_t columns) {
    const cp_bins *b = f->h->bins;
    const cp_sum *sum = f->h->sum;
    const uint8_t *bins = b->bin + first;
    const size_t stride = b->stride;
    cp_sum *hist = column_of(f->h, f->hist, first);
    for (size_t i = from; i < to; i++) {
        if (first == 0) {
            size_t next = f->row[i + AHEAD < f->n ? i + AHEAD : i];
            __builtin_prefetch(bins + next * stride);
            __builtin_prefetch(sum + next);
        }
        const size_t row = f->row[i];
        const uint8_t *bin = bins + row * stride;
        const cp_sum_pair a = *(const cp_sum_pair *)&sum[row];
        for (size_t j = 0; j < columns; j++) *(cp_sum_pair *)&hist[j * CELLS + bin[j]] += a;
    }
}

INLINE void add_columns(const filling *f, size_t from, size_t to, size_t first, size_t columns) {
    if (f->h->narrow)
        add_narrow(f, from, to, first, columns);
    else
        add_wide(f, from, to, first, columns);
}

/* Adds rows from ... to-1 of the list to the columns of a group. */
static void add_group(const filling *f, size_t from, size_t to, size_t first) {
    size_t left = f->h->bins->dims - first;
    switch (left) {
        case 1: add_columns(f, from, to, first, 1); return;
        case 2: add_columns(f, from, to, first, 2); return;
        case 3: add_columns(f, from, to, first, 3); return;
        case 4: add_columns(f, from, to, first, 4); return;
        case 5: add_columns(f, from, to, first, 5); return;
        case 6: add_columns(f, from, to, first, 6); return;
        case 7: add_columns(f, from, to, first, 7); return;
        default: add_columns(f, from, to, first, GROUP);
    }
}

static int is_used(const cp_boost_hist *h, size_t first) {
    int any = 0;
    for (size_t d = first; d < first + GROUP && d < h->bins->dims; d++) any |= h->use[d];
    return any;
}

static void clear_group(const cp_boost_hist *h, void *hist, size_t first) {
    size_t size = cell_bytes(h);
    for (size_t d = first; d < first + GROUP && d < h->bins->dims; d++) {
        char *cell = column_of(h, hist, d);
        memset(cell, 0, h->bins->count[d] * size);
        memset(cell + (CELLS - 1) * size, 0, size);
    }
}

/* Fills the groups from ... to-1. */
static void fill_groups(void *arg, size_t from, size_t to) {
    const filling *f = arg;
    for (size_t g = from; g < to; g++) clear_group(f->h, f->hist, g * GROUP);
    for (size_t i = 0; i < f->n; i += STRETCH)
        for (size_t g = from; g < to; g++)
            if (is_used(f->h, g * GROUP)) add_group(f, i, i + STRETCH < f->n ? i + STRETCH : f->n, g * GROUP);
}

void cp_boost_hist_fill(const cp_boost_hist *h, const uint32_t *row, size_t n, void *hist) {
    filling f = {.h = h, .row = row, .n = n, .hist = hist};
    cp_thread_team_pass(h->team, (h->bins->dims + GROUP - 1) / GROUP, fill_groups, &f);
}

void cp_boost_hist_subtract(const cp_boost_hist *h, void *hist, const void *part) {
    size_t words = cell_bytes(h) / sizeof(uint64_t);
    for (size_t d = 0; d < h->bins->dims; d++) {
        uint64_t *to = column_of(h, hist, d);
        const uint64_t *from = column_in(h, part, d);
        if (!h->use[d]) continue;
        for (size_t i = 0; i < h->bins->count[d] * words; i++) to[i] -= from[i];
        for (size_t i = (CELLS - 1) * words; i < CELLS * words; i++) to[i] -= from[i];
    }
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static cp_boost_total unpack_wide(const cp_boost_hist *h, cp_sum a) {
    return (cp_boost_total){a.w >> h->shift, a.s, a.w & (((int64_t)1 << h->shift) - 1)};
}

cp_boost_total cp_boost_hist_total(const cp_boost_hist *h, const uint32_t *row, size_t n) {
    cp_sum all = {0, 0};
    uint64_t word = 0;
    for (size_t i = 0; i < n && h->narrow; i++) word += ((const uint64_t *)h->sum)[row[i]];
    if (h->narrow) return cp_boost_hist_unpack(h, word);
    for (size_t i = 0; i < n; i++) {
        cp_sum a = ((const cp_sum *)h->sum)[row[i]];
        all.w += a.w;
        all.s += a.s;
    }
    return unpack_wide(h, all);
}

cp_boost_total cp_boost_hist_cell(const cp_boost_hist *h, const void *hist, size_t dim, size_t bin) {
    const void *cell = column_in(h, hist, dim);
    if (h->narrow) return cp_boost_hist_unpack(h, ((const uint64_t *)cell)[bin]);
    return unpack_wide(h, ((const cp_sum *)cell)[bin]);
}

static void add_up_narrow(const cp_boost_hist *h, const uint64_t *cell, cp_boost_sums *out) {
    const unsigned shift = h->shift, up = 64 - shift;
    uint64_t all = 0;
    for (size_t b = 0; b < out->bins; b++) {
        all += cell[b];
        int64_t slope = (int64_t)(all << up) >> up;
        out->slope[b] = slope;
        out->curve[b] = (int64_t)((all - (uint64_t)slope) >> shift);
    }
    memcpy(out->rows, out->curve, out->bins * sizeof *out->rows);
}

static void add_up_wide(const cp_boost_hist *h, const cp_sum *cell, cp_boost_sums *out) {
    const int64_t mask = ((int64_t)1 << h->shift) - 1;
    cp_sum all = {0, 0};
    for (size_t b = 0; b < out->bins; b++) {
        all.w += cell[b].w;
        all.s += cell[b].s;
        out->slope[b] = all.s;
        out->curve[b] = all.w & mask;
        out->rows[b] = all.w >> h->shift;
    }
}

void cp_boost_hist_add_up(const cp_boost_hist *h, const void *hist, size_t dim, cp_boost_sums *out) {
    const void *cell = column_in(h, hist, dim);
    size_t bins = h->bins->count[dim];
    if (h->narrow)
        while (bins > 0 && !((const uint64_t *)cell)[bins - 1]) bins--;
    else
        while (bins > 0 && !((const cp_sum *)cell)[bins - 1].w) bins--;
    out->bins = bins;
    out->missing = cp_boost_hist_cell(h, hist, dim, CELLS - 1);
    if (h->narrow)
        add_up_narrow(h, cell, out);
    else
        add_up_wide(h, cell, out);
}
