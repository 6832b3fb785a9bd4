#include "mondrian/mondrian.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/parallel.h"
#include "mondrian/mondrian_before.h"
#include "mondrian/mondrian_calibrate.h"
#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_extend.h"
#include "mondrian/mondrian_file.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_hyper.h"
#include "mondrian/mondrian_inspect.h"
#include "mondrian/mondrian_predict.h"
#include "mondrian/mondrian_rechoose.h"

static const cp_param params[] = {
    CP_OPTION_TREES("trees in the forest"),
    CP_OPTION_SEED,
    CP_OPTION_INT(
        "candidates", "1", 1, 1000,
        CP_OPTION_TUNED_LOG(
            1, 30,
            "cuts drawn for each split, of which the labels choose one; 1: the papers' Mondrian, blind to labels")),
    CP_OPTION_CHOICE(
        "rechoose", "lazy", "exact lazy",
        "with candidates: all of a node's rows choose its cut, and again with each row, or two thirds or more"),
    CP_OPTION_REAL("lifetime", "inf", 0, INFINITY,
                   "time at which the Mondrian process stops; inf: only pausing stops it"),
    CP_OPTION_INT_AUTO(
        "min-samples-split", 2, 1e9,
        CP_OPTION_TUNED_LOG(2, 30, "blocks with fewer rows are not split; auto: 2 for classes, 10 for numbers")),
    CP_OPTION_REAL_AUTO(
        "gamma", 1e-9, 1e12,
        CP_OPTION_OF_CLASSES(
            "posterior=exact: how fast nodes differ from parents with time; auto: 10 per encoded column")),
    CP_OPTION_CHOICE(
        "hyper", "heuristic", "heuristic marginal",
        CP_OPTION_OF_NUMBERS("variances by the thesis's closed forms, or by maximising the marginal likelihood")),
    CP_OPTION_CHOICE("posterior", "auto", "auto exact fast",
                     "exact: the papers' hierarchies, by belief propagation for numbers; fast: each node's own rows; "
                     "auto: fast, but exact with a `gamma` or `hyper=marginal`"),
    CP_OPTION_CHOICE(
        "calibration", "learnt", "learnt none",
        "posterior=fast: held-out rows decide how much nodes trust their rows, and how wide intervals are"),
};

/* ----------------------------------------------------------------------------------------------------- new and free */

/* Options that only the papers' hierarchies have ask for these. */
static int wants_exact(const copse_params *p, copse_task task) {
    if (!cp_param_is(p, "posterior", "auto")) return cp_param_is(p, "posterior", "exact");
    return task == COPSE_CLASS ? !isnan(cp_param_real(p, "gamma")) : cp_param_is(p, "hyper", "marginal");
}

/* A given gamma is that of the papers' classes, which have it with either posterior. */
static int wants_calibration(const copse_params *p, copse_task task) {
    if (wants_exact(p, task) || cp_param_is(p, "calibration", "none")) return 0;
    return task == COPSE_REGRESS || isnan(cp_param_real(p, "gamma"));
}

copse_status cp_mondrian_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_mondrian **out,
                             copse_error *err) {
    cp_mondrian *f;
    *out = NULL;
    CP_TRY(CP_NEW(f, 1, err));
    double min_split = cp_param_real(p, "min-samples-split"), gamma = cp_param_real(p, "gamma");
    f->task = task;
    f->trees = (size_t)cp_param_int(p, "trees");
    f->seed = (uint64_t)cp_param_int(p, "seed");
    f->gamma = isnan(gamma) ? 10 * (double)dims : gamma;
    f->space = (cp_mondrian_space){
        .kern = cp_box_best(),
        .dims = dims,
        .classes = task == COPSE_CLASS ? classes : 0,
        .lifetime = cp_param_real(p, "lifetime"),
        .min_split = !isnan(min_split)     ? (size_t)min_split
                     : task == COPSE_CLASS ? 2
                                           : 10,
        .candidates = (size_t)cp_param_int(p, "candidates"),
        .lazy = cp_param_is(p, "rechoose", "lazy"),
        .record_rows = CP_MONDRIAN_RECORD_ROWS,
        .keeps_moments = task == COPSE_REGRESS && !wants_exact(p, task),
        .keeps_counts = task == COPSE_CLASS && wants_calibration(p, task),
    };
    f->honest = cp_mondrian_honest_plain();
    f->honest.on = wants_calibration(p, task);
    f->tree = cp_mem_new(f->trees, sizeof *f->tree);
    if (!f->tree) {
        cp_mem_free(f);
        return cp_fail_memory(err);
    }
    *out = f;
    return COPSE_OK;
}

