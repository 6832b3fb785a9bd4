/* arrow_make - Arrow arrays of every type that a table takes, from cells of text, and streams of them that count what
 * is released.  A cell is the text of the value, or NULL if it is missing; values of times are raw, in their unit. */
#ifndef ARROW_MAKE_H
#define ARROW_MAKE_H

#include "check.h"

#include "data/arrow.h"

/* Structs that were handed out, and releases of them.  A release of a struct that was released before is an error. */
static int arrow_made, arrow_released;

static inline void arrow_free_array(struct ArrowArray *a) {
    assert_non_null(a->release);
    for (int64_t i = 0; i < a->n_buffers; i++) free(a->private_data ? NULL : (void *)(uintptr_t)a->buffers[i]);
    for (int64_t i = 0; i < a->n_children; i++) {
        a->children[i]->release(a->children[i]);
        free(a->children[i]);
    }
    if (a->dictionary) a->dictionary->release(a->dictionary);
    free(a->dictionary);
    free(a->buffers);
    free(a->children);
    a->release = NULL;
    arrow_released++;
}

static inline struct ArrowArray *arrow_new(size_t offset, size_t n, int64_t n_buffers) {
    struct ArrowArray *a = calloc(1, sizeof *a);
    *a = (struct ArrowArray){.length = (int64_t)n,
                             .offset = (int64_t)offset,
                             .null_count = -1,
                             .n_buffers = n_buffers,
                             .buffers = calloc((size_t)n_buffers + 1, sizeof *a->buffers),
                             .release = arrow_free_array};
    arrow_made++;
    return a;
}

/* A bitmap whose bits before `offset` are all set; bit offset + i is set if cell i is there. */
static inline unsigned char *arrow_bitmap(const char *const *cell, size_t offset, size_t n) {
    unsigned char *bits = malloc((offset + n) / 8 + 1);
    memset(bits, 0xff, (offset + n) / 8 + 1);
    for (size_t i = 0; i < n; i++)
        if (!cell[i]) bits[(offset + i) / 8] &= (unsigned char)~(1u << (offset + i) % 8);
    return bits;
}

static inline uint16_t arrow_half(double x) { /* for numbers that a half holds exactly */
    int e;
    if (isinf(x)) return x < 0 ? 0xfc00 : 0x7c00;
    double m = frexp(fabs(x), &e); /* m in [.5, 1) */
    unsigned bits = x == 0    ? 0
                    : e < -13 ? (unsigned)ldexp(m, e + 24)
                              : (unsigned)(e + 14) << 10 | ((unsigned)ldexp(m, 11) & 1023);
    return (uint16_t)(bits | (x < 0 ? 0x8000u : 0));
}

static inline void arrow_put(char format, const char *text, char *to) {
    double x = text ? strtod(text, NULL) : 77;
    long long whole = text ? strtoll(text, NULL, 10) : 77;
    unsigned long long natural = text ? strtoull(text, NULL, 10) : 77;
    float f = (float)x;
    uint16_t half = arrow_half(x);
    switch (format) {
        case 'g': memcpy(to, &x, 8); break;
        case 'f': memcpy(to, &f, 4); break;
        case 'e': memcpy(to, &half, 2); break;
        case 'L': memcpy(to, &natural, 8); break;
        default: memcpy(to, &whole, strchr("cC", format) ? 1 : strchr("sS", format) ? 2 : strchr("iI", format) ? 4 : 8);
    }
}

static inline struct ArrowArray *arrow_numbers(char format, const char *const *cell, size_t offset, size_t n) {
    struct ArrowArray *a = arrow_new(offset, n, 2);
    size_t size = strchr("cC", format) ? 1 : strchr("sSe", format) ? 2 : strchr("iIf", format) ? 4 : 8;
    char *data = malloc((offset + n) * size + 1);
    memset(data, 0x5a, (offset + n) * size + 1);
    for (size_t i = 0; i < n; i++) arrow_put(format, cell[i], data + (offset + i) * size);
    a->buffers[0] = arrow_bitmap(cell, offset, n);
    a->buffers[1] = data;
    return a;
}

static inline struct ArrowArray *arrow_bits(const char *const *cell, size_t offset, size_t n) {
    struct ArrowArray *a = arrow_new(offset, n, 2);
    unsigned char *bits = calloc((offset + n) / 8 + 1, 1);
    for (size_t i = 0; i < n; i++)
        if (cell[i] && *cell[i] == '1') bits[(offset + i) / 8] |= (unsigned char)(1u << (offset + i) % 8);
    a->buffers[0] = arrow_bitmap(cell, offset, n);
    a->buffers[1] = bits;
    return a;
}

