#include "btree/btree_replicas.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"

void cp_btree_replicas_free(void *job) {
    cp_btree_replicas *c = job;
    if (!c) return;
    cp_replicas_clear(&c->runs);
    cp_btree_problem_clear(&c->problem);
    cp_mem_free(job);
}

copse_status cp_btree_replicas_write(void *job, cp_writer *w, copse_error *err) {
    cp_btree_replicas *c = job;
    CP_TRY(cp_btree_hyper_write(&c->hyper, w, err));
    return cp_replicas_write(&c->runs, w, err);
}

/* --------------------------------------------------------------------------------------------------------- starting */

static copse_status set_up(cp_btree_replicas *c, const cp_btree_replicas_input *from, copse_error *err) {
    uint64_t seed = (uint64_t)cp_param_int(from->p, "seed");
    c->hyper = cp_btree_hyper_of(from->p);
    if (from->opt_reader) CP_TRY(cp_btree_hyper_read(from->opt_reader, &c->hyper, err));
    CP_TRY(c->kind->set_options(c, from->rows, from->p, err));
    CP_TRY(cp_btree_problem_init(&c->problem, from->rows, &c->hyper, seed, from->run, err));
    c->problem.leaf.prior_only = cp_param_is(from->p, "prior-only", "yes");
    if (c->problem.leaf.prior_only) cp_log_info(from->run, "prior only: no row is counted in any leaf");
    if (c->kind->tune && !from->opt_reader) CP_TRY(c->kind->tune(c, from->p, from->run, err));
    return cp_replicas_init(&c->runs, &c->kind->runs, c->n, c, from->opt_reader, err);
}

copse_status cp_btree_replicas_start(const cp_btree_replica_kind *kind, const cp_btree_replicas_input *from,
                                     void **out_job, copse_error *err) {
    cp_btree_replicas *c = cp_mem_new(1, kind->job_size);
    *out_job = NULL;
    if (!c) return cp_fail_memory(err);
    c->kind = kind;
    copse_status status = set_up(c, from, err);
    if (status)
        cp_btree_replicas_free(c);
    else
        *out_job = c;
    return status;
}

/* -------------------------------------------------------------------------------------------------------- gathering */

typedef struct harvest {
    cp_btree_replicas *c;
    cp_btree *b;
    cp_tree_set *tree_set; /* of each member */
} harvest;

static copse_status finish_member(void *arg, size_t i, size_t worker, copse_error *err) {
    const harvest *h = arg;
    (void)worker;
    CP_TRY(cp_tree_set_init(&h->tree_set[i], h->b->tree_set.dims, h->b->tree_set.width, err));
    return h->c->kind->finish(h->c->runs.member[i], i, &h->tree_set[i], h->b, err);
}

static copse_status join(const harvest *h, copse_error *err) {
    const cp_btree_replica_kind *kind = h->c->kind;
    for (size_t i = 0; i < h->c->n; i++) {
        double weight = kind->weight ? kind->weight(h->c, h->b, i) : 1;
        CP_TRY(cp_tree_set_merge(&h->b->tree_set, &h->tree_set[i], weight, err));
        cp_tree_set_clear(&h->tree_set[i]);
    }
    return cp_btree_finish(h->b, err);
}

static copse_status gather(harvest *h, const copse_run *run, copse_error *err) {
    size_t n = h->c->n;
    CP_TRY(h->c->kind->make_record(h->c, h->b, err));
    CP_TRY(CP_NEW(h->tree_set, n, err));
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, n), n, NULL, finish_member, h, err));
    return join(h, err);
}

copse_status cp_btree_replicas_finish(void *job, const copse_run *run, void **out_state, copse_error *err) {
    harvest h = {.c = job};
    *out_state = NULL;
    CP_TRY(cp_btree_new(&h.c->problem, &h.c->hyper, &h.b, err));
    copse_status status = gather(&h, run, err);
    for (size_t i = 0; h.tree_set && i < h.c->n; i++) cp_tree_set_clear(&h.tree_set[i]);
    cp_mem_free(h.tree_set);
    if (status)
        cp_btree_free(h.b);
    else
        *out_state = h.b;
    return status;
}
