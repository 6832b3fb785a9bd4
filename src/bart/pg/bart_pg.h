/* bart_pg - particle Gibbs: conditional sequential Monte Carlo regrows a tree [thesis, algorithm 4.2].
 *
 * Target: p(T | R, sigma) ~ p(T) prod over leaves of p(R in the leaf | sigma), mu integrated out.
 * Move: particles grow trees breadth first, one node a stage.  Particle 0 is retained: it repeats the decisions of the
 *       old tree, and its weight is computed as that of any other.  After a stage, if ESS <= ess_threshold * particles,
 *       every particle but the first is replaced by a copy of a particle drawn by weight from all, and all weights
 *       become equal (bart_pg_resample.h).  When no particle has an undecided node, one particle is drawn by weight,
 *       and its tree is the new tree.
 * Weights: thesis, eq. 4.10 (bart_pg_propose.h).  The target is invariant for every proposal (bart_pg_propose.h) and
 *       every lookahead function (bart_pg_nodes.h): tests/exact/test_bart_pg.c lists all that particles can do.
 * How we differ from the thesis: proposals that look at the likelihood, lookahead functions, resampling by ESS and by
 *       four schemes, regrowing a subtree only, and MH moves (bart_mh.h) after each regrow.
 *
 * A tree, here, is which gaps its rules lie in.  The cell within a gap and the cut within a cell follow their prior
 * given the gap, whatever the residual is.  They are drawn anew if the new tree differs from the old one, else kept.
 *
 * With descend_prob > 0 only the subtree of one node is regrown.  A row is drawn uniformly; starting at the root, with
 * probability descend_prob each time, the sampler goes down to the child that has the row.  The probability that it
 * stops at a node depends on the node's rows and depth, which regrowing the node does not change.  So for each node the
 * target is invariant, and so it is for their mixture.  If the sampler would have to go down from a leaf, the step does
 * nothing.
 *
 * There is no ancestor sampling.  It would connect the rest of the old path to another particle's past.  But a partial
 * tree can be completed to the old tree only if it is a part of it.  So only the retained particle and its copies would
 * have positive weight, and a choice among these changes nothing. */
#ifndef CP_BART_PG_H
#define CP_BART_PG_H

#include "bart/pg/bart_pg_propose.h"

extern const cp_bart_sampler cp_bart_pg_sampler;

typedef struct cp_bart_pg_particle {
    int retained; /* to the old tree */
    double log_w;
    size_t nodes, next; /* nodes so far; the first undecided node, or `nodes` if there is none */
    size_t leaves;      /* of the whole tree, if nothing more is split */
    int32_t *node;      /* numbers of pg nodes, breadth first */
    int32_t *split;     /* of each decided node, its pg split; CP_NONE: the node is a leaf */
} cp_bart_pg_particle;

typedef struct cp_bart_pg {
    const cp_bart_columns *columns;
    cp_bart_sampler_options opt;
    cp_bart_pg_proposer propose;
    cp_bart_pg_particle *particle, *copy;     /* opt.particles each; particle 0 is retained */
    int32_t *lists;                           /* memory of the lists of all particles and copies */
    int16_t old_node[2 * CP_BART_MAX_LEAVES]; /* for each node of particle 0: the node of the old tree */
    int16_t new_node[2 * CP_BART_MAX_LEAVES]; /* for each node of the chosen particle: the node of the new tree */
    uint32_t *row;                            /* rows below the regrown node */
    double *weight;                           /* scratch: particles */
    double *tmp;                              /* scratch: 4 particles + 2 */
    uint32_t *parent;                         /* scratch: 2 particles */
    void *opt_mh;                             /* a cp_bart_mh_sampler, if opt.mh_moves > 0 */
} cp_bart_pg;

#endif
