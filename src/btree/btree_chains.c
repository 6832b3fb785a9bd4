/* btree_chains - bcart: chains in parallel, each draw of each chain with equal weight. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "btree/btree_model.h"

typedef struct sampling {
    cp_btree_problem problem;
    cp_btree_hyper hyper;
    cp_btree_mcmc_options opt;
    size_t chains;
    cp_btree_chain **chain;
} sampling;

static void clear(void *job) {
    sampling *s = job;
    if (!s) return;
    for (size_t i = 0; s->chain && i < s->chains; i++) cp_btree_mcmc_free(s->chain[i]);
    cp_mem_free(s->chain);
    cp_btree_problem_clear(&s->problem);
    cp_mem_free(s);
}

static size_t iterations_of(const sampling *s) {
    return s->opt.burn_in + s->opt.samples * s->opt.thin;
}

/* ------------------------------------------------------------------------------------------------------------- options */

static cp_btree_mcmc_options options_of(const copse_params *p) {
    static const char *const names[CP_BTREE_MOVES] = {
        [CP_BTREE_GROW] = "grow", [CP_BTREE_PRUNE] = "prune", [CP_BTREE_CHANGE] = "change", [CP_BTREE_SWAP] = "swap"};
    cp_btree_mcmc_options opt = {
        .burn_in = (size_t)cp_param_int(p, "burn-in"),
        .samples = (size_t)cp_param_int(p, "samples"),
        .thin = (size_t)cp_param_int(p, "thin"),
    };
    double sum = 0;
    for (size_t m = 0; m < CP_BTREE_MOVES; m++) sum += opt.move[m] = cp_param_real(p, names[m]);
    for (size_t m = 0; m < CP_BTREE_MOVES; m++) opt.move[m] /= sum;
    return opt;
}

/* ------------------------------------------------------------------------------------------------------------ sampling */

/* All but the chains themselves. */
static copse_status prepare(const cp_rows *rows, const copse_params *p, const cp_btree_hyper *hyper,
                            const copse_run *run, sampling **out, copse_error *err) {
    sampling *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    s->hyper = *hyper;
    s->opt = options_of(p);
    s->chains = (size_t)cp_param_int(p, "chains");
    copse_status status =
        cp_btree_problem_init(&s->problem, rows, &s->hyper, (uint64_t)cp_param_int(p, "seed"), run, err);
    if (!status) status = CP_NEW(s->chain, s->chains, err);
    if (status)
        clear(s);
    else
        *out = s;
    return status;
}

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    sampling *s;
    cp_btree_hyper hyper = cp_btree_hyper_of(p);
    copse_status status = prepare(rows, p, &hyper, run, &s, err);
    for (size_t i = 0; !status && i < s->chains; i++)
        status = cp_btree_mcmc_new(&s->problem, &s->opt, i, &s->chain[i], err);
    if (status) {
        clear(s);
        s = NULL;
    }
    *out_job = s;
    return status;
}

typedef struct leg {
    sampling *s;
    size_t iterations, workers;
    const copse_run *run;
} leg;

enum { PIECE = 1000 };

/* While `workers` chains are under way at once, and this one is the i-th. */
static void report(const leg *r, size_t i) {
    size_t n = r->s->chains, at_once = r->workers < n - i ? r->workers : n - i;
    double moves = (double)iterations_of(r->s), done = (double)i * moves;
    done += (double)at_once * (double)cp_btree_mcmc_done(r->s->chain[i]);
    cp_log_progress(r->run, "moves", done, (double)n * moves);
}

