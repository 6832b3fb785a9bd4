#include "greedy/greedy.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number_rule.h"
#include "greedy/greedy_fit.h"
#include "greedy/greedy_inspect.h"
#include "greedy/greedy_predict.h"
#include "tree/forest_file.h"
#include "tree/tree_check.h"
#include "tree/tree_walk.h"

/* ---------------------------------------------------------------------------------------------------------- options */

/* Each option is written once; its default differs between the methods. */
#define MIN_LEAF_HELP   "rows in a leaf, at least; "
#define MIN_WEIGHT_HELP "weight in a leaf, at least; the weights of all rows are scaled to sum to their number"
/* Of the two bounds on a leaf one is worth a search. */
#define ROWS_LEAF(AUTO)                                                                     \
    CP_OPTION_INT_AUTO("min-leaf", 1, 1e9, CP_OPTION_TUNED_LOG(1, 30, MIN_LEAF_HELP AUTO)), \
        CP_OPTION_REAL("min-leaf-weight", "0", 0, 1e12, MIN_WEIGHT_HELP)
#define BAYES_LEAF                                                   \
    CP_OPTION_INT_AUTO("min-leaf", 1, 1e9, MIN_LEAF_HELP "auto: 1"), \
        CP_OPTION_REAL("min-leaf-weight", "3", 0, 1e12, CP_OPTION_TUNED_LOG(.3, 30, MIN_WEIGHT_HELP))
#define FEATURES(AUTO)                                                                                   \
    {                                                                                                    \
        .name = "features-per-split", .type = CP_PARAM_REAL, .initial = "auto", .min = 1e-6, .max = 1e6, \
        .choices = "sqrt all", .auto_ok = 1, .tune_low = .1, .tune_high = .999,                          \
        .help = "columns tried at each split: how many, or a share below 1; " AUTO                       \
    }
#define MAX_DEPTH(WHERE) CP_OPTION_INT("max-depth", "inf", 1, INFINITY, "splits on the way to a leaf" WHERE ", at most")
#define MAX_LEAVES(OF) \
    CP_OPTION_INT("max-leaves", "inf", 1, INFINITY, "leaves of " OF ", at most; the split that gains most comes first")
#define CRITERION                            \
    CP_OPTION_CHOICE(                        \
        "criterion", "gini", "gini entropy", \
        CP_OPTION_TUNED_WORDS(CP_OPTION_OF_CLASSES("what splits lower; for numbers it is squared error")))
#define ALPHA(INITIAL)                       \
    CP_OPTION_REAL("alpha", INITIAL, 0, 1e9, \
                   CP_OPTION_OF_CLASSES("weight added to each leaf, spread evenly over the classes"))
#define SPLITS                                              \
    CP_OPTION_CHOICE("splits", "auto", "auto exact binned", \
                     "between any two values, or between 255 bins of each column; auto: binned above 10000 rows")
#define LIMITS        MAX_DEPTH(""), MAX_LEAVES("a tree"), CRITERION
#define BRANCH_LIMITS MAX_DEPTH(" below the trunk"), MAX_LEAVES("what grows in a leaf of the trunk"), CRITERION

#define FOREST_LEAF "auto: 1 for classes, 3 for numbers"

void cp_greedy_free(void *state) {
    cp_greedy *g = state;
    if (!g) return;
    cp_tree_clear_forest(&g->forest);
    cp_temperature_clear(&g->temperature);
    cp_mem_free(g);
}

