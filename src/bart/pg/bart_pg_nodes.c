#include "bart/pg/bart_pg_nodes.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_split_probs.h"
#include "kernel/sort.h"
#include "num/math.h"

copse_status cp_bart_pg_nodes_init(cp_bart_pg_nodes *b, const cp_bart_columns *c, cp_bart_pg_lookahead lookahead,
                                   copse_error *err) {
    copse_status status;
    *b = (cp_bart_pg_nodes){.lookahead = lookahead};
    cp_arena_init(&b->arena);
    CP_TRY_OUT(CP_RAW(b->key, 2 * c->ranks.rows, err));
    CP_TRY_OUT(CP_RAW(b->log_mass, c->ranks.rows, err));
    CP_TRY_OUT(cp_bart_pg_levels_init(&b->levels, c->ranks.rows, err));
    for (int s = 0; s < 2; s++) {
        CP_TRY_OUT(CP_RAW(b->side[s], CP_BART_PG_LEVELS_MAX, err));
        CP_TRY_OUT(CP_RAW(b->log_side[s], CP_BART_PG_LEVELS_MAX, err));
    }
out:
    if (status) cp_bart_pg_nodes_clear(b);
    return status;
}

void cp_bart_pg_nodes_clear(cp_bart_pg_nodes *b) {
    cp_arena_clear(&b->arena);
    cp_mem_free(b->node);
    cp_mem_free(b->split);
    cp_mem_free(b->key);
    cp_mem_free(b->log_mass);
    cp_bart_pg_levels_clear(&b->levels);
    for (int s = 0; s < 2; s++) {
        cp_mem_free(b->side[s]);
        cp_mem_free(b->log_side[s]);
    }
    *b = (cp_bart_pg_nodes){0};
}

#define TAKE(ptr, n, err) (((ptr) = cp_arena_get(&b->arena, (n), sizeof *(ptr))) ? COPSE_OK : cp_fail_memory(err))

/* ------------------------------------------------------------------------------------------------------ likelihoods */

/* The penalty of a leaf, in nats: about the log prior of the split that it takes.  If it is too large, trees with one
 * leaf too many are hardly ever proposed, and a tree that has one keeps it for long; if too small, most proposed trees
 * have one. */
static const double LEAF_PENALTY = 1.5;

static void add_row(const cp_bart_view *v, uint32_t row, double sign, cp_bart_pg_sums *s) {
    double w = sign * (v->opt_weight ? (double)v->opt_weight[row] : 1);
    s->n += sign > 0 ? 1 : SIZE_MAX;
    s->w += w;
    s->wr += v->r ? w * (double)v->r[row] : 0;
}

/* The lookahead value of the rows of one level: their log likelihood in 1 or more leaves, minus the penalties. */
static double level_value(const cp_bart_pg_nodes *b, const cp_bart_pg_sums *s) {
    if (!s->n) return 0;
    double leaves = s->n > b->levels.usual_rows ? (double)s->n / (double)b->levels.usual_rows : 1;
    return leaves * (cp_bart_view_log_leaf(b->v, s->w / leaves, s->wr / leaves) - LEAF_PENALTY);
}

/* In four chains of additions, which do not wait for each other. */
static cp_bart_pg_sums sum_rows(const cp_bart_view *v, cp_span rows) {
    enum { CHAINS = 4 };
    cp_bart_pg_sums s = {.n = rows.n};
    double w[CHAINS] = {0}, wr[CHAINS] = {0};
    for (size_t i = 0; i < rows.n; i++) {
        uint32_t row = rows.row[i];
        double weight = v->opt_weight ? (double)v->opt_weight[row] : 1;
        w[i % CHAINS] += weight;
        if (v->r) wr[i % CHAINS] += weight * (double)v->r[row];
    }
    s.w = (w[0] + w[1]) + (w[2] + w[3]);
    s.wr = (wr[0] + wr[1]) + (wr[2] + wr[3]);
    return s;
}

static void sum_levels(cp_bart_pg_nodes *b, cp_span rows) {
    cp_bart_pg_sums *level = b->side[0];
    if (b->levels.n == 1) {
        level[0] = sum_rows(b->v, rows);
        return;
    }
    for (size_t k = 0; k < b->levels.n; k++) level[k] = (cp_bart_pg_sums){0};
    for (size_t i = 0; i < rows.n; i++) add_row(b->v, rows.row[i], 1, &level[b->levels.of[rows.row[i]]]);
}

