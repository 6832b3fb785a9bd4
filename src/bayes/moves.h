/* moves - Metropolis-Hastings moves on one decision tree [Chipman, George, McCulloch 1998, section 5.1].
 *
 * Target: p(T | X, Y) ~ p(T) prod over leaves of p(Y in the leaf), the leaf parameters integrated out.
 *
 * Moves, each kind with its constant probability move_prob:
 *   grow     a leaf whose rows differ, uniformly chosen, gets a rule drawn from the prior
 *   prune    an inner node with two leaves for children, uniformly chosen, becomes a leaf
 *   change   an inner node, uniformly chosen, gets another rule drawn from the prior
 *   swap     an inner node and its parent, a uniformly chosen pair, exchange rules; if the other child has the same
 *            rule as this one, both get the parent's
 *
 * Acceptance: probability min(1, exp(log_ratio)), the ratio being p(T') q(T' -> T) / (p(T) q(T -> T')).  Prior,
 * likelihood and proposal all change with the rows of the nodes below: whether a leaf can be split, how many columns
 * vary in a node, and the extent of its column.  If a kind has no node to choose, or the move would leave a node
 * without rows, the tree stays as it is; that counts as a rejection.
 *
 * How we differ from the paper: in a swap with two equal children the middle grandchildren exchange places,
 *
 *            a                        b
 *        b       b      becomes   a       a       so that A, B, C, D keep their rows, and only the prior changes.
 *      A   B   C   D            A   C   B   D
 *
 * Choosing a move, its ratio, and applying it are three functions, so that tests can list all choices with their
 * probabilities and build the whole transition matrix.
 *
 * Cost: grow and prune take time in the order of the rows of the leaf; change and swap in the order of the rows below
 * the node times the depth below it.  The rest of the tree is not visited, except to sum up its nodes after an accepted
 * move. */
#ifndef CP_MOVES_H
#define CP_MOVES_H

#include "bayes/moves_tree.h"

typedef enum cp_move_kind { CP_MOVE_GROW, CP_MOVE_PRUNE, CP_MOVE_CHANGE, CP_MOVE_SWAP, CP_MOVES } cp_move_kind;

extern const char *const cp_moves_name[CP_MOVES];

typedef struct cp_move {
    cp_move_kind kind;
    int32_t node; /* grow: the leaf; prune: the parent of two leaves; change: the inner node; swap: the lower node */
    cp_rule rule; /* grow, change */
} cp_move;

/* The sampler: target, move probabilities and scratch.  One for each chain, or for each thread. */
typedef struct cp_moves {
    const cp_moves_tree_model *model; /* borrowed */
    double move_prob[CP_MOVES];
    /* Scratch: the proposed subtree.  Nodes and statistics have the numbers of the tree's nodes; rows begin at 0. */
    cp_moves_node *proposed;
    double *stat;
    size_t cap_proposed, cap_stat;
    uint32_t *row, *right;
    uint64_t *bit, *page; /* a set of rows: a bit for each row, and a bit for each nonzero word; empty between calls */
    uint32_t *order;
} cp_moves;

/* move_prob: of each kind, >= 0, summing to 1.  Borrows the model. */
copse_status cp_moves_init(cp_moves *k, const cp_moves_tree_model *m, const double move_prob[CP_MOVES],
                           copse_error *err);
void cp_moves_clear(cp_moves *k);
/* Allocates tree and scratch for so many pairs of nodes; log_ratio needs one pair more than there are.  No other
 * function allocates. */
copse_status cp_moves_reserve(cp_moves *k, cp_moves_tree *t, size_t pairs, copse_error *err);

/* The number of nodes that a kind of move can choose, each with the same probability, and the i-th of them. */
size_t cp_moves_targets(const cp_moves_tree *t, cp_move_kind kind);
int32_t cp_moves_target(const cp_moves_tree *t, cp_move_kind kind, size_t i);
/* Draws a node and, for grow and change, a rule.  0: there is no node to choose. */
int cp_moves_choose(cp_moves *k, const cp_moves_tree *t, cp_move_kind kind, cp_rng *rng, cp_move *out);
/* log of the Metropolis-Hastings ratio; -INFINITY if the proposed tree has a node without rows.  Changes the tree and
 * changes it back before it returns. */
double cp_moves_log_ratio(cp_moves *k, cp_moves_tree *t, const cp_move *move);
/* Must follow log_ratio of the same move, which was finite, because it uses the scratch. */
void cp_moves_apply(cp_moves *k, cp_moves_tree *t, const cp_move *move);

/* One transition: draws a kind by move_prob and a move, and accepts or rejects it. */
typedef struct cp_moves_outcome {
    cp_move_kind kind;
    int accepted;
} cp_moves_outcome;
copse_status cp_moves_step(cp_moves *k, cp_moves_tree *t, cp_rng *rng, cp_moves_outcome *out, copse_error *err);

/* Makes t a draw from the prior, whatever it was. */
copse_status cp_moves_draw_tree(cp_moves *k, cp_moves_tree *t, cp_rng *rng, copse_error *err);

#endif
