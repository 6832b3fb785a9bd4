#include "btree/btree_diagnose.h"

#include <math.h>

#include "base/mem.h"
#include "method/diagnosis.h"
#include "num/math.h"

/* Independent estimates of log p(y | x) whose standard deviation exceeds this are useless: the estimate is then
 * dominated by the largest weight of a particle. */
static const double max_sd = 1.5;
/* A stage with fewer effective particles has lost all but a few trees. */
static const double min_particles = 10;
/* R-hat, and effective draws per chain, as Vehtari et al. (2021) advise. */
static const double max_rhat = 1.01, min_draws = 100;

/* ---------------------------------------------------------------------------------------------------------- islands */

static double square(double x) {
    return x * x;
}

double cp_btree_diagnose_log_marginal_sd(const cp_btree *b) {
    double mean = 0, squares = 0, n = (double)b->islands;
    for (size_t i = 0; i < b->islands; i++) mean += b->island[i].log_marginal / n;
    for (size_t i = 0; i < b->islands; i++) squares += square(b->island[i].log_marginal - mean);
    return n > 1 ? sqrt(squares / (n - 1)) : NAN;
}

double cp_btree_diagnose_log_marginal(const cp_btree *b) {
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < b->islands; i++) top = fmax(top, b->island[i].log_marginal);
    for (size_t i = 0; i < b->islands; i++) sum += cp_math_exp(b->island[i].log_marginal - top);
    return top + cp_math_log(sum / (double)b->islands);
}

double cp_btree_diagnose_min_ess(const cp_btree *b) {
    double min_ess = 1;
    for (size_t i = 0; i < b->islands; i++)
        for (size_t k = 0; k < b->island[i].stages; k++) min_ess = fmin(min_ess, (double)b->island[i].ess[k]);
    return min_ess;
}

/* ----------------------------------------------------------------------------------------------------------- chains */

const char *const cp_btree_diagnose_accepted[CP_MOVES] = {[CP_MOVE_GROW] = "accepted_grow",
                                                          [CP_MOVE_PRUNE] = "accepted_prune",
                                                          [CP_MOVE_CHANGE] = "accepted_change",
                                                          [CP_MOVE_SWAP] = "accepted_swap"};

double cp_btree_diagnose_acceptance(const cp_btree *b, cp_move_kind move) {
    double proposed = 0, accepted = 0;
    for (size_t i = 0; i < b->chains; i++) {
        proposed += (double)b->trace[i].proposed[move];
        accepted += (double)b->trace[i].accepted[move];
    }
    return proposed > 0 ? accepted / proposed : 0;
}

