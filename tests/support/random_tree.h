/* random_tree - what the tests of trees share: random trees with categories and missing values, and the literal
 * walk. */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include "check.h"

#include "base/mem.h"
#include "num/rng.h"
#include "tree/tree.h"
#include "tree/tree_check.h"

enum { TREE_DIMS = 5, TREE_CLASSES = 7 };

/* Numbers and categories of 1, 3 and 70 levels, or numbers only. */
static inline cp_forest empty_forest(copse_task task, int categories, size_t trees) {
    static const uint32_t levels[TREE_DIMS] = {0, 70, 0, 3, 1};
    cp_forest f = {.task = task, .dims = TREE_DIMS, .trees = trees, .centre = 0.1, .scale = 4};
    if (task == COPSE_CLASS) f.classes = TREE_CLASSES;
    f.tree = cp_mem_new(trees, sizeof *f.tree);
    assert_non_null(f.tree);
    if (categories) {
        f.levels = cp_mem_new(TREE_DIMS, sizeof *f.levels);
        assert_non_null(f.levels);
        memcpy(f.levels, levels, sizeof levels);
    }
    return f;
}

static inline copse_status random_split(cp_tree *t, const cp_forest *f, int32_t node, cp_rng *rng, copse_error *err) {
    uint32_t set[3] = {cp_rng_u32(rng), cp_rng_u32(rng), cp_rng_u32(rng)};
    cp_tree_test test = {.dim = (uint32_t)cp_rng_below(rng, f->dims), .missing_left = (int)cp_rng_below(rng, 2)};
    uint32_t levels = f->levels ? f->levels[test.dim] : 0;
    if (levels) {
        test.set = set;
        test.words = cp_tree_words(levels);
        if (levels % 32) set[test.words - 1] &= (1u << levels % 32) - 1;
    } else {
        test.cut = (float)cp_rng_below(rng, 20) / 20;
    }
    return cp_tree_split(t, node, &test, err);
}

static inline copse_status random_leaf(cp_tree *t, const cp_forest *f, int32_t node, cp_rng *rng, copse_error *err) {
    uint32_t rows = 1 + (uint32_t)cp_rng_below(rng, 40);
    if (f->task == COPSE_REGRESS) {
        cp_tree_value v = {(float)cp_rng_unit(rng), (float)cp_rng_unit(rng), (float)rows, rows};
        return cp_tree_leaf_value(t, node, v, err);
    }
    cp_tree_class_weight class_weight[TREE_CLASSES];
    size_t n = 0;
    for (uint32_t k = 0; k < f->classes; k++)
        if (cp_rng_below(rng, 3) == 0) class_weight[n++] = (cp_tree_class_weight){k, 1 + (float)cp_rng_below(rng, 9)};
    if (!n) class_weight[n++] = (cp_tree_class_weight){3, (float)cp_rng_unit(rng)};
    return cp_tree_leaf_classes(t, node, class_weight, n, rows, err);
}

/* An unfinished tree of `leaves` leaves, split and closed in random order; `open` of them are left open. */
static inline copse_status random_tree(cp_tree *t, const cp_forest *f, size_t leaves, size_t open, cp_rng *rng,
                                       copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *waiting = malloc(leaves * sizeof *waiting);
    size_t n = 1;
    assert_non_null(waiting);
    waiting[0] = 0;
    CP_TRY_OUT(cp_tree_init_root(t, err));
    while (n < leaves) {
        size_t i = (size_t)cp_rng_below(rng, n);
        CP_TRY_OUT(random_split(t, f, waiting[i], rng, err));
        waiting[n++] = t->node[waiting[i]].next + 1;
        waiting[i] = t->node[waiting[i]].next;
    }
    for (; n > open; n--) {
        size_t i = (size_t)cp_rng_below(rng, n);
        CP_TRY_OUT(random_leaf(t, f, waiting[i], rng, err));
        waiting[i] = waiting[n - 1];
    }
out:
    free(waiting);
    return status;
}

static inline cp_forest random_forest(const char *name, copse_task task, int categories, size_t trees,
                                      size_t most_leaves) {
    copse_error err;
    cp_forest f = empty_forest(task, categories, trees);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, (uint32_t)task, (uint64_t)categories);
    for (size_t m = 0; m < trees; m++) {
        size_t leaves = m == 0 ? 1 : 1 + (size_t)cp_rng_below(&rng, most_leaves);
        must(random_tree(&f.tree[m], &f, leaves, 0, &rng, &err), err);
        must(cp_tree_finish(&f.tree[m], &err), err);
        f.tree[m].gain = cp_mem_new(f.dims, sizeof(float));
        assert_non_null(f.tree[m].gain);
        for (size_t i = 0; i < f.tree[m].nodes; i++) {
            const cp_tree_node *n = &f.tree[m].node[i];
            if (!cp_tree_is_leaf(n)) f.tree[m].gain[cp_tree_dim(n)] += (float)cp_rng_unit(&rng);
        }
    }
    return f;
}

/* Rows with values on and between the cuts, missing ones, and levels in and out of range. */
static inline float *random_rows(const char *name, const cp_forest *f, size_t n, int missing) {
    float *x = malloc(n * f->dims * sizeof *x);
    cp_rng rng;
    assert_non_null(x);
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 1, 1);
    for (size_t i = 0; i < n * f->dims; i++) {
        uint32_t levels = f->levels ? f->levels[i % f->dims] : 0;
        if (missing && cp_rng_below(&rng, 6) == 0)
            x[i] = NAN;
        else if (levels)
            x[i] =
                (float)cp_rng_below(&rng, levels + (uint64_t)missing) - (float)(missing && cp_rng_below(&rng, 9) == 0);
        else
            x[i] = (float)cp_rng_below(&rng, 45) / 40 - 0.05f;
    }
    return x;
}

static inline int literally_left(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    int missing_left = (n->what & CP_TREE_MISSING_LEFT) != 0;
    if (isnan(x)) return missing_left;
    if (!(n->what & CP_TREE_CATEGORY)) return x <= n->at.cut;
    long level = (long)x;
    if (level < 0 || level >= (long)f->levels[cp_tree_dim(n)]) return missing_left;
    return (t->set[n->at.set + (size_t)(level / 32)] & 1u << level % 32) != 0;
}

/* The node of the leaf that a row falls into, from the given node down. */
static inline int32_t literal_walk(const cp_tree *t, const cp_forest *f, int32_t node, const float *x) {
    const cp_tree_node *n = &t->node[node];
    if (cp_tree_is_leaf(n)) return node;
    return literal_walk(t, f, n->next + !literally_left(t, f, n, x[cp_tree_dim(n)]), x);
}

/* Do two trees hold the same in these leaves? */
static inline int same_leaf(const cp_tree *a, uint32_t i, const cp_tree *b, uint32_t j) {
    if (a->value) return !memcmp(&a->value[i], &b->value[j], sizeof *a->value);
    size_t n = a->start[i + 1] - a->start[i];
    return n == b->start[j + 1] - b->start[j] && a->rows[i] == b->rows[j] &&
           !memcmp(a->class_weight + a->start[i], b->class_weight + b->start[j], n * sizeof *a->class_weight);
}

#endif
