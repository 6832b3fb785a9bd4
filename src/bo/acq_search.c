#include "bo/acq_search.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/supervise.h"
#include "num/math.h"

enum {
    RANDOM_STARTS = 256,
    STEPS_PER_TOP = 16, /* candidates around each of the best points evaluated */
    LOCAL_STARTS = 12,  /* local searches */
    STEPS = 8,          /* candidates of a local search in a round */
    ROUNDS = 12,
    SHORT_LIST = 4096,   /* of lists up to this length every free point is evaluated */
    PENDING_MAX = 256,   /* pending points that are taken into account: the latest */
    PENDING_TREES = 64,  /* trees in which they are, at most */
    BATCH = 512,         /* points of a short list evaluated in one call */
    NEAREST_VISITS = 100 /* points of a list looked at to find one near a candidate */
};

uint64_t cp_acq_search_hash(const double *x, size_t dims) {
    return XXH64(x, dims * sizeof *x, 0);
}

/* Points at which the acquisition is evaluated in one call. */
typedef struct candidates {
    size_t n, cap;
    double *x;         /* cap x dims */
    float *u;          /* cap x cols */
    int32_t *point;    /* numbers in a list */
    double *score;     /* the acquisition */
    double *remaining; /* see remaining_share */
} candidates;

typedef struct search {
    const cp_acq_search *a;
    cp_rng *rng;
    candidates all, best; /* new candidates; the current points of the local searches */
    float *cell;          /* scratch: 2 x cols */
    const float *pending; /* the pending points taken into account */
    size_t n_pending;
    int32_t *pending_leaf;  /* their leaves, n_pending x trees */
    double *pending_extent; /* the linear dimension (sum of side lengths) of each such leaf's cell */
} search;

static void candidates_clear(candidates *c) {
    cp_mem_free(c->x);
    cp_mem_free(c->u);
    cp_mem_free(c->point);
    cp_mem_free(c->score);
    cp_mem_free(c->remaining);
}

static copse_status candidates_init(candidates *c, size_t cap, const cp_space *s, copse_error *err) {
    *c = (candidates){.cap = cap};
    CP_TRY(CP_RAW(c->x, cap * s->dims, err));
    CP_TRY(CP_RAW(c->u, cap * s->cols, err));
    CP_TRY(CP_RAW(c->point, cap, err));
    CP_TRY(CP_RAW(c->score, cap, err));
    return CP_RAW(c->remaining, cap, err);
}

