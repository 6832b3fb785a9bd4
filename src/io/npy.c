#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/column_types.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, LONGEST_DESCR = 7, MAX_DIMS = 2 };

/* The contents of the header, and the data behind it. */
typedef struct array {
    char descr[LONGEST_DESCR + 1]; /* such as "<f8" */
    int fortran;
    size_t dims, shape[MAX_DIMS];
    unsigned seen; /* keys met, as bits: 1 descr, 2 fortran_order, 4 shape */
    const char *data;
    size_t bytes; /* of data */
} array;

int cp_npy_is(const cp_content *in) {
    return in->n >= MAGIC && !memcmp(in->bytes, magic, MAGIC);
}

static copse_status bad(const cp_content *in, const char *what, copse_error *err) {
    return cp_fail(err, COPSE_E_DATA, "%s: %s. Write it again with numpy.save", in->name, what);
}

static uint64_t little_endian(const unsigned char *p, size_t n) {
    uint64_t v = 0;
    while (n--) v = v << 8 | p[n];
    return v;
}

/* Finds the text of the header and the data behind it. */
static copse_status find_header(const cp_content *in, const char **text, size_t *n, array *a, copse_error *err) {
    const unsigned char *p = (const unsigned char *)in->bytes;
    if (!cp_npy_is(in)) return bad(in, "this is not a .npy file", err);
    if (in->n < MAGIC + 6) return bad(in, "the .npy header is cut off", err);
    if (p[MAGIC] < 1 || p[MAGIC] > 3) return bad(in, "the .npy version is not 1, 2 or 3", err);
    size_t width = p[MAGIC] == 1 ? 2 : 4, begin = MAGIC + 2 + width;
    uint64_t length = little_endian(p + MAGIC + 2, width);
    if (length > in->n - begin) return bad(in, "the .npy header is cut off", err);
    *text = in->bytes + begin;
    *n = (size_t)length;
    a->data = *text + *n;
    a->bytes = in->n - begin - *n;
    return COPSE_OK;
}

/* The header is a Python literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } */
typedef struct literal {
    const char *p, *end;
} literal;

static int next_is(literal *l, char c) {
    while (l->p < l->end && (*l->p == ' ' || *l->p == '\n')) l->p++;
    if (l->p == l->end || *l->p != c) return 0;
    l->p++;
    return 1;
}

static int read_quoted(literal *l, char *out, size_t n) {
    char quote = next_is(l, '\'') ? '\'' : next_is(l, '"') ? '"' : 0;
    const char *close = quote ? memchr(l->p, quote, (size_t)(l->end - l->p)) : NULL;
    if (!close || (size_t)(close - l->p) >= n) return 0;
    memcpy(out, l->p, (size_t)(close - l->p));
    out[close - l->p] = '\0';
    l->p = close + 1;
    return 1;
}

static int read_bool(literal *l, int *out) {
    *out = next_is(l, 'T');
    if (!*out && !next_is(l, 'F')) return 0;
    const char *rest = *out ? "rue" : "alse";
    size_t n = strlen(rest);
    if ((size_t)(l->end - l->p) < n || memcmp(l->p, rest, n) != 0) return 0;
    l->p += n;
    return 1;
}

static int read_count(literal *l, size_t *out) {
    size_t digits = 0;
    for (*out = 0; l->p < l->end && *l->p >= '0' && *l->p <= '9'; l->p++, digits++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (size_t)(*l->p - '0'), out)) return 0;
    return digits > 0;
}

static int read_shape(literal *l, array *a) {
    if (!next_is(l, '(')) return 0;
    while (!next_is(l, ')')) {
        size_t count; /* dimensions beyond MAX_DIMS are counted, not kept */
        if (!read_count(l, a->dims < MAX_DIMS ? &a->shape[a->dims] : &count)) return 0;
        a->dims++;
        if (!next_is(l, ',')) return next_is(l, ')');
        next_is(l, ' ');
    }
    return 1;
}

static int read_literal(literal *l, array *a) {
    char key[16];
    if (!next_is(l, '{')) return 0;
    while (!next_is(l, '}')) {
        if (!read_quoted(l, key, sizeof key) || !next_is(l, ':')) return 0;
        unsigned bit = !strcmp(key, "descr") ? 1 : !strcmp(key, "fortran_order") ? 2 : !strcmp(key, "shape") ? 4 : 0;
        if (!bit || a->seen & bit) return 0;
        a->seen |= bit;
        int fine = bit == 1   ? read_quoted(l, a->descr, sizeof a->descr)
                   : bit == 2 ? read_bool(l, &a->fortran)
                              : read_shape(l, a);
        if (!fine) return 0;
        next_is(l, ',');
    }
    return a->seen == 7;
}

/* An element of each type, given as its bits, to a double. */
typedef double (*element)(uint64_t bits);

