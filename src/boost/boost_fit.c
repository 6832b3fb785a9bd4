/* If rows are held out, a first run on the others finds the number of rounds after which the loss of the held-out rows
 * is least.  A second run of so many rounds on all rows makes the model (`refit`), or the first run is the model. */
#include "boost/boost_fit.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "boost/boost_grow.h"
#include "method/holdout.h"
#include "num/math.h"
#include "tree/tree_walk.h"

enum {
    LEAST_HELD = 20,   /* with fewer rows held out, their loss says too little: a fixed number of rounds is used */
    FIXED_ROUNDS = 100 /* ... at most so many */
};
#define SLOPE_ROOM 0x1p50 /* sums of slopes stay below: a double holds them exactly */

typedef struct fitting {
    const cp_rows *rows;
    const copse_params *p;
    const copse_run *run;
    cp_boost *b;
    cp_bins bins;
    cp_boost_rule rule;
    cp_boost_grow grow;
    cp_thread_team *team;
    uint64_t seed;
    double row_share, column_share;
    int whole; /* all weights are whole: a row of weight k is then the same as k rows */
    double *y; /* numbers: in units of the scale */
    uint8_t *held, *use;
    uint32_t *train, *rest; /* rows that are fitted; rows outside the tree */
    size_t trained, rested;
    double total;              /* weight of the rows that are fitted */
    double *f, *slope, *curve; /* n x heads */
    uint32_t *leaf;            /* of each of the rested rows */
} fitting;

static double weight_of(const fitting *t, size_t i) {
    return t->rows->weight ? t->rows->weight[i] : 1;
}

static cp_boost_target target_of(const fitting *t, size_t i) {
    return (cp_boost_target){.y = t->y ? t->y[i] : 0, .label = t->rows->label ? t->rows->label[i] : 0};
}

/* A number times the row's weight as an integer.  Whole weights multiply after rounding, as equal rows would add. */
static int64_t rounded(const fitting *t, size_t i, double x, double scale) {
    double w = weight_of(t, i);
    return t->whole ? (int64_t)(w * rint(x * scale)) : (int64_t)rint(w * x * scale);
}

/* The largest power of two so that `total` numbers up to `most`, times it, sum to less than `room`. */
static double scale_for(double most, double total, double room) {
    int e = 0;
    double bound = most * (total + 1);
    if (!(bound > 0)) return 1;
    frexp(room / bound, &e);
    return ldexp(1, e - 2 < -900 ? -900 : e - 2 > 900 ? 900 : e - 2);
}

/* --------------------------------------------------------------------------------------------------------- targets */

/* Centre and scale of y: mean and standard deviation, summed as integers, so that a weight is as good as equal rows. */
static void standardise(fitting *t) {
    const cp_rows *r = t->rows;
    cp_forest *f = &t->b->forest;
    double low = INFINITY, high = -INFINITY, total = 0, sum = 0, square = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!(weight_of(t, i) > 0)) continue;
        low = fmin(low, r->y[i]);
        high = fmax(high, r->y[i]);
        total += weight_of(t, i);
    }
    double middle = low + (high - low) / 2, half = fmax(high - middle, middle - low);
    double scale = scale_for(1, total, SLOPE_ROOM);
    int64_t sums[2] = {0, 0};
    for (size_t i = 0; i < r->n && half > 0; i++) {
        double u = (r->y[i] - middle) / half;
        if (!(weight_of(t, i) > 0)) continue;
        sums[0] += rounded(t, i, u, scale);
        sums[1] += rounded(t, i, u * u, scale);
    }
    sum = (double)sums[0] / scale / total;
    square = (double)sums[1] / scale / total;
    f->centre = middle + half * sum;
    f->scale = half * sqrt(fmax(square - sum * sum, 0));
    if (!(f->scale > 1e-12 * fabs(f->centre))) f->scale = 1e-12 * fabs(f->centre);
    if (!(f->scale > CP_FOREST_LEAST_SCALE)) f->scale = CP_FOREST_LEAST_SCALE;
    for (size_t i = 0; i < r->n; i++) t->y[i] = (r->y[i] - f->centre) / f->scale;
}

/* The logarithms of the class shares.  Half a row more for each class keeps them finite. */
static void start_classes(fitting *t) {
    const cp_rows *r = t->rows;
    cp_boost *b = t->b;
    double scale = scale_for(1, (double)r->n, SLOPE_ROOM);
    for (size_t k = 0; k < b->heads; k++) {
        int64_t sum = 0, others = 0;
        int32_t label = b->loss == CP_BOOST_LOGISTIC ? 1 : (int32_t)k;
        for (size_t i = 0; i < r->n; i++) *(r->label[i] == label ? &sum : &others) += rounded(t, i, 1, scale);
        double share = (double)sum / scale + .5, rest = (double)others / scale + .5;
        b->start[k] = b->loss == CP_BOOST_LOGISTIC ? cp_math_log(share / rest) : cp_math_log(share / (share + rest));
    }
}

