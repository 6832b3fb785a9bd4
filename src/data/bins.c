/* The first loop, over columns, radix-sorts a column (or a sample of it) and places its cuts.  The second, over blocks
 * of rows, finds the bin of each value by a binary search without branches. */
#include "data/bins.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/sort.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    PASSES = 3,
    SAMPLE = 1 << 17, /* about 500 rows per bin: the share of rows in a bin is right to 5 % */
    GROUP = 16,       /* columns read together: a cache line of floats */
    BLOCK = 256       /* rows binned together: a group of their columns fits into the cache */
};

typedef struct task {
    cp_bins *b;
    const float *x;
    const uint32_t *levels;
    size_t group;   /* columns per job of the first loop */
    size_t sample;  /* rows that place the cuts: all of them, or SAMPLE */
    size_t room;    /* values in one buffer of a worker */
    uint32_t **key; /* per worker: 2 buffers for sorting, then `group` sampled columns */
} task;

float cp_bins_middle(float left, float right) {
    float m = (float)((double)left + ((double)right - (double)left) / 2);
    return m >= left && m < right ? m : left;
}

float cp_bins_between(const cp_bins *b, size_t dim, size_t left, size_t right) {
    return cp_bins_middle(b->high[dim * CP_BINS_MAX + left], b->low[dim * CP_BINS_MAX + right]);
}

/* ------------------------------------------------------------------------------------------------ values in order */

/* Counting sort by one digit; returns 0, and does nothing, if all keys have the same digit. */
static int sort_by_digit(const uint32_t *key, uint32_t *out, size_t n, unsigned shift, uint32_t *count) {
    uint32_t sum = 0;
    if (count[key[0] >> shift & (DIGITS - 1)] == n) return 0;
    for (size_t d = 0; d < DIGITS; d++) {
        uint32_t c = count[d];
        count[d] = sum;
        sum += c;
    }
    for (size_t i = 0; i < n; i++) out[count[key[i] >> shift & (DIGITS - 1)]++] = key[i];
    return 1;
}

/* Sorts `key`; the result is in one of the two buffers. */
static const uint32_t *sort_keys(uint32_t *key, uint32_t *other, size_t n) {
    uint32_t count[PASSES][DIGITS] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (unsigned p = 0; p < PASSES; p++) count[p][key[i] >> p * DIGIT_BITS & (DIGITS - 1)]++;
    for (unsigned p = 0; n && p < PASSES; p++) {
        if (!sort_by_digit(key, other, n, p * DIGIT_BITS, count[p])) continue;
        uint32_t *was = key;
        key = other;
        other = was;
    }
    return key;
}

/* Distinct keys of a sorted array, or limit + 1 if there are more than `limit`. */
static size_t count_distinct(const uint32_t *key, size_t n, size_t limit) {
    size_t distinct = n > 0;
    for (size_t i = 1; i < n && distinct <= limit; i++) distinct += key[i] != key[i - 1];
    return distinct;
}

/* ------------------------------------------------------------------------------------------------- cuts of a column */

/* The i-th row of the sample: the rows are divided into `sample` equal stretches, and a hash picks a row of each, so
 * that periodic data do no harm. */
static size_t sampled_row(const task *t, size_t i) {
    size_t rows = t->b->rows;
    if (t->sample == rows) return i;
    size_t first = i * rows / SAMPLE, next = (i + 1) * rows / SAMPLE;
    uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return first + (size_t)((h >> 32) * (next - first) >> 32);
}

static size_t keep_known(uint32_t *key, size_t n) {
    const uint32_t minus = cp_sort_from_float(-INFINITY), plus = cp_sort_from_float(INFINITY);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (key[i] >= minus && key[i] <= plus) key[kept++] = key[i]; /* NaNs lie outside */
    return kept;
}

static void add_bin(cp_bins *b, size_t dim, uint32_t low, uint32_t high) {
    size_t at = dim * CP_BINS_MAX + b->count[dim]++;
    b->low[at] = cp_sort_to_float(low);
    b->high[at] = cp_sort_to_float(high);
    if (b->count[dim] > 1) b->cut[at - 1] = cp_bins_middle(b->high[at - 1], b->low[at]);
}

/* Quantile bins, if there are more values than bins.  A value of more than `frequent` rows gets a bin of its own; the
 * other values share the other bins. */
