/* replicas - makes, advances and saves independent runs of a sampler. */
#include "method/replicas.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"

/* --------------------------------------------------------------------------------------------------------- starting */

static copse_status read_members(cp_replicas *c, const void *job, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    for (size_t i = 0; !status && i < c->n; i++) {
        CP_TRY(cp_reader_push_nth(r, c->kind->name, i, err));
        status = c->kind->read(r, job, i, &c->member[i], err);
        cp_reader_pop(r);
    }
    return status;
}

static copse_status make_members(cp_replicas *c, const void *job, copse_error *err) {
    for (size_t i = 0; i < c->n; i++) CP_TRY(c->kind->make(job, i, &c->member[i], err));
    return COPSE_OK;
}

copse_status cp_replicas_init(cp_replicas *c, const cp_replicas_kind *kind, size_t n, const void *job,
                              cp_reader *opt_reader, copse_error *err) {
    *c = (cp_replicas){.kind = kind, .n = n};
    copse_status status = CP_NEW(c->member, n, err);
    if (!status) status = opt_reader ? read_members(c, job, opt_reader, err) : make_members(c, job, err);
    if (status) cp_replicas_clear(c);
    return status;
}

void cp_replicas_clear(cp_replicas *c) {
    for (size_t i = 0; c->member && i < c->n; i++) c->kind->free(c->member[i]);
    cp_mem_free(c->member);
    *c = (cp_replicas){0};
}

copse_status cp_replicas_write(const cp_replicas *c, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    for (size_t i = 0; !status && i < c->n; i++) {
        CP_TRY(cp_writer_push_nth(w, c->kind->name, i, err));
        status = c->kind->write(c->member[i], w, err);
        cp_writer_pop(w);
    }
    return status;
}

/* -------------------------------------------------------------------------------------------------------- advancing */

typedef struct advance_job {
    const cp_replicas *c;
    const cp_replicas_plan *plan;
    size_t workers; /* replicas that advance at the same time */
    size_t threads; /* of all workers together */
    const copse_run *run;
} advance_job;

/* Reports progress from replica i; the other workers are taken to be as far as it is. */
static void report(const advance_job *m, size_t i) {
    size_t n = m->c->n, at_once = m->workers < n - i ? m->workers : n - i;
    double each = (double)m->plan->each, done = (double)i * each;
    done += (double)at_once * (double)m->c->kind->done(m->c->member[i]);
    cp_log_progress(m->run, m->plan->what, done, (double)n * each);
}

/* The threads of a worker: an equal part, and one more for the first workers if the division leaves a rest. */
static size_t threads_of(const advance_job *m, size_t worker) {
    size_t own = m->threads / m->workers + (worker < m->threads % m->workers);
    return own ? own : 1;
}

/* Worker 0 is the caller's thread.  It alone may report progress, and does so between pieces of its work. */
static copse_status advance_member(void *arg, size_t i, size_t worker, copse_error *err) {
    const advance_job *m = arg;
    void *member = m->c->member[i];
    copse_run silent = {.threads = (int)threads_of(m, worker), .stop = m->run ? m->run->stop : NULL};
    if (worker > 0 || m->plan->amount) return m->c->kind->advance(member, m->plan->amount, &silent, err);
    while (m->c->kind->done(member) < m->plan->each) {
        CP_TRY(m->c->kind->advance(member, m->plan->piece, &silent, err));
        report(m, i);
    }
    return COPSE_OK;
}

copse_status cp_replicas_advance(cp_replicas *c, const cp_replicas_plan *plan, const copse_run *run, int *out_done,
                                 copse_error *err) {
    size_t n = c->n, done = 0, all = n * plan->each;
    advance_job m = {.c = c, .plan = plan, .workers = cp_parallel_workers(run, n), .run = run};
    m.threads = cp_parallel_workers(run, cp_parallel_workers(NULL, SIZE_MAX));
    CP_TRY(cp_parallel_for(run, m.workers, n, NULL, advance_member, &m, err));
    for (size_t i = 0; i < n; i++) done += c->kind->done(c->member[i]);
    cp_log_progress(run, plan->what, (double)done, (double)all);
    *out_done = done >= all;
    return COPSE_OK;
}
