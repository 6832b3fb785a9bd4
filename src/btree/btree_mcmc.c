#include "btree/btree_mcmc.h"

#include <math.h>

#include "base/mem.h"
#include "btree/btree_chain.h"

void cp_btree_mcmc_clear_trace(cp_btree_trace *t) {
    cp_mem_free(t->log_post);
    cp_mem_free(t->leaves);
    *t = (cp_btree_trace){0};
}

copse_status cp_btree_mcmc_new(const cp_btree_problem *b, const cp_btree_mcmc_options *opt, size_t chain,
                               cp_btree_chain **out, copse_error *err) {
    copse_status status;
    cp_btree_chain *c;
    CP_TRY(CP_NEW(c, 1, err));
    *c = (cp_btree_chain){.problem = b, .opt = *opt, .number = (uint32_t)chain, .root = CP_NONE};
    cp_moves_tree_model_init(&c->model, &b->ranks, &b->leaf, b->prior);
    CP_TRY_OUT(cp_moves_init(&c->moves, &c->model, opt->move, err));
    CP_TRY_OUT(cp_moves_tree_init(&c->tree, &c->model, err));
    CP_TRY_OUT(cp_tree_set_init(&c->tree_set, b->ranks.dims, b->leaf.width, err));
    *out = c;
    return COPSE_OK;
out:
    cp_btree_mcmc_free(c);
    return status;
}

void cp_btree_mcmc_free(cp_btree_chain *c) {
    if (!c) return;
    cp_btree_mcmc_clear_trace(&c->trace);
    cp_tree_set_clear(&c->tree_set);
    cp_moves_tree_clear(&c->tree);
    cp_moves_clear(&c->moves);
    cp_mem_free(c->order);
    cp_mem_free(c->made);
    cp_mem_free(c);
}

size_t cp_btree_mcmc_due(const cp_btree_mcmc_options *opt, size_t done) {
    return done < opt->burn_in ? 0 : (done - opt->burn_in) / opt->thin;
}

size_t cp_btree_mcmc_done(const cp_btree_chain *c) {
    return c->done;
}

/* ---------------------------------------------------------------------------------------------------------- keeping */

static copse_status keep_node(cp_btree_chain *c, int32_t u, copse_error *err) {
    const cp_moves_node *n = &c->tree.node[u];
    if (n->left == CP_NONE)
        return cp_tree_set_leaf(&c->tree_set, c->tree.stat + (size_t)u * c->tree.width, &c->made[u], err);
    const float *value = cp_ranks_values(&c->problem->ranks, n->rule.dim);
    cp_tree_set_node split = {.dim = (int32_t)n->rule.dim,
                              .low = value[n->gap.low],
                              .high = value[n->gap.high],
                              .left = c->made[n->left],
                              .right = c->made[n->left + 1]};
    return cp_tree_set_split(&c->tree_set, &split, &c->made[u], err);
}

/* Adds the tree to the tree set, children before parents. */
static copse_status keep_tree(cp_btree_chain *c, copse_error *err) {
    size_t nodes = cp_moves_tree_nodes(&c->tree), n = 0;
    CP_TRY(CP_GROW(c->order, c->cap_order, nodes, err));
    CP_TRY(CP_GROW(c->made, c->cap_made, nodes, err));
    for (int32_t u = 0; u != CP_NONE; u = cp_moves_tree_next(&c->tree, u, 0)) c->order[n++] = u;
    while (n--) CP_TRY(keep_node(c, c->order[n], err));
    c->root = c->made[0];
    return COPSE_OK;
}

/* A failure half-way leaves nodes in the tree set, which does no harm: the next call finds and uses them. */
static copse_status keep(cp_btree_chain *c, copse_error *err) {
    cp_btree_trace *t = &c->trace;
    CP_TRY(CP_GROW(t->log_post, c->cap_log_post, t->samples + 1, err));
    CP_TRY(CP_GROW(t->leaves, c->cap_leaves, t->samples + 1, err));
    if (c->root == CP_NONE) CP_TRY(keep_tree(c, err));
    CP_TRY(cp_tree_set_add(&c->tree_set, c->root, 1, err));
    t->log_post[t->samples] = c->tree.log_prior + c->tree.log_likelihood;
    t->leaves[t->samples] = (uint32_t)cp_moves_tree_leaves(&c->tree);
    t->samples++;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- running */

static copse_status iterate(cp_btree_chain *c, copse_error *err) {
    cp_rng rng;
    cp_moves_outcome out;
    cp_rng_init(&rng, c->problem->seed, CP_FOR_CHAIN, c->number, c->done);
    CP_TRY(cp_moves_step(&c->moves, &c->tree, &rng, &out, err));
    if (out.accepted) c->root = CP_NONE;
    if (c->done >= c->opt.burn_in) {
        c->trace.proposed[out.kind]++;
        c->trace.accepted[out.kind] += (uint64_t)out.accepted;
    }
    c->done++;
    return COPSE_OK;
}

/* A draw that could not be kept for want of memory is kept before the chain continues. */
static copse_status keep_if_due(cp_btree_chain *c, copse_error *err) {
    return c->trace.samples < cp_btree_mcmc_due(&c->opt, c->done) ? keep(c, err) : COPSE_OK;
}

copse_status cp_btree_mcmc_run(cp_btree_chain *c, size_t iterations, const copse_run *run, copse_error *err) {
    size_t end = c->opt.burn_in + c->opt.samples * c->opt.thin;
    if (iterations && iterations < end - c->done) end = c->done + iterations;
    CP_TRY(keep_if_due(c, err));
    while (c->done < end) {
        CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
        CP_TRY(iterate(c, err));
        CP_TRY(keep_if_due(c, err));
    }
    return COPSE_OK;
}

copse_status cp_btree_mcmc_finish(cp_btree_chain *c, cp_tree_set *tree_set, cp_btree_trace *out, copse_error *err) {
    size_t n = c->trace.samples;
    cp_btree_trace t = c->trace;
    t.log_post = NULL;
    t.leaves = NULL;
    copse_status status;
    CP_TRY_OUT(CP_RAW(t.log_post, n, err));
    CP_TRY_OUT(CP_RAW(t.leaves, n, err));
    for (size_t i = 0; i < n; i++) {
        t.log_post[i] = c->trace.log_post[i];
        t.leaves[i] = c->trace.leaves[i];
    }
    if (n) CP_TRY_OUT(cp_tree_set_merge(tree_set, &c->tree_set, 1 / (double)n, err));
    *out = t;
    return COPSE_OK;
out:
    cp_btree_mcmc_clear_trace(&t);
    return status;
}
