/* The file of an island holds its trie of decisions and the state of each particle.  Blocks, queues and likelihoods are
 * rebuilt by replaying the decisions.  So nothing in the file can contradict the rows: a wrong file fails at the first
 * decision that is impossible. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "btree/btree_smc_file.h"
#include "btree/btree_stage.h"

/* The decisions of states 1, 2, ...: the parent state, and the gap, or dim = CP_NONE for a stop. */
typedef struct trie {
    size_t n;
    int32_t *parent, *dim;
    uint32_t *low, *high;
} trie;

static void trie_clear(trie *t) {
    cp_mem_free(t->parent);
    cp_mem_free(t->dim);
    cp_mem_free(t->low);
    cp_mem_free(t->high);
}

/* ------------------------------------------------------------------------------------------------------------ write */

static copse_status trie_of(const cp_btree_states *s, trie *t, copse_error *err) {
    t->n = s->n - 1;
    CP_TRY(CP_NEW(t->parent, t->n, err));
    CP_TRY(CP_NEW(t->dim, t->n, err));
    CP_TRY(CP_NEW(t->low, t->n, err));
    CP_TRY(CP_NEW(t->high, t->n, err));
    for (size_t i = 0; i < t->n; i++) {
        const cp_btree_state *state = &s->state[i + 1];
        t->parent[i] = state->parent;
        t->dim[i] = CP_NONE;
        if (state->split == CP_NONE) continue;
        cp_btree_gap gap = s->blocks.split[state->split].gap;
        t->dim[i] = (int32_t)gap.dim;
        t->low[i] = gap.low;
        t->high[i] = gap.high;
    }
    return COPSE_OK;
}

static copse_status write_trie(const trie *t, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_array(w, "parent", CP_I32, t->parent, t->n, err));
    CP_TRY(cp_writer_array(w, "dim", CP_I32, t->dim, t->n, err));
    CP_TRY(cp_writer_array(w, "low", CP_U32, t->low, t->n, err));
    return cp_writer_array(w, "high", CP_U32, t->high, t->n, err);
}

static copse_status write_counts(const cp_btree_smc *s, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "stages", (int64_t)s->stages, err));
    CP_TRY(cp_writer_i64(w, "round", (int64_t)s->round, err));
    CP_TRY(cp_writer_i64(w, "resamplings", (int64_t)s->resamplings, err));
    CP_TRY(cp_writer_i64(w, "expanded", (int64_t)s->expanded, err));
    CP_TRY(cp_writer_i64(w, "worked", (int64_t)s->worked, err));
    CP_TRY(cp_writer_f64(w, "log_z", s->log_z, err));
    return cp_writer_array(w, "ess", CP_F32, s->ess, s->stages, err);
}

