/* bart_mh - Metropolis-Hastings moves on one tree of the sum: those of bayes/moves.h, by passes over bytes.
 *
 * As there, a move is chosen, its ratio computed, and perhaps applied: three functions, so that tests can list all
 * choices with their probabilities and build the whole transition matrix.  A move that cannot be is a rejection like
 * any other.
 *
 * A move says which cell a rule has.  The cut's place in the cell is independent of all else given the rules, so nodes
 * whose rule has changed get a fresh one when a move is applied, and the others keep theirs. */
#ifndef CP_BART_MH_H
#define CP_BART_MH_H

#include "bart/core/bart_sampler.h"

typedef struct cp_bart_mh_move {
    cp_bart_move kind;
    int16_t node; /* the leaf, the parent of two leaves, the inner node, the lower one of the pair */
    cp_rule rule; /* grow, change */
} cp_bart_mh_move;

/* How often each kind is tried, and scratch. */
typedef struct cp_bart_mh {
    double share[CP_BART_MOVES];
    cp_bart_split split; /* grow: what it would make */
    /* Change and swap: what the nodes under the move would be, and every row's slot. */
    cp_bart_leaf made[2 * CP_BART_MAX_LEAVES];
    uint8_t *slot;
} cp_bart_mh;

copse_status cp_bart_mh_init(cp_bart_mh *k, const cp_bart_columns *c, const cp_bart_sampler_options *opt,
                             copse_error *err);
void cp_bart_mh_clear(cp_bart_mh *k);

/* How often a move of this kind is tried on a tree of so many leaves: as was asked for, but a single leaf can only
 * grow. */
double cp_bart_mh_move_prob(const cp_bart_mh *k, cp_bart_move kind, size_t leaves);
/* How many a move of this kind may choose from, each with the same probability, and the i-th of them. */
size_t cp_bart_mh_targets(const cp_bart_tree *t, cp_bart_move kind);
int16_t cp_bart_mh_target(const cp_bart_tree *t, cp_bart_move kind, size_t i);
/* Draws a target and, for grow and change, a rule.  0: nothing to choose from. */
int cp_bart_mh_choose(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, cp_bart_move kind, cp_rng *rng,
                      cp_bart_mh_move *out);
/* -INFINITY if the new tree cannot be.  The tree is changed for the while and back again. */
double cp_bart_mh_log_ratio(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move);
/* Right after log_ratio of the same move, which was finite; there is room for one more leaf. */
void cp_bart_mh_apply(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move, cp_rng *rng);

/* In bart_mh_subtree.c: log of prior and likelihood of the subtree of `top`, but for the rule of top itself if it is
 * not to be counted, as links and rules have it: what was known of its leaves and their rows may be stale, as long as
 * all of them together are the same.  The scratch has then how it is; -INFINITY if a leaf has no rows. */
double cp_bart_mh_subtree_log_prob(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t top,
                                   int with_rule);
/* And from the scratch into the tree. */
void cp_bart_mh_subtree_apply(const cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, int16_t top);

#endif