static inline struct ArrowArray *arrow_text(size_t size, const char *const *cell, size_t offset, size_t n) {
    struct ArrowArray *a = arrow_new(offset, n, 3);
    size_t room = 1 + 3 * offset, at = 0;
    for (size_t i = 0; i < n; i++) room += cell[i] ? strlen(cell[i]) : 0;
    char *data = malloc(room), *offsets = malloc((offset + n + 1) * size);
    for (size_t i = 0; i <= offset + n; i++) {
        int64_t wide = (int64_t)at;
        int32_t narrow = (int32_t)at;
        memcpy(offsets + i * size, size == 8 ? (void *)&wide : (void *)&narrow, size);
        const char *text = i < offset ? "old" : i < offset + n ? cell[i - offset] : NULL;
        if (text) memcpy(data + at, text, strlen(text));
        if (text) at += strlen(text);
    }
    a->buffers[0] = arrow_bitmap(cell, offset, n);
    a->buffers[1] = offsets;
    a->buffers[2] = data;
    return a;
}

/* Long texts go to two buffers in turn. */
static inline struct ArrowArray *arrow_views(const char *const *cell, size_t offset, size_t n) {
    struct ArrowArray *a = arrow_new(offset, n, 5);
    char *views = calloc(offset + n + 1, 16), *data[2];
    int64_t *used = calloc(2, sizeof *used);
    for (int k = 0; k < 2; k++) data[k] = malloc(1 << 16);
    for (size_t i = 0; i < n; i++) {
        const char *text = cell[i] ? cell[i] : "";
        int32_t length = (int32_t)strlen(text), which = (int32_t)(i % 2), at = (int32_t)used[which];
        char *view = views + 16 * (offset + i);
        memcpy(view, &length, 4);
        memcpy(view + 4, text, (size_t)(length < 12 ? length : length <= 12 ? 12 : 4));
        if (length <= 12) continue;
        memcpy(view + 8, &which, 4);
        memcpy(view + 12, &at, 4);
        memcpy(data[which] + at, text, (size_t)length);
        used[which] += length;
    }
    a->buffers[0] = arrow_bitmap(cell, offset, n);
    a->buffers[1] = views;
    a->buffers[2] = data[0];
    a->buffers[3] = data[1];
    a->buffers[4] = used;
    return a;
}

static inline struct ArrowArray *arrow_plain(const char *format, const char *const *cell, size_t offset, size_t n) {
    if (!strcmp(format, "n")) return arrow_new(offset, n, 0);
    if (!strcmp(format, "b")) return arrow_bits(cell, offset, n);
    if (!strcmp(format, "u") || !strcmp(format, "U")) return arrow_text(*format == 'u' ? 4 : 8, cell, offset, n);
    if (!strcmp(format, "vu")) return arrow_views(cell, offset, n);
    int narrow = !strcmp(format, "tdD") || !strcmp(format, "tts") || !strcmp(format, "ttm");
    return arrow_numbers(*format != 't' ? *format : narrow ? 'i' : 'l', cell, offset, n);
}

/* Codes of type `codes` into a dictionary of the distinct cells, last cell first, behind a level that is missing and
 * one that no row has.  Every second missing cell has the code of the missing level. */
static inline struct ArrowArray *arrow_dictionary(const char *codes, const char *format, const char *const *cell,
                                                  size_t offset, size_t n) {
    const char **level = calloc(n + 2, sizeof *level), **code = calloc(n + 1, sizeof *code);
    char(*digits)[24] = calloc(n + 1, sizeof *digits);
    size_t levels = 2, missing = 0;
    level[1] = "1";
    for (size_t i = n; i-- > 0;) {
        size_t k = 2;
        if (!cell[i] && missing++ % 2) continue;
        while (cell[i] && k < levels && strcmp(level[k], cell[i])) k++;
        if (cell[i] && k == levels) level[levels++] = cell[i];
        sprintf(digits[i], "%zu", cell[i] ? k : 0);
        code[i] = digits[i];
    }
    struct ArrowArray *a = arrow_plain(codes, code, offset, n);
    a->dictionary = arrow_plain(format, level, offset % 3, levels);
    free(level);
    free(code);
    free(digits);
    return a;
}

