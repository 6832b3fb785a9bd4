/* thread_team - short passes over items, with work stealing.
 *
 * Each pass has a number.  Each member has a queue of items, from which it takes chunks; a member whose queue is empty
 * takes chunks of the others.  A queue is one word, the number of the pass and how many items are left, so a chunk is
 * taken by one compare-and-swap.  The swap fails for a member that comes late and still has the number of an earlier
 * pass.  If it succeeds the pass is not over, so what the member read of the pass before (job, arg, n) belongs to
 * it. */
#include "base/thread_team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/parallel.h"

enum {
    LINE = 64,   /* bytes of a cache line, which processors exchange as a whole */
    CHUNKS = 4,  /* of a queue: a member that is held up leaves most of its items to others */
    SPINS = 2000 /* checks before a thread sleeps: some 40 microseconds, longer than the leader needs between passes */
};

typedef struct queue {
    _Atomic uint64_t left; /* pass << 32 | items */
    char padding[LINE - sizeof(uint64_t)];
} queue;

typedef struct member {
    cp_thread_team *team;
    size_t id; /* the leader is 0 */
    pthread_t thread;
} member;

struct cp_thread_team {
    size_t members;
    unsigned spins;
    double alone_until; /* until this time the leader does all passes alone; 0: it does not */
    queue *queue;
    member *member;
    /* The current pass.  The leader writes these between passes, `pass` last. */
    _Atomic(cp_thread_team_job) job;
    _Atomic(void *) arg;
    _Atomic size_t n;
    _Atomic int over; /* there will be no more passes */
    _Atomic uint32_t pass;
    char padding[LINE];
    _Atomic int failed; /* a job met a fault of the library, `fault` */
    char fault[256];
    _Atomic size_t done; /* items of the pass */
    _Atomic size_t asleep;
    _Atomic int leader_sleeps;
    pthread_mutex_t lock;
    pthread_cond_t called, finished;
};

