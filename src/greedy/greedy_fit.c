#include "greedy/greedy_fit.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "greedy/greedy_holdout.h"
#include "greedy/greedy_oob.h"
#include "greedy/greedy_trunk.h"

enum { EXACT_ROWS = 10000 };         /* with more rows, `splits=auto` means bins */
static const double max_trees = 1e6; /* subsets times trees: far below 2^32, the slots of random streams */

/* The state of a fit. */
typedef struct fitting {
    const cp_greedy_kind *kind;
    cp_greedy *g;
    cp_greedy_data data;
    cp_greedy_weight weight;
    cp_row_groups groups; /* of the rows of weight above 0 */
    cp_greedy_rule rule;
    const copse_run *run;   /* threads for the work within a tree */
    cp_parallel_idle *idle; /* threads that have run out of trees and help with others */
    uint32_t first;         /* slot of the first tree's random numbers */
    size_t *start;          /* rows of subset k: weight.row[start[k]] ... weight.row[start[k + 1] - 1] */
    size_t subsets;         /* ssf: random ones; ebf: the leaves of the trunk; else 1 */
    cp_tree trunk;
    const uint32_t *query_row; /* rows that trees are grown for, as in cp_greedy_job; NULL: trees are grown whole */
    size_t query_rows;
    cp_greedy_bag bag; /* bootstrap */
    int bag_teaches;   /* enough rows are out of bag to learn from */
} fitting;

/* ---------------------------------------------------------------------------------------------------------- options */

/* The values of "auto" follow the papers and other programs. */
static double auto_features(const cp_greedy_kind *kind, const cp_rows *rows) {
    double dims = (double)rows->dims;
    int subset = kind->draws == CP_GREEDY_BOOTSTRAP || kind->random_cuts;
    if (subset && rows->task == COPSE_CLASS) return fmax(1, floor(sqrt(dims)));
    return subset && !kind->random_cuts ? fmax(1, floor(dims / 3)) : dims;
}

static size_t auto_min_leaf(const cp_greedy_kind *kind, copse_task task) {
    if (kind->one_tree) return 3;
    return kind->draws == CP_GREEDY_EXPONENTIAL || task == COPSE_CLASS ? 1 : 3;
}

static copse_status features_tried(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p, size_t *out,
                                   copse_error *err) {
    static const char name[] = "features-per-split";
    double dims = (double)rows->dims, k = cp_param_real(p, name);
    if (cp_param_is(p, name, "auto")) k = auto_features(kind, rows);
    if (cp_param_is(p, name, "all")) k = dims;
    if (cp_param_is(p, name, "sqrt")) k = fmax(1, floor(sqrt(dims)));
    if (k < 1) k = fmax(1, floor(k * dims));
    if (k != floor(k) || k > dims)
        return cp_fail(err, COPSE_E_USAGE,
                       "`%s=%s`: give a whole number up to %zu, the columns there are, or a share below 1", name,
                       cp_param_text(p, name), rows->dims);
    *out = (size_t)k;
    return COPSE_OK;
}

static size_t bound(const copse_params *p, const char *name) {
    double x = cp_param_real(p, name);
    return isinf(x) ? 0 : (size_t)x;
}

copse_status cp_greedy_fit_rule(cp_greedy_rule *rule, const cp_greedy_kind *kind, const cp_rows *rows,
                                const copse_params *p, copse_error *err) {
    double min_leaf = cp_param_real(p, "min-leaf");
    *rule = (cp_greedy_rule){
        .entropy = cp_param_is(p, "criterion", "entropy"),
        .random_cuts = kind->random_cuts,
        .min_leaf = isnan(min_leaf) ? auto_min_leaf(kind, rows->task) : (size_t)min_leaf,
        .min_leaf_weight = cp_param_real(p, "min-leaf-weight"),
        .max_depth = bound(p, "max-depth"),
        .max_leaves = bound(p, "max-leaves"),
        .seed = (uint64_t)cp_param_int(p, "seed"),
    };
    return features_tried(kind, rows, p, &rule->features, err);
}

/* Weights are counts: a row of weight w counts as w rows in `min-leaf`. */
static void count_weights(cp_greedy_rule *rule) {
    rule->min_leaf_weight = fmax(rule->min_leaf_weight, (double)rule->min_leaf);
    rule->min_leaf = 1;
}

