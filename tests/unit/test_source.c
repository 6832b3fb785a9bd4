#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "io/source.h"

static char path[64];
static copse_error err;

static int make_path(void **state) {
    (void)state;
    strcpy(path, "/tmp/copse-source-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0) return -1;
    return close(fd);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static void write_file(const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Everything in the file at `path`; on failure NULL, with err filled. */
static char *read_all(size_t *out_n) {
    cp_source *s = NULL;
    char *bytes = NULL;
    copse_status status = cp_source_open(path, &s, &err);
    if (!status) status = cp_source_read_all(s, NULL, &bytes, out_n, &err);
    cp_source_close(s);
    assert_int_equal(status, bytes ? COPSE_OK : err.code);
    return bytes;
}

static void must_hold(const void *want, size_t n) {
    size_t got;
    char *bytes = read_all(&got);
    if (!bytes) fail_msg("%s", err.msg);
    assert_int_equal(got, n);
    if (n) assert_memory_equal(bytes, want, n);
    for (size_t i = 0; i < CP_CONTENT_PAD; i++) assert_int_equal(bytes[n + i], 0);
    cp_mem_free(bytes);
}

static void must_fail(copse_status status, const char *part) {
    size_t n;
    assert_null(read_all(&n));
    assert_int_equal(err.code, status);
    if (!strstr(err.msg, path) || !strstr(err.msg, part)) fail_msg("'%s' has no '%s'", err.msg, part);
}

/* Text that packs well but not too well, so that packed files span several reads. */
static char *long_text(size_t n) {
    char *text = malloc(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        text[i] = (char)('0' + (x >> 28));
    }
    return text;
}

static size_t gzip(const void *text, size_t n, unsigned char *out, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    unsigned char *copy = malloc(n + 1);
    memcpy(copy, text, n);
    z.next_in = copy;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    free(copy);
    return z.total_out;
}

static size_t zstd(const void *text, size_t n, unsigned char *out, size_t room) {
    size_t got = ZSTD_compress(out, room, text, n, 3);
    assert_false(ZSTD_isError(got));
    return got;
}

enum { LONG = 500000, ROOM = 600000 };
static unsigned char packed[2 * ROOM];

static void plain_files_are_read_whole(void **state) {
    (void)state;
    char *text = long_text(LONG);
    write_file("", 0);
    must_hold("", 0);
    write_file("(x", 2); /* the first byte of zstd's mark */
    must_hold("(x", 2);
    write_file("\x1f", 1);
    must_hold("\x1f", 1);
    write_file(text, LONG);
    must_hold(text, LONG);
    free(text);
}

static void packed_files_are_unpacked_whatever_their_name(void **state) {
    (void)state;
    char *text = long_text(LONG);
    write_file(packed, gzip(text, LONG, packed, ROOM));
    must_hold(text, LONG);
    write_file(packed, zstd(text, LONG, packed, ROOM));
    must_hold(text, LONG);
    write_file(packed, gzip("", 0, packed, ROOM));
    must_hold("", 0);
    write_file(packed, zstd("", 0, packed, ROOM));
    must_hold("", 0);
    free(text);
}

static void members_and_frames_are_joined(void **state) {
    (void)state;
    char *text = long_text(LONG);
    size_t half = LONG / 2, n = gzip(text, half, packed, ROOM);
    n += gzip(text + half, LONG - half, packed + n, ROOM);
    write_file(packed, n);
    must_hold(text, LONG);
    memset(packed + n, 0, 100); /* padded with zeros, as tapes and blocks do */
    write_file(packed, n + 100);
    must_hold(text, LONG);
    n = zstd(text, half, packed, ROOM);
    n += zstd(text + half, LONG - half, packed + n, ROOM);
    write_file(packed, n);
    must_hold(text, LONG);
    free(text);
}

static void cut_or_damaged_files_are_refused(void **state) {
    (void)state;
    char *text = long_text(LONG);
    size_t n = gzip(text, LONG, packed, ROOM);
    for (size_t cut = 3; cut < n; cut += n / 7) {
        write_file(packed, cut);
        must_fail(COPSE_E_DATA, "the gzip data are damaged (they end too early: the file is cut off)");
    }
    write_file(packed, n - 1);
    must_fail(COPSE_E_DATA, "cut off");
    packed[n / 2] ^= 0x55;
    write_file(packed, n);
    must_fail(COPSE_E_DATA, "the gzip data are damaged");
    n = gzip(text, LONG, packed, ROOM);
    memcpy(packed + n, "garbage", 7);
    write_file(packed, n + 7);
    must_fail(COPSE_E_DATA, "bytes after its end");
    n = zstd(text, LONG, packed, ROOM);
    for (size_t cut = 4; cut < n; cut += n / 7) {
        write_file(packed, cut);
        must_fail(COPSE_E_DATA, "the zstd data are damaged (they end too early: the file is cut off)");
    }
    memset(packed + n / 2, 0xff, 64);
    write_file(packed, n);
    must_fail(COPSE_E_DATA, "the zstd data are damaged");
    free(text);
}

static void a_raised_flag_ends_reading(void **state) {
    (void)state;
    const copse_flag raised = 1;
    char *text = long_text(LONG);
    size_t (*const pack[])(const void *, size_t, unsigned char *, size_t) = {NULL, gzip, zstd};
    for (int kind = 0; kind < 3; kind++) {
        cp_source *s;
        char *bytes;
        size_t n;
        if (pack[kind])
            write_file(packed, pack[kind](text, LONG, packed, ROOM));
        else
            write_file(text, LONG);
        must(cp_source_open(path, &s, &err), err);
        cp_source_watch(s, &raised);
        assert_int_equal(cp_source_read_all(s, NULL, &bytes, &n, &err), COPSE_E_STOPPED);
        assert_string_equal(err.msg, "interrupted");
        assert_null(bytes);
        cp_source_close(s);
    }
    free(text);
}

static void paths_that_cannot_be_read_are_the_systems_word(void **state) {
    (void)state;
    cp_source *s;
    assert_int_equal(cp_source_open("/nowhere/x.csv", &s, &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot open /nowhere/x.csv: No such file or directory");
    assert_null(s);
    assert_int_equal(cp_source_open("/tmp", &s, &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot read /tmp: it is a directory");
    assert_null(s);
    if (!geteuid()) return; /* root reads everything */
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(cp_source_open(path, &s, &err), COPSE_E_SYSTEM);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    const char text[] = "a,b\n1,2\n";
    size_t (*const pack[])(const void *, size_t, unsigned char *, size_t) = {gzip, zstd};
    for (int kind = 0; kind < 2; kind++) {
        write_file(packed, pack[kind](text, strlen(text), packed, ROOM));
        for (long k = 0;; k++) {
            size_t n;
            cp_mem_fail_after(k);
            char *bytes = read_all(&n);
            cp_mem_fail_after(-1);
            cp_mem_free(bytes);
            if (bytes) break;
            assert_int_equal(err.code, COPSE_E_MEMORY);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_files_are_read_whole, make_path, remove_path),
        cmocka_unit_test_setup_teardown(packed_files_are_unpacked_whatever_their_name, make_path, remove_path),
        cmocka_unit_test_setup_teardown(members_and_frames_are_joined, make_path, remove_path),
        cmocka_unit_test_setup_teardown(cut_or_damaged_files_are_refused, make_path, remove_path),
        cmocka_unit_test_setup_teardown(a_raised_flag_ends_reading, make_path, remove_path),
        cmocka_unit_test_setup_teardown(paths_that_cannot_be_read_are_the_systems_word, make_path, remove_path),
        cmocka_unit_test_setup_teardown(every_failed_allocation_is_clean, make_path, remove_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
