#define _DEFAULT_SOURCE /* chroot, flock */

#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/file.h"
#include "base/mem.h"

/* Every test works in a folder of its own, which must be as expected afterwards: no temporary file stays. */
static char folder[64];

static int enter(void **state) {
    (void)state;
    strcpy(folder, "/tmp/copse-test-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", folder, folder);
    return chdir("/") || system(command);
}

static size_t files_here(const char *where) {
    size_t n = 0;
    DIR *d = opendir(where);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void put_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_file(const char *path, const unsigned char *bytes, size_t n) {
    unsigned char *got = malloc(n + 1);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, n + 1, f), n);
    assert_memory_equal(got, bytes, n);
    fclose(f);
    free(got);
}

static copse_status save(const char *path, const char *text, copse_error *err) {
    return cp_file_save(path, (const unsigned char *)text, strlen(text), err);
}

/* An image of about n bytes. */
static unsigned char *image_of(size_t n, size_t *out_n) {
    copse_error err;
    cp_writer *w;
    const unsigned char *bytes;
    unsigned char *noise = malloc(n);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        noise[i] = (unsigned char)(x >> 24);
    }
    must(cp_writer_new(&w, &err), err);
    must(cp_writer_array(w, "noise", CP_U8, noise, n, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    noise = realloc(noise, *out_n);
    memcpy(noise, bytes, *out_n);
    cp_writer_free(w);
    return noise;
}

static void what_is_saved_is_loaded(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 65000, 65536, 1000000};
    for (size_t i = 0; i < 4; i++) {
        copse_error err;
        size_t n, got_n;
        unsigned char *image = image_of(sizes[i], &n), *got;
        must(cp_file_save("m.copse", image, n, &err), err);
        must(cp_file_load("m.copse", 0, &got, &got_n, &err), err);
        assert_int_equal(got_n, n);
        assert_memory_equal(got, image, n);
        cp_mem_free(got);
        free(image);
    }
    assert_int_equal(files_here("."), 1);
}

static void models_pass_through_pipes(void **state) {
    (void)state;
    size_t n, got_n;
    unsigned char *image = image_of(300000, &n), *got;
    copse_error err;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(cp_file_save("pipe", image, n, &err) ? 1 : 0);
    must(cp_file_load("pipe", 0, &got, &got_n, &err), err);
    int end;
    waitpid(child, &end, 0);
    assert_int_equal(end, 0);
    assert_int_equal(got_n, n);
    assert_memory_equal(got, image, n);
    cp_mem_free(got);
    free(image);
}