/* Random cuts need only the range of a column: bins would not speed them up, and would make them less random. */
static int wants_bins(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p) {
    if (kind->random_cuts) return 0;
    return cp_param_is(p, "splits", "binned") || (cp_param_is(p, "splits", "auto") && rows->n > EXACT_ROWS);
}

/* Ranks pay where greedy_cached keeps sorted lists of all columns. */
static int wants_ranks(const cp_greedy_rule *rule, const cp_rows *rows) {
    return !rule->random_cuts && !rule->max_leaves && 2 * rule->features >= rows->dims;
}

/* ---------------------------------------------------------------------------------------------------------- subsets */

static copse_status one_subset(fitting *f, copse_error *err) {
    CP_TRY(CP_NEW(f->start, 2, err));
    f->start[1] = f->weight.rows;
    f->subsets = 1;
    return COPSE_OK;
}

/* Random subsets of about equal size; rows of a group are in the same one, so that the others have not seen them. */
static copse_status random_subsets(fitting *f, size_t subsets, copse_error *err) {
    const cp_row_groups *g = &f->groups;
    uint32_t *row = f->weight.row;
    if (subsets == 1) return one_subset(f, err);
    if (g->rows < subsets)
        return cp_fail(err, COPSE_E_DATA, "%zu row%s cannot make %zu subsets; lower `subsets`", g->rows,
                       cp_plural(g->rows), subsets);
    CP_TRY(CP_NEW(f->start, subsets + 1, err));
    for (size_t k = 0, next = 0; k < subsets; k++) {
        size_t rows = g->rows * (k + 1) / subsets, later = subsets - 1 - k;
        do next++;
        while (g->groups - next > later && (size_t)g->start[next] + g->start[next + 1] <= 2 * rows);
        f->start[k + 1] = g->start[next];
        memcpy(row + f->start[k], g->row + f->start[k], (f->start[k + 1] - f->start[k]) * sizeof *row);
        CP_TRY(cp_greedy_weight_sort(row + f->start[k], f->start[k + 1] - f->start[k], err));
    }
    f->subsets = subsets;
    return COPSE_OK;
}

static copse_status trunk_subsets(fitting *f, const copse_params *p, const copse_run *run, copse_error *err) {
    cp_greedy_trunk_options o = {.sample = cp_param_real(p, "trunk-sample"), .rule = f->rule};
    double leaves = cp_param_real(p, "trunk-leaves"), rows = cp_param_real(p, "trunk-min-leaf");
    if (isnan(rows)) rows = ceil((double)f->weight.rows / (isnan(leaves) ? 6 : 4 * leaves));
    o.rule.max_leaves = isnan(leaves) ? 0 : (size_t)leaves;
    o.rule.max_depth = 0;
    o.rule.min_leaf = (size_t)fmax(1, rows);
    o.rule.min_leaf_weight = 0;
    o.rule.features = f->data.rows.dims;
    CP_TRY(cp_greedy_trunk_grow(&f->data, &o, &f->weight, run, &f->trunk, err));
    f->subsets = f->g->trunk = f->trunk.leaves;
    cp_greedy_trunk_routing routing = {&f->trunk, &f->g->forest, &f->data.rows};
    return cp_greedy_trunk_route(&routing, &f->weight, run, &f->start, err);
}

static copse_status make_subsets(fitting *f, const copse_params *p, const copse_run *run, copse_error *err) {
    if (f->kind->partition == CP_GREEDY_SUBSETS) return random_subsets(f, (size_t)cp_param_int(p, "subsets"), err);
    if (f->kind->partition == CP_GREEDY_TRUNK) return trunk_subsets(f, p, run, err);
    return one_subset(f, err);
}

/* ------------------------------------------------------------------------------------------------------------ trees */

static void draw_weights(const fitting *f, size_t m, size_t k, double *weight) {
    const uint32_t *row = f->weight.row + f->start[k];
    size_t n = f->start[k + 1] - f->start[k];
    cp_greedy_weight_draw draw = {.seed = f->rule.seed, .tree = f->first + (uint32_t)m, .subset = k};
    if (f->kind->draws == CP_GREEDY_BOOTSTRAP)
        cp_greedy_weight_bootstrap(row, n, f->weight.own, draw, weight);
    else
        cp_greedy_weight_exponential(row, n, f->weight.own, draw, weight);
}

