/* btree_propose - the proposal: a particle stops at its block, or splits it, and its weight is updated.
 *
 * For a block N at depth d let p be the prior probability of a split, D the columns that vary, l() marginal
 * likelihoods, w_g the share of gap g in the extent of its column.  The proposals, and the factor of the weight:
 *
 *   prior      stop with probability 1-p; else a column of D at random, a gap with probability w_g
 *              stop: 1;  split: l(L) l(R) / l(N)
 *   empirical  the same, but all G gaps of the column are equally likely                    [2013, section 3]
 *              split: G w_g l(L) l(R) / l(N); the cut is uniform within the gap under both
 *   optimal    each decision in proportion to prior x likelihood                            [2013, eq. 6]
 *              always: [(1-p) l(N) + p/|D| sum over D and g of w_g l(L) l(R)] / l(N)
 *   mixed      a set S of s columns of D at random, then as optimal, with S for D and s for |D|.
 *              This is importance sampling of the decision together with S.  Its target is the posterior of the
 *              decision times a uniform choice of S among the sets that contain its column (for stop: among all sets).
 *              Because (1/|D|) / C(|D|-1, s-1) = (1/s) / C(|D|, s), all terms but the sum cancel.
 *
 * A proposal has two steps, column and gap: in between, particles at one block are sorted by column, so that each
 * column is loaded once. */
#ifndef CP_BTREE_PROPOSE_H
#define CP_BTREE_PROPOSE_H

#include "btree/btree_column.h"
#include "btree/btree_smc.h"

typedef struct cp_btree_choice {
    int32_t dim;       /* CP_NONE: stop */
    double u;          /* determines the gap: uniform on (0,1), drawn in the first step, used in the second */
    double log_weight; /* added to the particle's log weight */
    cp_btree_gap gap;
} cp_btree_choice;

typedef struct cp_btree_proposer {
    const cp_btree_problem *b;           /* borrowed */
    const cp_btree_smc_options *opt;     /* borrowed */
    cp_btree_column column;              /* the one loaded last */
    cp_btree_view block;                 /* where particles stand */
    const copse_flag *stop;              /* NULL, or a flag that is read before each column */
    copse_flag halted;                   /* the flag was raised: proposals since `begin` are invalid */
    uint32_t now;                        /* serial number of the block; a cached value is valid if it has this one */
    uint32_t column_in;                  /* serial number of the block of `column` */
    struct cp_btree_column_known *known; /* of each column in this block */
    uint32_t *order;                     /* columns; shuffled for each particle, then restored */
    uint32_t *swapped;
    uint32_t *chosen; /* the columns proposed among; optimal: all that vary, for the whole block */
    size_t n_chosen;
    double split, log_split, log_stop; /* prior of the block */
    double *log_mass;                  /* of stopping, then of the chosen columns */
} cp_btree_proposer;

copse_status cp_btree_propose_init(cp_btree_proposer *p, const cp_btree_problem *b, const cp_btree_smc_options *opt,
                                   copse_error *err);
void cp_btree_propose_clear(cp_btree_proposer *p);

/* The next proposals are for particles at this block, which can be split. */
void cp_btree_propose_begin(cp_btree_proposer *p, const cp_btree_view *block);
/* First step: stop, or a column. */
void cp_btree_propose_column(cp_btree_proposer *p, cp_rng *rng, cp_btree_choice *out);
/* Second step: the gap, unless the particle stops. */
void cp_btree_propose_gap(cp_btree_proposer *p, cp_btree_choice *c);

#endif
