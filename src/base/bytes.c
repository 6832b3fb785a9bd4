/* The image, drawn in docs/format.md:
 *
 *     header | section 0 | section 1 | ... | directory
 *
 * Sections touch: a section's place is the sum of the sizes before it, so they cannot overlap and none is stored twice.
 * A section is cut into blocks of BLOCK raw bytes; a block's bytes are sorted into planes (all lowest bytes, then all
 * second ones ...), which zstd likes better: exponents stand together.  The planes also fix the byte order.
 *
 * The memory bound: raw bytes <= CP_BYTES_RATIO x stored bytes for each section, and what is rebuilt from them <=
 * CP_BYTES_CLAIM x the image; kept by the writer with padding and demanded by the reader before it allocates. */
#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"

enum {
    BLOCK = 1 << 20,
    LEVEL = 1,
    MAX_DEPTH = 8,    /* of prefixes */
    MAX_NAME = 255,   /* of a whole name */
    HEADER = 48,      /* bytes before the first section */
    ENTRY = 2 + 3 * 8 /* bytes of a directory entry besides its name */
};
#define PACKED 0x80000000u /* in a block's length word: zstd, else plain */

static const unsigned char magic[8] = {0x89, 'C', 'O', 'P', 'S', 'E', '\r', '\n'};
static const size_t type_size[] = {[CP_U8] = 1, [CP_I32] = 4, [CP_U32] = 4, [CP_I64] = 8, [CP_F32] = 4, [CP_F64] = 8};
static const char *const type_name[] = {"u8", "i32", "u32", "i64", "f32", "f64"};
enum { TYPES = sizeof type_size / sizeof *type_size };

/* ----------------------------------------------------------------------------------------------- bytes and planes */

static void store(unsigned char *to, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t fetch(const unsigned char *from, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* Where this machine keeps the b-th lowest byte of a number. */
static size_t place_of_byte(size_t b, size_t size) {
    const uint16_t one = 1;
    unsigned char lowest;
    memcpy(&lowest, &one, 1);
    return lowest ? b : size - 1 - b;
}

static void to_planes(unsigned char *restrict planes, const unsigned char *restrict data, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++) {
        const unsigned char *from = data + place_of_byte(b, size);
        for (size_t i = 0; i < n; i++) planes[b * n + i] = from[i * size];
    }
}

static void from_planes(unsigned char *restrict data, const unsigned char *restrict planes, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++) {
        unsigned char *to = data + place_of_byte(b, size);
        for (size_t i = 0; i < n; i++) to[i * size] = planes[b * n + i];
    }
}

/* ---------------------------------------------------------------------------------------------------------- names */

/* The whole name of a section: the prefixes, then its own name. */
typedef struct scope {
    size_t depth, end[MAX_DEPTH + 1]; /* end[i]: length of the first i prefixes with their dots */
    char text[MAX_NAME + 1];
} scope;

/* Too long a name is a bug of the writing code; when reading it merely does not exist. */
static int scope_append(scope *s, const char *name) {
    size_t at = s->end[s->depth];
    return snprintf(s->text + at, sizeof s->text - at, "%s", name) < (int)(sizeof s->text - at);
}

static int scope_push(scope *s, const char *prefix) {
    size_t length = s->end[s->depth] + strlen(prefix);
    if (s->depth == MAX_DEPTH || !scope_append(s, prefix) || length + 1 > MAX_NAME) return 0;
    s->text[length] = '.';
    s->end[++s->depth] = length + 1;
    return 1;
}

static void scope_pop(scope *s) {
    CP_BUG(s->depth == 0);
    s->depth--;
}

/* Printable ASCII without blanks: a name may stand in a message as it is. */
static int name_is_fine(const char *name, size_t n) {
    if (n == 0) return 0;
    for (size_t i = 0; i < n; i++)
        if (name[i] <= ' ' || name[i] > '~') return 0;
    return 1;
}

/* --------------------------------------------------------------------------------------------------------- writer */

typedef struct buffer {
    unsigned char *at;
    size_t n, cap;
} buffer;

struct cp_writer {
    buffer image, directory;
    size_t sections, claimed;
    scope scope;
    unsigned char *planes; /* BLOCK bytes */
    ZSTD_CCtx *zstd;
    int finished;
};

static copse_status buffer_room(buffer *b, size_t more, copse_error *err) {
    return CP_GROW(b->at, b->cap, b->n + more, err);
}

