#include "btree/btree_state.h"

#include <string.h>

#include "base/mem.h"

copse_status cp_btree_state_init(cp_btree_states *t, const cp_btree_problem *b, cp_btree_expansion expansion,
                                 copse_error *err) {
    copse_status status;
    *t = (cp_btree_states){.cells.by_key = expansion == CP_BTREE_NODE_LIKELIHOOD};
    CP_TRY_OUT(cp_btree_block_init(&t->blocks, b, err));
    CP_TRY_OUT(CP_GROW(t->state, t->cap, 1, err));
    t->state[0] = (cp_btree_state){.parent = CP_NONE, .split = CP_NONE, .head = CP_NONE};
    t->state[0].waiting = cp_btree_queue_empty();
    t->n = 1;
    if (cp_btree_block_view(&t->blocks, 0).open) t->state[0].head = 0;
out:
    if (status) cp_btree_state_clear(t);
    return status;
}

void cp_btree_state_clear(cp_btree_states *t) {
    cp_btree_block_clear(&t->blocks);
    cp_btree_queue_clear(&t->cells);
    cp_mem_free(t->state);
    cp_map_clear(&t->fresh);
    *t = (cp_btree_states){0};
}

/* ---------------------------------------------------------------------------------------------------------- opening */

/* A queue by likelihood needs the likelihood of the block, so the block is made now. */
static copse_status enqueue(cp_btree_states *t, cp_btree_queue *q, int32_t block, copse_error *err) {
    double key = 0;
    if (t->cells.by_key) {
        CP_TRY(cp_btree_block_make(&t->blocks, block, err));
        key = cp_btree_block_view(&t->blocks, block).log_lik;
    }
    return cp_btree_queue_push(&t->cells, q, block, key, err);
}

copse_status cp_btree_state_open(cp_btree_states *t, int32_t state, copse_error *err) {
    cp_btree_state *s = &t->state[state];
    if (s->head != CP_BTREE_UNOPENED) return COPSE_OK;
    cp_btree_queue q = t->state[s->parent].waiting;
    if (s->split != CP_NONE) {
        CP_TRY(enqueue(t, &q, 2 * s->split, err));
        CP_TRY(enqueue(t, &q, 2 * s->split + 1, err));
    }
    for (;;) {
        int32_t block;
        CP_TRY(cp_btree_queue_pop(&t->cells, &q, &block, err));
        if (block != CP_NONE) CP_TRY(cp_btree_block_make(&t->blocks, block, err));
        if (block != CP_NONE && !cp_btree_block_view(&t->blocks, block).open) continue;
        s->head = block;
        s->waiting = q;
        return COPSE_OK;
    }
}

copse_status cp_btree_state_next(cp_btree_states *t, int32_t state, int32_t split, int32_t *out_state,
                                 copse_error *err) {
    uint64_t key = (uint64_t)(uint32_t)state << 32 | (uint32_t)split;
    *out_state = cp_map_find(&t->fresh, key);
    if (*out_state != CP_NONE) return COPSE_OK;
    if (t->n >= INT32_MAX) return cp_fail_memory(err);
    CP_TRY(CP_GROW(t->state, t->cap, t->n + 1, err));
    CP_TRY(cp_map_add(&t->fresh, key, (int32_t)t->n, err));
    t->state[t->n] = (cp_btree_state){.parent = state, .split = split, .head = CP_BTREE_UNOPENED};
    t->state[t->n].waiting = cp_btree_queue_empty();
    *out_state = (int32_t)t->n++;
    return COPSE_OK;
}

void cp_btree_state_forget(cp_btree_states *t) {
    cp_map_reset(&t->fresh);
}

/* ------------------------------------------------------------------------------------------------------- compacting */

/* New numbers of states, cells and splits, CP_NONE for those dropped; and what is needed of each split. */
typedef struct compaction {
    int32_t *state, *cell, *split;
    unsigned char *need;
} compaction;

static copse_status compaction_init(compaction *p, const cp_btree_states *t, copse_error *err) {
    *p = (compaction){0};
    CP_TRY(CP_RAW(p->state, t->n, err));
    CP_TRY(CP_RAW(p->cell, t->cells.n, err));
    CP_TRY(CP_RAW(p->split, t->blocks.splits, err));
    CP_TRY(CP_NEW(p->need, t->blocks.splits, err));
    memset(p->state, 0xff, t->n * sizeof *p->state);
    memset(p->cell, 0xff, t->cells.n * sizeof *p->cell);
    return COPSE_OK;
}

static void compaction_clear(compaction *p) {
    cp_mem_free(p->state);
    cp_mem_free(p->cell);
    cp_mem_free(p->split);
    cp_mem_free(p->need);
}

