#include "btree/btree_stage.h"

#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"

/* tests/broken builds this file with known bugs, one at a time, to check that the tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

static int32_t head_of(const cp_btree_smc *s, int32_t state) {
    return s->states.state[state].head;
}

copse_status cp_btree_stage_open(cp_btree_smc *s, size_t *out_standing, copse_error *err) {
    *out_standing = 0;
    for (size_t i = 0; i < s->opt.particles; i++) {
        CP_TRY(cp_btree_state_open(&s->states, s->particle[i], err));
        *out_standing += head_of(s, s->particle[i]) != CP_NONE;
    }
    cp_btree_state_forget(&s->states);
    return COPSE_OK;
}

copse_status cp_btree_stage_begin(cp_btree_smc *s, size_t *out_standing, copse_error *err) {
    size_t n = s->opt.particles;
    if (!s->proposer.b) CP_TRY(cp_btree_propose_init(&s->proposer, s->b, &s->opt, err));
    CP_TRY(cp_btree_stage_open(s, out_standing, err));
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

/* Expansion by node: a particle decides in the first round only.  It has not decided if its state is unchanged. */
static int decides(const cp_btree_smc *s, size_t i) {
    int32_t head = head_of(s, s->next.particle[i]);
    if (head == CP_NONE) return 0;
    if (s->opt.expansion != CP_BTREE_LAYER) return s->next.particle[i] == s->particle[i];
    return cp_btree_block_depth(&s->states.blocks, head) == s->layer[i];
}

copse_status cp_btree_stage_gather(cp_btree_smc *s, size_t *out_n, copse_error *err) {
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

/* Sorts the particles by column, so that each column is loaded once; within a column they keep their order. */
static void choose_gaps(cp_btree_smc *s, const uint64_t *key, size_t n) {
    uint64_t *by_dim = s->key + s->opt.particles, *tmp = by_dim + s->opt.particles;
    for (size_t i = 0; i < n; i++) {
        uint32_t particle = (uint32_t)key[i];
        by_dim[i] = (uint64_t)(uint32_t)s->choice[particle].dim << 32 | particle;
    }
    cp_sort_wide(by_dim, n, tmp);
    for (size_t i = 0; i < n; i++) cp_btree_propose_gap(&s->proposer, &s->choice[(uint32_t)by_dim[i]]);
}

void cp_btree_stage_decide(cp_btree_smc *s, const uint64_t *key, size_t n) {
    cp_btree_view block = cp_btree_block_view(&s->states.blocks, (int32_t)(key[0] >> 32));
    cp_btree_propose_begin(&s->proposer, &block);
    for (size_t i = 0; i < n; i++) {
        uint32_t particle = (uint32_t)key[i];
        cp_rng rng;
        cp_rng_init(&rng, s->b->seed, CP_FOR_PARTICLE, (uint32_t)(s->island * s->opt.particles + particle),
                    s->next.round);
        cp_btree_propose_column(&s->proposer, &rng, &s->choice[particle]);
    }
    choose_gaps(s, key, n);
}

copse_status cp_btree_stage_take(cp_btree_smc *s, size_t particle, copse_error *err) {
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

/* Has no particle anything left to decide?  Then resampling would be useless.  The answer may be 0 by mistake: it looks
 * only at what is known without making blocks. */
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

static int must_resample(const cp_btree_smc *s, double ess) {
    return ess < s->opt.ess_threshold * (double)s->opt.particles && !is_last(s);
}

int cp_btree_stage_must_resample(const cp_btree_smc *s) {
    return must_resample(s, ess_of(s));
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

copse_status cp_btree_stage_end(cp_btree_smc *s, const uint32_t *opt_ancestor, copse_error *err) {
    size_t n = s->opt.particles;
    CP_TRY(CP_GROW(s->ess, s->cap_ess, s->stages + 1, err));
    double ess = ess_of(s);
    s->ess[s->stages] = (float)(ess / (double)n);
    if (must_resample(s, ess)) {
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
