#include "boost/boost.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "boost/boost_fit.h"
#include "boost/boost_inspect.h"
#include "boost/boost_predict.h"
#include "boost/boost_stage.h"
#include "tree/forest_file.h"
#include "tree/tree_check.h"
#include "tree/tree_walk.h"

static const cp_param params[] = {
    CP_OPTION_INT("trees", "1000", 1, 100000, "rounds, at most; each round adds a tree to every head"),
    CP_OPTION_SEED,
    CP_OPTION_CHOICE(
        "loss", "squared", "squared gaussian quantile",
        CP_OPTION_OF_NUMBERS("squared: the mean first; gaussian: mean and variance; quantile: several quantiles")),
    CP_OPTION_REAL("shrinkage", ".1", 1e-6, 1, CP_OPTION_TUNED_LOG(.01, .3, "share of each tree's step that is taken")),
    CP_OPTION_INT("max-leaves", "31", 1, 65536,
                  CP_OPTION_TUNED_LOG(4, 128, "leaves of a tree, at most; the split that gains most comes first")),
    CP_OPTION_INT("max-depth", "inf", 1, INFINITY, "splits on the way to a leaf, at most"),
    CP_OPTION_INT("min-leaf", "20", 1, 1e9,
                  CP_OPTION_TUNED_LOG(2, 100, "rows in a leaf, at least; a whole weight counts as so many rows")),
    CP_OPTION_REAL("min-hessian", "1e-3", 0, 1e12, "sum of second derivatives in a leaf, at least"),
    CP_OPTION_REAL("l2", "1", 0, 1e12,
                   CP_OPTION_TUNED_LOG(.01, 100, "added to the sum of second derivatives of each leaf")),
    CP_OPTION_REAL("row-share", "1", 1e-6, 1, "share of the rows that each round is fitted to"),
    CP_OPTION_REAL("column-share", ".7", 1e-6, 1,
                   CP_OPTION_TUNED(.3, 1, "share of the columns that each tree may split")),
    CP_OPTION_INT_AUTO("members", 1, CP_BOOST_MEMBERS,
                       "sums of trees that are averaged; each leaves out another part of the rows"),
    CP_OPTION_REAL("held-out", ".1", 0, .9,
                   "with one member: share of the rows held out to choose the rounds; 0: none"),
    CP_OPTION_INT("patience", "30", 0, 100000, "rounds without a lower loss of held-out rows; 0: all rounds"),
    CP_OPTION_CHOICE("refit", "yes", "yes no", "with one member: fit all rows again, with as many rounds as was best"),
    CP_OPTION_CHOICE("noise", "uneven", "uneven even",
                     CP_OPTION_OF_NUMBERS("squared: whether the scale of y about its mean depends on the row")),
};

void cp_boost_free(void *state) {
    cp_boost *b = state;
    if (!b) return;
    cp_tree_clear_forest(&b->forest);
    cp_mem_free(b->start);
    cp_mem_free(b);
}

double cp_boost_scale(const cp_boost *b, const double *f) {
    return b->heads == 2 ? cp_boost_loss_sd(f[1]) : sqrt(b->noise);
}

/* ------------------------------------------------------------------------------------------------------------ files */

static copse_status write_shape(const cp_boost_shape *s, cp_writer *w, copse_error *err) {
    double all[3 * CP_BOOST_SHAPE_MOST];
    for (size_t k = 0; k < s->n; k++) {
        all[k] = s->weight[k];
        all[s->n + k] = s->loc[k];
        all[2 * s->n + k] = s->sd[k];
    }
    return cp_writer_array(w, "shape", CP_F64, all, 3 * s->n, err);
}

static copse_status write_state(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err) {
    const cp_boost *b = state;
    (void)p;
    (void)flags; /* the training rows are never kept */
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)b->rows, err));
    CP_TRY(cp_writer_array(w, "start", CP_F64, b->start, b->heads, err));
    CP_TRY(cp_writer_f64(w, "noise", b->noise, err));
    CP_TRY(cp_writer_array(w, "held", CP_F64, &b->held_score, 1, err));
    if (b->has_spread) CP_TRY(cp_writer_i64(w, "spread", (int64_t)b->spread, err));
    if (b->shape.n) CP_TRY(write_shape(&b->shape, w, err));
    return cp_forest_write(&b->forest, w, err);
}

static const cp_number_rule number_rules[] = {
    {.name = "start", .least = -1e3, .most = 1e3},
    {.name = "noise", .least = 1e-30, .most = 1e30},
    {.name = "held", .least = -1e300, .most = 1e300, .also = CP_ALSO_NAN},
    {.name = "shape", .least = -1e12, .most = 1e12},
};

static const char *shape_fault(const cp_boost_shape *s) {
    double sum = 0;
    for (size_t k = 0; k < s->n; k++) {
        sum += s->weight[k];
        if (!(s->weight[k] > 0) || !(s->sd[k] > 1e-15) || !isfinite(s->loc[k])) return "the shape of the noise is none";
    }
    return s->n && fabs(sum - 1) > 1e-9 ? "the weights of the noise's shape do not sum to 1" : NULL;
}

static copse_status read_shape(cp_boost_shape *s, cp_reader *r, copse_error *err) {
    double *all;
    size_t n;
    CP_TRY(cp_reader_count(r, "shape", CP_F64, &n, err));
    if (n % 3 || n == 0 || n > (size_t)3 * CP_BOOST_SHAPE_MOST)
        return cp_reader_bad(r, err, "the shape has %zu numbers", n);
    CP_TRY(cp_reader_array(r, "shape", CP_F64, n, &all, err));
    s->n = n / 3;
    for (size_t k = 0; k < s->n; k++) {
        s->weight[k] = all[k];
        s->loc[k] = all[s->n + k];
        s->sd[k] = all[2 * s->n + k];
    }
    cp_mem_free(all);
    const char *fault = shape_fault(s);
    return fault ? cp_reader_bad(r, err, "%s", fault) : COPSE_OK;
}

