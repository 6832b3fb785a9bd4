/* btree_smc - an island of particles, stage by stage [2013, algorithm 1].
 *
 * A stage: all particles' states are opened; each particle that stands at a block decides; weights are multiplied;
 * if they have become too unequal, particles are resampled.  Expanding by node, a stage is one decision for each
 * particle; by layer it is as many as there are blocks of the same depth, taken in rounds.
 *
 *     log Z = sum over resamplings of log(mean weight), and log(mean weight) at the end; the first weight is l(all
 *     rows)
 *
 * Nothing is shared between islands.  Random numbers come from two places only, the streams of the particles (slot:
 * island * particles + number, step: round) and that of the resampling (slot: island, step: stage); a test that lists
 * what can happen calls the functions of one stage below with choices and ancestors of its own.
 *
 *   I1  a stage takes effect as a whole, at its end (cp_btree_smc_end): whatever fails before, particle, log_weight and
 *       all counts are those of the stage before. */
#ifndef CP_BTREE_SMC_H
#define CP_BTREE_SMC_H

#include "btree/btree_propose.h"
#include "btree/btree_state.h"

/* What a stage is about to change. */
typedef struct cp_btree_stage {
    int32_t *particle; /* the states they will be in */
    double *log_weight;
    uint64_t round;
    size_t expanded, worked;
} cp_btree_stage;

struct cp_btree_smc {
    const cp_btree_problem *b; /* borrowed */
    cp_btree_smc_options opt;
    size_t island;
    cp_btree_states states;
    cp_btree_proposer proposer; /* while running */
    int32_t *particle;          /* the state of each */
    double *log_weight;
    double log_z;   /* of the resamplings so far */
    size_t stages;  /* so far */
    uint64_t round; /* so far */
    int done;       /* every tree is whole, or max_stages are over */
    float *ess;     /* of each stage */
    size_t cap_ess;
    size_t resamplings, expanded, worked;
    /* Scratch. */
    cp_btree_stage next;
    uint32_t *layer;         /* depth of the blocks of this stage */
    uint64_t *key;           /* who stands where: block and particle; three times, for sorting */
    cp_btree_choice *choice; /* of each particle */
    uint32_t *ancestor;
    double *weight; /* 2 x particles */
};

/* One stage, as cp_btree_smc_run does it: begin; then in rounds gather, decide and take; then end. */

/* Opens all states, forgets what is not needed any more, and makes room to decide in.  0 particles stand at a block:
 * the island is done. */
copse_status cp_btree_smc_begin(cp_btree_smc *s, size_t *out_standing, copse_error *err);
/* Who decides in this round: s->key[0] ... key[n-1], block in the high half and particle in the low, sorted.  None: the
 * stage can end. */
copse_status cp_btree_smc_gather(cp_btree_smc *s, size_t *out_n, copse_error *err);
/* Draws s->choice of these n, whose block is the same. */
void cp_btree_smc_decide(cp_btree_smc *s, const uint64_t *key, size_t n);
/* Lets a particle do what it has chosen. */
copse_status cp_btree_smc_take(cp_btree_smc *s, size_t particle, copse_error *err);
/* Makes the stage's changes hold.  Resampling, if it is due, is drawn, or done as told. */
copse_status cp_btree_smc_end(cp_btree_smc *s, const uint32_t *opt_ancestor, copse_error *err);
/* Opens all states, and no more. */
copse_status cp_btree_smc_open(cp_btree_smc *s, size_t *out_standing, copse_error *err);
/* Will resampling be due? */
int cp_btree_smc_must_resample(const cp_btree_smc *s);

#endif