copse_status cp_btree_diagnose_converge(cp_btree *b, copse_error *err) {
    size_t draws = b->chains ? b->trace[0].samples : 0;
    double *x;
    if (!b->chains) return COPSE_OK;
    CP_TRY(CP_RAW(x, b->chains * draws, err));
    for (size_t i = 0; i < b->chains * draws; i++) x[i] = b->trace[i / draws].log_post[i % draws];
    copse_status status = cp_converge_find(x, b->chains, draws, &b->log_posterior, err);
    for (size_t i = 0; i < b->chains * draws; i++) x[i] = b->trace[i / draws].leaves[i % draws];
    if (!status) status = cp_converge_find(x, b->chains, draws, &b->leaves, err);
    cp_mem_free(x);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- verdict */

static void judge_islands(const cp_btree *b, const copse_params *p, size_t cut_short, copse_diagnosis *d) {
    double sd = cp_btree_diagnose_log_marginal_sd(b);
    int agree = sd <= max_sd, single = b->islands < 2;
    if (d->ok) {
        cp_diagnosis_say(d, "The islands agree: %s can be trusted.",
                         b->prior_only ? "trees and probabilities" : "trees, probabilities and log_marginal");
    } else if (single) {
        cp_diagnosis_problem(d, "one island cannot say whether it would come to the same result again");
        cp_diagnosis_say(d,
                         "One island cannot say whether it would come to the same result again: fit with `islands=5`.");
    } else if (agree) {
        cp_diagnosis_problem(d, "`max-stages` ended %zu of %zu islands before their trees were whole", cut_short,
                             b->islands);
        cp_diagnosis_say(d, "The islands agree, but not on whole trees.");
    } else {
        cp_diagnosis_problem(d, "the islands do not agree (log_marginal_sd %.3g)", sd);
        cp_diagnosis_say(
            d,
            "The islands do not agree on the posterior: averages over them may still predict well, but do not trust "
            "log_marginal or single trees.");
    }
    if (cut_short)
        cp_diagnosis_say(d, "Trees were cut short: raise `max-stages`.");
    else if (!agree && !single)
        cp_diagnosis_say(d, "Fit with more `particles`%s.",
                         cp_param_is(p, "proposal", "optimal") ? "" : ", or `proposal=optimal`");
}

static void diagnose_islands(const cp_btree *b, const copse_params *p, copse_diagnosis *d) {
    double particles = ceil(cp_param_real(p, "particles") / (double)b->islands);
    double min_ess = cp_btree_diagnose_min_ess(b) * particles;
    size_t cut_short = 0;
    for (size_t i = 0; i < b->islands; i++) cut_short += b->island[i].cut_short;
    cp_diagnosis_at_most(d, "log_marginal_sd", cp_btree_diagnose_log_marginal_sd(b), max_sd,
                         b->prior_only ? "how far the islands' estimates of log 1 are apart"
                                       : "how far the islands' estimates of log p(y | x) are apart");
    /* With several islands a bad stage shows in their disagreement.  A single island is judged by its worst stage. */
    if (b->islands > 1)
        cp_diagnosis_to_know(d, "least_particles", min_ess, "effective particles of an island, at the worst stage");
    else
        cp_diagnosis_at_least(d, "least_particles", min_ess, fmin(min_particles, particles),
                              "effective particles at the worst stage: 10, or all if there are fewer");
    cp_diagnosis_at_most(d, "cut_short", (double)cut_short, 0,
                         "islands that `max-stages` ended before their trees were whole");
    cp_diagnosis_to_know(d, "unique_trees", (double)b->tree_set.trees, "different trees that were kept");
    judge_islands(b, p, cut_short, d);
}

static void judge_chains(const cp_btree *b, double draws, copse_diagnosis *d) {
    const cp_converge *p = &b->log_posterior, *l = &b->leaves;
    cp_diagnosis_judge_chains(
        d,
        &(cp_diagnosis_chains){
            .chains = b->chains,
            .rhat = fmax(p->rhat, l->rhat),
            .most_rhat = max_rhat,
            .ess = fmin(fmin(p->bulk, l->bulk), fmin(p->tail, l->tail)),
            .least_ess = draws,
            .if_not_converged = "averages over the draws may still predict well, but do not trust what they say about "
                                "trees. Fit with longer `burn-in` and more `samples`.",
        });
}

static void diagnose_chains(const cp_btree *b, copse_diagnosis *d) {
    double draws = min_draws * (double)b->chains;
    cp_diagnosis_at_least(d, "chains", (double)b->chains, 2,
                          "one cannot say whether it would come to the same result again");
    cp_diagnosis_at_most(d, "rhat_log_posterior", b->log_posterior.rhat, max_rhat,
                         "spread of all chains over that of each");
    cp_diagnosis_at_most(d, "rhat_leaves", b->leaves.rhat, max_rhat, "the same of the number of leaves");
    cp_diagnosis_at_least(d, "ess_log_posterior", b->log_posterior.bulk, draws,
                          "independent draws that the chains are worth: 100 for each chain");
    cp_diagnosis_at_least(d, "ess_leaves", b->leaves.bulk, draws, "the same of the number of leaves");
    cp_diagnosis_at_least(d, "tail_ess_log_posterior", b->log_posterior.tail, draws,
                          "the same of 5 % and 95 % quantiles");
    cp_diagnosis_at_least(d, "tail_ess_leaves", b->leaves.tail, draws, "the same of the number of leaves");
    for (int m = 0; m < CP_MOVES; m++)
        cp_diagnosis_to_know(d, cp_btree_diagnose_accepted[m], cp_btree_diagnose_acceptance(b, (cp_move_kind)m),
                             m ? "" : "share of these moves that were accepted");
    cp_diagnosis_to_know(d, "unique_trees", (double)b->tree_set.trees, "different trees that were kept");
    judge_chains(b, draws, d);
}

void cp_btree_diagnose(const void *state, const copse_params *p, copse_diagnosis *out) {
    const cp_btree *b = state;
    *out = (copse_diagnosis){.ok = 1};
    if (b->chains)
        diagnose_chains(b, out);
    else
        diagnose_islands(b, p, out);
    if (b->prior_only) cp_diagnosis_say(out, "All this is about the prior: no row was counted.");
}