copse_status cp_btree_smc_file_write(cp_btree_smc *s, cp_writer *w, copse_error *err) {
    size_t n = s->opt.particles, standing;
    trie t = {0};
    copse_status status;
    CP_TRY(cp_btree_stage_open(s, &standing, err));
    CP_TRY(cp_btree_state_compact(&s->states, s->particle, n, err));
    CP_TRY_OUT(trie_of(&s->states, &t, err));
    CP_TRY_OUT(write_trie(&t, w, err));
    CP_TRY_OUT(write_counts(s, w, err));
    CP_TRY_OUT(cp_writer_array(w, "particle", CP_I32, s->particle, n, err));
    CP_TRY_OUT(cp_writer_array(w, "log_weight", CP_F64, s->log_weight, n, err));
out:
    trie_clear(&t);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- read */

static const cp_number_rule number_rules[] = {
    {.name = "ess", .least = 0, .most = 1.01},
    {.name = "log_weight", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
};

static copse_status read_trie(cp_reader *r, trie *t, copse_error *err) {
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_count(r, "parent", CP_I32, &t->n, err));
    CP_TRY(cp_reader_array(r, "parent", CP_I32, t->n, &t->parent, err));
    CP_TRY(cp_reader_array(r, "dim", CP_I32, t->n, &t->dim, err));
    CP_TRY(cp_reader_array(r, "low", CP_U32, t->n, &t->low, err));
    CP_TRY(cp_reader_array(r, "high", CP_U32, t->n, &t->high, err));
    if (t->n >= INT32_MAX) return cp_reader_bad(r, err, "parent: too many states");
    for (size_t i = 0; i < t->n; i++)
        if (t->parent[i] < 0 || (size_t)t->parent[i] > i)
            return cp_reader_bad(r, err, "parent: state %zu comes before its parent", i + 1);
    return COPSE_OK;
}

static copse_status read_size(cp_reader *r, const char *name, uint64_t max, size_t *out, copse_error *err) {
    int64_t v;
    CP_TRY(cp_reader_i64(r, name, 0, max > (uint64_t)1 << 53 ? (int64_t)1 << 53 : (int64_t)max, &v, err));
    *out = (size_t)v;
    return COPSE_OK;
}

static copse_status read_counts(cp_btree_smc *s, cp_reader *r, copse_error *err) {
    size_t round;
    CP_TRY(read_size(r, "stages", s->opt.max_stages, &s->stages, err));
    CP_TRY(read_size(r, "round", UINT64_MAX, &round, err));
    CP_TRY(read_size(r, "resamplings", s->stages, &s->resamplings, err));
    CP_TRY(read_size(r, "expanded", UINT64_MAX, &s->expanded, err));
    CP_TRY(read_size(r, "worked", s->expanded, &s->worked, err));
    CP_TRY(cp_reader_f64(r, "log_z", -CP_NUMBER_LOG, CP_NUMBER_LOG, &s->log_z, err));
    s->round = round;
    CP_TRY(cp_reader_array(r, "ess", CP_F32, s->stages, &s->ess, err));
    s->cap_ess = s->stages;
    for (size_t i = 0; i < s->stages; i++)
        if (!(s->ess[i] >= 0 && s->ess[i] <= 1.001f))
            return cp_reader_bad(r, err, "ess: %g is no share", (double)s->ess[i]);
    return COPSE_OK;
}

static copse_status read_particles(cp_btree_smc *s, cp_reader *r, size_t states, copse_error *err) {
    size_t n = s->opt.particles;
    cp_mem_free(s->particle);
    cp_mem_free(s->log_weight);
    s->particle = NULL;
    s->log_weight = NULL;
    CP_TRY(cp_reader_array(r, "particle", CP_I32, n, &s->particle, err));
    CP_TRY(cp_reader_array(r, "log_weight", CP_F64, n, &s->log_weight, err));
    for (size_t i = 0; i < n; i++) {
        if (s->particle[i] < 0 || (size_t)s->particle[i] >= states)
            return cp_reader_bad(r, err, "particle: there is no state %d", (int)s->particle[i]);
        if (!(fabs(s->log_weight[i]) < 1e300)) return cp_reader_bad(r, err, "log_weight: not finite");
    }
    return COPSE_OK;
}

/* The replay of the decisions.  A state of the file is needed while a child of it is still to come or a particle is in
 * it.  Rows and queues are kept for needed states only, so the replay takes no more memory than the particles did. */
typedef struct replay {
    cp_btree_smc *s;
    const trie *t;
    int32_t *state;    /* of each state of the file: its number now */
    uint32_t *needed;  /* of each state of the file: children to come, plus particles */
    int32_t *frontier; /* scratch: states that are needed */
    cp_map seen;       /* decisions so far */
} replay;

static copse_status replay_init(replay *p, copse_error *err) {
    size_t n = p->t->n + 1;
    CP_TRY(CP_NEW(p->state, n, err));
    CP_TRY(CP_NEW(p->needed, n, err));
    CP_TRY(CP_NEW(p->frontier, n, err));
    for (size_t i = 0; i < p->t->n; i++) p->needed[p->t->parent[i]]++;
    for (size_t i = 0; i < p->s->opt.particles; i++) p->needed[p->s->particle[i]]++;
    return COPSE_OK;
}

static void replay_clear(replay *p) {
    cp_mem_free(p->state);
    cp_mem_free(p->needed);
    cp_mem_free(p->frontier);
    cp_map_clear(&p->seen);
}

static copse_status check_decision(replay *p, size_t i, cp_reader *r, copse_error *err) {
    const cp_btree_blocks *k = &p->s->states.blocks;
    int32_t head = p->s->states.state[p->state[p->t->parent[i]]].head, dim = p->t->dim[i];
    cp_btree_gap gap = {.dim = (uint32_t)dim, .low = p->t->low[i], .high = p->t->high[i]};
    if (!p->needed[i + 1]) return cp_reader_bad(r, err, "parent: no particle is in state %zu", i + 1);
    if (head == CP_NONE) return cp_reader_bad(r, err, "parent: nothing to decide for state %zu", i + 1);
    if (dim != CP_NONE && (dim < 0 || !cp_btree_block_has_gap(k, head, gap)))
        return cp_reader_bad(r, err, "dim, low, high: no such gap for state %zu", i + 1);
    uint32_t what = dim == CP_NONE ? UINT32_MAX : (uint32_t)(k->b->ranks.start[gap.dim] + gap.high);
    uint64_t key = (uint64_t)(uint32_t)p->t->parent[i] << 32 | what;
    if (cp_map_find(&p->seen, key) != CP_NONE) return cp_reader_bad(r, err, "parent: state %zu is there twice", i + 1);
    return cp_map_add(&p->seen, key, 0, err);
}

static copse_status replay_one(replay *p, size_t i, cp_reader *r, copse_error *err) {
    cp_btree_states *t = &p->s->states;
    int32_t parent = p->state[p->t->parent[i]], split = CP_NONE;
    CP_TRY(check_decision(p, i, r, err));
    if (p->t->dim[i] != CP_NONE) {
        cp_btree_gap gap = {.dim = (uint32_t)p->t->dim[i], .low = p->t->low[i], .high = p->t->high[i]};
        CP_TRY(cp_btree_block_split(&t->blocks, t->state[parent].head, gap, &split, err));
    }
    CP_TRY(cp_btree_state_next(t, parent, split, &p->state[i + 1], err));
    p->needed[p->t->parent[i]]--;
    return cp_btree_state_open(t, p->state[i + 1], err);
}

static copse_status replay_compact(replay *p, size_t states, copse_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < states; i++)
        if (p->needed[i]) p->frontier[n++] = p->state[i];
    CP_TRY(cp_btree_state_compact(&p->s->states, p->frontier, n, err));
    n = 0;
    for (size_t i = 0; i < states; i++)
        if (p->needed[i]) p->state[i] = p->frontier[n++];
    return COPSE_OK;
}

