/* A stage of boosting (boost_stage.h) fits the classes, or the mean of numbers, by members each of which leaves out a
 * part of the rows.  The residuals of left-out rows are as large as those of new rows.  A second stage fits their
 * scale, and residual / scale tells the shape of the noise: so intervals are as wide as errors on new rows are. */
#include "boost/boost_fit.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "boost/boost_stage.h"
#include "method/holdout.h"
#include "method/row_groups.h"
#include "num/math.h"

enum {
    LEAST_HELD = 20,     /* with fewer rows held out, their loss says too little: a fixed number of rounds is used */
    FIXED_ROUNDS = 100,  /* ... at most so many */
    AUTO_MEMBERS = 5,    /* `members` of few rows; */
    AUTO_WORK = 50000,   /* ... rows x heads, at most; */
    SPREAD_PARTS = 5,    /* members of the scale's stage */
    SPREAD_LEAST = 100,  /* residuals, at least, to learn a scale that depends on the row */
    SPREAD_ROUNDS = 500, /* at most */
    SPREAD_LEAVES = 8,   /* of its trees, at most: residuals say less of their scale than y of its mean */
    SPREAD_MIN_LEAF = 20
};
#define SLOPE_ROOM  0x1p50 /* sums stay below: a double holds them exactly */
#define MOST_WIDTH  1e6    /* of quantiles, as a factor */
#define LEAST_NOISE 1e-12  /* of y, in units of its scale: variance */

typedef struct fitting {
    const cp_rows *rows;
    const copse_params *p;
    cp_boost *b;
    cp_boost_data data;
    double *y;     /* numbers: in units of the scale */
    uint8_t *part; /* as in cp_boost_stage */
    size_t members, held, fitted;
} fitting;

static double weight_of(const fitting *t, size_t i) {
    return cp_boost_stage_weight(&t->data, i);
}

/* A number times the row's weight as an integer.  Whole weights multiply after rounding, as equal rows would add. */
static int64_t rounded(const fitting *t, size_t i, double x, double scale) {
    double w = weight_of(t, i);
    return t->data.whole ? (int64_t)(w * rint(x * scale)) : (int64_t)rint(w * x * scale);
}

/* The largest power of two so that `total` numbers up to 1, times it, sum to less than SLOPE_ROOM. */
static double scale_for(double total) {
    int e = 0;
    frexp(SLOPE_ROOM / (total + 1), &e);
    return ldexp(1, e - 2);
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
    double scale = scale_for(total);
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
    double total = 0;
    for (size_t i = 0; i < r->n; i++) total += weight_of(t, i);
    double scale = scale_for(total);
    for (size_t k = 0; k < b->heads; k++) {
        int64_t sum = 0, others = 0;
        int32_t label = b->loss == CP_BOOST_LOGISTIC ? 1 : (int32_t)k;
        for (size_t i = 0; i < r->n; i++) *(r->label[i] == label ? &sum : &others) += rounded(t, i, 1, scale);
        double share = (double)sum / scale + .5, rest = (double)others / scale + .5;
        b->start[k] = b->loss == CP_BOOST_LOGISTIC ? cp_math_log(share / rest) : cp_math_log(share / (share + rest));
    }
}

