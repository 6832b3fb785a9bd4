#include "dyntree/dyntree.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "bayes/bayes_options.h"
#include "dyntree/dyntree_check.h"
#include "dyntree/dyntree_choose.h"
#include "dyntree/dyntree_file.h"
#include "dyntree/dyntree_inspect.h"
#include "dyntree/dyntree_move.h"
#include "dyntree/dyntree_predict.h"
#include "dyntree/dyntree_step.h"

/* ---------------------------------------------------------------------------------------------------------- options */

static const cp_param params[] = {
    CP_OPTION_INT("particles", "1000", 1, 1e6, "trees that are kept; time and memory grow with them"),
    CP_OPTION_SEED,
    CP_BAYES_OPTIONS_SPLIT("2"),
    CP_OPTION_INT_AUTO("min-leaf", 1, 1e9,
                       "rows that a split leaves on both sides, at least; auto: 1 for classes, 3 for numbers"),
    CP_BAYES_OPTIONS_LEAF_CLASSES("1"),
    CP_BAYES_OPTIONS_LEAF_NUMBERS,
    CP_BAYES_OPTIONS_RESAMPLING("systematic", ""),
};

/* ----------------------------------------------------------------------------------------------------- new and free */

copse_status cp_dyntree_make_leaf(const cp_dyntree *f, size_t classes, size_t rows, cp_leaf *out, copse_error *err) {
    if (f->task == COPSE_CLASS) return cp_leaf_dirichlet_init(out, f->label, rows, classes, f->alpha, err);
    return cp_leaf_nig_init(out, f->y, rows, (cp_leaf_nig_prior){f->kappa, f->nu, f->lambda}, err);
}

static cp_dyntree settings(const copse_params *p, copse_task task) {
    double min_leaf = cp_param_real(p, "min-leaf");
    return (cp_dyntree){
        .task = task,
        .particles = (size_t)cp_param_int(p, "particles"),
        .min_leaf = !isnan(min_leaf)      ? (size_t)min_leaf
                    : task == COPSE_CLASS ? 1
                                          : 3,
        .seed = (uint64_t)cp_param_int(p, "seed"),
        .resampling = cp_bayes_options_resampling(p),
        .alpha = cp_param_real(p, "alpha"),
        .kappa = cp_param_real(p, "kappa"),
        .nu = cp_param_real(p, "nu"),
        .lambda = cp_bayes_options_lambda(p),
        .scale = 1,
    };
}

copse_status cp_dyntree_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_dyntree **out,
                            copse_error *err) {
    cp_dyntree *f;
    copse_status status;
    *out = NULL;
    CP_TRY(CP_NEW(f, 1, err));
    *f = settings(p, task);
    cp_tree_prior_table_init(&f->prior, cp_bayes_options_split(p));
    f->dims = dims;
    f->classes = task == COPSE_CLASS ? classes : 0;
    cp_dyntree_pool_init(&f->pool, task == COPSE_CLASS ? classes : 3);
    CP_TRY_OUT(CP_RAW(f->root, f->particles, err));
    CP_TRY_OUT(cp_dyntree_make_leaf(f, f->classes, 0, &f->leaf, err));
out:
    if (status)
        cp_dyntree_free(f);
    else
        *out = f;
    return status;
}

void cp_dyntree_free(void *state) {
    cp_dyntree *f = state;
    if (!f) return;
    cp_dyntree_pool_clear(&f->pool);
    cp_leaf_clear(&f->leaf);
    cp_mem_free(f->root);
    cp_mem_free(f->x);
    cp_mem_free(f->label);
    cp_mem_free(f->y);
    cp_mem_free(f);
}

/* All particles share one empty leaf. */
static copse_status init_particles(cp_dyntree *f, copse_error *err) {
    CP_TRY(cp_dyntree_pool_reserve(&f->pool, 1, cp_dyntree_pool_slots(0), err));
    int32_t id = cp_dyntree_pool_take_leaf(&f->pool, 0);
    f->pool.node[id].refs = (uint32_t)f->particles;
    for (size_t i = 0; i < f->particles; i++) f->root[i] = id;
    cp_dyntree_refresh_leaf(f, id);
    return COPSE_OK;
}

void cp_dyntree_refresh_leaf(cp_dyntree *f, int32_t leaf) {
    cp_dyntree_node *n = &f->pool.node[leaf];
    double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    cp_leaf_gather(&f->leaf, cp_dyntree_pool_list(&f->pool, leaf), n->rows, stat);
    n->log_tree = cp_tree_prior_table_stop(&f->prior, n->depth) + cp_leaf_log_marginal(&f->leaf, stat);
}

void cp_dyntree_shape_split(cp_dyntree *f, int32_t split) {
    cp_dyntree_node *n = &f->pool.node[split];
    const cp_dyntree_node *left = &f->pool.node[n->left], *right = &f->pool.node[n->right];
    n->rows = left->rows + right->rows;
    n->leaves = left->leaves + right->leaves;
    n->height = 1 + (left->height > right->height ? left->height : right->height);
    n->of.summed = 0;
}

/* Computes statistic and log_tree of a split whose children are fresh. */
static void refresh_split(cp_dyntree *f, int32_t split) {
    cp_dyntree_node *n = &f->pool.node[split];
    const double *left = cp_dyntree_pool_stat(&f->pool, n->left), *right = cp_dyntree_pool_stat(&f->pool, n->right);
    double *stat = cp_dyntree_pool_stat(&f->pool, split);
    for (size_t k = 0; k < f->pool.width; k++) stat[k] = left[k] + right[k];
    n->log_tree = cp_tree_prior_table_split(&f->prior, n->depth) +
                  (f->pool.node[n->left].log_tree + f->pool.node[n->right].log_tree);
    n->of.summed = n->rows;
}