void cp_mondrian_free(void *state) {
    cp_mondrian *f = state;
    if (!f) return;
    for (size_t m = 0; m < f->trees; m++) cp_mondrian_tree_clear(&f->tree[m]);
    cp_mem_free(f->tree);
    cp_mem_free_lines(f->x);
    cp_mem_free(f->label);
    cp_mem_free(f->y);
    cp_mem_free(f->whole);
    cp_mem_free(f);
}

/* Room for n more rows.  An array may move although a later one cannot grow, so the space is updated after each. */
static copse_status reserve_rows(cp_mondrian *f, size_t n, copse_error *err) {
    size_t all = f->space.rows + n;
    if (all > INT32_MAX / 2)
        return cp_fail(err, COPSE_E_DATA, "a Mondrian forest holds at most %d rows; sample the data, or fit on a part",
                       INT32_MAX / 2);
    CP_TRY(cp_mem_grow_lines(&f->x, &f->cap_x, all, f->space.dims * sizeof *f->x, err));
    f->space.x = f->x;
    if (f->task == COPSE_CLASS) {
        CP_TRY(CP_GROW(f->label, f->cap_label, all, err));
        f->space.label = f->label;
    } else {
        CP_TRY(CP_GROW(f->y, f->cap_y, all, err));
        f->space.y = f->y;
        if (f->space.candidates > 1) CP_TRY(CP_GROW(f->whole, f->cap_whole, all, err));
        f->space.whole = f->whole;
    }
    return COPSE_OK;
}

/* The unit of `whole`, from the rows of `fit`; or, if their targets are equal, from the first one that is not.  So the
 * cutting of a stream does not matter. */
static void find_unit(cp_mondrian *f, const cp_rows *rows) {
    size_t n = f->space.rows ? 1 : rows->n;
    for (size_t i = 0; i + n <= rows->n && !(f->unit > 0); i++)
        f->unit = cp_mondrian_candidates_unit(rows->y + i, n, f->center);
}

/* Appends rows to the forest's own; room is reserved.  The trees learn them later. */
static void keep_rows(cp_mondrian *f, const cp_rows *rows) {
    size_t have = f->space.rows, dims = f->space.dims;
    if (f->whole && !(f->unit > 0)) find_unit(f, rows);
    memcpy(f->x + have * dims, rows->x, rows->n * dims * sizeof *f->x);
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->label) {
            f->label[have + i] = rows->label[i];
        } else {
            f->y[have + i] = rows->y[i] - f->center;
            cp_mondrian_gauss_learn(&f->moments, f->y[have + i]);
            if (f->whole) f->whole[have + i] = cp_mondrian_candidates_whole(f->y[have + i], f->unit);
        }
    }
    f->space.rows += rows->n;
}

/* -------------------------------------------------------------------------------------------------------------- fit */

static copse_status grow_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    cp_mondrian *f = arg;
    cp_mondrian_tree *t = &f->tree[m];
    cp_mondrian_grow_scratch rows;
    cp_arena arena;
    cp_rng rng;
    cp_arena_init(&arena);
    copse_status status = cp_mondrian_grow_alloc(&rows, f->space.rows, &f->space, &arena, err);
    if (!status) status = cp_mondrian_grow_reserve(t, &f->space, f->space.rows, err);
    if (!status) {
        cp_rng_init(&rng, f->seed, CP_FOR_GROW, (uint32_t)m, 0);
        for (size_t i = 0; i < f->space.rows; i++) rows.row[i] = (int32_t)i;
        cp_mondrian_block all = {cp_mondrian_grow_node(t), 0, 0, rows.row, f->space.rows};
        cp_mondrian_grow(t, &f->space, all, &rows, &rng);
        if (f->space.keeps_counts) status = cp_mondrian_counts_build(t, NULL, NULL, err);
        t->rows = f->space.rows;
        cp_mondrian_tree_trim(t, &f->space);
    }
    cp_arena_clear(&arena);
    return status;
}

/* The heuristic's hyperparameters for the rows so far. */
static void update_hyper(cp_mondrian *f) {
    if (f->marginal) return;
    double rows = f->moments.n;
    f->hyper = cp_mondrian_gauss_heuristic(f->space.dims, rows, f->moments.mean, f->moments.m2 / rows);
}

