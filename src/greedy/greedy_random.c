#include "greedy/greedy_random.h"

#include <math.h>
#include <string.h>

#include "greedy/greedy_grow_serial.h"
#include "split/split_random.h"
#include "split/split_random_all.h"

enum {
    COPIED_VALUES = 1 << 17, /* copied at a time, at most: half a megabyte, the second-level cache of a core */
    CACHED_VALUES = 1 << 18  /* a table of at most so many is in the cache anyway, and not copied */
};

struct cp_greedy_random {
    float *value; /* scratch: one column of the node's rows */
    int all;      /* all columns are cut at once (split_random_all.h); what follows is for that */
    cp_split_random_table table;
    float *copy;   /* the values of records lo ... hi-1, row by row */
    float *spare;  /* room for the right side of a node while the copy is divided */
    size_t lo, hi; /* equal: nothing is copied */
    size_t most;   /* rows there is room for; 0: values are never copied */
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
    /* All nodes below a node of at most CP_GREEDY_GROW_SERIAL_ROWS rows are grown by one worker: no other worker moves
     * its records, so the copy stays true. */
    size_t most = rows < CP_GREEDY_GROW_SERIAL_ROWS ? rows : CP_GREEDY_GROW_SERIAL_ROWS;
    if (most > COPIED_VALUES / dims) most = COPIED_VALUES / dims;
    if (data->n > CACHED_VALUES / dims) r->most = most;
    t->dims = dims;
    t->low = cp_arena_get(&w->arena, dims, sizeof *t->low);
    t->high = cp_arena_get(&w->arena, dims, sizeof *t->high);
    t->cut = cp_arena_get(&w->arena, dims, sizeof *t->cut);
    t->left = cp_arena_get(&w->arena, dims, sizeof *t->left);
    r->copy = cp_arena_get(&w->arena, r->most * dims, sizeof *r->copy);
    r->spare = cp_arena_get(&w->arena, r->most * dims, sizeof *r->spare);
    return t->low && t->high && t->cut && t->left && r->copy && r->spare ? COPSE_OK : cp_fail_memory(err);
}

copse_status cp_greedy_random_new(cp_greedy_grower *w, size_t rows, copse_error *err) {
    const cp_rows *data = &w->records->data->rows;
    struct cp_greedy_random *r = w->random = cp_arena_get(&w->arena, 1, sizeof *r);
    if (!r) return cp_fail_memory(err);
    *r = (struct cp_greedy_random){0};
    r->all = w->records->rule.kind == CP_SPLIT_SQUARED && w->rule->features >= data->dims && !has_levels(data);
    r->value = cp_arena_get(&w->arena, rows, sizeof *r->value);
    if (!r->value) return cp_fail_memory(err);
    return r->all ? new_table(w, rows, err) : COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- values */

static inline void copy_row(float *to, const float *from, size_t dims) {
    size_t d = 0;
    for (; d + 4 <= dims; d += 4) memcpy(to + d, from + d, 4 * sizeof *to);
    for (; d < dims; d++) to[d] = from[d];
}

/* The copied values of the node's records, NULL if they are not copied. */
static float *copied_rows(const cp_greedy_grower *w, const cp_greedy_node *node) {
    const struct cp_greedy_random *r = w->random;
    return node->lo >= r->lo && node->hi <= r->hi ? r->copy + (node->lo - r->lo) * r->table.dims : NULL;
}

static void copy_rows(cp_greedy_grower *w, const cp_greedy_node *node) {
    struct cp_greedy_random *r = w->random;
    const size_t dims = r->table.dims;
    const float *x = w->records->data->rows.x;
    if (copied_rows(w, node) || cp_greedy_node_rows(node) > r->most) return;
    for (size_t i = node->lo; i < node->hi; i++)
        copy_row(r->copy + (i - node->lo) * dims, x + w->records->row[i] * dims, dims);
    r->lo = node->lo;
    r->hi = node->hi;
}

/* Moves the copied values as the records move. */
static void divide_copy(const struct cp_greedy_random *r, float *copy, const uint8_t *side, size_t n) {
    const size_t dims = r->table.dims;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        if (side[i])
            copy_row(copy + left++ * dims, copy + i * dims, dims);
        else
            copy_row(r->spare + right++ * dims, copy + i * dims, dims);
    }
    memcpy(copy + left * dims, r->spare, right * dims * sizeof *copy);
}

/* ------------------------------------------------------------------------------------------------------------- cuts */

static void try_column(cp_greedy_grower *w, const cp_greedy_node *node, size_t dim) {
    const cp_greedy_records *r = w->records;
    float *value = w->random->value;
    for (size_t i = node->lo; i < node->hi; i++) value[i - node->lo] = cp_greedy_records_value(r, r->row[i], dim);
    cp_split_random_column c = {
        .value = value, .sum = r->sum + node->lo, .n = node->hi - node->lo, .levels = cp_greedy_grower_levels(w, dim)};
    if (cp_split_random(&w->stats, &c, &w->rng, &w->best)) w->best.dim = (int32_t)dim;
}

/* Cuts all columns at once.  Returns 0 if the node needs column by column. */
static int try_all(cp_greedy_grower *w, const cp_greedy_node *node) {
    cp_split_random_table *t = &w->random->table;
    if (!w->random->all) return 0;
    copy_rows(w, node);
    const float *copy = copied_rows(w, node);
    t->x = copy ? copy : w->records->data->rows.x;
    t->row = copy ? NULL : w->records->row + node->lo;
    t->sum = w->records->sum + node->lo;
    t->n = cp_greedy_node_rows(node);
    if (!cp_split_random_all_ranges(t)) return 0;
    cp_split_random_all(&w->stats, t, &w->rng, &w->best);
    return 1;
}

void cp_greedy_random_search(cp_greedy_grower *w, const cp_greedy_node *node) {
    int32_t dim;
    if (try_all(w, node)) return;
    while ((dim = cp_greedy_grower_column(w, w->best.num >= 0)) != CP_NONE) try_column(w, node, (size_t)dim);
}

size_t cp_greedy_random_divide(cp_greedy_grower *w, const cp_greedy_node *node, const cp_split *s) {
    float *copy = w->random->all ? copied_rows(w, node) : NULL;
    if (!copy) return cp_greedy_records_divide(w->records, node->lo, node->hi, s);
    const size_t n = cp_greedy_node_rows(node), dims = w->random->table.dims;
    const float *x = copy + s->dim;
    uint8_t *side = w->records->side + node->lo;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        float v = x[i * dims];
        side[i] = (uint8_t)(isnan(v) ? s->missing_left : v <= s->cut);
        left += side[i];
    }
    cp_greedy_records_move(w->records, node->lo, node->hi, left);
    divide_copy(w->random, copy, side, n);
    return node->lo + left;
}