static double from_f4(uint64_t bits) {
    uint32_t b = (uint32_t)bits;
    float x;
    memcpy(&x, &b, sizeof x);
    return (double)x;
}
static double from_f8(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double from_i1(uint64_t bits) {
    return (double)(int8_t)bits;
}
static double from_i2(uint64_t bits) {
    return (double)(int16_t)bits;
}
static double from_i4(uint64_t bits) {
    return (double)(int32_t)bits;
}
static double from_i8(uint64_t bits) {
    return (double)(int64_t)bits;
}
static double from_unsigned(uint64_t bits) {
    return (double)bits;
}
static double from_bool(uint64_t bits) {
    return bits ? 1 : 0;
}

typedef struct type {
    char descr[3];
    size_t size;
    element read;
} type;
static const type types[] = {{"f4", 4, from_f4},       {"f8", 8, from_f8},       {"i1", 1, from_i1},
                             {"i2", 2, from_i2},       {"i4", 4, from_i4},       {"i8", 8, from_i8},
                             {"u1", 1, from_unsigned}, {"u2", 2, from_unsigned}, {"u4", 4, from_unsigned},
                             {"u8", 8, from_unsigned}, {"b1", 1, from_bool}};

/* The first letter of descr is the byte order: '|' is "none", for single bytes; '=' is that of the machine which wrote
 * the file, taken to be little endian. */
static const type *find_type(const char *descr) {
    if (!strchr("<>|=", descr[0]) || !descr[0]) return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(descr + 1, types[i].descr)) return &types[i];
    return NULL;
}

static uint64_t load(const char *at, size_t size, int big) {
    const unsigned char *p = (const unsigned char *)at;
    if (!big) return little_endian(p, size);
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++) v = v << 8 | p[i];
    return v;
}

static copse_status check_array(const cp_content *in, const array *a, const type **out, copse_error *err) {
    size_t cells, bytes;
    *out = find_type(a->descr);
    if (!*out)
        return cp_fail(err, COPSE_E_DATA,
                       "%s: elements of type '%s' are not read: f4, f8, i1 to i8, u1 to u8 and b1 are. Convert with "
                       "astype('f8')",
                       in->name, a->descr);
    if (a->dims < 1 || a->dims > MAX_DIMS)
        return cp_fail(err, COPSE_E_DATA, "%s: the array has %zu dimensions: a table has one or two. Use reshape",
                       in->name, a->dims);
    if (!a->shape[0] || (a->dims == 2 && !a->shape[1]))
        return cp_fail(err, COPSE_E_DATA, "%s: the array is empty", in->name);
    if (__builtin_mul_overflow(a->shape[0], a->dims == 2 ? a->shape[1] : 1, &cells) ||
        __builtin_mul_overflow(cells, (*out)->size, &bytes) || bytes > a->bytes)
        return bad(in, "the data are cut off: there are fewer than the shape says", err);
    if (bytes < a->bytes) return bad(in, "there are more data than the shape says", err);
    return COPSE_OK;
}

static void column_name(const array *a, const cp_schema *like, size_t j, char *buf, size_t n) {
    size_t cols = a->dims == 2 ? a->shape[1] : 1;
    if (a->dims == 2 && j + 1 == cols && !cp_column_types_has(like, cols))
        snprintf(buf, n, "target");
    else
        snprintf(buf, n, "x%zu", j + 1);
}

/* Copies blocks of rows, so that an array in C order passes through the cache once, not once per column. */
static copse_status copy_cells(const array *a, const type *e, const copse_flag *stop, copse_table *t,
                               copse_error *err) {
    enum { BLOCK = 64 };
    size_t row_step = (a->fortran ? 1 : t->cols) * e->size, col_step = (a->fortran ? t->rows : 1) * e->size;
    int big = a->descr[0] == '>';
    for (size_t first = 0; first < t->rows; first += BLOCK) {
        CP_TRY(cp_fail_if_stopped(stop, err));
        size_t end = t->rows - first < BLOCK ? t->rows : first + BLOCK;
        for (size_t j = 0; j < t->cols; j++) {
            const char *p = a->data + j * col_step;
            double *x = t->col[j].number;
            for (size_t i = first; i < end; i++) x[i] = e->read(load(p + i * row_step, e->size, big));
        }
    }
    return COPSE_OK;
}

static copse_status fill(const array *a, const type *e, const cp_read_options *opt, copse_table *t, copse_error *err) {
    size_t cols = a->dims == 2 ? a->shape[1] : 1;
    char name[32];
    for (size_t j = 0; j < cols; j++) {
        cp_column *c;
        column_name(a, opt->like, j, name, sizeof name);
        CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &c, err));
    }
    CP_TRY(copy_cells(a, e, opt->stop, t, err));
    return cp_column_types_apply(t, opt, err);
}

copse_status cp_npy_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err) {
    array a = {0};
    literal l = {0};
    const type *e;
    size_t n = 0;
    *out = NULL;
    CP_TRY(find_header(in, &l.p, &n, &a, err));
    l.end = l.p + n;
    if (!read_literal(&l, &a)) return bad(in, "the .npy header is not one of a plain array", err);
    CP_TRY(check_array(in, &a, &e, err));
    CP_TRY(cp_read_bound(in, opt, a.shape[0], a.dims == 2 ? a.shape[1] : 1, err));
    copse_table *t;
    CP_TRY(cp_table_new(a.shape[0], &t, err));
    copse_status status = fill(&a, e, opt, t, err);
    if (!status && !(t->source = cp_mem_strdup(in->name))) status = cp_fail_memory(err);
    if (status)
        cp_table_free(t);
    else
        *out = t;
    return status;
}