/* Marks the particles' states with their waiting blocks, and all ancestors of these states. */
static void mark_states(const cp_btree_states *t, const int32_t *particle, size_t n, compaction *p) {
    for (size_t i = 0; i < n; i++) {
        const cp_btree_state *s = &t->state[particle[i]];
        if (p->state[particle[i]] != CP_NONE) continue;
        p->state[particle[i]] = 0;
        cp_btree_queue_mark(p->cell, s->waiting);
        if (s->head != CP_NONE) cp_btree_block_wait(&t->blocks, s->head, p->need);
    }
    p->state[0] = 0;
    for (size_t i = t->n; i-- > 1;) {
        if (p->state[i] == CP_NONE) continue;
        p->state[t->state[i].parent] = 0;
        if (t->state[i].split != CP_NONE) p->need[t->state[i].split] |= CP_BTREE_NEED_SPLIT;
    }
}

static void move_states(cp_btree_states *t, compaction *p) {
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (p->state[i] == CP_NONE) continue;
        cp_btree_state s = t->state[i];
        if (s.parent != CP_NONE) s.parent = p->state[s.parent];
        if (s.split != CP_NONE) s.split = p->split[s.split];
        s.head = cp_btree_block_moved(p->split, s.head);
        p->state[i] = (int32_t)n;
        t->state[n++] = s;
    }
    t->n = n;
}

/* States without a particle keep their decision only. */
static void empty_left_states(cp_btree_states *t, const int32_t *particle, size_t n, const compaction *p) {
    for (size_t i = 0; i < n; i++)
        if (p->state[particle[i]] == 0) p->state[particle[i]] = 1;
    for (size_t i = 0; i < t->n; i++) {
        if (p->state[i] != 1)
            t->state[i].waiting = cp_btree_queue_empty();
        else
            cp_btree_queue_move(p->cell, &t->state[i].waiting);
    }
}

copse_status cp_btree_state_compact(cp_btree_states *t, int32_t *particle, size_t n, copse_error *err) {
    compaction p;
    copse_status status;
    CP_TRY_OUT(compaction_init(&p, t, err));
    mark_states(t, particle, n, &p);
    cp_btree_queue_compact(&t->cells, p.cell);
    for (size_t i = 0; i < t->cells.n; i++) cp_btree_block_wait(&t->blocks, t->cells.cell[i].block, p.need);
    cp_btree_block_compact(&t->blocks, p.need, p.split);
    for (size_t i = 0; i < t->cells.n; i++)
        t->cells.cell[i].block = cp_btree_block_moved(p.split, t->cells.cell[i].block);
    empty_left_states(t, particle, n, &p);
    move_states(t, &p);
    for (size_t i = 0; i < n; i++) particle[i] = p.state[particle[i]];
    cp_map_reset(&t->fresh);
    t->kept_states = t->n;
    t->kept_cells = t->cells.n;
    t->kept_rows = t->blocks.rows;
    t->kept_splits = t->blocks.splits;
out:
    compaction_clear(&p);
    return status;
}

/* Due at twice what was kept last time, plus a constant.  So the work of compacting is a fraction of the work of
 * making, and at most half of the memory is unused. */
int cp_btree_state_is_full(const cp_btree_states *t) {
    enum { SLACK = 4096 };
    return t->n > 2 * t->kept_states + SLACK || t->cells.n > 2 * t->kept_cells + SLACK ||
           t->blocks.splits > 2 * t->kept_splits + SLACK ||
           t->blocks.rows > 2 * t->kept_rows + 2 * t->blocks.b->ranks.rows + SLACK;
}

/* ------------------------------------------------------------------------------------------------------------ check */

static const char *check_state(const cp_btree_states *t, size_t i) {
    const cp_btree_state *s = &t->state[i];
    const cp_btree_state *parent = &t->state[s->parent];
    if (parent->head < 0 || !cp_btree_block_view(&t->blocks, parent->head).open)
        return "S3: the parent has nothing to decide";
    if (s->split != CP_NONE && t->blocks.split[s->split].parent != parent->head)
        return "S3: the split is of another block";
    return NULL;
}

static const char *check_cell(const cp_btree_states *t, size_t i) {
    const cp_btree_cell *c = &t->cells.cell[i];
    const cp_btree_blocks *k = &t->blocks;
    if (c->next >= (int32_t)i || c->right >= (int32_t)i) return "Q1: a cell points to a later one";
    if (cp_btree_block_has_rows(k, c->block) || cp_btree_block_has_rows(k, k->split[c->block / 2].parent)) return NULL;
    return "B4: no rows to make a waiting block from";
}

const char *cp_btree_state_check(const cp_btree_states *t) {
    cp_map seen = {0};
    const char *bad = cp_btree_block_check(&t->blocks);
    for (size_t i = 1; i < t->n && !bad; i++) {
        const cp_btree_state *s = &t->state[i];
        uint64_t key = (uint64_t)(uint32_t)s->parent << 32 | (uint32_t)s->split;
        if (s->parent < 0 || (size_t)s->parent >= i)
            bad = "S1: a state comes before its parent";
        else if (cp_map_find(&seen, key) != CP_NONE)
            bad = "S2: a state is there twice";
        else
            bad = check_state(t, i);
        if (!bad && cp_map_add(&seen, key, (int32_t)i, NULL)) bad = "no memory to check";
    }
    cp_map_clear(&seen);
    for (size_t i = 0; i < t->cells.n && !bad; i++) bad = check_cell(t, i);
    return bad;
}
