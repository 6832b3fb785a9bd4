/* reader - checks the image of a model file and unpacks its sections. */
#include "base/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/layout.h"
#include "base/mem.h"
#include "base/number_rule.h"
#include "base/supervise.h"

static const char *const type_name[] = {"u8", "i32", "u32", "i64", "f32", "f64"};

typedef struct section {
    const char *name; /* in the image, not terminated */
    size_t name_length;
    cp_codec_type type;
    size_t count;
    size_t start, stored; /* in the image */
    uint64_t checksum;
} section;

enum { MOST_LISTS = 16 };

/* Rules for the sections below a prefix. */
typedef struct rule_list {
    const cp_number_rule *rule;
    size_t n, depth;
} rule_list;

struct cp_reader {
    const unsigned char *image;
    section *section; /* sorted by name */
    size_t sections;
    size_t image_size;
    size_t room;           /* bytes that may still be claimed */
    size_t limit;          /* that cp_reader_limit has set; 0: none */
    size_t left;           /* of the limit, for what is claimed */
    cp_layout_scope scope; /* its text is the section name that was asked for last */
    rule_list list[MOST_LISTS];
    size_t lists;
    unsigned char *planes;
    ZSTD_DCtx *zstd;
};

int cp_reader_sniff(const unsigned char *bytes, size_t n) {
    return n > 0 && memcmp(bytes, cp_layout_magic, n < sizeof cp_layout_magic ? n : sizeof cp_layout_magic) == 0;
}

static int header_is_whole(const unsigned char *h, size_t n) {
    return n >= CP_LAYOUT_HEADER &&
           cp_layout_get(h + CP_LAYOUT_AT_HEADER_SUM, 8) == cp_layout_sum(h, CP_LAYOUT_AT_HEADER_SUM);
}

int cp_reader_too_new(const unsigned char *bytes, size_t n) {
    return cp_reader_sniff(bytes, n) && header_is_whole(bytes, n) &&
           cp_layout_get(bytes + CP_LAYOUT_AT_VERSION, 4) > CP_CODEC_VERSION;
}

static copse_status check_header(const unsigned char *h, size_t n, copse_error *err) {
    if (n == 0) return cp_fail(err, COPSE_E_MODEL, "not a copse model file: it is empty");
    if (!cp_reader_sniff(h, n)) return cp_fail(err, COPSE_E_MODEL, "not a copse model file");
    if (n < CP_LAYOUT_HEADER) return cp_fail(err, COPSE_E_MODEL, "truncated: the file ends within its header");
    if (!header_is_whole(h, n)) return cp_fail(err, COPSE_E_MODEL, "damaged: the header");
    unsigned version = (unsigned)cp_layout_get(h + CP_LAYOUT_AT_VERSION, 4);
    if (cp_reader_too_new(h, n))
        return cp_fail(err, COPSE_E_MODEL,
                       "written by a newer copse (format %u, this program reads up to %u): upgrade copse", version,
                       (unsigned)CP_CODEC_VERSION);
    if (version == 0) return cp_fail(err, COPSE_E_MODEL, "damaged: format 0 does not exist");
    uint64_t size = cp_layout_get(h + CP_LAYOUT_AT_SIZE, 8), directory = cp_layout_get(h + CP_LAYOUT_AT_DIRECTORY, 8);
    if (size > n)
        return cp_fail(err, COPSE_E_MODEL, "truncated: %zu bytes of %llu are there", n, (unsigned long long)size);
    if (size < n) return cp_fail(err, COPSE_E_MODEL, "damaged: %llu bytes too many", (unsigned long long)(n - size));
    if (directory < CP_LAYOUT_HEADER || directory > size)
        return cp_fail(err, COPSE_E_MODEL, "damaged: the header's offsets");
    if (cp_layout_get(h + CP_LAYOUT_AT_DIRECTORY_SUM, 8) != cp_layout_sum(h + directory, (size_t)(size - directory)))
        return cp_fail(err, COPSE_E_MODEL, "damaged: the directory");
    return COPSE_OK;
}

/* Parses the directory entry at *at; 0 if it is invalid.  Its section starts at `start`; the last section must end at
 * `end`. */
static int parse_entry(section *s, const unsigned char **at, const unsigned char *stop, size_t start, size_t end) {
    const unsigned char *p = *at;
    if (stop - p < CP_LAYOUT_ENTRY || !cp_layout_size(p[0]) || stop - p < CP_LAYOUT_ENTRY + p[1]) return 0;
    *s = (section){.type = (cp_codec_type)p[0], .name_length = p[1], .name = (const char *)p + 2, .start = start};
    p += 2 + s->name_length;
    uint64_t count = cp_layout_get(p, 8), stored = cp_layout_get(p + 8, 8);
    s->checksum = cp_layout_get(p + 16, 8);
    *at = p + 24;
    if (!cp_layout_name_is_fine(s->name, s->name_length) || stored > end - start) return 0;
    /* This is the memory bound.  stored is at most the size of the image, so the product cannot overflow. */
    if (count > stored * CP_CODEC_RATIO / cp_layout_size(s->type)) return 0;
    s->count = (size_t)count;
    s->stored = (size_t)stored;
    return 1;
}

