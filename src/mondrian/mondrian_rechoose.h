/* mondrian_rechoose - adds a row to a tree whose splits the labels choose (candidates > 1).
 *
 * A split node keeps its K candidates (mondrian_candidates.h).  Let E be the sum of the sides of its box, and e the
 * distance of the new row x from the box:
 *     its waiting time becomes the lesser of itself and a draw of Exp(e);
 *     each candidate, with probability e / (E + e), becomes a uniform place in the gaps between x and the box;
 *     the labels choose again; if another candidate wins, or a new one, both children are sampled anew.
 * If the split stays, x goes on to its child.
 *
 * Why the law is that of sampling from all rows at once: the waiting time is Exp(E + e), and each candidate is uniform
 * over the larger box, independently of labels and of each other, whatever the order of rows was.  Whether the split
 * changes depends on this node's candidates and labels alone.  So given the split, both children have the law of their
 * own rows: a child that x joins by induction, the other as it is, new ones because they were sampled so.  The node
 * itself must keep its candidates when the split changes: to draw them anew would prefer splits that win.
 *
 * K = 1 has the same law by another coupling, [2014, alg. 4] (mondrian_extend.h), which moves the old node below the
 * new split.  For K > 1 that is not possible: candidates of the old node would be candidates of its parent.
 *
 * Which rows choose: all, or with `lazy` the node's first ones (cp_mondrian_candidates_voters), a function of the
 * number of its rows.  Either way sampling from all rows in the order of their arrival has the same law.
 *
 * A split of fewer than record_rows rows keeps no candidates.  It is sampled anew from its rows whenever one joins. */
#ifndef CP_MONDRIAN_RECHOOSE_H
#define CP_MONDRIAN_RECHOOSE_H

#include "base/arena.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_tree.h"

/* What a split on the row's path will be. */
typedef struct cp_mondrian_rechoose_level {
    int32_t node;
    int32_t last;   /* row: the new `last` of its choice */
    double time;    /* of its split, if the row makes it earlier; else 0 */
    size_t redrawn; /* where its candidates are in `candidate`; SIZE_MAX if they stay */
} cp_mondrian_rechoose_level;

/* What a worker keeps from row to row. */
typedef struct cp_mondrian_rechoose_scratch {
    cp_mondrian_grow_scratch grow; /* in the arena, as the next four */
    int32_t *id;                   /* 2n: nodes of a subtree */
    uint64_t *key, *spare;         /* n: to sort rows */
    unsigned char *is_new;         /* candidates: it was redrawn */
    float *box;                    /* 2*dims */
    cp_arena arena;
    cp_mondrian_rechoose_level *level;
    cp_mondrian_split *candidate;
    size_t cap_levels, cap_candidates;
} cp_mondrian_rechoose_scratch;
void cp_mondrian_rechoose_init(cp_mondrian_rechoose_scratch *scratch);
void cp_mondrian_rechoose_clear(cp_mondrian_rechoose_scratch *scratch);

/* Adds row t->rows of the space.  On failure (memory) the tree is as before. */
copse_status cp_mondrian_rechoose(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                  cp_mondrian_rechoose_scratch *scratch, copse_error *err);

#endif
