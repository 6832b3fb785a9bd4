#include "greedy/greedy_spread.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "tree/tree_walk.h"

enum { TESTED_ENOUGH = 2000, MOST_ROUNDS = 10, BLOCK = 1024 };

int cp_greedy_spread_check(const cp_greedy_spread *s) {
    double all[] = {s->var, s->rows, s->stretch, s->floor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i] > 0 && isfinite(all[i]))) return 0;
    return 1;
}

static double own_weight(const cp_greedy_weight *w, uint32_t row) {
    return w->own ? w->own[row] : 1;
}

/* Of the targets, in the leaves' units; by Welford's recursion. */
static double target_var(const cp_forest *f, const cp_rows *rows, const cp_greedy_weight *weight) {
    double mean = 0, squares = 0, total = 0;
    for (size_t i = 0; i < weight->rows; i++) {
        uint32_t row = weight->row[i];
        double w = own_weight(weight, row), apart = (rows->y[row] - f->centre) / f->scale - mean;
        total += w;
        mean += apart * w / total;
        squares += w * apart * apart * (1 - w / total);
    }
    return squares / total;
}

void cp_greedy_spread_init(cp_greedy_spread *s, const cp_forest *f, const cp_rows *rows,
                           const cp_greedy_weight *weight) {
    double sum = 0, n = 0;
    for (size_t m = 0; m < f->trees; m++)
        for (size_t k = 0; k < f->tree[m].leaves; k++) {
            const cp_tree_value *v = &f->tree[m].value[k];
            sum += (double)v->rows * (double)v->var;
            n += (double)v->rows;
        }
    double floor = fmax(1e-6 * target_var(f, rows, weight), 1e-12 / (f->scale * f->scale));
    *s = (cp_greedy_spread){.var = fmax(sum / n, floor), .rows = f->trees > 1 ? 1 : 10, .stretch = 1, .floor = floor};
}

void cp_greedy_spread_stretch(cp_greedy_spread *s, double squares, double between, double within) {
    if (within > 0) s->stretch = fmax(0.3, (squares - between) / within);
}

/* --------------------------------------------------------------------------------------------------------- holding out */

/* Sums over the rows held out. */
typedef struct tally {
    double squares, within;
    size_t tested;
} tally;

/* A tree and rows it has not seen: they are scattered, so blocks of them are gathered for the walk. */
typedef struct exam {
    const cp_greedy_trial *trial;
    const cp_tree *tree;
    const uint32_t *row;
    size_t rows;
    uint32_t *leaf;
} exam;

static copse_status walk_block(void *arg, size_t block, size_t worker, copse_error *err) {
    const exam *e = arg;
    const cp_rows *rows = &e->trial->data->rows;
    size_t first = block * BLOCK, n = e->rows - first < BLOCK ? e->rows - first : BLOCK;
    float *x;
    (void)worker;
    CP_TRY(CP_RAW(x, n * rows->dims, err));
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * rows->dims, rows->x + (size_t)e->row[first + i] * rows->dims, rows->dims * sizeof *x);
    cp_tree_walk(e->tree, e->trial->forest, x, n, e->leaf + first);
    cp_mem_free(x);
    return COPSE_OK;
}

/* Summed up in the order of the rows, whoever walked them. */
static void judge(const cp_greedy_spread *s, const exam *e, tally *sum) {
    const cp_greedy_data *d = e->trial->data;
    for (size_t i = 0; i < e->rows; i++) {
        const cp_tree_value *leaf = &e->tree->value[e->leaf[i]];
        double weight = own_weight(e->trial->weight, e->row[i]), y = (d->rows.y[e->row[i]] - d->centre) / d->scale;
        double apart = y - (double)leaf->mean;
        sum->squares += weight * apart * apart;
        sum->within += weight * (cp_greedy_spread_var(s, leaf) - s->floor);
    }
    sum->tested += e->rows;
}

static copse_status test_tree(const cp_greedy_spread *s, exam *e, const copse_run *run, tally *sum, copse_error *err) {
    size_t blocks = (e->rows + BLOCK - 1) / BLOCK;
    CP_TRY(CP_RAW(e->leaf, e->rows, err));
    copse_status status = cp_pool_for(run, cp_pool_workers(run, blocks), blocks, NULL, walk_block, e, err);
    if (!status) judge(s, e, sum);
    cp_mem_free(e->leaf);
    return status;
}

copse_status cp_greedy_spread_hold_out(cp_greedy_spread *s, const cp_greedy_trial *t, const copse_run *run,
                                       copse_error *err) {
    size_t n = t->weight->rows, out = n / 10 ? n / 10 : 1;
    uint32_t *row;
    tally sum = {0};
    copse_status status = COPSE_OK;
    if (n < 2) return COPSE_OK;
    CP_TRY(CP_RAW(row, n, err));
    for (uint32_t round = 1; !status && round <= MOST_ROUNDS && sum.tested < TESTED_ENOUGH; round++) {
        cp_tree tree = {0};
        for (size_t i = 0; i < n; i++) row[i] = t->weight->row[i];
        status = cp_greedy_weight_sample(row, n, &(cp_greedy_sample){out, t->rule->seed, round}, err);
        cp_greedy_job job = {.row = row + out, .rows = n - out, .slot = round, .root = 1};
        if (!status) status = cp_greedy_grow(t->data, t->rule, &job, run, &tree, err);
        exam e = {.trial = t, .tree = &tree, .row = row, .rows = out};
        if (!status) status = test_tree(s, &e, run, &sum, err);
        cp_tree_clear(&tree);
    }
    cp_mem_free(row);
    if (!status) cp_greedy_spread_stretch(s, sum.squares, 0, sum.within);
    return status;
}
