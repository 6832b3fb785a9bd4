#include "bo/acq_search.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

enum {
    STARTS = 256,      /* random points */
    AROUND_ELITE = 16, /* steps from each of the best points evaluated */
    CLIMBERS = 12,
    STEPS = 8, /* of a climber in a round */
    ROUNDS = 12,
    SHORT = 4096,  /* lists up to here are judged as a whole */
    WATCHED = 256, /* pending points that are minded, the latest */
    TREES = 64,    /* that are asked about them, at most */
    BATCH = 512,
    EFFORT = 100 /* points of a list looked at to find one near a candidate */
};

uint64_t cp_acq_search_hash(const double *x, size_t dims) {
    return XXH64(x, dims * sizeof *x, 0);
}

/* Candidates, judged in batches. */
typedef struct crowd {
    size_t n, cap;
    double *x;      /* cap x dims */
    float *u;       /* cap x cols */
    int32_t *point; /* of a list */
    double *score, *open;
} crowd;

typedef struct chase {
    const cp_acq_search *h;
    cp_rng *rng;
    crowd all, best; /* new ones; those climbed from */
    float *cell;     /* 2 x cols */
    int32_t *leaf;   /* of the pending points that are minded: watch x trees */
    double *side;    /* the sum of the sides of its cell, likewise */
    size_t watch;
    const float *pending; /* the first of them */
} chase;

static void crowd_clear(crowd *c) {
    cp_mem_free(c->x);
    cp_mem_free(c->u);
    cp_mem_free(c->point);
    cp_mem_free(c->score);
    cp_mem_free(c->open);
}

static copse_status crowd_init(crowd *c, size_t cap, const cp_space *s, copse_error *err) {
    *c = (crowd){.cap = cap};
    CP_TRY(CP_RAW(c->x, cap * s->dims, err));
    CP_TRY(CP_RAW(c->u, cap * s->cols, err));
    CP_TRY(CP_RAW(c->point, cap, err));
    CP_TRY(CP_RAW(c->score, cap, err));
    return CP_RAW(c->open, cap, err);
}

static void crowd_copy(crowd *to, size_t i, const crowd *from, size_t k, const cp_space *s) {
    memcpy(to->x + i * s->dims, from->x + k * s->dims, s->dims * sizeof *to->x);
    memcpy(to->u + i * s->cols, from->u + k * s->cols, s->cols * sizeof *to->u);
    to->point[i] = from->point[k];
    to->score[i] = from->score[k];
}

/* -------------------------------------------------------------------------------------------------------- judgement */

/* Of a list: the candidate becomes the free point nearest to its columns. */
static void settle_candidate(chase *c, crowd *w, size_t i) {
    const cp_space *s = c->h->space;
    if (!c->h->grid) return;
    float *u = w->u + i * s->cols;
    int32_t p = cp_grid_nearest(c->h->grid, u, EFFORT);
    w->point[i] = p;
    memcpy(w->x + i * s->dims, s->point + (size_t)p * s->dims, s->dims * sizeof *w->x);
    memcpy(u, cp_grid_point(c->h->grid, p), s->cols * sizeof *u);
}

static copse_status find_leaves(chase *c, copse_error *err) {
    const cp_acq_search *h = c->h;
    size_t trees = h->forest->trees, cols = h->space->cols;
    c->watch = h->pendings < WATCHED ? h->pendings : WATCHED;
    c->pending = h->pending + (h->pendings - c->watch) * cols;
    CP_TRY(CP_RAW(c->leaf, c->watch * trees, err));
    CP_TRY(CP_NEW(c->side, c->watch * trees, err));
    for (size_t i = 0; i < c->watch; i++)
        for (size_t m = 0; m < trees; m++) {
            const float *u = c->pending + i * cols;
            c->leaf[i * trees + m] = cp_surrogate_leaf(h->forest, m, u);
            cp_surrogate_cell(h->forest, m, u, SIZE_MAX, c->cell);
            for (size_t k = 0; k < cols; k++)
                c->side[i * trees + m] += (double)c->cell[2 * k + 1] - (double)c->cell[2 * k];
        }
    return COPSE_OK;
}

