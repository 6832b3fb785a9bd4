#include "cli_concat.h"

#include <stdlib.h>

typedef struct parts {
    copse_table **part;
    size_t n, cap, rows;
} parts;

static copse_status parts_add(parts *p, copse_table *t, copse_error *err) {
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 16;
        copse_table **more = realloc(p->part, cap * sizeof *more);
        if (!more) return cli_fail_memory(err);
        p->part = more;
        p->cap = cap;
    }
    p->part[p->n++] = t;
    p->rows += copse_table_rows(t);
    return COPSE_OK;
}

static copse_status parts_read(parts *p, cli_concat_fn next, void *arg, size_t n, copse_error *err) {
    while (p->rows < n) {
        copse_table *t = NULL;
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(next(arg, n - p->rows, &t, err));
        if (!t) break;
        copse_status status = parts_add(p, t, err);
        if (!status) continue;
        copse_table_free(t);
        return status;
    }
    return COPSE_OK;
}

copse_status cli_concat_rows(cli_concat_fn next, void *arg, size_t n, copse_table **out, copse_error *err) {
    parts p = {0};
    *out = NULL;
    copse_status status = parts_read(&p, next, arg, n, err);
    if (!status && p.n == 1) {
        *out = p.part[0];
        p.n = 0;
    } else if (!status && p.n > 1) {
        status = copse_table_join((const copse_table *const *)p.part, p.n, out, err);
    }
    for (size_t i = 0; i < p.n; i++) copse_table_free(p.part[i]);
    free(p.part);
    return status;
}