static void buffer_number(buffer *b, uint64_t value, size_t n) {
    store(b->at + b->n, value, n);
    b->n += n;
}

static void buffer_bytes(buffer *b, const void *bytes, size_t n) {
    if (n) memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

copse_status cp_writer_new(cp_writer **out, copse_error *err) {
    *out = NULL;
    cp_writer *w;
    CP_TRY(CP_NEW(w, 1, err));
    copse_status status = COPSE_OK;
    w->zstd = ZSTD_createCCtx();
    if (!w->zstd) status = cp_fail_memory(err);
    if (!status) status = CP_RAW(w->planes, BLOCK, err);
    if (!status) status = buffer_room(&w->image, HEADER, err);
    if (status) {
        cp_writer_free(w);
        return status;
    }
    w->image.n = HEADER; /* filled in at the end */
    *out = w;
    return COPSE_OK;
}

void cp_writer_free(cp_writer *w) {
    if (!w) return;
    ZSTD_freeCCtx(w->zstd);
    cp_mem_free(w->planes);
    cp_mem_free(w->image.at);
    cp_mem_free(w->directory.at);
    cp_mem_free(w);
}

copse_status cp_writer_push(cp_writer *w, const char *prefix, copse_error *err) {
    (void)err;
    CP_BUG(!scope_push(&w->scope, prefix));
    return COPSE_OK;
}

void cp_writer_pop(cp_writer *w) {
    scope_pop(&w->scope);
}

/* One block: its length word and its planes, packed if that makes them smaller. */
static copse_status write_block(cp_writer *w, const unsigned char *data, size_t n, size_t size, copse_error *err) {
    size_t raw = n * size;
    to_planes(w->planes, data, n, size);
    CP_TRY(buffer_room(&w->image, 4 + ZSTD_compressBound(raw), err));
    unsigned char *to = w->image.at + w->image.n + 4;
    size_t packed = ZSTD_compressCCtx(w->zstd, to, ZSTD_compressBound(raw), w->planes, raw, LEVEL);
    if (ZSTD_isError(packed)) return cp_fail_memory(err); /* with room for the worst case it is all that can go wrong */
    int smaller = packed < raw;
    buffer_number(&w->image, smaller ? packed | PACKED : raw, 4);
    if (smaller)
        w->image.n += packed;
    else
        buffer_bytes(&w->image, w->planes, raw);
    return COPSE_OK;
}

/* Zeros, until the image has n bytes. */
static copse_status pad(cp_writer *w, size_t n, copse_error *err) {
    if (w->image.n >= n) return COPSE_OK;
    CP_TRY(buffer_room(&w->image, n - w->image.n, err));
    memset(w->image.at + w->image.n, 0, n - w->image.n);
    w->image.n = n;
    return COPSE_OK;
}

static copse_status write_blocks(cp_writer *w, const unsigned char *data, size_t n, size_t size, copse_error *err) {
    size_t start = w->image.n, step = BLOCK / size;
    for (size_t done = 0; done < n; done += step)
        CP_TRY(write_block(w, data + done * size, n - done < step ? n - done : step, size, err));
    return pad(w, start + (n * size + CP_BYTES_RATIO - 1) / CP_BYTES_RATIO, err);
}

/* Notes in the directory, where there is room, the section from `start` to the end of the image. */
static void enter(cp_writer *w, cp_type type, const char *name, size_t count, size_t start) {
    size_t length = strlen(name), stored = w->image.n - start;
    buffer_number(&w->directory, type, 1);
    buffer_number(&w->directory, length, 1);
    buffer_bytes(&w->directory, name, length);
    buffer_number(&w->directory, count, 8);
    buffer_number(&w->directory, stored, 8);
    buffer_number(&w->directory, XXH64(w->image.at + start, stored, 0), 8);
    w->sections++;
}

copse_status cp_writer_array(cp_writer *w, const char *name, cp_type type, const void *data, size_t n,
                             copse_error *err) {
    CP_BUG(w->finished || !scope_append(&w->scope, name));
    size_t length = strlen(w->scope.text), start = w->image.n;
    CP_BUG(!name_is_fine(w->scope.text, length));
    CP_TRY(buffer_room(&w->directory, ENTRY + length, err));
    copse_status status = write_blocks(w, data, n, type_size[type], err);
    if (status) {
        w->image.n = start;
        return status;
    }
    enter(w, type, w->scope.text, n, start);
    return COPSE_OK;
}

copse_status cp_writer_i64(cp_writer *w, const char *name, int64_t value, copse_error *err) {
    return cp_writer_array(w, name, CP_I64, &value, 1, err);
}

copse_status cp_writer_f64(cp_writer *w, const char *name, double value, copse_error *err) {
    return cp_writer_array(w, name, CP_F64, &value, 1, err);
}

copse_status cp_writer_text(cp_writer *w, const char *name, const char *text, copse_error *err) {
    return cp_writer_array(w, name, CP_U8, text, strlen(text), err);
}

/* The number of strings, the length of each, their bytes without terminators.  The lengths are there so that the
 * pointers a reader makes are in proportion to what is stored. */
copse_status cp_writer_texts(cp_writer *w, const char *name, const char *const *texts, size_t n, copse_error *err) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += strlen(texts[i]);
    if (n > UINT32_MAX || bytes > UINT32_MAX)
        return cp_fail(err, COPSE_E_DATA, "more than 4 GB of names or levels: drop columns of free text");
    buffer b = {0};
    CP_TRY(buffer_room(&b, 4 + 4 * n + bytes, err));
    buffer_number(&b, n, 4);
    for (size_t i = 0; i < n; i++) buffer_number(&b, strlen(texts[i]), 4);
    for (size_t i = 0; i < n; i++) buffer_bytes(&b, texts[i], strlen(texts[i]));
    copse_status status = cp_writer_array(w, name, CP_U8, b.at, b.n, err);
    cp_mem_free(b.at);
    return status;
}

