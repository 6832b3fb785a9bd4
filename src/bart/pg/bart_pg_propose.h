/* bart_pg_propose - what a particle does with a node: stop there, or fork it, and with what weight.
 *
 * For an open node N at depth d let p be the prior probability of a split, s_j the share of column j among those that
 * vary (the set V), w_g the share of gap g in the extent of its column, l(N) the likelihood of a leaf and v(N) what the
 * node is worth while it is undecided (its log_value).  The particle's weight is multiplied by
 *
 *   prior     stop with probability 1-p; else column j by s_j, and a gap by w_g
 *             stop: l(N) / v(N);  fork: v(L) v(R) / v(N)                                            [thesis, eq. 4.10]
 *   optimal   each decision in proportion to (1-p) l(N), or p s_j w_g h(L) h(R), h being a node's promise
 *             Z / v(N), Z the sum of these; fork: times v(L) v(R) / (h(L) h(R)), which is 1 unless a child is closed
 *   mixed     a set S of k columns, any as likely as any other, then as optimal with the columns of S for V and
 *             p s_j |V| / k for p s_j.
 *
 * Mixed is importance sampling of a decision together with S.  The target is extended by a law of S given the decision:
 * uniform over the sets that hold the decision's column, C(|V|-1, k-1) of them, or over all C(|V|, k) if it stops.  The
 * proposal draws S first, each with 1 / C(|V|, k), then a decision within S; from 1 / C(|V|-1, k-1) = |V| / k / C(|V|,
 * k) the masses above follow, and all but their sum cancels.  A clamped particle's decision is given, so its S is drawn
 * from that law: the column of the decision and k-1 others, or any k.  That makes (decision, S) of the clamped particle
 * a draw from the extended target whenever the tree is one from its posterior, which is all that conditional SMC
 * asks. */
#ifndef CP_BART_PG_PROPOSE_H
#define CP_BART_PG_PROPOSE_H

#include "bart/pg/bart_pg_nodes.h"

typedef struct cp_bart_pg_proposer {
    cp_bart_pg_proposal proposal;
    size_t columns; /* mixed */
    cp_bart_pg_nodes pg_nodes;
    uint32_t *order;         /* scratch: dims */
    double *log_mass, *mass; /* scratch: dims + 1 */
} cp_bart_pg_proposer;

typedef struct cp_bart_pg_decision {
    int32_t fork; /* CP_NONE: stop */
    double log_w; /* what is added to the particle's log weight */
} cp_bart_pg_decision;

copse_status cp_bart_pg_propose_init(cp_bart_pg_proposer *p, const cp_bart_columns *c,
                                     const cp_bart_sampler_options *opt, copse_error *err);
void cp_bart_pg_propose_clear(cp_bart_pg_proposer *p);

/* The node is open. */
copse_status cp_bart_pg_propose_draw(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_bart_pg_decision *out,
                                     copse_error *err);
/* The weight of a given decision: a rule, or NULL to stop. */
copse_status cp_bart_pg_propose_given(cp_bart_pg_proposer *p, int32_t pg_node, const cp_rule *opt_rule, cp_rng *rng,
                                      cp_bart_pg_decision *out, copse_error *err);
/* There is no room for more leaves: to stop is all that is left. */
cp_bart_pg_decision cp_bart_pg_propose_stop(const cp_bart_pg_proposer *p, int32_t pg_node);

#endif
