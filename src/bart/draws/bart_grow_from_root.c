/* Move: the tree is dropped and grown anew from the root [He, Yalov, Hahn 2019, XBART].  At each node one of all cuts
 * of some columns is drawn, or no cut, each in proportion to its prior times the likelihood of the two leaves that it
 * makes.  A few such sweeps find trees for which MH moves need thousands.
 * Target: none.  The posterior is not invariant, because the step looks only one split ahead and never takes a split
 * back.  It gives chains a starting point; none of its sweeps is kept as a draw.
 * How we differ from the paper: everything that is only an approximation is made fast.  A tree tries only some of the
 * columns, drawn by how often the trees of the sum split on them now.  With more than SAMPLE rows it uses every second,
 * third, ... row.  Codes of a column are shifted down to at most BINS bins.
 *
 * A node's histogram has the sums of weight, and of weight times residual, of each bin.  Both are whole numbers packed
 * in one 64-bit number, so that a row is one addition and a difference is exact: of two siblings, the smaller one has
 * its histogram filled, and the larger one gets the parent's minus that. */
#include "bart/draws/bart_grow_from_root.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_parallel.h"
#include "bart/core/bart_split_probs.h"
#include "base/mem.h"
#include "num/math.h"

enum {
    SAMPLE = 32768,
    BINS = 128,
    DEPTHS = 12,
    FEW_COLUMNS = 4,
    MANY = 2048, /* rows of a node from which its histogram is filled by several threads */
    PARTS = 4    /* parts of the rows that are then filled independently */
};
#define MAX_RESIDUAL 8.0

/* 2^32 times the weight in units of unit_w, plus weight times residual in units of unit_wr; the latter may be
 * negative. */
typedef int64_t packed;

typedef struct cell {
    double w, wr;
} cell;

/* A leaf that may be split. */
typedef struct open_leaf {
    int16_t node;
    size_t first, n; /* its rows in `row` */
    packed *hist;
    packed sum;
} open_leaf;

struct cp_bart_grow_from_root {
    const cp_bart_problem *problem;
    size_t step; /* the sample is every step-th row; it has at most most_rows rows */
    size_t most_rows;
    uint8_t *bin; /* dims x rows */
    size_t most_columns;
    /* For the tree that is grown. */
    double *column_weight; /* of each column: 1 + the rules of the sum that split on it; 0 if it is constant or drawn */
    uint32_t *column;      /* the columns that are tried: the first `columns` */
    size_t columns;
    size_t first_row, rows;                /* of the sample: its first row, and how many */
    double unit_w, unit_wr, per_w, per_wr; /* units, and 1 over them */
    packed *row_value;                     /* of each row: its packed weight and weight times residual */
    uint32_t *row, *tmp;                   /* rows of the sample, grouped by leaf */
    packed *leaf_value;                    /* row_value of the rows of one leaf, gathered */
    packed *hist;                          /* DEPTHS + 1 times most_columns x BINS */
    packed *part;                          /* PARTS - 1 times most_columns x BINS: partial histograms of one node */
    double *gain, *mass;                   /* of each cut of each column: see weigh_column */
};

static unsigned shift_of(const cp_bart_columns *c, size_t dim) {
    unsigned shift = 0;
    while ((cp_ranks_count(&c->ranks, dim) - 1) >> shift >= BINS) shift++;
    return shift;
}

static void fill_bins(cp_bart_grow_from_root *g) {
    const cp_bart_columns *c = &g->problem->columns;
    for (size_t d = 0; d < c->ranks.dims; d++) {
        const uint16_t *code = cp_bart_columns_code(c, d);
        unsigned shift = shift_of(c, d);
        uint8_t *bin = g->bin + d * c->ranks.rows;
        for (size_t i = 0; i < c->ranks.rows; i++) bin[i] = (uint8_t)(code[i] >> shift);
    }
}

