/* btree_chains - bcart: chains in parallel, each draw of each chain with equal weight. */
#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "btree/btree_crew.h"

typedef struct sampling {
    cp_btree_crew crew;
    cp_btree_mcmc_options opt;
} sampling;

static size_t iterations_of(const sampling *s) {
    return s->opt.burn_in + s->opt.samples * s->opt.thin;
}

/* ------------------------------------------------------------------------------------------------------------- options */

static copse_status set_options(cp_btree_crew *c, const cp_rows *rows, const copse_params *p, copse_error *err) {
    static const char *const names[CP_BTREE_MOVES] = {
        [CP_BTREE_GROW] = "grow", [CP_BTREE_PRUNE] = "prune", [CP_BTREE_CHANGE] = "change", [CP_BTREE_SWAP] = "swap"};
    cp_btree_mcmc_options *opt = &((sampling *)c)->opt;
    (void)rows;
    (void)err;
    c->n = (size_t)cp_param_int(p, "chains");
    *opt = (cp_btree_mcmc_options){
        .burn_in = (size_t)cp_param_int(p, "burn-in"),
        .samples = (size_t)cp_param_int(p, "samples"),
        .thin = (size_t)cp_param_int(p, "thin"),
    };
    double sum = 0;
    for (size_t m = 0; m < CP_BTREE_MOVES; m++) sum += opt->move[m] = cp_param_real(p, names[m]);
    for (size_t m = 0; m < CP_BTREE_MOVES; m++) opt->move[m] /= sum;
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------------- chains */

static const sampling *sampling_of(const cp_btree_crew *c) {
    return (const sampling *)c;
}

static copse_status make_chain(const cp_btree_crew *c, size_t i, void **out, copse_error *err) {
    cp_btree_chain *chain;
    copse_status status = cp_btree_mcmc_new(&c->problem, &sampling_of(c)->opt, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static void free_chain(void *member) {
    cp_btree_mcmc_free(member);
}

static copse_status finish_chain(void *member, size_t i, cp_grove *grove, cp_btree *b, copse_error *err) {
    cp_btree_trace *t = &b->trace[i];
    CP_TRY(cp_btree_mcmc_finish(member, 1, grove, t, err));
    for (size_t k = 0; k < t->samples; k++) t->log_post[k] = cp_btree_own_units(b, t->log_post[k]);
    return COPSE_OK;
}

static copse_status write_chain(void *member, cp_writer *w, copse_error *err) {
    return cp_btree_mcmc_write(member, w, err);
}

static copse_status read_chain(cp_reader *r, const cp_btree_crew *c, size_t i, void **out, copse_error *err) {
    cp_btree_chain *chain;
    copse_status status = cp_btree_mcmc_read(r, &c->problem, &sampling_of(c)->opt, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static copse_status make_record(const cp_btree_crew *c, cp_btree *b, copse_error *err) {
    CP_TRY(CP_NEW(b->trace, c->n, err));
    b->chains = c->n;
    return COPSE_OK;
}

static const cp_btree_member chain_kind = {
    .name = "chain",
    .job_size = sizeof(sampling),
    .set_options = set_options,
    .make = make_chain,
    .read = read_chain,
    .write = write_chain,
    .free = free_chain,
    .make_record = make_record,
    .finish = finish_chain,
};

/* ------------------------------------------------------------------------------------------------------------ sampling */

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    return cp_btree_crew_start(&chain_kind, &(cp_btree_start){rows, p, run, NULL}, out_job, err);
}

static copse_status resume(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           void **out_job, copse_error *err) {
    return cp_btree_crew_start(&chain_kind, &(cp_btree_start){rows, p, run, r}, out_job, err);
}

typedef struct leg {
    sampling *s;
    size_t iterations, workers;
    const copse_run *run;
} leg;

enum { PIECE = 1000 };

/* While `workers` chains are under way at once, and this one is the i-th. */
static void report(const leg *r, size_t i) {
    size_t n = r->s->crew.n, at_once = r->workers < n - i ? r->workers : n - i;
    double moves = (double)iterations_of(r->s), done = (double)i * moves;
    done += (double)at_once * (double)cp_btree_mcmc_done(r->s->crew.member[i]);
    cp_log_progress(r->run, "moves", done, (double)n * moves);
}

/* Worker 0 is the caller's thread, which alone may report; it does so between pieces of its work. */
static copse_status advance_chain(void *arg, size_t i, size_t worker, copse_error *err) {
    const leg *r = arg;
    cp_btree_chain *c = r->s->crew.member[i];
    copse_run silent = {.stop = r->run ? r->run->stop : NULL};
    if (worker > 0 || r->iterations) return cp_btree_mcmc_run(c, r->iterations, &silent, err);
    while (cp_btree_mcmc_done(c) < iterations_of(r->s)) {
        CP_TRY(cp_btree_mcmc_run(c, PIECE, &silent, err));
        report(r, i);
    }
    return COPSE_OK;
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    size_t n = ((const cp_btree_crew *)job)->n;
    leg r = {.s = job, .iterations = amount, .workers = cp_pool_workers(run, n), .run = run};
    CP_TRY(cp_pool_for(run, r.workers, n, NULL, advance_chain, &r, err));
    size_t done = 0, all = n * iterations_of(r.s);
    for (size_t i = 0; i < n; i++) done += cp_btree_mcmc_done(r.s->crew.member[i]);
    cp_log_progress(run, "moves", (double)done, (double)all);
    *out_done = done >= all;
    return COPSE_OK;
}

const cp_sampler cp_btree_bcart_sampler = {
    .begin = begin,
    .advance = advance,
    .finish = cp_btree_crew_finish,
    .clear = cp_btree_crew_free,
    .write = cp_btree_crew_write,
    .read = resume,
    .grows = "samples",
};
