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

/* ---------------------------------------------------------------------------------------------------------- leading */

typedef struct march {
    const cp_replicas *c;
    const cp_replicas_plan *leg;
    size_t workers, threads; /* at once; of all of them together */
    const copse_run *run;
} march;

/* While `workers` runs are under way at once, and this one is the i-th. */
static void report(const march *m, size_t i) {
    size_t n = m->c->n, at_once = m->workers < n - i ? m->workers : n - i;
    double each = (double)m->leg->each, done = (double)i * each;
    done += (double)at_once * (double)m->c->kind->done(m->c->member[i]);
    cp_log_progress(m->run, m->leg->what, done, (double)n * each);
}

/* A run's own threads: as many as any other has, and one more if some are left over for the first. */
static size_t threads_of(const march *m, size_t worker) {
    size_t own = m->threads / m->workers + (worker < m->threads % m->workers);
    return own ? own : 1;
}

/* Worker 0 is the caller's thread, which alone may report; it does so between pieces of its work. */
static copse_status advance_member(void *arg, size_t i, size_t worker, copse_error *err) {
    const march *m = arg;
    void *member = m->c->member[i];
    copse_run silent = {.threads = (int)threads_of(m, worker), .stop = m->run ? m->run->stop : NULL};
    if (worker > 0 || m->leg->amount) return m->c->kind->advance(member, m->leg->amount, &silent, err);
    while (m->c->kind->done(member) < m->leg->each) {
        CP_TRY(m->c->kind->advance(member, m->leg->piece, &silent, err));
        report(m, i);
    }
    return COPSE_OK;
}

copse_status cp_replicas_advance(cp_replicas *c, const cp_replicas_plan *leg, const copse_run *run, int *out_done,
                                 copse_error *err) {
    size_t n = c->n, done = 0, all = n * leg->each;
    march m = {.c = c, .leg = leg, .workers = cp_parallel_workers(run, n), .run = run};
    m.threads = cp_parallel_workers(run, cp_parallel_workers(NULL, SIZE_MAX));
    CP_TRY(cp_parallel_for(run, m.workers, n, NULL, advance_member, &m, err));
    for (size_t i = 0; i < n; i++) done += c->kind->done(c->member[i]);
    cp_log_progress(run, leg->what, (double)done, (double)all);
    *out_done = done >= all;
    return COPSE_OK;
}
