#include "btree/btree_smc.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "kernel/sort.h"

/* tests/broken builds this file with known bugs, one at a time, to see that tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

enum { MOST_SLOTS = 1 << 24 }; /* each particle has a stream of its own (num/rng.c) */

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
    if ((island + 1) * opt->particles > MOST_SLOTS)
        return cp_fail(err, COPSE_E_USAGE, "more than %d particles in all islands together", MOST_SLOTS);
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

/* -------------------------------------------------------------------------------------------------------- one stage */

static int32_t head_of(const cp_btree_smc *s, int32_t state) {
    return s->states.state[state].head;
}

copse_status cp_btree_smc_open(cp_btree_smc *s, size_t *out_standing, copse_error *err) {
    *out_standing = 0;
    for (size_t i = 0; i < s->opt.particles; i++) {
        CP_TRY(cp_btree_state_open(&s->states, s->particle[i], err));
        *out_standing += head_of(s, s->particle[i]) != CP_NONE;
    }
    cp_btree_state_settle(&s->states);
    return COPSE_OK;
}

copse_status cp_btree_smc_begin(cp_btree_smc *s, size_t *out_standing, copse_error *err) {
    size_t n = s->opt.particles;
    if (!s->proposer.b) CP_TRY(cp_btree_propose_init(&s->proposer, s->b, &s->opt, err));
    CP_TRY(cp_btree_smc_open(s, out_standing, err));
    if (cp_btree_state_is_full(&s->states)) CP_TRY(cp_btree_state_compact(&s->states, s->particle, n, err));
    for (size_t i = 0; i < n; i++) {
        int32_t head = head_of(s, s->particle[i]);
        s->layer[i] = head == CP_NONE ? 0 : cp_btree_block_depth(&s->states.blocks, head);
    }
    memcpy(s->next.particle, s->particle, n * sizeof *s->particle);
    memcpy(s->next.log_weight, s->log_weight, n * sizeof *s->log_weight);
    s->next.round = s->round;
    s->next.expanded = s->expanded;
    s->next.worked = s->worked;
    return COPSE_OK;
}

/* By node, particles decide in the first round only: a state that is still what it was has not decided. */
static int decides(const cp_btree_smc *s, size_t i) {
    int32_t head = head_of(s, s->next.particle[i]);
    if (head == CP_NONE) return 0;
    if (s->opt.expansion != CP_BTREE_LAYER) return s->next.particle[i] == s->particle[i];
    return cp_btree_block_depth(&s->states.blocks, head) == s->layer[i];
}

copse_status cp_btree_smc_gather(cp_btree_smc *s, size_t *out_n, copse_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < s->opt.particles; i++) {
        if (s->opt.expansion == CP_BTREE_LAYER) CP_TRY(cp_btree_state_open(&s->states, s->next.particle[i], err));
        if (decides(s, i)) s->key[n++] = (uint64_t)head_of(s, s->next.particle[i]) << 32 | i;
    }
    cp_sort_wide(s->key, n, s->key + s->opt.particles);
    if (n) s->next.round++;
    *out_n = n;
    return COPSE_OK;
}

/* Columns in the order in which somebody wants them; of each, the particles in theirs. */
static void choose_gaps(cp_btree_smc *s, const uint64_t *key, size_t n) {
    uint64_t *by_dim = s->key + s->opt.particles, *tmp = by_dim + s->opt.particles;
    for (size_t i = 0; i < n; i++) {
        uint32_t who = (uint32_t)key[i];
        by_dim[i] = (uint64_t)(uint32_t)s->choice[who].dim << 32 | who;
    }
    cp_sort_wide(by_dim, n, tmp);
    for (size_t i = 0; i < n; i++) cp_btree_propose_gap(&s->proposer, &s->choice[(uint32_t)by_dim[i]]);
}

void cp_btree_smc_decide(cp_btree_smc *s, const uint64_t *key, size_t n) {
    cp_btree_view block = cp_btree_block_view(&s->states.blocks, (int32_t)(key[0] >> 32));
    cp_btree_propose_begin(&s->proposer, &block);
    for (size_t i = 0; i < n; i++) {
        uint32_t who = (uint32_t)key[i];
        cp_rng rng;
        cp_rng_init(&rng, s->b->seed, CP_FOR_PARTICLE, (uint32_t)(s->island * s->opt.particles + who), s->next.round);
        cp_btree_propose_column(&s->proposer, &rng, &s->choice[who]);
    }
    choose_gaps(s, key, n);
}