static void what_is_no_model_is_not_loaded(void **state) {
    (void)state;
    copse_error err;
    unsigned char *got;
    size_t n;
    put_file("data.csv", "x,y\n1,2\n");
    put_file("empty", "");
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(cp_file_load("data.csv", 0, &got, &n, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "data.csv: not a copse model file");
    assert_int_equal(cp_file_load("empty", 0, &got, &n, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "empty: not a copse model file: it is empty");
    assert_int_equal(cp_file_load("absent", 0, &got, &n, &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot read absent: No such file or directory");
    assert_int_equal(cp_file_load("folder", 0, &got, &n, &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot read folder: Is a directory");
    assert_int_equal(cp_file_load("/dev/zero", 0, &got, &n, &err), COPSE_E_MODEL); /* without end, but told at once */
    assert_null(got);
}

static void paths_that_cannot_be_written_are_refused(void **state) {
    (void)state;
    copse_error err;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(save("folder", "new", &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot write folder: Is a directory");
    assert_int_equal(save("absent/m", "new", &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot write absent/m: No such file or directory");
    assert_int_equal(save("", "new", &err), COPSE_E_SYSTEM);
    assert_int_equal(save("/dev/full", "new", &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot write /dev/full: No space left on device");
    must(save("/dev/null", "new", &err), err);
    put_file("m", "old");
    assert_int_equal(save("m/x", "new", &err), COPSE_E_SYSTEM);
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    assert_int_equal(save("a", "new", &err), COPSE_E_SYSTEM);
    assert_int_equal(files_here("."), 4);
}

static void a_file_that_may_not_be_written_stays(void **state) {
    (void)state;
    copse_error err;
    int root = geteuid() == 0; /* to root everything is permitted */
    if (root) assert_true(chown(".", 65534, 65534) == 0 && seteuid(65534) == 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    put_file("folder/m", "old");
    put_file("locked", "old");
    assert_int_equal(chmod("locked", 0400), 0);
    assert_int_equal(chmod("folder", 0500), 0);
    assert_int_equal(save("folder/m", "new", &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "cannot write folder/m: Permission denied");
    assert_int_equal(save("folder/fresh", "new", &err), COPSE_E_SYSTEM);
    assert_int_equal(save("locked", "new", &err), COPSE_E_SYSTEM);
    assert_string_equal(err.msg,
                        "cannot write locked: it is read-only. Give it write permission, or choose another name");
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(save("locked", "new", &err), COPSE_E_SYSTEM); /* root, too, respects the mode */
    assert_file("folder/m", (const unsigned char *)"old", 3);
    assert_file("locked", (const unsigned char *)"old", 3);
    assert_int_equal(files_here("folder"), 1);
    assert_int_equal(files_here("."), 2);
}

/* A limit on file sizes fails a write half-way, as a full disk does. */
static void a_save_that_fails_half_way_leaves_the_old_file(void **state) {
    (void)state;
    put_file("m", "old");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        copse_error err;
        struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
        static const unsigned char big[100000];
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit)) _exit(2);
        int refused = cp_file_save("m", big, sizeof big, &err) == COPSE_E_SYSTEM &&
                      strcmp(err.msg, "cannot write m: File too large") == 0 &&
                      cp_file_save("fresh", big, sizeof big, &err) == COPSE_E_SYSTEM;
        _exit(!refused);
    }
    int end;
    waitpid(child, &end, 0);
    assert_int_equal(end, 0);
    assert_file("m", (const unsigned char *)"old", 3);
    assert_int_equal(files_here("."), 1);
}

static void permissions_are_kept_and_the_umask_obeyed(void **state) {
    (void)state;
    copse_error err;
    struct stat st;
    put_file("m", "old");
    assert_int_equal(chmod("m", 0640), 0);
    must(save("m", "newer", &err), err);
    assert_int_equal(stat("m", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_file("m", (const unsigned char *)"newer", 5);
    mode_t old = umask(027);
    must(save("fresh", "new", &err), err);
    umask(old);
    assert_int_equal(stat("fresh", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void links_stay_and_their_files_are_replaced(void **state) {
    (void)state;
    copse_error err;
    struct stat st;
    assert_int_equal(mkdir("store", 0700), 0);
    put_file("store/v1", "old");
    assert_int_equal(symlink("v1", "store/current"), 0);
    assert_int_equal(symlink("store/current", "m"), 0);
    assert_int_equal(symlink("store/v2", "next"), 0); /* to nothing yet */
    must(save("m", "new", &err), err);
    must(save("next", "newest", &err), err);
    assert_file("store/v1", (const unsigned char *)"new", 3);
    assert_file("store/v2", (const unsigned char *)"newest", 6);
    assert_int_equal(lstat("m", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("next", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(files_here("store"), 3);
    assert_int_equal(files_here("."), 3);
}

static cp_file *begin(const char *path, const char *text) {
    copse_error err;
    cp_file *f;
    must(cp_file_begin(path, &f, &err), err);
    must(cp_file_write(f, text, strlen(text), &err), err);
    return f;
}

static void the_old_file_is_there_until_commit(void **state) {
    (void)state;
    copse_error err;
    put_file("m", "old");
    cp_file *f = begin("m", "ne");
    must(cp_file_write(f, "w", 1, &err), err);
    assert_file("m", (const unsigned char *)"old", 3);
    must(cp_file_commit(f, &err), err);
    assert_file("m", (const unsigned char *)"new", 3);
    cp_file_abandon(begin("m", "newer"));
    cp_file_abandon(begin("fresh", "newer"));
    cp_file_abandon(NULL);
    assert_file("m", (const unsigned char *)"new", 3);
    assert_int_equal(files_here("."), 1);
}

static void a_new_file_replaces_none(void **state) {
    (void)state;
    copse_error err;
    cp_file *f;
    must(cp_file_begin_new("m", &f, &err), err);
    must(cp_file_write(f, "first", 5, &err), err);
    must(save("m", "second", &err), err); /* between begin and commit */
    assert_int_equal(cp_file_commit(f, &err), COPSE_E_USAGE);
    assert_string_equal(err.msg, "m exists: choose another name, or remove it");
    assert_int_equal(cp_file_begin_new("m", &f, &err), COPSE_E_USAGE);
    assert_null(f);
    assert_int_equal(cp_file_begin_new("/dev/null", &f, &err), COPSE_E_USAGE);
    assert_file("m", (const unsigned char *)"second", 6);
    must(cp_file_begin_new("fresh", &f, &err), err);
    must(cp_file_commit(f, &err), err);
    assert_int_equal(files_here("."), 2);
}

static void the_owner_is_kept(void **state) {
    (void)state;
    copse_error err;
    struct stat st;
    if (geteuid() != 0) skip();
    put_file("m", "old");
    assert_int_equal(chown("m", 12345, 54321), 0);
    assert_int_equal(chmod("m", 0604), 0);
    must(save("m", "new", &err), err);
    assert_int_equal(stat("m", &st), 0);
    assert_int_equal(st.st_uid, 12345);
    assert_int_equal(st.st_gid, 54321);
    assert_int_equal(st.st_mode & 07777, 0604);
    /* a writer who may not give files away still replaces it, and becomes its owner */
    assert_int_equal(chmod(".", 0777), 0);
    assert_int_equal(chmod("m", 0606), 0);
    assert_int_equal(seteuid(65534), 0);
    copse_status status = save("m", "newer", &err);
    assert_int_equal(seteuid(0), 0);
    must(status, err);
    assert_int_equal(stat("m", &st), 0);
    assert_int_equal(st.st_uid, 65534);
    assert_int_equal(st.st_mode & 07777, 0606);
    assert_file("m", (const unsigned char *)"newer", 5);
}

/* Standard input and output are the program's: the library has no short name for them. */
static void a_dash_is_a_name_like_any_other(void **state) {
    (void)state;
    size_t n, got_n;
    unsigned char *image = image_of(1000, &n), *got;
    copse_error err;
    must(cp_file_save("-", image, n, &err), err);
    assert_file("-", image, n);
    must(cp_file_load("-", 0, &got, &got_n, &err), err);
    assert_int_equal(got_n, n);
    cp_mem_free(got);
    free(image);
}

static void no_more_than_the_limit_is_loaded(void **state) {
    (void)state;
    size_t n, got_n, sizes[] = {1000, 300000};
    copse_error err;
    for (int k = 0; k < 2; k++) {
        unsigned char *image = image_of(sizes[k], &n), *got;
        must(cp_file_save("m", image, n, &err), err);
        assert_int_equal(cp_file_load("m", n - 1, &got, &got_n, &err), COPSE_E_MEMORY);
        assert_non_null(strstr(err.msg, "m has more than the "));
        assert_non_null(strstr(err.msg, " bytes that `memory-limit` permits"));
        assert_null(got);
        must(cp_file_load("m", n, &got, &got_n, &err), err);
        assert_int_equal(got_n, n);
        cp_mem_free(got);
        free(image);
    }
}

/* What an open descriptor stands for is written where the descriptor is, also if it is a regular file. */
static void descriptors_are_written_directly(void **state) {
    (void)state;
    static const char *const path[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"};
    assert_int_equal(symlink("/dev/stdout", "link"), 0);
    fflush(NULL);
    for (size_t i = 0; i < COUNT(path); i++) {
        pid_t child = fork();
        if (child == 0) {
            copse_error err;
            int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
            if (dup2(out, 1) < 0 || write(1, "a,", 2) != 2) _exit(1);
            if (save(path[i], "b,", &err) || write(1, "c", 1) != 1) _exit(2);
            _exit(0);
        }
        int end;
        waitpid(child, &end, 0);
        assert_int_equal(end, 0);
        assert_file("out", (const unsigned char *)"a,b,c", 5);
    }
    assert_int_equal(files_here("."), 2);
}

static void left_overs_of_the_dead_are_removed(void **state) {
    (void)state;
    copse_error err;
    char long_name[256];
    put_file(".m.copse-0123abcd.tmp", "of a dead writer");
    put_file(".m.copse-00000001.tmp", "of a living writer");
    put_file(".mm.copse-0123abcd.tmp", "of another target");
    put_file(".m.copse-0123abc.tmp", "another name");
    put_file(".m.copse-0123abcd.tmp~", "another name");
    assert_int_equal(symlink(".mm.copse-0123abcd.tmp", ".m.copse-00000002.tmp"), 0);
    int alive = open(".m.copse-00000001.tmp", O_RDWR);
    assert_int_equal(flock(alive, LOCK_EX), 0);
    must(save("m", "new", &err), err);
    assert_int_equal(files_here("."), 6);
    assert_int_equal(access(".m.copse-0123abcd.tmp", F_OK), -1);
    close(alive);
    assert_int_equal(symlink("m", "link"), 0); /* the target is what counts, however it is spelled */
    must(save("link", "newer", &err), err);
    assert_int_equal(access(".m.copse-00000001.tmp", F_OK), -1);
    assert_int_equal(files_here("."), 6);
    memset(long_name, 'n', 255);
    long_name[255] = '\0';
    must(save(long_name, "new", &err), err);
    assert_file(long_name, (const unsigned char *)"new", 3);
}

/* Without /proc a temporary file cannot get its name late: it has one from the start, and a killed writer leaves it. */
static void without_proc_all_is_the_same(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    put_file("m", "old");
    fflush(NULL);
    for (int round = 0; round < 2; round++) {
        pid_t child = fork();
        if (child == 0) {
            copse_error err;
            cp_file *f;
            if (chroot(".") != 0) _exit(1);
            if (round == 0) {
                if (cp_file_begin("m", &f, &err) || cp_file_write(f, "half", 4, &err)) _exit(2);
                _exit(0); /* dead before it commits */
            }
            if (save("m", "new", &err) || save("fresh", "new", &err)) _exit(3);
            if (cp_file_begin_new("newer", &f, &err) || cp_file_commit(f, &err)) _exit(4);
            if (cp_file_begin_new("m", &f, &err) != COPSE_E_USAGE) _exit(5);
            _exit(0);
        }
        int end;
        waitpid(child, &end, 0);
        assert_int_equal(end, 0);
        if (round == 0) assert_file("m", (const unsigned char *)"old", 3);
        assert_int_equal(files_here("."), round == 0 ? 2 : 3);
    }
    assert_file("m", (const unsigned char *)"new", 3);
}

/* Writers of one target at the same time: each commit is whole, none takes the other's temporary file. */
static void writers_do_not_disturb_each_other(void **state) {
    (void)state;
    enum { WRITERS = 3, ROUNDS = 40, BYTES = 20000 };
    int with_proc = geteuid() != 0;
    fflush(NULL);
    do {
        for (int who = 0; who < WRITERS; who++)
            if (fork() == 0) {
                static unsigned char bytes[BYTES];
                copse_error err;
                if (!with_proc && chroot(".") != 0) _exit(1);
                memset(bytes, 'a' + who, sizeof bytes);
                for (int i = 0; i < ROUNDS; i++)
                    if (cp_file_save("m", bytes, sizeof bytes, &err)) _exit(2);
                _exit(0);
            }
        for (int who = 0; who < WRITERS; who++) {
            int end;
            assert_true(wait(&end) > 0);
            assert_int_equal(end, 0);
        }
        unsigned char got[BYTES + 1];
        FILE *f = fopen("m", "r");
        assert_non_null(f);
        assert_int_equal(fread(got, 1, sizeof got, f), BYTES);
        fclose(f);
        for (size_t i = 1; i < BYTES; i++) assert_int_equal(got[i], got[0]);
        assert_int_equal(files_here("."), 1);
    } while (!with_proc++);
}

static copse_status save_and_load(const unsigned char *image, size_t n, copse_error *err) {
    unsigned char *got;
    size_t got_n;
    CP_TRY(cp_file_save("link", image, n, err));
    CP_TRY(cp_file_load("link", 0, &got, &got_n, err));
    cp_mem_free(got);
    return COPSE_OK;
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    copse_error err;
    size_t n;
    unsigned char *image = image_of(100000, &n);
    assert_int_equal(symlink("m", "link"), 0);
    size_t before = cp_mem_count();
    must(save_and_load(image, n, &err), err);
    long total = (long)(cp_mem_count() - before), failed = 0;
    for (long k = 0; k < total; k++) {
        cp_mem_fail_after(k);
        copse_status status = save_and_load(image, n, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        failed++;
        assert_int_equal(files_here("."), 2);
        assert_file("m", image, n);
    }
    assert_true(failed >= 5);
    free(image);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(what_is_saved_is_loaded),
        IN_A_FOLDER(models_pass_through_pipes),
        IN_A_FOLDER(what_is_no_model_is_not_loaded),
        IN_A_FOLDER(paths_that_cannot_be_written_are_refused),
        IN_A_FOLDER(a_file_that_may_not_be_written_stays),
        IN_A_FOLDER(a_save_that_fails_half_way_leaves_the_old_file),
        IN_A_FOLDER(permissions_are_kept_and_the_umask_obeyed),
        IN_A_FOLDER(links_stay_and_their_files_are_replaced),
        IN_A_FOLDER(the_old_file_is_there_until_commit),
        IN_A_FOLDER(a_new_file_replaces_none),
        IN_A_FOLDER(the_owner_is_kept),
        IN_A_FOLDER(a_dash_is_a_name_like_any_other),
        IN_A_FOLDER(no_more_than_the_limit_is_loaded),
        IN_A_FOLDER(descriptors_are_written_directly),
        IN_A_FOLDER(left_overs_of_the_dead_are_removed),
        IN_A_FOLDER(without_proc_all_is_the_same),
        IN_A_FOLDER(writers_do_not_disturb_each_other),
        IN_A_FOLDER(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
