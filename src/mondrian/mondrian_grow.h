/* mondrian_grow - SampleMondrianBlock [2014, alg. 9; thesis, algs. 5.9 and 6.2]: a tree from all its rows at once. */
#ifndef CP_MONDRIAN_GROW_H
#define CP_MONDRIAN_GROW_H

#include "base/arena.h"
#include "mondrian/mondrian_tree.h"

/* Scratch for growing a block of up to n rows. */
typedef struct cp_mondrian_grow_scratch {
    size_t n;
    int32_t *row;   /* n: for the caller to fill with the block's rows */
    int32_t *spare; /* n */
    float *box;     /* 2*dims */
} cp_mondrian_grow_scratch;
copse_status cp_mondrian_grow_alloc(cp_mondrian_grow_scratch *room, size_t n, size_t dims, cp_arena *tmp,
                                    copse_error *err);

/* All that growing a block of n rows can need in the tree: nodes, boxes, class sets and counts.  With this and the
 * scratch in hand nothing can fail any more. */
copse_status cp_mondrian_grow_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err);

/* Grows the subtree of the rows room->row[0 ... n-1], n >= 1, at `node`, whose parent was split at time `since`.  The
 * node exists; its children, if any, are forgotten. */
void cp_mondrian_grow(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, double since,
                      const cp_mondrian_grow_scratch *room, size_t n, cp_rng *rng);

/* The empty node that a new tree starts from. */
int32_t cp_mondrian_grow_node(cp_mondrian_tree *t);

/* lower + rest as a float in [lower, upper), lower < upper: where to cut so that the rows at both ends part. */
float cp_mondrian_grow_cut(float lower, float upper, double rest);

#endif
