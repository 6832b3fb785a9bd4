/* tree_check - the invariants of tree.h, coded once. */
#ifndef CP_TREE_CHECK_H
#define CP_TREE_CHECK_H

#include "tree/tree.h"

/* NULL if N1 to N4 hold for a finished tree, else a sentence that says which does not.  Whatever the arrays hold, it
 * reads nothing beyond their stated sizes. */
const char *cp_tree_check(const cp_tree *t, const cp_forest *f);

#endif
