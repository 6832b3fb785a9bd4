#include "data/values.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

size_t cp_values_size(copse_type type) {
    switch (type) {
        case COPSE_F64:
        case COPSE_I64:
        case COPSE_U64: return 8;
        case COPSE_F32:
        case COPSE_I32:
        case COPSE_U32: return 4;
        case COPSE_I16:
        case COPSE_U16: return 2;
        case COPSE_I8:
        case COPSE_U8:
        case COPSE_BOOL: return 1;
    }
    return 0;
}

static ptrdiff_t step_of(const copse_values *v) {
    return v->stride ? v->stride : (ptrdiff_t)cp_values_size(v->type);
}

/* Values may lie at any address, so they are loaded by memcpy.  The pointer moves between values only: behind the last
 * one it may have no address. */
#define LOOP(T, from, step, n, store)                         \
    for (size_t i = 0; i < (n); i++) {                        \
        T x;                                                  \
        memcpy(&x, (from) + (ptrdiff_t)i * (step), sizeof x); \
        store;                                                \
    }                                                         \
    break

void cp_values_numbers(const copse_values *v, size_t n, double *out) {
    const char *p = v->data;
    ptrdiff_t step = step_of(v);
    switch (v->type) {
        case COPSE_F64: LOOP(double, p, step, n, out[i] = x);
        case COPSE_F32: LOOP(float, p, step, n, out[i] = (double)x);
        case COPSE_I8: LOOP(int8_t, p, step, n, out[i] = (double)x);
        case COPSE_I16: LOOP(int16_t, p, step, n, out[i] = (double)x);
        case COPSE_I32: LOOP(int32_t, p, step, n, out[i] = (double)x);
        case COPSE_I64: LOOP(int64_t, p, step, n, out[i] = (double)x);
        case COPSE_U8: LOOP(uint8_t, p, step, n, out[i] = (double)x);
        case COPSE_U16: LOOP(uint16_t, p, step, n, out[i] = (double)x);
        case COPSE_U32: LOOP(uint32_t, p, step, n, out[i] = (double)x);
        case COPSE_U64: LOOP(uint64_t, p, step, n, out[i] = (double)x);
        case COPSE_BOOL: LOOP(uint8_t, p, step, n, out[i] = x ? 1 : 0);
    }
    if (!v->valid) return;
    for (size_t i = 0; i < n; i++)
        if (!cp_values_bit(v->valid, v->valid_offset + i)) out[i] = NAN;
}

/* Codes pass as doubles: those above 2^53 lose digits, but no column has that many levels. */
static copse_status put_code(double x, size_t row, size_t n_levels, int32_t *out, copse_error *err) {
    *out = CP_NONE;
    if (!(x >= 0)) return COPSE_OK;
    if (x >= (double)n_levels)
        return cp_fail_at(
            err, COPSE_E_DATA, (long)row + 1, 0,
            "row %zu has the code %.0f, but there are %zu levels: codes begin with 0, and a negative code "
            "means missing",
            row + 1, x, n_levels);
    *out = (int32_t)x;
    return COPSE_OK;
}

copse_status cp_values_codes(const copse_values *v, size_t first, size_t n, size_t n_levels, int32_t *out,
                             copse_error *err) {
    enum { BLOCK = 512 };
    double x[BLOCK];
    for (size_t at = 0, few; at < n; at += few) {
        copse_values part = *v;
        few = n - at < BLOCK ? n - at : BLOCK;
        part.data = (const char *)v->data + (ptrdiff_t)at * step_of(v);
        part.valid_offset += at;
        cp_values_numbers(&part, few, x);
        for (size_t i = 0; i < few; i++) CP_TRY(put_code(x[i], first + at + i, n_levels, &out[at + i], err));
    }
    return COPSE_OK;
}

static int is_text(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0, step; i < n; i += step)
        if (!(step = cp_utf8_length(p + i, n - i))) return 0;
    return 1;
}

static copse_status add_level(cp_column *c, size_t row, const char *text, size_t n, int32_t *out, copse_error *err) {
    if (is_text(text, n)) return cp_dict_add(&c->levels, text, n, out, err);
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, 0,
                      "column '%.200s', row %zu: the text is not UTF-8 without zero bytes. Convert it first", c->name,
                      row + 1);
}

copse_status cp_values_text(cp_column *c, size_t row, const char *text, size_t n, copse_error *err) {
    return add_level(c, row, text, n, &c->code[row], err);
}

copse_status cp_values_label(cp_column *c, size_t first, size_t n, const cp_values_level *level, size_t n_levels,
                             copse_error *err) {
    enum { UNUSED = -2 };
    int32_t *renamed; /* per level: its code in the column */
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(renamed, n_levels, err));
    for (size_t k = 0; k < n_levels; k++) renamed[k] = level[k].text ? UNUSED : CP_NONE;
    for (size_t i = first; i < first + n; i++) {
        int32_t k = c->code[i];
        if (k == CP_NONE) continue;
        if (renamed[k] == UNUSED) CP_TRY_OUT(add_level(c, i, level[k].text, level[k].n, &renamed[k], err));
        c->code[i] = renamed[k];
    }
out:
    cp_mem_free(renamed);
    return status;
}

copse_status cp_values_add(copse_table *t, const char *name, const copse_values *v, copse_error *err) {
    cp_column *c;
    CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &c, err));
    cp_values_numbers(v, t->rows, c->number);
    return COPSE_OK;
}

copse_status cp_values_add_codes(copse_table *t, const char *name, const copse_values *v, const cp_values_level *level,
                                 size_t n_levels, copse_error *err) {
    cp_column *c;
    CP_TRY(cp_table_add(t, name, COPSE_TEXT, &c, err));
    c->asked = 1;
    copse_status status = cp_values_codes(v, 0, t->rows, n_levels, c->code, err);
    if (!status) status = cp_values_label(c, 0, t->rows, level, n_levels, err);
    if (status) cp_table_remove_last(t);
    return status;
}
