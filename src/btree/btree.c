#include "btree/btree.h"

#include "btree/btree_model.h"

/* ------------------------------------------------------------------------------------------------------------- options */

/* Each option is written once. */
#define INT(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_INT, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define REAL(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_REAL, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define CHOICE(NAME, INITIAL, CHOICES, HELP) \
    { .name = NAME, .type = CP_PARAM_CHOICE, .initial = INITIAL, .choices = CHOICES, .help = HELP }

#define FLAG(NAME, HELP) \
    { .name = NAME, .type = CP_PARAM_FLAG, .initial = "no", .help = HELP }

#define SEED INT("seed", "1", 0, 9007199254740992.0, "same seed, same model, on any number of threads")
#define PRIOR                                                                                                \
    REAL("alpha", "5", 1e-6, 1e6, "classes: weight of the prior in a leaf, spread evenly over the classes"), \
        REAL("alpha-split", "0.95", 1e-6, 0.999999, "prior probability that the root is split"),             \
        REAL("beta-split", "0.5", 0, 100,                                                                    \
             "a node at depth d is split with probability alpha-split / (1 + d)^beta-split"),                \
        REAL("kappa", "0.1", 1e-6, 1e6, "numbers: rows that the prior mean of a leaf is worth"),             \
        REAL("nu", "3", 0.1, 1e6, "numbers: degrees of freedom of the prior variance of a leaf"),            \
        {.name = "lambda",                                                                                   \
         .type = CP_PARAM_REAL,                                                                              \
         .initial = "auto",                                                                                  \
         .min = 1e-9,                                                                                        \
         .max = 1e9,                                                                                         \
         .auto_ok = 1,                                                                                       \
         .help = "numbers: scale of that variance, in units of var(y); auto: below it with probability .9"}, \
        FLAG("prior-only", "draw from the prior: targets count for its classes, or its scale, alone")

/* The order of words is that of the enums in btree.h and particle.h. */
static const cp_param smc_params[] = {
    INT("particles", "1000", 1, 1.6e7, "in all islands together; each gets the same number, rounded up"),
    INT("islands", "5", 1, 10000, "independent runs, in parallel, whose answers are averaged"),
    SEED,
    CHOICE("proposal", "prior", "prior empirical optimal mixed",
           "cuts are drawn from the prior, between values alike, by likelihood, or so among a few columns"),
    CHOICE("expansion", "node", "node node-likelihood layer",
           "what grows next: nodes in turn, nodes of low likelihood first, or all of a depth"),
    CHOICE("resampling", "multinomial", "multinomial systematic residual stratified", "how particles are multiplied"),
    REAL("ess-threshold", "0.1", 0, 1,
         "resample when the effective sample size falls below this share of the particles"),
    PRIOR,
    INT("max-stages", "5000", 1, 1e9, "stages of an island, at most; what then still could grow becomes leaves"),
    {.name = "columns",
     .type = CP_PARAM_INT,
     .initial = "auto",
     .min = 1,
     .max = 1e6,
     .auto_ok = 1,
     .help = "mixed: columns scored in a node; auto: the root of their number"},
    CHOICE("island-weights", "equal", "equal evidence", "islands count alike, or as their estimates of p(y | x) say"),
    {.name = "tune",
     .type = CP_PARAM_LIST,
     .initial = "none",
     .choices = "alpha alpha-split beta-split",
     .help = "choose these by marginal likelihood, from the given values on"},
};

static const cp_param bcart_params[] = {
    INT("chains", "4", 1, 1000, "independent chains, in parallel"),
    INT("burn-in", "5000", 0, 1e9, "moves of a chain before its first draw"),
    INT("samples", "1000", 1, 1e8, "draws kept of each chain"),
    INT("thin", "10", 1, 1e6, "moves from one draw to the next"),
    SEED,
    PRIOR,
    REAL("grow", "0.25", 1e-3, 1, "how often a leaf is to be split; all four are scaled to sum to 1"),
    REAL("prune", "0.25", 1e-3, 1, "how often two leaves are to be joined"),
    REAL("change", "0.4", 0, 1, "how often a split gets another cut"),
    REAL("swap", "0.1", 0, 1, "how often a split and one below it change places"),
};

/* ----------------------------------------------------------------------------------------------------------- questions */

static size_t count_rows(const void *state) {
    return ((const cp_btree *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_btree *)state)->grove.trees;
}

static int can_learn(const void *state) {
    (void)state;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------- methods */

#define METHOD(NAME, SUMMARY)                                                              \
    const cp_method cp_##NAME##_method = {                                                 \
        .info = {.name = #NAME, .summary = SUMMARY, .tasks = COPSE_CLASS | COPSE_REGRESS}, \
        .has_draws = 1,                                                                    \
        .params = NAME##_params,                                                           \
        .n_params = sizeof NAME##_params / sizeof *NAME##_params,                          \
        .sampler = &cp_btree_##NAME##_sampler,                                             \
        .predict = cp_btree_predict,                                                       \
        .write = cp_btree_write,                                                           \
        .read = cp_btree_read,                                                             \
        .check = cp_btree_check,                                                           \
        .clear = cp_btree_free,                                                            \
        .rows = count_rows,                                                                \
        .trees = count_trees,                                                              \
        .can_learn = can_learn,                                                            \
        .diagnose = cp_btree_diagnose,                                                     \
        .json = cp_btree_json,                                                             \
        .figures = cp_btree_figures,                                                       \
        .details = cp_btree_details,                                                       \
        .tree_json = cp_btree_tree_json,                                                   \
        .tree_node = cp_btree_tree_node,                                                   \
        .tree_shape = cp_btree_tree_shape,                                                 \
        .tree_splits = cp_btree_tree_splits,                                               \
    }

METHOD(smc, "one Bayesian tree by sequential Monte Carlo, with its marginal likelihood");
METHOD(bcart, "one Bayesian tree by MCMC: grow, prune, change, swap");
