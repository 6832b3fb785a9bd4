/* btree_smc - an island of particles [2013, algorithm 1]: made, run for some stages, and turned into weighted trees.
 *
 * Callers see an opaque cp_btree_smc.  btree_stage.h has its members and the steps of one stage. */
#ifndef CP_BTREE_SMC_H
#define CP_BTREE_SMC_H

#include "bayes/particle.h"
#include "btree/btree_problem.h"
#include "tree/tree_set.h"

/* The order of both enums is the order of the words of options `proposal` and `expansion` (btree.c). */
typedef enum cp_btree_proposal {
    CP_BTREE_PRIOR,
    CP_BTREE_EMPIRICAL,
    CP_BTREE_OPTIMAL,
    CP_BTREE_MIXED
} cp_btree_proposal;
typedef enum cp_btree_expansion { CP_BTREE_NODE, CP_BTREE_NODE_LIKELIHOOD, CP_BTREE_LAYER } cp_btree_expansion;

typedef struct cp_btree_smc_options {
    cp_btree_proposal proposal;
    cp_btree_expansion expansion;
    cp_resampling resampling;
    double ess_threshold; /* particles are resampled when their effective sample size is below this share of them */
    size_t particles;     /* of one island */
    size_t max_stages;
    size_t columns; /* mixed proposal: columns scored in a node */
} cp_btree_smc_options;

/* The record of a finished island. */
typedef struct cp_btree_island {
    double log_marginal; /* the estimate of log p(y | x) */
    size_t stages;       /* until every tree was complete */
    size_t cut_short;    /* 1: max_stages were not enough, and blocks that still waited became leaves */
    size_t unique;       /* different trees at the end */
    float *ess;          /* effective sample size of each stage, as a share of the particles */
    size_t resamplings;
    size_t expanded; /* nodes expanded, summed over all particles */
    size_t worked;   /* distinct expansions among them: particles that expand alike share the work */
} cp_btree_island;

void cp_btree_smc_clear_island(cp_btree_island *s);

/* An island between two stages. */
typedef struct cp_btree_smc cp_btree_smc;

/* An island before its first stage.  The problem is borrowed, the options are copied. */
copse_status cp_btree_smc_new(const cp_btree_problem *b, const cp_btree_smc_options *opt, size_t island,
                              cp_btree_smc **out, copse_error *err);
void cp_btree_smc_free(cp_btree_smc *s);
/* Runs until every tree is complete or max_stages are over, but for at most `stages` stages unless that is 0.  After a
 * failure, COPSE_E_STOPPED included, the island is as the last complete stage left it, and can be saved or run on.
 * Progress is reported through `run`: a run with a progress function may be given on the caller's own thread only. */
copse_status cp_btree_smc_run(cp_btree_smc *s, size_t stages, const copse_run *run, copse_error *err);
int cp_btree_smc_done(const cp_btree_smc *s);
/* The estimate of log p(y | x) of an island that is done. */
double cp_btree_smc_log_marginal(const cp_btree_smc *s);
/* Adds the island's trees, of total weight 1, to the tree set.  cp_btree_smc_clear_island clears *out. */
copse_status cp_btree_smc_finish(cp_btree_smc *s, cp_tree_set *tree_set, cp_btree_island *out, copse_error *err);

#endif
