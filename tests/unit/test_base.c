#include "check.h"

#include <stdatomic.h>
#include <time.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"

static void fail_fills_the_error(void **state) {
    (void)state;
    copse_error err = {0};
    assert_int_equal(cp_fail_at(&err, COPSE_E_DATA, 3, 4, "%s %d", "x", 7), COPSE_E_DATA);
    assert_int_equal(err.code, COPSE_E_DATA);
    assert_int_equal(err.row, 3);
    assert_int_equal(err.col, 4);
    assert_string_equal(err.msg, "x 7");
    assert_int_equal(cp_fail(NULL, COPSE_E_USAGE, "no one listens"), COPSE_E_USAGE);
}

static void allocation_refuses_overflow_and_on_demand(void **state) {
    (void)state;
    assert_null(cp_mem_new(SIZE_MAX / 2, 3));
    cp_mem_fail_after(1);
    void *a = cp_mem_new(1, 1), *b = cp_mem_new(1, 1), *c = cp_mem_raw(1, 1);
    cp_mem_fail_after(-1);
    assert_non_null(a);
    assert_null(b);
    assert_null(c);
    cp_mem_free(a);
}

static void grow_keeps_contents(void **state) {
    (void)state;
    copse_error err;
    int *v = NULL;
    size_t cap = 0;
    for (int i = 0; i < 1000; i++) {
        must(CP_GROW(v, cap, (size_t)i + 1, &err), err);
        v[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(v[i], i);
    cp_mem_free(v);
}

/* Many arrays grow side by side, so that blocks move and land at all sorts of addresses. */
static void lines_keep_contents_and_alignment(void **state) {
    (void)state;
    enum { ARRAYS = 20, MOST = 3000 };
    typedef struct element {
        int32_t v[8];
    } element;
    copse_error err;
    element *a[ARRAYS] = {0};
    size_t cap[ARRAYS] = {0};
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < ARRAYS; k++) {
            must(cp_mem_grow_lines(&a[k], &cap[k], (size_t)i + 1, sizeof *a[k], &err), err);
            assert_int_equal((uintptr_t)(a[k] + 1) % 64, 0);
            a[k][i].v[0] = a[k][i].v[7] = ARRAYS * i + k;
        }
    for (int k = 0; k < ARRAYS; k++) {
        a[k] = cp_mem_resize_lines(a[k], cap[k], MOST / 2, sizeof *a[k]);
        assert_non_null(a[k]);
        assert_int_equal((uintptr_t)(a[k] + 1) % 64, 0);
        for (int i = 0; i < MOST / 2; i++) {
            assert_int_equal(a[k][i].v[0], ARRAYS * i + k);
            assert_int_equal(a[k][i].v[7], ARRAYS * i + k);
        }
        cp_mem_free_lines(a[k]);
    }
    cp_mem_free_lines(NULL);
    assert_null(cp_mem_resize_lines(NULL, 0, SIZE_MAX / 2, 3));
    assert_null(cp_mem_resize_lines(NULL, 0, PTRDIFF_MAX, 1));
}

static void a_plain_array_becomes_one_of_lines(void **state) {
    (void)state;
    for (size_t n = 1; n < 3000; n = n * 2 + 1) {
        float(*plain)[16] = cp_mem_raw(n, sizeof *plain);
        assert_non_null(plain);
        for (size_t i = 0; i < 16 * n; i++) plain[i / 16][i % 16] = (float)i;
        float(*lines)[16] = cp_mem_to_lines(plain, n, sizeof *lines);
        assert_non_null(lines);
        assert_int_equal((uintptr_t)lines % 64, 0);
        lines = cp_mem_resize_lines(lines, n, n + 100, sizeof *lines);
        assert_non_null(lines);
        for (size_t i = 0; i < 16 * n; i++) assert_true(lines[i / 16][i % 16] == (float)i);
        cp_mem_free_lines(lines);
    }
    float *plain = cp_mem_raw(8, sizeof *plain);
    cp_mem_fail_after(0);
    assert_null(cp_mem_to_lines(plain, 8, sizeof *plain));
    cp_mem_fail_after(-1);
    cp_mem_free(plain);
}

static void arena_blocks_are_aligned_apart_and_reused(void **state) {
    (void)state;
    cp_arena a;
    cp_arena_init(&a);
    unsigned char *first = cp_arena_get(&a, 100, 1), *big = cp_arena_get(&a, 1 << 20, 1),
                  *last = cp_arena_get(&a, 8, 8);
    assert_non_null(first);
    assert_non_null(big);
    memset(big, 1, 1 << 20);
    memset(first, 2, 100);
    memset(last, 3, 64);
    assert_int_equal(big[0], 1);
    assert_int_equal((uintptr_t)last % 64, 0);
    size_t before = cp_mem_count();
    cp_arena_reset(&a);
    assert_ptr_equal(cp_arena_get(&a, 100, 1), first);
    assert_ptr_equal(cp_arena_get(&a, 1 << 20, 1), big);
    assert_int_equal(cp_mem_count(), before);
    cp_arena_clear(&a);
}

typedef struct tally {
    atomic_int done[500];
    size_t fail_from;
} tally;

static copse_status count_job(void *arg, size_t i, size_t worker, copse_error *err) {
    (void)worker;
    tally *t = arg;
    atomic_fetch_add(&t->done[i], 1);
    return i >= t->fail_from ? cp_fail(err, COPSE_E_DATA, "job %zu", i) : COPSE_OK;
}

static void pool_does_every_job_once(void **state) {
    (void)state;
    copse_error err;
    for (int threads = 1; threads <= 7; threads += 3) {
        tally t = {.fail_from = SIZE_MAX};
        copse_run run = {.threads = threads};
        must(cp_parallel_for(&run, cp_parallel_workers(&run, 500), 500, NULL, count_job, &t, &err), err);
        for (int i = 0; i < 500; i++) assert_int_equal(atomic_load(&t.done[i]), 1);
    }
}

static void pool_reports_the_lowest_failure(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 50; repeat++) {
        tally t = {.fail_from = 120};
        copse_run run = {.threads = 4};
        copse_error err = {0};
        assert_int_equal(cp_parallel_for(&run, 4, 500, NULL, count_job, &t, &err), COPSE_E_DATA);
        assert_string_equal(err.msg, "job 120");
    }
}

