#include "orf/orf.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "orf/orf_file.h"
#include "orf/orf_inspect.h"

static const cp_param params[] = {
    CP_OPTION_TREES("trees in the forest"),
    CP_OPTION_SEED,
    CP_OPTION_INT("tests", "10", 1, 10000, "random tests that each leaf tries"),
    CP_OPTION_INT("min-samples", "20", 2, 1e9, "alpha: rows a leaf has to see, copies counted, before it is split"),
    CP_OPTION_REAL("min-gain", "0", 0, 1,
                   "beta: what a split has to take from Gini's impurity; numbers: its share of the variance"),
    CP_OPTION_INT("max-depth", "inf", 1, INFINITY, "splits on the way to a leaf, at most"),
    CP_OPTION_REAL("smoothing", ".1", 0, 1e9,
                   "rows added to each leaf: of all classes alike; numbers: of the variance of all rows"),
    CP_OPTION_REAL("forget", "0", 0, 1,
                   CP_OPTION_OF_CLASSES("gamma; trees older than 1/gamma rows are begun anew if they err; 0: never")),
};

/* ----------------------------------------------------------------------------------------------- making and freeing */

copse_status cp_orf_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_orf **out,
                        copse_error *err) {
    cp_orf *f;
    *out = NULL;
    CP_TRY(CP_NEW(f, 1, err));
    f->trees = (size_t)cp_param_int(p, "trees");
    f->rules = (cp_orf_rules){
        .kern = cp_box_best(),
        .task = task,
        .seed = (uint64_t)cp_param_int(p, "seed"),
        .dims = dims,
        .classes = task == COPSE_CLASS ? classes : 0,
        .width = task == COPSE_CLASS ? classes : 0,
        .tests = (size_t)cp_param_int(p, "tests"),
        .min_samples = cp_param_real(p, "min-samples"),
        .min_gain = cp_param_real(p, "min-gain"),
        .max_depth = cp_param_real(p, "max-depth"),
        .smoothing = cp_param_real(p, "smoothing"),
        .forget = cp_param_real(p, "forget"),
    };
    f->tree = cp_mem_new(f->trees, sizeof *f->tree);
    if (!f->tree) {
        cp_mem_free(f);
        return cp_fail_memory(err);
    }
    *out = f;
    return COPSE_OK;
}

/* Frees the memory of the pending rows, which are all learnt. */
static void free_pending(cp_orf *f) {
    cp_mem_free(f->pending.x);
    cp_mem_free(f->pending.y);
    memset(&f->pending, 0, sizeof f->pending);
}

void cp_orf_free(void *state) {
    cp_orf *f = state;
    if (!f) return;
    for (size_t m = 0; m < f->trees; m++) cp_orf_tree_clear(&f->tree[m]);
    cp_mem_free(f->tree);
    free_pending(f);
    cp_mem_free(f);
}

