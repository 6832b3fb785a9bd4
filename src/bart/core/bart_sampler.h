/* bart_sampler - the interface of a sampler of one tree given the rest: any Markov kernel that leaves the tree's
 * conditional posterior p(T_m | R_m, sigma) invariant.  bart_mh.h and bart_pg.h are the two that there are. */
#ifndef CP_BART_SAMPLER_H
#define CP_BART_SAMPLER_H

#include "bart/core/bart_tree.h"

typedef enum cp_bart_move {
    CP_BART_GROW,
    CP_BART_PRUNE,
    CP_BART_CHANGE,
    CP_BART_SWAP,
    CP_BART_REGROW, /* particle Gibbs; counted as accepted if the new tree differs from the old one */
    CP_BART_MOVES
} cp_bart_move;

typedef struct cp_bart_tally {
    uint64_t proposed[CP_BART_MOVES], accepted[CP_BART_MOVES];
} cp_bart_tally;

typedef enum cp_bart_pg_proposal { CP_BART_PG_PRIOR, CP_BART_PG_MIXED, CP_BART_PG_OPTIMAL } cp_bart_pg_proposal;

/* The lookahead function of an undecided node of a particle: bart_pg_nodes.h. */
typedef enum cp_bart_pg_lookahead { CP_BART_PG_LOOKAHEAD_LEAF, CP_BART_PG_LOOKAHEAD_LEVELS } cp_bart_pg_lookahead;

typedef struct cp_bart_sampler_options {
    double move_prob[CP_BART_MOVES]; /* probability of each MH move; their sum, without regrow, is 1 */
    /* Particle Gibbs. */
    size_t particles;
    cp_bart_pg_proposal proposal;
    cp_bart_pg_lookahead lookahead;
    size_t columns;           /* mixed proposal: columns in the random subset, at least 1 */
    cp_resampling resampling; /* in its conditional form: bart_pg_resample.h */
    double ess_threshold;     /* resample if ESS <= ess_threshold * particles; 1: always */
    double descend_prob;      /* 0: regrow the whole tree; else the subtree of a random node: bart_pg.h */
    size_t mh_moves;          /* MH moves after each regrow, their kinds drawn by move_prob */
} cp_bart_sampler_options;

/* A sampler object holds the scratch and options of one chain. */
typedef struct cp_bart_sampler {
    const char *name;
    copse_status (*make)(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out, copse_error *err);
    void (*free)(void *sampler);
    /* One transition of the kernel.  The sums of the leaves hold (T4) before and after.  A failure (no memory) leaves
     * the tree valid. */
    copse_status (*step)(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                         copse_error *err);
} cp_bart_sampler;

#endif