/* The quantiles of all rows. */
static copse_status start_quantiles(const fitting *t, copse_error *err) {
    cp_boost_weighted *list;
    size_t n = 0;
    CP_TRY(CP_RAW(list, t->rows->n, err));
    for (size_t i = 0; i < t->rows->n; i++)
        if (weight_of(t, i) > 0) list[n++] = (cp_boost_weighted){t->y[i], weight_of(t, i)};
    for (size_t k = 0; k < CP_BOOST_QUANTILES; k++)
        t->b->start[k] = fmax(-999, fmin(999, cp_boost_quantile_of(list, n, cp_boost_quantile_level(k))));
    cp_mem_free(list);
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- stages */

static size_t limit_of(const copse_params *p, const char *name) {
    double v = cp_param_real(p, name);
    return v < 1e9 ? (size_t)v : (size_t)1e9;
}

/* The stage of the classes, or of the mean. */
static cp_boost_stage main_stage(const fitting *t) {
    const copse_params *p = t->p;
    const cp_boost *b = t->b;
    return (cp_boost_stage){.data = &t->data,
                            .loss = b->loss,
                            .heads = cp_boost_loss_heads(b->loss, t->rows->classes),
                            .start = b->start,
                            .y = t->y,
                            .part = t->part,
                            .members = t->members,
                            .rounds = (size_t)cp_param_int(p, "trees"),
                            .patience = (size_t)cp_param_int(p, "patience"),
                            .rule = {.max_leaves = limit_of(p, "max-leaves"),
                                     .max_depth = limit_of(p, "max-depth"),
                                     .min_rows = limit_of(p, "min-leaf"),
                                     .min_curve = cp_param_real(p, "min-hessian"),
                                     .l2 = cp_param_real(p, "l2"),
                                     .shrinkage = cp_param_real(p, "shrinkage")},
                            .row_share = cp_param_real(p, "row-share"),
                            .column_share = cp_param_real(p, "column-share"),
                            .seed = (uint64_t)cp_param_int(p, "seed")};
}

/* Deals the rows with part[i] < CP_BOOST_NEVER to `parts` parts, rows that belong together to the same one.  By groups,
 * not by rows: so a row of weight k is dealt as k rows are.  The groups from `dealt` of 1 on go to no part. */
static copse_status deal_rows(const fitting *t, size_t parts, double dealt, uint64_t seed, uint8_t *part,
                              copse_error *err) {
    uint32_t *row;
    size_t n = 0;
    cp_row_groups g;
    CP_TRY(CP_RAW(row, t->rows->n, err));
    for (size_t i = 0; i < t->rows->n; i++)
        if (part[i] != CP_BOOST_NEVER) row[n++] = (uint32_t)i;
    cp_row_groups_ask ask = {.row = row, .n = n, .least = 2 * parts, .seed = seed};
    copse_status status = cp_row_groups_init(&g, t->rows, &ask, err);
    cp_mem_free(row);
    if (status) return status;
    for (size_t k = 0; k < g.groups; k++) {
        double place = ((double)k + .5) / (double)g.groups;
        uint8_t to = place < dealt ? (uint8_t)(place / dealt * (double)parts) : CP_BOOST_ALWAYS;
        for (size_t at = g.start[k]; at < g.start[k + 1]; at++) part[g.row[at]] = to;
    }
    cp_row_groups_clear(&g);
    return COPSE_OK;
}

static copse_status choose_parts(fitting *t, copse_error *err) {
    double share = cp_param_real(t->p, "held-out"), members = cp_param_real(t->p, "members");
    size_t heads = cp_boost_loss_heads(t->b->loss, t->rows->classes);
    int is_small = t->rows->n * heads <= AUTO_WORK && t->b->loss != CP_BOOST_QUANTILE,
        stops = cp_param_int(t->p, "patience") > 0 && share > 0;
    t->members = !stops ? 1 : isnan(members) ? (is_small ? AUTO_MEMBERS : 1) : (size_t)members;
    t->held = t->fitted = 0;
    for (size_t i = 0; i < t->rows->n; i++) t->part[i] = weight_of(t, i) > 0 ? CP_BOOST_ALWAYS : CP_BOOST_NEVER;
    if (stops)
        CP_TRY(
            deal_rows(t, t->members, t->members > 1 ? 1 : share, (uint64_t)cp_param_int(t->p, "seed"), t->part, err));
    for (size_t i = 0; i < t->rows->n; i++) {
        t->held += t->part[i] < CP_BOOST_ALWAYS;
        t->fitted += t->part[i] == CP_BOOST_ALWAYS;
    }
    return COPSE_OK;
}

/* The rows that a member fits, at the least. */
static size_t least_fitted(const fitting *t) {
    size_t count[CP_BOOST_MEMBERS] = {0}, most = 0;
    for (size_t i = 0; i < t->rows->n; i++)
        if (t->part[i] < CP_BOOST_ALWAYS) count[t->part[i]]++;
    for (size_t m = 0; m < t->members; m++) most = count[m] > most ? count[m] : most;
    return t->held + t->fitted - most;
}

static void leave_out_none(fitting *t) {
    for (size_t i = 0; i < t->rows->n; i++)
        if (t->part[i] != CP_BOOST_NEVER) t->part[i] = CP_BOOST_ALWAYS;
    t->members = 1;
}

/* Moves the stage's trees behind those of the model. */
static copse_status take_trees(cp_boost *b, cp_boost_stage *s, copse_error *err) {
    cp_forest *f = &b->forest;
    size_t room = f->trees;
    CP_TRY(CP_GROW(f->tree, room, f->trees + s->trees, err));
    memcpy(f->tree + f->trees, s->tree, s->trees * sizeof *s->tree);
    for (size_t m = f->trees; m < f->trees + s->trees && s->members > 1; m++)
        for (size_t k = 0; k < f->tree[m].leaves; k++) f->tree[m].value[k].mean /= (float)s->members;
    f->trees += s->trees;
    s->trees = 0;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ noise */

static double residual(const fitting *t, const double *score, size_t i) {
    const size_t heads = cp_boost_loss_heads(t->b->loss, 0);
    return t->y[i] - score[i * heads];
}

static double mean_square(const fitting *t, const double *score) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < t->rows->n; i++) {
        if (t->part[i] >= CP_BOOST_ALWAYS) continue;
        double r = residual(t, score, i);
        sum += weight_of(t, i) * r * r;
        total += weight_of(t, i);
    }
    return sum / total;
}

