#include "data/arrow_column.h"

#include <string.h>

#include "base/mem.h"
#include "data/values.h"

/* Items first ... first+n-1 of an array, counted in its buffers: the array's offset is in `first`. */
typedef struct items {
    const char *column; /* for messages */
    const struct ArrowArray *a;
    size_t first, n, row; /* row: of the first item */
} items;

static copse_status malformed(const items *it, const char *what, copse_error *err) {
    return cp_fail(err, COPSE_E_DATA, "column '%.200s' of the Arrow stream is malformed: %s", it->column, what);
}

/* Does the array have n items behind the first `skip`?  Sets it->first. */
static copse_status begin(items *it, size_t skip, copse_error *err) {
    const struct ArrowArray *a = it->a;
    if (!a || a->length < 0 || a->offset < 0) return malformed(it, "an array without length and offset", err);
    if ((uint64_t)a->length < it->n || (uint64_t)a->length - it->n < skip)
        return malformed(it, "an array is shorter than its record batch", err);
    if (a->n_buffers < 0 || (a->n_buffers && !a->buffers)) return malformed(it, "an array without buffers", err);
    if (__builtin_add_overflow((size_t)a->offset, skip, &it->first) || it->first > PTRDIFF_MAX / 16 - it->n)
        return malformed(it, "an offset is too large", err);
    return COPSE_OK;
}

/* A buffer that must be there. */
static copse_status buffer(const items *it, int i, const void **out, copse_error *err) {
    *out = i < it->a->n_buffers ? it->a->buffers[i] : NULL;
    return *out || !it->n ? COPSE_OK : malformed(it, "a buffer is missing", err);
}

static const unsigned char *valid_bits(const struct ArrowArray *a) {
    return a->n_buffers > 0 ? a->buffers[0] : NULL;
}

static int is_valid(const items *it, size_t i) {
    const unsigned char *bits = valid_bits(it->a);
    return !bits || cp_values_bit(bits, it->first + i);
}

/* --------------------------------------------------------------------------------------------------------- numbers */

static double from_half(uint16_t h) {
    int exponent = h >> 10 & 31, sign = h >> 15;
    double fraction = (double)(h & 1023) / 1024, x;
    if (exponent == 31)
        x = h & 1023 ? NAN : INFINITY;
    else
        x = exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
    return sign ? -x : x;
}

static void copy_half(const items *it, const void *data, double *out) {
    for (size_t i = 0; i < it->n; i++) {
        uint16_t h;
        memcpy(&h, (const char *)data + 2 * (it->first + i), sizeof h);
        out[i] = is_valid(it, i) ? from_half(h) : NAN;
    }
}

static void copy_bits(const items *it, const void *data, double *out) {
    for (size_t i = 0; i < it->n; i++) out[i] = is_valid(it, i) ? (double)cp_values_bit(data, it->first + i) : NAN;
}

/* The values of an array of numbers, as copse_values has them. */
static copse_values values_of(const items *it, copse_type type, const void *data) {
    return (copse_values){.type = type,
                          .data = (const char *)data + it->first * cp_values_size(type),
                          .valid = valid_bits(it->a),
                          .valid_offset = it->first};
}

