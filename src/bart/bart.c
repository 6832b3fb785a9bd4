#include "bart/bart.h"

#include "bart/bart_model.h"

/* ------------------------------------------------------------------------------------------------------------- options */

/* Each option is written once. */
#define INT(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_INT, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define REAL(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_REAL, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define CHOICE(NAME, INITIAL, CHOICES, HELP) \
    { .name = NAME, .type = CP_PARAM_CHOICE, .initial = INITIAL, .choices = CHOICES, .help = HELP }
#define COUNTED(NAME, INITIAL, CHOICES, MIN, MAX, HELP)                                                        \
    {                                                                                                          \
        .name = NAME, .type = CP_PARAM_CHOICE, .initial = INITIAL, .choices = CHOICES, .min = MIN, .max = MAX, \
        .help = HELP                                                                                           \
    }
#define FLAG(NAME, HELP) \
    { .name = NAME, .type = CP_PARAM_FLAG, .initial = "no", .help = HELP }

static const cp_param params[] = {
    CHOICE("sampler", "growprune", "growprune cgm pg",
           "how a tree is sampled given the others: leaves split and joined; also cuts changed and swapped; particle "
           "Gibbs"),
    INT("trees", "200", 1, 10000, "in a sum; of more than two classes each has its own"),
    INT("chains", "4", 1, 1000, "independent chains, in parallel"),
    INT("burn-in", "1000", 0, 1e9, "sweeps of a chain before its first draw"),
    INT("samples", "1000", 1, 1e7, "draws kept of each chain"),
    INT("thin", "5", 1, 1e6, "sweeps from one draw to the next"),
    INT("seed", "1", 0, 9007199254740992.0, "same seed, same model, on any number of threads"),
    {.name = "k",
     .type = CP_PARAM_REAL,
     .initial = "sampled",
     .min = 1e-3,
     .max = 1e3,
     .choices = "sampled",
     .help = "the prior holds f within the targets' range (probit: 3) by k standard deviations; sampled: learnt, from "
             "2 on"},
    REAL("nu", "3", 0.1, 1e6, "numbers: degrees of freedom of the prior of sigma^2"),
    REAL("q", "0.9", 0.001, 0.9999, "numbers: prior probability that sigma is below its rough estimate"),
    CHOICE("sigma-prior", "ols", "ols sd", "numbers: that estimate is the residual of a linear fit, or sd(y)"),
    REAL("alpha-split", "0.95", 1e-6, 0.999999, "prior probability that the root is split"),
    REAL("beta-split", "2", 0, 100, "a node at depth d is split with probability alpha-split / (1 + d)^beta-split"),
    COUNTED(
        "cuts", "uniform", "uniform grid:100 quantile:100", 1, 65535,
        "where cuts may lie: anywhere between values, on N even steps of a column, or on N quantiles; without :N, 100"),
    FLAG("sparse", "few columns matter: how often each is split on is learnt [Linero 2018]"),
    COUNTED("warm-start", "none", "none grow:10", 1, 10000,
            "grow:N: first N sweeps that grow each tree anew from its root, over histograms; grow alone is grow:10"),
    FLAG("prior-only", "draw from the prior: targets count for its scale alone"),
    REAL("grow", "0.25", 1e-3, 1, "how often a leaf is to be split; cgm: all four are scaled to sum to 1"),
    REAL("prune", "0.25", 1e-3, 1, "how often two leaves are to be joined"),
    REAL("change", "0.4", 0, 1, "cgm: how often a split gets another cut"),
    REAL("swap", "0.1", 0, 1, "cgm: how often a split and one below it change places"),
    INT("particles", "10", 2, 10000, "pg: particles, the tree as it was among them"),
    CHOICE("pg-proposal", "prior", "prior mixed optimal",
           "pg: cuts are drawn from the prior, or by likelihood among a few columns or all"),
    CHOICE("resampling", "multinomial", "multinomial systematic residual stratified",
           "pg: how particles are multiplied"),
    INT("pg-columns", "2", 1, 1e6, "mixed: so many columns are looked at, drawn anew at each node"),
    CHOICE("pg-promise", "leaf", "leaf levels",
           "pg: undecided nodes are judged as leaves, or by how well leaves could yet tell their residuals apart"),
    REAL("pg-ess", "1", 0, 1,
         "pg: particles are multiplied when their effective number is at most this share of them; 1: at every step"),
    REAL("pg-below", "0", 0, 0.99,
         "pg: how likely it is, each time, to go down one more node before all below is grown anew; 0: the whole tree"),
    INT("local-moves", "0", 0, 1000, "pg: so many moves of cgm after each new tree"),
};

/* ----------------------------------------------------------------------------------------------------------- questions */

static size_t count_rows(const void *state) {
    return ((const cp_bart *)state)->rows;
}

static size_t count_draws(const void *state) {
    return cp_bart_draw_count(state);
}

static int can_learn(const void *state) {
    (void)state;
    return 0;
}

/* -------------------------------------------------------------------------------------------------------------- method */

const cp_method cp_bart_method = {
    .info = {.name = "bart",
             .summary = "Bayesian additive regression trees: sums of trees by MCMC",
             .tasks = COPSE_CLASS | COPSE_REGRESS},
    .takes_weights = 1,
    .has_draws = 1,
    .draws_probs = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .sampler = &cp_bart_chains,
    .predict = cp_bart_predict,
    .write = cp_bart_write,
    .read = cp_bart_read,
    .check = cp_bart_check,
    .clear = cp_bart_free,
    .rows = count_rows,
    .trees = cp_bart_tree_count,
    .draws = count_draws,
    .can_learn = can_learn,
    .diagnose = cp_bart_diagnose,
    .json = cp_bart_json,
    .figures = cp_bart_figures,
    .tree_json = cp_bart_tree_json,
    .tree_node = cp_bart_tree_node,
    .tree_shape = cp_bart_tree_shape,
    .draw_splits = cp_bart_splits,
};
