/* tree_walk - which leaf of a tree each of many rows falls into: where a forest spends its prediction time. */
#ifndef CP_TREE_WALK_H
#define CP_TREE_WALK_H

#include "tree/tree.h"

/* The leaf numbers of n rows of f->dims values each.  Call it with a thousand rows or more where there are that many: each
 * call brings the tree into the cache anew, which with a few hundred rows takes longer than the walk. */
void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);
/* The same, faster, for rows in which nothing is NaN: to be asked once for all trees. */
void cp_tree_walk_plain(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);
int cp_tree_walk_is_plain(const float *x, size_t n);

#endif
