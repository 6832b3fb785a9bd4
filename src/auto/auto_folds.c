#include "auto/auto_folds.h"

#include "base/mem.h"
#include "method/row_groups.h"

/* Lists the rows of positive weight; returns how many there are. */
static size_t list_rows(const cp_rows *rows, uint32_t *out) {
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (!rows->weight || rows->weight[i] > 0) out[n++] = (uint32_t)i;
    return n;
}

/* Cuts the first groups, which have at most about `most` rows, into folds of about equal size. */
static copse_status cut(cp_auto_folds *f, const cp_row_groups *g, size_t most, size_t folds, copse_error *err) {
    size_t groups = 0;
    while (groups < g->groups && g->start[groups] < most) groups++;
    f->n = g->start[groups];
    CP_TRY(CP_RAW(f->row, f->n, err));
    CP_TRY(CP_RAW(f->start, folds + 1, err));
    f->folds = 0;
    f->start[0] = 0;
    for (size_t k = 1; k <= groups; k++) {
        size_t want = (f->folds + 1) * f->n / folds;
        if (k == groups || g->start[k] >= want) f->start[++f->folds] = g->start[k];
    }
    for (size_t i = 0; i < f->n; i++) f->row[i] = g->row[i];
    return COPSE_OK;
}

copse_status cp_auto_folds_init(cp_auto_folds *f, const cp_rows *rows, size_t most, size_t folds, uint64_t seed,
                                copse_error *err) {
    cp_row_groups g = {0};
    uint32_t *row;
    *f = (cp_auto_folds){0};
    CP_TRY(CP_RAW(row, rows->n, err));
    size_t n = list_rows(rows, row);
    cp_row_groups_ask ask = {.row = row, .n = n, .least = 2 * folds, .wanted = most < n ? most : 0, .seed = seed};
    copse_status status = cp_row_groups_init(&g, rows, &ask, err);
    if (!status) status = cut(f, &g, most, folds, err);
    cp_row_groups_clear(&g);
    cp_mem_free(row);
    return status;
}

void cp_auto_folds_clear(cp_auto_folds *f) {
    cp_mem_free(f->row);
    cp_mem_free(f->start);
    *f = (cp_auto_folds){0};
}
