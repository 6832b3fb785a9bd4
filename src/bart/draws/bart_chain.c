#include <string.h>

#include "bart/draws/bart_chain_state.h"
#include "bart/draws/bart_grow_from_root.h"
#include "bart/draws/bart_noise.h"
#include "base/mem.h"

/* ------------------------------------------------------------------------------------------------------- beginnings */

/* The random stream of one part of a sweep.  Part m < trees is the step on tree m, part `trees` the noise, part
 * trees + 1 the split probabilities.  Sweep 0 is before the first sweep. */
static cp_rng stream_of(const cp_bart_chain *c, size_t sum, uint64_t sweep, size_t part) {
    const cp_bart_problem *b = c->problem;
    cp_rng rng;
    cp_rng_init(&rng, b->seed, CP_FOR_SWEEP, (uint32_t)(c->number * b->sums + sum),
                sweep * ((uint64_t)b->opt.trees + 2) + part);
    return rng;
}

static copse_status init_trees(cp_bart_chain *c, cp_bart_sum *s, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    cp_bart_view v = cp_bart_chain_state_view(c, s);
    CP_TRY(CP_NEW(s->tree, b->opt.trees, err));
    CP_TRY(CP_NEW(s->slot, b->opt.trees * b->rows->n, err));
    for (size_t m = 0; m < b->opt.trees; m++) CP_TRY(cp_bart_tree_init(&s->tree[m], &v, s->slot + m * b->rows->n, err));
    return COPSE_OK;
}

static copse_status init_sum(cp_bart_chain *c, size_t number, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    cp_bart_sum *s = &c->sum[number];
    size_t n = b->rows->n;
    int classes = b->rows->task == COPSE_CLASS;
    s->noise_var = classes ? 1 : b->sigma_hat * b->sigma_hat;
    s->leaf_var = b->hyper.leaf_var;
    CP_TRY(CP_NEW(s->r, n, err));
    if (classes) CP_TRY(CP_NEW(s->latent, n, err));
    s->target = classes ? s->latent : b->y;
    memcpy(s->r, s->target, n * sizeof *s->r);
    CP_TRY(cp_bart_split_probs_init(&s->split_probs, b->columns.ranks.dims, b->opt.dart, err));
    if (b->opt.dart) CP_TRY(cp_bart_dart_init(&s->dart, s->split_probs.dims, err));
    CP_TRY(init_trees(c, s, err));
    CP_TRY(cp_bart_draws_init(&s->draws, s->split_probs.dims, b->opt.trees, err));
    cp_rng rng = stream_of(c, number, 0, b->opt.trees);
    if (classes) cp_bart_noise_draw(c, s, 0, &rng);
    return COPSE_OK;
}

copse_status cp_bart_chain_new(const cp_bart_problem *b, size_t chain, cp_bart_chain **out, copse_error *err) {
    copse_status status;
    cp_bart_chain *c;
    CP_TRY(CP_NEW(c, 1, err));
    c->problem = b;
    c->number = chain;
    CP_TRY_OUT(CP_NEW(c->sum, b->sums, err));
    if (b->opt.noise_trees) {
        CP_TRY_OUT(CP_NEW(c->opt_variance, 1, err));
        CP_TRY_OUT(cp_bart_variance_init(c->opt_variance, b, chain, err));
    }
    for (size_t k = 0; k < b->sums; k++) CP_TRY_OUT(init_sum(c, k, err));
    CP_TRY_OUT(b->opt.sampler->make(&b->columns, &b->opt.sampler_opt, &c->sampler, err));
    CP_TRY_OUT(cp_bart_trace_init(&c->trace, b, err));
    *out = c;
    return COPSE_OK;
out:
    cp_bart_chain_free(c);
    return status;
}

static void clear_sum(cp_bart_sum *s, size_t trees) {
    for (size_t m = 0; s->tree && m < trees; m++) cp_bart_tree_clear(&s->tree[m]);
    cp_bart_dart_clear(&s->dart);
    cp_bart_split_probs_clear(&s->split_probs);
    cp_bart_draws_clear(&s->draws);
    cp_mem_free(s->tree);
    cp_mem_free(s->slot);
    cp_mem_free(s->r);
    cp_mem_free(s->latent);
}

void cp_bart_chain_free(cp_bart_chain *c) {
    if (!c) return;
    for (size_t k = 0; c->sum && k < c->problem->sums; k++) clear_sum(&c->sum[k], c->problem->opt.trees);
    if (c->opt_variance) cp_bart_variance_clear(c->opt_variance);
    cp_mem_free(c->opt_variance);
    if (c->sampler) c->problem->opt.sampler->free(c->sampler);
    cp_bart_grow_from_root_free(c->opt_grow_from_root);
    cp_bart_trace_clear(&c->trace);
    cp_mem_free(c->sum);
    cp_mem_free(c);
}

