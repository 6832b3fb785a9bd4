/* btree_chain - a Markov chain over trees between two iterations; who uses one sees btree_mcmc.h alone.
 *
 * Invariants, checked by cp_btree_chain_check:
 *   C1  done <= burn_in + samples * thin; kept is what is due after so many, or one less while the last has still to be
 *       kept.
 *   C2  traces have `kept` entries, finite, with at least one leaf and at most one for each row.
 *   C3  accepted <= proposed for each move, and all proposed sum to the iterations after burn-in.
 *   C4  the tree set's weights are whole numbers > 0 that sum to kept; no tree has more leaves than there are rows;
 *       statistics are such as rows can have.
 *   C5  the tree is sound (bayes/moves_tree.h); if it was kept just now, it is what the traces say. */
#ifndef CP_BTREE_CHAIN_H
#define CP_BTREE_CHAIN_H

#include "btree/btree_mcmc.h"

struct cp_btree_chain {
    const cp_btree_problem *problem;
    cp_btree_mcmc_options opt;
    uint32_t number;
    size_t done;
    cp_moves_tree_model model;
    cp_moves moves;
    cp_moves_tree tree;
    cp_tree_set tree_set; /* draws kept so far, each of weight 1; not finished */
    cp_btree_trace trace;
    size_t cap_log_post, cap_leaves;
    int32_t *order, *made; /* scratch: nodes of the tree, parents first; and which nodes of the tree set they are */
    size_t cap_order, cap_made;
    int32_t root; /* of the tree in the tree set, if it has not moved since it was kept, else CP_NONE */
};

const char *cp_btree_chain_check(const cp_btree_chain *c);
/* The same, but for the tree itself; tmp has room for a size of each node of the tree set. */
const char *cp_btree_chain_suspect(const cp_btree_chain *c, cp_tree_set_size *tmp);

#endif
