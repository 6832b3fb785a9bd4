/* A public call under poll: who calls back, how often, what stops it; faults of the library come back as a status. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/parallel.h"
#include "base/supervise.h"
#include "base/thread_team.h"
#include "bo/study.h"
#include "check.h"
#include "model/model_digest.h"
#include "model/model_file.h"

typedef struct host {
    pthread_t self;
    atomic_int polls;
    int logs, reports, elsewhere; /* elsewhere: calls from another thread */
    int stop_at;                  /* the poll that asks for the end; 0: none does */
    double last;                  /* progress */
} host;

static int on_poll(void *arg) {
    host *h = arg;
    h->elsewhere += !pthread_equal(pthread_self(), h->self);
    return ++h->polls == h->stop_at;
}

static void on_log(void *arg, copse_log_level level, const char *text) {
    host *h = arg;
    (void)level;
    h->elsewhere += !pthread_equal(pthread_self(), h->self);
    h->logs += !strcmp(text, "hello");
}

static void on_progress(void *arg, const char *what, double done, double total) {
    host *h = arg;
    (void)what;
    (void)total;
    h->elsewhere += !pthread_equal(pthread_self(), h->self);
    h->reports++;
    h->last = done;
}

static copse_run run_of(host *h) {
    *h = (host){.self = pthread_self()};
    return (copse_run){.poll = on_poll, .log = on_log, .progress = on_progress, .arg = h};
}