static const cp_param cart_params[] = {
    CP_OPTION_SEED, ROWS_LEAF("auto: 3"), FEATURES("auto: all"), LIMITS, ALPHA("1"), SPLITS,
};
static const cp_param rf_params[] = {
    CP_OPTION_TREES("trees in the forest"),
    CP_OPTION_SEED,
    ROWS_LEAF(FOREST_LEAF),
    FEATURES("auto: sqrt for classes, a third for numbers, or more where a trial says so"),
    LIMITS,
    ALPHA(".1"),
    SPLITS,
};
static const cp_param ert_params[] = {
    CP_OPTION_TREES("trees in the forest"),
    CP_OPTION_SEED,
    ROWS_LEAF(FOREST_LEAF),
    FEATURES("auto: sqrt for classes, all for numbers"),
    LIMITS,
    ALPHA(".1"),
};
static const cp_param bf_params[] = {
    CP_OPTION_TREES("draws from the posterior"),
    CP_OPTION_SEED,
    BAYES_LEAF,
    FEATURES("auto: all"),
    LIMITS,
    ALPHA(".1"),
    SPLITS,
};
static const cp_param ssf_params[] = {
    CP_OPTION_TREES("trees of each subset"),
    CP_OPTION_SEED,
    CP_OPTION_INT("subsets", "5", 1, 100000, "random parts of the rows, equal in size, each with a forest of its own"),
    BAYES_LEAF,
    FEATURES("auto: all"),
    LIMITS,
    ALPHA(".1"),
    SPLITS,
};
static const cp_param ebf_params[] = {
    CP_OPTION_TREES("draws from the posterior given the trunk"),
    CP_OPTION_SEED,
    CP_OPTION_INT_AUTO("trunk-leaves", 1, 1e6, "leaves of the trunk that all trees share, at most; auto: any number"),
    CP_OPTION_INT_AUTO(
        "trunk-min-leaf", 1, 1e9,
        "rows in a leaf of the trunk, at least; auto: rows / 6, or rows / (4 trunk-leaves) if those are given"),
    CP_OPTION_REAL("trunk-sample", "1", 1e-6, 1, "share of the rows the trunk is grown on"),
    BAYES_LEAF,
    FEATURES("auto: all"),
    BRANCH_LIMITS,
    ALPHA(".1"),
    SPLITS,
};

/* ------------------------------------------------------------------------------------------------------------ files */

/* Numbers in the sections "spread", which holds the leaf variance, "oob" and "temperature". */
enum { LEAF_VARIANCE = 4, OOB = 2, TEMPERATURE = 2 };

static copse_status write_state(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err) {
    const cp_greedy *g = state;
    (void)p;
    (void)flags; /* a greedy model never keeps its training rows */
    const cp_greedy_leaf_variance *s = &g->leaf_variance;
    const double variance[LEAF_VARIANCE] = {s->var, s->rows, s->stretch, s->floor};
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)g->rows, err));
    CP_TRY(cp_writer_i64(w, "trunk", (int64_t)g->trunk, err));
    CP_TRY(cp_writer_array(w, "oob", CP_F64, g->oob, OOB, err));
    if (g->forest.task == COPSE_REGRESS) CP_TRY(cp_writer_array(w, "spread", CP_F64, variance, LEAF_VARIANCE, err));
    if (g->temperature.share) {
        const double temperature[TEMPERATURE] = {g->temperature.power, g->temperature.mix};
        CP_TRY(cp_writer_array(w, "temperature", CP_F64, temperature, TEMPERATURE, err));
        CP_TRY(cp_writer_array(w, "shares", CP_F64, g->temperature.share, g->temperature.classes, err));
    }
    return cp_forest_write(&g->forest, w, err);
}

/* A leaf keeps the root of its variance as a float. */
static const cp_number_rule number_rules[] = {
    {.name = "oob", .least = -1e300, .most = 1e300, .also = CP_ALSO_NAN},
    {.name = "spread", .every = LEAF_VARIANCE, .at = 0, .least = 1e-89, .most = 1e38},
    {.name = "spread", .every = LEAF_VARIANCE, .at = 1, .least = 1e-30, .most = 1e30},
    {.name = "spread", .every = LEAF_VARIANCE, .at = 2, .least = 1e-30, .most = CP_GREEDY_LEAF_VARIANCE_MOST_STRETCH},
    {.name = "spread", .every = LEAF_VARIANCE, .at = 3, .least = 1e-89, .most = 1e70},
    {.name = "temperature", .every = TEMPERATURE, .at = 0, .least = .05, .most = 8},
    {.name = "temperature", .every = TEMPERATURE, .at = 1, .least = 1e-12, .most = .5},
    {.name = "shares", .least = 1e-12, .most = 1},
};

static copse_status read_leaf_variance(cp_greedy_leaf_variance *out, cp_reader *r, copse_error *err) {
    double *v;
    CP_TRY(cp_reader_array(r, "spread", CP_F64, LEAF_VARIANCE, &v, err));
    *out = (cp_greedy_leaf_variance){.var = v[0], .rows = v[1], .stretch = v[2], .floor = v[3]};
    cp_mem_free(v);
    return cp_greedy_leaf_variance_check(out) ? COPSE_OK : cp_reader_bad(r, err, "a variance is not one");
}

