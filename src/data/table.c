#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "data/text.h"

copse_status cp_table_new(size_t rows, copse_table **out, copse_error *err) {
    CP_TRY(CP_NEW(*out, 1, err));
    (*out)->rows = rows;
    return COPSE_OK;
}

static void column_clear(cp_column *c) {
    cp_mem_free(c->name);
    if (!c->shared) {
        cp_mem_free(c->number);
        cp_mem_free(c->code);
    }
    cp_dict_clear(&c->levels);
    *c = (cp_column){0};
}

static copse_status column_init(cp_column *c, const char *name, copse_kind kind, size_t rows, copse_error *err) {
    *c = (cp_column){.name = cp_mem_strdup(name), .kind = kind};
    if (!c->name) return cp_fail_memory(err);
    if (kind == COPSE_NUMBER) {
        CP_TRY(CP_RAW(c->number, rows, err));
        for (size_t i = 0; i < rows; i++) c->number[i] = NAN;
    } else {
        CP_TRY(CP_RAW(c->code, rows, err));
        for (size_t i = 0; i < rows; i++) c->code[i] = CP_NONE;
    }
    return COPSE_OK;
}

copse_status cp_table_add(copse_table *t, const char *name, copse_kind kind, cp_column **out, copse_error *err) {
    size_t n = strlen(name);
    int32_t id;
    *out = NULL;
    if (!n) return cp_fail(err, COPSE_E_USAGE, "a column needs a name");
    if (cp_dict_find(&t->names, name, n) != CP_NONE)
        return cp_fail(err, COPSE_E_USAGE, "there are two columns '%s': give each its own name", name);
    CP_TRY(CP_GROW(t->col, t->cap_cols, t->cols + 1, err));
    cp_column *c = &t->col[t->cols];
    copse_status status = column_init(c, name, kind, t->rows, err);
    if (!status) status = cp_dict_add(&t->names, name, n, &id, err);
    if (status) {
        column_clear(c);
        return status;
    }
    t->cols++;
    *out = c;
    return COPSE_OK;
}

void cp_table_remove_last(copse_table *t) {
    column_clear(&t->col[--t->cols]);
    cp_dict_shrink(&t->names, t->cols);
}

/* One block of memory may get large pages, which many short columns cannot.  Columns are an odd number of cache lines
 * apart: otherwise the cells of one row, which are written together, would compete for a few sets of the cache. */
copse_status cp_table_share(copse_table *t, size_t cap, copse_error *err) {
    enum { LINE = 64 / sizeof(double) };
    size_t stride = (cap / LINE | 1) * LINE, all;
    if (stride < cap) stride += (size_t)2 * LINE;
    CP_BUG(t->rows || t->cells);
    if (__builtin_mul_overflow(stride, t->cols, &all)) return cp_fail_memory(err);
    CP_TRY(CP_RAW(t->cells, all, err));
    for (size_t j = 0; j < t->cols; j++) {
        cp_column *c = &t->col[j];
        cp_mem_free(c->number);
        c->number = t->cells + j * stride;
        c->shared = 1;
    }
    return COPSE_OK;
}

copse_status cp_table_recode(cp_column *c, size_t cap, copse_error *err) {
    if (c->shared) {
        c->code = (int32_t *)(void *)c->number; /* codes take half the room of numbers */
    } else {
        CP_TRY(CP_RAW(c->code, cap, err));
        cp_mem_free(c->number);
    }
    c->number = NULL;
    c->kind = COPSE_TEXT;
    return COPSE_OK;
}

size_t cp_table_find(const copse_table *t, const char *name) {
    int32_t id = cp_dict_find(&t->names, name, strlen(name));
    return id == CP_NONE ? (size_t)-1 : (size_t)id;
}

void cp_table_free(copse_table *t) {
    if (!t) return;
    for (size_t j = 0; j < t->cols; j++) column_clear(&t->col[j]);
    cp_mem_free(t->col);
    cp_dict_clear(&t->names);
    cp_dict_clear(&t->missing);
    cp_mem_free(t->cells);
    cp_mem_free(t->source);
    cp_mem_free(t->line);
    cp_mem_free(t);
}

/* Levels are added again in order of appearance, so that T2 holds in the selection; levels that no row has are gone. */
static copse_status select_codes(const cp_column *from, const size_t *rows, size_t n, cp_column *to, copse_error *err) {
    int32_t *renamed;
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(renamed, from->levels.n, err));
    for (size_t k = 0; k < from->levels.n; k++) renamed[k] = CP_NONE;
    for (size_t i = 0; i < n; i++) {
        int32_t k = from->code[rows[i]];
        if (k == CP_NONE) continue;
        if (renamed[k] == CP_NONE) {
            const char *text = cp_dict_text(&from->levels, (size_t)k);
            CP_TRY_OUT(cp_dict_add(&to->levels, text, strlen(text), &renamed[k], err));
        }
        to->code[i] = renamed[k];
    }