static copse_status fill_numbers(const items *it, const cp_arrow_type *type, double *out, copse_error *err) {
    const void *data = NULL;
    if (type->kind == CP_ARROW_NULL) {
        for (size_t i = 0; i < it->n; i++) out[i] = NAN;
        return COPSE_OK;
    }
    CP_TRY(buffer(it, 1, &data, err));
    if (!it->n) return COPSE_OK;
    if (type->kind == CP_ARROW_BITS) {
        copy_bits(it, data, out);
    } else if (type->kind == CP_ARROW_HALF) {
        copy_half(it, data, out);
    } else {
        copse_values v = values_of(it, type->numbers, data);
        cp_values_numbers(&v, it->n, out);
        for (size_t i = 0; i < it->n; i++) out[i] = out[i] * type->times / type->divided;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ text */

static int64_t load(const void *data, size_t i, size_t size) {
    int32_t small;
    int64_t large;
    if (size == sizeof large) return memcpy(&large, (const char *)data + i * size, size), large;
    return memcpy(&small, (const char *)data + i * size, size), small;
}

static copse_status text_by_offsets(const items *it, size_t size, size_t i, cp_values_level *out, copse_error *err) {
    const void *offsets, *data;
    CP_TRY(buffer(it, 1, &offsets, err));
    int64_t from = load(offsets, it->first + i, size), to = load(offsets, it->first + i + 1, size);
    if (from < 0 || to < from) return malformed(it, "offsets of texts decrease", err);
    if (from == to) {
        *out = (cp_values_level){"", 0};
        return COPSE_OK;
    }
    CP_TRY(buffer(it, 2, &data, err));
    *out = (cp_values_level){(const char *)data + from, (size_t)(to - from)};
    return COPSE_OK;
}

/* A view has 16 bytes: the length, then a text of at most 12 bytes, or its first 4, the number of its buffer, and its
 * offset there.  The last buffer of the array holds the sizes of the others. */
static copse_status text_by_view(const items *it, size_t i, cp_values_level *out, copse_error *err) {
    enum { VIEW = 16, SHORT = 12, FIXED = 3 };
    const void *views, *sizes;
    CP_TRY(buffer(it, 1, &views, err));
    const char *view = (const char *)views + VIEW * (it->first + i);
    int64_t n = load(view, 0, 4), which = load(view, 2, 4), at = load(view, 3, 4);
    if (n < 0) return malformed(it, "a text has a negative length", err);
    if (n <= SHORT) {
        *out = (cp_values_level){view + 4, (size_t)n};
        return COPSE_OK;
    }
    if (which < 0 || which >= it->a->n_buffers - FIXED || !it->a->buffers[which + 2])
        return malformed(it, "a text is in a buffer that is not there", err);
    CP_TRY(buffer(it, (int)it->a->n_buffers - 1, &sizes, err));
    if (at < 0 || at > load(sizes, (size_t)which, 8) - n) return malformed(it, "a text reaches beyond its buffer", err);
    *out = (cp_values_level){(const char *)it->a->buffers[which + 2] + at, (size_t)n};
    return COPSE_OK;
}

/* The text of item i; NULL if it is missing. */
static copse_status text_of(const items *it, const cp_arrow_type *type, size_t i, cp_values_level *out,
                            copse_error *err) {
    *out = (cp_values_level){0};
    if (!is_valid(it, i)) return COPSE_OK;
    if (type->kind == CP_ARROW_TEXT_VIEW) return text_by_view(it, i, out, err);
    return text_by_offsets(it, type->kind == CP_ARROW_TEXT ? 4 : 8, i, out, err);
}

static copse_status fill_text(const items *it, const cp_arrow_type *type, const items *parent, cp_column *c,
                              copse_error *err) {
    for (size_t i = 0; i < it->n; i++) {
        cp_values_level text;
        CP_TRY(text_of(it, type, i, &text, err));
        if (text.text && is_valid(parent, i)) CP_TRY(cp_values_text(c, it->row + i, text.text, text.n, err));
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------- dictionaries */

static copse_status label(const items *codes, const items *words, const cp_arrow_type *type, cp_column *c,
                          copse_error *err) {
    cp_values_level *level;
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(level, words->n, err));
    for (size_t k = 0; k < words->n && !status; k++) status = text_of(words, type, k, &level[k], err);
    if (!status) status = cp_values_label(c, codes->row, codes->n, level, words->n, err);
    cp_mem_free(level);
    return status;
}

static copse_status look_up(const items *words, const cp_arrow_type *type, const int32_t *code, size_t n, double *out,
                            copse_error *err) {
    double *value;
    CP_TRY(CP_RAW(value, words->n, err));
    copse_status status = fill_numbers(words, type, value, err);
    for (size_t i = 0; i < n && !status; i++) out[i] = code[i] == CP_NONE ? NAN : value[code[i]];
    cp_mem_free(value);
    return status;
}

/* Codes go to the column itself if it is text, else to memory of their own. */
static copse_status fill_dictionary(const items *it, const cp_arrow_column_part *part, const items *parent,
                                    cp_column *c, copse_error *err) {
    items words = {.column = it->column, .a = it->a->dictionary};
    const void *data;
    int32_t *own = NULL, *code = c->code ? c->code + it->row : NULL;
    copse_status status = COPSE_OK;
    if (!words.a) return malformed(it, "its dictionary is missing", err);
    if (words.a->length < 0 || words.a->length > INT32_MAX) return malformed(it, "the size of its dictionary", err);
    words.n = (size_t)words.a->length;
    CP_TRY(begin(&words, 0, err));
    CP_TRY(buffer(it, 1, &data, err));
    if (!it->n) return COPSE_OK;
    copse_values v = values_of(it, part->codes->numbers, data);
    if (!code) {
        CP_TRY(CP_RAW(own, it->n, err));
        code = own;
    }
    CP_TRY_OUT(cp_values_codes(&v, it->row, it->n, words.n, code, err));
    for (size_t i = 0; i < it->n; i++)
        if (!is_valid(parent, i)) code[i] = CP_NONE;
    CP_TRY_OUT(own ? look_up(&words, part->type, code, it->n, c->number + it->row, err)
                   : label(it, &words, part->type, c, err));
out:
    cp_mem_free(own);
    return status;
}

copse_status cp_arrow_column_fill(cp_column *c, const cp_arrow_column_part *part, copse_error *err) {
    items it = {.column = c->name, .a = part->array, .n = part->n, .row = part->row};
    items parent = {.column = c->name, .a = part->parent, .n = part->n, .row = part->row};
    CP_TRY(begin(&parent, 0, err));
    CP_TRY(begin(&it, (size_t)part->parent->offset, err));
    if (part->codes) return fill_dictionary(&it, part, &parent, c, err);
    if (cp_arrow_type_is_text(part->type)) return fill_text(&it, part->type, &parent, c, err);
    CP_TRY(fill_numbers(&it, part->type, c->number + part->row, err));
    if (!valid_bits(part->parent)) return COPSE_OK;
    for (size_t i = 0; i < part->n; i++)
        if (!is_valid(&parent, i)) c->number[part->row + i] = NAN;
    return COPSE_OK;
}
