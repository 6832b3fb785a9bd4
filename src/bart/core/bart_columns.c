#include "bart/core/bart_columns.h"

#include <math.h>

#include "base/mem.h"
#include "data/bins.h"

enum { CODES = 65536 };

/* --------------------------------------------------------------------------------------------- the cuts of a column */

/* Equally spaced cuts strictly between the least and the greatest value, up to float rounding. */
static size_t grid_edges(const float *value, size_t values, size_t cuts, float *opt_out) {
    if (values < 2) return 0;
    double low = (double)value[0], range = (double)value[values - 1] - low;
    for (size_t j = 0; opt_out && j < cuts; j++)
        opt_out[j] = (float)(low + range * ((double)(j + 1) / (double)(cuts + 1)));
    return cuts;
}

/* Cuts in the middle between neighbouring values: all of them if there are at most `cuts`, else so that about equally
 * many rows lie between two cuts.  A cut after value k is made if value k passes one more quantile; a cut before it,
 * too, if it passes several.  rows_at[k]: rows with value k. */
static size_t quantile_edges(const float *value, size_t values, const uint32_t *rows_at, size_t cuts, float *opt_out) {
    size_t n = 0, below = 0, rows = 0, passed = 0, next = 0; /* next: the cuts before this value are decided */
    for (size_t k = 0; k < values; k++) rows += rows_at[k];
    for (size_t k = 0; k < values; k++) {
        below += rows_at[k];
        size_t now = values - 1 <= cuts ? k + 1 : below * (cuts + 1) / rows;
        size_t first = now > passed + 1 && k > next ? k - 1 : k, end = now > passed ? k + 1 : k;
        for (size_t at = first; at < end && at + 1 < values; at++, n++)
            if (opt_out) opt_out[n] = cp_bins_middle(value[at], value[at + 1]);
        if (now > passed) next = k + 1;
        passed = now;
    }
    return n;
}

/* Bins of about equally many values; the cuts are their last values. */
static size_t coarse_edges(const float *value, size_t values, float *opt_out) {
    if (values <= CODES) return 0;
    for (size_t j = 0; opt_out && j + 1 < CODES; j++) opt_out[j] = value[(j + 1) * values / CODES - 1];
    return CODES - 1;
}

typedef struct binning {
    cp_bart_columns *c;
    const cp_bart_matrix *m;
    size_t cuts_per_column;
    float *x;          /* m->x with each value replaced by its bin */
    uint32_t *rows_at; /* of each value of a column: its rows */
    float *bin_value;  /* of each value of a column: the number that stands for its bin in x */
} binning;

static size_t edges_of(const binning *b, size_t dim, float *opt_out) {
    const cp_ranks *r = &b->c->ranks;
    const float *value = cp_ranks_values(r, dim);
    size_t values = cp_ranks_count(r, dim);
    if (b->c->cuts == CP_BART_CUTS_GRID) return grid_edges(value, values, b->cuts_per_column, opt_out);
    if (b->c->cuts == CP_BART_CUTS_UNIFORM) return coarse_edges(value, values, opt_out);
    for (size_t k = 0; k < values; k++) b->rows_at[k] = 0;
    for (size_t i = 0; i < r->rows; i++) b->rows_at[cp_ranks_column(r, dim)[i]]++;
    return quantile_edges(value, values, b->rows_at, b->cuts_per_column, opt_out);
}

/* A value is in bin j if exactly j cuts are less than it. */
static void bin_values(const binning *b, size_t dim) {
    const float *value = cp_ranks_values(&b->c->ranks, dim), *edge = b->c->edge + b->c->start[dim];
    size_t values = cp_ranks_count(&b->c->ranks, dim), edges = b->c->start[dim + 1] - b->c->start[dim], bin = 0;
    for (size_t k = 0; k < values; k++) {
        while (bin < edges && edge[bin] < value[k]) bin++;
        if (b->c->cuts != CP_BART_CUTS_UNIFORM)
            b->bin_value[k] = (float)bin;
        else if (edges)
            b->bin_value[k] = bin < edges ? edge[bin] : value[values - 1];
        else
            b->bin_value[k] = value[k];
    }
}