static copse_status replay_decisions(cp_btree_smc *s, const trie *t, cp_reader *r, copse_error *err) {
    replay p = {.s = s, .t = t};
    copse_status status;
    CP_TRY_OUT(replay_init(&p, err));
    for (size_t i = 0; i < t->n; i++) {
        CP_TRY_OUT(replay_one(&p, i, r, err));
        if (cp_btree_state_is_full(&s->states)) CP_TRY_OUT(replay_compact(&p, i + 2, err));
    }
    for (size_t i = 0; i < s->opt.particles; i++) s->particle[i] = p.state[s->particle[i]];
out:
    replay_clear(&p);
    return status;
}

copse_status cp_btree_smc_file_read(cp_reader *r, const cp_btree_problem *b, const cp_btree_smc_options *opt,
                                    size_t island, cp_btree_smc **out, copse_error *err) {
    trie t = {0};
    cp_btree_smc *s;
    copse_status status;
    CP_TRY(cp_btree_smc_new(b, opt, island, &s, err));
    CP_TRY_OUT(read_trie(r, &t, err));
    CP_TRY_OUT(read_counts(s, r, err));
    CP_TRY_OUT(read_particles(s, r, t.n + 1, err));
    CP_TRY_OUT(replay_decisions(s, &t, r, err));
    *out = s;
out:
    trie_clear(&t);
    if (status) cp_btree_smc_free(s);
    return status;
}
