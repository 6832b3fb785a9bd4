/* mondrian_extend - ExtendMondrianBlock [2014, algs. 4 and 10]: one more row in a tree, so that the tree has the law it
 * would have had if all its rows had been there from the start. */
#ifndef CP_MONDRIAN_EXTEND_H
#define CP_MONDRIAN_EXTEND_H

#include "mondrian/mondrian_tree.h"

/* Adds row t->rows of the space.  On failure (memory) the tree is as before. */
copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng, cp_arena *tmp,
                                copse_error *err);

#endif
