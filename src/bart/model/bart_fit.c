#include "bart/model/bart_fit.h"

#include <string.h>

#include "bart/draws/bart_chain_file.h"
#include "bart/model/bart_model.h"
#include "base/log.h"
#include "base/mem.h"
#include "method/replicas.h"

/* --------------------------------------------------------------------------------------------------------- sampling */

typedef struct sampling {
    cp_bart_problem problem;
    cp_replicas chains;
} sampling;

static copse_status make_chain(const void *job, size_t i, void **out, copse_error *err) {
    cp_bart_chain *chain;
    copse_status status = cp_bart_chain_new(&((const sampling *)job)->problem, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static copse_status read_chain(cp_reader *r, const void *job, size_t i, void **out, copse_error *err) {
    cp_bart_chain *chain;
    copse_status status = cp_bart_chain_file_read(r, &((const sampling *)job)->problem, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static copse_status write_chain(void *member, cp_writer *w, copse_error *err) {
    return cp_bart_chain_file_write(member, w, err);
}

static void free_chain(void *member) {
    cp_bart_chain_free(member);
}

static copse_status advance_chain(void *member, size_t amount, const copse_run *run, copse_error *err) {
    return cp_bart_chain_run(member, amount, run, err);
}

static size_t sweeps_of(const void *member) {
    return cp_bart_chain_done(member);
}

static const cp_replicas_kind chain_kind = {
    .name = "chain",
    .make = make_chain,
    .read = read_chain,
    .write = write_chain,
    .free = free_chain,
    .advance = advance_chain,
    .done = sweeps_of,
};

static void clear(void *job) {
    sampling *s = job;
    if (!s) return;
    cp_replicas_clear(&s->chains);
    cp_bart_problem_clear(&s->problem);
    cp_mem_free(s);
}

typedef struct start {
    const cp_rows *rows;
    const copse_params *p;
    const copse_run *run;
    cp_reader *opt_reader;
} start;

static copse_status set_up(sampling *s, const start *from, copse_error *err) {
    cp_bart_options opt = cp_bart_options_of(from->p);
    uint64_t seed = (uint64_t)cp_param_int(from->p, "seed");
    size_t chains = (size_t)cp_param_int(from->p, "chains");
    cp_bart_options_warn(from->p, from->rows->task, from->run);
    CP_TRY(cp_bart_problem_init(&s->problem, from->rows, &opt, seed, from->run, err));
    if (opt.prior_only) cp_log_info(from->run, "prior only: targets count for its scale alone");
    return cp_replicas_init(&s->chains, &chain_kind, chains, s, from->opt_reader, err);
}

static copse_status start_job(const start *from, void **out_job, copse_error *err) {
    sampling *s;
    *out_job = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = set_up(s, from, err);
    if (status)
        clear(s);
    else
        *out_job = s;
    return status;
}

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    return start_job(&(start){rows, p, run, NULL}, out_job, err);
}

static copse_status resume(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           void **out_job, copse_error *err) {
    return start_job(&(start){rows, p, run, r}, out_job, err);
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    sampling *s = job;
    cp_replicas_plan leg = {
        .amount = amount, .each = cp_bart_options_sweeps(&s->problem.opt), .piece = 8, .what = "sweeps"};
    return cp_replicas_advance(&s->chains, &leg, run, out_done, err);
}

static copse_status write(void *job, cp_writer *w, copse_error *err) {
    return cp_replicas_write(&((sampling *)job)->chains, w, err);
}

/* -------------------------------------------------------------------------------------------------------- gathering */

static const double *series_of(const cp_bart_trace *t, cp_bart_series kind) {
    const double *const all[CP_BART_SERIES_KINDS] = {[CP_BART_SIGMA] = t->sigma,
                                                     [CP_BART_LOG_LIKELIHOOD] = t->log_likelihood,
                                                     [CP_BART_LEAF_COUNT] = t->leaves,
                                                     [CP_BART_FITTED] = t->fitted,
                                                     [CP_BART_NOISE] = t->opt_noise};
    return all[kind];
}

static copse_status gather_series(cp_bart_model *b, const cp_replicas *chains, cp_bart_series kind, copse_error *err) {
    size_t n = cp_bart_model_series(b, kind), all = cp_bart_model_draw_count(b);
    if (!n) return COPSE_OK;
    CP_TRY(CP_RAW(b->series[kind], n * all, err));
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < b->chains; c++) {
            const cp_bart_trace *t = cp_bart_chain_trace(chains->member[c]);
            memcpy(b->series[kind] + k * all + c * b->samples, series_of(t, kind) + k * t->capacity,
                   b->samples * sizeof(double));
        }
    return COPSE_OK;
}

static copse_status gather(cp_bart_model *b, const sampling *s, copse_error *err) {
    for (size_t k = 0; k < b->sums; k++) {
        if (b->offset) b->offset[k] = s->problem.offset[k];
        for (size_t c = 0; c < b->chains; c++)
            CP_TRY(cp_bart_draws_append(&b->draws[k], cp_bart_chain_draws(s->chains.member[c], k), err));
    }
    for (size_t c = 0; b->noise_trees && c < b->chains; c++)
        CP_TRY(cp_bart_draws_append(&b->draws[b->sums], cp_bart_chain_variance_draws(s->chains.member[c]), err));
    for (size_t c = 0; c < b->chains; c++) b->tally[c] = cp_bart_chain_trace(s->chains.member[c])->tally;
    for (int kind = 0; kind < CP_BART_SERIES_KINDS; kind++)
        CP_TRY(gather_series(b, &s->chains, (cp_bart_series)kind, err));
    return cp_bart_model_finish(b, err);
}

static copse_status finish(void *job, const copse_run *run, void **out_state, copse_error *err) {
    const sampling *s = job;
    const cp_rows *rows = s->problem.rows;
    cp_bart_model *b, like = {.task = rows->task,
                              .classes = rows->classes,
                              .rows = rows->n,
                              .dims = rows->dims,
                              .trees = s->problem.opt.trees,
                              .sums = s->problem.sums,
                              .noise_trees = s->problem.opt.noise_trees,
                              .chains = s->chains.n,
                              .samples = s->problem.opt.samples,
                              .hyper = s->problem.hyper,
                              .centre = s->problem.centre,
                              .scale = s->problem.scale};
    (void)run;
    *out_state = NULL;
    CP_TRY(cp_bart_model_new(&like, &b, err));
    copse_status status = gather(b, s, err);
    if (status)
        cp_bart_model_free(b);
    else
        *out_state = b;
    return status;
}

const cp_sampler cp_bart_fit_sampler = {
    .begin = begin,
    .advance = advance,
    .finish = finish,
    .clear = clear,
    .write = write,
    .read = resume,
    .extendable_option = "samples",
};
