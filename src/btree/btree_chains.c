#include "btree/btree_chains.h"

#include "base/mem.h"
#include "btree/btree_mcmc_file.h"
#include "btree/btree_replicas.h"

typedef struct sampling {
    cp_btree_replicas replicas;
    cp_btree_mcmc_options opt;
} sampling;

static size_t iterations_of(const sampling *s) {
    return s->opt.burn_in + s->opt.samples * s->opt.thin;
}

/* ---------------------------------------------------------------------------------------------------------- options */

static copse_status set_options(cp_btree_replicas *c, const cp_rows *rows, const copse_params *p, copse_error *err) {
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
    for (int m = 0; m < CP_MOVES; m++) sum += opt->move[m] = cp_param_real(p, cp_moves_name[m]);
    for (int m = 0; m < CP_MOVES; m++) opt->move[m] /= sum;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- chains */

static copse_status make_chain(const void *job, size_t i, void **out, copse_error *err) {
    const sampling *s = job;
    cp_btree_chain *chain;
    copse_status status = cp_btree_mcmc_new(&s->replicas.problem, &s->opt, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static void free_chain(void *member) {
    cp_btree_mcmc_free(member);
}

static copse_status finish_chain(void *member, size_t i, cp_tree_set *tree_set, cp_btree *b, copse_error *err) {
    cp_btree_trace *t = &b->trace[i];
    CP_TRY(cp_btree_mcmc_finish(member, tree_set, t, err));
    for (size_t k = 0; k < t->samples; k++) t->log_post[k] = cp_btree_own_units(b, t->log_post[k]);
    return COPSE_OK;
}

static copse_status write_chain(void *member, cp_writer *w, copse_error *err) {
    return cp_btree_mcmc_file_write(member, w, err);
}

static copse_status read_chain(cp_reader *r, const void *job, size_t i, void **out, copse_error *err) {
    const sampling *s = job;
    cp_btree_chain *chain;
    copse_status status = cp_btree_mcmc_file_read(r, &s->replicas.problem, &s->opt, i, &chain, err);
    *out = status ? NULL : chain;
    return status;
}

static copse_status advance_chain(void *member, size_t amount, const copse_run *run, copse_error *err) {
    return cp_btree_mcmc_run(member, amount, run, err);
}

static size_t iterations_done(const void *member) {
    return cp_btree_mcmc_done(member);
}

static copse_status make_record(const cp_btree_replicas *c, cp_btree *b, copse_error *err) {
    CP_TRY(CP_NEW(b->trace, c->n, err));
    b->chains = c->n;
    return COPSE_OK;
}

static const cp_btree_replica_kind chain_kind = {
    .runs = {.name = "chain",
             .make = make_chain,
             .read = read_chain,
             .write = write_chain,
             .free = free_chain,
             .advance = advance_chain,
             .done = iterations_done},
    .job_size = sizeof(sampling),
    .set_options = set_options,
    .make_record = make_record,
    .finish = finish_chain,
};

/* --------------------------------------------------------------------------------------------------------- sampling */

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    return cp_btree_replicas_start(&chain_kind, &(cp_btree_replicas_input){rows, p, run, NULL}, out_job, err);
}

static copse_status resume(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           void **out_job, copse_error *err) {
    return cp_btree_replicas_start(&chain_kind, &(cp_btree_replicas_input){rows, p, run, r}, out_job, err);
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    sampling *s = job;
    cp_replicas_plan plan = {.amount = amount, .each = iterations_of(s), .piece = 1000, .what = "moves"};
    return cp_replicas_advance(&s->replicas.runs, &plan, run, out_done, err);
}

const cp_sampler cp_btree_chains = {
    .begin = begin,
    .advance = advance,
    .finish = cp_btree_replicas_finish,
    .clear = cp_btree_replicas_free,
    .write = cp_btree_replicas_write,
    .read = resume,
    .extendable_option = "samples",
};
