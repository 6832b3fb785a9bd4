#include "mondrian/mondrian_rechoose.h"

#include <math.h>
#include <string.h>

#include "kernel/sort.h"
#include "mondrian/mondrian_split.h"
#include "mondrian/mondrian_subtree.h"
#include "mondrian/mondrian_targets.h"
#include "num/draw.h"

#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

/* How the way of a row ends. */
typedef enum outcome {
    APPEND,  /* it joins the leaf `node` */
    BLOCK,   /* `node` is sampled anew from its rows */
    CHILDREN /* `node` gets the split `split`, and its children are sampled anew */
} outcome;

/* One row that is being added.  First all is found out, then memory is reserved, then the tree changes. */
typedef struct insertion {
    cp_mondrian_tree *t;
    const cp_mondrian_space *s;
    int32_t row;
    const float *x;
    cp_rng *rng;
    cp_mondrian_rechoose_scratch *scratch;
    size_t levels, redrawn; /* used of scratch->level, of scratch->candidate */

    outcome outcome;
    int32_t node;
    cp_mondrian_split split;
    double wait;          /* BLOCK: until its split; 0: is drawn */
    size_t rows, vacated; /* BLOCK, CHILDREN: under the node, with the new one; nodes below it now */
} insertion;

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Scratch for blocks of n rows. */
static copse_status need_rows(const insertion *in, size_t n, copse_error *err) {
    cp_mondrian_rechoose_scratch *d = in->scratch;
    cp_arena *arena = &d->arena;
    if (n <= d->grow.n) return COPSE_OK;
    cp_arena_reset(arena);
    d->id = cp_arena_get(arena, 4 * n + 1, sizeof *d->id);
    d->key = cp_arena_get(arena, 2 * n, sizeof *d->key);
    d->spare = cp_arena_get(arena, 2 * n, sizeof *d->spare);
    d->is_new = cp_arena_get(arena, in->s->candidates, 1);
    d->box = cp_arena_get(arena, 2 * in->s->dims, sizeof *d->box);
    d->grow.n = 0;
    if (!d->id || !d->key || !d->spare || !d->is_new || !d->box) return cp_fail_memory(err);
    return cp_mondrian_grow_alloc(&d->grow, 2 * n, in->s, arena, err);
}

/* One more level, and room for its candidates. */
static copse_status add_level(insertion *in, int32_t node, cp_mondrian_rechoose_level **out, copse_error *err) {
    cp_mondrian_rechoose_scratch *d = in->scratch;
    CP_TRY(CP_GROW(d->level, d->cap_levels, in->levels + 1, err));
    CP_TRY(CP_GROW(d->candidate, d->cap_candidates, in->redrawn + in->s->candidates, err));
    *out = &d->level[in->levels++];
    **out = (cp_mondrian_rechoose_level){
        .node = node, .last = in->t->choice[in->t->chosen[node]].last, .redrawn = SIZE_MAX};
    return COPSE_OK;
}

/* Room for what was found.  A subtree that is sampled anew first takes the places of the old one. */
static copse_status reserve(const insertion *in, copse_error *err) {
    cp_mondrian_tree *t = in->t;
    size_t nodes = 2 * in->rows, more = nodes > in->vacated ? nodes - in->vacated : 0, need = 0;
    for (size_t i = 0; in->s->keeps_counts && i < in->levels; i++)
        need += cp_mondrian_counts_need(t, &t->node[in->scratch->level[i].node], in->s->label[in->row]);
    if (need) CP_TRY(cp_mondrian_counts_reserve_more(t, in->s, in->outcome == APPEND ? 1 : in->rows, need, err));
    if (in->outcome == APPEND) {
        if (!need) CP_TRY(cp_mondrian_targets_reserve_leaf(t, in->s, &t->node[in->node], in->row, err));
        return cp_mondrian_tree_reserve(t, in->s, 0, in->levels + 1, err);
    }
    if (!need) CP_TRY(cp_mondrian_targets_reserve(t, in->s, in->rows, err));
    return cp_mondrian_tree_reserve(t, in->s, more + 2, in->levels + in->rows / 2 + 2, err);
}

/* ------------------------------------------------------------------------------------------------------------- rows */

/* Writes the rows under a node to grow.row, those after `last` left out; returns how many.  Their order is that of the
 * leaves. */
