#include "btree/btree_smc.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "btree/btree_stage.h"
#include "num/math.h"

enum { SLOTS_MAX = 1 << 24 }; /* slots of random streams (num/rng.h): each particle has one */

static copse_status make_room(cp_btree_smc *s, copse_error *err) {
    size_t n = s->opt.particles;
    CP_TRY(CP_NEW(s->particle, n, err));
    CP_TRY(CP_NEW(s->log_weight, n, err));
    CP_TRY(CP_NEW(s->next.particle, n, err));
    CP_TRY(CP_NEW(s->next.log_weight, n, err));
    CP_TRY(CP_NEW(s->layer, n, err));
    CP_TRY(CP_NEW(s->key, 3 * n, err));
    CP_TRY(CP_NEW(s->choice, n, err));
    CP_TRY(CP_NEW(s->ancestor, n, err));
    return CP_NEW(s->weight, 2 * n, err);
}

copse_status cp_btree_smc_new(const cp_btree_problem *b, const cp_btree_smc_options *opt, size_t island,
                              cp_btree_smc **out, copse_error *err) {
    cp_btree_smc *s;
    copse_status status;
    if ((island + 1) * opt->particles > SLOTS_MAX)
        return cp_fail(err, COPSE_E_USAGE, "more than %d particles in all islands together", SLOTS_MAX);
    CP_TRY(CP_NEW(s, 1, err));
    s->b = b;
    s->opt = *opt;
    s->island = island;
    CP_TRY_OUT(make_room(s, err));
    CP_TRY_OUT(cp_btree_state_init(&s->states, b, opt->expansion, err));
    double first = cp_btree_block_view(&s->states.blocks, 0).log_lik;
    for (size_t i = 0; i < opt->particles; i++) s->log_weight[i] = first;
    *out = s;
out:
    if (status) cp_btree_smc_free(s);
    return status;
}

void cp_btree_smc_free(cp_btree_smc *s) {
    if (!s) return;
    cp_btree_state_clear(&s->states);
    cp_btree_propose_clear(&s->proposer);
    cp_mem_free(s->particle);
    cp_mem_free(s->log_weight);
    cp_mem_free(s->ess);
    cp_mem_free(s->next.particle);
    cp_mem_free(s->next.log_weight);
    cp_mem_free(s->layer);
    cp_mem_free(s->key);
    cp_mem_free(s->choice);
    cp_mem_free(s->ancestor);
    cp_mem_free(s->weight);
    cp_mem_free(s);
}

int cp_btree_smc_done(const cp_btree_smc *s) {
    return s->done;
}

/* ----------------------------------------------------------------------------------------------------------- stages */

/* The number of keys, from key[0] on, with the same block. */
static size_t same_block(const uint64_t *key, size_t n) {
    size_t m = 1;
    while (m < n && key[m] >> 32 == key[0] >> 32) m++;
    return m;
}

static copse_status one_round(cp_btree_smc *s, size_t n, const copse_run *run, copse_error *err) {
    s->proposer.stop = run ? run->stop : NULL;
    for (size_t i = 0, m; i < n; i += m) {
        m = same_block(s->key + i, n - i);
        cp_btree_stage_decide(s, s->key + i, m);
        CP_TRY(cp_fail_if_stopped(&s->proposer.halted, err));
    }
    for (size_t i = 0; i < n; i++) CP_TRY(cp_btree_stage_take(s, (uint32_t)s->key[i], err));
    return COPSE_OK;
}

static copse_status one_stage(cp_btree_smc *s, const copse_run *run, copse_error *err) {
    size_t n;
    CP_TRY(cp_btree_stage_begin(s, &n, err));
    s->done = !n || s->stages >= s->opt.max_stages;
    /* The total number of stages is unknown until the island is done. */
    cp_log_progress(run, "stages", (double)s->stages, s->done ? (double)s->stages : 0);
    if (s->done) return COPSE_OK;
    for (;;) {
        CP_TRY(cp_btree_stage_gather(s, &n, err));
        if (!n) break;
        CP_TRY(one_round(s, n, run, err));
    }
    return cp_btree_stage_end(s, NULL, err);
}

