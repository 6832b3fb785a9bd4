#include "mondrian/mondrian_grow.h"

#include <string.h>

#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_split.h"
#include "mondrian/mondrian_targets.h"
#include "num/draw.h"

/* What all blocks of a call have in common. */
typedef struct grower {
    cp_mondrian_tree *t;
    const cp_mondrian_space *s;
    cp_mondrian_grow_scratch *scratch;
    cp_rng *rng;
} grower;

static int one_class(const cp_mondrian_space *s, const int32_t *row, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (s->label[row[i]] != s->label[row[0]]) return 0;
    return 1;
}

static void make_leaf(cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_block *b, int pure) {
    cp_mondrian_node *leaf = &t->node[b->node];
    leaf->time = s->lifetime;
    leaf->left = CP_NONE;
    leaf->head = b->row[0];
    leaf->count = (int32_t)b->n;
    leaf->label = CP_NONE;
    leaf->class_set = 0;
    for (size_t i = 0; i < b->n; i++) t->next[b->row[i]] = i + 1 < b->n ? b->row[i + 1] : CP_NONE;
    if (pure) leaf->label = s->label[b->row[0]];
    if (s->label && !pure) cp_mondrian_hnsp_count(t, s, leaf);
}

/* The box of the block: the node's own if it has enough rows, else in buf. */
static const float *block_box(cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_block *b, float *buf) {
    cp_mondrian_node *node = &t->node[b->node];
    float *box = buf;
    if (b->n > CP_MONDRIAN_HULL_ROWS) {
        if (!cp_mondrian_tree_has_box(node)) node->box = cp_mondrian_tree_new_box(t, s);
        box = cp_mondrian_tree_own_box(t, s, node->box);
    }
    s->kern->hull(s->x, s->dims, b->row, b->n, box);
    return box;
}

int32_t cp_mondrian_grow_node(cp_mondrian_tree *t) {
    t->node[t->nodes] = (cp_mondrian_node){.left = CP_NONE, .box = CP_NONE};
    if (t->chosen) t->chosen[t->nodes] = CP_NONE;
    return (int32_t)t->nodes++;
}

/* A node for half a block: in a vacant place if there is one. */
static int32_t make_node(const grower *g) {
    cp_mondrian_grow_scratch *scratch = g->scratch;
    int32_t id;
    if (g->s->candidates == 1) return cp_mondrian_grow_node(g->t);
    if (scratch->vacants) {
        scratch->vacants--;
        id = *scratch->vacant++;
        g->t->node[id] = (cp_mondrian_node){.left = CP_NONE, .box = CP_NONE};
        g->t->chosen[id] = CP_NONE;
    } else {
        id = cp_mondrian_grow_node(g->t);
    }
    scratch->made[scratch->mades++] = id;
    return id;
}

/* Keeps the candidates of the block's split. */
static void keep_candidates(const grower *g, const cp_mondrian_block *b, size_t voters) {
    cp_mondrian_tree *t = g->t;
    size_t m = g->s->candidates;
    int32_t place = cp_mondrian_tree_new_choice(t);
    t->chosen[b->node] = place;
    t->choice[place] = (cp_mondrian_choice){.rows = (int32_t)b->n, .last = b->row[voters - 1]};
    memcpy(t->candidate + (size_t)place * m, g->scratch->candidates.draw, m * sizeof *t->candidate);
}

/* Draws candidates and lets the block's first rows choose one. */
static cp_mondrian_split choose_split(const grower *g, const cp_mondrian_block *b, const float *box) {
    const cp_mondrian_space *s = g->s;
    const cp_mondrian_candidates_scratch *c = &g->scratch->candidates;
    size_t voters = cp_mondrian_candidates_voters(s, b->n);
    for (size_t k = 0; k < s->candidates; k++) c->draw[k] = cp_mondrian_candidates_draw(c, box, s->dims, g->rng);
    if (b->n >= s->record_rows) keep_candidates(g, b, voters);
    return c->draw[cp_mondrian_candidates_best(c, s, c->draw, b->row, voters)];
}