/* Units such that sums over all rows stay below 2^30.  Residuals are clipped at MAX_RESIDUAL; targets lie in [-1/2,
 * 1/2] or are probits. */
static void set_units(cp_bart_grow_from_root *g) {
    double most = 0, n = (double)g->most_rows;
    const float *weight = g->problem->opt_weight;
    for (size_t i = 0; weight && i < g->problem->rows->n; i++) most = fmax(most, (double)weight[i]);
    g->unit_w = weight ? most * n / 0x1p30 : 1;
    g->unit_wr = MAX_RESIDUAL * (weight ? most : 1) * n / 0x1p30;
    g->per_w = 1 / g->unit_w;
    g->per_wr = 1 / g->unit_wr;
}

copse_status cp_bart_grow_from_root_new(const cp_bart_problem *b, cp_bart_grow_from_root **out, copse_error *err) {
    copse_status status;
    size_t dims = b->columns.ranks.dims, n = b->rows->n, some = FEW_COLUMNS + (size_t)sqrt((double)dims);
    cp_bart_grow_from_root *g;
    CP_TRY(CP_NEW(g, 1, err));
    g->problem = b;
    g->step = (n + SAMPLE - 1) / SAMPLE;
    g->most_rows = n / g->step + 1;
    g->most_columns = dims < some ? dims : some;
    CP_TRY_OUT(CP_RAW(g->bin, dims * n, err));
    CP_TRY_OUT(CP_RAW(g->column_weight, dims, err));
    CP_TRY_OUT(CP_RAW(g->column, dims, err));
    CP_TRY_OUT(CP_RAW(g->row_value, n, err));
    CP_TRY_OUT(CP_RAW(g->row, g->most_rows, err));
    CP_TRY_OUT(CP_RAW(g->tmp, g->most_rows, err));
    CP_TRY_OUT(CP_RAW(g->leaf_value, g->most_rows, err));
    CP_TRY_OUT(CP_RAW(g->hist, (DEPTHS + 1) * g->most_columns * BINS, err));
    CP_TRY_OUT(CP_RAW(g->part, (PARTS - 1) * g->most_columns * BINS, err));
    CP_TRY_OUT(CP_RAW(g->gain, g->most_columns * BINS, err));
    CP_TRY_OUT(CP_RAW(g->mass, g->most_columns * BINS, err));
    fill_bins(g);
    set_units(g);
    *out = g;
    return COPSE_OK;
out:
    cp_bart_grow_from_root_free(g);
    return status;
}

void cp_bart_grow_from_root_free(cp_bart_grow_from_root *g) {
    if (!g) return;
    cp_mem_free(g->column_weight);
    cp_mem_free(g->column);
    cp_mem_free(g->bin);
    cp_mem_free(g->row_value);
    cp_mem_free(g->row);
    cp_mem_free(g->tmp);
    cp_mem_free(g->leaf_value);
    cp_mem_free(g->hist);
    cp_mem_free(g->part);
    cp_mem_free(g->gain);
    cp_mem_free(g->mass);
    cp_mem_free(g);
}

/* ------------------------------------------------------------------------------------------------- columns and rows */

static void count_splits(cp_bart_grow_from_root *g, const cp_bart_tree *tree) {
    size_t dims = g->problem->columns.ranks.dims;
    for (size_t d = 0; d < dims; d++) g->column_weight[d] = cp_ranks_count(&g->problem->columns.ranks, d) > 1;
    for (size_t m = 0; m < g->problem->opt.trees; m++)
        for (size_t u = 0; u < cp_bart_tree_nodes(&tree[m]); u++)
            if (!cp_bart_tree_is_leaf(&tree[m], (int16_t)u)) g->column_weight[tree[m].node[u].rule.dim]++;
}