static copse_status check_section(const cp_reader *r, const section *s, copse_error *err) {
    CP_TRY(cp_supervise_check_stop(err));
    if (cp_layout_sum(r->image + s->start, s->stored) == s->checksum) return COPSE_OK;
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
    size_t start = CP_LAYOUT_HEADER, end = (size_t)cp_layout_get(r->image + CP_LAYOUT_AT_DIRECTORY, 8),
           claimed = (size_t)cp_layout_get(r->image + CP_LAYOUT_AT_SECTIONS, 4);
    if (claimed > (n - end) / CP_LAYOUT_ENTRY)
        return cp_fail(err, COPSE_E_MODEL, "damaged: the directory has too few entries");
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
    r->image_size = n;
    if (__builtin_mul_overflow(n, CP_CODEC_CLAIM, &r->room)) r->room = SIZE_MAX;
    copse_status status = read_directory(r, n, err);
    if (!status) status = CP_RAW(r->planes, CP_LAYOUT_BLOCK, err);
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
    CP_BUG(!cp_layout_scope_push(&r->scope, prefix));
    return COPSE_OK;
}

copse_status cp_reader_push_nth(cp_reader *r, const char *kind, size_t number, copse_error *err) {
    (void)err;
    CP_BUG(!cp_layout_scope_push_nth(&r->scope, kind, number));
    return COPSE_OK;
}

void cp_reader_pop(cp_reader *r) {
    while (r->lists && r->list[r->lists - 1].depth == r->scope.depth) r->lists--;
    cp_layout_scope_pop(&r->scope);
}

void cp_reader_rules(cp_reader *r, const cp_number_rule *rules, size_t n) {
    CP_BUG(r->lists == MOST_LISTS);
    r->list[r->lists++] = (rule_list){.rule = rules, .n = n, .depth = r->scope.depth};
}

copse_status cp_reader_bad(const cp_reader *r, copse_error *err, const char *fmt, ...) {
    char what[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return cp_fail(err, COPSE_E_MODEL, "damaged: section '%s': %s", r->scope.text, what);
}

static copse_status over_limit(const cp_reader *r, copse_error *err) {
    return cp_fail(err, COPSE_E_MEMORY,
                   "it needs more than the %zu bytes of memory that `memory-limit` permits. Raise it to use this model",
                   r->limit);
}

copse_status cp_reader_limit(cp_reader *r, size_t limit, copse_error *err) {
    size_t need = r->image_size;
    r->limit = limit;
    if (!limit) return COPSE_OK;
    for (size_t i = 0; i < r->sections; i++) need += r->section[i].count * cp_layout_size(r->section[i].type);
    if (need > limit) return over_limit(r, err);
    r->left = limit - need;
    return COPSE_OK;
}

copse_status cp_reader_claim(cp_reader *r, size_t n, size_t size, copse_error *err) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > r->room)
        return cp_reader_bad(r, err, "asks for more memory or work than a file of this size can justify");
    r->room -= bytes;
    if (!r->limit) return COPSE_OK;
    if (bytes > r->left) return over_limit(r, err);
    r->left -= bytes;
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
    cp_layout_scope s = r->scope;
    return cp_layout_scope_append(&s, name) && find(r, s.text);
}

int cp_reader_has_nth(const cp_reader *r, const char *kind, size_t number, const char *name) {
    cp_layout_scope s = r->scope;
    return cp_layout_scope_push_nth(&s, kind, number) && cp_layout_scope_append(&s, name) && find(r, s.text);
}

static copse_status find_typed(cp_reader *r, const char *name, cp_codec_type type, const section **out,
                               copse_error *err) {
    CP_BUG(!cp_layout_scope_append(&r->scope, name));
    *out = find(r, r->scope.text);
    if (!*out) return cp_reader_bad(r, err, "it is missing");
    if ((*out)->type != type)
        return cp_reader_bad(r, err, "holds %s, not %s", type_name[(*out)->type], type_name[type]);
    return COPSE_OK;
}

copse_status cp_reader_count(cp_reader *r, const char *name, cp_codec_type type, size_t *out_n, copse_error *err) {
    const section *s;
    CP_TRY(find_typed(r, name, type, &s, err));
    *out_n = s->count;
    return COPSE_OK;
}

/* Unpacks the n elements of the block at *at; 0 if the block is damaged. */
static int read_block(cp_reader *r, const unsigned char **at, const unsigned char *stop, unsigned char *to, size_t n,
                      size_t size) {
    size_t raw = n * size;
    if (stop - *at < 4) return 0;
    uint32_t word = (uint32_t)cp_layout_get(*at, 4);
    size_t stored = word & ~CP_LAYOUT_PACKED;
    const unsigned char *from = *at + 4, *planes = from;
    if ((size_t)(stop - from) < stored) return 0;
    if (word & CP_LAYOUT_PACKED) {
        if (ZSTD_getFrameContentSize(from, stored) != raw) return 0;
        if (ZSTD_decompressDCtx(r->zstd, r->planes, raw, from, stored) != raw) return 0;
        planes = r->planes;
    } else if (stored != raw) {
        return 0;
    }
    cp_layout_gather(to, planes, n, size);
    *at = from + stored;
    return 1;
}

