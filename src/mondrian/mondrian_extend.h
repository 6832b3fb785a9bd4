/* mondrian_extend - ExtendMondrianBlock [2014, algs. 4 and 10]: adds one row to a tree.  The tree then has the law that
 * it would have had if all its rows had been there from the start. */
#ifndef CP_MONDRIAN_EXTEND_H
#define CP_MONDRIAN_EXTEND_H

#include "base/arena.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_lookahead.h"
#include "mondrian/mondrian_tree.h"

/* What a worker keeps from row to row. */
typedef struct cp_mondrian_extend_scratch {
    cp_mondrian_lookahead ahead;
    cp_mondrian_grow_scratch grow; /* for a leaf that is sampled again; in the arena */
    cp_arena arena;
} cp_mondrian_extend_scratch;
void cp_mondrian_extend_init(cp_mondrian_extend_scratch *scratch);
/* Before the first row of another tree. */
void cp_mondrian_extend_next_tree(cp_mondrian_extend_scratch *scratch);
void cp_mondrian_extend_clear(cp_mondrian_extend_scratch *scratch);

/* Adds row t->rows of the space.  Between two calls for the same tree with the same scratch nothing else may change the
 * tree.  On failure (memory) the tree is as before. */
copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                cp_mondrian_extend_scratch *scratch, copse_error *err);

#endif