static size_t gather(const insertion *in, int32_t node, int32_t last) {
    const cp_mondrian_tree *t = in->t;
    int32_t *row = in->scratch->grow.row, *id = in->scratch->id;
    size_t n = 0, nodes = cp_mondrian_subtree_list(t, node, id);
    id[nodes++] = node;
    for (size_t i = 0; i < nodes; i++) {
        if (!cp_mondrian_tree_is_leaf(&t->node[id[i]])) continue;
        for (int32_t r = t->node[id[i]].head; r != CP_NONE; r = t->next[r]) {
            row[n] = r;
            n += r <= last;
        }
    }
    return n;
}

static void sort_rows(const insertion *in, size_t n) {
    enum { FEW = 16 };
    int32_t *row = in->scratch->grow.row;
    uint64_t *key = in->scratch->key;
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++)
            for (size_t k = i; k > 0 && row[k] < row[k - 1]; k--) {
                int32_t swap = row[k];
                row[k] = row[k - 1];
                row[k - 1] = swap;
            }
        return;
    }
    for (size_t i = 0; i < n; i++) key[i] = (uint64_t)(uint32_t)row[i] << 32;
    cp_sort_wide(key, n, in->scratch->spare);
    for (size_t i = 0; i < n; i++) row[i] = (int32_t)(key[i] >> 32);
}

/* ------------------------------------------------------------------------------------------------------------- find */

static const cp_mondrian_split *candidates_of(const insertion *in, int32_t node) {
    return in->t->candidate + (size_t)in->t->chosen[node] * in->s->candidates;
}

static size_t in_force(const insertion *in, int32_t node) {
    const cp_mondrian_split *c = candidates_of(in, node);
    const cp_mondrian_node *n = &in->t->node[node];
    size_t k = 0;
    while (c[k].dim != n->dim || c[k].cut != n->cut) k++;
    return k;
}

/* Redraws candidates as the box grows by `outside` to hold x; returns whether there were any. */
static int redraw(insertion *in, cp_mondrian_rechoose_level *level, const float *box, double outside) {
    const cp_mondrian_space *s = in->s;
    cp_mondrian_split *c = in->scratch->candidate + in->redrawn;
    double share = outside / (s->kern->extent(box, s->dims) + outside);
    int any = 0;
    memcpy(c, candidates_of(in, level->node), s->candidates * sizeof *c);
    for (size_t k = 0; k < s->candidates; k++) {
        int replace = cp_rng_unit(in->rng) < share && !CP_BROKEN(BROKEN_CANDIDATES_STAY);
        if (replace) c[k] = cp_mondrian_split_draw_outside(s, box, in->x, outside, in->rng);
        in->scratch->is_new[k] = (unsigned char)replace;
        any |= replace;
    }
    if (!any) return 0;
    level->redrawn = in->redrawn;
    in->redrawn += s->candidates;
    return 1;
}

/* The labels choose again; returns whether the split changes.  `voters` of the node's rows choose, with the new one. */
static int choose(insertion *in, cp_mondrian_rechoose_level *level, size_t rows, size_t voters) {
    const cp_mondrian_rechoose_scratch *d = in->scratch;
    const cp_mondrian_split *c =
        level->redrawn == SIZE_MAX ? candidates_of(in, level->node) : d->candidate + level->redrawn;
    if (voters == rows) level->last = in->row;
    size_t n = gather(in, level->node, level->last);
    if (voters == rows) d->grow.row[n++] = in->row;
    size_t best = cp_mondrian_candidates_best(&d->grow.candidates, in->s, c, d->grow.row, n);
    in->split = c[best];
    return best != in_force(in, level->node) || (level->redrawn != SIZE_MAX && d->is_new[best]);
}

static void end_with(insertion *in, outcome how, int32_t node, size_t rows) {
    in->outcome = how;
    in->node = node;
    in->rows = rows;
    in->vacated = how == APPEND ? 0 : cp_mondrian_subtree_list(in->t, node, in->scratch->id);
}

/* A leaf that is not paused has no extent, or its time is over: then it splits Exp(the row's distance) after its
 * parent. */