/* ------------------------------------------------------------------------------------------------------------ rows */

static copse_status divide_rows(fitting *t, double share) {
    const cp_rows *r = t->rows;
    t->trained = 0;
    t->total = 0;
    for (size_t i = 0; i < r->n; i++) {
        int counts = weight_of(t, i) > 0;
        t->held[i] = counts && share > 0 && cp_holdout_has(r->x + i * r->dims, r->dims, t->seed, share);
        if (!counts || t->held[i]) continue;
        t->train[t->trained++] = (uint32_t)i;
        t->total += weight_of(t, i);
    }
    return COPSE_OK;
}

/* The rows of the next tree, and those that it must be walked for. */
static void choose_rows(fitting *t, uint32_t round) {
    cp_rng rng;
    size_t n = 0;
    cp_rng_init(&rng, t->seed, CP_FOR_WEIGHT, round, 0);
    t->rested = 0;
    for (size_t k = 0; k < t->trained; k++) {
        int in = t->row_share >= 1 || cp_rng_unit(&rng) < t->row_share;
        if (in)
            t->grow.row[n++] = t->train[k];
        else
            t->rest[t->rested++] = t->train[k];
    }
    if (n == 0) { /* a tree needs a row */
        t->grow.row[n++] = t->train[0];
        for (size_t k = 0; k + 1 < t->rested; k++) t->rest[k] = t->rest[k + 1];
        t->rested--;
    }
    t->grow.rows = n;
    for (size_t i = 0; i < t->rows->n; i++)
        if (t->held[i]) t->rest[t->rested++] = (uint32_t)i;
}

static void choose_columns(fitting *t, uint32_t tree) {
    size_t dims = t->rows->dims, wanted = (size_t)ceil(t->column_share * (double)dims);
    cp_rng rng;
    cp_rng_init(&rng, t->seed, CP_FOR_GROW, tree, 0);
    for (size_t d = 0; d < dims; d++) {
        t->use[d] = wanted > 0 && (wanted >= dims - d || cp_rng_below(&rng, dims - d) < wanted);
        wanted -= t->use[d];
    }
}

/* ---------------------------------------------------------------------------------------------------------- rounds */

static void find_slopes(void *arg, size_t from, size_t to) {
    fitting *t = arg;
    size_t heads = t->b->heads;
    for (size_t k = from; k < to; k++) {
        size_t i = t->grow.row[k], at = i * heads;
        cp_boost_loss_slopes(t->b->loss, t->f + at, heads, target_of(t, i), t->slope + at, t->curve + at);
    }
}

/* The slopes and curvatures of one head as integers. */
static void round_slopes(fitting *t, size_t head) {
    cp_boost_grow *g = &t->grow;
    size_t heads = t->b->heads;
    double slope = 0, curve = 0;
    for (size_t k = 0; k < g->rows; k++) {
        size_t at = g->row[k] * heads + head;
        slope = fmax(slope, fabs(t->slope[at]));
        curve = fmax(curve, t->curve[at]);
    }
    g->slope_scale = scale_for(slope, t->total, SLOPE_ROOM);
    g->curve_scale = scale_for(curve, t->total, ldexp(1, (int)g->shift));
    for (size_t k = 0; k < g->rows; k++) {
        size_t i = g->row[k], at = i * heads + head;
        int64_t count = t->whole ? (int64_t)weight_of(t, i) : 1;
        g->sum[i].w = (count << g->shift) + rounded(t, i, t->curve[at], g->curve_scale);
        g->sum[i].s = rounded(t, i, t->slope[at], g->slope_scale);
    }
}

/* Adds a finished tree to the scores of the rows that it was not grown on. */
static void add_to_rest(fitting *t, const cp_tree *tree, size_t head) {
    cp_tree_rows rows = {.x = t->rows->x, .row = t->rest, .n = t->rested};
    if (!t->rested) return;
    cp_tree_walk_rows(tree, &t->b->forest, &rows, t->leaf);
    for (size_t k = 0; k < t->rested; k++)
        t->f[t->rest[k] * t->b->heads + head] += (double)tree->value[t->leaf[k]].mean;
}

