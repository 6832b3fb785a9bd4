#include "bart/model/bart.h"

#include "bart/model/bart_diagnose.h"
#include "bart/model/bart_file.h"
#include "bart/model/bart_fit.h"
#include "bart/model/bart_inspect.h"
#include "bart/model/bart_model.h"
#include "bart/model/bart_predict.h"
#include "bart/model/bart_report.h"
#include "bayes/bayes_options.h"

/* ---------------------------------------------------------------------------------------------------------- options */

/* The words of pg-proposal and pg-promise are in the order of the enums in bart_sampler.h. */
static const cp_param params[] = {
    CP_OPTION_CHOICE(
        "sampler", "growprune", "growprune cgm pg",
        "how a tree is sampled given the others: leaves split and joined; also cuts changed and swapped; particle "
        "Gibbs"),
    CP_OPTION_INT("trees", "200", 1, 10000,
                  CP_OPTION_TUNED_LOG(20, 400, "in a sum; of more than two classes each has its own")),
    CP_OPTION_INT("chains", "4", 1, 1000, "independent chains, in parallel"),
    CP_OPTION_INT("burn-in", "1000", 0, 1e9, "sweeps of a chain before its first draw"),
    CP_OPTION_INT("samples", "1000", 1, CP_BART_MODEL_MOST_SAMPLES, "draws kept of each chain"),
    CP_OPTION_INT("thin", "5", 1, 1e6, "sweeps from one draw to the next"),
    CP_OPTION_SEED,
    {.name = "k",
     .type = CP_PARAM_REAL,
     .initial = "sampled",
     .min = 1e-3,
     .max = 1e3,
     .choices = "sampled",
     .tune_low = 1,
     .tune_high = 5,
     .help = "the prior holds f within the targets' range (probit: 3) by k standard deviations; sampled: learnt, from "
             "2 on"},
    CP_OPTION_REAL("nu", "3", 0.1, 1e6, CP_OPTION_OF_NUMBERS("degrees of freedom of the prior of sigma^2")),
    CP_OPTION_REAL("q", "0.9", 0.001, 0.9999,
                   CP_OPTION_OF_NUMBERS("prior probability that sigma is below its rough estimate")),
    CP_OPTION_CHOICE("sigma-prior", "ols", "ols sd",
                     CP_OPTION_OF_NUMBERS("that estimate is the residual of a linear fit, or sd(y)")),
    CP_OPTION_CHOICE("noise", "even", "even uneven",
                     CP_OPTION_TUNED_WORDS(CP_OPTION_OF_NUMBERS(
                         "one sigma for all rows, or a variance that depends on x: a product of trees"))),
    CP_OPTION_INT("noise-trees", "40", 1, 1000, CP_OPTION_OF_NUMBERS("uneven noise: trees of its variance")),
    CP_BAYES_OPTIONS_SPLIT("2"),
    CP_OPTION_COUNTED(
        "cuts", "uniform", "uniform grid:100 quantile:100", 1, 65535,
        "where cuts may lie: anywhere between values, on N even steps of a column, or on N quantiles; without :N, 100"),
    CP_OPTION_FLAG("sparse", "few columns matter: how often each is split on is learnt [Linero 2018]"),
    CP_OPTION_COUNTED(
        "warm-start", "none", "none grow:10", 1, 10000,
        "grow:N: first N sweeps that grow each tree anew from its root, over histograms; grow alone is grow:10"),
    CP_OPTION_FLAG("prior-only", "draw from the prior: targets count for its scale alone"),
    CP_BAYES_OPTIONS_MOVES("cgm: "),
    CP_OPTION_INT("particles", "10", 2, 10000, "pg: particles, the tree as it was among them"),
    CP_OPTION_CHOICE("pg-proposal", "prior", "prior mixed optimal",
                     "pg: cuts are drawn from the prior, or by likelihood among a few columns or all"),
    CP_BAYES_OPTIONS_RESAMPLING("multinomial", "pg: "),
    CP_OPTION_INT("pg-columns", "2", 1, 1e6, "mixed: so many columns are looked at, drawn anew at each node"),
    CP_OPTION_CHOICE(
        "pg-promise", "leaf", "leaf levels",
        "pg: undecided nodes are judged as leaves, or by how well leaves could yet tell their residuals apart"),
    CP_OPTION_REAL(
        "pg-ess", "1", 0, 1,
        "pg: particles are multiplied when their effective number is at most this share of them; 1: at every step"),
    CP_OPTION_REAL(
        "pg-below", "0", 0, 0.99,
        "pg: how likely it is, each time, to go down one more node before all below is grown anew; 0: the whole tree"),
    CP_OPTION_INT("local-moves", "0", 0, 1000, "pg: so many moves of cgm after each new tree"),
};

/* -------------------------------------------------------------------------------------------------------- questions */

static size_t count_rows(const void *state) {
    return ((const cp_bart_model *)state)->rows;
}

static size_t count_draws(const void *state) {
    return cp_bart_model_draw_count(state);
}

/* ----------------------------------------------------------------------------------------------------------- method */

const cp_method cp_method_bart = {
    .info = {.name = "bart",
             .summary = "Bayesian additive regression trees: sums of trees by MCMC",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .samples = 1,
             .takes_weights = 1},
    .has_draws = 1,
    .draws_probs = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `samples` (a larger `thin` makes each worth more) or fewer `chains`",
    .sampler = &cp_bart_fit_sampler,
    .predict = cp_bart_predict,
    .write = cp_bart_file_write,
    .read = cp_bart_file_read,
    .check = cp_bart_file_check,
    .clear = cp_bart_model_free,
    .rows = count_rows,
    .trees = cp_bart_inspect_trees,
    .draws = count_draws,
    .inspect.diagnose = cp_bart_diagnose,
    .inspect.json = cp_bart_report,
    .inspect.figures = cp_bart_inspect_figures,
    .inspect.tree_json = cp_bart_inspect_json,
    .inspect.tree_node = cp_bart_inspect_node,
    .inspect.tree_shape = cp_bart_inspect_shape,
    .inspect.draw_splits = cp_bart_inspect_splits,
    .inspect.trace = cp_bart_inspect_trace,
};
