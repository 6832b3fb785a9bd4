#include "base/supervise.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/guard.h"

enum {
    INTERVAL = 40, /* milliseconds between two polls */
    SELDOM = 20    /* milliseconds between two reports of progress, each of which waits for the calling thread */
};

typedef enum request { NONE, LOG, PROGRESS, CALL } request;

typedef struct supervisor {
    const copse_run *run; /* the caller's */
    cp_supervise_work work;
    void *arg;
    copse_flag stop;
    pthread_mutex_t lock;
    pthread_cond_t change; /* of the members below */
    int done;
    copse_status status;
    copse_error err;
    /* What the worker asks the calling thread to call; it waits meanwhile. */
    request request;
    copse_log_level level;
    const char *text;
    double part, total;
    void (*call)(void *arg);
    void *call_arg;
    long long reported; /* the worker's own */
} supervisor;

static long long milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static copse_status guarded(cp_supervise_work work, void *arg, const copse_run *run, copse_error *err) {
    CP_GUARD(err);
    return work(arg, run, err);
}

/* That of the work of this thread. */
static _Thread_local const copse_flag *stop_flag;

/* Work may be begun from a callback of other work. */
static copse_status stoppable(cp_supervise_work work, void *arg, const copse_run *run, copse_error *err) {
    const copse_flag *outer = stop_flag;
    stop_flag = run ? run->stop : NULL;
    copse_status status = guarded(work, arg, run, err);
    stop_flag = outer;
    return status;
}

copse_status cp_supervise_check_stop(copse_error *err) {
    return cp_fail_if_stopped(stop_flag, err);
}

int cp_supervise_may_stop(void) {
    return stop_flag != NULL;
}

/* ------------------------------------------------------------------------------------------------------- the worker */

/* Under the lock: waits until the calling thread has made the call. */
static void ask(supervisor *s, request what) {
    s->request = what;
    pthread_cond_broadcast(&s->change);
    while (s->request != NONE) pthread_cond_wait(&s->change, &s->lock);
}

static void pass_log(void *arg, copse_log_level level, const char *text) {
    supervisor *s = arg;
    pthread_mutex_lock(&s->lock);
    s->level = level;
    s->text = text;
    ask(s, LOG);
    pthread_mutex_unlock(&s->lock);
}

static void pass_progress(void *arg, const char *what, double done, double total) {
    supervisor *s = arg;
    long long now = milliseconds();
    if (now - s->reported < SELDOM && !(total > 0 && done >= total)) return;
    s->reported = now;
    pthread_mutex_lock(&s->lock);
    s->text = what;
    s->part = done;
    s->total = total;
    ask(s, PROGRESS);
    pthread_mutex_unlock(&s->lock);
}

/* What the work of this thread is done for; NULL if the thread is the caller's own. */
static _Thread_local supervisor *current;

void cp_supervise_call(void (*call)(void *arg), void *arg) {
    supervisor *s = current;
    if (!s) {
        call(arg);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->call = call;
    s->call_arg = arg;
    ask(s, CALL);
    pthread_mutex_unlock(&s->lock);
}

/* A checkpoint on its way to the caller. */
typedef struct checkpoint {
    const copse_run *run;
    const char *bytes;
    size_t n;
    copse_status status;
} checkpoint;

static void hand_over(void *arg) {
    checkpoint *c = arg;
    c->status = c->run->checkpoint_write(c->run->arg, c->bytes, c->n);
}

static copse_status pass_checkpoint(void *arg, const char *bytes, size_t n) {
    supervisor *s = arg;
    checkpoint c = {.run = s->run, .bytes = bytes, .n = n};
    cp_supervise_call(hand_over, &c);
    return c.status;
}

static void *worker_main(void *arg) {
    supervisor *s = arg;
    current = s;
    copse_run run = *s->run;
    copse_error err = {0};
    run.log = run.log ? pass_log : NULL;
    run.progress = run.progress ? pass_progress : NULL;
    run.checkpoint_write = run.checkpoint_write ? pass_checkpoint : NULL;
    run.poll = NULL;
    run.arg = s;
    run.stop = &s->stop;
    copse_status status = stoppable(s->work, s->arg, &run, &err);
    pthread_mutex_lock(&s->lock);
    s->status = status;
    s->err = err;
    s->done = 1;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ----------------------------------------------------------------------------------------------- the calling thread */

/* Makes the call that the worker waits for. */
static void answer(supervisor *s) {
    if (s->request == LOG)
        s->run->log(s->run->arg, s->level, s->text);
    else if (s->request == CALL)
        s->call(s->call_arg);
    else
        s->run->progress(s->run->arg, s->text, s->part, s->total);
}

static void poll_once(supervisor *s) {
    const copse_flag *stop = s->run->stop;
    if (s->run->poll(s->run->arg) || (stop && atomic_load_explicit(stop, memory_order_relaxed)))
        atomic_store(&s->stop, 1);
}

static void wait_a_while(supervisor *s) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += INTERVAL * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&s->change, &s->lock, &until);
}

/* Callbacks are made without the lock: they may take their time, and the worker that asked waits for them. */
static void watch(supervisor *s) {
    long long polled = milliseconds();
    pthread_mutex_lock(&s->lock);
    while (!s->done) {
        if (s->request == NONE) wait_a_while(s);
        int due = milliseconds() - polled >= INTERVAL, asked = s->request != NONE;
        pthread_mutex_unlock(&s->lock);
        if (asked) answer(s);
        if (due) {
            poll_once(s);
            polled = milliseconds();
        }
        pthread_mutex_lock(&s->lock);
        if (asked) {
            s->request = NONE;
            pthread_cond_broadcast(&s->change);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

/* The worker takes no signals, so that handlers run on the threads of the host. */
static int start(supervisor *s, pthread_t *out) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int refused = pthread_create(out, NULL, worker_main, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !refused;
}

static void init(supervisor *s) {
    pthread_condattr_t monotonic;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

copse_status cp_supervise(const copse_run *run, cp_supervise_work work, void *arg, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    if (!run || !run->poll) return stoppable(work, arg, run, err);
    if (run->poll(run->arg)) return cp_fail(err, COPSE_E_STOPPED, "interrupted");
    supervisor s = {.run = run, .work = work, .arg = arg};
    pthread_t worker;
    init(&s);
    if (start(&s, &worker)) {
        watch(&s);
        pthread_join(worker, NULL);
        if (err && s.status) *err = s.err;
    } else { /* no thread is to be had: the work is done, though nobody polls */
        s.status = stoppable(work, arg, run, err);
    }
    pthread_cond_destroy(&s.change);
    pthread_mutex_destroy(&s.lock);
    return s.status;
}
