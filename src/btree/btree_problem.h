/* btree_problem - one Bayesian decision tree: its posterior by sequential Monte Carlo (smc) or by MCMC (bcart).
 *
 * Both samplers see the same problem (rows as ranks, leaf model, prior) and leave the same thing behind, a tree set of
 * weighted trees; from there on nobody has to know which of the two it was.
 *
 * The target of both is p(tree | y) prop. to prior(tree) prod over leaves of the leaf's marginal likelihood, over trees
 * whose rules are a column and a gap between values (bayes/tree_prior.h); where the cut lies in the gap is integrated
 * out, in training because the rows do not see it and in prediction by the tree set's walk. */
#ifndef CP_BTREE_PROBLEM_H
#define CP_BTREE_PROBLEM_H

#include "bayes/particle.h"
#include "bayes/tree_prior.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"
#include "method/method.h"
#include "tree/tree_set.h"

/* What the prior depends on. */
typedef struct cp_btree_hyper {
    cp_tree_prior split;
    double alpha;             /* classes */
    double kappa, nu, lambda; /* numbers, in units of the standardised targets */
} cp_btree_hyper;

/* What is sampled; made once from rows and options, read by all islands and chains. */
typedef struct cp_btree_problem {
    const cp_rows *rows; /* borrowed */
    cp_ranks ranks;
    cp_leaf leaf;
    cp_tree_prior prior;
    uint64_t seed;
    double *y; /* regression: standardised, y = centre + scale * it */
    double centre, scale;
} cp_btree_problem;

/* In btree_problem.c. */
copse_status cp_btree_problem_init(cp_btree_problem *b, const cp_rows *rows, const cp_btree_hyper *hyper, uint64_t seed,
                                   const copse_run *run, copse_error *err);
/* The same rows under another prior; after a failure the problem is as it was. */
copse_status cp_btree_problem_set(cp_btree_problem *b, const cp_btree_hyper *hyper, copse_error *err);
void cp_btree_problem_clear(cp_btree_problem *b);
/* A leaf model that can predict, but has no rows to sample with. */
copse_status cp_btree_problem_leaf(cp_leaf *m, copse_task task, size_t classes, const cp_btree_hyper *hyper,
                                   copse_error *err);

/* ----------------------------------------------------------------------------------------------------------- smc */

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
    double ess_threshold; /* share of the particles below which they are resampled */
    size_t particles;     /* of one island */
    size_t max_stages;
    size_t columns; /* mixed: columns scored in a node */
} cp_btree_smc_options;

/* What an island leaves: trees with weights that sum to 1, the estimate of log p(y | x), and how it went. */
typedef struct cp_btree_island {
    double log_marginal;
    size_t stages;      /* until every tree was whole */
    size_t cut_short;   /* 1: max_stages were not enough, blocks that still waited are leaves */
    size_t unique;      /* different trees at the end */
    float *ess;         /* of each stage, as a share of the particles */
    size_t resamplings; /* how often */
    size_t expanded;    /* nodes expanded, over all particles: work done */
    size_t worked;      /* of these, nodes that no other particle had expanded alike */
} cp_btree_island;

void cp_btree_smc_clear_island(cp_btree_island *s);

/* An island of particles between two stages: in btree_smc.c, saved and restored in btree_smc_file.c. */
typedef struct cp_btree_smc cp_btree_smc;

/* Before the first stage.  The problem is borrowed, the options are copied. */
copse_status cp_btree_smc_new(const cp_btree_problem *b, const cp_btree_smc_options *opt, size_t island,
                              cp_btree_smc **out, copse_error *err);
void cp_btree_smc_free(cp_btree_smc *s);
/* Goes on until every tree is whole or there were max_stages; or for `stages` stages if that is less and not 0.  After
 * any failure, COPSE_E_STOPPED among them, the island stands where the last whole stage left it and can be saved or go
 * on.  Progress is reported through run: only the thread of the caller may be given one that listens. */
copse_status cp_btree_smc_run(cp_btree_smc *s, size_t stages, const copse_run *run, copse_error *err);
int cp_btree_smc_done(const cp_btree_smc *s);
/* The estimate of log p(y | x), once it is done. */
double cp_btree_smc_log_marginal(const cp_btree_smc *s);
/* Adds the island's trees, of total weight 1, to the tree set; out is cleared by cp_btree_smc_clear_island. */
copse_status cp_btree_smc_finish(cp_btree_smc *s, cp_tree_set *tree_set, cp_btree_island *out, copse_error *err);
/* Restored, an island goes on as if it had never stopped, bit for bit.  It must be given the problem and the options it
 * had; everything else is checked. */
copse_status cp_btree_smc_file_write(cp_btree_smc *s, cp_writer *w, copse_error *err);
copse_status cp_btree_smc_file_read(cp_reader *r, const cp_btree_problem *b, const cp_btree_smc_options *opt,
                                    size_t island, cp_btree_smc **out, copse_error *err);

#endif