/* A leaf of min_split rows or more was not split because its rows agree in all columns, or because its time is over.
 * Its targets differ by noise alone.  If there are many of these rows and their targets vary much more than the
 * heuristic's noise, intervals will be too narrow, and the user is told. */
static void warn_of_scatter(const cp_mondrian *f, const copse_run *run) {
    double rows = 0, freedom = 0, sum = 0;
    for (size_t m = 0; m < f->trees; m++)
        for (size_t j = 0; j < f->tree[m].nodes; j++) {
            const cp_mondrian_node *n = &f->tree[m].node[j];
            if (!cp_mondrian_tree_is_leaf(n) || (size_t)n->count < f->space.min_split) continue;
            cp_mondrian_stat st = cp_mondrian_gauss_leaf(&f->tree[m], &f->space, n);
            rows += st.n / (double)f->trees;
            freedom += st.n - 1;
            sum += st.m2;
        }
    double fraction = rows / (double)f->space.rows, scatter = freedom > 0 ? sqrt(sum / freedom) : 0,
           noise = sqrt(f->hyper.noise);
    if (fraction < 0.05 || scatter < 3 * noise) return;
    cp_log_warn(run,
                "%.0f%% of the rows agree with others in all columns and scatter there by %.3g, but the noise is taken "
                "to be %.3g: intervals will be too narrow (`hyper=marginal` or `posterior=fast` to mend that)",
                100 * fraction, scatter, noise);
}

static copse_status fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err) {
    cp_mondrian *f;
    *out_state = NULL;
    CP_TRY(cp_mondrian_new(p, rows->task, rows->dims, rows->classes, &f, err));
    copse_status status = COPSE_OK;
    if (rows->y) {
        double sum = 0;
        for (size_t i = 0; i < rows->n; i++) sum += rows->y[i] / (double)rows->n;
        f->center = sum;
    }
    CP_TRY_OUT(reserve_rows(f, rows->n, err));
    keep_rows(f, rows);
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, f->trees), f->trees, "growing trees", grow_tree, f, err));
    if (f->task == COPSE_REGRESS) {
        update_hyper(f);
        if (cp_param_is(p, "hyper", "marginal")) {
            CP_TRY_OUT(cp_mondrian_hyper_fit(f, run, err));
            f->marginal = 1;
        }
        f->stale = !f->space.keeps_moments;
        CP_TRY_OUT(cp_mondrian_refresh(f, run, err));
        if (!f->marginal && !f->space.keeps_moments) warn_of_scatter(f, run);
    }
    if (f->honest.on) CP_TRY_OUT(cp_mondrian_calibrate(f, rows->n, run, err));
out:
    if (status)
        cp_mondrian_free(f);
    else
        *out_state = f;
    return status;
}

typedef struct refreshing {
    cp_mondrian *f;
    double *log_marginal; /* one per tree */
} refreshing;

static copse_status refresh_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    refreshing *job = arg;
    const cp_mondrian_hyper *h = &job->f->hyper;
    cp_mondrian_tree *t = &job->f->tree[m];
    cp_mondrian_gauss_layout layout;
    CP_TRY(CP_GROW(t->stat, t->cap_stat, t->nodes, err));
    CP_TRY(cp_mondrian_gauss_init(&layout, t, &job->f->space, err));
    cp_mondrian_gauss_evidence e = cp_mondrian_gauss_up(&layout, h->gamma2, h->noise / h->gamma1);
    cp_mondrian_gauss_down(&layout, h, t);
    job->log_marginal[m] = cp_mondrian_gauss_log_marginal(&e, h->gamma1, h->mean);
    cp_mondrian_gauss_clear(&layout);
    return COPSE_OK;
}

copse_status cp_mondrian_refresh(cp_mondrian *f, const copse_run *run, copse_error *err) {
    if (!f->stale) return COPSE_OK;
    refreshing job = {.f = f};
    CP_TRY(CP_NEW(job.log_marginal, f->trees, err));
    copse_status status =
        cp_parallel_for(run, cp_parallel_workers(run, f->trees), f->trees, "passing messages", refresh_tree, &job, err);
    if (!status) {
        f->log_marginal = 0;
        for (size_t m = 0; m < f->trees; m++) f->log_marginal += job.log_marginal[m] / (double)f->trees;
        f->stale = 0;
    }
    cp_mem_free(job.log_marginal);
    return status;
}