/* Draws columns without replacement by column_weight, which becomes 0 for drawn columns. */
static void draw_columns(cp_bart_grow_from_root *g, cp_rng *rng) {
    size_t dims = g->problem->columns.ranks.dims;
    double all = 0;
    for (size_t d = 0; d < dims; d++) all += g->column_weight[d];
    for (g->columns = 0; g->columns < g->most_columns && all > 0.5; g->columns++) {
        double left = cp_rng_unit(rng) * all;
        size_t d = 0, last = 0;
        for (; d < dims; d++) {
            if (g->column_weight[d] == 0) continue;
            last = d;
            left -= g->column_weight[d];
            if (left < 0) break;
        }
        g->column[g->columns] = (uint32_t)last;
        all -= g->column_weight[last];
        g->column_weight[last] = 0;
    }
}

static packed pack(const cp_bart_grow_from_root *g, double weight, double r) {
    double near = r > MAX_RESIDUAL ? MAX_RESIDUAL : r < -MAX_RESIDUAL ? -MAX_RESIDUAL : r;
    return (packed)(weight * g->per_w) * ((packed)1 << 32) + (packed)(weight * near * g->per_wr);
}

typedef struct drawing {
    cp_bart_grow_from_root *g;
    const cp_bart_view *v;
} drawing;

static void pack_rows(void *arg, size_t from, size_t to) {
    const drawing *d = arg;
    cp_bart_grow_from_root *g = d->g;
    const float *weight = d->v->opt_weight, *r = d->v->r;
    for (size_t k = from, i = g->first_row + from * g->step; k < to; k++, i += g->step) {
        g->row_value[i] = g->leaf_value[k] = pack(g, weight ? (double)weight[i] : 1, (double)r[i]);
        g->row[k] = (uint32_t)i;
    }
}

/* Every step-th row, from a random one of the first `step` rows on. */
static void draw_sample(cp_bart_grow_from_root *g, const cp_bart_view *v, cp_rng *rng) {
    drawing d = {g, v};
    g->first_row = (size_t)cp_rng_below(rng, g->step);
    g->rows = (g->problem->rows->n - g->first_row + g->step - 1) / g->step;
    cp_bart_parallel_each(v->opt_parallel, g->rows, pack_rows, &d);
}

/* ------------------------------------------------------------------------------------------------------- histograms */

static const uint8_t *bins_of(const cp_bart_grow_from_root *g, size_t k) {
    return g->bin + g->column[k] * g->problem->rows->n;
}

/* Four columns at a time: a row is read once for all of them, and the four additions are independent.  If fewer are
 * left, the last column fills the gap, and its sums go to an unused histogram. */
typedef struct four {
    const uint8_t *bin[4];
    packed *into[4];
} four;

static four four_from(const cp_bart_grow_from_root *g, size_t first, packed *hist, packed *nowhere) {
    four f;
    for (size_t k = 0; k < 4; k++) {
        int there = first + k < g->columns;
        f.bin[k] = bins_of(g, there ? first + k : g->columns - 1);
        f.into[k] = there ? hist + (first + k) * BINS : nowhere;
    }
    return f;
}

/* The histograms of all columns over n rows.  The sums are whole numbers, so rows can be divided into any parts: part 0
 * fills `hist`, the others fill g->part and are added afterwards. */
typedef struct filling {
    const cp_bart_grow_from_root *g;
    const uint32_t *opt_row; /* NULL: the whole sample, which needs no list */
    size_t n, parts;
    packed *hist;
} filling;

static packed *hist_of(const filling *f, size_t part) {
    return part ? f->g->part + (part - 1) * f->g->most_columns * BINS : f->hist;
}