/* Columns are scaled to [0,1], so every range starts as that. */
static copse_status init_trees(cp_orf *f, copse_error *err) {
    for (size_t m = 0; m < f->trees; m++) {
        cp_orf_tree *t = &f->tree[m];
        CP_TRY(CP_NEW(t->range, 2 * f->rules.dims, err));
        for (size_t d = 0; d < f->rules.dims; d++) t->range[f->rules.dims + d] = 1;
        CP_TRY(cp_orf_tree_reset(t, &f->rules, (uint32_t)m, err));
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- predict */

/* The mean of the leaf's rows, and their variance smoothed by `smoothing` more rows with the variance of all rows.  A
 * leaf without rows has the mean and variance of all rows. */
cp_component cp_orf_leaf_gauss(const cp_orf *f, const cp_orf_tree *t, size_t leaf, const cp_orf_moments *all) {
    cp_orf_moments m = cp_orf_tree_leaf_moments(t, &f->rules, leaf);
    double prior = all->n > 0 ? all->m2 / all->n : 0, least = prior > 0 ? 1e-6 * prior : 1e-12;
    double var = m.n > 0 ? (m.m2 + f->rules.smoothing * prior) / (m.n + f->rules.smoothing) : prior;
    return (cp_component){1, (m.n > 0 ? m.mean : all->mean) + f->centre, sqrt(fmax(var, least)), INFINITY};
}

/* A point to predict. */
typedef struct query {
    const float *x;
    const cp_orf_moments *all; /* numbers: moments of all rows before it */
    size_t place;              /* classes: its row in the answer */
} query;

/* Adds the prediction of one tree to the answer. */
static copse_status predict_tree(const cp_orf *f, const cp_orf_tree *t, query q, cp_answer *out, copse_error *err) {
    size_t leaf = (size_t)t->node[cp_orf_tree_find(t, q.x)].dim;
    if (f->rules.task == COPSE_REGRESS) return cp_answer_add(out, cp_orf_leaf_gauss(f, t, leaf, q.all), err);
    cp_orf_tree_leaf_probs(t, &f->rules, leaf, out->probs + q.place * out->classes);
    return COPSE_OK;
}

/* Classes: turns the sum over trees of n rows into the mean.  Numbers need none: cp_answer normalises the weights of
 * their components. */
static void divide_by_trees(const cp_orf *f, cp_answer *out, size_t first, size_t n) {
    for (size_t i = first * out->classes; i < (first + n) * out->classes; i++) out->probs[i] /= (double)f->trees;
}

static copse_status predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                            copse_error *err) {
    const cp_orf *f = state;
    (void)p;
    for (size_t i = 0; i < rows->n; i++) {
        query q = {rows->x + i * rows->dims, &f->moments, i};
        for (size_t m = 0; m < f->trees; m++) CP_TRY(predict_tree(f, &f->tree[m], q, out, err));
        if (f->rules.task == COPSE_REGRESS) cp_answer_end_row(out);
    }
    divide_by_trees(f, out, 0, rows->n);
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- learning */

/* Room for the rows, and for their classes in the leaves of every tree. */
static copse_status reserve_rows(cp_orf *f, const cp_rows *rows, copse_error *err) {
    size_t all = f->pending.n + rows->n, width = f->rules.width;
    CP_TRY(CP_GROW(f->pending.x, f->pending.cap_x, all * f->rules.dims, err));
    CP_TRY(CP_GROW(f->pending.y, f->pending.cap_y, all, err));
    if (f->rules.task != COPSE_CLASS || rows->classes <= width) return COPSE_OK;
    width = rows->classes > width + width / 2 ? rows->classes : width + width / 2;
    for (size_t m = 0; m < f->trees; m++) CP_TRY(cp_orf_tree_reserve(&f->tree[m], &f->rules, width, err));
    for (size_t m = 0; m < f->trees; m++) cp_orf_tree_widen(&f->tree[m], &f->rules, width);
    f->rules.width = width;
    return COPSE_OK;
}

/* Accepts rows, all or none; the trees learn them later. */
static copse_status accept_rows(cp_orf *f, const cp_rows *rows, copse_error *err) {
    CP_TRY(reserve_rows(f, rows, err));
    float *x = f->pending.x + f->pending.n * f->rules.dims;
    double *y = f->pending.y + f->pending.n;
    if (rows->n) memcpy(x, rows->x, rows->n * f->rules.dims * sizeof *x);
    if (f->rows == 0 && rows->n && rows->y) f->centre = rows->y[0];
    for (size_t i = 0; i < rows->n; i++) {
        y[i] = rows->y ? rows->y[i] - f->centre : rows->label[i];
        if (rows->y) cp_orf_tree_moments_add(&f->moments, y[i]);
    }
    if (f->rules.task == COPSE_CLASS && rows->classes > f->rules.classes) f->rules.classes = rows->classes;
    f->pending.n += rows->n;
    f->rows += rows->n;
    return COPSE_OK;
}

/* The pending rows, to be learnt by every tree. */
typedef struct learning {
    cp_orf *f;
    cp_answer *before; /* one per tree: its predictions of the rows from `from` on, before it learns them; or NULL */
    size_t from;
    cp_orf_moments seen; /* numbers: moments of the rows before `from` */
    size_t upto;         /* rows that a tree has learnt in the end */
} learning;

static copse_status learn_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    const learning *job = arg;
    cp_orf *f = job->f;
    cp_orf_tree *t = &f->tree[m];
    cp_orf_moments seen = job->seen;
    (void)worker;
    while (t->rows < job->upto) {
        size_t i = t->rows - (f->rows - f->pending.n);
        const float *x = f->pending.x + i * f->rules.dims;
        if (job->before && t->rows >= job->from) {
            CP_TRY(predict_tree(f, t, (query){x, &seen, t->rows - job->from}, &job->before[m], err));
            if (f->rules.task == COPSE_REGRESS) cp_answer_end_row(&job->before[m]);
            cp_orf_tree_moments_add(&seen, f->pending.y[i]);
        }
        CP_TRY(cp_orf_tree_learn(t, &f->rules, (uint32_t)m, x, f->pending.y[i], err));
    }
    return COPSE_OK;
}

static int is_old(const cp_orf *f, const cp_orf_tree *t) {
    return (double)(f->weighted_rows - t->born) * f->rules.forget > 1;
}

/* Temporal knowledge weighting, after each row: picks one of the trees older than 1/gamma rows, and resets it with
 * the probability of its out-of-bag error. */
static copse_status reset_old_tree(cp_orf *f, copse_error *err) {
    size_t old = 0;
    cp_rng rng;
    cp_rng_init(&rng, f->rules.seed, CP_FOR_RESAMPLE, 0, f->weighted_rows);
    f->weighted_rows++;
    for (size_t m = 0; m < f->trees; m++) old += (size_t)is_old(f, &f->tree[m]);
    if (!old) return COPSE_OK;
    size_t pick = (size_t)cp_rng_below(&rng, old), m = 0;
    for (;; m++)
        if (is_old(f, &f->tree[m]) && pick-- == 0) break;
    cp_orf_tree *t = &f->tree[m];
    if (!(cp_rng_unit(&rng) * t->oob_rows < t->oob_errors)) return COPSE_OK;
    return cp_orf_tree_reset(t, &f->rules, (uint32_t)m, err);
}

/* Temporal knowledge weighting looks at all trees after each row, so trees learn row by row, not tree by tree. */
static copse_status learn_row_by_row(learning *job, copse_error *err) {
    cp_orf *f = job->f;
    while (f->weighted_rows < f->rows) {
        job->upto = f->weighted_rows + 1;
        for (size_t m = 0; m < f->trees; m++) CP_TRY(learn_tree(job, m, 0, err));
        CP_TRY(reset_old_tree(f, err));
    }
    return COPSE_OK;
}

static copse_status learn_pending(learning *job, const copse_run *run, copse_error *err) {
    cp_orf *f = job->f;
    if (f->rules.forget > 0) {
        CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
        CP_TRY(learn_row_by_row(job, err));
    } else {
        job->upto = f->rows;
        CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, f->trees), f->trees, NULL, learn_tree, job, err));
        f->weighted_rows = f->rows;
    }
    f->pending.n = 0;
    return COPSE_OK;
}

