/* tree_walk - which leaf of a tree each of many rows falls into: where a forest spends its prediction time. */
#ifndef CP_TREE_WALK_H
#define CP_TREE_WALK_H

#include "tree/tree.h"

/* The rows that walk down a tree; borrowed. */
typedef struct cp_tree_rows {
    const float *x; /* row-major, the forest's dims values each */
    /* The same rows as keys (sort.h), which is faster; then x is not read.  NULL: not available, e.g. because a value
     * is NaN. */
    const uint32_t *key;
    /* The same rows as key blocks, which is faster still; then x is not read.  Only for all rows, and for a forest that
     * takes them.  The last key block may be incomplete: there is memory for all its rows, but only rows below n are
     * read. */
    const uint32_t *key_block;
    const uint32_t *row; /* numbers of the rows that walk; NULL: the first n */
    size_t n;
} cp_tree_rows;

/* out_leaf[i] is the number of the leaf that the i-th row falls into.  Call it with a thousand rows or more where there
 * are that many: each call brings the tree into the cache.  Walk the trees of a forest in their order: each walk
 * prefetches the next tree. */
void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf);
/* The same for the first n rows of x. */
void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);
/* May every tree of this forest be walked by keys? */
int cp_tree_walk_takes_keys(const cp_forest *f);
/* May every tree of this forest be walked by key blocks? */
int cp_tree_walk_takes_key_blocks(const cp_forest *f);
#endif