out:
    cp_mem_free(renamed);
    return status;
}

static copse_status select_source(const copse_table *t, const size_t *rows, size_t n, copse_table *s,
                                  copse_error *err) {
    if (t->source && !(s->source = cp_mem_strdup(t->source))) return cp_fail_memory(err);
    s->partial = t->partial;
    CP_TRY(cp_dict_join(&s->missing, &t->missing, err));
    if (!t->line) return COPSE_OK;
    CP_TRY(CP_RAW(s->line, n, err));
    for (size_t i = 0; i < n; i++) s->line[i] = t->line[rows[i]];
    return COPSE_OK;
}

copse_status cp_table_select(const copse_table *t, const size_t *rows, size_t n, copse_table **out, copse_error *err) {
    copse_table *s = NULL;
    copse_status status = COPSE_OK;
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (rows[i] >= t->rows) return cp_fail(err, COPSE_E_USAGE, "row %zu of %zu asked for", rows[i], t->rows);
    CP_TRY_OUT(cp_table_new(n, &s, err));
    CP_TRY_OUT(select_source(t, rows, n, s, err));
    for (size_t j = 0; j < t->cols; j++) {
        const cp_column *from = &t->col[j];
        cp_column *to;
        CP_TRY_OUT(cp_table_add(s, from->name, from->kind, &to, err));
        to->asked = from->asked;
        if (from->kind == COPSE_TEXT)
            CP_TRY_OUT(select_codes(from, rows, n, to, err));
        else
            for (size_t i = 0; i < n; i++) to->number[i] = from->number[rows[i]];
    }
    *out = s;
    s = NULL;
out:
    cp_table_free(s);
    return status;
}

copse_status cp_table_to_text(copse_table *t, size_t col, copse_error *err) {
    cp_column *c = &t->col[col];
    char buf[CP_JSON_NUMBER];
    int32_t *code;
    copse_status status = COPSE_OK;
    if (c->kind == COPSE_TEXT) return COPSE_OK;
    CP_TRY(CP_RAW(code, t->rows, err));
    for (size_t i = 0; i < t->rows; i++) {
        code[i] = CP_NONE;
        if (isnan(c->number[i])) continue;
        cp_json_format(c->number[i], buf);
        CP_TRY_OUT(cp_dict_add(&c->levels, buf, strlen(buf), &code[i], err));
    }
    if (!c->shared) cp_mem_free(c->number);
    c->number = NULL;
    c->code = code;
    c->shared = 0;
    c->kind = COPSE_TEXT;
    code = NULL;
out:
    cp_mem_free(code);
    return status;
}

size_t cp_table_word(cp_table_rows rows, const cp_column *c) {
    size_t end = rows.first + rows.n, present = rows.first, row;
    double value;
    while (present + 1 < end && c->code[present] == CP_NONE) present++;
    for (row = present; row < end; row++)
        if (c->code[row] != CP_NONE && !cp_text_number(cp_dict_text(&c->levels, (size_t)c->code[row]), &value)) break;
    return row < end ? row : present;
}

const char *cp_table_where(const copse_table *t, size_t row, char *buf, size_t n) {
    if (t->source && t->line)
        snprintf(buf, n, "%s:%ld", t->source, t->line[row]);
    else if (t->source)
        snprintf(buf, n, "%s: row %zu", t->source, row + 1);
    else
        snprintf(buf, n, "row %zu", row + 1);
    return buf;
}

/* T2: a code seen for the first time is the next unused one. */
static int check_codes(const cp_column *c, size_t rows) {
    int32_t next = 0;
    if (!c->code || c->number) return 0;
    for (size_t i = 0; i < rows; i++) {
        if (c->code[i] < CP_NONE || c->code[i] > next) return 0;
        if (c->code[i] == next) next++;
    }
    for (size_t k = 0; k < c->levels.n; k++) {
        const char *text = cp_dict_text(&c->levels, k);
        if (cp_dict_find(&c->levels, text, strlen(text)) != (int32_t)k) return 0;
    }
    return (size_t)next == c->levels.n;
}

int cp_table_check(const copse_table *t) {
    if (t->names.n != t->cols) return 0;
    for (size_t j = 0; j < t->cols; j++) {
        const cp_column *c = &t->col[j];
        if (!c->name || !c->name[0] || cp_table_find(t, c->name) != j) return 0;
        if (c->kind == COPSE_TEXT ? !check_codes(c, t->rows) : !c->number || c->code) return 0;
    }
    return 1;
}