static copse_status refresh(void *state, const copse_params *p, const copse_run *run, copse_error *err) {
    learning job = {.f = state};
    (void)p;
    return job.f->pending.n ? learn_pending(&job, run, err) : COPSE_OK;
}

enum { PIECE = 1 << 14 }; /* rows that `fit` copies at a time */

static copse_status fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err) {
    cp_orf *f;
    *out_state = NULL;
    if (rows->task == COPSE_REGRESS && cp_param_real(p, "forget") > 0)
        return cp_fail(err, COPSE_E_USAGE, "`forget` needs classes: the error of numbers is no probability");
    CP_TRY(cp_orf_new(p, rows->task, rows->dims, rows->classes, &f, err));
    learning job = {.f = f};
    copse_status status = init_trees(f, err);
    for (size_t first = 0; !status && first < rows->n; first += PIECE) {
        cp_rows part = cp_rows_slice(rows, first, PIECE);
        status = accept_rows(f, &part, err);
        if (!status) status = learn_pending(&job, run, err);
        cp_log_progress(run, "learning rows", (double)(first + part.n), (double)rows->n);
    }
    free_pending(f);
    if (status)
        cp_orf_free(f);
    else
        *out_state = f;
    return status;
}

/* Test-then-train for a piece of the rows: each tree predicts and learns row by row; then predictions are merged. */
static copse_status predict_then_learn(cp_orf *f, const cp_rows *piece, size_t first, cp_answer *out,
                                       const copse_run *run, copse_error *err) {
    copse_status status;
    learning job = {.f = f, .from = f->rows, .seen = f->moments};
    CP_TRY(cp_answer_new_each(f->trees, f->rules.task, piece->n, f->rules.classes, &job.before, err));
    CP_TRY_OUT(accept_rows(f, piece, err));
    CP_TRY_OUT(learn_pending(&job, run, err));
    CP_TRY_OUT(cp_answer_merge(out, first, job.before, f->trees, 1, err));
    divide_by_trees(f, out, first, piece->n);
out:
    cp_answer_free_each(job.before, f->trees);
    return status;
}