/* Splits the block at a time and place drawn from the Mondrian process; returns 0 if it is a leaf instead. */
static int split_block(const grower *g, const cp_mondrian_block *b, const float *box, cp_mondrian_block out[2]) {
    cp_mondrian_tree *t = g->t;
    const cp_mondrian_space *s = g->s;
    int blind = s->candidates == 1;
    double extent =
        blind ? s->kern->extent(box, s->dims) : cp_mondrian_candidates_extent(&g->scratch->candidates, box, s->dims);
    if (!(extent > 0)) return 0; /* all rows at one point: the rate of splits is 0 */
    double time = cp_mondrian_tree_later(b->since, b->wait > 0 ? b->wait : cp_draw_exp(g->rng) / extent);
    if (!(time < s->lifetime)) return 0;
    cp_mondrian_split split = blind ? cp_mondrian_split_draw(box, s->dims, extent, g->rng) : choose_split(g, b, box);
    size_t left_rows = cp_mondrian_split_rows(s, split, b->row, b->n, g->scratch->spare);
    int32_t left = make_node(g), right = make_node(g);
    cp_mondrian_node *node = &t->node[b->node];
    node->time = time;
    node->left = left;
    node->right = right;
    node->dim = split.dim;
    node->cut = split.cut;
    out[0] = (cp_mondrian_block){left, time, 0, b->row, left_rows};
    out[1] = (cp_mondrian_block){right, time, 0, b->row + left_rows, b->n - left_rows};
    return 1;
}

copse_status cp_mondrian_grow_alloc(cp_mondrian_grow_scratch *scratch, size_t n, const cp_mondrian_space *s,
                                    cp_arena *arena, copse_error *err) {
    *scratch = (cp_mondrian_grow_scratch){
        .n = n,
        .row = cp_arena_get(arena, n, sizeof *scratch->row),
        .spare = cp_arena_get(arena, n, sizeof *scratch->spare),
        .box = cp_arena_get(arena, 2 * s->dims, sizeof *scratch->box),
        .made = cp_arena_get(arena, s->candidates > 1 ? 2 * n + 1 : 1, sizeof *scratch->made),
    };
    int ready = scratch->row && scratch->spare && scratch->box && scratch->made;
    copse_status status = !ready               ? cp_fail_memory(err)
                          : s->candidates == 1 ? COPSE_OK
                                               : cp_mondrian_candidates_alloc(&scratch->candidates, n, s, arena, err);
    if (status) *scratch = (cp_mondrian_grow_scratch){0};
    return status;
}

/* n leaves and n-1 splits, each of which may need a box. */
copse_status cp_mondrian_grow_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err) {
    CP_TRY(cp_mondrian_targets_reserve(t, s, n, err));
    return cp_mondrian_tree_reserve(t, s, 2 * n + 1, n + 2, err);
}

/* The larger half waits on the stack while the smaller one is sampled, so 64 places are enough for any tree. */
void cp_mondrian_grow(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_block block,
                      cp_mondrian_grow_scratch *scratch, cp_rng *rng) {
    enum { STACK = 64 };
    const grower g = {t, s, scratch, rng};
    cp_mondrian_block stack[STACK];
    size_t stacked = 0, first_new = t->nodes;
    stack[stacked++] = block;
    if (s->candidates > 1) scratch->made[0] = block.node;
    scratch->mades = 1;
    while (stacked) {
        cp_mondrian_block b = stack[--stacked], half[2];
        if (b.n <= CP_MONDRIAN_HULL_ROWS) t->node[b.node].box = -(int32_t)b.n;
        int pure = s->label && one_class(s, b.row, b.n), paused = pure || b.n < s->min_split;
        /* most blocks are paused, and small ones need no box then */
        const float *box = paused && b.n <= CP_MONDRIAN_HULL_ROWS ? NULL : block_box(t, s, &b, scratch->box);
        if (paused || !split_block(&g, &b, box, half)) {
            make_leaf(t, s, &b, pure);
            continue;
        }
        int larger = half[1].n > half[0].n;
        stack[stacked++] = half[larger];
        stack[stacked++] = half[!larger];
    }
    if (s->candidates > 1)
        cp_mondrian_targets_init_nodes(t, s, scratch->made, scratch->mades);
    else
        cp_mondrian_targets_init_subtree(t, s, block.node, first_new);
}
