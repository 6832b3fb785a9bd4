#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/journal.h"
#include "base/mem.h"

static const unsigned char head[] = "what it is about";

static char *fresh(char *buf) {
    strcpy(buf, "/tmp/copse-journal-XXXXXX");
    int fd = mkstemp(buf);
    assert_true(fd >= 0);
    close(fd);
    unlink(buf);
    return buf;
}

static off_t size_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* Records of kind i and i bytes i, from `first` to `last`. */
static void append_all(cp_journal *l, uint32_t first, uint32_t last) {
    copse_error err;
    unsigned char bytes[300];
    for (uint32_t i = first; i <= last; i++) {
        memset(bytes, (int)i, sizeof bytes);
        must(cp_journal_append(l, i, bytes, i, &err), err);
    }
}

static void expect_all(cp_journal *l, uint32_t first, uint32_t last) {
    copse_error err;
    cp_journal_record r;
    int got;
    for (uint32_t i = first; i <= last; i++) {
        must(cp_journal_next(l, &r, &got, &err), err);
        assert_true(got);
        assert_int_equal(r.kind, i);
        assert_int_equal(r.n, i);
        for (uint32_t k = 0; k < i; k++) assert_int_equal(r.bytes[k], i & 0xff);
    }
    must(cp_journal_next(l, &r, &got, &err), err);
    assert_false(got);
}

static cp_journal *open_locked(const char *path) {
    copse_error err;
    cp_journal *l;
    must(cp_journal_open(path, &l, &err), err);
    must(cp_journal_lock(l, &err), err);
    return l;
}

static void close_locked(cp_journal *l) {
    cp_journal_unlock(l);
    cp_journal_free(l);
}

static cp_journal *make(const char *path, uint32_t records) {
    copse_error err;
    must(cp_journal_create(path, head, sizeof head, &err), err);
    cp_journal *l = open_locked(path);
    expect_all(l, 1, 0);
    append_all(l, 1, records);
    return l;
}

static void comes_back(void **state) {
    char path[64];
    size_t n;
    (void)state;
    close_locked(make(fresh(path), 200));
    cp_journal *l = open_locked(path);
    assert_memory_equal(cp_journal_head(l, &n), head, sizeof head);
    assert_int_equal(n, sizeof head);
    expect_all(l, 1, 200);
    append_all(l, 201, 210);
    expect_all(l, 1, 0); /* one's own are not read again */
    close_locked(l);
    l = open_locked(path);
    expect_all(l, 1, 210);
    close_locked(l);
    unlink(path);
}

static void is_not_made_twice(void **state) {
    char path[64];
    copse_error err;
    (void)state;
    close_locked(make(fresh(path), 3));
    off_t size = size_of(path);
    assert_int_equal(cp_journal_create(path, head, sizeof head, &err), COPSE_E_USAGE);
    assert_int_equal(size_of(path), size);
    unlink(path);
    assert_int_equal(cp_journal_create("/nowhere/at/all", head, sizeof head, &err), COPSE_E_SYSTEM);
}

/* Cut anywhere in its last record, the file opens with the others, and goes on from there. */
static void a_torn_record_is_cut_off(void **state) {
    char path[64];
    (void)state;
    close_locked(make(fresh(path), 20));
    off_t whole = size_of(path), last = 16 + 20;
    for (off_t cut = 1; cut <= last; cut++) {
        assert_int_equal(truncate(path, whole - cut), 0);
        cp_journal *l = open_locked(path);
        expect_all(l, 1, 19);
        append_all(l, 20, 20);
        close_locked(l);
        assert_int_equal(size_of(path), whole);
        l = open_locked(path);
        expect_all(l, 1, 20);
        close_locked(l);
    }
    unlink(path);
}

static void flip(const char *path, off_t at) {
    unsigned char byte;
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* A wrong bit is found wherever it is: in the last record as if it were torn, before that as damage. */
static void every_wrong_bit_is_found(void **state) {
    char path[64];
    copse_error err;
    (void)state;
    close_locked(make(fresh(path), 12));
    off_t whole = size_of(path), last = 16 + 12;
    for (off_t at = 0; at < whole; at++) {
        cp_journal *l;
        cp_journal_record r;
        int got = 1;
        flip(path, at);
        copse_status status = cp_journal_open(path, &l, &err);
        if (!status) {
            must(cp_journal_lock(l, &err), err);
            for (int i = 0; !status && got; i++) {
                status = cp_journal_next(l, &r, &got, &err);
                if (!status && got) assert_true(i < 11 && r.kind == (uint32_t)i + 1);
                if (!status && !got) assert_true(at >= whole - last && i == 11);
            }
            close_locked(l);
        }
        if (status) assert_int_equal(status, COPSE_E_MODEL);
        flip(path, at);
    }
    unlink(path);
}

static void other_files_are_no_journals(void **state) {
    char path[64];
    copse_error err;
    cp_journal *l;
    (void)state;
    assert_int_equal(cp_journal_open(fresh(path), &l, &err), COPSE_E_SYSTEM);
    assert_null(l);
    FILE *f = fopen(path, "w");
    fputs("x,y\n1,2\n", f);
    fclose(f);
    assert_int_equal(cp_journal_open(path, &l, &err), COPSE_E_MODEL);
    unlink(path);
}

/* Two processes that append in turns miss none of the other's records and overwrite none. */
static void processes_take_turns(void **state) {
    enum { EACH = 100 };
    char path[64];
    copse_error err;
    cp_journal_record r;
    int got, count[2] = {0};
    (void)state;
    close_locked(make(fresh(path), 0));
    for (int who = 0; who < 2; who++)
        if (fork() == 0) {
            cp_journal *l;
            if (cp_journal_open(path, &l, &err)) _exit(1);
            for (int i = 0; i < EACH; i++) {
                unsigned char byte = (unsigned char)i;
                if (cp_journal_lock(l, &err)) _exit(2);
                do {
                    if (cp_journal_next(l, &r, &got, &err)) _exit(3);
                } while (got);
                if (cp_journal_append(l, (uint32_t)who, &byte, 1, &err)) _exit(4);
                cp_journal_unlock(l);
            }
            _exit(0);
        }
    for (int who = 0; who < 2; who++) {
        int how;
        assert_true(wait(&how) > 0);
        assert_int_equal(how, 0);
    }
    cp_journal *l = open_locked(path);
    for (int i = 0; i < 2 * EACH; i++) {
        must(cp_journal_next(l, &r, &got, &err), err);
        assert_true(got);
        assert_int_equal(r.bytes[0], count[r.kind]++);
    }
    expect_all(l, 1, 0);
    close_locked(l);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(is_not_made_twice),
        cmocka_unit_test(a_torn_record_is_cut_off),
        cmocka_unit_test(every_wrong_bit_is_found),
        cmocka_unit_test(other_files_are_no_journals),
        cmocka_unit_test(processes_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
