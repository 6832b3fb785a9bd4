#include "cli_concat.h"

#include <stdlib.h>

/* A column's values for copse_table_add_*: one of the two, by its kind. */
typedef struct values {
    double *number;
    const char **text;
} values;

static copse_status values_new(values *v, size_t rows, copse_error *err) {
    v->number = malloc((rows + 1) * sizeof *v->number);
    v->text = malloc((rows + 1) * sizeof *v->text);
    return v->number && v->text ? COPSE_OK : cli_fail_memory(err);
}

static void values_free(values *v) {
    free(v->number);
    free(v->text);
}

static void take(values *v, size_t at, const copse_table *t, size_t row, size_t col) {
    v->number[at] = copse_table_number(t, row, col);
    v->text[at] = copse_table_text(t, row, col);
}

static copse_status add(copse_table *t, const char *name, copse_kind kind, const values *v, copse_error *err) {
    if (kind == COPSE_NUMBER) return copse_table_add_numbers(t, name, v->number, err);
    return copse_table_add_text(t, name, v->text, err);
}

copse_status cli_concat_reorder(const copse_table *t, size_t col, const size_t *order, copse_table **out,
                                copse_error *err) {
    values v = {0};
    copse_table *made = NULL;
    size_t rows = copse_table_rows(t);
    copse_status status = COPSE_OK;
    *out = NULL;
    CLI_TRY_OUT(copse_table_new(rows, &made, err));
    CLI_TRY_OUT(values_new(&v, rows, err));
    for (size_t k = 0; k < copse_table_cols(t); k++) {
        for (size_t i = 0; i < rows; i++) take(&v, i, t, k == col ? order[i] : i, k);
        CLI_TRY_OUT(add(made, copse_table_name(t, k), copse_table_kind(t, k), &v, err));
    }
    *out = made;
    made = NULL;
out:
    values_free(&v);
    copse_table_free(made);
    return status;
}

/* ---------------------------------------------------------------------------------------------- rows of a stream */

typedef struct pieces {
    copse_table **piece;
    size_t n, cap, rows;
} pieces;

static copse_status pieces_add(pieces *p, copse_table *t, copse_error *err) {
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 16;
        copse_table **more = realloc(p->piece, cap * sizeof *more);
        if (!more) return cli_fail_memory(err);
        p->piece = more;
        p->cap = cap;
    }
    p->piece[p->n++] = t;
    p->rows += copse_table_rows(t);
    return COPSE_OK;
}

static copse_status pieces_read(pieces *p, copse_stream *s, size_t n, copse_error *err) {
    while (p->rows < n) {
        copse_table *t = NULL;
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(copse_stream_next(s, n - p->rows, &t, err));
        if (!t) break;
        copse_status status = pieces_add(p, t, err);
        if (!status) continue;
        copse_table_free(t);
        return status;
    }
    return COPSE_OK;
}

copse_status cli_concat_rows(copse_stream *s, size_t n, copse_table **out, copse_error *err) {
    pieces p = {0};
    *out = NULL;
    copse_status status = pieces_read(&p, s, n, err);
    if (!status && p.n == 1) {
        *out = p.piece[0];
        p.n = 0;
    } else if (!status && p.n > 1) {
        status = copse_table_join((const copse_table *const *)p.piece, p.n, out, err);
    }
    for (size_t i = 0; i < p.n; i++) copse_table_free(p.piece[i]);
    free(p.piece);
    return status;
}