void cp_writer_claim(cp_writer *w, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow(w->claimed, bytes, &w->claimed))
        w->claimed = SIZE_MAX; /* finish will not get that much memory */
}

/* A section without elements whose stored bytes make up for what is missing. */
static copse_status justify(cp_writer *w, copse_error *err) {
    static const char name[] = "padding";
    size_t start = w->image.n, least = w->claimed / CP_BYTES_CLAIM + 1;
    if (w->image.n >= least) return COPSE_OK;
    CP_TRY(buffer_room(&w->directory, ENTRY + strlen(name), err));
    CP_TRY(pad(w, least, err));
    enter(w, CP_U8, name, 0, start);
    return COPSE_OK;
}

copse_status cp_writer_finish(cp_writer *w, const unsigned char **out_bytes, size_t *out_n, copse_error *err) {
    CP_BUG(w->finished || w->scope.depth);
    CP_TRY(justify(w, err));
    CP_TRY(buffer_room(&w->image, w->directory.n, err));
    size_t start = w->image.n;
    buffer_bytes(&w->image, w->directory.at, w->directory.n);
    unsigned char *h = w->image.at;
    memcpy(h, magic, sizeof magic);
    store(h + 8, CP_BYTES_VERSION, 4);
    store(h + 12, w->sections, 4);
    store(h + 16, w->image.n, 8);
    store(h + 24, start, 8);
    store(h + 32, XXH64(h + start, w->directory.n, 0), 8);
    store(h + 40, XXH64(h, 40, 0), 8);
    w->finished = 1;
    *out_bytes = h;
    *out_n = w->image.n;
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- reader */

typedef struct section {
    const char *name; /* in the image, not terminated */
    size_t name_length;
    cp_type type;
    size_t count;
    size_t start, stored; /* in the image */
    uint64_t checksum;
} section;

struct cp_reader {
    const unsigned char *image;
    section *section; /* sorted by name once read */
    size_t sections;
    size_t room; /* bytes that may still be claimed */
    scope scope; /* its text is the name last asked for */
    unsigned char *planes;
    ZSTD_DCtx *zstd;
};

int cp_reader_sniff(const unsigned char *bytes, size_t n) {
    return n > 0 && memcmp(bytes, magic, n < sizeof magic ? n : sizeof magic) == 0;
}

static int header_is_whole(const unsigned char *h, size_t n) {
    return n >= HEADER && fetch(h + 40, 8) == XXH64(h, 40, 0);
}

int cp_reader_too_new(const unsigned char *bytes, size_t n) {
    return cp_reader_sniff(bytes, n) && header_is_whole(bytes, n) && fetch(bytes + 8, 4) > CP_BYTES_VERSION;
}

static copse_status check_header(const unsigned char *h, size_t n, copse_error *err) {
    if (n == 0) return cp_fail(err, COPSE_E_MODEL, "not a copse model file: it is empty");
    if (!cp_reader_sniff(h, n)) return cp_fail(err, COPSE_E_MODEL, "not a copse model file");
    if (n < HEADER) return cp_fail(err, COPSE_E_MODEL, "truncated: the file ends within its header");
    if (!header_is_whole(h, n)) return cp_fail(err, COPSE_E_MODEL, "damaged: the header");
    unsigned version = (unsigned)fetch(h + 8, 4);
    if (cp_reader_too_new(h, n))
        return cp_fail(err, COPSE_E_MODEL,
                       "written by a newer copse (format %u, this program reads up to %u): upgrade copse", version,
                       (unsigned)CP_BYTES_VERSION);
    if (version == 0) return cp_fail(err, COPSE_E_MODEL, "damaged: format 0 does not exist");
    uint64_t size = fetch(h + 16, 8), directory = fetch(h + 24, 8);
    if (size > n)
        return cp_fail(err, COPSE_E_MODEL, "truncated: %zu bytes of %llu are there", n, (unsigned long long)size);
    if (size < n) return cp_fail(err, COPSE_E_MODEL, "damaged: %llu bytes too many", (unsigned long long)(n - size));
    if (directory < HEADER || directory > size) return cp_fail(err, COPSE_E_MODEL, "damaged: the header's offsets");
    if (fetch(h + 32, 8) != XXH64(h + directory, (size_t)(size - directory), 0))
        return cp_fail(err, COPSE_E_MODEL, "damaged: the directory");
    return COPSE_OK;
}

/* The entry at *at; 0 if there is none that makes sense.  `start` is where its section must start, `end` where the last
 * one must end. */
static int parse_entry(section *s, const unsigned char **at, const unsigned char *stop, size_t start, size_t end) {
    const unsigned char *p = *at;
    if (stop - p < ENTRY || p[0] >= TYPES || stop - p < ENTRY + p[1]) return 0;
    *s = (section){.type = (cp_type)p[0], .name_length = p[1], .name = (const char *)p + 2, .start = start};
    p += 2 + s->name_length;
    uint64_t count = fetch(p, 8), stored = fetch(p + 8, 8);
    s->checksum = fetch(p + 16, 8);
    *at = p + 24;
    if (!name_is_fine(s->name, s->name_length) || stored > end - start) return 0;
    /* This is the memory bound.  stored is at most the size of the image, so the product cannot overflow. */
    if (count > stored * CP_BYTES_RATIO / type_size[s->type]) return 0;
    s->count = (size_t)count;
    s->stored = (size_t)stored;
    return 1;
}

static copse_status check_section(const cp_reader *r, const section *s, copse_error *err) {
    if (XXH64(r->image + s->start, s->stored, 0) == s->checksum) return COPSE_OK;
    return cp_fail(err, COPSE_E_MODEL, "damaged: section '%.*s'", (int)s->name_length, s->name);
}

static int name_order(const char *a, size_t na, const char *b, size_t nb) {
    int order = memcmp(a, b, na < nb ? na : nb);
    return order ? order : (na > nb) - (na < nb);
}

static int section_order(const void *a, const void *b) {
    const section *s = a, *t = b;
    return name_order(s->name, s->name_length, t->name, t->name_length);
}

static copse_status read_directory(cp_reader *r, size_t n, copse_error *err) {
    size_t start = HEADER, end = (size_t)fetch(r->image + 24, 8), claimed = (size_t)fetch(r->image + 12, 4);
    if (claimed > (n - end) / ENTRY) return cp_fail(err, COPSE_E_MODEL, "damaged: the directory has too few entries");
    CP_TRY(CP_NEW(r->section, claimed, err));
    const unsigned char *at = r->image + end;
    for (size_t i = 0; i < claimed; i++) {
        section *s = &r->section[i];
        if (!parse_entry(s, &at, r->image + n, start, end))
            return cp_fail(err, COPSE_E_MODEL, "damaged: entry %zu of the directory", i);
        CP_TRY(check_section(r, s, err));
        start += s->stored;
    }
    if (start != end || at != r->image + n) return cp_fail(err, COPSE_E_MODEL, "damaged: bytes that are no section's");
    r->sections = claimed;
    qsort(r->section, claimed, sizeof *r->section, section_order);
    for (size_t i = 1; i < claimed; i++)
        if (section_order(&r->section[i - 1], &r->section[i]) == 0)
            return cp_fail(err, COPSE_E_MODEL, "damaged: section '%.*s' twice", (int)r->section[i].name_length,
                           r->section[i].name);
    return COPSE_OK;
}

copse_status cp_reader_new(const unsigned char *bytes, size_t n, cp_reader **out, copse_error *err) {
    *out = NULL;
    CP_TRY(check_header(bytes, n, err));
    cp_reader *r;
    CP_TRY(CP_NEW(r, 1, err));
    r->image = bytes;
    if (__builtin_mul_overflow(n, CP_BYTES_CLAIM, &r->room)) r->room = SIZE_MAX;
    copse_status status = read_directory(r, n, err);
    if (!status) status = CP_RAW(r->planes, BLOCK, err);
    if (!status && !(r->zstd = ZSTD_createDCtx())) status = cp_fail_memory(err);
    if (status)
        cp_reader_free(r);
    else
        *out = r;
    return status;
}

void cp_reader_free(cp_reader *r) {
    if (!r) return;
    ZSTD_freeDCtx(r->zstd);
    cp_mem_free(r->planes);
    cp_mem_free(r->section);
    cp_mem_free(r);
}

copse_status cp_reader_push(cp_reader *r, const char *prefix, copse_error *err) {
    (void)err;
    CP_BUG(!scope_push(&r->scope, prefix));
    return COPSE_OK;
}

void cp_reader_pop(cp_reader *r) {
    scope_pop(&r->scope);
}

copse_status cp_reader_bad(const cp_reader *r, copse_error *err, const char *fmt, ...) {
    char what[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return cp_fail(err, COPSE_E_MODEL, "damaged: section '%s': %s", r->scope.text, what);
}

copse_status cp_reader_claim(cp_reader *r, size_t n, size_t size, copse_error *err) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > r->room)
        return cp_reader_bad(r, err, "asks for more memory than a file of this size can justify");
    r->room -= bytes;
    return COPSE_OK;
}