static void fill_four(const filling *f, size_t first, size_t part) {
    const cp_bart_grow_from_root *g = f->g;
    packed nowhere[BINS] = {0}, *hist = hist_of(f, part);
    const packed *leaf_value = g->leaf_value;
    const uint32_t *row = f->opt_row;
    const four to = four_from(g, first, hist, nowhere);
    const size_t from = f->n * part / f->parts, end = f->n * (part + 1) / f->parts, step = g->step;
    size_t some = g->columns - first < 4 ? g->columns - first : 4;
    memset(hist + first * BINS, 0, some * BINS * sizeof *hist);
    if (row)
        for (size_t i = from; i < end; i++)
            for (int k = 0; k < 4; k++) to.into[k][to.bin[k][row[i]]] += leaf_value[i];
    else
        for (size_t i = from, at = g->first_row + from * step; i < end; i++, at += step)
            for (int k = 0; k < 4; k++) to.into[k][to.bin[k][at]] += leaf_value[i];
}

static void fill_some(void *arg, size_t from, size_t to) {
    const filling *f = arg;
    size_t fours = (f->g->columns + 3) / 4;
    for (size_t i = from; i < to; i++) fill_four(f, i % fours * 4, i / fours);
}

/* g->leaf_value has the values of the rows. */
static void fill(filling *f, cp_thread_team *opt_team) {
    size_t all = f->g->columns * BINS;
    f->parts = opt_team ? PARTS : 1;
    cp_thread_team_pass(opt_team, (f->g->columns + 3) / 4 * f->parts, fill_some, f);
    for (size_t part = 1; part < f->parts; part++)
        for (size_t i = 0; i < all; i++) f->hist[i] += hist_of(f, part)[i];
}

static void fill_leaf(const cp_bart_grow_from_root *g, const cp_bart_view *v, const open_leaf *l) {
    filling f = {.g = g, .opt_row = g->row + l->first, .n = l->n, .hist = l->hist};
    for (size_t i = 0; i < f.n; i++) g->leaf_value[i] = g->row_value[f.opt_row[i]];
    fill(&f, f.n < MANY ? NULL : cp_bart_parallel_team(v->opt_parallel));
}

static void fill_root(const cp_bart_grow_from_root *g, const cp_bart_view *v) {
    filling f = {.g = g, .n = g->rows, .hist = g->hist};
    fill(&f, f.n < MANY ? NULL : cp_bart_parallel_team(v->opt_parallel));
}

static cell unpacked(const cp_bart_grow_from_root *g, packed p) {
    int32_t low = (int32_t)(uint32_t)((uint64_t)p & 0xffffffffu);
    return (cell){(double)((p - low) >> 32) * g->unit_w, (double)low * g->unit_wr};
}

/* ------------------------------------------------------------------------------------------------------------- cuts */

/* S^2 / (noise_var + leaf_var W) for W = sum of w, S = sum of w r: the exponent of the marginal likelihood of a leaf
 * (leaf_mean.c), without its factor leaf_var / (2 noise_var). */
static double gain_of(const cp_bart_view *v, cell c) {
    return c.wr * c.wr / (v->noise_var + v->leaf_var * c.w);
}

/* The product of sqrt(noise_var / (noise_var + leaf_var W)) of two leaves: the other factor of the marginal
 * likelihood. */
static double variance_factor(const cp_bart_view *v, cell a, cell b) {
    double of_a = v->noise_var + v->leaf_var * a.w, of_b = v->noise_var + v->leaf_var * b.w;
    return v->noise_var / sqrt(of_a * of_b);
}

/* For each cut of a column: gain is the sum of gain_of of both sides; mass is variance_factor times the prior of the
 * cut given the column.  0 if the column has no cut in this leaf. */