/* The proposer has scratch of the size of the rows, so only running islands hold one. */
copse_status cp_btree_smc_run(cp_btree_smc *s, size_t stages, const copse_run *run, copse_error *err) {
    copse_status status = COPSE_OK;
    for (size_t i = 0; !status && !s->done && (!stages || i < stages); i++) {
        status = cp_fail_if_stopped(run ? run->stop : NULL, err);
        if (!status) status = one_stage(s, run, err);
    }
    cp_btree_propose_clear(&s->proposer);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ trees */

/* Builds the particles' trees in the tree set. */
typedef struct tree_builder {
    cp_btree_smc *s;
    cp_tree_set *tree_set;
    int32_t *node; /* of each block: its node in tree `tree` */
    int32_t *tree; /* of each block: the tree, by its state, for which `node` is valid */
    int32_t *leaf; /* of each block: its node as a leaf; CP_NONE: not made yet */
    int32_t *root; /* of each state: the root of its tree; CP_NONE: not built yet */
} tree_builder;

static copse_status leaf_node(tree_builder *h, int32_t block, int32_t *out, copse_error *err) {
    cp_btree_blocks *k = &h->s->states.blocks;
    if (h->leaf[block] == CP_NONE) {
        if (k->split[block / 2].pair == CP_NONE) CP_TRY(cp_btree_block_make(k, block, err));
        CP_TRY(cp_tree_set_leaf(h->tree_set, cp_btree_block_view(k, block).stat, &h->leaf[block], err));
    }
    *out = h->leaf[block];
    return COPSE_OK;
}

/* A side without a decision is a leaf. */
static copse_status side_node(tree_builder *h, int32_t block, int32_t tree, int32_t *out, copse_error *err) {
    if (h->tree[block] != tree) return leaf_node(h, block, out, err);
    *out = h->node[block];
    return COPSE_OK;
}

static copse_status split_node(tree_builder *h, int32_t split, int32_t tree, int32_t *out, copse_error *err) {
    cp_btree_gap gap = h->s->states.blocks.split[split].gap;
    const float *value = cp_ranks_values(&h->s->b->ranks, gap.dim);
    cp_tree_set_node node = {.dim = (int32_t)gap.dim, .low = value[gap.low], .high = value[gap.high]};
    CP_TRY(side_node(h, 2 * split, tree, &node.left, err));
    CP_TRY(side_node(h, 2 * split + 1, tree, &node.right, err));
    return cp_tree_set_split(h->tree_set, &node, out, err);
}

/* Follows the decisions backwards: the sides of a block were decided on after the block. */
static copse_status build_tree(tree_builder *h, int32_t state, copse_error *err) {
    const cp_btree_states *t = &h->s->states;
    for (int32_t i = state; t->state[i].parent != CP_NONE; i = t->state[i].parent) {
        int32_t block = t->state[t->state[i].parent].head, split = t->state[i].split;
        h->tree[block] = state;
        if (split == CP_NONE)
            CP_TRY(leaf_node(h, block, &h->node[block], err));
        else
            CP_TRY(split_node(h, split, state, &h->node[block], err));
    }
    return side_node(h, 0, state, &h->root[state], err);
}

static void fill_with_none(int32_t *id, size_t n) {
    memset(id, 0xff, n * sizeof *id);
}

static copse_status tree_builder_init(tree_builder *h, copse_error *err) {
    size_t blocks = 2 * h->s->states.blocks.splits, states = h->s->states.n;
    CP_TRY(CP_RAW(h->node, blocks, err));
    CP_TRY(CP_RAW(h->tree, blocks, err));
    CP_TRY(CP_RAW(h->leaf, blocks, err));
    CP_TRY(CP_RAW(h->root, states, err));
    fill_with_none(h->tree, blocks);
    fill_with_none(h->leaf, blocks);
    fill_with_none(h->root, states);
    return COPSE_OK;
}

static void tree_builder_clear(tree_builder *h) {
    cp_mem_free(h->node);
    cp_mem_free(h->tree);
    cp_mem_free(h->leaf);
    cp_mem_free(h->root);
}

static copse_status collect_trees(cp_btree_smc *s, cp_tree_set *tree_set, size_t *out_unique, copse_error *err) {
    size_t n = s->opt.particles;
    tree_builder h = {.s = s, .tree_set = tree_set};
    double log_total = cp_particle_log_mean(s->log_weight, n) + cp_math_log((double)n);
    copse_status status;
    CP_TRY_OUT(tree_builder_init(&h, err));
    *out_unique = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t *root = &h.root[s->particle[i]];
        *out_unique += *root == CP_NONE;
        if (*root == CP_NONE) CP_TRY_OUT(build_tree(&h, s->particle[i], err));
        CP_TRY_OUT(cp_tree_set_add(tree_set, *root, cp_math_exp(s->log_weight[i] - log_total), err));
    }
out:
    tree_builder_clear(&h);
    return status;
}

double cp_btree_smc_log_marginal(const cp_btree_smc *s) {
    return s->log_z + cp_particle_log_mean(s->log_weight, s->opt.particles);
}

copse_status cp_btree_smc_finish(cp_btree_smc *s, cp_tree_set *tree_set, cp_btree_island *out, copse_error *err) {
    size_t standing;
    *out = (cp_btree_island){0};
    CP_TRY(cp_btree_stage_open(s, &standing, err));
    CP_TRY(collect_trees(s, tree_set, &out->unique, err));
    CP_TRY(CP_RAW(out->ess, s->stages, err));
    if (s->stages) memcpy(out->ess, s->ess, s->stages * sizeof *s->ess);
    out->log_marginal = cp_btree_smc_log_marginal(s);
    out->stages = s->stages;
    out->cut_short = standing > 0;
    out->resamplings = s->resamplings;
    out->expanded = s->expanded;
    out->worked = s->worked;
    return COPSE_OK;
}

void cp_btree_smc_clear_island(cp_btree_island *s) {
    cp_mem_free(s->ess);
    *s = (cp_btree_island){0};
}