/* Files of earlier versions have none: their probabilities are used as they are. */
static copse_status read_temperature(cp_temperature *out, size_t classes, cp_reader *r, copse_error *err) {
    double *v;
    if (!cp_reader_has(r, "temperature")) return COPSE_OK;
    CP_TRY(cp_reader_array(r, "temperature", CP_F64, TEMPERATURE, &v, err));
    *out = (cp_temperature){.power = v[0], .mix = v[1], .classes = classes};
    cp_mem_free(v);
    CP_TRY(cp_reader_array(r, "shares", CP_F64, classes, &out->share, err));
    cp_temperature_add_up(out);
    return COPSE_OK;
}

static copse_status read_figures(cp_greedy *g, cp_reader *r, copse_error *err) {
    double *oob;
    int64_t rows, trunk;
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX, &rows, err));
    CP_TRY(cp_reader_i64(r, "trunk", 0, INT32_MAX, &trunk, err));
    CP_TRY(cp_reader_array(r, "oob", CP_F64, OOB, &oob, err));
    g->rows = (size_t)rows;
    g->trunk = (size_t)trunk;
    for (size_t i = 0; i < OOB; i++) g->oob[i] = oob[i];
    cp_mem_free(oob);
    return COPSE_OK;
}

static copse_status read_state(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err) {
    cp_greedy *g;
    (void)p;
    *out_state = NULL;
    CP_TRY(CP_NEW(g, 1, err));
    CP_NUMBER_RULES(r, number_rules);
    copse_status status = read_figures(g, r, err);
    g->leaf_variance = cp_greedy_leaf_variance_none;
    if (!status && shape.task == COPSE_REGRESS) status = read_leaf_variance(&g->leaf_variance, r, err);
    if (!status && shape.task == COPSE_CLASS) status = read_temperature(&g->temperature, shape.classes, r, err);
    if (!status) status = cp_forest_read(r, shape.task, shape.dims, shape.classes, &g->forest, err);
    if (!status && shape.task == COPSE_REGRESS)
        status = cp_greedy_leaf_variance_leaves(&g->leaf_variance, &g->forest, err);
    if (status)
        cp_greedy_free(g);
    else
        *out_state = g;
    return status;
}

/* ------------------------------------------------------------------------------------------------------- inspection */

static const char *check(const void *state) {
    const cp_greedy *g = state;
    for (size_t m = 0; m < g->forest.trees; m++) {
        const char *wrong = cp_tree_check(&g->forest.tree[m], &g->forest);
        if (wrong) return wrong;
    }
    return cp_greedy_leaf_variance_check(&g->leaf_variance) ? NULL : "the variance of the leaves is not one";
}

static size_t count_rows(const void *state) {
    return ((const cp_greedy *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_greedy *)state)->forest.trees;
}

static int takes_key_blocks(const void *state) {
    return cp_tree_walk_takes_key_blocks(&((const cp_greedy *)state)->forest);
}

static size_t figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_greedy *g = state;
    const cp_forest *f = &g->forest;
    double leaves = 0, nodes = 0, depth = 0, trees = (double)f->trees;
    int classes = f->task == COPSE_CLASS;
    size_t n = 0;
    for (size_t m = 0; m < f->trees; m++) {
        leaves += (double)f->tree[m].leaves;
        nodes += (double)f->tree[m].nodes;
        depth += (double)cp_tree_depth(&f->tree[m]);
    }
    out[n++] = (copse_figure){"leaves", leaves / trees};
    out[n++] = (copse_figure){"depth", depth / trees};
    out[n++] = (copse_figure){"nodes", nodes};
    if (g->trunk) out[n++] = (copse_figure){"trunk_leaves", (double)g->trunk};
    if (!isnan(g->oob[0])) {
        out[n++] = (copse_figure){classes ? "oob_accuracy" : "oob_rmse", g->oob[0]};
        out[n++] = (copse_figure){classes ? "oob_log_loss" : "oob_r2", g->oob[1]};
    }
    if (!classes) out[n++] = (copse_figure){"variance_factor", g->leaf_variance.stretch};
    if (classes && g->temperature.share) out[n++] = (copse_figure){"temperature", 1 / g->temperature.power};
    if (classes && g->temperature.share) out[n++] = (copse_figure){"class_share_mixed_in", g->temperature.mix};
    return n;
}

