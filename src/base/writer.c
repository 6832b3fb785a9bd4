/* writer - packs sections into the image of a model file, or into a digest. */
#include "base/writer.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/layout.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/supervise.h"

enum { LEVEL = 1 }; /* of zstd: higher levels make planes of floats hardly smaller */

typedef struct buffer {
    unsigned char *at;
    size_t n, cap;
} buffer;

/* A section of a digest. */
typedef struct digest_entry {
    char name[CP_LAYOUT_NAME + 1];
    unsigned char hash[CP_SHA256_BYTES];
} digest_entry;

struct cp_writer {
    buffer image, directory;
    int digests; /* keeps hashes of the sections instead of their bytes */
    digest_entry *entry;
    size_t entries, cap_entries;
    size_t sections, claimed;
    cp_layout_scope scope;
    unsigned char *planes; /* CP_LAYOUT_BLOCK bytes */
    ZSTD_CCtx *zstd;
    int finished;
    int may_stop, plain;
};

static copse_status buffer_room(buffer *b, size_t more, copse_error *err) {
    return CP_GROW(b->at, b->cap, b->n + more, err);
}

static void buffer_number(buffer *b, uint64_t value, size_t n) {
    cp_layout_put(b->at + b->n, value, n);
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
    if (!status) status = CP_RAW(w->planes, CP_LAYOUT_BLOCK, err);
    if (!status) status = buffer_room(&w->image, CP_LAYOUT_HEADER, err);
    if (status) {
        cp_writer_free(w);
        return status;
    }
    w->image.n = CP_LAYOUT_HEADER; /* filled in at the end */
    *out = w;
    return COPSE_OK;
}

void cp_writer_free(cp_writer *w) {
    if (!w) return;
    ZSTD_freeCCtx(w->zstd);
    cp_mem_free(w->planes);
    cp_mem_free(w->image.at);
    cp_mem_free(w->directory.at);
    cp_mem_free(w->entry);
    cp_mem_free(w);
}

void cp_writer_may_stop(cp_writer *w) {
    w->may_stop = 1;
}

void cp_writer_plain(cp_writer *w) {
    w->plain = 1;
}

static copse_status check_stop(const cp_writer *w, copse_error *err) {
    return w->may_stop ? cp_supervise_check_stop(err) : COPSE_OK;
}

copse_status cp_writer_new_digest(cp_writer **out, copse_error *err) {
    CP_TRY(cp_writer_new(out, err));
    (*out)->digests = 1;
    return COPSE_OK;
}

copse_status cp_writer_push(cp_writer *w, const char *prefix, copse_error *err) {
    (void)err;
    CP_BUG(!cp_layout_scope_push(&w->scope, prefix));
    return COPSE_OK;
}

copse_status cp_writer_push_nth(cp_writer *w, const char *kind, size_t number, copse_error *err) {
    (void)err;
    CP_BUG(!cp_layout_scope_push_nth(&w->scope, kind, number));
    return COPSE_OK;
}

void cp_writer_pop(cp_writer *w) {
    cp_layout_scope_pop(&w->scope);
}

static copse_status write_plain(cp_writer *w, const unsigned char *data, size_t n, size_t size, copse_error *err) {
    CP_TRY(buffer_room(&w->image, 4 + n * size, err));
    buffer_number(&w->image, n * size, 4);
    cp_layout_spread(w->image.at + w->image.n, data, n, size);
    w->image.n += n * size;
    return COPSE_OK;
}

/* Writes one block: its length word and its planes, compressed if that makes them smaller. */
static copse_status write_block(cp_writer *w, const unsigned char *data, size_t n, size_t size, copse_error *err) {
    size_t raw = n * size;
    CP_TRY(check_stop(w, err));
    if (w->plain) return write_plain(w, data, n, size, err);
    cp_layout_spread(w->planes, data, n, size);
    CP_TRY(buffer_room(&w->image, 4 + ZSTD_compressBound(raw), err));
    unsigned char *to = w->image.at + w->image.n + 4;
    size_t packed = ZSTD_compressCCtx(w->zstd, to, ZSTD_compressBound(raw), w->planes, raw, LEVEL);
    if (ZSTD_isError(packed))
        return cp_fail_memory(err); /* there is room for the worst case, so only memory can be short */
    int smaller = packed < raw;
    buffer_number(&w->image, smaller ? packed | CP_LAYOUT_PACKED : raw, 4);
    if (smaller)
        w->image.n += packed;
    else
        buffer_bytes(&w->image, w->planes, raw);
    return COPSE_OK;
}

/* Appends zeros until the image has n bytes. */
static copse_status pad(cp_writer *w, size_t n, copse_error *err) {
    if (w->image.n >= n) return COPSE_OK;
    CP_TRY(buffer_room(&w->image, n - w->image.n, err));
    memset(w->image.at + w->image.n, 0, n - w->image.n);
    w->image.n = n;
    return COPSE_OK;
}

