/* grown - what the tests of the greedy engine share: made-up rows, and trees grown on them. */
#ifndef GROWN_H
#define GROWN_H

#include "check.h"

#include "greedy/greedy_grow.h"
#include "num/draw.h"
#include "ref/ref_cart.h"
#include "tree/tree_check.h"

typedef struct made {
    cp_rows rows;
    float *x;
    double *y, *weight;
    int32_t *label;
    uint32_t *levels;
} made;

/* classes = 0: regression.  Columns are numbers, x and targets zero: to be filled in. */
static inline made make_rows(size_t n, size_t dims, size_t classes) {
    made m = {.x = calloc(n * dims, sizeof *m.x),
              .y = calloc(n, sizeof *m.y),
              .weight = calloc(n, sizeof *m.weight),
              .label = calloc(n, sizeof *m.label),
              .levels = calloc(dims, sizeof *m.levels)};
    m.rows = (cp_rows){.task = classes ? COPSE_CLASS : COPSE_REGRESS,
                       .n = n,
                       .dims = dims,
                       .classes = classes,
                       .x = m.x,
                       .y = classes ? NULL : m.y,
                       .label = classes ? m.label : NULL,
                       .levels = m.levels};
    return m;
}

static inline void free_rows(made *m) {
    free(m->x);
    free(m->y);
    free(m->weight);
    free(m->label);
    free(m->levels);
}

/* A tree with the data it was grown from. */
typedef struct grown {
    cp_greedy_data data;
    cp_tree tree;
} grown;

static inline void assert_tree(const grown *g) {
    cp_forest f = {.task = g->data.rows.task, .dims = g->data.rows.dims, .classes = g->data.rows.classes};
    uint32_t *levels = malloc(f.dims * sizeof *levels);
    if (g->data.rows.levels) memcpy(levels, g->data.rows.levels, f.dims * sizeof *levels);
    f.levels = g->data.rows.levels ? levels : NULL;
    const char *wrong = cp_tree_check(&g->tree, &f);
    free(levels);
    if (wrong) fail_msg("%s", wrong);
}

static inline grown grow_with(const cp_rows *rows, int binned, const cp_greedy_rule *rule, uint32_t slot, int threads) {
    grown g = {0};
    copse_error err;
    copse_run run = {.threads = threads};
    cp_greedy_job job = {.rows = rows->n, .slot = slot, .root = 1};
    must(cp_greedy_grow_data_init(&g.data, rows, binned, &run, &err), err);
    must(cp_greedy_grow(&g.data, rule, &job, &run, &g.tree, &err), err);
    assert_tree(&g);
    return g;
}

static inline grown grow_tree(const cp_rows *rows, int binned, const cp_greedy_rule *rule) {
    return grow_with(rows, binned, rule, 0, 1);
}

static inline void free_grown(grown *g) {
    cp_tree_clear(&g->tree);
    cp_greedy_grow_data_clear(&g->data);
}

/* The leaf a row of the data falls into. */
static inline uint32_t leaf_of(const grown *g, const cp_rows *rows, size_t row) {
    const cp_tree_node *node = g->tree.node;
    while (!cp_tree_is_leaf(node)) {
        int left = ref_goes_left(rows, &g->tree, node, row);
        node = g->tree.node + node->next + !left;
    }
    return node->at.leaf;
}

/* The same splits and, bit for bit, the same cuts and sets; sets may stand anywhere. */
static inline void assert_same_splits(const grown *a, const grown *b) {
    assert_int_equal(a->tree.nodes, b->tree.nodes);
    for (size_t i = 0; i < a->tree.nodes; i++) {
        const cp_tree_node *n = &a->tree.node[i], *m = &b->tree.node[i];
        assert_int_equal(n->what, m->what);
        assert_int_equal(n->next, m->next);
        if (n->what & CP_TREE_CATEGORY)
            assert_memory_equal(a->tree.set + n->at.set, b->tree.set + m->at.set,
                                cp_tree_words(a->data.rows.levels[cp_tree_dim(n)]) * sizeof *a->tree.set);
        else
            assert_int_equal(n->at.leaf, m->at.leaf); /* or the bits of its cut */
    }
}

static inline void assert_same_tree(const grown *a, const grown *b) {
    assert_same_splits(a, b);
    if (a->data.rows.y) {
        assert_memory_equal(a->tree.value, b->tree.value, a->tree.leaves * sizeof *a->tree.value);
    } else {
        assert_memory_equal(a->tree.start, b->tree.start, (a->tree.leaves + 1) * sizeof *a->tree.start);
        assert_memory_equal(a->tree.class_weight, b->tree.class_weight,
                            a->tree.start[a->tree.leaves] * sizeof *a->tree.class_weight);
        assert_memory_equal(a->tree.rows, b->tree.rows, a->tree.leaves * sizeof *a->tree.rows);
    }
    for (size_t d = 0; d < a->data.rows.dims; d++)
        assert_near((double)a->tree.gain[d], (double)b->tree.gain[d], 1e-4); /* summed in the order of work */
}

#endif
