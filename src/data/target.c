#include "data/target.h"

#include "base/log.h"
#include "base/mem.h"
#include "data/table.h"

/* The number of rows that lack the target; *opt_first is the first of them. */
static size_t count(const copse_table *t, const char *target, size_t *opt_first) {
    size_t j = target ? cp_table_find(t, target) : (size_t)-1, n = 0;
    for (size_t i = t->rows; j != (size_t)-1 && i-- > 0;) {
        if (!cp_column_missing(&t->col[j], i)) continue;
        if (opt_first) *opt_first = i;
        n++;
    }
    return n;
}

size_t cp_target_missing(const copse_table *t, const char *target) {
    return count(t, target, NULL);
}

void cp_target_warn(const copse_table *t, const char *target, const copse_run *run) {
    size_t first = 0, n = count(t, target, &first);
    char place[300];
    if (n == 0) return;
    cp_table_where(t, first, place, sizeof place);
    if (n == 1)
        cp_log_warn(run, "%s: the target '%s' is missing: the row is left out", place, target);
    else
        cp_log_warn(run, "%s: the target '%s' is missing: this row and %zu more without it are left out", place, target,
                    n - 1);
}

copse_status cp_target_select(const copse_table *t, const char *target, const copse_run *run, copse_table **out,
                              copse_error *err) {
    size_t *rows, n = 0, missing = cp_target_missing(t, target);
    *out = NULL;
    if (missing == 0 || missing == t->rows) return COPSE_OK;
    const cp_column *c = &t->col[cp_table_find(t, target)];
    cp_target_warn(t, target, run);
    CP_TRY(CP_RAW(rows, t->rows, err));
    for (size_t i = 0; i < t->rows; i++)
        if (!cp_column_missing(c, i)) rows[n++] = i;
    copse_status status = cp_table_select(t, rows, n, out, err);
    cp_mem_free(rows);
    return status;
}