static void nap(long milliseconds) {
    const struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Work that knows of no run, and lasts until it has been polled about. */
static copse_status deaf(void *arg, const copse_run *run, copse_error *err) {
    host *h = arg;
    (void)run;
    (void)err;
    while (h->polls < 25) nap(1);
    return COPSE_OK;
}

static copse_status chatty(void *arg, const copse_run *run, copse_error *err) {
    (void)arg;
    for (int i = 1; i <= 1000; i++) {
        run->log(run->arg, COPSE_LOG_INFO, "hello");
        run->progress(run->arg, "work", i, 1000);
    }
    return cp_fail(err, COPSE_E_DATA, "row %d is bad", 7);
}

static copse_status till_stopped(void *arg, const copse_run *run, copse_error *err) {
    (void)arg;
    for (int i = 0; i < 20000; i++, nap(1)) CP_TRY(cp_fail_if_stopped(run->stop, err));
    return COPSE_OK;
}

static void polls_whatever_the_work(void **state) {
    (void)state;
    host h;
    copse_run run = run_of(&h);
    copse_error err;
    must(cp_supervise(&run, deaf, &h, &err), err); /* would not return without polls */
    assert_int_equal(h.elsewhere, 0);
}

static void callbacks_come_from_the_calling_thread(void **state) {
    (void)state;
    host h;
    copse_run run = run_of(&h);
    copse_error err = {0};
    assert_int_equal(cp_supervise(&run, chatty, NULL, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "row 7 is bad");
    assert_int_equal(h.logs, 1000);
    assert_int_equal(h.elsewhere, 0);
    assert_true(h.last == 1000);
}

static void poll_and_flag_stop_the_work(void **state) {
    (void)state;
    host h;
    copse_flag flag = 0;
    copse_error err = {0};
    copse_run run = run_of(&h);
    h.stop_at = 3;
    assert_int_equal(cp_supervise(&run, till_stopped, NULL, &err), COPSE_E_STOPPED);
    run = run_of(&h);
    run.stop = &flag;
    atomic_store(&flag, 1);
    assert_int_equal(cp_supervise(&run, deaf, NULL, &err),
                     COPSE_E_STOPPED); /* not even begun: it would write to NULL */
    run = run_of(&h);
    h.stop_at = 1;
    assert_int_equal(cp_supervise(&run, deaf, NULL, &err), COPSE_E_STOPPED);
}

/* ---------------------------------------------------------------------------------------------------------- faults */

static copse_status faulty(void *arg, const copse_run *run, copse_error *err) {
    (void)run;
    (void)err;
    CP_BUG(arg != NULL);
    return COPSE_OK;
}

static void a_fault_is_a_status(void **state) {
    (void)state;
    int broken;
    host h;
    copse_run run = run_of(&h);
    for (int polled = 0; polled < 2; polled++) {
        copse_error err = {0};
        assert_int_equal(cp_supervise(polled ? &run : NULL, faulty, &broken, &err), COPSE_E_INTERNAL);
        assert_non_null(strstr(err.msg, "test_supervise.c"));
        assert_non_null(strstr(err.msg, "arg != NULL"));
        must(cp_supervise(polled ? &run : NULL, faulty, NULL, &err), err);
    }
}

static copse_status job(void *arg, size_t i, size_t worker, copse_error *err) {
    (void)worker;
    (void)err;
    CP_BUG(i == *(size_t *)arg);
    return COPSE_OK;
}

/* Whichever thread meets it, also that of the caller. */
static void a_fault_in_a_loop_ends_the_loop(void **state) {
    (void)state;
    copse_run run = {.threads = 4};
    for (size_t bad = 0; bad < 50; bad++) {
        copse_error err = {0};
        assert_int_equal(cp_parallel_for(&run, 4, 50, NULL, job, &bad, &err), COPSE_E_INTERNAL);
    }
    size_t none = 50;
    copse_error err = {0};
    must(cp_parallel_for(&run, 4, 50, NULL, job, &none, &err), err);
}

static void chunk(void *arg, size_t from, size_t to) {
    CP_BUG(from <= *(size_t *)arg && *(size_t *)arg < to);
}

static copse_status pass(void *team, size_t bad, copse_error *err) {
    CP_GUARD(err);
    cp_thread_team_pass(team, 1000, chunk, &bad);
    return COPSE_OK;
}

static void a_fault_in_a_team_reaches_its_leader(void **state) {
    (void)state;
    cp_thread_team *team = NULL;
    copse_error err = {0};
    must(cp_thread_team_new(4, &team, &err), err);
    for (size_t bad = 0; bad < 1000; bad += 100) {
        assert_int_equal(pass(team, bad, &err), COPSE_E_INTERNAL);
        must(pass(team, 1000, &err), err);
    }
    cp_thread_team_free(team);
}

/* ------------------------------------------------------------------------------------------------- whole functions */

static void a_stream_that_waits_can_be_stopped(void **state) {
    (void)state;
    int ends[2];
    char path[64];
    host h;
    copse_error err = {0};
    copse_stream *s = NULL;
    copse_table *t = NULL;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    copse_run run = run_of(&h);
    must(copse_stream_open(path, NULL, &run, &s, &err), err);
    h.stop_at = h.polls + 3;
    assert_int_equal(copse_stream_next(s, 10, &run, &t, &err), COPSE_E_STOPPED);
    assert_null(t);
    assert_int_equal(write(ends[1], "a,b\n1,2\n", 8), 8);
    close(ends[1]);
    h.stop_at = 0;
    must(copse_stream_next(s, 10, &run, &t, &err), err);
    assert_int_equal(copse_table_rows(t), 1);
    copse_table_free(t);
    copse_stream_close(s);
    close(ends[0]);
}

/* Files and studies are given no run: they are told to stop after they have begun. */
typedef struct late {
    copse_flag stop;
    copse_status (*work)(struct late *l, copse_error *err);
    copse_model *model, *made;
    copse_study *study;
    char path[64], digest[COPSE_DIGEST_SIZE];
} late;

static copse_status save(late *l, copse_error *err) {
    return cp_model_file_save(l->model, l->path, 0, err);
}

static copse_status load(late *l, copse_error *err) {
    return cp_model_file_load(l->path, 0, &l->made, err);
}

static copse_status copy(late *l, copse_error *err) {
    return cp_model_file_copy(l->model, 0, &l->made, err);
}

static copse_status digest(late *l, copse_error *err) {
    return cp_model_digest(l->model, l->digest, err);
}

static copse_status ask_study(late *l, copse_error *err) {
    size_t trial;
    return cp_study_ask(l->study, &trial, err);
}

static copse_status begin_late(void *arg, const copse_run *run, copse_error *err) {
    late *l = arg;
    (void)run;
    atomic_store(&l->stop, 1);
    return l->work(l, err);
}

static void assert_stops(late *l, copse_status (*work)(late *l, copse_error *err)) {
    copse_error err = {0};
    copse_run run = {.stop = &l->stop};
    atomic_store(&l->stop, 0);
    l->work = work;
    l->made = NULL;
    assert_int_equal(cp_supervise(&run, begin_late, l, &err), COPSE_E_STOPPED);
    assert_null(l->made);
    assert_int_equal(cp_supervise_check_stop(&err), COPSE_OK); /* nothing is left of it */
}

static size_t files_in(const char *folder) {
    char command[128];
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *f = popen(command, "r");
    size_t n = 99;
    assert_int_equal(fscanf(f, "%zu", &n), 1);
    pclose(f);
    return n;
}

static void reading_and_writing_models_stops(void **state) {
    (void)state;
    late l = {0};
    char folder[] = "/tmp/copse-stop-XXXXXX";
    copse_table *t = NULL;
    copse_error err;
    assert_non_null(mkdtemp(folder));
    snprintf(l.path, sizeof l.path, "%s/m.copse", folder);
    must(copse_synth("friedman1", &(copse_synth_options){.rows = 100, .seed = 1}, &t, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, NULL, NULL, &l.model, &err), err);
    assert_stops(&l, save);
    assert_int_equal(files_in(folder), 0);
    must(copse_save(l.model, l.path, 0, NULL, &err), err);
    assert_stops(&l, load);
    assert_stops(&l, copy);
    assert_stops(&l, digest);
    must(copse_load(l.path, NULL, &l.made, &err), err);
    unlink(l.path);
    assert_int_equal(files_in(folder), 0);
    rmdir(folder);
    copse_model_free(l.made);
    copse_model_free(l.model);
    copse_table_free(t);
}

/* What a study was asked for after it was stopped is what it would have answered before. */
static void a_study_stops_and_goes_on(void **state) {
    (void)state;
    const copse_dim dim = {.name = "x", .kind = COPSE_DIM_REAL, .low = 0, .high = 1};
    copse_study_options opt = {.dims = &dim, .n_dims = 1, .initial = 3};
    copse_study *plain = NULL;
    copse_trial a, b;
    copse_error err;
    late l = {0};
    must(copse_study_new(NULL, &opt, NULL, &plain, &err), err);
    must(copse_study_new(NULL, &opt, NULL, &l.study, &err), err);
    for (int i = 0; i < 12; i++) {
        if (i > 5) assert_stops(&l, ask_study);
        must(copse_study_ask(plain, NULL, &a, &err), err);
        must(copse_study_ask(l.study, NULL, &b, &err), err);
        assert_true(a.id == b.id && a.x[0] == b.x[0]);
        must(copse_study_tell(plain, a.id, a.x[0] * (1 - a.x[0]), NULL, &err), err);
        must(copse_study_tell(l.study, b.id, b.x[0] * (1 - b.x[0]), NULL, &err), err);
    }
    copse_study_free(plain);
    copse_study_free(l.study);
}

/* A fit and a prediction under poll have the bits of those without. */
static void poll_changes_no_bit(void **state) {
    (void)state;
    copse_table *t = NULL;
    copse_error err = {0};
    char digest[2][COPSE_DIGEST_SIZE];
    double mean[2];
    must(copse_synth("friedman1", &(copse_synth_options){.rows = 200, .seed = 1}, &t, &err), err);
    for (int polled = 0; polled < 2; polled++) {
        host h;
        copse_run run = run_of(&h);
        copse_model *m = NULL;
        copse_prediction *p = NULL;
        const copse_run *use = polled ? &run : NULL;
        must(copse_fit(t, &(copse_roles){.target = "target"}, NULL, use, &m, &err), err);
        must(copse_predict(m, t, NULL, use, &p, &err), err);
        must(copse_model_digest(m, use, digest[polled], &err), err);
        mean[polled] = copse_prediction_mean(p, 17);
        assert_true(!polled || h.polls >= 3);
        copse_prediction_free(p);
        copse_model_free(m);
    }
    assert_string_equal(digest[0], digest[1]);
    assert_true(mean[0] == mean[1]);
    copse_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polls_whatever_the_work),
        cmocka_unit_test(callbacks_come_from_the_calling_thread),
        cmocka_unit_test(poll_and_flag_stop_the_work),
        cmocka_unit_test(reading_and_writing_models_stops),
        cmocka_unit_test(a_study_stops_and_goes_on),
        cmocka_unit_test(a_fault_is_a_status),
        cmocka_unit_test(a_fault_in_a_loop_ends_the_loop),
        cmocka_unit_test(a_fault_in_a_team_reaches_its_leader),
        cmocka_unit_test(a_stream_that_waits_can_be_stopped),
        cmocka_unit_test(poll_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
