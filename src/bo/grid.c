#include "bo/grid.h"

#include <math.h>

#include "base/mem.h"

void cp_grid_clear(cp_grid *g) {
    cp_mem_free(g->x);
    cp_mem_free(g->order);
    cp_mem_free(g->place);
    cp_mem_free(g->cut);
    cp_mem_free(g->left);
    cp_mem_free(g->taken);
    *g = (cp_grid){0};
}

/* --------------------------------------------------------------------------------------------------------- building */

static float at(const cp_grid *g, size_t place, int32_t col) {
    return cp_grid_point(g, g->order[place])[col];
}

static void swap(cp_grid *g, size_t a, size_t b) {
    int32_t saved = g->order[a];
    g->order[a] = g->order[b];
    g->order[b] = saved;
}

/* The column in which the points of a range differ most. */
static int32_t widest(const cp_grid *g, size_t lo, size_t hi) {
    int32_t best = 0;
    float most = -1;
    for (size_t c = 0; c < g->cols; c++) {
        float min = INFINITY, max = -INFINITY;
        for (size_t i = lo; i < hi; i++) {
            float v = at(g, i, (int32_t)c);
            min = v < min ? v : min;
            max = v > max ? v : max;
        }
        if (max - min > most) {
            most = max - min;
            best = (int32_t)c;
        }
    }
    return best;
}

/* Quickselect by column col: puts the k-th point to place k, with no larger ones before it and no smaller ones after
 * it.  Equal values stop both sides of the partition, so that lists with many equal values stay fast. */
static void select_place(cp_grid *g, size_t lo, size_t hi, size_t k, int32_t col) {
    while (hi - lo > 1) {
        float pivot = at(g, lo + (hi - lo) / 2, col);
        size_t i = lo, j = hi - 1;
        for (;;) {
            while (at(g, i, col) < pivot) i++;
            while (at(g, j, col) > pivot) j--;
            if (i >= j) break;
            swap(g, i++, j--);
        }
        size_t border = j + 1 < hi ? j + 1 : hi - 1; /* [lo, border) <= pivot <= [border, hi), neither empty */
        if (k < border)
            hi = border;
        else
            lo = border;
    }
}

static void build(cp_grid *g, size_t lo, size_t hi) {
    if (lo >= hi) return;
    size_t mid = lo + (hi - lo) / 2;
    g->cut[mid] = widest(g, lo, hi);
    g->left[mid] = (int32_t)(hi - lo);
    select_place(g, lo, hi, mid, g->cut[mid]);
    build(g, lo, mid);
    build(g, mid + 1, hi);
}

copse_status cp_grid_init(cp_grid *g, const cp_space *s, copse_error *err) {
    *g = (cp_grid){.n = s->points, .cols = s->cols, .free = s->points};
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(g->x, g->n * g->cols, err));
    CP_TRY_OUT(CP_RAW(g->order, g->n, err));
    CP_TRY_OUT(CP_RAW(g->place, g->n, err));
    CP_TRY_OUT(CP_RAW(g->cut, g->n, err));
    CP_TRY_OUT(CP_RAW(g->left, g->n, err));
    CP_TRY_OUT(CP_NEW(g->taken, g->n, err));
    for (size_t i = 0; i < g->n; i++) {
        cp_space_encode(s, s->point + i * s->dims, g->x + i * g->cols);
        g->order[i] = (int32_t)i;
    }
    build(g, 0, g->n);
    for (size_t i = 0; i < g->n; i++) g->place[g->order[i]] = (int32_t)i;
out:
    if (status) cp_grid_clear(g);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

void cp_grid_take(cp_grid *g, int32_t point) {
    size_t lo = 0, hi = g->n, place = (size_t)g->place[point];
    if (g->taken[point]) return;
    g->taken[point] = 1;
    g->free--;
    for (;;) {
        size_t mid = lo + (hi - lo) / 2;
        g->left[mid]--;
        if (place == mid) return;
        if (place < mid)
            hi = mid;
        else
            lo = mid + 1;
    }
}

/* The search for the nearest free point. */
typedef struct nn_search {
    const cp_grid *g;
    const float *x;
    double distance;
    int32_t found;
    size_t visits; /* that are left */
} nn_search;

static double distance(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* Of points at the same distance, the first of the list is taken. */
static void search_range(nn_search *q, size_t lo, size_t hi) {
    const cp_grid *g = q->g;
    if (lo >= hi || (q->visits == 0 && q->found != CP_NONE)) return;
    size_t mid = lo + (hi - lo) / 2;
    if (g->left[mid] == 0) return;
    q->visits -= q->visits > 0;
    int32_t point = g->order[mid];
    if (!g->taken[point]) {
        double d = distance(cp_grid_point(g, point), q->x, g->cols);
        if (d < q->distance || (d == q->distance && point < q->found)) {
            q->distance = d;
            q->found = point;
        }
    }
    double off = (double)q->x[g->cut[mid]] - (double)cp_grid_point(g, point)[g->cut[mid]];
    if (off < 0)
        search_range(q, lo, mid);
    else
        search_range(q, mid + 1, hi);
    if (fabs(off) > q->distance) return;
    if (off < 0)
        search_range(q, mid + 1, hi);
    else
        search_range(q, lo, mid);
}

int32_t cp_grid_nearest(const cp_grid *g, const float *x, size_t effort) {
    nn_search q = {.g = g, .x = x, .distance = INFINITY, .found = CP_NONE, .visits = effort};
    search_range(&q, 0, g->n);
    return q.found;
}

int32_t cp_grid_draw(const cp_grid *g, cp_rng *rng) {
    if (g->free == 0) return CP_NONE;
    size_t lo = 0, hi = g->n, rank = (size_t)cp_rng_below(rng, g->free);
    for (;;) { /* the free point of that rank in the order of the tree */
        size_t mid = lo + (hi - lo) / 2, before = lo < mid ? (size_t)g->left[lo + (mid - lo) / 2] : 0;
        int here = !g->taken[g->order[mid]];
        if (rank < before) {
            hi = mid;
        } else if (here && rank == before) {
            return g->order[mid];
        } else {
            rank -= before + (size_t)here;
            lo = mid + 1;
        }
    }
}