size_t cp_bart_chain_done(const cp_bart_chain *c) {
    return c->done;
}

const cp_bart_draws *cp_bart_chain_draws(const cp_bart_chain *c, size_t sum) {
    return &c->sum[sum].draws;
}

const cp_bart_draws *cp_bart_chain_variance_draws(const cp_bart_chain *c) {
    return &c->opt_variance->draws;
}

const cp_bart_trace *cp_bart_chain_trace(const cp_bart_chain *c) {
    return &c->trace;
}

/* ----------------------------------------------------------------------------------------------------- the residual */

/* Makes s->r the partial residual, without tree m.  One pass subtracts tree m - 1 with its new mu, adds tree m back,
 * and sums the result by leaf of tree m. */
static void make_partial(cp_bart_chain *c, cp_bart_sum *s, size_t m) {
    const cp_bart_problem *b = c->problem;
    cp_bart_tree *t = &s->tree[m];
    size_t leaves = cp_bart_tree_leaves(t);
    cp_leaf_pass_values x = {s->r, cp_bart_chain_state_weight(c), b->rows->n};
    cp_leaf_pass_shift add = {t->slot, t->mu, leaves}, subtract = add;
    if (m) subtract = (cp_leaf_pass_shift){s->tree[m - 1].slot, c->minus_mu, cp_bart_tree_leaves(&s->tree[m - 1])};
    cp_bart_parallel_move(&c->parallel, b->columns.leaf_pass, &x, m ? &subtract : NULL, &add, c->sum_by_slot);
    for (size_t k = 0; k < leaves; k++) t->leaf[k].sum_wr = b->opt.prior_only ? 0 : c->sum_by_slot[k];
    c->partial = 1;
}

/* Entries beyond the last leaf are never used. */
static void store_minus_mu(cp_bart_chain *c, const cp_bart_tree *t) {
    for (size_t k = 0; k < cp_bart_tree_leaves(t); k++) c->minus_mu[k] = -t->mu[k];
}

/* ---------------------------------------------------------------------------------------------------------- a sweep */

static copse_status step(cp_bart_chain *c, const cp_bart_view *v, cp_bart_tree *tree, size_t m, cp_rng *rng,
                         copse_error *err) {
    const cp_bart_options *opt = &c->problem->opt;
    cp_bart_tally discarded = {0};
    if (c->done >= opt->grow_from_root)
        return opt->sampler->step(c->sampler, v, &tree[m], rng,
                                  c->done >= opt->grow_from_root + opt->burn_in ? &c->trace.tally : &discarded, err);
    if (!c->opt_grow_from_root) CP_TRY(cp_bart_grow_from_root_new(c->problem, &c->opt_grow_from_root, err));
    return cp_bart_grow_from_root_step(c->opt_grow_from_root, v, tree, m, rng, err);
}

static copse_status sample_tree(cp_bart_chain *c, size_t sum, size_t m, copse_error *err) {
    cp_bart_sum *s = &c->sum[sum];
    cp_bart_tree *t = &s->tree[m];
    cp_bart_view v = cp_bart_chain_state_view(c, s);
    cp_rng rng = stream_of(c, sum, c->done + 1, m);
    if (!c->partial) make_partial(c, s, m);
    CP_TRY(step(c, &v, s->tree, m, &rng, err));
    cp_bart_tree_draw_mu(t, &v, &rng);
    store_minus_mu(c, t);
    c->partial = 0;
    return COPSE_OK;
}

/* Split probabilities and the variance of leaves are sampled only after half of burn-in.  Before, many trees are single
 * leaves, and would drive both towards "no column matters". */
static int samples_hyper(const cp_bart_chain *c) {
    const cp_bart_options *opt = &c->problem->opt;
    return c->done >= opt->grow_from_root + opt->burn_in / 2;
}

/* The weights of all rows have changed: sums those of each leaf of the mean's trees anew. */
static void sum_weights(cp_bart_chain *c, cp_bart_sum *s) {
    const cp_bart_problem *b = c->problem;
    const cp_leaf_pass_values x = {c->opt_variance->weight, NULL, b->rows->n};
    for (size_t m = 0; m < b->opt.trees; m++) {
        cp_bart_tree *t = &s->tree[m];
        const cp_leaf_pass_shift groups = {t->slot, t->mu, cp_bart_tree_leaves(t)};
        cp_bart_parallel_sums(&c->parallel, b->columns.leaf_pass, &x, &groups, c->sum_by_slot);
        for (size_t k = 0; k < groups.slots; k++) t->leaf[k].sum_w = c->sum_by_slot[k];
    }
}