static const section *find(const cp_reader *r, const char *name) {
    size_t low = 0, high = r->sections, n = strlen(name);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = name_order(r->section[mid].name, r->section[mid].name_length, name, n);
        if (order == 0) return &r->section[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

int cp_reader_has(const cp_reader *r, const char *name) {
    scope s = r->scope;
    return scope_append(&s, name) && find(r, s.text);
}

static copse_status find_typed(cp_reader *r, const char *name, cp_type type, const section **out, copse_error *err) {
    CP_BUG(!scope_append(&r->scope, name));
    *out = find(r, r->scope.text);
    if (!*out) return cp_reader_bad(r, err, "it is missing");
    if ((*out)->type != type)
        return cp_reader_bad(r, err, "holds %s, not %s", type_name[(*out)->type], type_name[type]);
    return COPSE_OK;
}

copse_status cp_reader_count(cp_reader *r, const char *name, cp_type type, size_t *out_n, copse_error *err) {
    const section *s;
    CP_TRY(find_typed(r, name, type, &s, err));
    *out_n = s->count;
    return COPSE_OK;
}

/* The n elements of a block that starts at *at; 0 if its bytes are not those of such a block. */
static int read_block(cp_reader *r, const unsigned char **at, const unsigned char *stop, unsigned char *to, size_t n,
                      size_t size) {
    size_t raw = n * size;
    if (stop - *at < 4) return 0;
    uint32_t word = (uint32_t)fetch(*at, 4);
    size_t stored = word & ~PACKED;
    const unsigned char *from = *at + 4, *planes = from;
    if ((size_t)(stop - from) < stored) return 0;
    if (word & PACKED) {
        if (ZSTD_getFrameContentSize(from, stored) != raw) return 0;
        if (ZSTD_decompressDCtx(r->zstd, r->planes, raw, from, stored) != raw) return 0;
        planes = r->planes;
    } else if (stored != raw) {
        return 0;
    }
    from_planes(to, planes, n, size);
    *at = from + stored;
    return 1;
}

static int read_blocks(cp_reader *r, const section *s, unsigned char *to) {
    const unsigned char *at = r->image + s->start, *stop = at + s->stored;
    size_t size = type_size[s->type], step = BLOCK / size;
    for (size_t done = 0; done < s->count; done += step) {
        size_t n = s->count - done < step ? s->count - done : step;
        if (!read_block(r, &at, stop, to + done * size, n, size)) return 0;
    }
    return 1;
}

copse_status cp_reader_array(cp_reader *r, const char *name, cp_type type, size_t n, void *out_slot, copse_error *err) {
    void *data = NULL;
    memcpy(out_slot, &data, sizeof data);
    const section *s;
    CP_TRY(find_typed(r, name, type, &s, err));
    if (s->count != n) return cp_reader_bad(r, err, "has %zu elements instead of %zu", s->count, n);
    data = cp_mem_raw(n, type_size[type]);
    if (!data) return cp_fail_memory(err);
    if (!read_blocks(r, s, data)) {
        cp_mem_free(data);
        return cp_reader_bad(r, err, "its blocks do not unpack");
    }
    memcpy(out_slot, &data, sizeof data);
    return COPSE_OK;
}

copse_status cp_reader_i64(cp_reader *r, const char *name, int64_t min, int64_t max, int64_t *out, copse_error *err) {
    int64_t *value;
    CP_TRY(cp_reader_array(r, name, CP_I64, 1, &value, err));
    *out = *value;
    cp_mem_free(value);
    if (*out < min || *out > max) return cp_reader_bad(r, err, "%lld is out of range", (long long)*out);
    return COPSE_OK;
}

copse_status cp_reader_f64(cp_reader *r, const char *name, double min, double max, double *out, copse_error *err) {
    double *value;
    CP_TRY(cp_reader_array(r, name, CP_F64, 1, &value, err));
    *out = *value;
    cp_mem_free(value);
    if (!(*out >= min && *out <= max)) return cp_reader_bad(r, err, "%g is out of range", *out);
    return COPSE_OK;
}

static copse_status read_bytes(cp_reader *r, const char *name, unsigned char **out, size_t *out_n, copse_error *err) {
    CP_TRY(cp_reader_count(r, name, CP_U8, out_n, err));
    return cp_reader_array(r, name, CP_U8, *out_n, out, err);
}

copse_status cp_reader_text(cp_reader *r, const char *name, char **out, copse_error *err) {
    *out = NULL;
    unsigned char *bytes;
    size_t n;
    CP_TRY(read_bytes(r, name, &bytes, &n, err));
    copse_status status = COPSE_OK;
    if (memchr(bytes, 0, n))
        status = cp_reader_bad(r, err, "a NUL in the text");
    else if (!(*out = cp_mem_strndup((const char *)bytes, n)))
        status = cp_fail_memory(err);
    cp_mem_free(bytes);
    return status;
}

/* Lengths and bytes must fill the section exactly, without a NUL. */
static int texts_are_fine(const unsigned char *bytes, size_t n, size_t *out_texts) {
    if (n < 4) return 0;
    size_t texts = (size_t)fetch(bytes, 4), used = 0, room;
    if (texts > (n - 4) / 4) return 0;
    room = n - 4 - 4 * texts;
    for (size_t i = 0; i < texts; i++) {
        size_t length = (size_t)fetch(bytes + 4 + 4 * i, 4);
        if (length > room - used) return 0;
        used += length;
    }
    *out_texts = texts;
    return used == room && !memchr(bytes + n - room, 0, room);
}

/* One block: the pointers, then the strings. */
static char **unpack_texts(const unsigned char *bytes, size_t n, size_t texts) {
    size_t room = n - 4 - 4 * texts;
    char **list = cp_mem_raw(texts * sizeof *list + room + texts, 1);
    if (!list) return NULL;
    char *to = (char *)(list + texts);
    const unsigned char *from = bytes + 4 + 4 * texts;
    for (size_t i = 0; i < texts; i++) {
        size_t length = (size_t)fetch(bytes + 4 + 4 * i, 4);
        list[i] = to;
        if (length) memcpy(to, from, length);
        to[length] = '\0';
        to += length + 1;
        from += length;
    }
    return list;
}

copse_status cp_reader_texts(cp_reader *r, const char *name, char ***out, size_t *out_n, copse_error *err) {
    *out = NULL;
    *out_n = 0;
    unsigned char *bytes;
    size_t n, texts = 0;
    CP_TRY(read_bytes(r, name, &bytes, &n, err));
    copse_status status = COPSE_OK;
    if (!texts_are_fine(bytes, n, &texts))
        status = cp_reader_bad(r, err, "is no list of strings");
    else if (!(*out = unpack_texts(bytes, n, texts)))
        status = cp_fail_memory(err);
    else
        *out_n = texts;
    cp_mem_free(bytes);
    return status;
}