static int weigh_column(const cp_bart_grow_from_root *g, const cp_bart_view *v, const open_leaf *l, size_t k) {
    const packed *h = l->hist + k * BINS;
    const float *value = cp_ranks_values(&v->columns->ranks, g->column[k]);
    size_t values = cp_ranks_count(&v->columns->ranks, g->column[k]), low = 0, high = BINS - 1;
    unsigned shift = shift_of(v->columns, g->column[k]);
    double *gain = g->gain + k * BINS, *mass = g->mass + k * BINS;
    packed left = 0;
    memset(gain, 0, BINS * sizeof *gain);
    memset(mass, 0, BINS * sizeof *mass);
    while (low < BINS && h[low] == 0) low++;
    while (high > low && h[high] == 0) high--;
    if (low >= high) return 0;
    double extent = (double)value[high << shift] - (double)value[low << shift];
    for (size_t b = low; b < high; b++) {
        size_t next = (b + 1) << shift;
        double width = (double)value[next < values ? next : values - 1] - (double)value[b << shift];
        left += h[b];
        cell one = unpacked(g, left), other = unpacked(g, l->sum - left);
        gain[b] = gain_of(v, one) + gain_of(v, other);
        mass[b] = width / extent * variance_factor(v, one, other);
    }
    return 1;
}

typedef struct choice {
    size_t k, bin;
    packed left;
    size_t rows; /* rows of the sample that go left */
} choice;

/* Makes each mass the prior times the likelihood of its cut, up to a common factor and the prior of a split.  Returns
 * the same for no cut, with its prior; *out_sum is the sum over all cuts, with the prior of a split. */
static double weigh(const cp_bart_grow_from_root *g, const cp_bart_view *v, const open_leaf *l, size_t depth,
                    double *out_sum) {
    double half = 0.5 * v->leaf_var / v->noise_var, mass = 0, sum = 0;
    const cell whole = unpacked(g, l->sum), nothing = {0, 0};
    double none = gain_of(v, whole), most = none;
    for (size_t k = 0; k < g->columns; k++)
        if (weigh_column(g, v, l, k)) mass += cp_bart_split_probs_of(v->split_probs, g->column[k]);
    for (size_t i = 0; i < g->columns * BINS; i++) most = g->gain[i] > most ? g->gain[i] : most;
    for (size_t k = 0; k < g->columns; k++) {
        double prob = cp_bart_split_probs_of(v->split_probs, g->column[k]) / mass;
        for (size_t i = k * BINS; i < (k + 1) * BINS; i++) {
            double less = half * (g->gain[i] - most);
            g->mass[i] = less > -40 && g->mass[i] > 0 ? prob * g->mass[i] * cp_math_exp(less) : 0;
            sum += g->mass[i];
        }
    }
    *out_sum = cp_math_exp(v->log_split[depth]) * sum;
    return cp_math_exp(v->log_stop[depth]) * variance_factor(v, whole, nothing) * cp_math_exp(half * (none - most));
}

/* Draws a cut; 0: no cut. */
static int choose(const cp_bart_grow_from_root *g, const cp_bart_view *v, const open_leaf *l, size_t depth, cp_rng *rng,
                  choice *out) {
    double cuts, none = weigh(g, v, l, depth, &cuts), u = cp_rng_unit(rng) * (none + cuts) - none;
    size_t last = 0;
    if (u < 0 || !(cuts > 0)) return 0;
    double left = u / cp_math_exp(v->log_split[depth]);
    for (size_t i = 0; i < g->columns * BINS; i++) {
        if (g->mass[i] == 0) continue;
        last = i;
        left -= g->mass[i];
        if (left < 0) break;
    }
    *out = (choice){.k = last / BINS, .bin = last % BINS};
    for (size_t b = 0; b <= out->bin; b++) out->left += l->hist[out->k * BINS + b];
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------- growing */

/* Partitions the rows of a leaf, left first; returns how many go left. */
static size_t partition(cp_bart_grow_from_root *g, const open_leaf *l, const choice *c) {
    const uint8_t *bin = bins_of(g, c->k);
    uint32_t *row = g->row + l->first;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < l->n; i++) {
        uint32_t at = row[i];
        int goes_left = bin[at] <= c->bin;
        row[left] = g->tmp[right] = at; /* one of the two is overwritten later, or lies behind the end */
        left += (size_t)goes_left;
        right += (size_t)!goes_left;
    }
    memcpy(row + left, g->tmp, right * sizeof *row);
    return left;
}