static copse_status refresh(void *state, const copse_params *p, const copse_run *run, copse_error *err) {
    (void)p;
    return cp_mondrian_refresh(state, run, err);
}

/* ----------------------------------------------------------------------------------------------------------- update */

/* What a worker keeps from tree to tree. */
typedef struct scratch {
    cp_mondrian_extend_scratch extend;
    cp_mondrian_rechoose_scratch rechoose; /* candidates > 1 */
    cp_mondrian_paths paths;               /* for predictions */
} scratch;

/* The rows of the space from `from` on, to be learnt by every tree. */
typedef struct learning {
    cp_mondrian *f;
    size_t from;
    cp_answer *before;               /* one per tree: its predictions of these rows before it learns them; or NULL */
    const cp_mondrian_before *state; /* with `before`: what the predictions need */
    scratch *scratch;                /* one per worker */
    size_t batch;                    /* trees in one task of a worker */
} learning;

static copse_status predict_before(const learning *job, size_t m, size_t place, cp_mondrian_paths *paths,
                                   copse_error *err) {
    const cp_mondrian *f = job->f;
    const float *x = f->x + (job->from + place) * f->space.dims;
    CP_TRY(cp_mondrian_path_find(paths, &f->tree[m], &f->space, x, 1, err));
    return cp_mondrian_before_predict(job->state, f, (cp_mondrian_before_row){m, place, &paths->path[0]},
                                      &job->before[m], err);
}

/* Reserves memory for all rows to come, so that arrays need not be moved again and again.  Nodes and boxes grow in
 * proportion to the rows, or more slowly. */
static copse_status reserve_ahead(cp_mondrian_tree *t, const cp_mondrian_space *s, copse_error *err) {
    double more = (double)(s->rows - t->rows) / (double)(t->rows + 1);
    return cp_mondrian_tree_reserve(t, s, (size_t)(more * (double)t->nodes), (size_t)(more * (double)t->boxes), err);
}

static copse_status learn_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    const learning *job = arg;
    cp_mondrian *f = job->f;
    cp_mondrian_tree *t = &f->tree[m];
    scratch *d = &job->scratch[worker];
    cp_rng_batch batch;
    cp_mondrian_extend_next_tree(&d->extend);
    CP_TRY(reserve_ahead(t, &f->space, err));
    cp_mondrian_prefetch_tree(t, &f->space, f->space.rows - t->rows);
    for (size_t i = 0; t->rows < f->space.rows; i = (i + 1) % CP_RNG_BATCH) {
        size_t left = f->space.rows - t->rows;
        if (job->before && t->rows >= job->from) CP_TRY(predict_before(job, m, t->rows - job->from, &d->paths, err));
        if (i == 0)
            cp_rng_batch_init(&batch, f->seed, CP_FOR_EXTEND, (uint32_t)m, t->rows,
                              left < CP_RNG_BATCH ? left : CP_RNG_BATCH);
        cp_rng rng = cp_rng_batch_get(&batch, i);
        CP_TRY(f->space.candidates == 1 ? cp_mondrian_extend(t, &f->space, &rng, &d->extend, err)
                                        : cp_mondrian_rechoose(t, &f->space, &rng, &d->rechoose, err));
    }
    return COPSE_OK;
}

/* A batch of trees, one after the other.  If the rows are few, they first descend all trees of the batch together,
 * which brings the nodes into the cache. */
static copse_status learn_trees(void *arg, size_t k, size_t worker, copse_error *err) {
    const learning *job = arg;
    cp_mondrian *f = job->f;
    size_t first = k * job->batch, left = f->trees - first, n = left < job->batch ? left : job->batch;
    for (size_t i = job->from; n > 1 && i < f->space.rows; i++)
        CP_TRY(cp_mondrian_path_descend_trees(&job->scratch[worker].paths, &f->tree[first], n, &f->space,
                                              cp_mondrian_tree_row(&f->space, (int32_t)i), err));
    for (size_t i = 0; i < n; i++) CP_TRY(learn_tree(arg, first + i, worker, err));
    return COPSE_OK;
}

static size_t batch_size(const learning *job, size_t workers) {
    size_t per_worker = (job->f->trees + workers - 1) / workers;
    if (!cp_mondrian_prefetch_by_trees(job->f->space.rows - job->from)) return 1;
    return per_worker < CP_MONDRIAN_PATH_LANES ? per_worker : CP_MONDRIAN_PATH_LANES;
}