static copse_status bin_columns(binning *b, const copse_run *run, copse_error *err) {
    cp_bart_columns *c = b->c;
    size_t rows = b->m->rows, dims = b->m->dims;
    CP_TRY(CP_RAW(b->x, rows * dims, err));
    CP_TRY(CP_RAW(b->rows_at, rows, err));
    CP_TRY(CP_RAW(b->bin_value, rows, err));
    for (size_t d = 0; d < dims; d++) c->start[d + 1] = c->start[d] + edges_of(b, d, NULL);
    CP_TRY(CP_RAW(c->edge, c->start[dims], err));
    for (size_t d = 0; d < dims; d++) {
        const uint32_t *rank = cp_ranks_column(&c->ranks, d);
        edges_of(b, d, c->edge + c->start[d]);
        bin_values(b, d);
        for (size_t i = 0; i < rows; i++) b->x[i * dims + d] = b->bin_value[rank[i]];
    }
    cp_ranks_clear(&c->ranks);
    return cp_ranks_init(&c->ranks, b->x, rows, dims, run, err);
}

/* ------------------------------------------------------------------------------------------------------ all of them */

static int must_bin(const cp_bart_columns *c) {
    if (c->cuts != CP_BART_CUTS_UNIFORM) return 1;
    for (size_t d = 0; d < c->ranks.dims; d++)
        if (cp_ranks_count(&c->ranks, d) > CODES) return 1;
    return 0;
}

copse_status cp_bart_columns_init(cp_bart_columns *c, const cp_bart_matrix *m, cp_bart_cuts cuts,
                                  size_t cuts_per_column, const copse_run *run, copse_error *err) {
    copse_status status;
    *c = (cp_bart_columns){.cuts = cuts, .leaf_pass = cp_leaf_pass_best()};
    binning b = {.c = c, .m = m, .cuts_per_column = cuts_per_column};
    CP_TRY_OUT(CP_NEW(c->start, m->dims + 1, err));
    CP_TRY_OUT(cp_ranks_init(&c->ranks, m->x, m->rows, m->dims, run, err));
    if (must_bin(c)) CP_TRY_OUT(bin_columns(&b, run, err));
    CP_TRY_OUT(CP_RAW(c->code, m->rows * m->dims, err));
    for (size_t i = 0; i < m->rows * m->dims; i++) c->code[i] = (uint16_t)c->ranks.rank[i];
out:
    cp_mem_free(b.x);
    cp_mem_free(b.rows_at);
    cp_mem_free(b.bin_value);
    if (status) cp_bart_columns_clear(c);
    return status;
}

void cp_bart_columns_clear(cp_bart_columns *c) {
    cp_ranks_clear(&c->ranks);
    cp_mem_free(c->code);
    cp_mem_free(c->edge);
    cp_mem_free(c->start);
    *c = (cp_bart_columns){0};
}

/* ----------------------------------------------------------------------------------------------- the place of a cut */

/* The cuts in a cell of a binned column: the first, and how many. */
static const float *edges_in(const cp_bart_columns *c, cp_rule rule, size_t *out_n) {
    const float *edge = c->edge + c->start[rule.dim], *bin = cp_ranks_values(&c->ranks, rule.dim);
    if (c->cuts == CP_BART_CUTS_UNIFORM) {
        *out_n = 1;
        return edge + rule.cell;
    }
    *out_n = (size_t)bin[rule.cell + 1] - (size_t)bin[rule.cell];
    return edge + (size_t)bin[rule.cell];
}

static int is_binned(const cp_bart_columns *c, size_t dim) {
    return c->start[dim + 1] > c->start[dim];
}

float cp_bart_columns_cut(const cp_bart_columns *c, cp_rule rule, cp_rng *rng) {
    const float *value = cp_ranks_values(&c->ranks, rule.dim) + rule.cell;
    if (is_binned(c, rule.dim)) {
        size_t n;
        const float *edge = edges_in(c, rule, &n);
        return n > 1 ? edge[cp_rng_below(rng, n)] : *edge;
    }
    float cut = (float)((double)value[0] + cp_rng_unit(rng) * ((double)value[1] - (double)value[0]));
    return cut < value[1] ? cut : nextafterf(value[1], -INFINITY);
}

int cp_bart_columns_has(const cp_bart_columns *c, cp_rule rule, float cut) {
    const float *value = cp_ranks_values(&c->ranks, rule.dim) + rule.cell;
    if (!is_binned(c, rule.dim)) return value[0] <= cut && cut < value[1];
    size_t n;
    const float *edge = edges_in(c, rule, &n);
    for (size_t i = 0; i < n; i++)
        if (edge[i] == cut) return 1;
    return 0;
}
