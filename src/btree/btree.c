#include "btree/btree.h"

#include <math.h>

#include "base/mem.h"
#include "bayes/bayes_options.h"
#include "btree/btree_chains.h"
#include "btree/btree_diagnose.h"
#include "btree/btree_file.h"
#include "btree/btree_inspect.h"
#include "btree/btree_islands.h"
#include "btree/btree_predict.h"
#include "btree/btree_report.h"
#include "num/math.h"

/* ------------------------------------------------------------------------------------------------------------ state */

double cp_btree_own_units(const cp_btree *b, double log_prob) {
    return b->prior_only ? log_prob : log_prob - (double)b->rows * cp_math_log(b->scale);
}

copse_status cp_btree_new(const cp_btree_problem *p, const cp_btree_hyper *hyper, cp_btree **out, copse_error *err) {
    const cp_rows *rows = p->rows;
    cp_btree *b;
    *out = NULL;
    CP_TRY(CP_NEW(b, 1, err));
    *b = (cp_btree){.task = rows->task,
                    .classes = rows->classes,
                    .rows = rows->n,
                    .hyper = *hyper,
                    .prior_only = p->leaf.prior_only,
                    .centre = p->centre,
                    .scale = p->scale};
    copse_status status = cp_tree_set_init(&b->tree_set, rows->dims, p->leaf.width, err);
    if (status)
        cp_btree_free(b);
    else
        *out = b;
    return status;
}

copse_status cp_btree_finish(cp_btree *b, copse_error *err) {
    if (b->tree_set.index) CP_TRY(cp_tree_set_finish(&b->tree_set, err));
    CP_TRY(cp_btree_problem_leaf(&b->leaf, b->task, b->classes, &b->hyper, err));
    CP_TRY(CP_RAW(b->size, b->tree_set.nodes, err));
    cp_tree_set_measure(&b->tree_set, b->size);
    return cp_btree_diagnose_converge(b, err);
}

void cp_btree_free(void *state) {
    cp_btree *b = state;
    if (!b) return;
    for (size_t i = 0; b->island && i < b->islands; i++) cp_btree_smc_clear_island(&b->island[i]);
    for (size_t i = 0; b->trace && i < b->chains; i++) cp_btree_mcmc_clear_trace(&b->trace[i]);
    cp_mem_free(b->island);
    cp_mem_free(b->trace);
    cp_mem_free(b->size);
    cp_leaf_clear(&b->leaf);
    cp_tree_set_clear(&b->tree_set);
    cp_mem_free(b);
}

/* ---------------------------------------------------------------------------------------------------------- options */

#define PRIOR                                                                                         \
    CP_BAYES_OPTIONS_LEAF_CLASSES("5"), CP_BAYES_OPTIONS_SPLIT("0.5"), CP_BAYES_OPTIONS_LEAF_NUMBERS, \
        CP_OPTION_FLAG("prior-only", "draw from the prior: targets count for its classes, or its scale, alone")

/* The words of `proposal` and `expansion` are in the order of the enums in btree_smc.h. */
static const cp_param smc_params[] = {
    CP_OPTION_INT("particles", "1000", 1, 1.6e7, "in all islands together; each gets the same number, rounded up"),
    CP_OPTION_INT("islands", "5", 1, 10000, "independent runs, in parallel, whose answers are averaged"),
    CP_OPTION_SEED,
    CP_OPTION_CHOICE("proposal", "prior", "prior empirical optimal mixed",
                     "cuts are drawn from the prior, between values alike, by likelihood, or so among a few columns"),
    CP_OPTION_CHOICE("expansion", "node", "node node-likelihood layer",
                     "what grows next: nodes in turn, nodes of low likelihood first, or all of a depth"),
    CP_BAYES_OPTIONS_RESAMPLING("multinomial", ""),
    CP_OPTION_REAL("ess-threshold", "0.1", 0, 1,
                   "resample when the effective sample size falls below this share of the particles"),
    PRIOR,
    CP_OPTION_INT("max-stages", "5000", 1, 1e9,
                  "stages of an island, at most; what then still could grow becomes leaves"),
    CP_OPTION_INT_AUTO("columns", 1, 1e6, "mixed: columns scored in a node; auto: the root of their number"),
    CP_OPTION_CHOICE("island-weights", "equal", "equal evidence",
                     "islands count alike, or as their estimates of p(y | x) say"),
    CP_OPTION_LIST("tune", "alpha alpha-split beta-split",
                   "choose these by marginal likelihood, from the given values on"),
};

static const cp_param bcart_params[] = {
    CP_OPTION_INT("chains", "4", 1, 1000, "independent chains, in parallel"),
    CP_OPTION_INT("burn-in", "5000", 0, 1e9, "moves of a chain before its first draw"),
    CP_OPTION_INT("samples", "1000", 1, 1e8, "draws kept of each chain"),
    CP_OPTION_INT("thin", "10", 1, 1e6, "moves from one draw to the next"),
    CP_OPTION_SEED,
    PRIOR,
    CP_BAYES_OPTIONS_MOVES(""),
};

/* ----------------------------------------------------------------------------------------------------------- counts */

static size_t count_rows(const void *state) {
    return ((const cp_btree *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_btree *)state)->tree_set.trees;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

#define METHOD(NAME, SAMPLER, SUMMARY, MEMORY_HINT)                                                      \
    const cp_method cp_method_##NAME = {                                                                 \
        .info = {.name = #NAME, .summary = SUMMARY, .tasks = COPSE_CLASS | COPSE_REGRESS, .samples = 1}, \
        .has_draws = 1,                                                                                  \
        .params = NAME##_params,                                                                         \
        .n_params = sizeof NAME##_params / sizeof *NAME##_params,                                        \
        .memory_hint = MEMORY_HINT,                                                                      \
        .sampler = &SAMPLER,                                                                             \
        .predict = cp_btree_predict,                                                                     \
        .write = cp_btree_file_write,                                                                    \
        .read = cp_btree_file_read,                                                                      \
        .check = cp_btree_file_check,                                                                    \
        .clear = cp_btree_free,                                                                          \
        .rows = count_rows,                                                                              \
        .trees = count_trees,                                                                            \
        .inspect.diagnose = cp_btree_diagnose,                                                           \
        .inspect.json = cp_btree_report,                                                                 \
        .inspect.figures = cp_btree_inspect_figures,                                                     \
        .inspect.details = cp_btree_inspect_details,                                                     \
        .inspect.tree_json = cp_btree_inspect_json,                                                      \
        .inspect.tree_node = cp_btree_inspect_node,                                                      \
        .inspect.tree_shape = cp_btree_inspect_shape,                                                    \
        .inspect.tree_splits = cp_btree_inspect_splits,                                                  \
        .inspect.trace = cp_btree_inspect_trace,                                                         \
    }

METHOD(smc, cp_btree_islands, "one Bayesian tree by sequential Monte Carlo, with its marginal likelihood",
       "fewer `particles`");
METHOD(bcart, cp_btree_chains, "one Bayesian tree by MCMC: grow, prune, change, swap",
       "fewer `samples` (a larger `thin` makes each worth more) or fewer `chains`");