typedef struct quantile_bins {
    const uint32_t *key; /* sorted */
    size_t n, at, frequent;
    size_t bins, alone, rest; /* still to place: bins, frequent values, rows of other values */
} quantile_bins;

static size_t next_run(const quantile_bins *s) {
    size_t end = s->at + 1;
    while (end < s->n && s->key[end] == s->key[s->at]) end++;
    return end - s->at;
}

/* Returns whether the value taken is frequent. */
static int take_run(quantile_bins *s) {
    size_t run = next_run(s);
    s->at += run;
    if (run > s->frequent)
        s->alone--;
    else
        s->rest -= run;
    return run > s->frequent;
}

/* A bin takes values while that brings it closer to an equal part of the remaining rows.  The last bin takes all that
 * is left.  If all remaining bins are needed for frequent values, other values join the next of those. */
static void fill_bin(quantile_bins *s) {
    size_t first = s->at, last = s->bins-- == 1, none = s->bins + 1 <= s->alone;
    double wanted = none ? INFINITY : (double)s->rest / (double)(s->bins + 1 - s->alone);
    int whole = take_run(s) && !last;
    while (s->at < s->n && !whole) {
        size_t run = next_run(s);
        if (!last && !none && (run > s->frequent || (double)(s->at - first) + (double)run / 2 > wanted)) return;
        whole = take_run(s) && !last;
    }
}

static void place_quantiles(cp_bins *b, size_t dim, const uint32_t *key, size_t n) {
    quantile_bins s = {.key = key, .n = n, .frequent = n / CP_BINS_MAX, .bins = CP_BINS_MAX, .rest = n};
    for (size_t run; s.at < n; s.at += run) {
        run = next_run(&s);
        if (run <= s.frequent) continue;
        s.alone++;
        s.rest -= run;
    }
    for (s.at = 0; s.at < n;) {
        size_t first = s.at;
        fill_bin(&s);
        add_bin(b, dim, key[first], key[s.at - 1]);
    }
}

static void place_each(cp_bins *b, size_t dim, const uint32_t *key, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (i == 0 || key[i] != key[i - 1]) add_bin(b, dim, key[i], key[i]);
}

static void cut_column(const task *t, size_t dim, const uint32_t *sample, uint32_t *const buffer[2]) {
    cp_bins *b = t->b;
    memcpy(buffer[0], sample, t->sample * sizeof *sample);
    size_t n = keep_known(buffer[0], t->sample);
    const uint32_t *sorted = sort_keys(buffer[0], buffer[1], n);
    size_t distinct = count_distinct(sorted, n, CP_BINS_MAX);
    if (distinct <= CP_BINS_MAX && t->sample < b->rows) { /* perhaps one bin per value: now all rows count */
        for (size_t i = 0; i < b->rows; i++) buffer[0][i] = cp_sort_from_float(t->x[i * b->dims + dim]);
        n = keep_known(buffer[0], b->rows);
        sorted = sort_keys(buffer[0], buffer[1], n);
        distinct = count_distinct(sorted, n, CP_BINS_MAX);
    }
    b->exact[dim] = distinct <= CP_BINS_MAX;
    if (b->exact[dim])
        place_each(b, dim, sorted, n);
    else
        place_quantiles(b, dim, sorted, n);
}

static copse_status cut_group(void *arg, size_t job, size_t worker, copse_error *err) {
    const task *t = arg;
    cp_bins *b = t->b;
    size_t first = job * t->group, end = first + t->group < b->dims ? first + t->group : b->dims;
    if (!t->key[worker]) CP_TRY(CP_RAW(t->key[worker], 2 * t->room + t->group * t->sample, err));
    uint32_t *const buffer[2] = {t->key[worker], t->key[worker] + t->room};
    uint32_t *column = buffer[1] + t->room;
    for (size_t i = 0; i < t->sample; i++) {
        const float *x = t->x + sampled_row(t, i) * b->dims;
        for (size_t d = first; d < end; d++) column[(d - first) * t->sample + i] = cp_sort_from_float(x[d]);
    }
    for (size_t d = first; d < end; d++) {
        if (t->levels && t->levels[d])
            b->count[d] = t->levels[d] < CP_BINS_MAX ? t->levels[d] : CP_BINS_MAX;
        else
            cut_column(t, d, column + (d - first) * t->sample, buffer);
    }
    return COPSE_OK;
}