static void candidates_copy(candidates *to, size_t i, const candidates *from, size_t k, const cp_space *s) {
    memcpy(to->x + i * s->dims, from->x + k * s->dims, s->dims * sizeof *to->x);
    memcpy(to->u + i * s->cols, from->u + k * s->cols, s->cols * sizeof *to->u);
    to->point[i] = from->point[k];
    to->score[i] = from->score[k];
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

/* In a list, replaces the candidate by the free point nearest to it. */
static void snap_to_list(search *c, candidates *w, size_t i) {
    const cp_space *s = c->a->space;
    if (!c->a->grid) return;
    float *u = w->u + i * s->cols;
    int32_t p = cp_grid_nearest(c->a->grid, u, NEAREST_VISITS);
    w->point[i] = p;
    memcpy(w->x + i * s->dims, s->point + (size_t)p * s->dims, s->dims * sizeof *w->x);
    memcpy(u, cp_grid_point(c->a->grid, p), s->cols * sizeof *u);
}

static copse_status locate_pending(search *c, copse_error *err) {
    const cp_acq_search *a = c->a;
    size_t trees = a->forest->trees, cols = a->space->cols;
    c->n_pending = a->n_pending < PENDING_MAX ? a->n_pending : PENDING_MAX;
    c->pending = a->pending + (a->n_pending - c->n_pending) * cols;
    CP_TRY(CP_RAW(c->pending_leaf, c->n_pending * trees, err));
    CP_TRY(CP_NEW(c->pending_extent, c->n_pending * trees, err));
    for (size_t i = 0; i < c->n_pending; i++)
        for (size_t m = 0; m < trees; m++) {
            const float *u = c->pending + i * cols;
            c->pending_leaf[i * trees + m] = cp_surrogate_leaf(a->forest, m, u);
            cp_surrogate_cell(a->forest, m, u, SIZE_MAX, c->cell);
            for (size_t k = 0; k < cols; k++)
                c->pending_extent[i * trees + m] += (double)c->cell[2 * k + 1] - (double)c->cell[2 * k];
        }
    return COPSE_OK;
}

static double distance(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* The share of a point's uncertainty that remains when the pending evaluations are done: each will inform about the
 * points near it, and the cells determine how far.  In a tree where the point is in the leaf cell of a pending point,
 * at L1 distance d from it, the share d / s remains, s being the linear dimension of the cell.  In other trees all
 * remains. */
static double remaining_share(const search *c, const float *u) {
    size_t trees = c->a->forest->trees, looked = trees < PENDING_TREES ? trees : PENDING_TREES,
           cols = c->a->space->cols;
    double remaining = 1;
    int32_t leaf[PENDING_TREES];
    for (size_t m = 0; m < looked; m++) leaf[m] = cp_surrogate_leaf(c->a->forest, m, u);
    for (size_t i = 0; i < c->n_pending; i++) {
        double d = distance(c->pending + i * cols, u, cols), explained = 0;
        for (size_t m = 0; m < looked; m++) {
            double extent = c->pending_extent[i * trees + m];
            if (c->pending_leaf[i * trees + m] == leaf[m] && d < extent) explained += 1 - d / extent;
        }
        remaining *= 1 - explained / (double)looked;
    }
    return remaining;
}

/* Points evaluated or asked for before get the score -infinity. */
static copse_status evaluate(search *c, candidates *w, copse_error *err) {
    const cp_acq_search *a = c->a;
    CP_TRY(cp_supervise_check_stop(err));
    for (size_t i = 0; c->n_pending && i < w->n; i++) w->remaining[i] = remaining_share(c, w->u + i * a->space->cols);
    cp_surrogate_points points = {.u = w->u, .n = w->n, .opt_remaining = c->n_pending ? w->remaining : NULL};
    CP_TRY(cp_surrogate_acquisition(a->forest, a->acquisition, &points, w->score, err));
    for (size_t i = 0; !a->grid && i < w->n; i++)
        if (cp_map_find(a->seen, cp_acq_search_hash(w->x + i * a->space->dims, a->space->dims)) != CP_NONE)
            w->score[i] = -INFINITY;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- candidates */

static void random_point(const cp_space *s, cp_rng *rng, double *x) {
    for (size_t k = 0; k < s->dims; k++) x[k] = cp_space_value(&s->dim[k], cp_rng_unit(rng));
}

static void add_random(search *c) {
    const cp_space *s = c->a->space;
    candidates *w = &c->all;
    if (c->a->grid) {
        int32_t p = cp_grid_draw(c->a->grid, c->rng);
        memcpy(w->u + w->n * s->cols, cp_grid_point(c->a->grid, p), s->cols * sizeof *w->u);
    } else {
        random_point(s, c->rng, w->x + w->n * s->dims);
        cp_space_encode(s, w->x + w->n * s->dims, w->u + w->n * s->cols);
    }
    snap_to_list(c, w, w->n++);
}

/* Moves one dimension towards a random place in the cell, by the share `step` of the way. */
static void redraw_dim(const search *c, const cp_space_dim *d, double step, double *x, float *u) {
    if (d->info.kind == COPSE_DIM_CATEGORY) {
        *x = cp_space_value(d, cp_rng_unit(c->rng));
    } else {
        double lo = (double)c->cell[2 * d->first], hi = (double)c->cell[2 * d->first + 1];
        double to = lo + (hi - lo) * cp_rng_unit(c->rng);
        *x = cp_space_value(d, fmin(fmax((double)*u + step * (to - (double)*u), 0), 1));
    }
    cp_space_encode_dim(d, *x, u);
}

/* Half of the steps go all the way to the redrawn place.  The others go only a random share of it, so that there are
 * small steps in large cells too. */
static void add_step(search *c, const double *x, const float *u) {
    const cp_space *s = c->a->space;
    candidates *w = &c->all;
    double *to = w->x + w->n * s->dims;
    float *v = w->u + w->n * s->cols;
    size_t tree = (size_t)cp_rng_below(c->rng, c->a->forest->trees);
    size_t depth = cp_surrogate_cell(c->a->forest, tree, u, SIZE_MAX, c->cell);
    cp_surrogate_cell(c->a->forest, tree, u, (size_t)cp_rng_below(c->rng, depth + 1), c->cell);
    memcpy(to, x, s->dims * sizeof *to);
    memcpy(v, u, s->cols * sizeof *v);
    double share = cp_rng_unit(c->rng), step = cp_rng_unit(c->rng) < .5 ? 1 : share * share * share;
    size_t one = (size_t)cp_rng_below(c->rng, s->dims);
    int only_one = cp_rng_unit(c->rng) < .5;
    for (size_t k = 0; k < s->dims; k++) {
        const cp_space_dim *d = &s->dim[k];
        if (!only_one || k == one) redraw_dim(c, d, step, &to[k], v + d->first);
    }
    snap_to_list(c, w, w->n++);
}

static void add_steps_around(search *c, const double *x, size_t steps) {
    const cp_space *s = c->a->space;
    float *u = c->best.u; /* scratch: the local searches have not begun */
    cp_space_encode(s, x, u);
    for (size_t i = 0; i < steps; i++) add_step(c, x, u);
}

/* ----------------------------------------------------------------------------------------------------------- search */

/* The best candidates, best first. */
static void choose_local_starts(search *c) {
    candidates *all = &c->all, *best = &c->best;
    best->n = 0;
    for (size_t i = 0; i < all->n; i++) {
        size_t k = best->n;
        if (k == LOCAL_STARTS && !(all->score[i] > best->score[k - 1])) continue;
        if (k == LOCAL_STARTS) k--;
        for (; k > 0 && all->score[i] > best->score[k - 1]; k--) candidates_copy(best, k, best, k - 1, c->a->space);
        candidates_copy(best, k, all, i, c->a->space);
        best->n += best->n < LOCAL_STARTS;
    }
}

/* In each round a local search moves to the best of its steps, if that is better than its current point. */
static copse_status local_search(search *c, copse_error *err) {
    const cp_space *s = c->a->space;
    for (size_t round = 0; round < ROUNDS; round++) {
        c->all.n = 0;
        for (size_t i = 0; i < c->best.n; i++)
            for (size_t k = 0; k < STEPS; k++) add_step(c, c->best.x + i * s->dims, c->best.u + i * s->cols);
        CP_TRY(evaluate(c, &c->all, err));
        for (size_t i = 0; i < c->all.n; i++)
            if (c->all.score[i] > c->best.score[i / STEPS]) candidates_copy(&c->best, i / STEPS, &c->all, i, s);
    }
    return COPSE_OK;
}

static copse_status multistart(search *c, copse_error *err) {
    const cp_acq_search *a = c->a;
    for (size_t i = 0; i < RANDOM_STARTS; i++) add_random(c);
    for (size_t i = 0; i < a->n_top; i++) add_steps_around(c, a->top + i * a->space->dims, STEPS_PER_TOP);
    CP_TRY(evaluate(c, &c->all, err));
    choose_local_starts(c);
    return local_search(c, err);
}

/* Evaluates every free point of a short list.  It begins at a random point, so that the first of the list does not win
 * all ties. */
static copse_status evaluate_list(search *c, copse_error *err) {
    const cp_acq_search *a = c->a;
    const cp_space *s = a->space;
    size_t from = (size_t)cp_rng_below(c->rng, a->grid->n);
    c->best.score[0] = -INFINITY;
    c->best.n = 0;
    for (size_t i = 0; i < a->grid->n; i++) {
        int32_t p = (int32_t)((from + i) % a->grid->n);
        if (!a->grid->taken[p]) {
            memcpy(c->all.u + c->all.n * s->cols, cp_grid_point(a->grid, p), s->cols * sizeof *c->all.u);
            memcpy(c->all.x + c->all.n * s->dims, s->point + (size_t)p * s->dims, s->dims * sizeof *c->all.x);
            c->all.point[c->all.n++] = p;
        }
        if (c->all.n < BATCH && i + 1 < a->grid->n) continue;
        CP_TRY(evaluate(c, &c->all, err));
        for (size_t k = 0; k < c->all.n; k++)
            if (c->best.n == 0 || c->all.score[k] > c->best.score[0]) {
                candidates_copy(&c->best, 0, &c->all, k, s);
                c->best.n = 1;
            }
        c->all.n = 0;
    }
    return COPSE_OK;
}

copse_status cp_acq_search_best(const cp_acq_search *a, cp_rng *rng, double *out_x, int32_t *out_point,
                                copse_error *err) {
    const cp_space *s = a->space;
    search c = {.a = a, .rng = rng};
    size_t room = RANDOM_STARTS + STEPS_PER_TOP * a->n_top, need = (size_t)LOCAL_STARTS * STEPS;
    copse_status status = COPSE_OK;
    if (room < need) room = need;
    CP_TRY_OUT(candidates_init(&c.all, room < BATCH ? BATCH : room, s, err));
    CP_TRY_OUT(candidates_init(&c.best, LOCAL_STARTS, s, err));
    CP_TRY_OUT(CP_RAW(c.cell, 2 * s->cols, err));
    CP_TRY_OUT(locate_pending(&c, err));
    CP_TRY_OUT(a->grid && a->grid->n <= SHORT_LIST ? evaluate_list(&c, err) : multistart(&c, err));
    size_t top = 0;
    for (size_t i = 1; i < c.best.n; i++)
        if (c.best.score[i] > c.best.score[top]) top = i;
    memcpy(out_x, c.best.x + top * s->dims, s->dims * sizeof *out_x);
    *out_point = a->grid ? c.best.point[top] : CP_NONE;
out:
    candidates_clear(&c.all);
    candidates_clear(&c.best);
    cp_mem_free(c.cell);
    cp_mem_free(c.pending_leaf);
    cp_mem_free(c.pending_extent);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- design */

/* The root g > 1 of g^(dims+1) = g + 1.  The powers 1/g, 1/g^2 ... are the steps of a low-discrepancy sequence in the
 * cube; for one dimension g is the golden ratio [Roberts 2018]. */
static double golden_ratio(size_t dims) {
    double g = 2;
    for (int i = 0; i < 60; i++) g = cp_math_pow(1 + g, 1 / ((double)dims + 1));
    return g;
}

void cp_acq_search_design(const cp_space *s, uint64_t seed, size_t k, double *out_x) {
    cp_rng rng;
    double g = golden_ratio(s->dims), step = 1;
    cp_rng_init(&rng, seed, CP_FOR_ASK, 1, 0);
    for (size_t d = 0; d < s->dims; d++) {
        step /= g;
        double u = cp_rng_unit(&rng) + (double)k * step;
        out_x[d] = cp_space_value(&s->dim[d], u - floor(u));
    }
}