static double distance(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* An evaluation under way will tell of the points near it, and how far that reaches the cells say: in a tree where a
 * point shares the cell of the pending one, at a distance of d of the sum s of the cell's sides, a share d / s of its
 * uncertainty is left; in other trees, all. */
static double open_share(const chase *c, const float *u) {
    size_t trees = c->h->forest->trees, looked = trees < TREES ? trees : TREES, cols = c->h->space->cols;
    double open = 1;
    int32_t leaf[TREES];
    for (size_t m = 0; m < looked; m++) leaf[m] = cp_surrogate_leaf(c->h->forest, m, u);
    for (size_t i = 0; i < c->watch; i++) {
        double off = distance(c->pending + i * cols, u, cols), closed = 0;
        for (size_t m = 0; m < looked; m++) {
            double side = c->side[i * trees + m];
            if (c->leaf[i * trees + m] == leaf[m] && off < side) closed += 1 - off / side;
        }
        open *= 1 - closed / (double)looked;
    }
    return open;
}

static copse_status judge(chase *c, crowd *w, copse_error *err) {
    const cp_acq_search *h = c->h;
    for (size_t i = 0; c->watch && i < w->n; i++) w->open[i] = open_share(c, w->u + i * h->space->cols);
    CP_TRY(cp_surrogate_acquisition(h->forest, h->view, w->u, w->n, c->watch ? w->open : NULL, w->score, err));
    for (size_t i = 0; !h->grid && i < w->n; i++)
        if (cp_map_find(h->seen, cp_acq_search_hash(w->x + i * h->space->dims, h->space->dims)) != CP_NONE)
            w->score[i] = -INFINITY;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- candidates */

static void random_point(const cp_space *s, cp_rng *rng, double *x) {
    for (size_t k = 0; k < s->dims; k++) x[k] = cp_space_value(&s->dim[k], cp_rng_unit(rng));
}

static void add_random(chase *c) {
    const cp_space *s = c->h->space;
    crowd *w = &c->all;
    if (c->h->grid) {
        int32_t p = cp_grid_draw(c->h->grid, c->rng);
        memcpy(w->u + w->n * s->cols, cp_grid_point(c->h->grid, p), s->cols * sizeof *w->u);
    } else {
        random_point(s, c->rng, w->x + w->n * s->dims);
        cp_space_encode(s, w->x + w->n * s->dims, w->u + w->n * s->cols);
    }
    settle_candidate(c, w, w->n++);
}

/* One dimension redrawn in the cell; half of the time not all the way there, so that there are small steps in large
 * cells. */
static void redraw(const chase *c, const cp_space_dim *d, double pull, double *x, float *u) {
    if (d->info.kind == COPSE_DIM_CATEGORY) {
        *x = cp_space_value(d, cp_rng_unit(c->rng));
    } else {
        double lo = (double)c->cell[2 * d->first], hi = (double)c->cell[2 * d->first + 1];
        double to = lo + (hi - lo) * cp_rng_unit(c->rng);
        *x = cp_space_value(d, fmin(fmax((double)*u + pull * (to - (double)*u), 0), 1));
    }
    cp_space_encode_dim(d, *x, u);
}

static void add_step(chase *c, const double *x, const float *u) {
    const cp_space *s = c->h->space;
    crowd *w = &c->all;
    double *to = w->x + w->n * s->dims;
    float *v = w->u + w->n * s->cols;
    size_t tree = (size_t)cp_rng_below(c->rng, c->h->forest->trees);
    size_t depth = cp_surrogate_cell(c->h->forest, tree, u, SIZE_MAX, c->cell);
    cp_surrogate_cell(c->h->forest, tree, u, (size_t)cp_rng_below(c->rng, depth + 1), c->cell);
    memcpy(to, x, s->dims * sizeof *to);
    memcpy(v, u, s->cols * sizeof *v);
    double part = cp_rng_unit(c->rng), pull = cp_rng_unit(c->rng) < .5 ? 1 : part * part * part;
    size_t one = (size_t)cp_rng_below(c->rng, s->dims);
    int only = cp_rng_unit(c->rng) < .5;
    for (size_t k = 0; k < s->dims; k++) {
        const cp_space_dim *d = &s->dim[k];
        if (!only || k == one) redraw(c, d, pull, &to[k], v + d->first);
    }
    settle_candidate(c, w, w->n++);
}

static void add_around(chase *c, const double *x, size_t steps) {
    const cp_space *s = c->h->space;
    float *u = c->best.u; /* not in use yet */
    cp_space_encode(s, x, u);
    for (size_t i = 0; i < steps; i++) add_step(c, x, u);
}

/* --------------------------------------------------------------------------------------------------------- climbing */

/* The best of all, best first. */
static void choose_climbers(chase *c) {
    crowd *all = &c->all, *best = &c->best;
    best->n = 0;
    for (size_t i = 0; i < all->n; i++) {
        size_t k = best->n;
        if (k == CLIMBERS && !(all->score[i] > best->score[k - 1])) continue;
        if (k == CLIMBERS) k--;
        for (; k > 0 && all->score[i] > best->score[k - 1]; k--) crowd_copy(best, k, best, k - 1, c->h->space);
        crowd_copy(best, k, all, i, c->h->space);
        best->n += best->n < CLIMBERS;
    }
}

static copse_status climb(chase *c, copse_error *err) {
    const cp_space *s = c->h->space;
    for (size_t round = 0; round < ROUNDS; round++) {
        c->all.n = 0;
        for (size_t i = 0; i < c->best.n; i++)
            for (size_t k = 0; k < STEPS; k++) add_step(c, c->best.x + i * s->dims, c->best.u + i * s->cols);
        CP_TRY(judge(c, &c->all, err));
        for (size_t i = 0; i < c->all.n; i++)
            if (c->all.score[i] > c->best.score[i / STEPS]) crowd_copy(&c->best, i / STEPS, &c->all, i, s);
    }
    return COPSE_OK;
}

static copse_status search(chase *c, copse_error *err) {
    const cp_acq_search *h = c->h;
    for (size_t i = 0; i < STARTS; i++) add_random(c);
    for (size_t i = 0; i < h->elites; i++) add_around(c, h->elite + i * h->space->dims, AROUND_ELITE);
    CP_TRY(judge(c, &c->all, err));
    choose_climbers(c);
    return climb(c, err);
}

/* Every free point, from a random one on, so that ties are not always won by the first of the list. */
static copse_status scan(chase *c, copse_error *err) {
    const cp_acq_search *h = c->h;
    const cp_space *s = h->space;
    size_t from = (size_t)cp_rng_below(c->rng, h->grid->n);
    c->best.score[0] = -INFINITY;
    c->best.n = 0;
    for (size_t i = 0; i < h->grid->n; i++) {
        int32_t p = (int32_t)((from + i) % h->grid->n);
        if (!h->grid->taken[p]) {
            memcpy(c->all.u + c->all.n * s->cols, cp_grid_point(h->grid, p), s->cols * sizeof *c->all.u);
            memcpy(c->all.x + c->all.n * s->dims, s->point + (size_t)p * s->dims, s->dims * sizeof *c->all.x);
            c->all.point[c->all.n++] = p;
        }
        if (c->all.n < BATCH && i + 1 < h->grid->n) continue;
        CP_TRY(judge(c, &c->all, err));
        for (size_t k = 0; k < c->all.n; k++)
            if (c->best.n == 0 || c->all.score[k] > c->best.score[0]) {
                crowd_copy(&c->best, 0, &c->all, k, s);
                c->best.n = 1;
            }
        c->all.n = 0;
    }
    return COPSE_OK;
}

copse_status cp_acq_search_best(const cp_acq_search *h, cp_rng *rng, double *out_x, int32_t *out_point,
                                copse_error *err) {
    const cp_space *s = h->space;
    chase c = {.h = h, .rng = rng};
    size_t room = STARTS + AROUND_ELITE * h->elites, need = CLIMBERS * STEPS;
    copse_status status = COPSE_OK;
    if (room < need) room = need;
    CP_TRY_OUT(crowd_init(&c.all, room < BATCH ? BATCH : room, s, err));
    CP_TRY_OUT(crowd_init(&c.best, CLIMBERS, s, err));
    CP_TRY_OUT(CP_RAW(c.cell, 2 * s->cols, err));
    CP_TRY_OUT(find_leaves(&c, err));
    CP_TRY_OUT(h->grid && h->grid->n <= SHORT ? scan(&c, err) : search(&c, err));
    size_t top = 0;
    for (size_t i = 1; i < c.best.n; i++)
        if (c.best.score[i] > c.best.score[top]) top = i;
    memcpy(out_x, c.best.x + top * s->dims, s->dims * sizeof *out_x);
    *out_point = h->grid ? c.best.point[top] : CP_NONE;
out:
    crowd_clear(&c.all);
    crowd_clear(&c.best);
    cp_mem_free(c.cell);
    cp_mem_free(c.leaf);
    cp_mem_free(c.side);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- design */

/* The root > 1 of g^(dims+1) = g + 1: its powers 1/g, 1/g^2 ... are the steps of a sequence that fills the cube evenly,
 * as the golden section does an interval [Roberts 2018]. */
static double section(size_t dims) {
    double g = 2;
    for (int i = 0; i < 60; i++) g = pow(1 + g, 1 / ((double)dims + 1));
    return g;
}

void cp_acq_search_design(const cp_space *s, uint64_t seed, size_t k, double *out_x) {
    cp_rng rng;
    double g = section(s->dims), step = 1;
    cp_rng_init(&rng, seed, CP_FOR_ASK, 1, 0);
    for (size_t d = 0; d < s->dims; d++) {
        step /= g;
        double u = cp_rng_unit(&rng) + (double)k * step;
        out_x[d] = cp_space_value(&s->dim[d], u - floor(u));
    }
}
