#include "check.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/codec.h"
#include "base/mem.h"
#include "num/rng.h"
#include "sanitized.h"

/* The numbers of docs/format.md, written down a second time on purpose. */
enum { HEADER = 48, AT_VERSION = 8, AT_SECTIONS = 12, AT_SIZE = 16, AT_DIRECTORY = 24, AT_DIR_SUM = 32, AT_SUM = 40 };

static void put_number(unsigned char *to, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *from, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v |= (uint64_t)from[i] << 8 * i;
    return v;
}

/* ------------------------------------------------------------------------------------------------ honest images */

static const uint8_t some_u8[] = {0, 1, 255};
static const int32_t some_i32[] = {INT32_MIN, -1, 0, INT32_MAX};
static const uint32_t some_u32[] = {0, 0x01020304, UINT32_MAX};
static const int64_t some_i64[] = {INT64_MIN, -2, INT64_MAX};
static const float some_f32[] = {0, -1.5f, 3.4e38f};
static const double some_f64[] = {1e-300, -0.0, 3};
static const char *const some_texts[] = {"", "gr\xfcn", "two words", ""};

static copse_status write_small(cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_array(w, "u8", CP_U8, some_u8, 3, err));
    CP_TRY(cp_writer_push(w, "a", err));
    CP_TRY(cp_writer_array(w, "i32", CP_I32, some_i32, 4, err));
    CP_TRY(cp_writer_push(w, "b.1", err));
    CP_TRY(cp_writer_array(w, "u32", CP_U32, some_u32, 3, err));
    cp_writer_pop(w);
    CP_TRY(cp_writer_array(w, "i64", CP_I64, some_i64, 3, err));
    cp_writer_pop(w);
    CP_TRY(cp_writer_array(w, "f32", CP_F32, some_f32, 3, err));
    CP_TRY(cp_writer_array(w, "f64", CP_F64, some_f64, 3, err));
    CP_TRY(cp_writer_array(w, "none", CP_F64, NULL, 0, err));
    CP_TRY(cp_writer_i64(w, "count", -7, err));
    CP_TRY(cp_writer_f64(w, "rate", 0.25, err));
    CP_TRY(cp_writer_text(w, "text", "hello", err));
    return cp_writer_texts(w, "texts", some_texts, 4, err);
}

static copse_status check_array(cp_reader *r, const char *name, cp_codec_type type, const void *want, size_t n,
                                size_t size, copse_error *err) {
    void *got;
    CP_TRY(cp_reader_array(r, name, type, n, &got, err));
    assert_memory_equal(got, want, n * size);
    cp_mem_free(got);
    return COPSE_OK;
}

static copse_status read_strings(cp_reader *r, copse_error *err) {
    char *text, **texts;
    size_t n;
    CP_TRY(cp_reader_text(r, "text", &text, err));
    assert_string_equal(text, "hello");
    cp_mem_free(text);
    CP_TRY(cp_reader_texts(r, "texts", &texts, &n, err));
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) assert_string_equal(texts[i], some_texts[i]);
    cp_mem_free(texts);
    return COPSE_OK;
}

/* Reads back all that write_small wrote; what is read without a failure must be right. */
static copse_status read_small(const unsigned char *bytes, size_t n, copse_error *err) {
    cp_reader *r;
    int64_t count;
    double rate;
    copse_status status;
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    CP_TRY_OUT(check_array(r, "u8", CP_U8, some_u8, 3, 1, err));
    CP_TRY_OUT(cp_reader_push(r, "a", err));
    CP_TRY_OUT(check_array(r, "i32", CP_I32, some_i32, 4, 4, err));
    CP_TRY_OUT(cp_reader_push(r, "b.1", err));
    CP_TRY_OUT(check_array(r, "u32", CP_U32, some_u32, 3, 4, err));
    cp_reader_pop(r);
    CP_TRY_OUT(check_array(r, "i64", CP_I64, some_i64, 3, 8, err));
    cp_reader_pop(r);
    CP_TRY_OUT(check_array(r, "f32", CP_F32, some_f32, 3, 4, err));
    CP_TRY_OUT(check_array(r, "f64", CP_F64, some_f64, 3, 8, err));
    CP_TRY_OUT(check_array(r, "none", CP_F64, some_f64, 0, 8, err));
    CP_TRY_OUT(cp_reader_i64(r, "count", -7, 7, &count, err));
    CP_TRY_OUT(cp_reader_f64(r, "rate", 0, 1, &rate, err));
    assert_int_equal(count, -7);
    assert_true(rate == 0.25);
    status = read_strings(r, err);
out:
    cp_reader_free(r);
    return status;
}

