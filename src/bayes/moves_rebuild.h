/* moves_rebuild - recomputes a subtree from its links and rules: rows, statistics, likelihoods and priors of its
 * nodes. */
#ifndef CP_MOVES_REBUILD_H
#define CP_MOVES_REBUILD_H

#include "bayes/moves.h"

/* Computes the subtree of `top` into the scratch of k.  0 if a node would have no rows; the scratch is then
 * undefined. */
int cp_moves_rebuild(cp_moves *k, const cp_moves_tree *t, int32_t top);
/* Copies the scratch of cp_moves_rebuild to the tree, and updates the list of growable leaves. */
void cp_moves_rebuild_commit(cp_moves *k, cp_moves_tree *t, int32_t top);

#endif