copse_status cp_btree_smc_take(cp_btree_smc *s, size_t particle, copse_error *err) {
    const cp_btree_choice *c = &s->choice[particle];
    int32_t *state = &s->next.particle[particle], split = CP_NONE;
    if (c->dim != CP_NONE) CP_TRY(cp_btree_block_split(&s->states.blocks, head_of(s, *state), c->gap, &split, err));
    size_t before = s->states.n;
    CP_TRY(cp_btree_state_next(&s->states, *state, split, state, err));
    s->next.worked += s->states.n - before;
    s->next.expanded++;
    s->next.log_weight[particle] += c->log_weight;
    return COPSE_OK;
}

/* Not worth it when nobody has anything left to decide, as far as can be seen without making blocks. */
static int is_last(const cp_btree_smc *s) {
    for (size_t i = 0; i < s->opt.particles; i++) {
        const cp_btree_state *t = &s->states.state[s->next.particle[i]];
        if (t->head == CP_NONE) continue;
        if (t->head != CP_BTREE_UNOPENED || t->split != CP_NONE) return 0;
        if (s->states.state[t->parent].waiting.front != CP_NONE) return 0;
    }
    return 1;
}

static double ess_of(const cp_btree_smc *s) {
    return cp_particle_ess(s->next.log_weight, s->opt.particles);
}

static int is_uneven(const cp_btree_smc *s, double ess) {
    return ess < s->opt.ess_threshold * (double)s->opt.particles && !is_last(s);
}

int cp_btree_smc_must_resample(const cp_btree_smc *s) {
    return is_uneven(s, ess_of(s));
}

static void resample(cp_btree_smc *s, const uint32_t *opt_ancestor) {
    size_t n = s->opt.particles;
    const uint32_t *from = opt_ancestor;
    if (!from) {
        cp_rng rng;
        cp_rng_init(&rng, s->b->seed, CP_FOR_RESAMPLE, (uint32_t)s->island, s->stages);
        cp_particle_resample(s->opt.resampling, s->next.log_weight, n, &rng, s->weight, s->ancestor);
        from = s->ancestor;
    }
    s->log_z += cp_particle_log_mean(s->next.log_weight, n);
    for (size_t i = 0; i < n; i++) {
        s->particle[i] = s->next.particle[from[i]];
        s->log_weight[i] = CP_BROKEN(BROKEN_KEEPS_WEIGHTS) ? s->next.log_weight[from[i]] : 0;
    }
    s->resamplings++;
}