/* Two jobs at the same time, of which the first fails first. */
typedef struct failing {
    atomic_int begun, failed;
} failing;

static void wait_for(atomic_int *flag) {
    for (int i = 0; i < 5000 && !atomic_load(flag); i++) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static copse_status fail_in_turn(void *arg, size_t i, size_t worker, copse_error *err) {
    failing *f = arg;
    (void)worker;
    if (i) atomic_store(&f->begun, 1);
    wait_for(i ? &f->failed : &f->begun);
    if (i) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* until the other failure is known */
    atomic_store(&f->failed, 1);
    return cp_fail(err, COPSE_E_DATA, "job %zu", i);
}

static void a_later_failure_of_a_higher_index_does_not_count(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 3; repeat++) {
        failing f = {0};
        copse_error err = {0};
        assert_int_equal(cp_parallel_for(NULL, 2, 2, NULL, fail_in_turn, &f, &err), COPSE_E_DATA);
        assert_string_equal(err.msg, "job 0");
    }
}

static void pool_stops_when_asked(void **state) {
    (void)state;
    copse_flag stop = 1;
    tally t = {.fail_from = SIZE_MAX};
    copse_run run = {.threads = 2, .stop = &stop};
    copse_error err;
    assert_int_equal(cp_parallel_for(&run, 2, 500, NULL, count_job, &t, &err), COPSE_E_STOPPED);
}

/* A loop of jobs, each of which runs a loop of its own: job i's is t[i]. */
typedef struct loops {
    cp_parallel_idle *idle;
    tally t[5];
    copse_error err[5];
    copse_status status[5];
} loops;

static copse_status loop_job(void *arg, size_t i, size_t worker, copse_error *err) {
    loops *l = arg;
    (void)worker;
    (void)err;
    l->status[i] = cp_parallel_inner_for(l->idle, NULL, 100 * (i + 1), count_job, &l->t[i], &l->err[i]);
    return COPSE_OK;
}

static void loops_within_a_loop_are_done_once_and_fail_as_others(void **state) {
    (void)state;
    for (size_t repeat = 0; repeat < 50; repeat++) {
        loops l = {0};
        copse_error err;
        for (size_t i = 0; i < 5; i++) l.t[i].fail_from = i == 3 ? 70 : SIZE_MAX;
        must(cp_parallel_idle_new(&l.idle, &err), err);
        cp_parallel_outer outer = {.workers = 1 + repeat % 4, .n = 5, .job = loop_job, .arg = &l, .idle = l.idle};
        must(cp_parallel_outer_for(NULL, &outer, &err), err);
        cp_parallel_idle_free(l.idle);
        assert_string_equal(l.err[3].msg, "job 70");
        for (size_t i = 0; i < 5; i++) {
            assert_int_equal(l.status[i], i == 3 ? COPSE_E_DATA : COPSE_OK);
            for (size_t k = 0; i != 3 && k < 500; k++)
                assert_int_equal(atomic_load(&l.t[i].done[k]), k < 100 * (i + 1));
        }
    }
}