/* Both sides have rows of the sample, so neither is empty. */
static void split(const cp_bart_grow_from_root *g, const cp_bart_view *v, cp_bart_tree *t, const open_leaf *l,
                  const choice *c, cp_rng *rng) {
    size_t dim = g->column[c->k], cells = cp_ranks_count(&v->columns->ranks, dim) - 1;
    size_t last = ((c->bin + 1) << shift_of(v->columns, dim)) - 1;
    cp_bart_split s = {.node = l->node};
    s.rule = (cp_rule){.dim = (uint32_t)dim, .cell = (uint32_t)(last < cells ? last : cells - 1)};
    s.cut = cp_bart_columns_cut(v->columns, s.rule, rng);
    CP_BUG(!cp_bart_tree_try_split(t, v, &s));
    cp_bart_tree_split(t, v, &s);
}

/* The child with fewer rows gets a new histogram and comes last in out, so that it is grown first and one histogram for
 * each depth is enough. */
static void divide(cp_bart_grow_from_root *g, const cp_bart_view *v, const cp_bart_tree *t, const open_leaf *l,
                   const choice *c, open_leaf out[2]) {
    int16_t node = t->node[l->node].left;
    open_leaf small = {.node = node, .first = l->first, .n = c->rows, .sum = c->left}, large = small;
    large = (open_leaf){.node = (int16_t)(node + 1), .first = l->first + c->rows, .n = l->n - c->rows};
    large.sum = l->sum - c->left;
    if (large.n < small.n) {
        open_leaf swap = small;
        small = large;
        large = swap;
    }
    large.hist = l->hist;
    small.hist = g->hist + (size_t)t->node[node].depth * g->most_columns * BINS;
    fill_leaf(g, v, &small);
    for (size_t i = 0; i < g->columns * BINS; i++) large.hist[i] -= small.hist[i];
    out[0] = large;
    out[1] = small;
}

static void grow(cp_bart_grow_from_root *g, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng) {
    open_leaf stack[DEPTHS + 2] = {{.node = 0, .n = g->rows, .hist = g->hist}};
    size_t height = 1;
    fill_root(g, v);
    for (size_t b = 0; b < BINS && g->columns; b++) stack->sum += g->hist[b];
    while (height) {
        open_leaf l = stack[--height];
        choice c;
        size_t depth = t->node[l.node].depth;
        if (depth == DEPTHS || cp_bart_tree_leaves(t) == CP_BART_MAX_LEAVES) continue;
        if (!choose(g, v, &l, depth, rng, &c)) continue;
        c.rows = partition(g, &l, &c);
        if (c.rows == 0 || c.rows == l.n) continue; /* impossible: a bin with weight has rows */
        split(g, v, t, &l, &c, rng);
        divide(g, v, t, &l, &c, stack + height);
        height += 2;
    }
}

copse_status cp_bart_grow_from_root_step(cp_bart_grow_from_root *g, const cp_bart_view *v, cp_bart_tree *tree, size_t m,
                                         cp_rng *rng, copse_error *err) {
    cp_bart_tree *t = &tree[m];
    size_t most = g->most_rows < CP_BART_MAX_LEAVES ? g->most_rows : CP_BART_MAX_LEAVES;
    double sum = 0;
    /* Reserves for every possible result before anything changes: a step that failed half way could not be repeated. */
    CP_TRY(cp_bart_tree_reserve(t, most, err));
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) sum += t->leaf[s].sum_wr;
    count_splits(g, tree);
    draw_columns(g, rng);
    cp_bart_tree_reset(t, v);
    t->leaf[0].sum_wr = sum;
    if (!v->r) return COPSE_OK; /* prior only: there is no likelihood to grow by */
    draw_sample(g, v, rng);
    grow(g, v, t, rng);
    return COPSE_OK;
}
