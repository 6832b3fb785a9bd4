/* mondrian_extend - ExtendMondrianBlock [2014, algs. 4 and 10]: one more row in a tree, so that the tree has the law it
 * would have had if all its rows had been there from the start. */
#ifndef CP_MONDRIAN_EXTEND_H
#define CP_MONDRIAN_EXTEND_H

#include "base/arena.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_tree.h"

/* What a worker keeps from row to row: above all, the ways of the next rows down the tree, found together in one go.  A
 * row that is learnt changes one place of the tree; later rows that come by there find the rest of their way anew. */
typedef struct cp_mondrian_extend_scratch {
    cp_arena tmp;
    cp_mondrian_grow_scratch room; /* for a leaf that grows */
    cp_mondrian_paths walk;
    size_t first, count;                  /* rows whose ways are known */
    size_t known[CP_MONDRIAN_PATH_LANES]; /* the first nodes of each way that are right still, or more than it has */
    size_t paged_nodes, paged_boxes;      /* of the tree: those whose pages were asked for, or thereabouts */
} cp_mondrian_extend_scratch;
void cp_mondrian_extend_init(cp_mondrian_extend_scratch *tmp);
/* Before another tree's turn. */
void cp_mondrian_extend_next_tree(cp_mondrian_extend_scratch *tmp);
void cp_mondrian_extend_clear(cp_mondrian_extend_scratch *tmp);

/* Adds row t->rows of the space.  Between two calls for the same tree with the same scratch nothing else may change the
 * tree.  On failure (memory) the tree is as before. */
copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                cp_mondrian_extend_scratch *tmp, copse_error *err);

#endif
