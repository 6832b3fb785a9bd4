#include "auto/auto_folds.h"

#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"
#include "method/holdout.h"

/* Distinct x have more rows than this on average: rows of equal x may be in different folds. */
enum { MANY_ALIKE = 4 };

/* A row to order: the upper half of its hash, and its number. */
static uint64_t key_of(uint64_t hash, size_t row) {
    return hash >> 32 << 32 | (uint64_t)row;
}

static size_t row_of(uint64_t key) {
    return (size_t)(key & 0xffffffffu);
}

static size_t count_distinct(const uint64_t *key, size_t n) {
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++) distinct += i == 0 || key[i] >> 32 != key[i - 1] >> 32;
    return distinct;
}

/* The hash of a row by x and target together; `room` has room for dims + 2. */
static uint64_t hash_with_target(const cp_rows *rows, size_t i, uint64_t seed, float *room) {
    memcpy(room, rows->x + i * rows->dims, rows->dims * sizeof *room);
    if (rows->y)
        memcpy(room + rows->dims, &rows->y[i], sizeof(double));
    else
        room[rows->dims] = (float)rows->label[i], room[rows->dims + 1] = 0;
    return cp_holdout_hash(room, rows->dims + 2, seed);
}

static size_t make_keys(const cp_rows *rows, uint64_t seed, float *opt_room, uint64_t *key) {
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->weight && !(rows->weight[i] > 0)) continue;
        uint64_t hash = opt_room ? hash_with_target(rows, i, seed, opt_room)
                                 : cp_holdout_hash(rows->x + i * rows->dims, rows->dims, seed);
        key[n++] = key_of(hash, i);
    }
    return n;
}

/* Cuts the first n rows into folds of about equal size, between rows of different keys. */
static void cut(cp_auto_folds *f, const uint64_t *key, size_t n, size_t folds) {
    f->n = n;
    f->folds = 0;
    f->start[0] = 0;
    for (size_t i = 1; i <= n; i++) {
        size_t want = (f->folds + 1) * n / folds;
        if (i == n || (i >= want && key[i] >> 32 != key[i - 1] >> 32)) f->start[++f->folds] = i;
    }
    for (size_t i = 0; i < n; i++) f->row[i] = row_of(key[i]);
}

/* Sorts the rows by hash; returns how many there are.  key has room for twice as many. */
static size_t order_rows(const cp_rows *rows, uint64_t seed, float *room, uint64_t *key) {
    size_t n = make_keys(rows, seed, NULL, key);
    cp_sort_wide(key, n, key + rows->n);
    if (count_distinct(key, n) * MANY_ALIKE >= n) return n;
    make_keys(rows, seed, room, key);
    cp_sort_wide(key, n, key + rows->n);
    return n;
}

static copse_status take(cp_auto_folds *f, const uint64_t *key, size_t n, size_t most, size_t folds, copse_error *err) {
    while (n > most && key[most] >> 32 == key[most - 1] >> 32) most++;
    if (n > most) n = most;
    CP_TRY(CP_RAW(f->row, n, err));
    CP_TRY(CP_RAW(f->start, folds + 1, err));
    cut(f, key, n, folds);
    return COPSE_OK;
}

copse_status cp_auto_folds_init(cp_auto_folds *f, const cp_rows *rows, size_t most, size_t folds, uint64_t seed,
                                copse_error *err) {
    uint64_t *key;
    float *room = NULL;
    *f = (cp_auto_folds){0};
    CP_TRY(CP_RAW(key, rows->n * 2, err));
    copse_status status = CP_RAW(room, rows->dims + 2, err);
    size_t n = status ? 0 : order_rows(rows, seed, room, key);
    if (!status) status = take(f, key, n, most, folds, err);
    cp_mem_free(key);
    cp_mem_free(room);
    return status;
}

void cp_auto_folds_clear(cp_auto_folds *f) {
    cp_mem_free(f->row);
    cp_mem_free(f->start);
    *f = (cp_auto_folds){0};
}
