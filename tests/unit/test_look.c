#include "reading.h"

#include <zlib.h>
#include <zstd.h>

#include "io/look.h"
#include "io/stream.h"
#include "sanitized.h"

/* Hostile input: what is no table is refused while it arrives, and nothing takes more memory than permitted. */

static copse_error err;

/* A source that makes its text as it goes, and counts what was taken from it. */
typedef struct tap {
    const char *begin, *period; /* the text is `begin`, then `period` for ever */
    size_t end;                 /* ... up to so many bytes */
    size_t given;
} tap;

static copse_status draw(void *arg, char *buf, size_t n, size_t *out_got, copse_error *e) {
    tap *t = arg;
    size_t first = strlen(t->begin), every = strlen(t->period);
    (void)e;
    if (n > t->end - t->given) n = t->end - t->given;
    for (size_t i = 0; i < n; i++, t->given++)
        buf[i] = t->given < first ? t->begin[t->given] : every ? t->period[(t->given - first) % every] : '\0';
    *out_got = n;
    return COPSE_OK;
}

enum { HUGE = 400 << 20, SOON = 40 << 20 };

static void must_refuse_soon(tap t, const char *name, const cp_read_options *opt, copse_status status,
                             const char *part) {
    copse_table *table;
    cp_stream *s;
    t.end = HUGE;
    tap again = t;
    assert_int_equal(cp_read_given(&(copse_source){.name = name, .read = draw, .arg = &t}, opt, &table, &err), status);
    if (!strstr(err.msg, part)) fail_msg("'%s' has no '%s'", err.msg, part);
    assert_in_range(t.given, 1, SOON);
    must(cp_stream_open_given(&(copse_source){.name = name, .read = draw, .arg = &again}, opt, &s, &err), err);
    assert_int_equal(cp_stream_next(s, 1000, &table, &err), status);
    assert_null(table);
    if (status != COPSE_E_MEMORY && !strstr(err.msg, part)) fail_msg("'%s' has no '%s'", err.msg, part);
    assert_in_range(again.given, 1, SOON);
    cp_stream_close(s);
}

static void what_is_no_table_is_refused_while_it_arrives(void **state) {
    (void)state;
    must_refuse_soon((tap){.begin = "a,b\n1,2\n", .period = ""}, "t.csv", NULL, COPSE_E_DATA,
                     "t.csv:3: there is a NUL");
    must_refuse_soon((tap){.begin = "", .period = ","}, "t.csv", NULL, COPSE_E_DATA, "more than 200000 columns");
    must_refuse_soon((tap){.begin = "", .period = "\t"}, "t.tsv", NULL, COPSE_E_DATA, "more than 200000 columns");
    must_refuse_soon((tap){.begin = "", .period = "a;"}, "t", NULL, COPSE_E_DATA, "more than 200000 columns");
    must_refuse_soon((tap){.begin = "\n\n\r\n", .period = "\"x,\"|"}, "t.csv", NULL, COPSE_E_DATA, "columns");
    must_refuse_soon((tap){.begin = "x1,x2\n", .period = "\xff\xfe"}, "t.csv", NULL, COPSE_E_DATA, "not UTF-8");
    const cp_read_options small = {.max_columns = 5};
    must_refuse_soon((tap){.begin = "", .period = "a,b,c,d,e,f\n"}, "t.csv", &small, COPSE_E_DATA,
                     "more than 5 columns");
    const cp_read_options limited = {.memory_limit = 1 << 20};
    must_refuse_soon((tap){.begin = "a,b\n", .period = "1,2"}, "t.csv", &limited, COPSE_E_MEMORY, "`memory-limit`");
}

/* A cell with many delimiters in quotes is one cell. */
static void quoted_delimiters_make_no_columns(void **state) {
    (void)state;
    size_t n = 3 << 20;
    char *text = malloc(n + 100), *p = text;
    p += sprintf(p, "a,\"");
    memset(p, ',', n);
    p += n;
    p += sprintf(p, "\"\n1,2\n");
    copse_table *t = read_bytes("t.csv", text, (size_t)(p - text), NULL);
    assert_int_equal(t->cols, 2);
    cp_table_free(t);
    free(text);
}

/* Every way to have more columns than permitted, and the number itself, which is permitted. */
static void columns_are_bounded_in_every_format(void **state) {
    (void)state;
    const cp_read_options three = {.max_columns = 3};
    const char npy[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4), }";
    char bytes[132];
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, npy, sizeof npy - 1);
    bytes[127] = '\n';
    copse_table *t;
    assert_int_equal(cp_read_bytes("t.npy", bytes, sizeof bytes, &three, &t, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "t.npy has more than 3 columns. If that is right, permit more (`max-columns`)");
    must_refuse("t.csv", "a,b,c,d\n1,2,3,4\n", &three, COPSE_E_DATA,
                "t.csv has more than 3 columns. If that is right, permit more (`max-columns`)");
    must_refuse("t.svm", "1 1:1 3:2\n", &three, COPSE_E_DATA,
                "t.svm has more than 3 columns. If that is right, permit more (`max-columns`)");
    must_refuse("t.ndjson", "{\"a\":1,\"b\":2}\n{\"c\":1,\"d\":2}\n", &three, COPSE_E_DATA,
                "t.ndjson has more than 3 columns. If that is right, permit more (`max-columns`)");
    must_read("t.csv", "a,b,c\n1,2,3\n", &three, "a=1;b=2;c=3");
    must_read("t.svm", "1 1:1 2:2\n", &three, "target=1;x1=1;x2=2");
    must_read("t.ndjson", "{\"a\":1,\"b\":2}\n{\"c\":1}\n", &three, "a=1,-;b=2,-;c=-,1");
}