/* Lets every tree learn all rows that it has not learnt yet. */
static copse_status learn_rows(learning *job, const copse_run *run, copse_error *err) {
    size_t trees = job->f->trees, workers = cp_parallel_workers(run, trees);
    job->batch = batch_size(job, workers);
    CP_TRY(CP_NEW(job->scratch, workers, err));
    for (size_t i = 0; i < workers; i++) {
        cp_mondrian_extend_init(&job->scratch[i].extend);
        cp_mondrian_rechoose_init(&job->scratch[i].rechoose);
    }
    size_t batches = (trees + job->batch - 1) / job->batch;
    copse_status status = cp_parallel_for(run, workers, batches, NULL, learn_trees, job, err);
    for (size_t i = 0; i < workers; i++) {
        cp_mondrian_extend_clear(&job->scratch[i].extend);
        cp_mondrian_rechoose_clear(&job->scratch[i].rechoose);
        cp_mondrian_path_clear(&job->scratch[i].paths);
    }
    cp_mem_free(job->scratch);
    return status;
}

/* Test-then-train for a piece of the rows: each tree predicts and learns row by row; then predictions are merged. */
static copse_status predict_then_learn(cp_mondrian *f, const cp_rows *piece, size_t first, cp_answer *out,
                                       const copse_run *run, copse_error *err) {
    copse_status status;
    cp_mondrian_before before = {0};
    learning job = {.f = f, .from = f->space.rows, .state = &before};
    CP_TRY(cp_answer_new_each(f->trees, f->task, piece->n, f->space.classes, &job.before, err));
    CP_TRY_OUT(cp_mondrian_before_init(&before, f, piece, err));
    CP_TRY_OUT(reserve_rows(f, piece->n, err));
    keep_rows(f, piece);
    CP_TRY_OUT(learn_rows(&job, run, err));
    CP_TRY_OUT(cp_answer_merge(out, first, job.before, f->trees, 1 / (double)f->trees, err));
    cp_mondrian_before_finish(&before, f, piece, first, out);
    if (f->task == COPSE_REGRESS) update_hyper(f);
    CP_TRY_OUT(cp_mondrian_calibrate_again(f, run, err));
out:
    cp_answer_free_each(job.before, f->trees);
    cp_mondrian_before_clear(&before);
    return status;
}

static size_t most_nodes(const cp_mondrian *f) {
    size_t most = 1;
    for (size_t m = 0; m < f->trees; m++) most = f->tree[m].nodes > most ? f->tree[m].nodes : most;
    return most;
}

/* Makes room for more classes, in all trees or, on failure, in none. */
static copse_status add_classes(cp_mondrian *f, size_t classes, copse_error *err) {
    size_t words = cp_mondrian_hnsp_words(&f->space);
    int32_t *order;
    if (classes <= f->space.classes) return COPSE_OK;
    if ((classes + 31) / 32 == words || f->space.keeps_counts) {
        f->space.classes = classes;
        return COPSE_OK;
    }
    for (size_t m = 0; m < f->trees; m++) CP_TRY(cp_mondrian_hnsp_reserve_sets(&f->tree[m], classes, err));
    CP_TRY(CP_RAW(order, most_nodes(f), err));
    f->space.classes = classes;
    for (size_t m = 0; m < f->trees; m++) cp_mondrian_hnsp_rebuild_classes(&f->tree[m], &f->space, order);
    cp_mem_free(order);
    return COPSE_OK;
}