static copse_status find_leaf(insertion *in, int32_t node, double since, copse_error *err) {
    const cp_mondrian_space *s = in->s;
    const cp_mondrian_node *leaf = &in->t->node[node];
    size_t rows = (size_t)leaf->count + 1;
    int paused = rows < s->min_split || (s->label && leaf->label == s->label[in->row]);
    CP_TRY(need_rows(in, rows, err));
    end_with(in, APPEND, node, rows);
    if (paused) return COPSE_OK;
    if (!cp_mondrian_tree_paused(s, leaf)) {
        double outside = cp_mondrian_tree_outside(in->t, s, leaf, in->x);
        if (!(outside > 0)) return COPSE_OK;
        in->wait = cp_draw_exp(in->rng) / outside;
        if (!(since + in->wait < s->lifetime)) return COPSE_OK;
    }
    end_with(in, BLOCK, node, rows);
    return COPSE_OK;
}

/* A split that keeps candidates: *out_stays tells whether x goes on to a child.  `since` and `was`: the time of the
 * split above it, as it will be and as it is. */
static copse_status find_split(insertion *in, int32_t node, double since, double was, int *out_stays,
                               copse_error *err) {
    const cp_mondrian_space *s = in->s;
    const cp_mondrian_node *n = &in->t->node[node];
    cp_mondrian_rechoose_level *level;
    size_t rows = (size_t)in->t->choice[in->t->chosen[node]].rows + 1, voters = cp_mondrian_candidates_voters(s, rows);
    CP_TRY(need_rows(in, rows, err));
    CP_TRY(add_level(in, node, &level, err));
    const float *box = cp_mondrian_tree_box(in->t, s, n, in->scratch->box);
    double outside = s->kern->outside(box, in->x, s->dims), wait = n->time - was;
    int changed = 0, drawn = 0;
    if (outside > 0) {
        double sooner = cp_draw_exp(in->rng) / outside;
        drawn = redraw(in, level, box, outside);
        if (sooner < wait && !CP_BROKEN(BROKEN_TIMES_STAY)) {
            level->time = since + sooner;
            /* below, all that the lifetime has cut off may happen now */
            changed = s->lifetime < INFINITY && !CP_BROKEN(BROKEN_SUBTREE_STAYS);
            in->split = (cp_mondrian_split){n->dim, n->cut};
        }
    }
    if (drawn || voters == rows) changed |= choose(in, level, rows, voters);
    *out_stays = !changed;
    if (changed) end_with(in, CP_BROKEN(BROKEN_NODE_REDRAWN) ? BLOCK : CHILDREN, node, rows);
    return COPSE_OK;
}

static copse_status find(insertion *in, copse_error *err) {
    const cp_mondrian_tree *t = in->t;
    double since = 0, was = 0;
    for (int32_t j = 0;;) {
        const cp_mondrian_node *n = &t->node[j];
        int stays;
        if (cp_mondrian_tree_is_leaf(n)) return find_leaf(in, j, since, err);
        if (t->chosen[j] == CP_NONE) {
            CP_TRY(need_rows(in, in->s->record_rows, err));
            end_with(in, BLOCK, j, in->s->record_rows);
            return COPSE_OK;
        }
        CP_TRY(find_split(in, j, since, was, &stays, err));
        if (!stays) return COPSE_OK;
        double own = in->scratch->level[in->levels - 1].time;
        since = own > 0 ? own : since + (n->time - was);
        was = n->time;
        j = in->x[n->dim] <= n->cut ? n->left : n->right;
    }
}

/* ------------------------------------------------------------------------------------------------------------ apply */

/* The row joins the splits on its way. */
static void apply_level(const insertion *in, const cp_mondrian_rechoose_level *level) {
    cp_mondrian_tree *t = in->t;
    size_t m = in->s->candidates;
    cp_mondrian_choice *choice = &t->choice[t->chosen[level->node]];
    cp_mondrian_tree_include(t, in->s, &t->node[level->node], in->x);
    cp_mondrian_targets_add_split(t, in->s, level->node, in->row);
    choice->rows++;
    choice->last = level->last;
    if (level->redrawn != SIZE_MAX)
        memcpy(t->candidate + (size_t)t->chosen[level->node] * m, in->scratch->candidate + level->redrawn,
               m * sizeof *t->candidate);
}

