/* bart_pg - particle Gibbs: a tree is grown anew by conditional sequential Monte Carlo [thesis, algorithm 4.2].
 *
 * Particles grow trees breadth first, one node a stage.  The first one is clamped: it takes the old tree's decisions
 * again, and its weight is computed as everyone's.  After a stage, if the effective sample size is at most
 * ess_threshold times the number of particles, every particle but the first is replaced by a copy of one drawn by
 * weight from all, the first among them, and weights become equal (bart_pg_resample.h).  When no particle has an
 * undecided node, one is drawn by weight, and its tree is the new one.  The tree's conditional posterior is invariant
 * whatever the proposal (bart_pg_propose.h) and whatever undecided nodes count for (bart_pg_nodes.h):
 * tests/exact/test_bart_pg.c lists all that particles can do.
 *
 * A tree, here, is which gaps its rules lie in; the cell within a gap and the cut within a cell are as in the prior
 * given the gap, whatever the residual is.  They stay as they were if the new tree is the old one, and are drawn when
 * it is not.
 *
 * With `below` > 0 only what is below one node is grown anew: a row is chosen at random, and from the root on, with
 * probability `below` each time, one goes down to the child that has it.  How likely a node is reached depends on its
 * rows and its depth, which growing it anew does not change; so each choice of a node leaves the posterior invariant,
 * and so does their mixture.  If one should go down from a leaf, nothing is done.
 *
 * There is no ancestor sampling.  It would let the rest of the old path follow another particle's past; but here the
 * past is in the present: a partial tree has the old tree as a continuation only if it is a part of it, so among
 * particles with positive weight there are the clamped one and its copies, and to choose among these changes
 * nothing. */
#ifndef CP_BART_PG_H
#define CP_BART_PG_H

#include "bart/pg/bart_pg_propose.h"

typedef struct cp_bart_pg_particle {
    int clamped; /* to the old tree */
    double log_w;
    size_t nodes, next; /* nodes so far; the first that is undecided, or `nodes` */
    size_t leaves;      /* of the whole tree, if nothing more is split */
    int32_t *pg_node;   /* in the order in which they were made, which is breadth first */
    int32_t *fork;      /* of each that is decided; CP_NONE: it stopped */
} cp_bart_pg_particle;

typedef struct cp_bart_pg {
    const cp_bart_columns *columns;
    cp_bart_sampler_options opt;
    cp_bart_pg_proposer propose;
    cp_bart_pg_particle *particle, *copy; /* opt.particles each; particle 0 is clamped */
    int32_t *room;                        /* for all their lists */
    int16_t old[2 * CP_BART_MAX_LEAVES];  /* of particle 0's nodes: the old tree's nodes */
    int16_t made[2 * CP_BART_MAX_LEAVES]; /* of the chosen one's: the new tree's */
    uint32_t *row;                        /* below the chosen node */
    double *weight;                       /* scratch: particles */
    double *tmp;                          /* scratch: 4 particles + 2 */
    uint32_t *parent;                     /* scratch: 2 particles */
    void *opt_local;                      /* a cp_bart_mh_sampler, if there are local moves */
} cp_bart_pg;

#endif