static copse_status update(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err) {
    cp_orf *f = state;
    learning job = {.f = f};
    CP_TRY(refresh(state, p, run, err));
    if (!opt_before) {
        CP_TRY(accept_rows(f, rows, err));
        return learn_pending(&job, run, err);
    }
    size_t piece = cp_answer_piece(f->trees, f->rules.task, f->rules.classes, 1);
    for (size_t first = 0; first < rows->n; first += piece) {
        cp_rows part = cp_rows_slice(rows, first, piece);
        CP_TRY(predict_then_learn(f, &part, first, opt_before, run, err));
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- inspection */

static const char *check(const void *state) {
    const cp_orf *f = state;
    for (size_t m = 0; m < f->trees; m++) {
        if (f->tree[m].rows > f->rows || f->tree[m].rows + f->pending.n < f->rows)
            return "a tree lags behind by more rows than are pending";
        unsigned char *seen = cp_mem_new(f->tree[m].nodes, 1);
        const char *wrong = seen ? cp_orf_tree_check(&f->tree[m], &f->rules, seen) : NULL;
        cp_mem_free(seen);
        if (wrong) return wrong;
    }
    return NULL;
}

static size_t count_rows(const void *state) {
    return ((const cp_orf *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_orf *)state)->trees;
}

static int can_learn(const void *state) {
    return !((const cp_orf *)state)->rules.frozen;
}

static size_t figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_orf *f = state;
    size_t n = 0;
    double leaves = 0, depth = 0, trees = (double)f->trees, oob_rows = 0, oob_errors = 0;
    for (size_t m = 0; m < f->trees; m++) {
        const cp_orf_tree *t = &f->tree[m];
        double sum = 0;
        for (size_t j = 0; j < t->nodes; j++)
            if (t->node[j].left == CP_NONE) sum += t->node[j].depth;
        leaves += (double)t->leaves;
        depth += sum / (double)t->leaves;
        oob_rows += t->oob_rows;
        oob_errors += t->oob_errors;
    }
    out[n++] = (copse_figure){"leaves", leaves / trees};
    out[n++] = (copse_figure){"depth", depth / trees};
    if (oob_rows > 0) out[n++] = (copse_figure){"oob_error", oob_errors / oob_rows};
    return n;
}

const cp_method cp_method_orf = {
    .info = {.name = "orf",
             .summary = "online random forest: bagging and splits as rows come (Saffari et al.); a baseline",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .online = 1},
    .wants_unit = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `trees` or fewer `tests`",
    .fit = fit,
    .update = update,
    .predict = predict,
    .refresh = refresh,
    .write = cp_orf_file_write,
    .read = cp_orf_file_read,
    .check = check,
    .clear = cp_orf_free,
    .rows = count_rows,
    .trees = count_trees,
    .can_learn = can_learn,
    .inspect.figures = figures,
    .inspect.tree_json = cp_orf_inspect_json,
    .inspect.tree_node = cp_orf_inspect_node,
};