/* Text of n bytes in any packing. */
static size_t pack(int kind, const char *text, size_t n, char *out, size_t room) {
    if (kind == 0) return memcpy(out, text, n), n;
    if (kind == 1) {
        z_stream z = {0};
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_in = (Bytef *)(uintptr_t)text;
        z.avail_in = (uInt)n;
        z.next_out = (Bytef *)out;
        z.avail_out = (uInt)room;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        deflateEnd(&z);
        return z.total_out;
    }
    size_t got = ZSTD_compress(out, room, text, n, 3);
    assert_false(ZSTD_isError(got));
    return got;
}

static char *many_rows(size_t rows, size_t *out_n) {
    char *text = malloc(16 * rows + 16), *p = text + sprintf(text, "a,b\n");
    for (size_t i = 0; i < rows; i++) p += sprintf(p, "%zu,%zu\n", i, i % 7);
    *out_n = (size_t)(p - text);
    return text;
}

static void memory_is_limited_whatever_the_packing(void **state) {
    (void)state;
    size_t n, need;
    char *text = many_rows(100000, &n), *packed = malloc(n + 1000);
    need = n + 100000 * 8 * 3 + 4096;
    for (int kind = 0; kind < 3; kind++) {
        size_t m = pack(kind, text, n, packed, n + 1000);
        for (int k = 0; k < 5; k++) {
            const size_t limits[] = {1 << 18, n - 1, n, need / 2, 2 * need};
            copse_table *t;
            copse_status status =
                cp_read_bytes("t.csv", packed, m, &(cp_read_options){.memory_limit = limits[k]}, &t, &err);
            assert_int_equal(status, k < 4 ? COPSE_E_MEMORY : COPSE_OK);
            if (k < 4) assert_non_null(strstr(err.msg, "`memory-limit`"));
            cp_table_free(t);
        }
    }
    free(text);
    free(packed);
}

/* A frame with one block that is not compressed, and a window of 2^log bytes, as zstd --long=log declares it. */
static size_t frame(int log, const char *text, size_t n, char *out) {
    const unsigned char head[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (unsigned char)((log - 10) << 3)};
    const size_t last_raw = n << 3 | 1;
    memcpy(out, head, sizeof head);
    for (size_t i = 0; i < 3; i++) out[sizeof head + i] = (char)(last_raw >> 8 * i);
    memcpy(out + sizeof head + 3, text, n);
    return sizeof head + 3 + n;
}

static void long_windows_are_read_if_memory_permits(void **state) {
    (void)state;
#ifdef SANITIZED
    const int logs[] = {28};
#else
    const int logs[] = {28, 31};
#endif
    const char text[] = "a,b\n1,2\n";
    char packed[64];
    for (size_t k = 0; k < COUNT(logs); k++) {
        size_t m = frame(logs[k], text, strlen(text), packed);
        copse_table *t = read_bytes("t.csv.zst", packed, m, NULL);
        assert_string_equal(shown(t), "a=1;b=2");
        cp_table_free(t);
        assert_int_equal(cp_read_bytes("t.csv.zst", packed, m, &(cp_read_options){.memory_limit = 64 << 20}, &t, &err),
                         COPSE_E_MEMORY);
        assert_non_null(strstr(err.msg, "a window of more than 67108864 bytes, which `memory-limit` does not permit"));
    }
}

/* Characters of several bytes that fall on the ends of pieces are whole again. */
static copse_status drip(void *arg, char *buf, size_t n, size_t *out_got, copse_error *e) {
    tap *t = arg;
    return draw(t, buf, n < 7 ? n : 7, out_got, e);
}

static void pieces_may_end_anywhere(void **state) {
    (void)state;
    tap t = {.begin = "größe,b\n", .period = "äöü€𝄞,1\n"};
    t.end = strlen(t.begin) + 5 * strlen(t.period);
    copse_table *table;
    must(cp_read_given(&(copse_source){.name = "t.csv", .read = drip, .arg = &t}, NULL, &table, &err), err);
    assert_string_equal(copse_table_name(table, 0), "größe");
    assert_int_equal(table->rows, 5);
    assert_string_equal(copse_table_text(table, 4, 0), "äöü€𝄞");
    cp_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_table_is_refused_while_it_arrives),
        cmocka_unit_test(quoted_delimiters_make_no_columns),
        cmocka_unit_test(columns_are_bounded_in_every_format),
        cmocka_unit_test(memory_is_limited_whatever_the_packing),
        cmocka_unit_test(long_windows_are_read_if_memory_permits),
        cmocka_unit_test(pieces_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
