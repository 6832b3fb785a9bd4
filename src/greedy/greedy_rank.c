#include "greedy/greedy_rank.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/sort.h"

typedef struct ranking {
    cp_greedy_rank *r;
    const cp_rows *rows;
    uint64_t **key; /* per worker: two buffers for sorting */
} ranking;

static void rank_levels(const ranking *k, size_t dim) {
    const cp_rows *rows = k->rows;
    uint32_t levels = rows->levels[dim];
    for (size_t i = 0; i < rows->n; i++)
        k->r->rank[i * rows->dims + dim] = (uint16_t)cp_greedy_rank_level(rows->x[i * rows->dims + dim], levels);
    k->r->count[dim] = levels < CP_GREEDY_RANK_NONE ? levels : CP_GREEDY_RANK_NONE;
}

static void rank_numbers(const ranking *k, size_t dim, uint64_t *key) {
    const cp_rows *rows = k->rows;
    size_t known = 0;
    uint32_t rank = 0;
    for (size_t i = 0; i < rows->n; i++) {
        float x = rows->x[i * rows->dims + dim];
        if (isnan(x))
            k->r->rank[i * rows->dims + dim] = CP_GREEDY_RANK_NONE;
        else
            key[known++] = (uint64_t)cp_sort_from_float(x) << 32 | i;
    }
    cp_sort_wide(key, known, key + rows->n);
    for (size_t i = 0; i < known; i++) {
        if (i > 0 && key[i] >> 32 != key[i - 1] >> 32) rank++;
        k->r->rank[(uint32_t)key[i] * rows->dims + dim] = (uint16_t)rank;
    }
    k->r->count[dim] = rank + 1;
}

static copse_status rank_column(void *arg, size_t dim, size_t worker, copse_error *err) {
    const ranking *k = arg;
    if (!k->key[worker]) CP_TRY(CP_RAW(k->key[worker], 2 * k->rows->n, err));
    if (k->rows->levels && k->rows->levels[dim])
        rank_levels(k, dim);
    else
        rank_numbers(k, dim, k->key[worker]);
    return COPSE_OK;
}

copse_status cp_greedy_rank_init(cp_greedy_rank *r, const cp_rows *rows, const copse_run *run, copse_error *err) {
    ranking k = {.r = r, .rows = rows};
    size_t workers = cp_parallel_workers(run, rows->dims);
    copse_status status;
    CP_BUG(rows->n > CP_GREEDY_RANK_ROWS);
    *r = (cp_greedy_rank){0};
    CP_TRY_OUT(CP_RAW(r->rank, rows->n * rows->dims, err));
    CP_TRY_OUT(CP_RAW(r->count, rows->dims, err));
    CP_TRY_OUT(CP_NEW(k.key, workers, err));
    CP_TRY_OUT(cp_parallel_for(run, workers, rows->dims, NULL, rank_column, &k, err));
out:
    for (size_t i = 0; k.key && i < workers; i++) cp_mem_free(k.key[i]);
    cp_mem_free(k.key);
    if (status) cp_greedy_rank_clear(r);
    return status;
}

void cp_greedy_rank_clear(cp_greedy_rank *r) {
    cp_mem_free(r->rank);
    cp_mem_free(r->count);
    *r = (cp_greedy_rank){0};
}
