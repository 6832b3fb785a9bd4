/* bench_walk - measures the time to find the leaf of a row in one tree of a forest.
 *
 * usage: bench_walk [training rows] [trees] [columns]
 *
 * Trees split at the median of three random rows until fewer than 6 are left, so they are as deep as those of a random
 * forest with leaves of 3 rows.  The default is 18,576 rows (nine tenths of California). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "kernel/key_block.h"
#include "num/rng.h"
#include "tree/tree_walk.h"

enum { LEAF_ROWS = 6, QUERIES = 4096 };

typedef struct field {
    const float *x; /* training rows */
    size_t dims;
    uint32_t *row; /* order[from] ... order[from+n-1] are the rows of a node */
    cp_rng rng;
} field;

static float value(const field *f, size_t i, uint32_t dim) {
    return f->x[f->row[i] * f->dims + dim];
}

static float median_of_three(field *f, size_t from, size_t n, uint32_t dim) {
    float a = value(f, from + cp_rng_below(&f->rng, n), dim), b = value(f, from + cp_rng_below(&f->rng, n), dim),
          c = value(f, from + cp_rng_below(&f->rng, n), dim);
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

/* Moves the rows with x <= cut to the front; returns their number. */
static size_t part(field *f, size_t from, size_t n, uint32_t dim, float cut) {
    size_t low = from, high = from + n;
    while (low < high) {
        if (value(f, low, dim) <= cut) {
            low++;
            continue;
        }
        uint32_t row = f->row[--high];
        f->row[high] = f->row[low];
        f->row[low] = row;
    }
    return low - from;
}

static copse_status grow(cp_tree *t, field *f, int32_t node, size_t from, size_t n, copse_error *err) {
    uint32_t dim = (uint32_t)cp_rng_below(&f->rng, f->dims);
    float cut = median_of_three(f, from, n, dim);
    size_t left = part(f, from, n, dim, cut);
    if (n < LEAF_ROWS || left == n)
        return cp_tree_leaf_value(t, node, (cp_tree_value){0, 1, (float)n, (uint32_t)n}, err);
    CP_TRY(cp_tree_split(t, node, &(cp_tree_test){.dim = dim, .cut = cut}, err));
    int32_t child = t->node[node].next;
    CP_TRY(grow(t, f, child, from, left, err));
    return grow(t, f, child + 1, from + left, n - left, err);
}

static copse_status grow_forest(cp_forest *out, const float *x, size_t rows, copse_error *err) {
    field f = {.x = x, .dims = out->dims};
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(f.row, rows, err));
    CP_TRY_OUT(CP_NEW(out->tree, out->trees, err));
    for (size_t m = 0; m < out->trees; m++) {
        for (size_t i = 0; i < rows; i++) f.row[i] = (uint32_t)i;
        cp_rng_init(&f.rng, 1, CP_FOR_TEST, (uint32_t)m, 0);
        CP_TRY_OUT(cp_tree_init_root(&out->tree[m], err));
        CP_TRY_OUT(grow(&out->tree[m], &f, 0, 0, rows, err));
        CP_TRY_OUT(cp_tree_finish(&out->tree[m], err));
    }
out:
    cp_mem_free(f.row);
    return status;
}

static float *make_rows(size_t n, size_t dims, uint32_t slot) {
    float *x = cp_mem_raw(n * dims, sizeof *x);
    cp_rng rng;
    cp_rng_init(&rng, 2, CP_FOR_TEST, slot, 0);
    for (size_t i = 0; x && i < n * dims; i++) x[i] = (float)cp_rng_unit(&rng);
    return x;
}

/* One row after the other, as a simple loop does it. */
static void one_by_one(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    for (size_t i = 0; i < n; i++) {
        const cp_tree_node *node = t->node;
        while (!cp_tree_is_leaf(node))
            node = &t->node[node->next + !(x[i * f->dims + cp_tree_dim(node)] <= node->at.cut)];
        out_leaf[i] = node->at.leaf;
    }
}

/* With keys, made once for all trees. */
static void with_keys(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    static uint32_t key[QUERIES * 64];
    cp_tree_rows rows = {.x = x, .key = f->dims <= 64 ? key : NULL, .n = n};
    if (t == f->tree && rows.key && !cp_key_block_best()->keys(x, n * f->dims, key)) return;
    cp_tree_walk_rows(t, f, &rows, out_leaf);
}

/* With key blocks, as a forest of up to 64 columns answers. */
static void with_gangs(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    static uint32_t key[QUERIES * CP_KEY_BLOCK_DIMS];
    cp_tree_rows rows = {.x = x, .key_block = f->dims <= CP_KEY_BLOCK_DIMS ? key : NULL, .n = n};
    if (t == f->tree && rows.key_block && !cp_key_block_best()->from_rows(x, n, f->dims, key)) return;
    cp_tree_walk_rows(t, f, &rows, out_leaf);
}

static const struct {
    const char *name;
    void (*walk)(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf);
} walks[] = {{"one by one", one_by_one}, {"side by side", cp_tree_walk}, {"keys", with_keys}, {"gangs", with_gangs}};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nanoseconds per row and tree: the least of some rounds. */
static double cost(size_t which, const cp_forest *f, const float *x, size_t block) {
    static uint32_t leaf[QUERIES];
    double best = INFINITY;
    for (int round = 0; round < 15; round++) {
        double start = now();
        for (size_t first = 0; first < QUERIES; first += block)
            for (size_t m = 0; m < f->trees; m++) walks[which].walk(&f->tree[m], f, x + first * f->dims, block, leaf);
        best = fmin(best, now() - start);
    }
    return 1e9 * best / QUERIES / (double)f->trees;
}

int main(int argc, char **argv) {
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 18576;
    cp_forest f = {.task = COPSE_REGRESS,
                   .trees = argc > 2 ? strtoul(argv[2], NULL, 10) : 100,
                   .dims = argc > 3 ? strtoul(argv[3], NULL, 10) : 8};
    copse_error err = {.msg = "rows, trees and columns are numbers above 0"};
    float *x = NULL, *query = NULL;
    int fails = !rows || !f.trees || !f.dims || !(x = make_rows(rows, f.dims, 0)) ||
                !(query = make_rows(QUERIES, f.dims, 1)) || grow_forest(&f, x, rows, &err);
    if (fails) fprintf(stderr, "bench_walk: %s\n", err.msg);
    static const size_t blocks[] = {256, 1024, QUERIES};
    for (size_t w = 0; !fails && w < sizeof walks / sizeof *walks; w++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            printf(
                "{\"case\": \"walk\", \"walk\": \"%s\", \"trees\": %zu, \"nodes\": %zu, \"depth\": %zu, \"block\": "
                "%zu, "
                "\"ns_per_row_and_tree\": %.1f}\n",
                walks[w].name, f.trees, f.tree[0].nodes, cp_tree_depth(&f.tree[0]), blocks[b],
                cost(w, &f, query, blocks[b]));
    cp_tree_clear_forest(&f);
    cp_mem_free(x);
    cp_mem_free(query);
    return fails;
}
