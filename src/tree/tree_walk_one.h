/* tree_walk_one - which leaves of many trees one row falls into. */
#ifndef CP_TREE_WALK_ONE_H
#define CP_TREE_WALK_ONE_H

#include "tree/tree.h"

/* out_leaf[i] is the number of the leaf of tree first + i that the row falls into, for n trees.  The same as
 * cp_tree_walk for each tree, but quicker for a single row. */
void cp_tree_walk_one(const cp_forest *f, size_t first, size_t n, const float *x, uint32_t *out_leaf);

#endif
