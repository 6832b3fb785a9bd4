#include "data/table_join.h"

#include <string.h>

#include "base/mem.h"

static int has_values(const cp_column *c, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        if (!cp_column_missing(c, i)) return 1;
    return 0;
}

/* The piece's column of that name; NULL if it has none, or no values in it: then its kind was a guess. */
static const cp_column *part_of(const copse_table *piece, const char *name) {
    size_t j = cp_table_find(piece, name);
    return j != (size_t)-1 && has_values(&piece->col[j], piece->rows) ? &piece->col[j] : NULL;
}

/* Appends the codes of one part.  Its levels are in order of first appearance (T2), so adding them in this order keeps
 * T2 in the whole. */
static copse_status put_codes(const cp_column *part, size_t rows, cp_column *to, size_t at, copse_error *err) {
    int32_t *renamed;
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(renamed, part->levels.n, err));
    for (size_t k = 0; k < part->levels.n; k++) {
        const char *text = cp_dict_text(&part->levels, k);
        CP_TRY_OUT(cp_dict_add(&to->levels, text, strlen(text), &renamed[k], err));
    }
    for (size_t i = 0; i < rows; i++)
        if (part->code[i] != CP_NONE) to->code[at + i] = renamed[part->code[i]];
out:
    cp_mem_free(renamed);
    return status;
}

static copse_status mixed(const cp_column *c, copse_error *err) {
    return cp_fail(err, COPSE_E_DATA,
                   "column '%s' holds both numbers and text: add `categorical='%s'`, or `na=WORD` if a word means "
                   "'missing'",
                   c->name, c->name);
}

static copse_status join_column(const copse_table *const *piece, size_t n, const cp_column *like, copse_table *out,
                                copse_error *err) {
    const cp_column *part = NULL;
    cp_column *to;
    for (size_t k = 0; k < n && !part; k++) part = part_of(piece[k], like->name);
    CP_TRY(cp_table_add(out, like->name, part ? part->kind : like->kind, &to, err));
    to->asked = like->asked;
    for (size_t k = 0, at = 0; k < n; at += piece[k++]->rows) {
        if (!(part = part_of(piece[k], like->name))) continue;
        if (part->kind != to->kind) return mixed(to, err);
        if (to->kind == COPSE_TEXT)
            CP_TRY(put_codes(part, piece[k]->rows, to, at, err));
        else
            memcpy(to->number + at, part->number, piece[k]->rows * sizeof *to->number);
    }
    return COPSE_OK;
}

static copse_status join_source(const copse_table *const *piece, size_t n, copse_table *out, copse_error *err) {
    int lines = 1;
    if (piece[0]->source && !(out->source = cp_mem_strdup(piece[0]->source))) return cp_fail_memory(err);
    for (size_t k = 0; k < n; k++) {
        CP_TRY(cp_dict_join(&out->missing, &piece[k]->missing, err));
        out->partial |= piece[k]->partial;
        lines = lines && piece[k]->line;
    }
    if (!lines) return COPSE_OK;
    CP_TRY(CP_RAW(out->line, out->rows, err));
    for (size_t k = 0, at = 0; k < n; at += piece[k++]->rows)
        memcpy(out->line + at, piece[k]->line, piece[k]->rows * sizeof *out->line);
    return COPSE_OK;
}

copse_status cp_table_join(const copse_table *const *piece, size_t n, copse_table **out, copse_error *err) {
    copse_table *t = NULL;
    size_t rows = 0;
    copse_status status = COPSE_OK;
    *out = NULL;
    if (!n) return cp_fail(err, COPSE_E_USAGE, "there are no tables to join");
    for (size_t k = 0; k < n; k++) {
        if (piece[k]->rows > SIZE_MAX - rows) return cp_fail_memory(err);
        rows += piece[k]->rows;
    }
    CP_TRY_OUT(cp_table_new(rows, &t, err));
    CP_TRY_OUT(join_source(piece, n, t, err));
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < piece[k]->cols; j++)
            if (cp_table_find(t, piece[k]->col[j].name) == (size_t)-1)
                CP_TRY_OUT(join_column(piece, n, &piece[k]->col[j], t, err));
    *out = t;
    t = NULL;
out:
    cp_table_free(t);
    return status;
}
