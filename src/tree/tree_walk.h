/* tree_walk - which leaf of a tree each of many rows falls into: where a forest spends its prediction time. */
#ifndef CP_TREE_WALK_H
#define CP_TREE_WALK_H

#include "tree/tree.h"

/* Rows on their way down; borrowed. */
typedef struct cp_tree_rows {
    const float *x; /* row-major, the forest's dims values each */
    /* The same as keys (sort.h), which is faster; then x is not read.  NULL: there are none, as something is NaN. */
    const uint32_t *key;
    /* The same as key blocks, which is faster still, if all rows are asked for in a forest that takes them;
     * then x is not read.  The last key block may be incomplete: there is room for all of it, and what the others
     * hold is not read. */
    const uint32_t *key_block;
    const uint32_t *row; /* which of them; NULL: the first n */
    size_t n;
} cp_tree_rows;

/* out_leaf[i] is the number of the leaf of the i-th row asked for.  Call it with a thousand rows or more where there
 * are that many: each call brings the tree into the cache.  A forest's trees are best walked in their order, because
 * each walk fetches the next one. */
void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf);
/* The first n rows of x. */
void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);
/* May every tree of this forest be walked by keys? */
int cp_tree_walk_takes_keys(const cp_forest *f);
/* And by key blocks? */
int cp_tree_walk_takes_key_blocks(const cp_forest *f);
#endif