/* The parts of the rows that have an honest residual, dealt anew. */
static copse_status choose_spread_parts(const fitting *t, uint8_t *out, copse_error *err) {
    uint64_t seed = cp_holdout_mix((uint64_t)cp_param_int(t->p, "seed") + 1);
    for (size_t i = 0; i < t->rows->n; i++) out[i] = t->part[i] >= CP_BOOST_ALWAYS ? CP_BOOST_NEVER : 0;
    return deal_rows(t, SPREAD_PARTS, 1, seed, out, err);
}

static cp_boost_stage spread_stage(const fitting *t, const double *r, const uint8_t *part, const double *start) {
    cp_boost_stage s = main_stage(t);
    s.loss = CP_BOOST_SPREAD;
    s.heads = 1;
    s.start = start;
    s.y = r;
    s.part = part;
    s.members = SPREAD_PARTS;
    if (s.rounds > SPREAD_ROUNDS) s.rounds = SPREAD_ROUNDS;
    if (s.rule.max_leaves > SPREAD_LEAVES) s.rule.max_leaves = SPREAD_LEAVES;
    if (s.rule.min_rows < SPREAD_MIN_LEAF) s.rule.min_rows = SPREAD_MIN_LEAF;
    s.seed = cp_holdout_mix(s.seed + 2);
    return s;
}

static double mean_size(const fitting *t, const double *r) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < t->rows->n; i++) {
        if (t->part[i] >= CP_BOOST_ALWAYS) continue;
        sum += weight_of(t, i) * fabs(r[i]);
        total += weight_of(t, i);
    }
    return sum / total;
}

/* The stage of the scale.  Residuals r become residuals in units of their scale. */
static copse_status fit_spread(fitting *t, double *r, uint8_t *part, copse_error *err) {
    cp_boost *b = t->b;
    double *start = &b->start[b->heads];
    *start = cp_math_log(fmax(mean_size(t, r), sqrt(LEAST_NOISE)));
    CP_TRY(choose_spread_parts(t, part, err));
    cp_boost_stage s = spread_stage(t, r, part, start);
    copse_status status = CP_RAW(s.score, t->rows->n, err);
    if (!status) status = cp_boost_stage_run(&s, err);
    for (size_t i = 0; !status && i < t->rows->n; i++)
        if (part[i] != CP_BOOST_NEVER) r[i] /= cp_boost_loss_sd(s.score[i]);
    if (!status) {
        size_t trees = s.trees;
        status = take_trees(b, &s, err);
        b->has_spread = 1;
        b->spread = trees;
        b->heads++;
    }
    cp_boost_stage_clear(&s);
    return status;
}

