/* bart_mh - Metropolis-Hastings moves on one tree of the sum: grow, prune, change, swap [Chipman, George, McCulloch
 * 1998, section 5.1; 2010, section 3.1].
 *
 * Target: p(T | R, sigma) ~ p(T) prod over leaves of p(R in the leaf | sigma), mu integrated out.
 * Move: a kind by move_prob, a node uniform among those that the kind applies to, and, for grow and change, a rule from
 *       its prior.
 * Acceptance: probability min(1, p(T') q(T' -> T) / (p(T) q(T -> T'))); cp_bart_mh_log_ratio is the log of the ratio.
 *       The prior of a drawn rule and its proposal cancel in grow, prune and change.
 * How we differ from the papers: grow chooses only among leaves whose rows differ in some column.  A tree of one leaf
 *       always grows.  A swap where both children have one rule is as in bayes/moves.h.  A node's rows are found by
 *       passes over the slots of all rows, not by lists of rows.
 * growprune and cgm are this sampler with different move_prob.
 *
 * As in bayes/moves.h, choosing a move, its ratio, and applying it are three functions, so that tests can list all
 * choices with their probabilities and build the whole transition matrix.  A move that is impossible counts as
 * rejected.
 *
 * A move decides the cell of a rule.  Given the rules, the cut within the cell is independent of everything else.  So
 * applying a move draws new cuts for the nodes whose rule has changed; all others keep theirs. */
#ifndef CP_BART_MH_H
#define CP_BART_MH_H

#include "bart/core/bart_sampler.h"

extern const cp_bart_sampler cp_bart_mh_sampler;

typedef struct cp_bart_mh_move {
    cp_bart_move kind;
    int16_t node; /* grow: the leaf; prune: the parent of two leaves; change: the inner node; swap: the lower node */
    cp_rule rule; /* grow, change */
} cp_bart_mh_move;

typedef struct cp_bart_mh {
    double move_prob[CP_BART_MOVES];
    /* Scratch. */
    cp_bart_split split; /* grow: the two leaves that it would make */
    /* Change and swap: rows and sums of each node of the proposed subtree, and the proposed slot of each row. */
    cp_bart_leaf proposed[2 * CP_BART_MAX_LEAVES];
    uint8_t *slot;
} cp_bart_mh;

copse_status cp_bart_mh_init(cp_bart_mh *k, const cp_bart_columns *c, const cp_bart_sampler_options *opt,
                             copse_error *err);
void cp_bart_mh_clear(cp_bart_mh *k);

/* The probability of a kind of move on a tree of so many leaves: move_prob, but a single leaf can only grow. */
double cp_bart_mh_move_prob(const cp_bart_mh *k, cp_bart_move kind, size_t leaves);
/* The number of nodes that a kind of move can choose, each with the same probability, and the i-th of them. */
size_t cp_bart_mh_targets(const cp_bart_tree *t, cp_bart_move kind);
int16_t cp_bart_mh_target(const cp_bart_tree *t, cp_bart_move kind, size_t i);
/* Draws a node and, for grow and change, a rule.  0: there is no node to choose. */
int cp_bart_mh_choose(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, cp_bart_move kind, cp_rng *rng,
                      cp_bart_mh_move *out);
/* log of the Metropolis-Hastings ratio; -INFINITY if the proposed tree is impossible.  Changes the tree and changes it
 * back before it returns. */
double cp_bart_mh_log_ratio(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move);
/* Must follow cp_bart_mh_log_ratio of the same move, which was finite, because it uses the scratch.  Memory for one
 * more leaf must be reserved. */
void cp_bart_mh_apply(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move, cp_rng *rng);

#endif
