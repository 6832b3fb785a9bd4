/* moves - Metropolis-Hastings moves on a decision tree [Chipman, George, McCulloch 1998, section 5.1].
 *
 *   grow     a leaf whose rows differ, uniformly chosen, gets a rule drawn from the prior
 *   prune    an inner node with two leaves for children, uniformly chosen, becomes a leaf
 *   change   an inner node, uniformly chosen, gets another rule drawn from the prior
 *   swap     an inner node and its parent, a uniformly chosen pair, exchange rules; if the other child has the same
 *            rule as this one, both get the parent's
 *
 * A move is chosen, its Hastings ratio computed, and perhaps applied: three functions, so that tests can list all
 * choices with their probabilities and build the whole transition matrix.  A kind is drawn with constant probability;
 * if it has nothing to move, or the move leaves a node without rows, the tree stays as it is: that is a rejection like
 * any other.
 *
 * We differ from the paper in what a swap with two equal children does to the grandchildren: the middle ones trade
 * places,
 *
 *            a                        b
 *        b       b      becomes   a       a       so that A, B, C, D keep their rows, and only the prior changes.
 *      A   B   C   D            A   C   B   D
 *
 * The ratio is exp(log_ratio): posterior of the new tree times the probability of proposing the way back, over the same
 * of the old tree and the way there.  All three factors change with the rows of the nodes below: whether a leaf can be
 * split, how many columns vary in a node, how far its column reaches.
 *
 * Cost: grow and prune take the order of the rows of the leaf, change and swap that of the rows below the node times
 * the depth below it; the rest of the tree is not looked at, but for summing up its nodes when a move was accepted. */
#ifndef CP_MOVES_H
#define CP_MOVES_H

#include "base/codec.h"
#include "bayes/moves_tree.h"

typedef enum cp_move_kind { CP_MOVE_GROW, CP_MOVE_PRUNE, CP_MOVE_CHANGE, CP_MOVE_SWAP, CP_MOVES } cp_move_kind;

extern const char *const cp_moves_name[CP_MOVES];

typedef struct cp_move {
    cp_move_kind kind;
    int32_t node; /* the leaf, the parent of two leaves, the inner node, the lower one of the pair */
    cp_rule rule; /* grow, change */
} cp_move;

/* The moves' own: what they judge by, how often each is tried, and scratch.  One for each chain, or for each thread. */
typedef struct cp_moves {
    const cp_moves_tree_model *model;
    double share[CP_MOVES];
    /* What the subtree under the move would be: nodes and statistics by node number, rows from 0 on. */
    cp_moves_node *shadow;
    double *stat;
    size_t cap_shadow, cap_stat;
    uint32_t *row, *right;
    uint64_t *bit, *page; /* sets of rows, and of the words that are not 0 in it; empty between calls */
    uint32_t *order;
} cp_moves;

/* share: of each kind, >= 0, summing to 1.  Borrows the model. */
copse_status cp_moves_init(cp_moves *k, const cp_moves_tree_model *m, const double share[CP_MOVES], copse_error *err);
void cp_moves_clear(cp_moves *k);
/* Room in tree and scratch for so many pairs; log_ratio needs room for one more than there are.  Only this
 * allocates. */
copse_status cp_moves_reserve(cp_moves *k, cp_moves_tree *t, size_t pairs, copse_error *err);

/* How many a move of this kind may choose from, each with the same probability, and the i-th of them. */
size_t cp_moves_targets(const cp_moves_tree *t, cp_move_kind kind);
int32_t cp_moves_target(const cp_moves_tree *t, cp_move_kind kind, size_t i);
/* Draws a target and, for grow and change, a rule.  0: nothing to choose from. */
int cp_moves_choose(cp_moves *k, const cp_moves_tree *t, cp_move_kind kind, cp_rng *rng, cp_move *out);
/* -INFINITY if the new tree has a node without rows.  The tree is changed for the while and back again. */
double cp_moves_log_ratio(cp_moves *k, cp_moves_tree *t, const cp_move *move);
/* Right after log_ratio of the same move, which was finite. */
void cp_moves_apply(cp_moves *k, cp_moves_tree *t, const cp_move *move);

/* A kind drawn by share, a move, and its acceptance or not. */
typedef struct cp_moves_outcome {
    cp_move_kind kind;
    int accepted;
} cp_moves_outcome;
copse_status cp_moves_step(cp_moves *k, cp_moves_tree *t, cp_rng *rng, cp_moves_outcome *out, copse_error *err);

/* Makes t a draw from the prior, whatever it was. */
copse_status cp_moves_draw_tree(cp_moves *k, cp_moves_tree *t, cp_rng *rng, copse_error *err);

/* In moves_rebuild.c: everything that follows from links and rules in the subtree of `top`, into the scratch.
 * 0 if a node would have no rows; what was found is then void. */
int cp_moves_rebuild(cp_moves *k, const cp_moves_tree *t, int32_t top);
/* And from there into the tree. */
void cp_moves_rebuild_commit(cp_moves *k, cp_moves_tree *t, int32_t top);

/* In moves_file.c: links, rules and lists; the rest follows.  All that is read is checked, and t is then as it was when
 * written, down to the bit. */
copse_status cp_moves_file_write(const cp_moves_tree *t, cp_writer *w, copse_error *err);
copse_status cp_moves_file_read(cp_moves *k, cp_moves_tree *t, cp_reader *r, copse_error *err);

#endif
