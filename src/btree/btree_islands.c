/* btree_islands - smc: islands of particles, in parallel, and what they agree on. */
#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "btree/btree_model.h"

typedef struct sampling {
    cp_btree_problem problem;
    cp_btree_hyper hyper;
    cp_btree_smc_options opt;
    int tuned;
    int by_evidence; /* islands count as their estimates of p(y | x) say */
    size_t islands;
    cp_btree_swarm **swarm;
} sampling;

static void clear(void *job) {
    sampling *s = job;
    if (!s) return;
    for (size_t i = 0; s->swarm && i < s->islands; i++) cp_btree_smc_free(s->swarm[i]);
    cp_mem_free(s->swarm);
    cp_btree_problem_clear(&s->problem);
    cp_mem_free(s);
}

/* ------------------------------------------------------------------------------------------------------------- options */

static size_t columns_of(const copse_params *p, size_t dims) {
    double k = cp_param_real(p, "columns");
    if (isnan(k)) k = ceil(sqrt((double)dims));
    return k < (double)dims ? (size_t)k : dims;
}

static copse_status set_options(sampling *s, const cp_rows *rows, const copse_params *p, copse_error *err) {
    size_t particles = (size_t)cp_param_int(p, "particles");
    s->islands = (size_t)cp_param_int(p, "islands");
    s->tuned = !cp_param_is(p, "tune", "none");
    s->by_evidence = cp_param_is(p, "island-weights", "evidence");
    s->opt = (cp_btree_smc_options){
        .proposal = (cp_btree_proposal)cp_param_int(p, "proposal"),
        .expansion = (cp_btree_expansion)cp_param_int(p, "expansion"),
        .resampling = (cp_resampling)cp_param_int(p, "resampling"),
        .ess_threshold = cp_param_real(p, "ess-threshold"),
        .particles = (particles + s->islands - 1) / s->islands,
        .max_stages = (size_t)cp_param_int(p, "max-stages"),
        .columns = columns_of(p, rows->dims),
    };
    if (s->islands > particles)
        return cp_fail(err, COPSE_E_USAGE,
                       "--islands %zu: %zu particle%s cannot be on so many; raise --particles, or lower --islands",
                       s->islands, particles, particles == 1 ? "" : "s");
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ sampling */

/* All but the islands themselves. */
static copse_status prepare(const cp_rows *rows, const copse_params *p, const cp_btree_hyper *hyper,
                            const copse_run *run, sampling **out, copse_error *err) {
    sampling *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    s->hyper = *hyper;
    copse_status status = set_options(s, rows, p, err);
    if (!status) status = cp_btree_problem_init(&s->problem, rows, hyper, (uint64_t)cp_param_int(p, "seed"), run, err);
    if (!status) status = CP_NEW(s->swarm, s->islands, err);
    if (status)
        clear(s);
    else
        *out = s;
    return status;
}

static copse_status tune(sampling *s, const copse_params *p, const copse_run *run, copse_error *err) {
    cp_btree_tuning t = {.problem = &s->problem, .opt = &s->opt, .islands = s->islands, .run = run, .hyper = &s->hyper};
    CP_TRY(cp_btree_tune_knobs(p, s->problem.rows->task, t.knob, err));
    return t.knob[0] || t.knob[1] || t.knob[2] ? cp_btree_tune(&t, err) : COPSE_OK;
}

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    sampling *s;
    cp_btree_hyper hyper = cp_btree_hyper_of(p);
    copse_status status = prepare(rows, p, &hyper, run, &s, err);
    if (!status) status = tune(s, p, run, err);
    for (size_t i = 0; !status && i < s->islands; i++)
        status = cp_btree_smc_new(&s->problem, &s->opt, i, &s->swarm[i], err);
    if (status) {
        clear(s);
        s = NULL;
    }
    *out_job = s;
    return status;
}

typedef struct leg {
    sampling *s;
    size_t stages;
    const copse_run *run;
} leg;

/* How far a tree is from being whole cannot be known, so that progress is islands that are done. */
static copse_status advance_island(void *arg, size_t i, size_t worker, copse_error *err) {
    const leg *r = arg;
    copse_run silent = {.stop = r->run ? r->run->stop : NULL};
    (void)worker;
    return cp_btree_smc_run(r->s->swarm[i], r->stages, &silent, err);
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    leg r = {.s = job, .stages = amount, .run = run};
    size_t n = r.s->islands, done = 0;
    CP_TRY(cp_pool_for(run, cp_pool_workers(run, n), n, amount ? NULL : "islands", advance_island, &r, err));
    for (size_t i = 0; i < n; i++) done += cp_btree_smc_done(r.s->swarm[i]) != 0;
    cp_log_progress(run, "islands", (double)done, (double)n);
    *out_done = done == n;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- gathering */

typedef struct harvest {
    sampling *s;
    cp_btree *b;
    cp_grove *grove; /* of each island */
} harvest;

static copse_status finish_island(void *arg, size_t i, size_t worker, copse_error *err) {
    const harvest *h = arg;
    (void)worker;
    CP_TRY(cp_grove_init(&h->grove[i], h->b->grove.dims, h->b->grove.width, err));
    CP_TRY(cp_btree_smc_finish(h->s->swarm[i], 1, &h->grove[i], &h->b->island[i], err));
    h->b->island[i].log_marginal = cp_btree_own_units(h->b, h->b->island[i].log_marginal);
    return COPSE_OK;
}

static copse_status join_islands(harvest *h, copse_error *err) {
    cp_btree *b = h->b;
    double top = -INFINITY;
    for (size_t i = 0; i < b->islands; i++) top = fmax(top, b->island[i].log_marginal);
    for (size_t i = 0; i < b->islands; i++) {
        double weight = h->s->by_evidence ? exp(b->island[i].log_marginal - top) : 1;
        CP_TRY(cp_grove_merge(&b->grove, &h->grove[i], weight, err));
        cp_grove_clear(&h->grove[i]);
    }
    return cp_btree_settle(b, err);
}

static copse_status finish(void *job, const copse_run *run, void **out_state, copse_error *err) {
    harvest h = {.s = job};
    size_t n = h.s->islands;
    copse_status status = COPSE_OK;
    *out_state = NULL;
    CP_TRY_OUT(cp_btree_new(&h.s->problem, &h.s->hyper, &h.b, err));
    CP_TRY_OUT(CP_NEW(h.b->island, n, err));
    h.b->islands = n;
    h.b->tuned = h.s->tuned;
    CP_TRY_OUT(CP_NEW(h.grove, n, err));
    CP_TRY_OUT(cp_pool_for(run, cp_pool_workers(run, n), n, NULL, finish_island, &h, err));
    CP_TRY_OUT(join_islands(&h, err));
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
    for (size_t i = 0; !status && i < s->islands; i++) {
        char name[40];
        snprintf(name, sizeof name, "island.%zu", i);
        CP_TRY(cp_writer_push(w, name, err));
        status = cp_btree_smc_write(s->swarm[i], w, err);
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
    for (size_t i = 0; !status && i < s->islands; i++) {
        char name[40];
        snprintf(name, sizeof name, "island.%zu", i);
        CP_TRY_OUT(cp_reader_push(r, name, err));
        status = cp_btree_smc_read(r, &s->problem, &s->opt, i, &s->swarm[i], err);
        cp_reader_pop(r);
    }
out:
    if (status)
        clear(s);
    else
        *out_job = s;
    return status;
}

const cp_sampler cp_btree_smc_sampler = {
    .begin = begin,
    .advance = advance,
    .finish = finish,
    .clear = clear,
    .write = write_job,
    .read = read_job,
};