static copse_status place_all_cuts(task *t, const copse_run *run, copse_error *err) {
    const cp_bins *b = t->b;
    t->group = b->dims / 32 < 1 ? 1 : b->dims / 32 < GROUP ? b->dims / 32 : GROUP;
    t->sample = b->rows > (size_t)2 * SAMPLE ? SAMPLE : b->rows;
    t->room = b->rows;
    size_t jobs = (b->dims + t->group - 1) / t->group, workers = cp_parallel_workers(run, jobs);
    CP_TRY(CP_NEW(t->key, workers, err));
    copse_status status = cp_parallel_for(run, workers, jobs, NULL, cut_group, t, err);
    for (size_t w = 0; w < workers; w++) cp_mem_free(t->key[w]);
    cp_mem_free(t->key);
    return status;
}

/* -------------------------------------------------------------------------------------------------- bins of values */

/* The number of cuts below x.  Cuts after the last bin are infinite, so never below x. */
static uint8_t find_bin(const float *cut, size_t half, float x) {
    size_t at = 0;
    for (size_t step = half; step; step /= 2) at += cut[at + step - 1] < x ? step : 0;
    return (uint8_t)(x == x ? at : CP_BINS_MISSING);
}

static uint8_t find_level(uint32_t levels, float code) {
    if (!(code >= 0 && code < (float)levels)) return CP_BINS_MISSING;
    return (uint8_t)(code < CP_BINS_MAX ? code : CP_BINS_MAX - 1);
}

static void bin_column(const task *t, size_t dim, size_t first, size_t end) {
    cp_bins *b = t->b;
    const float *cut = b->cut + dim * CP_BINS_MAX;
    size_t half = 1;
    if (t->levels && t->levels[dim]) {
        for (size_t i = first; i < end; i++)
            b->bin[i * b->stride + dim] = find_level(t->levels[dim], t->x[i * b->dims + dim]);
        return;
    }
    while (2 * half < b->count[dim]) half *= 2;
    for (size_t i = first; i < end; i++) b->bin[i * b->stride + dim] = find_bin(cut, half, t->x[i * b->dims + dim]);
}

static copse_status bin_block(void *arg, size_t job, size_t worker, copse_error *err) {
    const task *t = arg;
    cp_bins *b = t->b;
    size_t first = job * BLOCK, end = first + BLOCK < b->rows ? first + BLOCK : b->rows;
    (void)worker;
    (void)err;
    memset(b->bin + first * b->stride, 0, (end - first) * b->stride);
    for (size_t d = 0; d < b->dims; d++) bin_column(t, d, first, end);
    return COPSE_OK;
}

copse_status cp_bins_init(cp_bins *b, const cp_bins_data *data, const copse_run *run, copse_error *err) {
    task t = {.b = b, .x = data->x, .levels = data->levels};
    copse_status status;
    size_t rows = data->rows, dims = data->dims, jobs = (rows + BLOCK - 1) / BLOCK;
    *b = (cp_bins){.rows = rows, .dims = dims, .stride = (dims + 3) / 4 * 4};
    CP_TRY_OUT(CP_RAW(b->bin, rows * b->stride + 8, err));
    CP_TRY_OUT(CP_NEW(b->count, dims, err));
    CP_TRY_OUT(CP_NEW(b->exact, dims, err));
    CP_TRY_OUT(CP_RAW(b->cut, dims * CP_BINS_MAX, err));
    CP_TRY_OUT(CP_NEW(b->low, dims * CP_BINS_MAX, err));
    CP_TRY_OUT(CP_NEW(b->high, dims * CP_BINS_MAX, err));
    for (size_t i = 0; i < dims * CP_BINS_MAX; i++) b->cut[i] = INFINITY;
    memset(b->bin + rows * b->stride, 0, 8);
    CP_TRY_OUT(place_all_cuts(&t, run, err));
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, jobs), jobs, NULL, bin_block, &t, err));
out:
    if (status) cp_bins_clear(b);
    return status;
}

void cp_bins_clear(cp_bins *b) {
    cp_mem_free(b->bin);
    cp_mem_free(b->count);
    cp_mem_free(b->exact);
    cp_mem_free(b->cut);
    cp_mem_free(b->low);
    cp_mem_free(b->high);
    *b = (cp_bins){0};
}