static copse_status fit_shape(const fitting *t, double *r, copse_error *err) {
    double *w;
    size_t n = 0;
    CP_TRY(CP_RAW(w, t->rows->n, err));
    for (size_t i = 0; i < t->rows->n; i++) {
        if (t->part[i] >= CP_BOOST_ALWAYS) continue;
        r[n] = r[i];
        w[n++] = weight_of(t, i);
    }
    copse_status status = cp_boost_shape_fit(r, w, n, &t->b->shape, err);
    cp_mem_free(w);
    return status;
}

/* Quantiles: the width that makes 90 % intervals hold nine of ten rows that were left out. */
static copse_status fit_width(const fitting *t, const double *score, copse_error *err) {
    cp_boost_weighted *list;
    size_t n = 0;
    CP_TRY(CP_RAW(list, t->rows->n, err));
    for (size_t i = 0; i < t->rows->n; i++) {
        if (t->part[i] >= CP_BOOST_ALWAYS) continue;
        double d = cp_boost_quantile_distance(score + i * CP_BOOST_QUANTILES, t->y[i]);
        list[n++] = (cp_boost_weighted){fmin(d, MOST_WIDTH), weight_of(t, i)};
    }
    double width = cp_boost_quantile_of(list, n, .9);
    t->b->noise = width * width > LEAST_NOISE ? width * width : LEAST_NOISE;
    cp_mem_free(list);
    return COPSE_OK;
}