static copse_status update(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err) {
    cp_mondrian *f = state;
    (void)p;
    if (opt_before && f->task == COPSE_REGRESS && !f->space.keeps_moments)
        return cp_fail(err, COPSE_E_USAGE,
                       "scoring while learning needs a model with `posterior=fast`: the exact "
                       "posterior costs a pass over all rows for every row");
    if (!opt_before) {
        learning job = {.f = f, .from = f->space.rows};
        CP_TRY(reserve_rows(f, rows->n, err));
        if (f->task == COPSE_CLASS) CP_TRY(add_classes(f, rows->classes, err));
        keep_rows(f, rows);
        f->stale = f->task == COPSE_REGRESS && !f->space.keeps_moments;
        if (f->task == COPSE_REGRESS) update_hyper(f);
        CP_TRY(learn_rows(&job, run, err));
        return cp_mondrian_calibrate_again(f, run, err);
    }
    enum { COMPONENTS = 32 }; /* of a tree's prediction of a row, roughly: one for each node of its path */
    size_t piece = cp_answer_piece(f->trees, f->task, f->space.classes, COMPONENTS);
    CP_TRY(cp_mondrian_calibrate_again(f, run, err)); /* an update may have been stopped before it was done */
    for (size_t first = 0; first < rows->n;) {
        size_t due = cp_mondrian_calibrate_due(f);
        cp_rows part = cp_rows_slice(rows, first, piece < due ? piece : due);
        CP_TRY(predict_then_learn(f, &part, first, opt_before, run, err));
        first += part.n;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- inspection */

static const char *check(const void *state) {
    const cp_mondrian *f = state;
    for (size_t m = 0; m < f->trees; m++) {
        if (f->tree[m].rows > f->space.rows) return "F1: a tree has learnt more rows than there are";
        const char *wrong = cp_mondrian_tree_check(&f->tree[m], &f->space);
        if (wrong) return wrong;
    }
    return NULL;
}

static size_t count_rows(const void *state) {
    return cp_mondrian_learnt(state);
}

static size_t count_trees(const void *state) {
    return ((const cp_mondrian *)state)->trees;
}

static int can_learn(const void *state) {
    return !((const cp_mondrian *)state)->space.frozen;
}

static double noise(const void *state) {
    return ((const cp_mondrian *)state)->hyper.noise;
}

/* Mean over trees of leaves and depth; 0 if there is no memory to count them. */
static void mean_shape(const cp_mondrian *f, double *out_leaves, double *out_depth) {
    size_t most = most_nodes(f);
    int32_t *order = cp_mem_raw(most, sizeof *order), *depth = cp_mem_raw(most, sizeof *depth);
    *out_leaves = *out_depth = 0;
    for (size_t m = 0; order && depth && m < f->trees; m++) {
        size_t leaves;
        double mean;
        cp_mondrian_tree_shape(&f->tree[m], order, depth, &leaves, &mean);
        *out_leaves += (double)leaves;
        *out_depth += mean;
    }
    *out_leaves /=
        (double)f->trees; /* divided once, at the end: ten trees of one leaf have one leaf, not 0.9999999999999999 */
    *out_depth /= (double)f->trees;
    cp_mem_free(order);
    cp_mem_free(depth);
}

static size_t figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_mondrian *f = state;
    size_t n = 0;
    double leaves, depth;
    mean_shape(f, &leaves, &depth);
    out[n++] = (copse_figure){"leaves", leaves};
    out[n++] = (copse_figure){"depth", depth};
    if (f->task == COPSE_CLASS) {
        if (!f->honest.on) {
            out[n++] = (copse_figure){"gamma", f->gamma};
            return n;
        }
        out[n++] = (copse_figure){"strength", f->honest.strength};
        out[n++] = (copse_figure){"sharpness", f->honest.sharpness};
        return n;
    }
    if (f->honest.on) {
        out[n++] = (copse_figure){"within", f->honest.within};
        out[n++] = (copse_figure){"between", f->honest.between};
    }
    out[n++] = (copse_figure){"mean", f->hyper.mean + f->center};
    out[n++] = (copse_figure){"gamma1", f->hyper.gamma1};
    out[n++] = (copse_figure){"gamma2", f->hyper.gamma2};
    out[n++] = (copse_figure){"noise", f->hyper.noise};
    if (!f->space.keeps_moments && !f->stale) out[n++] = (copse_figure){"log_marginal", f->log_marginal};
    return n;
}

const cp_method cp_method_mondrian = {
    .info = {.name = "mondrian",
             .summary = "Mondrian forest: online or batch, uncertainty that grows away from the data",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .online = 1,
             .keeps_rows = 1},
    .wants_unit = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `trees` or a larger `min-samples-split`",
    .fit = fit,
    .update = update,
    .predict = cp_mondrian_predict,
    .refresh = refresh,
    .write = cp_mondrian_file_write,
    .read = cp_mondrian_file_read,
    .check = check,
    .clear = cp_mondrian_free,
    .rows = count_rows,
    .trees = count_trees,
    .can_learn = can_learn,
    .inspect.figures = figures,
    .inspect.tree_json = cp_mondrian_inspect_json,
    .inspect.tree_node = cp_mondrian_inspect_node,
    .inspect.descend = cp_mondrian_inspect_descend,
    .inspect.noise = noise,
};