/* Grows tree m, or a branch of it, on subset k of the rows; weight is scratch, NULL if no weights are drawn. */
static copse_status grow_on_subset(const fitting *f, size_t m, size_t k, double *weight, cp_tree *out,
                                   copse_error *err) {
    size_t n = f->start[k + 1] - f->start[k];
    cp_greedy_job job = {.rows = n, .weight = weight, .slot = f->first + (uint32_t)m, .root = 1, .idle = f->idle};
    if (n < f->data.rows.n) job.row = f->weight.row + f->start[k];
    if (f->kind->partition == CP_GREEDY_TRUNK) job.root = cp_greedy_trunk_root(k);
    if (weight) draw_weights(f, m, k, weight);
    if (!f->query_row) return cp_greedy_grow(&f->data, &f->rule, &job, f->run, out, err);
    CP_TRY(CP_RAW(job.query_row, f->query_rows, err));
    memcpy(job.query_row, f->query_row, f->query_rows * sizeof *job.query_row);
    job.query_rows = f->query_rows;
    copse_status status = cp_greedy_grow(&f->data, &f->rule, &job, f->run, out, err);
    cp_mem_free(job.query_row);
    return status;
}

/* A tree of ebf: a copy of the trunk, with a branch in each leaf. */
static copse_status grow_branches(const fitting *f, size_t m, double *weight, cp_tree *out, copse_error *err) {
    int32_t *node;
    CP_TRY(CP_RAW(node, f->subsets, err));
    copse_status status = cp_greedy_trunk_copy(&f->trunk, &f->data.rows, out, node, err);
    for (size_t k = 0; !status && k < f->subsets; k++) {
        cp_tree branch = {0};
        status = grow_on_subset(f, m, k, weight, &branch, err);
        if (!status) status = cp_tree_graft(out, node[k], &branch, f->data.rows.dims, err);
        cp_tree_clear(&branch);
    }
    cp_mem_free(node);
    return status ? status : cp_tree_finish(out, err);
}

static copse_status grow_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    fitting *f = arg;
    cp_tree *out = &f->g->forest.tree[m];
    size_t trees_each = f->g->forest.trees / (f->kind->partition == CP_GREEDY_SUBSETS ? f->subsets : 1);
    double *weight = NULL;
    if (f->kind->draws != CP_GREEDY_NONE) CP_TRY(CP_RAW(weight, f->data.rows.n, err));
    copse_status status = f->kind->partition == CP_GREEDY_TRUNK
                              ? grow_branches(f, m, weight, out, err)
                              : grow_on_subset(f, m, m / trees_each, weight, out, err);
    if (!status && f->bag.bit) status = cp_greedy_bag_fill(&f->bag, m, weight, err);
    cp_mem_free(weight);
    return status;
}

/* Trees are grown side by side, a thread each; a thread that finds no tree left helps within the last ones.  Where
 * there are fewer trees than threads, they are grown one after another, each on all threads. */