/* What a model of squared errors has besides the mean. */
static copse_status read_noise(cp_boost *b, cp_reader *r, copse_error *err) {
    int64_t spread;
    if (b->task != COPSE_REGRESS) return COPSE_OK;
    if (cp_reader_has(r, "shape")) CP_TRY(read_shape(&b->shape, r, err));
    if (b->loss != CP_BOOST_SQUARED || !cp_reader_has(r, "spread")) return COPSE_OK;
    CP_TRY(cp_reader_i64(r, "spread", 0, INT32_MAX, &spread, err));
    b->spread = (size_t)spread;
    b->has_spread = 1;
    b->heads++;
    return COPSE_OK;
}

static copse_status read_figures(cp_boost *b, cp_reader *r, copse_error *err) {
    double *held;
    int64_t rows;
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX, &rows, err));
    b->rows = (size_t)rows;
    CP_TRY(read_noise(b, r, err));
    CP_TRY(cp_reader_array(r, "start", CP_F64, b->heads, &b->start, err));
    CP_TRY(cp_reader_f64(r, "noise", 1e-30, 1e30, &b->noise, err));
    CP_TRY(cp_reader_array(r, "held", CP_F64, 1, &held, err));
    b->held_score = held[0];
    cp_mem_free(held);
    return COPSE_OK;
}

static int heads_fit(const cp_boost *b) {
    size_t main = b->heads - (size_t)b->has_spread;
    return b->spread <= b->forest.trees && (b->forest.trees - b->spread) % main == 0;
}

static copse_status read_state(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err) {
    cp_boost *b;
    *out_state = NULL;
    CP_TRY(CP_NEW(b, 1, err));
    b->task = shape.task;
    b->loss = cp_boost_fit_loss(p, shape.task, shape.classes);
    b->heads = cp_boost_loss_heads(b->loss, shape.classes);
    CP_NUMBER_RULES(r, number_rules);
    copse_status status = read_figures(b, r, err);
    if (!status) status = cp_forest_read(r, COPSE_REGRESS, shape.dims, 0, &b->forest, err);
    if (!status && !heads_fit(b)) status = cp_reader_bad(r, err, "a head lacks trees");
    if (status)
        cp_boost_free(b);
    else
        *out_state = b;
    return status;
}

/* ------------------------------------------------------------------------------------------------------- inspection */

static const char *check(const void *state) {
    const cp_boost *b = state;
    for (size_t m = 0; m < b->forest.trees; m++) {
        const char *wrong = cp_tree_check(&b->forest.tree[m], &b->forest);
        if (wrong) return wrong;
    }
    if (!heads_fit(b)) return "a head lacks trees";
    if (shape_fault(&b->shape)) return shape_fault(&b->shape);
    for (size_t h = 0; h < b->heads; h++)
        if (!isfinite(b->start[h])) return "the start of a head is not finite";
    return isfinite(b->noise) && b->noise > 0 ? NULL : "the variance about the mean is not one";
}

static size_t count_rows(const void *state) {
    return ((const cp_boost *)state)->rows;
}

static size_t count_trees(const void *state) {
    return ((const cp_boost *)state)->forest.trees;
}

static int takes_key_blocks(const void *state) {
    return cp_tree_walk_takes_key_blocks(&((const cp_boost *)state)->forest);
}

static const uint32_t *levels(const void *state) {
    return ((const cp_boost *)state)->forest.levels;
}

static size_t figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_boost *b = state;
    const cp_forest *f = &b->forest;
    double leaves = 0, depth = 0;
    size_t n = 0;
    for (size_t m = 0; m < f->trees; m++) {
        leaves += (double)f->tree[m].leaves;
        depth += (double)cp_tree_depth(&f->tree[m]);
    }
    out[n++] = (copse_figure){"leaves", f->trees ? leaves / (double)f->trees : 0};
    out[n++] = (copse_figure){"depth", f->trees ? depth / (double)f->trees : 0};
    if (!isnan(b->held_score)) out[n++] = (copse_figure){"held_out_loss", b->held_score};
    return n;
}

static void importance(const void *state, size_t tree, double *out_dims) {
    const cp_forest *f = &((const cp_boost *)state)->forest;
    const float *gain = f->tree[tree].gain;
    double sum = 0;
    for (size_t d = 0; d < f->dims; d++) sum += gain ? (double)gain[d] : 0;
    for (size_t d = 0; d < f->dims; d++) out_dims[d] = sum > 0 ? (double)gain[d] / sum : 0;
}

const cp_method cp_method_boost = {
    .info = {.name = "boost",
             .summary = "gradient boosting: a sum of small trees, each of which lowers a loss",
             .tasks = COPSE_CLASS | COPSE_REGRESS,
             .takes_weights = 1,
             .takes_missing = 1,
             .takes_categories = 1},
    .takes_raw = 1,
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .memory_hint = "fewer `max-leaves`",
    .fit = cp_boost_fit,
    .predict = cp_boost_predict,
    .takes_key_blocks = takes_key_blocks,
    .write = write_state,
    .read = read_state,
    .check = check,
    .clear = cp_boost_free,
    .levels = levels,
    .rows = count_rows,
    .trees = count_trees,
    .inspect = {.figures = figures,
                .tree_json = cp_boost_inspect_json,
                .tree_node = cp_boost_inspect_node,
                .importance = importance},
};