void cp_dyntree_refresh(cp_dyntree *f, int32_t node, int32_t *todo) {
    size_t n = 0;
    todo[n++] = node;
    while (n) {
        const cp_dyntree_node *at = &f->pool.node[todo[n - 1]];
        if (cp_dyntree_is_fresh(at)) {
            n--;
        } else if (!cp_dyntree_is_fresh(&f->pool.node[at->left])) {
            todo[n++] = at->left;
        } else if (!cp_dyntree_is_fresh(&f->pool.node[at->right])) {
            todo[n++] = at->right;
        } else {
            refresh_split(f, todo[--n]);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------- rows */

/* Room for n more rows.  The targets may move in memory, and the leaf model points to them. */
static copse_status reserve_rows(cp_dyntree *f, size_t n, copse_error *err) {
    size_t all = f->rows + n;
    if (all > INT32_MAX / 2)
        return cp_fail(err, COPSE_E_DATA, "dynamic trees hold at most %d rows; sample the data, or fit on a part",
                       INT32_MAX / 2);
    if (all > f->cap_x) CP_TRY(cp_mem_grow(&f->x, &f->cap_x, all, f->dims * sizeof *f->x, err));
    if (f->task == COPSE_CLASS) {
        CP_TRY(CP_GROW(f->label, f->cap_label, all, err));
        f->leaf.label = f->label;
    } else {
        CP_TRY(CP_GROW(f->y, f->cap_y, all, err));
        f->leaf.y = f->y;
    }
    return COPSE_OK;
}

static void keep_rows(cp_dyntree *f, const cp_rows *rows) {
    memcpy(f->x + f->rows * f->dims, rows->x, rows->n * f->dims * sizeof *f->x);
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->label)
            f->label[f->rows + i] = rows->label[i];
        else
            f->y[f->rows + i] = (rows->y[i] - f->centre) / f->scale;
    }
    f->rows += rows->n;
}

/* ------------------------------------------------------------------------------------------------------------ learn */

/* Learns all rows that are kept, one after the other.  With opt_before, predicts each row from `from` on just before it
 * is learnt. */
static copse_status learn(cp_dyntree *f, size_t from, const copse_run *run, cp_answer *opt_before, copse_error *err) {
    cp_dyntree_step_scratch scratch;
    copse_status status;
    const size_t before = f->moved, todo = f->rows - before; /* with rows that an earlier call left behind */
    CP_TRY(cp_dyntree_step_init(&scratch, f, err));
    while (f->moved < f->rows) {
        CP_TRY_OUT(cp_fail_if_stopped(run ? run->stop : NULL, err));
        if (f->learnt == f->moved) {
            if (opt_before && f->learnt >= from)
                CP_TRY_OUT(cp_dyntree_predict_row(f, f->learnt, f->learnt - from, opt_before, err));
            CP_TRY_OUT(cp_dyntree_step_add(f, &scratch, err));
        }
        CP_TRY_OUT(cp_dyntree_choose(f, &scratch, err));
        CP_TRY_OUT(cp_dyntree_move_all(f, &scratch, err));
        if (!opt_before) cp_log_progress(run, "learning rows", (double)(f->moved - before), (double)todo);
    }
    status = COPSE_OK;
out:
    cp_dyntree_step_clear(&scratch);
    return status;
}

static copse_status fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err) {
    cp_dyntree *f;
    *out_state = NULL;
    CP_TRY(cp_dyntree_new(p, rows->task, rows->dims, rows->classes, &f, err));
    copse_status status = init_particles(f, err);
    if (rows->y) {
        cp_leaf_units units = cp_leaf_nig_units(rows->y, rows->n, 1);
        f->centre = units.centre;
        f->scale = units.scale;
    }
    if (!status) status = reserve_rows(f, rows->n, err);
    if (!status) {
        keep_rows(f, rows);
        status = learn(f, 0, run, NULL, err);
    }
    if (status)
        cp_dyntree_free(f);
    else
        *out_state = f;
    return status;
}

static copse_status update(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err) {
    cp_dyntree *f = state;
    size_t from = f->rows;
    CP_TRY(reserve_rows(f, rows->n, err));
    keep_rows(f, rows);
    (void)p;
    return learn(f, from, run, opt_before, err);
}

/* ------------------------------------------------------------------------------------------------------- inspection */

static size_t count_rows(const void *state) {
    return ((const cp_dyntree *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_dyntree *)state)->particles;
}

static int can_learn(const void *state) {
    return !((const cp_dyntree *)state)->frozen;
}

const cp_method cp_method_dyntree = {
    .info = {.name = "dyntree",
             .summary = "dynamic trees: one Bayesian tree, learnt online by particles that stay, prune or grow",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .online = 1,
             .keeps_rows = 1},
    .has_draws = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `particles`",
    .fit = fit,
    .update = update,
    .predict = cp_dyntree_predict,
    .write = cp_dyntree_file_write,
    .read = cp_dyntree_file_read,
    .check = cp_dyntree_check,
    .clear = cp_dyntree_free,
    .rows = count_rows,
    .trees = count_trees,
    .can_learn = can_learn,
    .inspect.figures = cp_dyntree_inspect_figures,
    .inspect.details = cp_dyntree_inspect_details,
    .inspect.tree_json = cp_dyntree_inspect_json,
    .inspect.tree_node = cp_dyntree_inspect_node,
    .inspect.tree_shape = cp_dyntree_inspect_shape,
    .inspect.tree_splits = cp_dyntree_inspect_splits,
};