/* Variance trees are sampled from a quarter of burn-in on: before, the residual holds what the trees of the mean have
 * still to learn. */
static void sample_variance(cp_bart_chain *c, cp_bart_sum *s) {
    const cp_bart_options *opt = &c->problem->opt;
    if (!c->opt_variance || c->done < opt->grow_from_root + opt->burn_in / 4) return;
    cp_bart_variance_draw(c->opt_variance, &c->parallel, s->r, s->noise_var, c->done + 1);
    sum_weights(c, s);
}

/* After all trees of a sum have been sampled: subtracts the last tree, so that the residual is the full
 * one again, then samples the scalars of the sum. */
static void end_sum(cp_bart_chain *c, size_t sum) {
    const cp_bart_problem *b = c->problem;
    cp_bart_sum *s = &c->sum[sum];
    const cp_bart_tree *last = &s->tree[b->opt.trees - 1];
    cp_leaf_pass_values x = {s->r, b->opt_weight, b->rows->n};
    cp_leaf_pass_shift shift = {last->slot, c->minus_mu, cp_bart_tree_leaves(last)};
    cp_bart_parallel_move(&c->parallel, b->columns.leaf_pass, &x, NULL, &shift, NULL);
    if (b->opt.dart && samples_hyper(c)) {
        cp_bart_view v = cp_bart_chain_state_view(c, s);
        cp_rng rng = stream_of(c, sum, c->done + 1, b->opt.trees + 1);
        cp_bart_dart_draw(&s->dart, &s->split_probs, &v, s->tree, b->opt.trees, &rng);
    }
    cp_rng rng = stream_of(c, sum, c->done + 1, b->opt.trees);
    sample_variance(c, s);
    cp_bart_noise_draw(c, s, c->done + 1, &rng);
    if (b->opt.sample_k && samples_hyper(c)) cp_bart_noise_draw_leaf_var(c, s, &rng);
}

static copse_status sweep(cp_bart_chain *c, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    size_t trees = b->opt.trees;
    if (!c->at && !c->partial && c->done % CP_BART_CHAIN_REFRESH == 0)
        for (size_t k = 0; k < b->sums; k++) cp_bart_chain_state_refresh(c, &c->sum[k]);
    for (; c->at < b->sums * trees; c->at++) {
        if (c->opt_variance) CP_TRY(cp_bart_variance_reserve(c->opt_variance, err));
        CP_TRY(sample_tree(c, c->at / trees, c->at % trees, err));
        if (c->at % trees == trees - 1) end_sum(c, c->at / trees);
    }
    c->at = 0;
    c->done++;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- keeping */

/* A draw that could not be kept for lack of memory is kept when the chain continues. */
static copse_status keep_if_due(cp_bart_chain *c, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    size_t due = cp_bart_options_draws_due(&b->opt, c->done);
    if (c->at || c->partial) return COPSE_OK;
    for (size_t k = 0; k < b->sums; k++)
        if (c->sum[k].draws.draws < due) CP_TRY(cp_bart_draws_add(&c->sum[k].draws, c->sum[k].tree, err));
    if (c->opt_variance && c->opt_variance->draws.draws < due) CP_TRY(cp_bart_variance_keep(c->opt_variance, err));
    if (c->trace.draws < due) cp_bart_trace_add(&c->trace, c);
    return COPSE_OK;
}

static copse_status run_until(cp_bart_chain *c, size_t end, const copse_run *run, copse_error *err) {
    CP_TRY(keep_if_due(c, err));
    while (c->done < end) {
        CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
        CP_TRY(sweep(c, err));
        CP_TRY(keep_if_due(c, err));
    }
    return COPSE_OK;
}

copse_status cp_bart_chain_run(cp_bart_chain *c, size_t sweeps, const copse_run *run, copse_error *err) {
    size_t end = cp_bart_options_sweeps(&c->problem->opt), threads = run && run->threads > 0 ? (size_t)run->threads : 1;
    if (sweeps && sweeps < end - c->done) end = c->done + sweeps;
    CP_TRY(cp_bart_parallel_open(&c->parallel, threads, c->problem->rows->n, err));
    copse_status status = run_until(c, end, run, err);
    cp_bart_parallel_close(&c->parallel);
    return status;
}
