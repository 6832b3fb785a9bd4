/* btree_stage - one stage of an island of particles [2013, algorithm 1].
 *
 * A stage opens the states of all particles, lets each particle that stands at a block decide, multiplies the weights,
 * and resamples the particles if their weights have become too unequal.  Expansion by node: a stage is one decision of
 * each particle.  Expansion by layer: a stage is a decision on each block of the same depth, taken in rounds.
 *
 *     log Z = sum over resamplings of log(mean weight), plus log(mean weight) at the end.  The first weight is
 *     l(all rows).
 *
 * Islands share nothing.  Random numbers have two sources: the streams of the particles (slot: island * particles +
 * number, step: round) and the stream of the resampling (slot: island, step: stage).  A test that lists all outcomes
 * calls the functions below with choices and ancestors of its own.
 *
 *   I1  a stage takes effect as a whole, at its end (cp_btree_stage_end).  If a step before the end fails, particle,
 *       log_weight and all counts are those of the stage before. */
#ifndef CP_BTREE_STAGE_H
#define CP_BTREE_STAGE_H

#include "btree/btree_propose.h"
#include "btree/btree_smc.h"
#include "btree/btree_state.h"

/* The changes of a stage, which become the island's at its end (I1). */
typedef struct cp_btree_stage {
    int32_t *particle; /* the next state of each particle */
    double *log_weight;
    uint64_t round;
    size_t expanded, worked;
} cp_btree_stage;

struct cp_btree_smc {
    const cp_btree_problem *b; /* borrowed */
    cp_btree_smc_options opt;
    size_t island;
    cp_btree_states states;
    cp_btree_proposer proposer; /* only while the island runs */
    int32_t *particle;          /* the state of each particle */
    double *log_weight;
    double log_z;   /* of the resamplings so far */
    size_t stages;  /* so far */
    uint64_t round; /* so far */
    int done;       /* every tree is complete, or max_stages are over */
    float *ess;     /* of each stage */
    size_t cap_ess;
    size_t resamplings, expanded, worked;
    /* Scratch. */
    cp_btree_stage next;
    uint32_t *layer;         /* of each particle: the depth of the blocks of this stage */
    uint64_t *key;           /* block << 32 | particle, for sorting; 3 x particles */
    cp_btree_choice *choice; /* of each particle */
    uint32_t *ancestor;
    double *weight; /* 2 x particles */
};

/* cp_btree_smc_run makes a stage of: begin; gather, decide and take, in rounds; end. */

/* Opens all states, compacts them if that is due, and prepares `next`.  *out_standing: particles that stand at a block;
 * if it is 0, the island is done. */
copse_status cp_btree_stage_begin(cp_btree_smc *s, size_t *out_standing, copse_error *err);
/* Finds the particles that decide in this round: s->key[0] ... key[n-1], with the block in the high half and the
 * particle in the low half, sorted.  If *out_n is 0, the stage can end. */
copse_status cp_btree_stage_gather(cp_btree_smc *s, size_t *out_n, copse_error *err);
/* Draws s->choice of these n particles, which all stand at one block. */
void cp_btree_stage_decide(cp_btree_smc *s, const uint64_t *key, size_t n);
/* Carries out the choice of one particle. */
copse_status cp_btree_stage_take(cp_btree_smc *s, size_t particle, copse_error *err);
/* Makes the changes the island's.  If resampling is due, the ancestors are drawn unless they are given. */
copse_status cp_btree_stage_end(cp_btree_smc *s, const uint32_t *opt_ancestor, copse_error *err);
/* Opens all states, and does nothing else of a stage. */
copse_status cp_btree_stage_open(cp_btree_smc *s, size_t *out_standing, copse_error *err);
/* Will cp_btree_stage_end resample? */
int cp_btree_stage_must_resample(const cp_btree_smc *s);

#endif
