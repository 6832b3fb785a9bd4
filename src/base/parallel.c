/* parallel - threads for a loop.  They live for one loop, which takes milliseconds to hours, while a thread takes 20
 * microseconds to start.  So no thread is kept between calls, and none must be restarted after a fork. */
#define _GNU_SOURCE /* sched_getaffinity: the cores that this process may use, not those of the machine */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"

typedef struct loop {
    const copse_run *run;
    const char *what;
    cp_parallel_job job;
    void *arg;
    size_t n;
    atomic_size_t next, done;
    atomic_size_t bad; /* lowest index that failed so far, n if none */
    pthread_mutex_t lock;
    copse_error err;        /* of `bad`; under lock */
    cp_parallel_idle *idle; /* which threads join when they find no job; NULL: they end */
    /* For inner loops, under the lock of idle: */
    struct loop *next_open;
    size_t helpers; /* threads that were idle and now work in it */
} loop;

struct cp_parallel_idle {
    pthread_mutex_t lock;
    pthread_cond_t change; /* of any member below */
    size_t working;        /* threads that are not idle */
    loop *open;            /* linked list of inner loops */
};

typedef struct worker {
    loop *lp;
    size_t id;
    pthread_t thread;
} worker;

size_t cp_parallel_workers(const copse_run *run, size_t n) {
    size_t want = run && run->threads > 0 ? (size_t)run->threads : 0;
    if (!want) {
        cpu_set_t set;
        want = sched_getaffinity(0, sizeof set, &set) ? 1 : (size_t)CPU_COUNT(&set);
    }
    if (want > n) want = n;
    return want ? want : 1;
}

static void note_failure(loop *lp, size_t i, const copse_error *err) {
    pthread_mutex_lock(&lp->lock);
    if (i < atomic_load(&lp->bad)) {
        atomic_store(&lp->bad, i);
        lp->err = *err;
    }
    pthread_mutex_unlock(&lp->lock);
}

static copse_status do_job(loop *lp, size_t i, size_t id, copse_error *err) {
    CP_GUARD(err);
    return lp->job(lp->arg, i, id, err);
}

static void work(loop *lp, size_t id) {
    for (;;) {
        size_t i = atomic_fetch_add(&lp->next, 1);
        if (i >= lp->n || i > atomic_load(&lp->bad)) return;
        copse_error err = {0};
        copse_status status = cp_fail_if_stopped(lp->run ? lp->run->stop : NULL, &err);
        if (!status) err.code = do_job(lp, i, id, &err);
        if (err.code) note_failure(lp, i, &err);
        size_t done = atomic_fetch_add(&lp->done, 1) + 1;
        if (id == 0 && lp->what) cp_log_progress(lp->run, lp->what, (double)done, (double)lp->n);
    }
}

/* ----------------------------------------------------------------------------------------------------- idle threads */

/* An open loop with jobs left, or NULL. */
static loop *loop_with_jobs(const cp_parallel_idle *p) {
    loop *lp = p->open;
    while (lp && atomic_load(&lp->next) >= lp->n) lp = lp->next_open;
    return lp;
}

/* Counts threads as idle: their jobs are done, or the system refused to start them. */
static void become_idle(cp_parallel_idle *p, size_t threads) {
    pthread_mutex_lock(&p->lock);
    p->working -= threads;
    pthread_cond_broadcast(&p->change);
    pthread_mutex_unlock(&p->lock);
}

static void help(cp_parallel_idle *p) {
    become_idle(p, 1);
    pthread_mutex_lock(&p->lock);
    while (p->working > 0) {
        loop *lp = loop_with_jobs(p);
        if (!lp) {
            pthread_cond_wait(&p->change, &p->lock);
            continue;
        }
        lp->helpers++;
        pthread_mutex_unlock(&p->lock);
        work(lp, 0);
        pthread_mutex_lock(&p->lock);
        lp->helpers--;
        pthread_cond_broadcast(&p->change);
    }
    pthread_mutex_unlock(&p->lock);
}