static copse_status write_blocks(cp_writer *w, const unsigned char *data, size_t n, size_t size, copse_error *err) {
    size_t start = w->image.n, step = CP_LAYOUT_BLOCK / size;
    for (size_t done = 0; done < n; done += step)
        CP_TRY(write_block(w, data + done * size, n - done < step ? n - done : step, size, err));
    return pad(w, start + (n * size + CP_CODEC_RATIO - 1) / CP_CODEC_RATIO, err);
}

/* Enters the section from `start` to the end of the image into the directory, which has room. */
static void enter(cp_writer *w, cp_codec_type type, const char *name, size_t count, size_t start) {
    size_t length = strlen(name), stored = w->image.n - start;
    buffer_number(&w->directory, type, 1);
    buffer_number(&w->directory, length, 1);
    buffer_bytes(&w->directory, name, length);
    buffer_number(&w->directory, count, 8);
    buffer_number(&w->directory, stored, 8);
    buffer_number(&w->directory, cp_layout_sum(w->image.at + start, stored), 8);
    w->sections++;
}

/* Hashes the type, the number of elements and the planes of each block: the same on machines of any byte order. */
static copse_status digest_section(cp_writer *w, cp_codec_type type, const unsigned char *data, size_t n,
                                   copse_error *err) {
    size_t size = cp_layout_size(type), step = CP_LAYOUT_BLOCK / size;
    unsigned char head[9] = {(unsigned char)type};
    cp_sha256 hash;
    CP_TRY(CP_GROW(w->entry, w->cap_entries, w->entries + 1, err));
    digest_entry *entry = &w->entry[w->entries++];
    strcpy(entry->name, w->scope.text);
    cp_layout_put(head + 1, n, 8);
    cp_sha256_init(&hash);
    cp_sha256_add(&hash, head, sizeof head);
    for (size_t done = 0; done < n; done += step) {
        size_t part = n - done < step ? n - done : step;
        CP_TRY(check_stop(w, err));
        cp_layout_spread(w->planes, data + done * size, part, size);
        cp_sha256_add(&hash, w->planes, part * size);
    }
    cp_sha256_finish(&hash, entry->hash);
    return COPSE_OK;
}

copse_status cp_writer_array(cp_writer *w, const char *name, cp_codec_type type, const void *data, size_t n,
                             copse_error *err) {
    CP_BUG(w->finished || !cp_layout_scope_append(&w->scope, name));
    size_t length = strlen(w->scope.text), start = w->image.n;
    CP_BUG(!cp_layout_name_is_fine(w->scope.text, length));
    if (w->digests) return digest_section(w, type, data, n, err);
    CP_TRY(buffer_room(&w->directory, CP_LAYOUT_ENTRY + length, err));
    copse_status status = write_blocks(w, data, n, cp_layout_size(type), err);
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

/* Stores the number of strings, the length of each, and their bytes without terminators.  Each string takes at least
 * the four bytes of its length, so the pointers that a reader allocates are in proportion to what is stored. */
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
        w->claimed = SIZE_MAX; /* finish fails: there is not that much memory */
}

/* Appends an empty section whose padding makes the image large enough for the claims. */
static copse_status justify(cp_writer *w, copse_error *err) {
    static const char name[] = "padding";
    size_t start = w->image.n, least = w->claimed / CP_CODEC_CLAIM + 1;
    if (w->image.n >= least) return COPSE_OK;
    CP_TRY(buffer_room(&w->directory, CP_LAYOUT_ENTRY + strlen(name), err));
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
    memcpy(h, cp_layout_magic, sizeof cp_layout_magic);
    cp_layout_put(h + CP_LAYOUT_AT_VERSION, CP_CODEC_VERSION, 4);
    cp_layout_put(h + CP_LAYOUT_AT_SECTIONS, w->sections, 4);
    cp_layout_put(h + CP_LAYOUT_AT_SIZE, w->image.n, 8);
    cp_layout_put(h + CP_LAYOUT_AT_DIRECTORY, start, 8);
    cp_layout_put(h + CP_LAYOUT_AT_DIRECTORY_SUM, cp_layout_sum(h + start, w->directory.n), 8);
    cp_layout_put(h + CP_LAYOUT_AT_HEADER_SUM, cp_layout_sum(h, CP_LAYOUT_AT_HEADER_SUM), 8);
    w->finished = 1;
    *out_bytes = h;
    *out_n = w->image.n;
    return COPSE_OK;
}

static int entry_order(const void *a, const void *b) {
    return strcmp(((const digest_entry *)a)->name, ((const digest_entry *)b)->name);
}

void cp_writer_digest(cp_writer *w, int (*counts)(const char *name), char out[CP_SHA256_HEX]) {
    unsigned char whole[CP_SHA256_BYTES];
    cp_sha256 hash;
    CP_BUG(!w->digests);
    if (w->entries) qsort(w->entry, w->entries, sizeof *w->entry, entry_order);
    cp_sha256_init(&hash);
    for (size_t i = 0; i < w->entries; i++) {
        if (!counts(w->entry[i].name)) continue;
        cp_sha256_add(&hash, w->entry[i].name, strlen(w->entry[i].name) + 1);
        cp_sha256_add(&hash, w->entry[i].hash, CP_SHA256_BYTES);
    }
    cp_sha256_finish(&hash, whole);
    cp_sha256_hex(whole, out);
}
