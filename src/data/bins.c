/* Two loops over all values.  The first, over columns, sorts a column (or a sample of it) and places its cuts; the
 * second, over blocks of rows, finds each value's bin by a search without branches.  Sorting is by digits: linear in
 * the rows. */
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
    SAMPLE = 1 << 17, /* some 500 rows a bin: the share of rows in a bin is right to 5 % */
    GROUP = 16,       /* columns read together: a cache line of floats */
    BLOCK = 256       /* rows binned together: a group of their columns fits the cache */
};

typedef struct task {
    cp_bins *b;
    const float *x;
    const uint32_t *levels;
    size_t group;   /* columns of a job of the first loop */
    size_t sample;  /* rows looked at first; all of them, or SAMPLE */
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

/* Counting sort by one digit; nothing to do if all keys have the same. */
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

/* Sorts key; the result stands in one of the two buffers. */
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

/* The i-th row looked at: one of each of `sample` equal stretches, taken by a hash so that no rhythm of the rows is
 * met. */
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

/* More values than bins: a value of more than `frequent` rows has a bin of its own; the others share what is left. */
typedef struct sharing {
    const uint32_t *key; /* sorted */
    size_t n, at, frequent;
    size_t bins, alone, rest; /* to come: bins, frequent values, rows of other values */
} sharing;

static size_t next_run(const sharing *s) {
    size_t end = s->at + 1;
    while (end < s->n && s->key[end] == s->key[s->at]) end++;
    return end - s->at;
}

/* Returns whether the value taken is frequent. */
static int take_run(sharing *s) {
    size_t run = next_run(s);
    s->at += run;
    if (run > s->frequent)
        s->alone--;
    else
        s->rest -= run;
    return run > s->frequent;
}

/* A bin takes values while that brings it closer to its share of the rows.  The last takes whatever is left; if there
 * are bins for frequent values only, others join the next of those. */
static void fill_bin(sharing *s) {
    size_t first = s->at, last = s->bins-- == 1, none = s->bins + 1 <= s->alone;
    double share = none ? INFINITY : (double)s->rest / (double)(s->bins + 1 - s->alone);
    int whole = take_run(s) && !last;
    while (s->at < s->n && !whole) {
        size_t run = next_run(s);
        if (!last && !none && (run > s->frequent || (double)(s->at - first) + (double)run / 2 > share)) return;
        whole = take_run(s) && !last;
    }
}

static void place_shared(cp_bins *b, size_t dim, const uint32_t *key, size_t n) {
    sharing s = {.key = key, .n = n, .frequent = n / CP_BINS_MAX, .bins = CP_BINS_MAX, .rest = n};
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
    if (distinct <= CP_BINS_MAX && t->sample < b->rows) { /* perhaps a bin for each value: now all of them count */
        for (size_t i = 0; i < b->rows; i++) buffer[0][i] = cp_sort_from_float(t->x[i * b->dims + dim]);
        n = keep_known(buffer[0], b->rows);
        sorted = sort_keys(buffer[0], buffer[1], n);
        distinct = count_distinct(sorted, n, CP_BINS_MAX);
    }
    b->exact[dim] = distinct <= CP_BINS_MAX;
    if (b->exact[dim])
        place_each(b, dim, sorted, n);
    else
        place_shared(b, dim, sorted, n);
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
    t->sample = b->rows > 2 * SAMPLE ? SAMPLE : b->rows;
    t->room = b->rows;
    size_t jobs = (b->dims + t->group - 1) / t->group, workers = cp_parallel_workers(run, jobs);
    CP_TRY(CP_NEW(t->key, workers, err));
    copse_status status = cp_parallel_for(run, workers, jobs, NULL, cut_group, t, err);
    for (size_t w = 0; w < workers; w++) cp_mem_free(t->key[w]);
    cp_mem_free(t->key);
    return status;
}

/* -------------------------------------------------------------------------------------------------- bins of values */

/* The number of cuts below x.  The cuts after the last are infinite, hence never below. */
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

copse_status cp_bins_init(cp_bins *b, const float *x, size_t rows, size_t dims, const uint32_t *levels,
                          const copse_run *run, copse_error *err) {
    task t = {.b = b, .x = x, .levels = levels};
    copse_status status;
    size_t jobs = (rows + BLOCK - 1) / BLOCK;
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
