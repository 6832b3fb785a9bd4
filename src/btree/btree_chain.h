/* btree_chain - the members of a Markov chain over trees, and its invariants.  Callers of a chain need btree_mcmc.h
 * only.
 *
 * Invariants, checked by cp_btree_chain_check:
 *   C1  done <= burn_in + samples * thin; the draws kept are those due after `done` iterations, or one less if the last
 *       could not be kept yet for want of memory.
 *   C2  traces have an entry for each draw kept: finite, with at least one leaf and at most one for each row.
 *   C3  accepted <= proposed for each move, and all proposed sum to the iterations after burn-in.
 *   C4  the tree set's weights are whole numbers > 0 that sum to the draws kept; no tree has more leaves than there
 *       are rows; statistics are possible for some rows.
 *   C5  the tree is sound (bayes/moves_tree.h); if the last iteration kept it, the traces end with its values. */
#ifndef CP_BTREE_CHAIN_H
#define CP_BTREE_CHAIN_H

#include "btree/btree_mcmc.h"

struct cp_btree_chain {
    const cp_btree_problem *problem;
    cp_btree_mcmc_options opt;
    uint32_t number;
    size_t done; /* iterations */
    cp_moves_tree_model model;
    cp_moves moves;
    cp_moves_tree tree;
    cp_tree_set tree_set; /* draws kept so far, each of weight 1; not finished */
    cp_btree_trace trace;
    size_t cap_log_post, cap_leaves;
    int32_t *order; /* scratch: nodes of the tree, parents first */
    int32_t *made;  /* scratch: of each node of the tree, its node of the tree set */
    size_t cap_order, cap_made;
    int32_t root; /* the tree's root in the tree set; CP_NONE if the tree has changed since it was kept */
};

const char *cp_btree_chain_check(const cp_btree_chain *c);
/* The same without the tree itself; tmp has room for one entry per node of the tree set. */
const char *cp_btree_chain_check_draws(const cp_btree_chain *c, cp_tree_set_size *tmp);

#endif
