#include "data/ranks.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "kernel/sort.h"

typedef struct task {
    cp_ranks *r;
    const float *x;
    uint64_t **key; /* per worker: 2 buffers of `rows` for sorting */
} task;

/* Ranks of one column; start[dim + 1] holds the number of its values until all columns are done. */
static copse_status rank_column(void *arg, size_t dim, size_t worker, copse_error *err) {
    const task *t = arg;
    cp_ranks *r = t->r;
    uint32_t *rank = r->rank + dim * r->rows, now = 0;
    if (!t->key[worker]) CP_TRY(CP_RAW(t->key[worker], 2 * r->rows, err));
    uint64_t *key = t->key[worker];
    for (size_t i = 0; i < r->rows; i++) key[i] = (uint64_t)cp_sort_from_float(t->x[i * r->dims + dim]) << 32 | i;
    cp_sort_wide(key, r->rows, key + r->rows);
    for (size_t i = 0; i < r->rows; i++) {
        now += i && key[i] >> 32 != key[i - 1] >> 32;
        rank[(uint32_t)key[i]] = now;
    }
    r->start[dim + 1] = r->rows ? (size_t)now + 1 : 0;
    return COPSE_OK;
}

static copse_status rank_all(task *t, const copse_run *run, copse_error *err) {
    size_t dims = t->r->dims, workers = cp_parallel_workers(run, dims);
    CP_TRY(CP_NEW(t->key, workers, err));
    copse_status status = cp_parallel_for(run, workers, dims, NULL, rank_column, t, err);
    for (size_t w = 0; w < workers; w++) cp_mem_free(t->key[w]);
    cp_mem_free(t->key);
    return status;
}

/* x + 0 turns -0 into 0. */
static void list_values(cp_ranks *r, const float *x) {
    for (size_t d = 0; d < r->dims; d++) {
        const uint32_t *rank = cp_ranks_column(r, d);
        float *value = r->value + r->start[d];
        for (size_t i = 0; i < r->rows; i++) value[rank[i]] = x[i * r->dims + d] + 0.0f;
    }
}

copse_status cp_ranks_init(cp_ranks *r, const float *x, size_t rows, size_t dims, const copse_run *run,
                           copse_error *err) {
    copse_status status;
    *r = (cp_ranks){.rows = rows, .dims = dims};
    if (rows > INT32_MAX) return cp_fail(err, COPSE_E_DATA, "%zu rows, more than %d", rows, INT32_MAX);
    CP_TRY_OUT(CP_RAW(r->rank, dims * rows, err));
    CP_TRY_OUT(CP_NEW(r->start, dims + 1, err));
    task t = {.r = r, .x = x};
    CP_TRY_OUT(rank_all(&t, run, err));
    for (size_t d = 0; d < dims; d++) r->start[d + 1] += r->start[d];
    CP_TRY_OUT(CP_RAW(r->value, r->start[dims], err));
    list_values(r, x);
out:
    if (status) cp_ranks_clear(r);
    return status;
}

void cp_ranks_clear(cp_ranks *r) {
    cp_mem_free(r->rank);
    cp_mem_free(r->value);
    cp_mem_free(r->start);
    *r = (cp_ranks){0};
}
