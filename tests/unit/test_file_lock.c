#define _DEFAULT_SOURCE /* flock */

#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/mem.h"

static char folder[64];
static copse_error err;

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

static int exists(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

static cp_file_lock *lock(const char *path) {
    cp_file_lock *l;
    must(cp_file_lock_acquire(path, 0, NULL, &l, &err), err);
    assert_true(cp_file_lock_excludes(l));
    assert_string_equal(cp_file_lock_path(l), path);
    return l;
}

static void must_refuse(const char *path) {
    cp_file_lock *l;
    assert_int_equal(cp_file_lock_acquire(path, 0, NULL, &l, &err), COPSE_E_SYSTEM);
    assert_null(l);
    assert_non_null(strstr(err.msg, "another process is writing"));
}

static void one_writer_at_a_time(void **state) {
    (void)state;
    cp_file_lock *l = lock("m.copse");
    assert_true(exists(".m.copse.copse-lock"));
    must_refuse("m.copse");
    must_refuse("./m.copse");
    cp_file_lock_release(lock("n.copse"));
    cp_file_lock_release(l);
    assert_false(exists(".m.copse.copse-lock"));
    cp_file_lock_release(lock("m.copse"));
    cp_file_lock_release(NULL);
}

/* The lock belongs to the name: a file that is renamed over the target does not free it. */
static void a_rename_keeps_the_lock(void **state) {
    (void)state;
    cp_file_lock *l = lock("m.copse");
    close(open("new", O_WRONLY | O_CREAT, 0600));
    assert_int_equal(rename("new", "m.copse"), 0);
    must_refuse("m.copse");
    cp_file_lock_release(l);
}

static void all_names_of_a_file_have_one_lock(void **state) {
    (void)state;
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(symlink("d/m.copse", "link"), 0); /* to a file that is not there yet */
    cp_file_lock *l = lock("link");
    assert_true(exists("d/.m.copse.copse-lock"));
    must_refuse("d/m.copse");
    cp_file_lock_release(l);
}

static void a_killed_holder_leaves_no_lock(void **state) {
    (void)state;
    int ready[2], end;
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        cp_file_lock *l;
        if (cp_file_lock_acquire("m.copse", 0, NULL, &l, NULL) || write(ready[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    must_refuse("m.copse");
    kill(child, SIGKILL);
    waitpid(child, &end, 0);
    assert_true(exists(".m.copse.copse-lock"));
    cp_file_lock_release(lock("m.copse"));
    assert_false(exists(".m.copse.copse-lock"));
    close(ready[0]);
    close(ready[1]);
}

/* Many processes take turns; each checks that it is alone by a file that must not be there. */
static void waiting_writers_take_turns(void **state) {
    (void)state;
    enum { WRITERS = 6, TURNS = 30 };
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0) continue;
        for (int i = 0; i < TURNS; i++) {
            cp_file_lock *l;
            if (cp_file_lock_acquire("m.copse", 1, NULL, &l, NULL)) _exit(1);
            int fd = open("alone", O_WRONLY | O_CREAT | O_EXCL, 0600);
            if (fd < 0) _exit(2);
            close(fd);
            unlink("alone");
            cp_file_lock_release(l);
        }
        _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int end;
        assert_true(wait(&end) > 0);
        assert_int_equal(end, 0);
    }
    assert_false(exists(".m.copse.copse-lock"));
}

static void waiting_can_be_stopped(void **state) {
    (void)state;
    copse_flag stop = 1;
    cp_file_lock *l = lock("m.copse"), *second;
    assert_int_equal(cp_file_lock_acquire("m.copse", 1, &stop, &second, &err), COPSE_E_STOPPED);
    assert_null(second);
    cp_file_lock_release(l);
}

/* Nobody waits for a device, a pipe or standard output. */
static void what_is_written_directly_needs_no_lock(void **state) {
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    static const char *const paths[] = {"/dev/stdout", "/dev/null", "pipe"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        cp_file_lock *a = lock(paths[i]), *b = lock(paths[i]);
        cp_file_lock_release(a);
        cp_file_lock_release(b);
    }
    assert_false(exists(".pipe.copse-lock"));
}

static void failures_are_statuses(void **state) {
    (void)state;
    cp_file_lock *l;
    assert_int_equal(cp_file_lock_acquire("no/m.copse", 1, NULL, &l, &err), COPSE_E_SYSTEM);
    assert_non_null(strstr(err.msg, "cannot write no/m.copse: No such file or directory"));
    assert_int_equal(symlink("elsewhere", ".m.copse.copse-lock"), 0); /* never followed */
    assert_int_equal(cp_file_lock_acquire("m.copse", 0, NULL, &l, &err), COPSE_E_SYSTEM);
    assert_false(exists("elsewhere"));
    for (long k = 0;; k++) {
        cp_mem_fail_after(k);
        copse_status status = cp_file_lock_acquire("n.copse", 0, NULL, &l, NULL);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(l);
    }
    cp_file_lock_release(l);
}

/* ------------------------------------------------------------------------------------------------ through copse.h */

static copse_model *small_model(void) {
    copse_table *t;
    copse_model *m;
    must(copse_synth("moons", &(copse_synth_options){.rows = 20}, &t, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, NULL, NULL, &m, &err), err);
    copse_table_free(t);
    return m;
}

static void a_save_asks_for_the_lock(void **state) {
    (void)state;
    copse_lock *l;
    copse_model *m = small_model(), *back;
    must(copse_lock_acquire("m.copse", 0, NULL, &l, &err), err);
    assert_int_equal(copse_save(m, "m.copse", 0, NULL, &err), COPSE_E_SYSTEM);
    assert_false(exists("m.copse"));
    must(copse_lock_save(l, m, 0, NULL, &err), err);
    must(copse_lock_save(l, m, 0, NULL, &err), err);
    copse_lock_release(l);
    must(copse_save(m, "m.copse", 0, NULL, &err), err);
    must(copse_load("m.copse", NULL, &back, &err), err);
    copse_model_free(back);
    copse_model_free(m);
    assert_false(exists(".m.copse.copse-lock"));
}

static void files_are_whole_or_not_at_all(void **state) {
    (void)state;
    copse_file *f;
    char text[8] = "";
    must(copse_file_open("t", &f, &err), err);
    must(copse_file_write(f, "abc", 3, &err), err);
    assert_false(exists("t"));
    copse_file_abandon(f);
    assert_false(exists("t"));
    must(copse_file_open("t", &f, &err), err);
    must(copse_file_write(f, "abc", 3, &err), err);
    assert_int_equal(write(copse_file_descriptor(f), "de", 2), 2);
    must(copse_file_commit(f, &err), err);
    int fd = open("t", O_RDONLY);
    assert_int_equal(read(fd, text, 8), 5);
    assert_string_equal(text, "abcde");
    close(fd);
}

static void misuse_is_a_status(void **state) {
    (void)state;
    copse_file *f;
    copse_lock *l;
    copse_model *m = small_model();
    assert_int_equal(copse_file_open(NULL, &f, NULL), COPSE_E_USAGE);
    assert_null(f);
    assert_int_equal(copse_file_open("t", NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_file_write(NULL, "a", 1, NULL), COPSE_E_USAGE);
    must(copse_file_open("t", &f, &err), err);
    assert_int_equal(copse_file_write(f, NULL, 1, NULL), COPSE_E_USAGE);
    must(copse_file_write(f, NULL, 0, &err), err);
    copse_file_abandon(f);
    copse_file_abandon(NULL);
    assert_int_equal(copse_file_commit(NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_file_descriptor(NULL), -1);
    assert_int_equal(copse_lock_acquire(NULL, 0, NULL, &l, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_lock_acquire("m.copse", 0, NULL, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_lock_save(NULL, m, 0, NULL, NULL), COPSE_E_USAGE);
    must(copse_lock_acquire("m.copse", 0, NULL, &l, &err), err);
    assert_int_equal(copse_lock_save(l, NULL, 0, NULL, NULL), COPSE_E_USAGE);
    copse_lock_release(l);
    copse_lock_release(NULL);
    assert_false(copse_lock_excludes(NULL));
    assert_int_equal(copse_save(m, NULL, 0, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_save(NULL, "m.copse", 0, NULL, NULL), COPSE_E_USAGE);
    copse_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_writer_at_a_time, enter, leave),
        cmocka_unit_test_setup_teardown(a_rename_keeps_the_lock, enter, leave),
        cmocka_unit_test_setup_teardown(all_names_of_a_file_have_one_lock, enter, leave),
        cmocka_unit_test_setup_teardown(a_killed_holder_leaves_no_lock, enter, leave),
        cmocka_unit_test_setup_teardown(waiting_writers_take_turns, enter, leave),
        cmocka_unit_test_setup_teardown(waiting_can_be_stopped, enter, leave),
        cmocka_unit_test_setup_teardown(what_is_written_directly_needs_no_lock, enter, leave),
        cmocka_unit_test_setup_teardown(failures_are_statuses, enter, leave),
        cmocka_unit_test_setup_teardown(a_save_asks_for_the_lock, enter, leave),
        cmocka_unit_test_setup_teardown(files_are_whole_or_not_at_all, enter, leave),
        cmocka_unit_test_setup_teardown(misuse_is_a_status, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