static copse_status read_blocks(cp_reader *r, const section *s, unsigned char *to, copse_error *err) {
    const unsigned char *at = r->image + s->start, *stop = at + s->stored;
    size_t size = cp_layout_size(s->type), step = CP_LAYOUT_BLOCK / size;
    for (size_t done = 0; done < s->count; done += step) {
        size_t n = s->count - done < step ? s->count - done : step;
        CP_TRY(cp_supervise_check_stop(err));
        if (!read_block(r, &at, stop, to + done * size, n, size))
            return cp_reader_bad(r, err, "its blocks do not unpack");
    }
    return COPSE_OK;
}

/* Applies the rules for real numbers to the section that was read last. */
static copse_status apply_rules(const cp_reader *r, const section *s, const void *data, copse_error *err) {
    int known = !r->lists;
    for (size_t l = 0; l < r->lists; l++) {
        const rule_list *list = &r->list[l];
        const char *name = r->scope.text + r->scope.end[list->depth];
        for (size_t k = 0; k < list->n; k++) {
            if (!cp_number_rule_matches(&list->rule[k], name)) continue;
            known = 1;
            size_t at = cp_number_rule_find(&list->rule[k], s->type, data, s->count);
            if (at < s->count) return cp_reader_bad(r, err, "element %zu is out of range", at);
        }
    }
    CP_BUG(!known);
    return COPSE_OK;
}

static copse_status check_numbers(const cp_reader *r, const section *s, const void *data, copse_error *err) {
    if (s->type == CP_F32 || s->type == CP_F64) return apply_rules(r, s, data, err);
    size_t at = r->lists ? cp_number_rule_find_whole(s->type, data, s->count) : s->count;
    return at < s->count ? cp_reader_bad(r, err, "element %zu is out of range", at) : COPSE_OK;
}

/* Unpacks a section that has n elements. */
static copse_status unpack(cp_reader *r, const section *s, size_t n, void **out, copse_error *err) {
    if (s->count != n) return cp_reader_bad(r, err, "has %zu elements instead of %zu", s->count, n);
    *out = cp_mem_raw(n, cp_layout_size(s->type));
    if (!*out) return cp_fail_memory(err);
    copse_status status = read_blocks(r, s, *out, err);
    if (!status) return COPSE_OK;
    cp_mem_free(*out);
    *out = NULL;
    return status;
}

copse_status cp_reader_array(cp_reader *r, const char *name, cp_codec_type type, size_t n, void *out_slot,
                             copse_error *err) {
    void *data = NULL;
    memcpy(out_slot, &data, sizeof data);
    const section *s;
    CP_TRY(find_typed(r, name, type, &s, err));
    CP_TRY(unpack(r, s, n, &data, err));
    copse_status status = check_numbers(r, s, data, err);
    if (status) {
        cp_mem_free(data);
        return status;
    }
    memcpy(out_slot, &data, sizeof data);
    return COPSE_OK;
}

/* One number, whose range the caller checks. */
static copse_status read_scalar(cp_reader *r, const char *name, cp_codec_type type, void *out, copse_error *err) {
    void *data = NULL;
    const section *s;
    CP_TRY(find_typed(r, name, type, &s, err));
    CP_TRY(unpack(r, s, 1, &data, err));
    memcpy(out, data, cp_layout_size(type));
    cp_mem_free(data);
    return COPSE_OK;
}

copse_status cp_reader_finite(cp_reader *r, const char *name, size_t n, double **out, copse_error *err) {
    CP_TRY(cp_reader_array(r, name, CP_F64, n, out, err));
    for (size_t i = 0; i < n; i++) {
        if (isfinite((*out)[i])) continue;
        cp_mem_free(*out);
        *out = NULL;
        return cp_reader_bad(r, err, "not a number");
    }
    return COPSE_OK;
}

copse_status cp_reader_i64(cp_reader *r, const char *name, int64_t min, int64_t max, int64_t *out, copse_error *err) {
    CP_TRY(read_scalar(r, name, CP_I64, out, err));
    if (*out < min || *out > max) return cp_reader_bad(r, err, "%lld is out of range", (long long)*out);
    return COPSE_OK;
}

copse_status cp_reader_f64(cp_reader *r, const char *name, double min, double max, double *out, copse_error *err) {
    CP_TRY(read_scalar(r, name, CP_F64, out, err));
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
    size_t texts = (size_t)cp_layout_get(bytes, 4), used = 0, room;
    if (texts > (n - 4) / 4) return 0;
    room = n - 4 - 4 * texts;
    for (size_t i = 0; i < texts; i++) {
        size_t length = (size_t)cp_layout_get(bytes + 4 + 4 * i, 4);
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
        size_t length = (size_t)cp_layout_get(bytes + 4 + 4 * i, 4);
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
