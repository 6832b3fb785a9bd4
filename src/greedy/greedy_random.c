#include "greedy/greedy_random.h"

#include <math.h>
#include <string.h>

#include "greedy/greedy_grow_serial.h"
#include "split/split_random.h"

/* Numbers that are taken along at a time, at most: half a megabyte, what a core has for itself.  And of a table that is
 * small enough to be at hand as it is. */
enum { OWN_NUMBERS = 1 << 17, NEAR_NUMBERS = 1 << 18 };

struct cp_greedy_random {
    float *value; /* a column of the node's rows */
    int together; /* all columns are cut at once, */
    cp_split_random_table table;
    /* and the numbers of records lo ... hi-1 are at hand, `most` of them at a time; the right side of a node goes aside
     * while it is divided */
    float *own, *aside;
    size_t lo, hi, most;
};

static int has_levels(const cp_rows *rows) {
    for (size_t d = 0; rows->levels && d < rows->dims; d++)
        if (rows->levels[d]) return 1;
    return 0;
}

static copse_status new_table(cp_greedy_grower *w, size_t rows, copse_error *err) {
    struct cp_greedy_random *r = w->random;
    cp_split_random_table *t = &r->table;
    const cp_rows *data = &w->records->data->rows;
    const size_t dims = data->dims;
    /* What is below a node of so few rows is grown by one work: nobody else moves their records. */
    size_t most = rows < CP_GREEDY_GROW_SERIAL_ROWS ? rows : CP_GREEDY_GROW_SERIAL_ROWS;
    if (most > OWN_NUMBERS / dims) most = OWN_NUMBERS / dims;
    if (data->n > NEAR_NUMBERS / dims) r->most = most;
    t->dims = dims;
    t->low = cp_arena_get(&w->tmp, dims, sizeof *t->low);
    t->high = cp_arena_get(&w->tmp, dims, sizeof *t->high);
    t->cut = cp_arena_get(&w->tmp, dims, sizeof *t->cut);
    t->left = cp_arena_get(&w->tmp, dims, sizeof *t->left);
    r->own = cp_arena_get(&w->tmp, r->most * dims, sizeof *r->own);
    r->aside = cp_arena_get(&w->tmp, r->most * dims, sizeof *r->aside);
    return t->low && t->high && t->cut && t->left && r->own && r->aside ? COPSE_OK : cp_fail_memory(err);
}

copse_status cp_greedy_random_new(cp_greedy_grower *w, size_t rows, copse_error *err) {
    const cp_rows *data = &w->records->data->rows;
    struct cp_greedy_random *r = w->random = cp_arena_get(&w->tmp, 1, sizeof *r);
    if (!r) return cp_fail_memory(err);
    *r = (struct cp_greedy_random){0};
    r->together = w->records->rule.kind == CP_SPLIT_SQUARED && w->rule->features >= data->dims && !has_levels(data);
    r->value = cp_arena_get(&w->tmp, rows, sizeof *r->value);
    if (!r->value) return cp_fail_memory(err);
    return r->together ? new_table(w, rows, err) : COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

static inline void copy_row(float *to, const float *from, size_t dims) {
    size_t d = 0;
    for (; d + 4 <= dims; d += 4) memcpy(to + d, from + d, 4 * sizeof *to);
    for (; d < dims; d++) to[d] = from[d];
}

/* Where the numbers of the node's records are at hand, or NULL. */
static float *own_rows(const cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    const struct cp_greedy_random *r = w->random;
    return o->lo >= r->lo && o->hi <= r->hi ? r->own + (o->lo - r->lo) * r->table.dims : NULL;
}

static void take_along(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    struct cp_greedy_random *r = w->random;
    const size_t dims = r->table.dims;
    const float *x = w->records->data->rows.x;
    if (own_rows(w, o) || cp_greedy_frontier_node_rows(o) > r->most) return;
    for (size_t i = o->lo; i < o->hi; i++) copy_row(r->own + (i - o->lo) * dims, x + w->records->row[i] * dims, dims);
    r->lo = o->lo;
    r->hi = o->hi;
}

/* As records are divided. */
static void divide_own(const struct cp_greedy_random *r, float *own, const uint8_t *side, size_t n) {
    const size_t dims = r->table.dims;
    size_t left = 0, aside = 0;
    for (size_t i = 0; i < n; i++) {
        if (side[i])
            copy_row(own + left++ * dims, own + i * dims, dims);
        else
            copy_row(r->aside + aside++ * dims, own + i * dims, dims);
    }
    memcpy(own + left * dims, r->aside, aside * dims * sizeof *own);
}

/* ------------------------------------------------------------------------------------------------------------- cuts */

static void try_column(cp_greedy_grower *w, const cp_greedy_frontier_node *o, size_t dim) {
    const cp_greedy_records *r = w->records;
    float *value = w->random->value;
    for (size_t i = o->lo; i < o->hi; i++) value[i - o->lo] = cp_greedy_records_value(r, r->row[i], dim);
    cp_split_random_column c = {
        .value = value, .sum = r->sum + o->lo, .n = o->hi - o->lo, .levels = cp_greedy_grower_levels(w, dim)};
    if (cp_split_random(&w->node, &c, &w->rng, &w->best)) w->best.dim = (int32_t)dim;
}

/* 1: done. */
static int try_together(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    cp_split_random_table *t = &w->random->table;
    if (!w->random->together) return 0;
    take_along(w, o);
    const float *own = own_rows(w, o);
    t->x = own ? own : w->records->data->rows.x;
    t->row = own ? NULL : w->records->row + o->lo;
    t->sum = w->records->sum + o->lo;
    t->n = cp_greedy_frontier_node_rows(o);
    if (!cp_split_random_all_ranges(t)) return 0;
    cp_split_random_all(&w->node, t, &w->rng, &w->best);
    return 1;
}

void cp_greedy_random_try(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    int32_t dim;
    if (try_together(w, o)) return;
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE) try_column(w, o, (size_t)dim);
}

size_t cp_greedy_random_divide(cp_greedy_grower *w, const cp_greedy_frontier_node *o) {
    const cp_split *s = &w->best;
    float *own = w->random->together ? own_rows(w, o) : NULL;
    if (!own) return cp_greedy_records_divide(w->records, o->lo, o->hi, s);
    const size_t n = cp_greedy_frontier_node_rows(o), dims = w->random->table.dims;
    const float *x = own + s->dim;
    uint8_t *side = w->records->side + o->lo;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        float v = x[i * dims];
        side[i] = (uint8_t)(isnan(v) ? s->missing_left : v <= s->cut);
        left += side[i];
    }
    cp_greedy_records_move(w->records, o->lo, o->hi, left);
    divide_own(w->random, own, side, n);
    return o->lo + left;
}
