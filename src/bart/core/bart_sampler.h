/* bart_sampler - how one tree is sampled given the rest: any kernel that leaves its conditional posterior as it is. */
#ifndef CP_BART_SAMPLER_H
#define CP_BART_SAMPLER_H

#include "bart/core/bart_tree.h"

typedef enum cp_bart_move {
    CP_BART_GROW,
    CP_BART_PRUNE,
    CP_BART_CHANGE,
    CP_BART_SWAP,
    CP_BART_REGROW, /* particle Gibbs: accepted where the tree is another one */
    CP_BART_MOVES
} cp_bart_move;

typedef struct cp_bart_tally {
    uint64_t proposed[CP_BART_MOVES], accepted[CP_BART_MOVES];
} cp_bart_tally;

typedef enum cp_bart_pg_proposal { CP_BART_PG_PRIOR, CP_BART_PG_MIXED, CP_BART_PG_OPTIMAL } cp_bart_pg_proposal;

/* What an undecided node of a particle counts for: bart_pg_nodes.h. */
typedef enum cp_bart_pg_lookahead { CP_BART_PG_LOOKAHEAD_LEAF, CP_BART_PG_LOOKAHEAD_LEVELS } cp_bart_pg_lookahead;

typedef struct cp_bart_sampler_options {
    double share[CP_BART_MOVES]; /* local moves: how often each is proposed; they sum to 1 without regrow */
    /* Particle Gibbs. */
    size_t particles;
    cp_bart_pg_proposal proposal;
    cp_bart_pg_lookahead promise;
    size_t columns;           /* mixed: so many are looked at, at least 1 */
    cp_resampling resampling; /* in its conditional form: bart_pg_resample.h */
    double ess_threshold;     /* resample at an effective sample size of at most so much of the particles; 1: always */
    double below;             /* 0: the whole tree is grown anew; else what is below a random node: see bart_pg.h */
    size_t local_moves;       /* after each regrow: so many local moves, mixed by `share` */
} cp_bart_sampler_options;

/* Scratch and options of one chain. */
typedef struct cp_bart_sampler {
    const char *name;
    copse_status (*make)(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out, copse_error *err);
    void (*free)(void *sampler);
    /* On entry the tree's leaves have their sums (T4), on success too.  A failure (memory) leaves the tree whole. */
    copse_status (*step)(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                         copse_error *err);
} cp_bart_sampler;

/* Grow/prune and the four moves of Chipman, George and McCulloch: in bart_mh.c; they differ in `share` alone. */
extern const cp_bart_sampler cp_bart_mh_sampler;
/* In bart_pg.c. */
extern const cp_bart_sampler cp_bart_pg_sampler;

#endif