/* The log lookahead of the levels in side[0], the penalty of the first leaf included. */
static double lookahead_of(const cp_bart_pg_nodes *b) {
    double sum = 0;
    for (size_t k = 0; k < b->levels.n; k++) sum += level_value(b, &b->side[0][k]);
    return sum;
}

/* The total of side[0]. */
static cp_bart_pg_sums sums_of(const cp_bart_pg_nodes *b) {
    cp_bart_pg_sums s = {0};
    for (size_t k = 0; k < b->levels.n; k++) {
        s.n += b->side[0][k].n;
        s.w += b->side[0][k].w;
        s.wr += b->side[0][k].wr;
    }
    return s;
}

/* side[0] has the sums of the rows. */
static void fill_node(cp_bart_pg_nodes *b, cp_bart_pg_node *pg_node, cp_span rows, size_t depth) {
    const cp_bart_view *v = b->v;
    double lookahead = lookahead_of(b);
    *pg_node = (cp_bart_pg_node){.rows = rows, .depth = depth, .sums = sums_of(b), .first_split = CP_NONE};
    pg_node->varies = cp_rule_columns(&v->columns->ranks, rows, 1) > 0;
    pg_node->open = pg_node->varies && isfinite(v->log_split[depth]);
    pg_node->log_leaf = cp_bart_view_log_leaf(v, pg_node->sums.w, pg_node->sums.wr);
    pg_node->log_lookahead = fmax(pg_node->log_leaf, lookahead + LEAF_PENALTY);
    pg_node->log_value = pg_node->open ? pg_node->log_lookahead : pg_node->log_leaf;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

copse_status cp_bart_pg_nodes_begin(cp_bart_pg_nodes *b, const cp_bart_view *v, cp_span rows, size_t depth,
                                    copse_error *err) {
    uint32_t *row;
    cp_arena_reset(&b->arena);
    b->v = v;
    b->n = b->splits = 0;
    CP_TRY(CP_GROW(b->node, b->cap, 1, err));
    CP_TRY(TAKE(row, rows.n, err));
    memcpy(row, rows.row, rows.n * sizeof *row);
    if (v->r && b->lookahead == CP_BART_PG_LOOKAHEAD_LEVELS)
        cp_bart_pg_levels_find(&b->levels, v, rows, LEAF_PENALTY);
    else
        cp_bart_pg_levels_none(&b->levels, rows);
    sum_levels(b, rows);
    fill_node(b, &b->node[b->n++], (cp_span){row, rows.n}, depth);
    return COPSE_OK;
}

cp_extent cp_bart_pg_nodes_extent(const cp_bart_pg_nodes *b, uint32_t dim, cp_span rows) {
    const cp_ranks *ranks = &b->v->columns->ranks;
    if (rows.n == ranks->rows) return (cp_extent){0, (uint32_t)(cp_ranks_count(ranks, dim) - 1)};
    return cp_rule_extent(ranks, dim, rows);
}

cp_extent cp_bart_pg_nodes_gap(const cp_bart_pg_nodes *b, int32_t pg_node, cp_rule rule) {
    const cp_ranks *ranks = &b->v->columns->ranks;
    const cp_extent all = {0, (uint32_t)(cp_ranks_count(ranks, rule.dim) - 1)};
    cp_span rows = b->node[pg_node].rows;
    return rows.n == ranks->rows ? (cp_extent){rule.cell, rule.cell + 1} : cp_rule_gap(ranks, rule, all, rows);
}

/* The children of node `of`: sums the rows of the smaller one, and subtracts them from the node's for the other. */
static void fill_children(cp_bart_pg_nodes *b, int32_t of, const cp_span side[2]) {
    const cp_bart_pg_sums whole = b->node[of].sums;
    size_t depth = b->node[of].depth + 1, small = side[1].n < side[0].n;
    for (size_t i = 0; i < 2; i++) {
        size_t s = i ? 1 - small : small;
        if (i && b->levels.n == 1) {
            const cp_bart_pg_sums other = b->side[0][0];
            b->side[0][0] = (cp_bart_pg_sums){whole.n - other.n, fmax(0, whole.w - other.w), whole.wr - other.wr};
        } else {
            sum_levels(b, side[s]);
        }
        fill_node(b, &b->node[b->n + s], side[s], depth);
    }
}

static copse_status add_split(cp_bart_pg_nodes *b, int32_t pg_node, uint32_t dim, cp_extent gap, copse_error *err) {
    cp_span whole = b->node[pg_node].rows;
    uint32_t *left, *right;
    CP_TRY(CP_GROW(b->node, b->cap, b->n + 2, err));
    CP_TRY(CP_GROW(b->split, b->cap_split, b->splits + 1, err));
    CP_TRY(TAKE(left, whole.n, err));
    CP_TRY(TAKE(right, whole.n, err));
    size_t n = cp_rule_partition(&b->v->columns->ranks, (cp_rule){dim, gap.low}, whole, left, right);
    b->split[b->splits] =
        (cp_bart_pg_split){.dim = dim, .gap = gap, .left = (int32_t)b->n, .next = b->node[pg_node].first_split};
    b->node[pg_node].first_split = (int32_t)b->splits++;
    fill_children(b, pg_node, (const cp_span[2]){{left, n}, {right, whole.n - n}});
    b->n += 2;
    return COPSE_OK;
}

copse_status cp_bart_pg_nodes_split(cp_bart_pg_nodes *b, int32_t pg_node, uint32_t dim, cp_extent gap, int32_t *out,
                                    copse_error *err) {
    for (int32_t i = b->node[pg_node].first_split; i != CP_NONE; i = b->split[i].next)
        if (b->split[i].dim == dim && b->split[i].gap.low == gap.low) {
            *out = i;
            return COPSE_OK;
        }
    CP_TRY(add_split(b, pg_node, dim, gap, err));
    *out = b->node[pg_node].first_split;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- columns */

static void find_varying(const cp_bart_pg_nodes *b, cp_span rows, cp_bart_pg_columns *c) {
    const cp_bart_view *v = b->v;
    const cp_ranks *ranks = &v->columns->ranks;
    double sum = 0;
    for (uint32_t d = 0; d < ranks->dims; d++) {
        cp_extent e = cp_bart_pg_nodes_extent(b, d, rows);
        if (e.low == e.high) continue;
        double prob = v->split_probs->opt_s ? v->split_probs->opt_s[d] : 1;
        c->dim[c->n] = d;
        c->extent[c->n] = e;
        c->log_prob[c->n] = cp_math_log(prob);
        c->gaps[c->n++] = (cp_bart_pg_gaps){0};
        sum += prob;
    }
    for (size_t i = 0; i < c->n; i++) c->log_prob[i] -= cp_math_log(sum);
}

copse_status cp_bart_pg_nodes_columns(cp_bart_pg_nodes *b, int32_t pg_node, cp_bart_pg_columns **out,
                                      copse_error *err) {
    size_t dims = b->v->columns->ranks.dims;
    cp_bart_pg_columns *c = b->node[pg_node].opt_columns;
    if (!c) {
        CP_TRY(TAKE(c, 1, err));
        *c = (cp_bart_pg_columns){0};
        CP_TRY(TAKE(c->dim, dims, err));
        CP_TRY(TAKE(c->extent, dims, err));
        CP_TRY(TAKE(c->log_prob, dims, err));
        CP_TRY(TAKE(c->gaps, dims, err));
        find_varying(b, b->node[pg_node].rows, c);
        b->node[pg_node].opt_columns = c;
    }
    *out = c;
    return COPSE_OK;
}

/* Sorts the rows by their rank in the column, in b->key; returns the number of different ranks. */
static size_t sort_rows(cp_bart_pg_nodes *b, cp_span rows, uint32_t dim) {
    const uint32_t *rank = cp_ranks_column(&b->v->columns->ranks, dim);
    size_t values = 1;
    for (size_t i = 0; i < rows.n; i++) b->key[i] = (uint64_t)rank[rows.row[i]] << 32 | rows.row[i];
    cp_sort_wide(b->key, rows.n, b->key + rows.n);
    for (size_t i = 1; i < rows.n; i++) values += b->key[i] >> 32 != b->key[i - 1] >> 32;
    return values;
}

/* Puts all rows to the right; returns their lookahead value. */
static double begin_scan(cp_bart_pg_nodes *b, cp_span rows) {
    sum_levels(b, rows);
    double sum = lookahead_of(b);
    for (size_t k = 0; k < b->levels.n; k++) {
        b->side[1][k] = b->side[0][k];
        b->log_side[1][k] = level_value(b, &b->side[1][k]);
        b->side[0][k] = (cp_bart_pg_sums){0};
        b->log_side[0][k] = 0;
    }
    return sum;
}

/* Moves a row from right to left, and updates the lookahead values of both sides. */
static void move_row(cp_bart_pg_nodes *b, uint32_t row, double sum[2]) {
    size_t k = b->levels.of[row];
    for (int s = 0; s < 2; s++) {
        add_row(b->v, row, s ? -1 : 1, &b->side[s][k]);
        double now = level_value(b, &b->side[s][k]);
        sum[s] += now - b->log_side[s][k];
        b->log_side[s][k] = now;
    }
}

static double log_sides(const cp_bart_pg_nodes *b, const cp_bart_pg_sums *whole, const cp_bart_pg_sums *left,
                        const double sum[2]) {
    return fmax(cp_bart_view_log_leaf(b->v, left->w, left->wr), sum[0] + LEAF_PENALTY) +
           fmax(cp_bart_view_log_leaf(b->v, whole->w - left->w, whole->wr - left->wr), sum[1] + LEAF_PENALTY);
}

/* From the sorted b->key: the values of the node in g->rank, and the logs of the masses in b->log_mass. */
static void scan_gaps(cp_bart_pg_nodes *b, const cp_bart_pg_node *pg_node, uint32_t dim, cp_bart_pg_gaps *g) {
    const cp_ranks *ranks = &b->v->columns->ranks;
    double sum[2] = {0, begin_scan(b, pg_node->rows)};
    cp_bart_pg_sums left = {0};
    size_t at = 0;
    g->rank[0] = (uint32_t)(b->key[0] >> 32);
    for (size_t i = 0; i + 1 < pg_node->rows.n; i++) {
        uint32_t here = (uint32_t)(b->key[i] >> 32), next = (uint32_t)(b->key[i + 1] >> 32), row = (uint32_t)b->key[i];
        add_row(b->v, row, 1, &left);
        move_row(b, row, sum);
        if (here == next) continue;
        b->log_mass[at] =
            cp_math_log(cp_ranks_width(ranks, dim, here, next)) + log_sides(b, &pg_node->sums, &left, sum);
        g->rank[++at] = next;
    }
}

/* Turns logarithms into masses, and sets sum and log_mean. */
static void weigh_gaps(const double *log_mass, double log_extent, cp_bart_pg_gaps *g) {
    double top = -INFINITY;
    g->sum = 0;
    for (size_t i = 0; i < g->gaps; i++) top = fmax(top, log_mass[i]);
    for (size_t i = 0; i < g->gaps; i++) g->sum += g->mass[i] = cp_math_exp(log_mass[i] - top);
    g->log_mean = top + cp_math_log(g->sum) - log_extent;
}

copse_status cp_bart_pg_nodes_gaps(cp_bart_pg_nodes *b, int32_t pg_node, size_t i, cp_bart_pg_gaps **out,
                                   copse_error *err) {
    const cp_bart_pg_node *at = &b->node[pg_node];
    cp_bart_pg_columns *c = at->opt_columns;
    cp_bart_pg_gaps *g = &c->gaps[i];
    if (!g->gaps) {
        size_t values = sort_rows(b, at->rows, c->dim[i]);
        CP_TRY(TAKE(g->rank, values, err));
        CP_TRY(TAKE(g->mass, values, err));
        g->gaps = values - 1;
        scan_gaps(b, at, c->dim[i], g);
        const cp_extent e = c->extent[i];
        weigh_gaps(b->log_mass, cp_math_log(cp_ranks_width(&b->v->columns->ranks, c->dim[i], e.low, e.high)), g);
    }
    *out = g;
    return COPSE_OK;
}
