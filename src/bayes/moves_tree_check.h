/* moves_tree_check - the invariants of moves_tree.h, coded once, slowly and from scratch. */
#ifndef CP_MOVES_TREE_CHECK_H
#define CP_MOVES_TREE_CHECK_H

#include "bayes/moves_tree.h"

/* NULL if the invariants hold, else the first one broken. */
const char *cp_moves_tree_check(const cp_moves_tree *t, const cp_moves_tree_model *m);

#endif