/* A stream of batches of one column "c".  Cells of `cut` rows make a batch; the arrays and the batches have offsets. */
typedef struct arrow_source {
    const char *format, *codes; /* codes: type of the indexes of a dictionary, or NULL */
    const char *const *cell;
    size_t n, cut, offset, batch_offset;
    size_t next;      /* the next cell */
    int fail_at;      /* get_schema (1) or the k-th get_next (k + 1) fails; 0: none does */
    int calls;        /* so far */
    int spoil;        /* what is wrong with the arrays, see arrow_next */
    const char *name; /* of the column */
} arrow_source;

static inline void arrow_free_schema(struct ArrowSchema *s) {
    assert_non_null(s->release);
    for (int64_t i = 0; i < s->n_children; i++) {
        s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    if (s->dictionary) s->dictionary->release(s->dictionary);
    free(s->dictionary);
    free(s->children);
    s->release = NULL;
    arrow_released++;
}

static inline struct ArrowSchema *arrow_new_schema(const char *format, const char *name) {
    struct ArrowSchema *s = calloc(1, sizeof *s);
    *s = (struct ArrowSchema){.format = format, .name = name, .flags = 2, .release = arrow_free_schema};
    arrow_made++;
    return s;
}

static inline int arrow_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    arrow_source *src = stream->private_data;
    if (++src->calls == src->fail_at) return 5;
    struct ArrowSchema *top = arrow_new_schema("+s", ""), *column;
    column = arrow_new_schema(src->codes ? src->codes : src->format, src->name ? src->name : "c");
    if (src->codes) column->dictionary = arrow_new_schema(src->format, NULL);
    top->n_children = 1;
    top->children = malloc(sizeof *top->children);
    top->children[0] = column;
    *out = *top;
    free(top);
    return 0;
}

enum { SHORT_CHILD = 1, NEGATIVE_OFFSET, NO_BUFFERS, NO_DATA, TWO_COLUMNS, NO_DICTIONARY, HUGE_OFFSET };

static inline void arrow_spoil(struct ArrowArray *top, int how) {
    struct ArrowArray *a = top->children[0];
    if (how == SHORT_CHILD) a->length--;
    if (how == NEGATIVE_OFFSET) a->offset = -1;
    if (how == HUGE_OFFSET) a->offset = INT64_MAX - 2;
    if (how == NO_DATA || how == NO_BUFFERS) {
        free((void *)(uintptr_t)a->buffers[1]);
        a->buffers[1] = NULL;
    }
    if (how == NO_BUFFERS) {
        for (int64_t i = 0; i < a->n_buffers; i++) free((void *)(uintptr_t)a->buffers[i]);
        a->n_buffers = 0;
    }
    if (how == TWO_COLUMNS) {
        top->children = realloc(top->children, 2 * sizeof *top->children);
        top->children[top->n_children++] = arrow_new(0, (size_t)top->length, 0);
    }
    if (how == NO_DICTIONARY) {
        a->dictionary->release(a->dictionary);
        free(a->dictionary);
        a->dictionary = NULL;
    }
}

/* The struct of a batch has an offset too, so that its column begins with cells that are not part of it. */
static inline int arrow_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    arrow_source *src = stream->private_data;
    static const char *const junk[] = {"1", "0", "1", "1", "0", "1", "0", "1"};
    if (++src->calls == src->fail_at) return 5;
    *out = (struct ArrowArray){0};
    if (src->next == src->n) return 0;
    size_t n = src->n - src->next < src->cut ? src->n - src->next : src->cut;
    const char **cell = calloc(src->batch_offset + n, sizeof *cell);
    memcpy(cell, junk, src->batch_offset * sizeof *cell);
    memcpy(cell + src->batch_offset, src->cell + src->next, n * sizeof *cell);
    struct ArrowArray *top = arrow_new(src->batch_offset, n, 1);
    top->null_count = 0;
    top->n_children = 1;
    top->children = malloc(sizeof *top->children);
    size_t all = src->batch_offset + n;
    top->children[0] = src->codes ? arrow_dictionary(src->codes, src->format, cell, src->offset, all)
                                  : arrow_plain(src->format, cell, src->offset, all);
    free(cell);
    arrow_spoil(top, src->spoil);
    *out = *top;
    free(top);
    src->next += n;
    return 0;
}

static inline const char *arrow_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is gone";
}

static inline void arrow_close(struct ArrowArrayStream *stream) {
    assert_non_null(stream->release);
    stream->release = NULL;
    arrow_released++;
}

static inline struct ArrowArrayStream arrow_open(arrow_source *src) {
    arrow_made++;
    return (struct ArrowArrayStream){.get_schema = arrow_schema,
                                     .get_next = arrow_next,
                                     .get_last_error = arrow_error,
                                     .release = arrow_close,
                                     .private_data = src};
}

#endif