/* Two jobs that wait for each other, so that it takes two threads to do them; but not for ever. */
typedef struct meeting {
    cp_parallel_idle *idle;
    atomic_int present;
} meeting;

static copse_status meet(void *arg, size_t i, size_t worker, copse_error *err) {
    meeting *m = arg;
    (void)i;
    (void)worker;
    atomic_fetch_add(&m->present, 1);
    for (int patience = 0; patience < 10000 && atomic_load(&m->present) < 2; patience++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&m->present) == 2 ? COPSE_OK : cp_fail(err, COPSE_E_DATA, "nobody came");
}

static copse_status short_or_long(void *arg, size_t i, size_t worker, copse_error *err) {
    meeting *m = arg;
    (void)worker;
    return i == 1 ? cp_parallel_inner_for(m->idle, NULL, 2, meet, m, err) : COPSE_OK;
}

static void who_runs_out_of_jobs_helps_with_those_under_way(void **state) {
    (void)state;
    meeting m = {0};
    copse_error err;
    must(cp_parallel_idle_new(&m.idle, &err), err);
    must(cp_parallel_outer_for(
             NULL, &(cp_parallel_outer){.workers = 2, .n = 2, .job = short_or_long, .arg = &m, .idle = m.idle}, &err),
         err);
    cp_parallel_idle_free(m.idle);
}

static void failures_name_options_and_columns_as_data(void **state) {
    (void)state;
    copse_error err;
    cp_fail(&err, COPSE_E_USAGE, "`%s`: '%.40s' is not a number", "min-leaf", "`x`");
    assert_true(err.what == COPSE_ABOUT_OPTION && !strcmp(err.name, "min-leaf"));
    cp_fail(&err, COPSE_E_USAGE, "method %s has no option `%.60s`; did you mean `%s`?", "rf", "tree", "trees");
    assert_true(err.what == COPSE_ABOUT_OPTION && !strcmp(err.name, "tree"));
    cp_fail(&err, COPSE_E_USAGE, "the tree has 300 leaves: bound it by `max-leaves=%d`", 256);
    assert_true(err.what == COPSE_ABOUT_OPTION && !strcmp(err.name, "max-leaves"));
    cp_fail_at(&err, COPSE_E_DATA, 3, 1, "%s: the target '%s' is missing: fill it in", "a'b`.csv:3", "it's");
    assert_true(err.what == COPSE_ABOUT_COLUMN && !strcmp(err.name, "it's") && err.row == 3);
    cp_fail(&err, COPSE_E_DATA, "column '%s' has %zu levels: leave it out (`drop='%s'`)", "zip", (size_t)9, "zip");
    assert_true(err.what == COPSE_ABOUT_COLUMN && !strcmp(err.name, "zip"));
    cp_fail(&err, COPSE_E_DATA, "row %d is bad: '%s'", 3, "`alpha`");
    assert_true(err.what == COPSE_ABOUT_NOTHING && !*err.name);
    cp_fail_argument(&err, "model");
    assert_true(err.what == COPSE_ABOUT_ARGUMENT && !strcmp(err.name, "model"));
    char name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    cp_fail(&err, COPSE_E_DATA, "column '%s' is odd", name);
    assert_int_equal(strlen(err.name), sizeof err.name - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_name_options_and_columns_as_data),
        cmocka_unit_test(fail_fills_the_error),
        cmocka_unit_test(allocation_refuses_overflow_and_on_demand),
        cmocka_unit_test(grow_keeps_contents),
        cmocka_unit_test(lines_keep_contents_and_alignment),
        cmocka_unit_test(a_plain_array_becomes_one_of_lines),
        cmocka_unit_test(arena_blocks_are_aligned_apart_and_reused),
        cmocka_unit_test(pool_does_every_job_once),
        cmocka_unit_test(pool_reports_the_lowest_failure),
        cmocka_unit_test(a_later_failure_of_a_higher_index_does_not_count),
        cmocka_unit_test(pool_stops_when_asked),
        cmocka_unit_test(loops_within_a_loop_are_done_once_and_fail_as_others),
        cmocka_unit_test(who_runs_out_of_jobs_helps_with_those_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