static void relax(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

/* ----------------------------------------------------------------------------------------------------------- a pass */

static size_t first_of(const cp_thread_team *t, size_t id, size_t n) {
    return n / t->members * id + (id < n % t->members ? id : n % t->members);
}

/* Keeps the first fault: the leader raises it again when all members are through with the pass. */
static void do_chunk(cp_thread_team *t, cp_thread_team_job job, void *arg, size_t from, size_t to) {
    __attribute__((cleanup(cp_guard_leave))) cp_guard guard;
    cp_guard_enter(&guard);
    if (!setjmp(guard.at))
        job(arg, from, to);
    else if (!atomic_exchange(&t->failed, 1))
        memcpy(t->fault, guard.text, sizeof t->fault);
}

/* Takes a chunk off the end of the queue of member `id` and does it.  Returns the number of items, 0 if none are
 * left. */
static size_t take(cp_thread_team *t, size_t id, uint32_t pass) {
    cp_thread_team_job job = atomic_load_explicit(&t->job, memory_order_relaxed);
    void *arg = atomic_load_explicit(&t->arg, memory_order_relaxed);
    size_t n = atomic_load_explicit(&t->n, memory_order_relaxed), chunk = n / (t->members * CHUNKS) + 1, some, rest;
    uint64_t left = atomic_load_explicit(&t->queue[id].left, memory_order_relaxed);
    do {
        rest = (size_t)(left & UINT32_MAX);
        if ((uint32_t)(left >> 32) != pass || !rest) return 0;
        some = rest < chunk ? rest : chunk;
    } while (!atomic_compare_exchange_weak(&t->queue[id].left, &left, left - some));
    size_t to = first_of(t, id, n) + rest;
    do_chunk(t, job, arg, to - some, to);
    return some;
}

/* Empties the member's own queue, then those of the others. */
static void work(cp_thread_team *t, size_t id, uint32_t pass) {
    size_t sum = 0;
    for (size_t k = 0, some; k < t->members; k++)
        while ((some = take(t, (id + k) % t->members, pass))) sum += some;
    if (!sum) return;
    /* The pass cannot end before these items are counted, so n is still its own. */
    size_t n = atomic_load_explicit(&t->n, memory_order_relaxed);
    if (atomic_fetch_add(&t->done, sum) + sum < n || !atomic_load(&t->leader_sleeps)) return;
    pthread_mutex_lock(&t->lock);
    pthread_mutex_unlock(&t->lock);
    pthread_cond_signal(&t->finished);
}

static void call(cp_thread_team *t, size_t n, cp_thread_team_job job, void *arg) {
    uint32_t pass = atomic_load_explicit(&t->pass, memory_order_relaxed) + 1;
    atomic_store_explicit(&t->job, job, memory_order_relaxed);
    atomic_store_explicit(&t->arg, arg, memory_order_relaxed);
    atomic_store_explicit(&t->n, n, memory_order_relaxed);
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    for (size_t id = 0; id < t->members; id++)
        atomic_store_explicit(&t->queue[id].left, (uint64_t)pass << 32 | (first_of(t, id + 1, n) - first_of(t, id, n)),
                              memory_order_release);
    atomic_store(&t->pass, pass);
    if (!atomic_load(&t->asleep)) return;
    pthread_mutex_lock(&t->lock);
    pthread_mutex_unlock(&t->lock);
    pthread_cond_broadcast(&t->called);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A leader must sleep when the system has given the core of a member to another program in the middle of a chunk, which
 * lasts as long as many passes.  The leader then works alone for ten times as long, so that it waits at most a tenth of
 * the time. */
static void sleep_till_end(cp_thread_team *t, size_t n) {
    double start = now();
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->leader_sleeps, 1);
    while (atomic_load(&t->done) < n) pthread_cond_wait(&t->finished, &t->lock);
    atomic_store(&t->leader_sleeps, 0);
    pthread_mutex_unlock(&t->lock);
    double end = now();
    t->alone_until = end + 10 * (end - start);
}

static void await_end(cp_thread_team *t, size_t n) {
    for (unsigned i = 0; i < t->spins; i++, relax())
        if (atomic_load_explicit(&t->done, memory_order_acquire) == n) return;
    sleep_till_end(t, n);
}

static int is_alone(cp_thread_team *t) {
    if (t->members == 1) return 1;
    if (t->alone_until > 0 && now() >= t->alone_until) t->alone_until = 0;
    return t->alone_until > 0;
}

void cp_thread_team_pass(cp_thread_team *opt_team, size_t n, cp_thread_team_job job, void *arg) {
    if (!opt_team || n < 2 || is_alone(opt_team)) {
        if (n) job(arg, 0, n);
        return;
    }
    call(opt_team, n, job, arg);
    work(opt_team, 0, atomic_load_explicit(&opt_team->pass, memory_order_relaxed));
    await_end(opt_team, n);
    if (atomic_exchange(&opt_team->failed, 0)) cp_guard_raise(opt_team->fault);
}

/* ---------------------------------------------------------------------------------------------------------- members */

/* Waits for the next pass, and returns its number. */
static uint32_t await_call(cp_thread_team *t, uint32_t seen) {
    uint32_t pass;
    for (unsigned i = 0; i < t->spins; i++, relax())
        if ((pass = atomic_load_explicit(&t->pass, memory_order_acquire)) != seen) return pass;
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1);
    while ((pass = atomic_load(&t->pass)) == seen) pthread_cond_wait(&t->called, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
    return pass;
}

static void *member_main(void *arg) {
    const member *m = arg;
    uint32_t pass = 0;
    for (;;) {
        pass = await_call(m->team, pass);
        if (atomic_load_explicit(&m->team->over, memory_order_relaxed)) return NULL;
        work(m->team, m->id, pass);
    }
}

/* With more threads than cores, a thread that spins takes the core of one that has work: then all sleep at once. */
static unsigned spins_of(size_t members) {
    return members <= cp_parallel_workers(NULL, SIZE_MAX) ? SPINS : 0;
}

static copse_status start(cp_thread_team *t, size_t members, copse_error *err) {
    CP_TRY(CP_NEW(t->queue, members, err));
    CP_TRY(CP_NEW(t->member, members, err));
    t->spins = spins_of(members);
    for (t->members = 1; t->members < members; t->members++) {
        member *m = &t->member[t->members];
        *m = (member){.team = t, .id = t->members};
        if (pthread_create(&m->thread, NULL, member_main, m)) break;
    }
    return COPSE_OK;
}

copse_status cp_thread_team_new(size_t members, cp_thread_team **out, copse_error *err) {
    cp_thread_team *t;
    *out = NULL;
    CP_TRY(CP_NEW(t, 1, err));
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->called, NULL);
    pthread_cond_init(&t->finished, NULL);
    copse_status status = start(t, members, err);
    if (status)
        cp_thread_team_free(t);
    else
        *out = t;
    return status;
}

void cp_thread_team_free(cp_thread_team *t) {
    if (!t) return;
    atomic_store_explicit(&t->over, 1, memory_order_relaxed);
    if (t->members > 1) call(t, 0, NULL, NULL);
    for (size_t id = 1; id < t->members; id++) pthread_join(t->member[id].thread, NULL);
    pthread_cond_destroy(&t->finished);
    pthread_cond_destroy(&t->called);
    pthread_mutex_destroy(&t->lock);
    cp_mem_free(t->queue);
    cp_mem_free(t->member);
    cp_mem_free(t);
}