static void append(const insertion *in) {
    cp_mondrian_node *leaf = &in->t->node[in->node];
    cp_mondrian_targets_add(in->t, in->s, in->node, in->row);
    cp_mondrian_tree_include(in->t, in->s, leaf, in->x);
    in->t->next[in->row] = leaf->head;
    leaf->head = in->row;
    leaf->count++;
}

/* All rows of the node, the new one last; the places below the node become vacant. */
static size_t take_apart(const insertion *in) {
    cp_mondrian_grow_scratch *grow = &in->scratch->grow;
    size_t n = gather(in, in->node, INT32_MAX);
    sort_rows(in, n);
    grow->row[n] = in->row;
    grow->vacants = cp_mondrian_subtree_list(in->t, in->node, in->scratch->id);
    grow->vacant = in->scratch->id;
    cp_mondrian_subtree_vacate(in->t, in->s, grow->vacant, grow->vacants);
    return n + 1;
}

static void grow_block(const insertion *in) {
    cp_mondrian_tree *t = in->t;
    cp_mondrian_grow_scratch *grow = &in->scratch->grow;
    double since = in->levels ? t->node[in->scratch->level[in->levels - 1].node].time : 0;
    if (in->s->label && !in->s->keeps_counts && !cp_mondrian_tree_is_leaf(&t->node[in->node]))
        cp_mondrian_hnsp_free_set(t, in->s, &t->node[in->node]);
    size_t n = take_apart(in);
    cp_mondrian_grow(t, in->s, (cp_mondrian_block){in->node, since, in->wait, grow->row, n}, grow, in->rng);
}

/* The children keep their places. */
static void grow_children(const insertion *in) {
    cp_mondrian_tree *t = in->t;
    cp_mondrian_grow_scratch *grow = &in->scratch->grow;
    cp_mondrian_node *node = &t->node[in->node];
    size_t n = take_apart(in), left = cp_mondrian_split_rows(in->s, in->split, grow->row, n, grow->spare);
    const cp_mondrian_block child[2] = {{node->left, node->time, 0, grow->row, left},
                                        {node->right, node->time, 0, grow->row + left, n - left}};
    node->dim = in->split.dim;
    node->cut = in->split.cut;
    for (int k = 0; k < 2; k++) {
        t->node[child[k].node] = (cp_mondrian_node){.left = CP_NONE, .box = CP_NONE};
        t->chosen[child[k].node] = CP_NONE;
    }
    grow->vacant += 2;
    grow->vacants -= 2;
    for (int k = 0; k < 2; k++) cp_mondrian_grow(t, in->s, child[k], grow, in->rng);
}

static void apply(const insertion *in) {
    cp_mondrian_tree *t = in->t;
    cp_mondrian_grow_scratch *grow = &in->scratch->grow;
    for (size_t i = 0; i < in->levels; i++) {
        const cp_mondrian_rechoose_level *level = &in->scratch->level[i];
        apply_level(in, level);
        if (level->time > 0) cp_mondrian_subtree_retime(t, level->node, level->time, in->scratch->id);
    }
    grow->vacants = 0;
    if (in->outcome == APPEND) append(in);
    if (in->outcome == BLOCK) grow_block(in);
    if (in->outcome == CHILDREN) grow_children(in);
    cp_mondrian_subtree_close(t, in->s, grow->vacant, grow->vacants);
}

copse_status cp_mondrian_rechoose(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                  cp_mondrian_rechoose_scratch *scratch, copse_error *err) {
    int32_t row = (int32_t)t->rows;
    insertion in = {.t = t, .s = s, .row = row, .x = cp_mondrian_tree_row(s, row), .rng = rng, .scratch = scratch};
    if (s->label) CP_TRY(s->keeps_counts ? cp_mondrian_counts_tidy(t, err) : cp_mondrian_hnsp_tidy(t, err));
    CP_TRY(find(&in, err));
    CP_TRY(reserve(&in, err));
    apply(&in);
    t->rows++;
    return COPSE_OK;
}

void cp_mondrian_rechoose_init(cp_mondrian_rechoose_scratch *scratch) {
    *scratch = (cp_mondrian_rechoose_scratch){0};
    cp_arena_init(&scratch->arena);
}

void cp_mondrian_rechoose_clear(cp_mondrian_rechoose_scratch *scratch) {
    cp_arena_clear(&scratch->arena);
    cp_mem_free(scratch->level);
    cp_mem_free(scratch->candidate);
}