static copse_status run_round(fitting *t, size_t round, copse_error *err) {
    cp_boost *b = t->b;
    choose_rows(t, (uint32_t)round);
    cp_thread_team_pass(t->team, t->grow.rows, find_slopes, t);
    for (size_t h = 0; h < b->heads; h++) {
        size_t m = round * b->heads + h;
        cp_tree *tree = &b->forest.tree[m];
        choose_columns(t, (uint32_t)m);
        round_slopes(t, h);
        t->grow.f = t->f + h;
        t->rule.most_step = b->loss == CP_BOOST_GAUSSIAN && h == 1 ? 1 : b->task == COPSE_CLASS ? 10 : INFINITY;
        b->forest.trees = m + 1;
        CP_TRY(cp_boost_grow_tree(&t->grow, tree, err));
        add_to_rest(t, tree, h);
    }
    return cp_fail_if_stopped(t->run ? t->run->stop : NULL, err);
}

static double mean_loss(const fitting *t, int held) {
    double sum = 0, total = 0;
    size_t heads = t->b->heads;
    for (size_t i = 0; i < t->rows->n; i++) {
        double w = weight_of(t, i);
        if (t->held[i] != held || !(w > 0)) continue;
        sum += w * cp_boost_loss_value(t->b->loss, t->f + i * heads, heads, target_of(t, i));
        total += w;
    }
    return total > 0 ? sum / total : NAN;
}

static void drop_trees(cp_boost *b, size_t keep) {
    for (size_t m = keep; m < b->forest.trees; m++) cp_tree_clear(&b->forest.tree[m]);
    b->forest.trees = keep;
}

static void reset_scores(fitting *t) {
    for (size_t i = 0; i < t->rows->n; i++)
        for (size_t h = 0; h < t->b->heads; h++) t->f[i * t->b->heads + h] = t->b->start[h];
}

/* Runs up to `rounds` rounds; with held-out rows, until `patience` rounds have not lowered their loss.  Returns in
 * *out_best the number of rounds that is best. */
static copse_status run_rounds(fitting *t, size_t rounds, size_t patience, size_t *out_best, copse_error *err) {
    double least = INFINITY;
    size_t best = 0;
    reset_scores(t);
    drop_trees(t->b, 0);
    for (size_t r = 0; r < rounds; r++) {
        CP_TRY(run_round(t, r, err));
        cp_log_progress(t->run, "rounds", (double)(r + 1), (double)rounds);
        if (!patience) continue;
        double loss = mean_loss(t, 1);
        if (loss < least) {
            least = loss;
            best = r + 1;
        }
        if (r + 1 >= best + patience) break;
    }
    if (patience) t->b->held_score = least;
    *out_best = patience ? (best ? best : 1) : rounds;
    return COPSE_OK;
}