/* The noise about the mean, from scores of rows that were left out. */
static copse_status fit_noise(fitting *t, const double *score, copse_error *err) {
    const size_t n = t->rows->n;
    cp_boost *b = t->b;
    double *r;
    uint8_t *part;
    CP_TRY(CP_RAW(r, n, err));
    copse_status status = CP_RAW(part, n, err);
    for (size_t i = 0; i < n; i++) r[i] = t->part[i] < CP_BOOST_ALWAYS ? residual(t, score, i) : 0;
    b->noise = 1;
    if (b->loss == CP_BOOST_GAUSSIAN)
        for (size_t i = 0; i < n; i++) r[i] /= cp_boost_loss_sd(score[2 * i + 1]);
    else if (cp_param_is(t->p, "noise", "uneven") && t->held >= SPREAD_LEAST)
        status = status ? status : fit_spread(t, r, part, err);
    if (b->loss == CP_BOOST_SQUARED && !b->has_spread) {
        b->noise = fmax(mean_square(t, score), LEAST_NOISE);
        for (size_t i = 0; i < n; i++) r[i] /= sqrt(b->noise);
    }
    if (!status) status = fit_shape(t, r, err);
    cp_mem_free(r);
    cp_mem_free(part);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- all rows */

/* Without rows held out: all rounds on all rows.  The variance of numbers is that of the rows fitted, too small. */
static copse_status fit_all(fitting *t, size_t rounds, int finds_noise, copse_error *err) {
    cp_boost_stage s = main_stage(t);
    s.rounds = rounds;
    s.patience = 0;
    s.members = 1;
    if (finds_noise) CP_TRY(CP_RAW(s.score, t->rows->n * s.heads, err));
    copse_status status = cp_boost_stage_run(&s, err);
    if (!status && finds_noise) {
        memset(t->part, 0, t->rows->n);
        for (size_t i = 0; i < t->rows->n; i++)
            if (!(weight_of(t, i) > 0)) t->part[i] = CP_BOOST_NEVER;
        t->b->noise = fmax(mean_square(t, s.score), LEAST_NOISE);
        t->b->shape = (cp_boost_shape){.n = 1, .weight = {1}, .sd = {1}};
    }
    if (!status) status = take_trees(t->b, &s, err);
    cp_boost_stage_clear(&s);
    return status;
}

static copse_status fit_held_out(fitting *t, copse_error *err) {
    cp_boost *b = t->b;
    cp_boost_stage s = main_stage(t);
    CP_TRY(CP_RAW(s.score, t->rows->n * s.heads, err));
    copse_status status = cp_boost_stage_run(&s, err);
    b->held_score = s.held_loss;
    int again = t->members == 1 && cp_param_is(t->p, "refit", "yes");
    if (!status && !again) status = take_trees(b, &s, err);
    if (!status && again) {
        uint8_t *kept = t->part;
        status = CP_RAW(t->part, t->rows->n, err);
        if (!status) memcpy(t->part, kept, t->rows->n);
        if (!status) leave_out_none(t);
        if (!status) status = fit_all(t, s.best, 0, err);
        cp_mem_free(t->part);
        t->part = kept;
    }
    if (!status && b->loss == CP_BOOST_QUANTILE)
        status = fit_width(t, s.score, err);
    else if (!status && b->task == COPSE_REGRESS)
        status = fit_noise(t, s.score, err);
    cp_boost_stage_clear(&s);
    return status;
}

static copse_status run_all(fitting *t, copse_error *err) {
    size_t rounds = (size_t)cp_param_int(t->p, "trees"), patience = (size_t)cp_param_int(t->p, "patience");
    CP_TRY(choose_parts(t, err));
    if (patience && t->held >= LEAST_HELD && least_fitted(t) >= LEAST_HELD) return fit_held_out(t, err);
    if (patience && rounds > FIXED_ROUNDS) rounds = FIXED_ROUNDS;
    leave_out_none(t);
    return fit_all(t, rounds, t->b->loss == CP_BOOST_SQUARED, err);
}

/* ----------------------------------------------------------------------------------------------------------- set-up */

cp_boost_loss cp_boost_fit_loss(const copse_params *p, copse_task task, size_t classes) {
    if (task == COPSE_CLASS) return classes == 2 ? CP_BOOST_LOGISTIC : CP_BOOST_SOFTMAX;
    if (cp_param_is(p, "loss", "quantile")) return CP_BOOST_QUANTILE;
    return cp_param_is(p, "loss", "gaussian") ? CP_BOOST_GAUSSIAN : CP_BOOST_SQUARED;
}

static int all_whole(const cp_rows *r) {
    double total = 0;
    for (size_t i = 0; r->weight && i < r->n; i++) {
        if (r->weight[i] != floor(r->weight[i])) return 0;
        total += r->weight[i];
    }
    return total < 0x1p31;
}

static copse_status make_state(fitting *t, copse_error *err) {
    const cp_rows *r = t->rows;
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
    CP_TRY(CP_NEW(b->start, b->heads + 1, err));
    if (!r->levels) return COPSE_OK;
    CP_TRY(CP_RAW(b->forest.levels, r->dims, err));
    memcpy(b->forest.levels, r->levels, r->dims * sizeof *r->levels);
    return COPSE_OK;
}

static copse_status make_columns(cp_boost_data *d, copse_error *err) {
    enum { BLOCK = 256 };
    const cp_bins *b = &d->bins;
    CP_TRY(CP_RAW(d->column, b->rows * b->dims, err));
    for (size_t first = 0; first < b->rows; first += BLOCK)
        for (size_t c = 0; c < b->dims; c++)
            for (size_t i = first; i < b->rows && i < first + BLOCK; i++)
                d->column[c * b->rows + i] = b->bin[i * b->stride + c];
    return COPSE_OK;
}

static copse_status prepare(fitting *t, const copse_run *run, copse_error *err) {
    const cp_rows *r = t->rows;
    cp_bins_data data = {.x = r->x, .rows = r->n, .dims = r->dims, .levels = r->levels};
    t->data.rows = r;
    t->data.run = run;
    t->data.whole = all_whole(r);
    CP_TRY(make_state(t, err));
    CP_TRY(CP_RAW(t->part, r->n, err));
    if (r->task == COPSE_REGRESS) CP_TRY(CP_RAW(t->y, r->n, err));
    CP_TRY(cp_bins_init(&t->data.bins, &data, run, err));
    CP_TRY(make_columns(&t->data, err));
    if (r->task == COPSE_REGRESS)
        standardise(t);
    else
        start_classes(t);
    return t->b->loss == CP_BOOST_QUANTILE ? start_quantiles(t, err) : COPSE_OK;
}

copse_status cp_boost_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                          copse_error *err) {
    fitting t = {.rows = rows, .p = p};
    *out_state = NULL;
    copse_status status = prepare(&t, run, err);
    if (!status) status = run_all(&t, err);
    cp_bins_clear(&t.data.bins);
    cp_mem_free(t.data.column);
    cp_mem_free(t.y);
    cp_mem_free(t.part);
    if (status)
        cp_boost_free(t.b);
    else
        *out_state = t.b;
    return status;
}