copse_status cp_btree_smc_end(cp_btree_smc *s, const uint32_t *opt_ancestor, copse_error *err) {
    size_t n = s->opt.particles;
    CP_TRY(CP_GROW(s->ess, s->cap_ess, s->stages + 1, err));
    double ess = ess_of(s);
    s->ess[s->stages] = (float)(ess / (double)n);
    if (is_uneven(s, ess)) {
        resample(s, opt_ancestor);
    } else {
        memcpy(s->particle, s->next.particle, n * sizeof *s->particle);
        memcpy(s->log_weight, s->next.log_weight, n * sizeof *s->log_weight);
    }
    s->stages++;
    s->round = s->next.round;
    s->expanded = s->next.expanded;
    s->worked = s->next.worked;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- stages */

/* All particles at one block, from key[0] on; returns how many there are. */
static size_t same_block(const uint64_t *key, size_t n) {
    size_t m = 1;
    while (m < n && key[m] >> 32 == key[0] >> 32) m++;
    return m;
}

static copse_status one_round(cp_btree_smc *s, size_t n, const copse_run *run, copse_error *err) {
    s->proposer.stop = run ? run->stop : NULL;
    for (size_t i = 0, m; i < n; i += m) {
        m = same_block(s->key + i, n - i);
        cp_btree_smc_decide(s, s->key + i, m);
        CP_TRY(cp_fail_if_stopped(&s->proposer.halted, err));
    }
    for (size_t i = 0; i < n; i++) CP_TRY(cp_btree_smc_take(s, (uint32_t)s->key[i], err));
    return COPSE_OK;
}

static copse_status one_stage(cp_btree_smc *s, const copse_run *run, copse_error *err) {
    size_t n;
    CP_TRY(cp_btree_smc_begin(s, &n, err));
    s->done = !n || s->stages >= s->opt.max_stages;
    /* How far trees are from being whole cannot be known. */
    cp_log_progress(run, "stages", (double)s->stages, s->done ? (double)s->stages : 0);
    if (s->done) return COPSE_OK;
    for (;;) {
        CP_TRY(cp_btree_smc_gather(s, &n, err));
        if (!n) break;
        CP_TRY(one_round(s, n, run, err));
    }
    return cp_btree_smc_end(s, NULL, err);
}

/* Scratch of the size of the rows is held by islands that run, and not by all there are. */
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

/* While trees are put into the tree set. */
typedef struct harvest {
    cp_btree_smc *s;
    cp_tree_set *tree_set;
    int32_t *node; /* of each block in the tree at work, of each split's two sides */
    int32_t *tree; /* in which `node` holds */
    int32_t *leaf; /* of each block: the node that is it as a leaf, CP_NONE if not asked for yet */
    int32_t *root; /* of each state: its tree */
} harvest;

static copse_status leaf_node(harvest *h, int32_t block, int32_t *out, copse_error *err) {
    cp_btree_blocks *k = &h->s->states.blocks;
    if (h->leaf[block] == CP_NONE) {
        if (k->split[block / 2].pair == CP_NONE) CP_TRY(cp_btree_block_make(k, block, err));
        CP_TRY(cp_tree_set_leaf(h->tree_set, cp_btree_block_view(k, block).stat, &h->leaf[block], err));
    }
    *out = h->leaf[block];
    return COPSE_OK;
}

/* A side nobody has decided on is a leaf. */
static copse_status side_node(harvest *h, int32_t block, int32_t tree, int32_t *out, copse_error *err) {
    if (h->tree[block] != tree) return leaf_node(h, block, out, err);
    *out = h->node[block];
    return COPSE_OK;
}

static copse_status split_node(harvest *h, int32_t split, int32_t tree, int32_t *out, copse_error *err) {
    cp_btree_gap gap = h->s->states.blocks.split[split].gap;
    const float *value = cp_ranks_values(&h->s->b->ranks, gap.dim);
    cp_tree_set_node node = {.dim = (int32_t)gap.dim, .low = value[gap.low], .high = value[gap.high]};
    CP_TRY(side_node(h, 2 * split, tree, &node.left, err));
    CP_TRY(side_node(h, 2 * split + 1, tree, &node.right, err));
    return cp_tree_set_split(h->tree_set, &node, out, err);
}

/* Backwards along the decisions: a block's sides were decided on after it. */
static copse_status grow_tree(harvest *h, int32_t state, copse_error *err) {
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

static void no_ids(int32_t *id, size_t n) {
    memset(id, 0xff, n * sizeof *id);
}

static copse_status harvest_init(harvest *h, copse_error *err) {
    size_t blocks = 2 * h->s->states.blocks.splits, states = h->s->states.n;
    CP_TRY(CP_RAW(h->node, blocks, err));
    CP_TRY(CP_RAW(h->tree, blocks, err));
    CP_TRY(CP_RAW(h->leaf, blocks, err));
    CP_TRY(CP_RAW(h->root, states, err));
    no_ids(h->tree, blocks);
    no_ids(h->leaf, blocks);
    no_ids(h->root, states);
    return COPSE_OK;
}

static void harvest_clear(harvest *h) {
    cp_mem_free(h->node);
    cp_mem_free(h->tree);
    cp_mem_free(h->leaf);
    cp_mem_free(h->root);
}

static copse_status gather_trees(cp_btree_smc *s, cp_tree_set *tree_set, size_t *out_unique, copse_error *err) {
    size_t n = s->opt.particles;
    harvest h = {.s = s, .tree_set = tree_set};
    double log_total = cp_particle_log_mean(s->log_weight, n) + log((double)n);
    copse_status status;
    CP_TRY_OUT(harvest_init(&h, err));
    *out_unique = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t *root = &h.root[s->particle[i]];
        *out_unique += *root == CP_NONE;
        if (*root == CP_NONE) CP_TRY_OUT(grow_tree(&h, s->particle[i], err));
        CP_TRY_OUT(cp_tree_set_add(tree_set, *root, exp(s->log_weight[i] - log_total), err));
    }
out:
    harvest_clear(&h);
    return status;
}

double cp_btree_smc_log_marginal(const cp_btree_smc *s) {
    return s->log_z + cp_particle_log_mean(s->log_weight, s->opt.particles);
}

copse_status cp_btree_smc_finish(cp_btree_smc *s, cp_tree_set *tree_set, cp_btree_island *out, copse_error *err) {
    size_t standing;
    *out = (cp_btree_island){0};
    CP_TRY(cp_btree_smc_open(s, &standing, err));
    CP_TRY(gather_trees(s, tree_set, &out->unique, err));
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