/* A malloc'ed copy of a finished image, so that sanitizers see every byte read beyond it. */
static unsigned char *finish(cp_writer *w, size_t *out_n) {
    copse_error err;
    const unsigned char *bytes;
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    unsigned char *copy = malloc(*out_n);
    assert_non_null(copy);
    memcpy(copy, bytes, *out_n);
    cp_writer_free(w);
    return copy;
}

static unsigned char *small_image(size_t *out_n) {
    copse_error err;
    cp_writer *w;
    must(cp_writer_new(&w, &err), err);
    must(write_small(w, &err), err);
    return finish(w, out_n);
}

static void every_type_comes_back(void **state) {
    (void)state;
    copse_error err;
    size_t n, again;
    unsigned char *image = small_image(&n), *twin = small_image(&again);
    must(read_small(image, n, &err), err);
    assert_int_equal(n, again);
    assert_memory_equal(image, twin, n);
    free(image);
    free(twin);
}

static void layout_is_that_of_the_document(void **state) {
    (void)state;
    copse_error err;
    cp_writer *w;
    must(cp_writer_new(&w, &err), err);
    const uint32_t v[] = {0x04030201};
    must(cp_writer_array(w, "v", CP_U32, v, 1, &err), err);
    size_t n;
    unsigned char *image = finish(w, &n);
    static const unsigned char start[] = {0x89, 'C', 'O', 'P', 'S', 'E', '\r', '\n', 1, 0, 0, 0, 1, 0, 0, 0};
    assert_memory_equal(image, start, sizeof start);
    assert_int_equal(get_number(image + AT_SIZE, 8), n);
    assert_int_equal(get_number(image + AT_DIRECTORY, 8), HEADER + 8);
    static const unsigned char section[] = {4, 0, 0, 0, 1, 2, 3, 4};
    assert_memory_equal(image + HEADER, section, 8);
    static const unsigned char entry[] = {2, 1, 'v', 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(image + HEADER + 8, entry, sizeof entry);
    assert_int_equal(n, HEADER + 8 + sizeof entry + 8);
    assert_true(get_number(image + n - 8, 8) == XXH64(section, 8, 0));
    assert_true(get_number(image + AT_DIR_SUM, 8) == XXH64(image + HEADER + 8, n - HEADER - 8, 0));
    assert_true(get_number(image + AT_SUM, 8) == XXH64(image, AT_SUM, 0));
    free(image);
}

static void large_arrays_pass_through_blocks(void **state) {
    (void)state;
    copse_error err;
    cp_writer *w;
    size_t n = (5u << 20) / 8 + 3, image_n;
    double *v = malloc(n * sizeof *v);
    float *zeros = calloc(n, sizeof *zeros);
    cp_rng rng;
    cp_rng_init(&rng, seed_of("large_arrays_pass_through_blocks"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < n; i++) v[i] = cp_rng_unit(&rng);
    must(cp_writer_new(&w, &err), err);
    must(cp_writer_array(w, "v", CP_F64, v, n, &err), err);
    must(cp_writer_array(w, "zeros", CP_F32, zeros, n, &err), err);
    unsigned char *image = finish(w, &image_n);
    cp_reader *r;
    must(cp_reader_new(image, image_n, &r, &err), err);
    must(check_array(r, "v", CP_F64, v, n, 8, &err), err);
    must(check_array(r, "zeros", CP_F32, zeros, n, 4, &err), err);
    cp_reader_free(r);
    assert_true(image_n < n * 8 + n * 4 / 16); /* noise hardly grows, zeros shrink */
    free(image);
    free(v);
    free(zeros);
}

static void the_wrong_question_is_refused(void **state) {
    (void)state;
    copse_error err;
    size_t n;
    unsigned char *image = small_image(&n);
    cp_reader *r;
    void *p;
    int64_t count;
    double rate;
    must(cp_reader_new(image, n, &r, &err), err);
    assert_int_equal(cp_reader_array(r, "u8", CP_I32, 3, &p, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "damaged: section 'u8': holds u8, not i32");
    assert_int_equal(cp_reader_array(r, "u8", CP_U8, 4, &p, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "damaged: section 'u8': has 3 elements instead of 4");
    assert_null(p);
    assert_int_equal(cp_reader_array(r, "absent", CP_U8, 4, &p, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "damaged: section 'absent': it is missing");
    assert_int_equal(cp_reader_i64(r, "count", 0, 5, &count, &err), COPSE_E_MODEL);
    assert_int_equal(cp_reader_f64(r, "rate", 0.5, 1, &rate, &err), COPSE_E_MODEL);
    assert_true(cp_reader_has(r, "a.b.1.u32"));
    assert_false(cp_reader_has(r, "a.b.1"));
    assert_false(cp_reader_has(r, "a.b.1.u32x"));
    must(cp_reader_push(r, "a", &err), err);
    assert_true(cp_reader_has(r, "i32"));
    assert_false(cp_reader_has(r, "u8"));
    cp_reader_free(r);
    free(image);
}

static void numbers_that_are_none_are_refused(void **state) {
    (void)state;
    static const double tried[] = {NAN, INFINITY, -INFINITY, DBL_MAX};
    for (size_t i = 0; i < COUNT(tried); i++) {
        copse_error err;
        cp_writer *w;
        cp_reader *r;
        size_t n;
        const double v[3] = {1, tried[i], 2};
        double *got;
        must(cp_writer_new(&w, &err), err);
        must(cp_writer_array(w, "v", CP_F64, v, 3, &err), err);
        unsigned char *image = finish(w, &n);
        must(cp_reader_new(image, n, &r, &err), err);
        copse_status status = cp_reader_finite(r, "v", 3, &got, &err);
        assert_int_equal(status, isfinite(tried[i]) ? COPSE_OK : COPSE_E_MODEL);
        assert_int_equal(got == NULL, status != COPSE_OK);
        cp_mem_free(got);
        cp_reader_free(r);
        free(image);
    }
}

static void claims_need_an_image_that_justifies_them(void **state) {
    (void)state;
    static const size_t claims[] = {0, 1000, 1000000, 12345678};
    for (size_t i = 0; i < 4; i++) {
        copse_error err;
        cp_writer *w;
        cp_reader *r;
        size_t n;
        must(cp_writer_new(&w, &err), err);
        must(write_small(w, &err), err);
        cp_writer_claim(w, claims[i], 2);
        cp_writer_claim(w, 3, 1);
        unsigned char *image = finish(w, &n);
        must(read_small(image, n, &err), err);
        assert_true(n < 1000 + claims[i] / 64);
        must(cp_reader_new(image, n, &r, &err), err);
        must(cp_reader_claim(r, claims[i], 2, &err), err);
        must(cp_reader_claim(r, 3, 1, &err), err);
        assert_int_equal(cp_reader_claim(r, SIZE_MAX / 2, 3, &err), COPSE_E_MODEL);
        assert_int_equal(cp_reader_claim(r, 256 * n, 1, &err), COPSE_E_MODEL);
        cp_reader_free(r);
        free(image);
    }
}

/* ----------------------------------------------------------------------------------------------- damaged images */

static void every_flipped_bit_is_noticed(void **state) {
    (void)state;
    copse_error err;
    size_t n;
    unsigned char *image = small_image(&n);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (read_small(image, n, &err) != COPSE_E_MODEL) fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        image[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    must(read_small(image, n, &err), err);
    free(image);
}

static void every_truncation_is_noticed(void **state) {
    (void)state;
    copse_error err;
    size_t n;
    unsigned char *image = small_image(&n);
    for (size_t cut = 0; cut < n; cut++) {
        unsigned char *part = malloc(cut ? cut : 1);
        memcpy(part, image, cut);
        assert_int_equal(read_small(part, cut, &err), COPSE_E_MODEL);
        if (cut) assert_non_null(strstr(err.msg, "truncated"));
        free(part);
    }
    unsigned char *longer = calloc(1, n + 1);
    memcpy(longer, image, n);
    assert_int_equal(read_small(longer, n + 1, &err), COPSE_E_MODEL);
    free(longer);
    free(image);
}

/* ----------------------------------------------------------------------------------------------- crafted images */

/* A hand-made image: every checksum is right, everything else as the test wants it. */
typedef struct craft {
    unsigned char image[1 << 16], entries[1 << 14];
    size_t n, entries_n, sections;
} craft;

static void craft_section(craft *c, const char *name, int type, uint64_t count, const void *stored, size_t stored_n) {
    size_t length = strlen(name);
    unsigned char *e = c->entries + c->entries_n;
    if (c->n == 0) c->n = HEADER;
    memcpy(c->image + c->n, stored, stored_n);
    e[0] = (unsigned char)type;
    e[1] = (unsigned char)length;
    memcpy(e + 2, name, length);
    put_number(e + 2 + length, count, 8);
    put_number(e + 10 + length, stored_n, 8);
    put_number(e + 18 + length, XXH64(stored, stored_n, 0), 8);
    c->n += stored_n;
    c->entries_n += 26 + length;
    c->sections++;
}

static void craft_seal(unsigned char *image, size_t n, size_t directory) {
    put_number(image + AT_SIZE, n, 8);
    put_number(image + AT_DIRECTORY, directory, 8);
    if (directory <= n) put_number(image + AT_DIR_SUM, XXH64(image + directory, n - directory, 0), 8);
    put_number(image + AT_SUM, XXH64(image, AT_SUM, 0), 8);
}

static void craft_finish(craft *c) {
    static const unsigned char magic[] = {0x89, 'C', 'O', 'P', 'S', 'E', '\r', '\n'};
    size_t directory = c->n ? c->n : HEADER;
    memcpy(c->image, magic, 8);
    put_number(c->image + AT_VERSION, 1, 4);
    put_number(c->image + AT_SECTIONS, c->sections, 4);
    memcpy(c->image + directory, c->entries, c->entries_n);
    c->n = directory + c->entries_n;
    craft_seal(c->image, c->n, directory);
}

static void refuse(const craft *c, const char *message) {
    copse_error err;
    cp_reader *r;
    assert_int_equal(cp_reader_new(c->image, c->n, &r, &err), COPSE_E_MODEL);
    if (message) assert_string_equal(err.msg, message);
}

/* The image opens, but its section "v" does not. */
static void refuse_section(const craft *c, cp_codec_type type, size_t count) {
    copse_error err;
    cp_reader *r;
    void *p;
    must(cp_reader_new(c->image, c->n, &r, &err), err);
    assert_int_equal(cp_reader_array(r, "v", type, count, &p, &err), COPSE_E_MODEL);
    cp_reader_free(r);
}

static void a_crafted_image_is_read(void **state) {
    (void)state;
    static craft c;
    copse_error err;
    cp_reader *r;
    static const unsigned char stored[] = {4, 0, 0, 0, 1, 2, 3, 4};
    const uint32_t v[] = {0x04030201};
    craft_section(&c, "v", CP_U32, 1, stored, 8);
    craft_finish(&c);
    must(cp_reader_new(c.image, c.n, &r, &err), err);
    must(check_array(r, "v", CP_U32, v, 1, 4, &err), err);
    cp_reader_free(r);
}

static void headers_are_judged_in_words(void **state) {
    (void)state;
    static craft c;
    craft_section(&c, "v", CP_U8, 1, "\1\0\0\0x", 5);
    craft_finish(&c);
    size_t n = c.n, directory = (size_t)get_number(c.image + AT_DIRECTORY, 8);
    put_number(c.image + AT_VERSION, 3, 4);
    craft_seal(c.image, n, directory);
    refuse(&c, "written by a newer copse (format 3, this program reads up to 1): upgrade copse");
    put_number(c.image + AT_VERSION, 0, 4);
    craft_seal(c.image, n, directory);
    refuse(&c, NULL);
    put_number(c.image + AT_VERSION, 1, 4);
    put_number(c.image + AT_SECTIONS, UINT32_MAX, 4);
    craft_seal(c.image, n, directory);
    refuse(&c, "damaged: the directory has too few entries");
    put_number(c.image + AT_SECTIONS, 0, 4);
    craft_seal(c.image, n, directory);
    refuse(&c, "damaged: bytes that are no section's");
    put_number(c.image + AT_SECTIONS, 1, 4);
    craft_seal(c.image, n, HEADER - 1);
    refuse(&c, "damaged: the header's offsets");
    craft_seal(c.image, n, n + 1);
    refuse(&c, "damaged: the header's offsets");
    put_number(c.image + AT_DIRECTORY, UINT64_MAX, 8);
    put_number(c.image + AT_SUM, XXH64(c.image, AT_SUM, 0), 8);
    refuse(&c, "damaged: the header's offsets");
    c.n = 3;
    memcpy(c.image, "x,y", 3);
    refuse(&c, "not a copse model file");
    c.n = 0;
    refuse(&c, "not a copse model file: it is empty");
}

static void directories_are_not_believed(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int type;
        uint64_t count;
        size_t stored_n;
    } bad[] = {
        {"", CP_U8, 1, 5},
        {"with blank", CP_U8, 1, 5},
        {"\x1b[31m", CP_U8, 1, 5},
        {"gr\xc3\xbcn", CP_U8, 1, 5},
        {"v", 6, 1, 5},
        {"v", 255, 1, 5},
        {"v", CP_U8, UINT64_MAX, 5},
        {"v", CP_F64, UINT64_MAX / 8 + 2, 5}, /* times 8 it is 8 in 64 bits */
        {"v", CP_U8, 5 * CP_CODEC_RATIO + 1, 5},
        {"v", CP_F64, 5 * CP_CODEC_RATIO / 8 + 1, 5},
        {"v", CP_U8, 1, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        craft c = {.n = 0};
        craft_section(&c, bad[i].name, bad[i].type, bad[i].count, "\1\0\0\0x", bad[i].stored_n);
        craft_finish(&c);
        refuse(&c, "damaged: entry 0 of the directory");
    }
}

static void sections_neither_leave_the_image_nor_meet_twice(void **state) {
    (void)state;
    craft c = {.n = 0};
    craft_section(&c, "v", CP_U8, 1, "\1\0\0\0x", 5);
    craft_section(&c, "w", CP_U8, 1, "\1\0\0\0x", 5);
    craft_section(&c, "v", CP_U8, 1, "\1\0\0\0y", 5);
    craft_finish(&c);
    refuse(&c, "damaged: section 'v' twice");
    craft d = {.n = 0};
    craft_section(&d, "v", CP_U8, 1, "\1\0\0\0x", 5);
    put_number(d.entries + 11, UINT64_MAX, 8); /* stored bytes */
    craft_finish(&d);
    refuse(&d, "damaged: entry 0 of the directory");
    put_number(d.image + d.n - 16, 1000, 8); /* reaches over the directory and beyond */
    craft_seal(d.image, d.n, HEADER + 5);
    refuse(&d, "damaged: entry 0 of the directory");
    put_number(d.image + d.n - 16, 4, 8); /* leaves a byte to nobody */
    put_number(d.image + d.n - 8, XXH64("\1\0\0\0", 4, 0), 8);
    craft_seal(d.image, d.n, HEADER + 5);
    refuse(&d, "damaged: bytes that are no section's");
}

static void blocks_are_not_believed(void **state) {
    (void)state;
    unsigned char stored[2000] = {0};
    const unsigned char raw[1000] = {7};
    /* lengths that do not fit */
    static const uint32_t words[] = {0, 3, 5, 0x7fffffff, 0x80000000u, 0x80000004u, UINT32_MAX};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        craft c = {.n = 0};
        put_number(stored, words[i], 4);
        craft_section(&c, "v", CP_U32, 1, stored, 8);
        craft_finish(&c);
        refuse_section(&c, CP_U32, 1);
    }
    /* frames that hold more, and less, than they should; padded, for else the section claims too much */
    for (size_t claimed = 999; claimed <= 1001; claimed += 2) {
        craft c = {.n = 0};
        size_t packed = ZSTD_compress(stored + 4, sizeof stored - 4, raw, 1000, 1);
        put_number(stored, packed | 0x80000000u, 4);
        craft_section(&c, "v", CP_U8, claimed, stored, 64);
        craft_finish(&c);
        refuse_section(&c, CP_U8, claimed);
    }
    /* a frame that does not say how much it holds */
    craft d = {.n = 0};
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
    size_t silent = ZSTD_compress2(z, stored + 4, sizeof stored - 4, raw, 1000);
    ZSTD_freeCCtx(z);
    put_number(stored, silent | 0x80000000u, 4);
    craft_section(&d, "v", CP_U8, 1000, stored, 64);
    craft_finish(&d);
    refuse_section(&d, CP_U8, 1000);
    /* a second frame behind the first */
    craft c = {.n = 0};
    size_t first = ZSTD_compress(stored + 4, sizeof stored - 4, raw, 1000, 1);
    size_t second = ZSTD_compress(stored + 4 + first, sizeof stored - 4 - first, raw, 1000, 1);
    put_number(stored, (first + second) | 0x80000000u, 4);
    craft_section(&c, "v", CP_U8, 1000, stored, 64);
    craft_finish(&c);
    refuse_section(&c, CP_U8, 1000);
}

static void refuse_texts(const char *stored, size_t n) {
    craft c = {.n = 0};
    unsigned char block[64];
    copse_error err;
    cp_reader *r;
    char **texts;
    size_t count;
    put_number(block, n, 4);
    memcpy(block + 4, stored, n);
    craft_section(&c, "t", CP_U8, n, block, n + 4);
    craft_finish(&c);
    must(cp_reader_new(c.image, c.n, &r, &err), err);
    assert_int_equal(cp_reader_texts(r, "t", &texts, &count, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "damaged: section 't': is no list of strings");
    cp_reader_free(r);
}

static void lists_of_strings_are_not_believed(void **state) {
    (void)state;
    refuse_texts("\0\0\0", 3);                              /* no count */
    refuse_texts("\1\0\0\0\3\0\0\0ab", 10);                 /* too short */
    refuse_texts("\1\0\0\0\1\0\0\0ab", 10);                 /* too long */
    refuse_texts("\1\0\0\0\2\0\0\0a\0", 10);                /* a NUL */
    refuse_texts("\377\377\377\377\0\0\0\0", 8);            /* more strings than bytes */
    refuse_texts("\2\0\0\0\377\377\377\377\3\0\0\0ab", 14); /* lengths whose sum wraps */
}

/* Opens the image and asks for everything in a child that may use no more than `more` bytes beyond what it has. */
static int survives_within(const craft *c, size_t more) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cp_reader *r;
        copse_error err;
        struct rlimit limit = {0};
        long pages = 0;
        FILE *f = fopen("/proc/self/statm", "r");
        if (!f || fscanf(f, "%ld", &pages) != 1) _exit(3);
        fclose(f);
        limit.rlim_cur = limit.rlim_max = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) + more;
        if (setrlimit(RLIMIT_AS, &limit)) _exit(3);
        copse_status status = cp_reader_new(c->image, c->n, &r, &err);
        size_t n;
        void *p = NULL;
        if (!status) status = cp_reader_count(r, "v", CP_U8, &n, &err);
        if (!status) status = cp_reader_array(r, "v", CP_U8, n, &p, &err);
        _exit(status == COPSE_E_MEMORY ? 2 : status == COPSE_E_MODEL ? 1 : 0);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end));
    return WEXITSTATUS(end);
}

static void bombs_cost_no_memory(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    unsigned char stored[4096] = {0};
    size_t gigabyte = (size_t)1 << 30;
    /* honest frame, dishonest count: 1 GB claimed by 4 kB */
    craft c = {.n = 0};
    craft_section(&c, "v", CP_U8, gigabyte, stored, sizeof stored);
    craft_finish(&c);
    assert_int_equal(survives_within(&c, 8 << 20), 1);
    /* the most a section may claim, with a frame that claims 1 GB: refused after 32 x 4 kB, not after 1 GB */
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40, 0x03, 0, 0};
    memcpy(stored + 4, frame, sizeof frame);
    put_number(stored, sizeof frame | 0x80000000u, 4);
    craft d = {.n = 0};
    craft_section(&d, "v", CP_U8, sizeof stored * CP_CODEC_RATIO, stored, sizeof stored);
    craft_finish(&d);
    assert_int_equal(survives_within(&d, 8 << 20), 1);
}

/* ------------------------------------------------------------------------------------------- allocation failures */

static copse_status write_and_read(copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = write_small(w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = read_small(bytes, n, err);
    cp_writer_free(w);
    return status;
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    copse_error err;
    size_t before = cp_mem_count();
    must(write_and_read(&err), err);
    long total = (long)(cp_mem_count() - before);
    assert_true(total > 10);
    for (long k = 0; k < total; k++) {
        cp_mem_fail_after(k);
        copse_status status = write_and_read(&err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(layout_is_that_of_the_document),
        cmocka_unit_test(large_arrays_pass_through_blocks),
        cmocka_unit_test(the_wrong_question_is_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(claims_need_an_image_that_justifies_them),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(a_crafted_image_is_read),
        cmocka_unit_test(headers_are_judged_in_words),
        cmocka_unit_test(directories_are_not_believed),
        cmocka_unit_test(sections_neither_leave_the_image_nor_meet_twice),
        cmocka_unit_test(blocks_are_not_believed),
        cmocka_unit_test(lists_of_strings_are_not_believed),
        cmocka_unit_test(bombs_cost_no_memory),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