static copse_status grow_trees(fitting *f, const char *what, const copse_run *run, copse_error *err) {
    size_t trees = f->g->forest.trees, workers = cp_parallel_workers(run, SIZE_MAX);
    copse_run alone = {.threads = 1, .stop = run ? run->stop : NULL};
    f->run = trees < workers ? run : &alone;
    if (trees < workers) workers = 1;
    if (workers > 1) CP_TRY(cp_parallel_idle_new(&f->idle, err));
    cp_parallel_outer l = {.workers = workers, .n = trees, .what = what, .job = grow_tree, .arg = f, .idle = f->idle};
    copse_status status = cp_parallel_outer_for(run, &l, err);
    cp_parallel_idle_free(f->idle);
    f->idle = NULL;
    f->run = NULL;
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- forest */

static copse_status init_forest(fitting *f, const cp_rows *rows, const copse_params *p, copse_error *err) {
    cp_forest *forest = &f->g->forest;
    double trees = f->kind->one_tree ? 1 : cp_param_real(p, "trees");
    if (f->kind->partition == CP_GREEDY_SUBSETS) trees *= cp_param_real(p, "subsets");
    if (trees > max_trees)
        return cp_fail(err, COPSE_E_USAGE, "%.0f trees are too many: at most %.0f, all subsets together", trees,
                       max_trees);
    if (rows->n > INT32_MAX)
        return cp_fail(err, COPSE_E_DATA, "a tree takes at most %d rows; sample the data, or fit on a part", INT32_MAX);
    *forest = (cp_forest){.task = rows->task, .dims = rows->dims, .classes = rows->classes};
    if (rows->levels) {
        CP_TRY(CP_RAW(forest->levels, rows->dims, err));
        for (size_t d = 0; d < rows->dims; d++) forest->levels[d] = rows->levels[d];
    }
    CP_TRY(CP_NEW(forest->tree, (size_t)trees, err));
    forest->trees = (size_t)trees;
    f->g->oob[0] = f->g->oob[1] = NAN;
    return COPSE_OK;
}

static copse_status init_groups(fitting *f, const copse_params *p, copse_error *err) {
    int subsets = f->kind->partition == CP_GREEDY_SUBSETS;
    int all = subsets || f->kind->draws == CP_GREEDY_BOOTSTRAP;
    cp_row_groups_ask ask = {.row = f->weight.row,
                             .n = f->weight.rows,
                             .least = subsets ? (size_t)cp_param_int(p, "subsets") : 2,
                             .wanted = all ? 0 : CP_GREEDY_HOLDOUT_GROUPS,
                             .seed = f->rule.seed};
    return cp_row_groups_init(&f->groups, &f->data.rows, &ask, err);
}

static copse_status init_bag(fitting *f, copse_error *err) {
    if (f->kind->draws != CP_GREEDY_BOOTSTRAP) return COPSE_OK;
    return cp_greedy_bag_init(&f->bag, f->data.rows.n, f->g->forest.trees, &f->groups, err);
}

/* A fit that is repeated on some of its rows. */
typedef struct refit {
    const fitting *f;
    const copse_params *p;
    const copse_run *run;
} refit;

/* Grows the trees of a job.  A branch on a trunk is grown whole, because the query rows are not sorted by
 * leaf of the trunk; so are the trees of a subset. */
static copse_status regrow(void *arg, const cp_greedy_regrow_job *job, cp_forest *out, copse_error *err) {
    const refit *a = arg;
    cp_greedy few = {.forest = *out};
    fitting f = *a->f;
    f.g = &few;
    f.weight.row = job->row;
    f.weight.rows = job->rows;
    f.query_row = f.kind->partition == CP_GREEDY_WHOLE && few.forest.task == COPSE_REGRESS ? job->query_row : NULL;
    f.query_rows = job->query_rows;
    f.first = (uint32_t)max_trees + job->number * (uint32_t)out->trees;
    f.start = NULL;
    f.trunk = (cp_tree){0};
    f.bag = (cp_greedy_bag){0};
    f.bag_teaches = 0;
    copse_status status = make_subsets(&f, a->p, a->run, err);
    if (!status) status = grow_trees(&f, "trying rows held out", a->run, err);
    cp_tree_clear(&f.trunk);
    cp_mem_free(f.start);
    cp_mem_free(f.weight.row);
    return status;
}

/* Rows in leaves of the trunk that are too small for a branch to split. */
static size_t count_fixed(const fitting *f) {
    double least = 2 * fmax((double)f->rule.min_leaf, f->rule.min_leaf_weight);
    size_t fixed = 0;
    for (size_t k = 0; k < f->subsets; k++) {
        size_t n = f->start[k + 1] - f->start[k];
        if ((double)n < least) fixed += n;
    }
    return fixed;
}

/* The model takes the trunk as certain.  A trunk that reaches down to single rows leaves no uncertainty at all. */
static void warn_of_trunk(const fitting *f, const copse_run *run) {
    size_t rows = f->weight.rows, fixed = f->kind->partition == CP_GREEDY_TRUNK ? count_fixed(f) : 0;
    if (2 * fixed <= rows || f->subsets == 1) return;
    cp_log_warn(run,
                "the trunk has %zu leaves, too small to grow branches in for %zu of %zu rows: trees hardly differ, and "
                "are far surer than they should be; lower `trunk-leaves` or raise `trunk-min-leaf`",
                f->subsets, fixed, rows);
}

/* Learns from rows that trees have not seen. */
static copse_status calibrate(fitting *f, const copse_params *p, const copse_run *run, copse_error *err) {
    cp_greedy *g = f->g;
    cp_greedy_holdout holdout = {g, &f->data, &f->weight, &f->groups, cp_param_real(p, "alpha")};
    refit a = {f, p, run};
    if (g->forest.task == COPSE_CLASS)
        CP_TRY(cp_temperature_init(&g->temperature, &f->data.rows, err));
    else
        cp_greedy_leaf_variance_init(&g->leaf_variance, &g->forest, &f->data.rows, &f->weight);
    if (f->weight.rows == 1 && f->data.rows.n > 1)
        cp_log_warn(run, "one row has a weight above 0: no spread can be learnt from it, and intervals mean nothing");
    if (f->bag_teaches) return COPSE_OK; /* cp_greedy_oob fits it */
    if (f->kind->partition == CP_GREEDY_SUBSETS && f->subsets > 1)
        return cp_greedy_holdout_subsets(&holdout, f->start, f->subsets, err);
    return cp_greedy_holdout_run(&holdout, regrow, &a, err);
}

/* Where a random forest's usual few columns are clearly worse, on a part of the rows, than many: takes many. */
static copse_status choose_features(fitting *f, const copse_params *p, const copse_run *run, copse_error *err) {
    int of_classes = f->g->forest.task == COPSE_CLASS;
    size_t few = f->rule.features, dims = f->data.rows.dims, many = of_classes && 4 * few < dims ? 4 * few : dims;
    double clearly = of_classes ? .85 : .985; /* few columns make classes timid, which the temperature mends */
    cp_greedy_holdout holdout = {f->g, &f->data, &f->weight, &f->groups, cp_param_real(p, "alpha")};
    refit a = {f, p, run};
    double of_few, of_many;
    if (f->kind->draws != CP_GREEDY_BOOTSTRAP || !cp_param_is(p, "features-per-split", "auto") || few == dims)
        return COPSE_OK;
    CP_TRY(cp_greedy_holdout_pilot(&holdout, regrow, &a, &of_few, err));
    f->rule.features = many;
    CP_TRY(cp_greedy_holdout_pilot(&holdout, regrow, &a, &of_many, err));
    if (!(of_many < clearly * of_few)) f->rule.features = few;
    cp_log_info(run, "each split tries %zu of %zu columns", f->rule.features, dims);
    return COPSE_OK;
}

static copse_status fit_forest(fitting *f, const cp_rows *rows, const copse_params *p, const copse_run *run,
                               copse_error *err) {
    CP_TRY(cp_greedy_fit_rule(&f->rule, f->kind, rows, p, err));
    CP_TRY(init_forest(f, rows, p, err));
    CP_TRY(cp_greedy_weight_init(&f->weight, rows, !f->kind->draws, err));
    if (f->weight.are_counts) count_weights(&f->rule);
    cp_rows scaled = *rows;
    scaled.weight = f->weight.own;
    CP_TRY(cp_greedy_grow_data_init(&f->data, &scaled, wants_bins(f->kind, rows, p), run, err));
    f->g->rows = f->weight.rows;
    f->g->forest.centre = f->data.centre;
    f->g->forest.scale = f->data.scale;
    CP_TRY(init_groups(f, p, err));
    CP_TRY(make_subsets(f, p, run, err));
    warn_of_trunk(f, run);
    f->g->leaf_variance = cp_greedy_leaf_variance_none;
    CP_TRY(choose_features(f, p, run, err));
    if (wants_ranks(&f->rule, rows)) CP_TRY(cp_greedy_grow_data_rank(&f->data, run, err));
    CP_TRY(init_bag(f, err));
    CP_TRY(grow_trees(f, "growing trees", run, err));
    f->bag_teaches = f->bag.bit && cp_greedy_bag_is_enough(&f->bag);
    CP_TRY(calibrate(f, p, run, err));
    cp_greedy_oob_ask oob = {&f->data.rows, &f->weight, &f->bag, cp_param_real(p, "alpha"), f->bag_teaches};
    if (f->bag.bit) CP_TRY(cp_greedy_oob(f->g, &oob, run, err));
    if (rows->task == COPSE_REGRESS) CP_TRY(cp_greedy_leaf_variance_leaves(&f->g->leaf_variance, &f->g->forest, err));
    if (f->kind->draws == CP_GREEDY_EXPONENTIAL)
        cp_log_info(run,
                    "%s gives every row some weight in its trees: no row is out of bag; 'copse cv' estimates the error",
                    p->method->info.name);
    return COPSE_OK;
}

copse_status cp_greedy_fit(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_greedy **out, copse_error *err) {
    fitting f = {.kind = kind};
    *out = NULL;
    CP_TRY(CP_NEW(f.g, 1, err));
    copse_status status = fit_forest(&f, rows, p, run, err);
    cp_greedy_grow_data_clear(&f.data);
    cp_greedy_weight_clear(&f.weight);
    cp_tree_clear(&f.trunk);
    cp_mem_free(f.start);
    cp_row_groups_clear(&f.groups);
    cp_greedy_bag_clear(&f.bag);
    if (status)
        cp_greedy_free(f.g);
    else
        *out = f.g;
    return status;
}