copse_status cp_parallel_idle_new(cp_parallel_idle **out, copse_error *err) {
    CP_TRY(CP_NEW(*out, 1, err));
    pthread_mutex_init(&(*out)->lock, NULL);
    pthread_cond_init(&(*out)->change, NULL);
    return COPSE_OK;
}

void cp_parallel_idle_free(cp_parallel_idle *p) {
    if (!p) return;
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->change);
    cp_mem_free(p);
}

static void open_loop(cp_parallel_idle *p, loop *lp) {
    pthread_mutex_lock(&p->lock);
    lp->next_open = p->open;
    p->open = lp;
    pthread_cond_broadcast(&p->change);
    pthread_mutex_unlock(&p->lock);
}

static void shut_loop(cp_parallel_idle *p, loop *lp) {
    pthread_mutex_lock(&p->lock);
    loop **at = &p->open;
    while (*at != lp) at = &(*at)->next_open;
    *at = lp->next_open;
    while (lp->helpers > 0) pthread_cond_wait(&p->change, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* ------------------------------------------------------------------------------------------------------------ loops */

static void work_and_help(loop *lp, size_t id) {
    work(lp, id);
    if (lp->idle) help(lp->idle);
}

static void *thread_main(void *arg) {
    worker *w = arg;
    work_and_help(w->lp, w->id);
    return NULL;
}

static void start_loop(loop *lp, const copse_run *run, size_t n, cp_parallel_job job, void *arg) {
    *lp = (loop){.run = run, .job = job, .arg = arg, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&lp->next, 0);
    atomic_init(&lp->done, 0);
    atomic_init(&lp->bad, n);
}

static copse_status end_loop(loop *lp, copse_error *err) {
    pthread_mutex_destroy(&lp->lock);
    if (atomic_load(&lp->bad) == lp->n) return COPSE_OK;
    if (err) *err = lp->err;
    return lp->err.code;
}

/* A thread that the system refuses is no error: the others do its jobs.  Returns the number of threads, including the
 * calling one. */
static size_t start_threads(loop *lp, worker *w, size_t workers) {
    size_t started = 1;
    for (; started < workers; started++) {
        w[started] = (worker){.lp = lp, .id = started};
        if (pthread_create(&w[started].thread, NULL, thread_main, &w[started])) break;
    }
    return started;
}

copse_status cp_parallel_outer_for(const copse_run *run, const cp_parallel_outer *l, copse_error *err) {
    worker *w = NULL;
    if (l->workers > 1) CP_TRY(CP_NEW(w, l->workers, err));
    loop lp;
    start_loop(&lp, run, l->n, l->job, l->arg);
    lp.what = l->what;
    lp.idle = l->idle;
    if (lp.idle) lp.idle->working = l->workers;
    size_t started = start_threads(&lp, w, l->workers);
    if (lp.idle) become_idle(lp.idle, l->workers - started);
    work_and_help(&lp, 0);
    for (size_t i = 1; i < started; i++) pthread_join(w[i].thread, NULL);
    cp_mem_free(w);
    return end_loop(&lp, err);
}

copse_status cp_parallel_for(const copse_run *run, size_t workers, size_t n, const char *what, cp_parallel_job job,
                             void *arg, copse_error *err) {
    cp_parallel_outer l = {.workers = workers, .n = n, .what = what, .job = job, .arg = arg};
    return cp_parallel_outer_for(run, &l, err);
}

copse_status cp_parallel_inner_for(cp_parallel_idle *p, const copse_run *run, size_t n, cp_parallel_job job, void *arg,
                                   copse_error *err) {
    loop lp;
    start_loop(&lp, run, n, job, arg);
    open_loop(p, &lp);
    work(&lp, 0);
    shut_loop(p, &lp);
    return end_loop(&lp, err);
}
