#include "bart/model/bart_diagnose.h"

#include <math.h>

#include "method/diagnosis.h"

/* Very many sums of trees give the same fit, and chains mix slowly among them.  So these bounds ask only that R-hat is
 * at most 1.05 and that there are 25 effective draws for each chain.  The stricter bounds of Vehtari et al. (2021),
 * 1.01 and 100 for each chain, are for quantities that are reported with two digits of their standard errors. */
static const double most_rhat = 1.05, least_draws = 25;

const char *const cp_bart_diagnose_accepted[CP_BART_MOVES] = {[CP_BART_GROW] = "accepted_grow",
                                                              [CP_BART_PRUNE] = "accepted_prune",
                                                              [CP_BART_CHANGE] = "accepted_change",
                                                              [CP_BART_SWAP] = "accepted_swap",
                                                              [CP_BART_REGROW] = "accepted_regrow"};

double cp_bart_diagnose_acceptance(const cp_bart_model *b, cp_bart_move move) {
    double proposed = 0, accepted = 0;
    for (size_t i = 0; i < b->chains; i++) {
        proposed += (double)b->tally[i].proposed[move];
        accepted += (double)b->tally[i].accepted[move];
    }
    return proposed > 0 ? accepted / proposed : NAN;
}

/* Takes the worst of both.  NaN, the result of too few draws, is worst. */
static void worsen(cp_converge *all, const cp_converge *one) {
    if (isnan(one->rhat) || one->rhat > all->rhat) all->rhat = one->rhat;
    if (isnan(one->bulk) || one->bulk < all->bulk) all->bulk = one->bulk;
    if (isnan(one->tail) || one->tail < all->tail) all->tail = one->tail;
}

copse_status cp_bart_diagnose_converge(cp_bart_model *b, copse_error *err) {
    size_t all = cp_bart_model_draw_count(b);
    for (int kind = 0; kind < CP_BART_SERIES_KINDS; kind++) {
        b->converge[kind] = (cp_converge){.rhat = 1, .bulk = INFINITY, .tail = INFINITY};
        for (size_t k = 0; k < cp_bart_model_series(b, (cp_bart_series)kind); k++) {
            cp_converge one;
            CP_TRY(cp_converge_find(b->series[kind] + k * all, b->chains, b->samples, &one, err));
            worsen(&b->converge[kind], &one);
        }
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- verdict */

typedef struct series_words {
    const char *rhat, *bulk, *tail, *what;
} series_words;

static const series_words series_text[CP_BART_SERIES_KINDS] = {
    [CP_BART_SIGMA] = {"rhat_sigma", "ess_sigma", "tail_ess_sigma", "of sigma, the noise about f"},
    [CP_BART_LOG_LIKELIHOOD] = {"rhat_log_likelihood", "ess_log_likelihood", "tail_ess_log_likelihood",
                                "of the log likelihood of the training rows"},
    [CP_BART_LEAF_COUNT] = {"rhat_leaves", "ess_leaves", "tail_ess_leaves",
                            "of the number of leaves, of all trees of a draw together"},
    [CP_BART_FITTED] = {"rhat_fitted", "ess_fitted", "tail_ess_fitted",
                        "of f at 8 rows of the data, the worst of them"},
    [CP_BART_NOISE] = {"rhat_noise", "ess_noise", "tail_ess_noise",
                       "of the noise's sd at the same rows, the worst of them"},
};

static cp_converge worst_of(const cp_bart_model *b) {
    cp_converge worst = {.rhat = 1, .bulk = INFINITY, .tail = INFINITY};
    for (int i = 0; i < CP_BART_SERIES_KINDS; i++)
        if (cp_bart_model_series(b, (cp_bart_series)i)) worsen(&worst, &b->converge[i]);
    return worst;
}

static void judge(const cp_bart_model *b, double draws, copse_diagnosis *d) {
    cp_converge worst = worst_of(b);
    cp_diagnosis_judge_chains(
        d, &(cp_diagnosis_chains){
               .chains = b->chains,
               .draws = b->samples,
               .most_draws = CP_BART_MODEL_MOST_SAMPLES,
               .rhat = worst.rhat,
               .most_rhat = most_rhat,
               .ess = fmin(worst.bulk, worst.tail),
               .least_ess = draws,
               .if_not_converged =
                   "predictions may still be good, but intervals are likely to be too narrow. Fit with longer "
                   "`burn-in` and more `samples` (a run with `checkpoint=FILE` is lengthened by "
                   "`resume=FILE`); of many rows, with `warm-start=grow:20`.",
           });
}

void cp_bart_diagnose(const void *state, const copse_params *p, copse_diagnosis *out) {
    const cp_bart_model *b = state;
    double draws = least_draws * (double)b->chains;
    *out = (copse_diagnosis){.ok = 1};
    cp_diagnosis_at_least(out, "chains", (double)b->chains, 2,
                          "one cannot say whether it would come to the same result again");
    for (int i = 0; i < CP_BART_SERIES_KINDS; i++) {
        if (!cp_bart_model_series(b, (cp_bart_series)i)) continue;
        cp_diagnosis_at_most(out, series_text[i].rhat, b->converge[i].rhat, most_rhat, series_text[i].what);
        cp_diagnosis_at_least(out, series_text[i].bulk, b->converge[i].bulk, draws,
                              "independent draws: 25 for each chain");
        cp_diagnosis_at_least(out, series_text[i].tail, b->converge[i].tail, draws,
                              "the same of its 5 % and 95 % quantiles");
    }
    for (int i = 0; i < CP_BART_MOVES; i++) {
        double accepted = cp_bart_diagnose_acceptance(b, (cp_bart_move)i);
        if (!isnan(accepted)) cp_diagnosis_to_know(out, cp_bart_diagnose_accepted[i], accepted, "share of these moves");
    }
    judge(b, draws, out);
    if (cp_param_is(p, "prior-only", "yes"))
        cp_diagnosis_say(out, "All this is about the prior: no target was counted.");
}