static copse_status run_all(fitting *t, copse_error *err) {
    size_t rounds = (size_t)cp_param_int(t->p, "trees"), patience = (size_t)cp_param_int(t->p, "patience"), held = 0;
    divide_rows(t, cp_param_real(t->p, "held-out"));
    for (size_t i = 0; i < t->rows->n; i++) held += t->held[i];
    int stops = held >= LEAST_HELD && t->trained >= LEAST_HELD && patience > 0;
    if (stops) {
        CP_TRY(run_rounds(t, rounds, patience, &rounds, err));
        if (t->b->loss == CP_BOOST_SQUARED) t->b->noise = fmax(2 * t->b->held_score, 1e-12);
        if (!cp_param_is(t->p, "refit", "yes")) {
            drop_trees(t->b, rounds * t->b->heads);
            return COPSE_OK;
        }
    } else if (patience > 0 && rounds > FIXED_ROUNDS) {
        rounds = FIXED_ROUNDS;
    }
    divide_rows(t, 0);
    CP_TRY(run_rounds(t, rounds, 0, &rounds, err));
    if (t->b->loss == CP_BOOST_SQUARED && !stops) t->b->noise = fmax(2 * mean_loss(t, 0), 1e-12);
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- set-up */

cp_boost_loss cp_boost_fit_loss(const copse_params *p, copse_task task, size_t classes) {
    if (task == COPSE_CLASS) return classes == 2 ? CP_BOOST_LOGISTIC : CP_BOOST_SOFTMAX;
    return cp_param_is(p, "loss", "gaussian") ? CP_BOOST_GAUSSIAN : CP_BOOST_SQUARED;
}

static size_t limit_of(const copse_params *p, const char *name) {
    double v = cp_param_real(p, name);
    return v < 1e9 ? (size_t)v : (size_t)1e9;
}

static void read_rule(fitting *t) {
    const copse_params *p = t->p;
    t->rule = (cp_boost_rule){.max_leaves = limit_of(p, "max-leaves"),
                              .max_depth = limit_of(p, "max-depth"),
                              .min_rows = limit_of(p, "min-leaf"),
                              .min_curve = cp_param_real(p, "min-hessian"),
                              .l2 = cp_param_real(p, "l2"),
                              .shrinkage = cp_param_real(p, "shrinkage")};
    t->seed = (uint64_t)cp_param_int(p, "seed");
    t->row_share = cp_param_real(p, "row-share");
    t->column_share = cp_param_real(p, "column-share");
}

/* Bits of cp_sum.w below the count of rows.  Whole weights count as so many rows, if they leave room for curvatures. */
static void choose_shift(fitting *t) {
    double total = 0;
    int bits;
    t->whole = 1;
    for (size_t i = 0; i < t->rows->n; i++) {
        double w = weight_of(t, i);
        if (w != floor(w)) t->whole = 0;
        total += w;
    }
    if (total >= 0x1p31) t->whole = 0;
    frexp((t->whole ? total : (double)t->rows->n) + 1, &bits);
    t->grow.shift = (unsigned)(62 - bits);
}

static copse_status make_state(fitting *t, copse_error *err) {
    const cp_rows *r = t->rows;
    size_t rounds = (size_t)cp_param_int(t->p, "trees");
    cp_boost *b;
    CP_TRY(CP_NEW(t->b, 1, err));
    b = t->b;
    b->task = r->task;
    b->loss = cp_boost_fit_loss(t->p, r->task, r->classes);
    b->heads = cp_boost_loss_heads(b->loss, r->classes);
    b->rows = r->n;
    b->noise = 1;
    b->held_score = NAN;
    b->forest = (cp_forest){.task = COPSE_REGRESS, .dims = r->dims, .scale = 1};
    CP_TRY(CP_NEW(b->start, b->heads, err));
    CP_TRY(CP_NEW(b->forest.tree, rounds * b->heads, err));
    if (!r->levels) return COPSE_OK;
    CP_TRY(CP_RAW(b->forest.levels, r->dims, err));
    memcpy(b->forest.levels, r->levels, r->dims * sizeof *r->levels);
    return COPSE_OK;
}

static copse_status make_room(fitting *t, copse_error *err) {
    const size_t n = t->rows->n, all = n * t->b->heads;
    if (t->rows->task == COPSE_REGRESS) CP_TRY(CP_RAW(t->y, n, err));
    CP_TRY(CP_NEW(t->held, n, err));
    CP_TRY(CP_RAW(t->use, t->rows->dims, err));
    CP_TRY(CP_RAW(t->train, n, err));
    CP_TRY(CP_RAW(t->rest, n, err));
    CP_TRY(CP_RAW(t->leaf, n, err));
    CP_TRY(CP_RAW(t->f, all, err));
    CP_TRY(CP_RAW(t->slope, all, err));
    CP_TRY(CP_RAW(t->curve, all, err));
    CP_TRY(CP_RAW(t->grow.row, n, err));
    CP_TRY(CP_RAW(t->grow.spare, n, err));
    t->grow.sum = cp_mem_aligned(n, sizeof *t->grow.sum);
    return t->grow.sum ? COPSE_OK : cp_fail_memory(err);
}

static copse_status prepare(fitting *t, copse_error *err) {
    const cp_rows *r = t->rows;
    cp_bins_data data = {.x = r->x, .rows = r->n, .dims = r->dims, .levels = r->levels};
    size_t workers = cp_parallel_workers(t->run, r->n / 4096 + 1);
    read_rule(t);
    choose_shift(t);
    CP_TRY(make_state(t, err));
    CP_TRY(make_room(t, err));
    CP_TRY(cp_bins_init(&t->bins, &data, t->run, err));
    if (workers > 1) CP_TRY(cp_thread_team_new(workers, &t->team, err));
    t->grow.bins = &t->bins;
    t->grow.levels = r->levels;
    t->grow.rule = &t->rule;
    t->grow.team = t->team;
    t->grow.use = t->use;
    t->grow.stride = t->b->heads;
    if (r->task == COPSE_REGRESS)
        standardise(t);
    else
        start_classes(t);
    return COPSE_OK;
}

static void clear(fitting *t) {
    if (t->team) cp_thread_team_free(t->team);
    cp_bins_clear(&t->bins);
    cp_arena_clear(&t->grow.arena);
    void *const all[] = {t->y, t->held,  t->use,   t->train,    t->rest,       t->leaf,
                         t->f, t->slope, t->curve, t->grow.row, t->grow.spare, t->grow.sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_mem_free(all[i]);
}

copse_status cp_boost_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                          copse_error *err) {
    fitting t = {.rows = rows, .p = p, .run = run};
    *out_state = NULL;
    cp_arena_init(&t.grow.arena);
    copse_status status = prepare(&t, err);
    if (!status) status = run_all(&t, err);
    clear(&t);
    if (status)
        cp_boost_free(t.b);
    else
        *out_state = t.b;
    return status;
}
