/* image - the bytes that a writer has made, as tests of files want them: to keep, to compare, and to damage. */
#ifndef IMAGE_H
#define IMAGE_H

#include "check.h"

#include "base/codec.h"
#include "base/mem.h"
#include "num/rng.h"

typedef struct image {
    unsigned char *bytes;
    size_t n;
} image;

/* The image is the caller's to free, the writer still the caller's too. */
static inline copse_status finish_image(cp_writer *w, image *out, copse_error *err) {
    const unsigned char *bytes;
    CP_TRY(cp_writer_finish(w, &bytes, &out->n, err));
    out->bytes = malloc(out->n);
    assert_non_null(out->bytes);
    memcpy(out->bytes, bytes, out->n);
    return COPSE_OK;
}

/* Frees both. */
static inline void assert_same_image(image a, image b) {
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.bytes, b.bytes, a.n);
    free(a.bytes);
    free(b.bytes);
}

static inline size_t size_of(cp_codec_type type) {
    return type == CP_U8 ? 1 : type == CP_I64 || type == CP_F64 ? 8 : 4;
}

/* ----------------------------------------------------------------------------------------------------------- damage */

/* What there may be in an image; some of it may be absent. */
typedef struct section {
    const char *name;
    cp_codec_type type;
} section;

typedef enum damage { NONE, DROP, SHORTEN, LENGTHEN, RETYPE, POKE } damage;

typedef struct wound {
    size_t section;
    damage how;
    size_t at; /* POKE: writes a byte there, counted round */
    unsigned char byte;
} wound;

/* Any byte of any of n sections, changed to anything. */
static inline wound any_poke(size_t n, cp_rng *rng) {
    wound w = {.section = (size_t)cp_rng_below(rng, n), .how = POKE};
    w.at = cp_rng_u32(rng);
    w.byte = (unsigned char)cp_rng_below(rng, 256);
    return w;
}

static inline void copy_section(cp_reader *r, section s, wound how, cp_writer *w) {
    copse_error err;
    unsigned char *data;
    size_t n, size = size_of(s.type);
    must(cp_reader_count(r, s.name, s.type, &n, &err), err);
    must(cp_reader_array(r, s.name, s.type, n, &data, &err), err);
    unsigned char *bytes = calloc(n + 1, size);
    memcpy(bytes, data, n * size);
    cp_mem_free(data);
    if (how.how == SHORTEN && n) n--;
    if (how.how == LENGTHEN) n++;
    if (how.how == POKE && n) bytes[how.at % (n * size)] = how.byte;
    if (how.how == RETYPE) {
        s.type = s.type == CP_I64 ? CP_F64 : CP_I64;
        n = n * size / 8;
    }
    must(cp_writer_array(w, s.name, s.type, bytes, n, &err), err);
    free(bytes);
}

/* The image again, one of its n sections damaged. */
static inline image damaged(const image *in, const section *s, size_t n, wound how) {
    copse_error err;
    cp_reader *r;
    cp_writer *w;
    image out;
    must(cp_reader_new(in->bytes, in->n, &r, &err), err);
    must(cp_writer_new(&w, &err), err);
    for (size_t i = 0; i < n; i++) {
        int here = i == how.section;
        if (!cp_reader_has(r, s[i].name) || (here && how.how == DROP)) continue;
        copy_section(r, s[i], here ? how : (wound){0}, w);
    }
    cp_writer_claim(w, 1 << 20, 1); /* so that it is not the size of the file that gives it away */
    must(finish_image(w, &out, &err), err);
    cp_writer_free(w);
    cp_reader_free(r);
    return out;
}

#endif
