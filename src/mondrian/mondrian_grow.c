#include "mondrian/mondrian_grow.h"

#include <math.h>
#include <string.h>

#include "mondrian/mondrian_hnsp.h"
#include "num/draw.h"

/* A block still to be sampled. */
typedef struct block {
    int32_t node;
    double since;
    int32_t *row;
    size_t n;
} block;

/* The sum can round up to `upper`, and then no row would be on the right. */
float cp_mondrian_grow_cut(float lower, float upper, double rest) {
    float cut = (float)((double)lower + rest);
    if (cut >= upper) cut = nextafterf(upper, lower);
    return cut < lower ? lower : cut;
}

/* A place drawn evenly from all sides of the box laid end to end: which side it is on is the dimension, where on it the
 * cut.  So a dimension comes with probability proportional to its side.  `extent` is the sum of the sides, > 0. */
static void draw_split(cp_rng *rng, const float *box, size_t dims, double extent, int32_t *out_dim, float *out_cut) {
    double left = cp_rng_unit(rng) * extent;
    size_t d = 0;
    for (; d < dims; d++) {
        double side = (double)(box[dims + d] - box[d]);
        if (left < side) break;
        left -= side;
    }
    if (d == dims) { /* by rounding a rest was left after the last side: its end */
        do d--;
        while (box[dims + d] <= box[d]);
        left = (double)(box[dims + d] - box[d]);
    }
    *out_dim = (int32_t)d;
    *out_cut = cp_mondrian_grow_cut(box[d], box[dims + d], left);
}

/* Rows with x[dim] <= cut to the front; returns how many.  Stable, without branches on the data. */
static size_t partition(const cp_mondrian_space *s, int32_t dim, float cut, int32_t *row, size_t n, int32_t *tmp) {
    enum { AHEAD = 16 };
    const float *column = s->x + dim;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t r = row[i];
        if (i + AHEAD < n) __builtin_prefetch(column + (size_t)row[i + AHEAD] * s->dims);
        int goes_left = column[(size_t)r * s->dims] <= cut;
        row[left] = r;
        tmp[right] = r;
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(row + left, tmp, right * sizeof *row);
    return left;
}

static int one_class(const cp_mondrian_space *s, const int32_t *row, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (s->label[row[i]] != s->label[row[0]]) return 0;
    return 1;
}

static void make_leaf(cp_mondrian_tree *t, const cp_mondrian_space *s, const block *b, int pure) {
    cp_mondrian_node *leaf = &t->node[b->node];
    leaf->time = s->lifetime;
    leaf->left = CP_NONE;
    leaf->head = b->row[0];
    leaf->count = (int32_t)b->n;
    leaf->label = CP_NONE;
    leaf->marks = 0;
    for (size_t i = 0; i < b->n; i++) t->next[b->row[i]] = i + 1 < b->n ? b->row[i + 1] : CP_NONE;
    if (pure) leaf->label = s->label[b->row[0]];
    if (s->label && !pure) cp_mondrian_hnsp_count(t, s, leaf);
}

/* The box of the block: the node's own if it has rows enough, else in buf. */
static const float *block_box(cp_mondrian_tree *t, const cp_mondrian_space *s, const block *b, float *buf) {
    cp_mondrian_node *node = &t->node[b->node];
    float *box = buf;
    if (b->n > CP_MONDRIAN_HULL_ROWS) {
        if (!cp_mondrian_tree_has_box(node)) node->box = (int32_t)t->boxes++;
        box = cp_mondrian_tree_own_box(t, s, node->box);
    }
    s->kern->hull(s->x, s->dims, b->row, b->n, box);
    return box;
}

int32_t cp_mondrian_grow_node(cp_mondrian_tree *t) {
    t->node[t->nodes] = (cp_mondrian_node){.left = CP_NONE, .box = CP_NONE};
    return (int32_t)t->nodes++;
}

/* Splits the block at a time and place drawn from the Mondrian process, or finds it to be a leaf (returns 0). */
static int split_block(cp_mondrian_tree *t, const cp_mondrian_space *s, const block *b, const float *box, cp_rng *rng,
                       int32_t *tmp, block out[2]) {
    double extent = s->kern->extent(box, s->dims);
    if (!(extent > 0)) return 0; /* all rows at one point: the next split never comes */
    double time = b->since + cp_draw_exp(rng) / extent;
    if (!(time < s->lifetime)) return 0;
    int32_t dim;
    float cut;
    draw_split(rng, box, s->dims, extent, &dim, &cut);
    size_t left = partition(s, dim, cut, b->row, b->n, tmp);
    int32_t a = cp_mondrian_grow_node(t), c = cp_mondrian_grow_node(t);
    cp_mondrian_node *node = &t->node[b->node];
    node->time = time;
    node->left = a;
    node->right = c;
    node->dim = dim;
    node->cut = cut;
    out[0] = (block){a, time, b->row, left};
    out[1] = (block){c, time, b->row + left, b->n - left};
    return 1;
}

copse_status cp_mondrian_grow_alloc(cp_mondrian_grow_scratch *room, size_t n, size_t dims, cp_arena *tmp,
                                    copse_error *err) {
    *room = (cp_mondrian_grow_scratch){
        .n = n,
        .row = cp_arena_get(tmp, n, sizeof *room->row),
        .spare = cp_arena_get(tmp, n, sizeof *room->spare),
        .box = cp_arena_get(tmp, 2 * dims, sizeof *room->box),
    };
    if (room->row && room->spare && room->box) return COPSE_OK;
    *room = (cp_mondrian_grow_scratch){0};
    return cp_fail_memory(err);
}

/* n leaves and n-1 splits, each perhaps with a box. */
copse_status cp_mondrian_grow_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err) {
    if (s->label) CP_TRY(cp_mondrian_hnsp_reserve(t, s, n, err));
    return cp_mondrian_tree_reserve(t, s, 2 * n + 1, n + 2, err);
}

/* The larger half waits on the stack and the smaller one is done first, so 64 places are enough for any tree. */
void cp_mondrian_grow(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, double since,
                      const cp_mondrian_grow_scratch *room, size_t n, cp_rng *rng) {
    enum { STACK = 64 };
    block stack[STACK];
    size_t waiting = 0, first_new = t->nodes;
    stack[waiting++] = (block){node, since, room->row, n};
    while (waiting) {
        block b = stack[--waiting], half[2];
        if (b.n <= CP_MONDRIAN_HULL_ROWS) t->node[b.node].box = -(int32_t)b.n;
        int pure = s->label && one_class(s, b.row, b.n), paused = pure || b.n < s->min_split;
        /* most blocks end here, and small ones need no box */
        const float *box = paused && b.n <= CP_MONDRIAN_HULL_ROWS ? NULL : block_box(t, s, &b, room->box);
        if (paused || !split_block(t, s, &b, box, rng, room->spare, half)) {
            make_leaf(t, s, &b, pure);
            continue;
        }
        int larger = half[1].n > half[0].n;
        stack[waiting++] = half[larger];
        stack[waiting++] = half[!larger];
    }
    if (s->label) cp_mondrian_hnsp_set_classes(t, s, node, first_new);
}