/* Worker 0 is the caller's thread, which alone may report; it does so between pieces of its work. */
static copse_status advance_chain(void *arg, size_t i, size_t worker, copse_error *err) {
    const leg *r = arg;
    cp_btree_chain *c = r->s->chain[i];
    copse_run silent = {.stop = r->run ? r->run->stop : NULL};
    if (worker > 0 || r->iterations) return cp_btree_mcmc_run(c, r->iterations, &silent, err);
    while (cp_btree_mcmc_done(c) < iterations_of(r->s)) {
        CP_TRY(cp_btree_mcmc_run(c, PIECE, &silent, err));
        report(r, i);
    }
    return COPSE_OK;
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    size_t n = ((const sampling *)job)->chains;
    leg r = {.s = job, .iterations = amount, .workers = cp_pool_workers(run, n), .run = run};
    CP_TRY(cp_pool_for(run, r.workers, n, NULL, advance_chain, &r, err));
    size_t done = 0, all = n * iterations_of(r.s);
    for (size_t i = 0; i < n; i++) done += cp_btree_mcmc_done(r.s->chain[i]);
    cp_log_progress(run, "moves", (double)done, (double)all);
    *out_done = done >= all;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- gathering */

typedef struct harvest {
    sampling *s;
    cp_btree *b;
    cp_grove *grove; /* of each chain */
} harvest;

static copse_status finish_chain(void *arg, size_t i, size_t worker, copse_error *err) {
    const harvest *h = arg;
    cp_btree_trace *t = &h->b->trace[i];
    (void)worker;
    CP_TRY(cp_grove_init(&h->grove[i], h->b->grove.dims, h->b->grove.width, err));
    CP_TRY(cp_btree_mcmc_finish(h->s->chain[i], 1, &h->grove[i], t, err));
    for (size_t k = 0; k < t->samples; k++) t->log_post[k] = cp_btree_own_units(h->b, t->log_post[k]);
    return COPSE_OK;
}

static copse_status join_chains(harvest *h, copse_error *err) {
    for (size_t i = 0; i < h->s->chains; i++) {
        CP_TRY(cp_grove_merge(&h->b->grove, &h->grove[i], 1, err));
        cp_grove_clear(&h->grove[i]);
    }
    return cp_btree_settle(h->b, err);
}

static copse_status finish(void *job, const copse_run *run, void **out_state, copse_error *err) {
    harvest h = {.s = job};
    size_t n = h.s->chains;
    copse_status status = COPSE_OK;
    *out_state = NULL;
    CP_TRY_OUT(cp_btree_new(&h.s->problem, &h.s->hyper, &h.b, err));
    CP_TRY_OUT(CP_NEW(h.b->trace, n, err));
    h.b->chains = n;
    CP_TRY_OUT(CP_NEW(h.grove, n, err));
    CP_TRY_OUT(cp_pool_for(run, cp_pool_workers(run, n), n, NULL, finish_chain, &h, err));
    CP_TRY_OUT(join_chains(&h, err));
out:
    for (size_t i = 0; h.grove && i < n; i++) cp_grove_clear(&h.grove[i]);
    cp_mem_free(h.grove);
    if (status)
        cp_btree_free(h.b);
    else
        *out_state = h.b;
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- checkpoints */

static copse_status write_job(void *job, cp_writer *w, copse_error *err) {
    sampling *s = job;
    copse_status status = cp_btree_hyper_write(&s->hyper, w, err);
    for (size_t i = 0; !status && i < s->chains; i++) {
        char name[40];
        snprintf(name, sizeof name, "chain.%zu", i);
        CP_TRY(cp_writer_push(w, name, err));
        status = cp_btree_mcmc_write(s->chain[i], w, err);
        cp_writer_pop(w);
    }
    return status;
}

static copse_status read_job(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run,
                             void **out_job, copse_error *err) {
    sampling *s;
    cp_btree_hyper hyper;
    copse_status status = COPSE_OK;
    *out_job = NULL;
    CP_TRY(cp_btree_hyper_read(r, &hyper, err));
    CP_TRY(prepare(rows, p, &hyper, run, &s, err));
    for (size_t i = 0; !status && i < s->chains; i++) {
        char name[40];
        snprintf(name, sizeof name, "chain.%zu", i);
        CP_TRY_OUT(cp_reader_push(r, name, err));
        status = cp_btree_mcmc_read(r, &s->problem, &s->opt, i, &s->chain[i], err);
        cp_reader_pop(r);
    }
out:
    if (status)
        clear(s);
    else
        *out_job = s;
    return status;
}

const cp_sampler cp_btree_bcart_sampler = {
    .begin = begin,
    .advance = advance,
    .finish = finish,
    .clear = clear,
    .write = write_job,
    .read = read_job,
    .grows = "samples",
};
