/* bart_pg_propose - what a particle does with an open node, stop or split, and with what weight.
 *
 * For an open node N at depth d, let p be the prior probability of a split, s_j the prior probability of column j among
 * the columns that vary (the set V), w_g the width of gap g over the extent of its column, l(N) the likelihood of N as
 * a leaf, h(N) the lookahead function, and v(N) = h(N) if N is open, else l(N) (log_value in bart_pg_nodes.h).  L and R
 * are the children of a split.  The proposals, and the factor that each multiplies the particle's weight by:
 *
 *   prior     stop with probability 1-p; else column j with probability s_j and gap g with probability w_g
 *             stop: l(N) / v(N);  split: v(L) v(R) / v(N)                                           [thesis, eq. 4.10]
 *   optimal   stop in proportion to (1-p) l(N); split in proportion to p s_j w_g h(L) h(R)
 *             stop: Z / v(N), Z the sum of these masses; split: Z / v(N) times v(L) v(R) / (h(L) h(R)), where the last
 *             factor is 1 unless a child is closed
 *   mixed     a set S of k columns, uniform over all sets of k; then as optimal, with S in place of V and p s_j |V| / k
 *             in place of p s_j
 *
 * Mixed is importance sampling of a decision together with S.  The target is extended by a distribution of S given the
 * decision: uniform over the C(|V|-1, k-1) sets that hold the column of the split, or over all C(|V|, k) sets if the
 * decision is to stop.  The proposal draws S first, each set with probability 1 / C(|V|, k), then a decision within S.
 * From 1 / C(|V|-1, k-1) = |V| / k / C(|V|, k) the masses above follow, and all but their sum cancels.  The decision of
 * a retained particle is given, so its S is drawn from the extended target given the decision: the column of the split
 * and k-1 others, or any k.  So (decision, S) of the retained particle is a draw from the extended target whenever the
 * tree is a draw from its posterior, and that is all conditional SMC requires. */
#ifndef CP_BART_PG_PROPOSE_H
#define CP_BART_PG_PROPOSE_H

#include "bart/pg/bart_pg_nodes.h"

typedef struct cp_bart_pg_proposer {
    cp_bart_pg_proposal proposal;
    size_t columns; /* mixed: k */
    cp_bart_pg_nodes pg_nodes;
    uint32_t *order;         /* scratch: dims */
    double *log_mass, *mass; /* scratch: dims + 1 */
} cp_bart_pg_proposer;

typedef struct cp_bart_pg_decision {
    int32_t split; /* CP_NONE: stop */
    double log_w;  /* to be added to the particle's log weight */
} cp_bart_pg_decision;

copse_status cp_bart_pg_propose_init(cp_bart_pg_proposer *p, const cp_bart_columns *c,
                                     const cp_bart_sampler_options *opt, copse_error *err);
void cp_bart_pg_propose_clear(cp_bart_pg_proposer *p);

/* Draws a decision for an open node. */
copse_status cp_bart_pg_propose_draw(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_bart_pg_decision *out,
                                     copse_error *err);
/* The weight of a given decision: to split by a rule, or to stop (NULL). */
copse_status cp_bart_pg_propose_given(cp_bart_pg_proposer *p, int32_t pg_node, const cp_rule *opt_rule, cp_rng *rng,
                                      cp_bart_pg_decision *out, copse_error *err);
/* The decision for a tree that has CP_BART_MAX_LEAVES leaves already: it can only stop. */
cp_bart_pg_decision cp_bart_pg_propose_stop(const cp_bart_pg_proposer *p, int32_t pg_node);

#endif
