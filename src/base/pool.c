/* Threads live for one loop: a loop here is milliseconds to hours of work and a thread costs 20 microseconds, so there
 * is nothing to keep warm, nothing to restart after a fork, and no state between calls. */
#define _GNU_SOURCE /* sched_getaffinity: the cores this process may use, not those the machine has */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/log.h"
#include "base/mem.h"

typedef struct loop {
    const copse_run *run;
    const char *what;
    cp_job job;
    void *arg;
    size_t n;
    atomic_size_t next, done;
    atomic_size_t bad; /* lowest index that failed so far, n if none */
    pthread_mutex_t lock;
    copse_error err; /* of `bad`; under lock */
} loop;

typedef struct worker {
    loop *lp;
    size_t id;
    pthread_t thread;
} worker;

size_t cp_pool_workers(const copse_run *run, size_t n) {
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

static void work(loop *lp, size_t id) {
    for (;;) {
        size_t i = atomic_fetch_add(&lp->next, 1);
        if (i >= lp->n || i > atomic_load(&lp->bad)) return;
        copse_error err = {0};
        copse_status status = cp_fail_if_stopped(lp->run ? lp->run->stop : NULL, &err);
        if (!status) err.code = lp->job(lp->arg, i, id, &err);
        if (err.code) note_failure(lp, i, &err);
        size_t done = atomic_fetch_add(&lp->done, 1) + 1;
        if (id == 0 && lp->what) cp_log_progress(lp->run, lp->what, (double)done, (double)lp->n);
    }
}

static void *thread_main(void *arg) {
    worker *w = arg;
    work(w->lp, w->id);
    return NULL;
}

copse_status cp_pool_for(const copse_run *run, size_t workers, size_t n, const char *what, cp_job job, void *arg,
                         copse_error *err) {
    loop lp = {.run = run, .what = what, .job = job, .arg = arg, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&lp.next, 0);
    atomic_init(&lp.done, 0);
    atomic_init(&lp.bad, n);
    worker *w = NULL;
    size_t started = 1;
    if (workers > 1) CP_TRY(CP_NEW(w, workers, err));
    /* A thread the system refuses is not an error: the others do its share. */
    for (; started < workers; started++) {
        w[started] = (worker){.lp = &lp, .id = started};
        if (pthread_create(&w[started].thread, NULL, thread_main, &w[started])) break;
    }
    work(&lp, 0);
    for (size_t i = 1; i < started; i++) pthread_join(w[i].thread, NULL);
    cp_mem_free(w);
    pthread_mutex_destroy(&lp.lock);
    if (atomic_load(&lp.bad) == n) return COPSE_OK;
    if (err) *err = lp.err;
    return lp.err.code;
}
