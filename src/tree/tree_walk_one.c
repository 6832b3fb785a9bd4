/* The row goes down LANES trees side by side, so that the memory latency of one is hidden by the others.  A lane whose
 * tree is done takes the next tree.  By keys where trees and row allow it, as in tree_walk.c, else by values. */
#include "tree/tree_walk_one.h"

#include <string.h>

#include "kernel/key_block.h"
#include "kernel/prefetch.h"

enum { LANES = 16, MOST_KEYS = 256 };

typedef struct lane {
    const cp_tree *t;
    size_t at;   /* the node it has reached */
    size_t tree; /* where its leaf goes in out_leaf */
} lane;

typedef struct walk {
    const cp_forest *f;
    size_t end, next; /* the tree after the last, and the next to begin */
    size_t first;
    uint32_t *out_leaf;
} walk;

/* The contents of a leaf are read soon. */
static void prefetch_leaf(const cp_tree *t, uint32_t leaf) {
    if (t->gauss)
        cp_prefetch(&t->gauss[leaf]);
    else if (t->start)
        cp_prefetch(&t->start[leaf]);
}

/* The lane has arrived.  Returns 0 if there is no further tree for it. */
static int next_tree(walk *w, lane *l, uint32_t leaf) {
    w->out_leaf[l->tree] = leaf;
    prefetch_leaf(l->t, leaf);
    if (w->next == w->end) return 0;
    *l = (lane){.t = &w->f->tree[w->next], .tree = w->next - w->first};
    w->next++;
    return 1;
}

/* --------------------------------------------------------------------------------------------------------- by keys */

static void walk_keys(walk *w, lane *lane_of, size_t lanes, const uint32_t *key) {
    while (lanes)
        for (size_t j = lanes; j-- > 0;) {
            lane *l = &lane_of[j];
            const cp_tree_step *step = &l->t->step[l->at];
            uint32_t cut = step->cut, leaf;
            if (!__builtin_sub_overflow(cut, CP_TREE_STEP_LEAF, &leaf)) {
                if (!next_tree(w, l, leaf)) *l = lane_of[--lanes];
                continue;
            }
            l->at = (step->way >> 8) + (cut < key[(step->way & 255) / l->t->unit]);
            cp_prefetch(&l->t->step[l->at]);
        }
}

static int takes_keys(const cp_forest *f, size_t first, size_t n) {
    for (size_t m = first; m < first + n; m++)
        if (!f->tree[m].step) return 0;
    return f->dims <= MOST_KEYS;
}

/* ------------------------------------------------------------------------------------------------------- by values */

static uint32_t category_goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    uint32_t levels = f->levels[cp_tree_dim(n)];
    if (!(x >= 0 && x < (float)levels)) return !(n->what & CP_TREE_MISSING_LEFT);
    uint32_t level = (uint32_t)x;
    return !(t->set[n->at.set + level / 32] >> level % 32 & 1);
}

static uint32_t goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    if (n->what & CP_TREE_CATEGORY) return category_goes_right(t, f, n, x);
    if (x != x) return !(n->what & CP_TREE_MISSING_LEFT);
    return x > n->at.cut;
}

static void walk_values(walk *w, lane *lane_of, size_t lanes, const float *x) {
    while (lanes)
        for (size_t j = lanes; j-- > 0;) {
            lane *l = &lane_of[j];
            const cp_tree_node *n = &l->t->node[l->at];
            if (cp_tree_is_leaf(n)) {
                if (!next_tree(w, l, n->at.leaf)) *l = lane_of[--lanes];
                continue;
            }
            l->at = (size_t)n->next + goes_right(l->t, w->f, n, x[cp_tree_dim(n)]);
            cp_prefetch(&l->t->node[l->at]);
        }
}

void cp_tree_walk_one(const cp_forest *f, size_t first, size_t n, const float *x, uint32_t *out_leaf) {
    walk w = {.f = f, .first = first, .next = first, .end = first + n, .out_leaf = out_leaf};
    lane lane_of[LANES];
    uint32_t key[MOST_KEYS];
    size_t lanes = 0;
    for (; lanes < LANES && w.next < w.end; lanes++, w.next++)
        lane_of[lanes] = (lane){.t = &f->tree[w.next], .tree = w.next - first};
    if (takes_keys(f, first, n) && cp_key_block_best()->keys(x, f->dims, key))
        walk_keys(&w, lane_of, lanes, key);
    else
        walk_values(&w, lane_of, lanes, x);
}