static const uint32_t *levels(const void *state) {
    return ((const cp_greedy *)state)->forest.levels;
}

static void importance(const void *state, size_t tree, double *out_dims) {
    const cp_forest *f = &((const cp_greedy *)state)->forest;
    const float *gain = f->tree[tree].gain;
    double sum = 0;
    for (size_t d = 0; d < f->dims; d++) sum += gain ? (double)gain[d] : 0;
    for (size_t d = 0; d < f->dims; d++) out_dims[d] = sum > 0 ? (double)gain[d] / sum : 0;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

/* Warns of options that have no effect on this task. */
static void warn_of_options(const copse_params *p, copse_task task, const copse_run *run) {
    if (task == COPSE_CLASS) return;
    if (cp_param_is_given(p, "criterion"))
        cp_log_warn(run, "`criterion` is for classes: splits of numbers lower their squared error");
    if (cp_param_is_given(p, "alpha")) cp_log_warn(run, "`alpha` is for classes: means of numbers are not smoothed");
}

static copse_status fit_as(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           void **out_state, copse_error *err) {
    cp_greedy *g;
    warn_of_options(p, rows->task, run);
    copse_status status = cp_greedy_fit(kind, rows, p, run, &g, err);
    *out_state = g;
    return status;
}

/* A method: the arguments after HINT are the members of its cp_greedy_kind.  The six methods share all else. */
#define METHOD(NAME, SUMMARY, HINT, ...)                                                                               \
    static copse_status fit_##NAME(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state, \
                                   copse_error *err) {                                                                 \
        static const cp_greedy_kind kind = {__VA_ARGS__};                                                              \
        return fit_as(&kind, rows, p, run, out_state, err);                                                            \
    }                                                                                                                  \
    const cp_method cp_method_##NAME = {                                                                               \
        .info = {.name = #NAME,                                                                                        \
                 .summary = SUMMARY,                                                                                   \
                 .tasks = COPSE_CLASS | COPSE_REGRESS,                                                                 \
                 .takes_weights = 1,                                                                                   \
                 .takes_missing = 1,                                                                                   \
                 .takes_categories = 1},                                                                               \
        .takes_raw = 1,                                                                                                \
        .has_draws = 1,                                                                                                \
        .params = NAME##_params,                                                                                       \
        .n_params = sizeof NAME##_params / sizeof *NAME##_params,                                                      \
        .memory_hint = HINT,                                                                                           \
        .fit = fit_##NAME,                                                                                             \
        .predict = cp_greedy_predict,                                                                                  \
        .takes_key_blocks = takes_key_blocks,                                                                          \
        .write = write_state,                                                                                          \
        .read = read_state,                                                                                            \
        .check = check,                                                                                                \
        .clear = cp_greedy_free,                                                                                       \
        .levels = levels,                                                                                              \
        .rows = count_rows,                                                                                            \
        .trees = count_trees,                                                                                          \
        .inspect.figures = figures,                                                                                    \
        .inspect.tree_json = cp_greedy_inspect_json,                                                                   \
        .inspect.tree_node = cp_greedy_inspect_node,                                                                   \
        .inspect.importance = importance,                                                                              \
    }

#define FOREST_MEMORY_HINT "fewer `trees`, fewer `threads` or a larger `min-leaf`"

METHOD(cart, "CART: one tree, each split the best there is", "a larger `min-leaf`", .one_tree = 1);
METHOD(rf, "random forest: trees on bootstrap samples, with out-of-bag error", FOREST_MEMORY_HINT,
       .draws = CP_GREEDY_BOOTSTRAP);
METHOD(ert, "extremely randomized trees: random cuts, of which the best is taken", FOREST_MEMORY_HINT,
       .random_cuts = 1);
METHOD(bf, "Bayesian forest: a posterior over trees by the Bayesian bootstrap", FOREST_MEMORY_HINT,
       .draws = CP_GREEDY_EXPONENTIAL);
METHOD(ssf, "sub-sample forest: Bayesian forests on disjoint random subsets", FOREST_MEMORY_HINT,
       .draws = CP_GREEDY_EXPONENTIAL, .partition = CP_GREEDY_SUBSETS);
METHOD(ebf, "empirical Bayesian forest: one trunk, a Bayesian forest in each of its leaves", FOREST_MEMORY_HINT,
       .draws = CP_GREEDY_EXPONENTIAL, .partition = CP_GREEDY_TRUNK);
