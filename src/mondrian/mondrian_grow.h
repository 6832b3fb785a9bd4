/* mondrian_grow - SampleMondrianBlock [2014, alg. 9; thesis, algs. 5.9 and 6.2]: samples a tree, or a subtree, from all
 * its rows at once. */
#ifndef CP_MONDRIAN_GROW_H
#define CP_MONDRIAN_GROW_H

#include "base/arena.h"
#include "mondrian/mondrian_candidates.h"
#include "mondrian/mondrian_tree.h"

/* Scratch for growing a block of up to n rows. */
typedef struct cp_mondrian_grow_scratch {
    size_t n;
    int32_t *row;   /* n: for the caller, to fill with the rows of a block */
    int32_t *spare; /* n */
    float *box;     /* 2*dims */

    /* candidates > 1 */
    cp_mondrian_candidates_scratch candidates;
    int32_t *made;         /* 2n + 1: the nodes made, parents before children */
    const int32_t *vacant; /* for the caller to set: places for nodes, before new ones are appended */
    size_t mades, vacants;
} cp_mondrian_grow_scratch;
copse_status cp_mondrian_grow_alloc(cp_mondrian_grow_scratch *scratch, size_t n, const cp_mondrian_space *s,
                                    cp_arena *arena, copse_error *err);

/* Room in the tree for a block of n rows: nodes, boxes, class sets and counts.  With this and the scratch,
 * cp_mondrian_grow cannot fail. */
copse_status cp_mondrian_grow_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err);

/* A block to be sampled: a node and its rows. */
typedef struct cp_mondrian_block {
    int32_t node;
    double since; /* time of the split above it */
    double wait;  /* from then to its own split; 0: is drawn */
    int32_t *row; /* reordered; ascending if only the first of them choose (space->lazy) */
    size_t n;     /* >= 1 */
} cp_mondrian_block;
/* Samples the subtree of a block.  The node exists; if it is a leaf, its list is replaced. */
void cp_mondrian_grow(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_block block,
                      cp_mondrian_grow_scratch *scratch, cp_rng *rng);

/* Appends an empty node: a new tree starts from one. */
int32_t cp_mondrian_grow_node(cp_mondrian_tree *t);

#endif
