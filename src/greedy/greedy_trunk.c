#include "greedy/greedy_trunk.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "tree/tree_walk.h"

enum { BLOCK = 4096 };

/* A copy of the row numbers that begins with a sample without replacement. */
static copse_status sample_rows(const cp_greedy_weight *weight, const cp_greedy_sample *sample, uint32_t **out,
                                copse_error *err) {
    CP_TRY(CP_RAW(*out, weight->rows, err));
    for (size_t i = 0; i < weight->rows; i++) (*out)[i] = weight->row[i];
    return cp_greedy_weight_sample(*out, weight->rows, sample, err);
}

copse_status cp_greedy_trunk_grow(const cp_greedy_data *d, const cp_greedy_trunk_options *o,
                                  const cp_greedy_weight *weight, const copse_run *run, cp_tree *out,
                                  copse_error *err) {
    size_t n = (size_t)fmax(1, round(o->sample * (double)weight->rows));
    double share = (double)n / (double)weight->rows;
    cp_greedy_rule rule = o->rule;
    rule.min_leaf = (size_t)fmax(1, round(share * (double)rule.min_leaf));
    cp_greedy_job job = {.rows = n, .root = 1};
    uint32_t *row = NULL;
    copse_status status = COPSE_OK;
    if (n < weight->rows) status = sample_rows(weight, &(cp_greedy_sample){n, rule.seed, 0}, &row, err);
    job.row = row ? row : n < d->rows.n ? weight->row : NULL;
    if (!status) status = cp_greedy_grow(d, &rule, &job, run, out, err);
    cp_mem_free(row);
    for (size_t i = 0; !status && i < d->rows.dims; i++) out->gain[i] = (float)((double)out->gain[i] / share);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- routing */

typedef struct routing {
    const cp_greedy_trunk_routing *r;
    uint32_t *leaf; /* by row number */
} routing;

static copse_status route_block(void *arg, size_t b, size_t worker, copse_error *err) {
    (void)worker;
    (void)err;
    const routing *job = arg;
    const cp_rows *rows = job->r->rows;
    size_t first = b * BLOCK, n = rows->n - first < BLOCK ? rows->n - first : BLOCK;
    cp_tree_walk(job->r->trunk, job->r->forest, rows->x + first * rows->dims, n, job->leaf + first);
    return COPSE_OK;
}

/* A counting sort.  First start[k + 2] counts the rows of leaf k; summed up, start[k + 1] is where the next row of leaf
 * k goes, and in the end where leaf k + 1 begins. */
static copse_status sort_by_leaf(const uint32_t *leaf, size_t leaves, cp_greedy_weight *weight, size_t **out_start,
                                 copse_error *err) {
    uint32_t *sorted;
    CP_TRY(CP_RAW(sorted, weight->rows, err));
    size_t *start = cp_mem_new(leaves + 2, sizeof *start);
    if (!start) {
        cp_mem_free(sorted);
        return cp_fail_memory(err);
    }
    for (size_t i = 0; i < weight->rows; i++) start[leaf[weight->row[i]] + 2]++;
    for (size_t k = 1; k < leaves; k++) start[k + 1] += start[k];
    for (size_t i = 0; i < weight->rows; i++) sorted[start[leaf[weight->row[i]] + 1]++] = weight->row[i];
    cp_mem_free(weight->row);
    weight->row = sorted;
    *out_start = start;
    return COPSE_OK;
}

copse_status cp_greedy_trunk_route(const cp_greedy_trunk_routing *r, cp_greedy_weight *weight, const copse_run *run,
                                   size_t **out_start, copse_error *err) {
    size_t blocks = (r->rows->n + BLOCK - 1) / BLOCK;
    routing job = {.r = r};
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(job.leaf, r->rows->n, err));
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, blocks), blocks, NULL, route_block, &job, err));
    CP_TRY_OUT(sort_by_leaf(job.leaf, r->trunk->leaves, weight, out_start, err));
out:
    cp_mem_free(job.leaf);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- copying */

static cp_tree_test test_of(const cp_tree *t, const cp_tree_node *n, const uint32_t *levels) {
    cp_tree_test test = {.dim = cp_tree_dim(n), .missing_left = (n->what & CP_TREE_MISSING_LEFT) != 0};
    if (n->what & CP_TREE_CATEGORY) {
        test.set = t->set + n->at.set;
        test.words = cp_tree_words(levels[test.dim]);
    } else {
        test.cut = n->at.cut;
    }
    return test;
}

/* place[i] is the number in the copy of node i.  Parents come before children, so place[i] is set when it is needed. */
static copse_status copy_splits(const cp_tree *trunk, const cp_rows *rows, cp_tree *out, int32_t *place,
                                copse_error *err) {
    CP_TRY(cp_tree_init_root(out, err));
    place[0] = 0;
    for (size_t i = 0; i < trunk->nodes; i++) {
        const cp_tree_node *n = &trunk->node[i];
        if (cp_tree_is_leaf(n)) continue;
        cp_tree_test test = test_of(trunk, n, rows->levels);
        CP_TRY(cp_tree_split(out, place[i], &test, err));
        place[n->next] = out->node[place[i]].next;
        place[n->next + 1] = place[n->next] + 1;
    }
    CP_TRY(CP_RAW(out->gain, rows->dims, err));
    for (size_t d = 0; d < rows->dims; d++) out->gain[d] = trunk->gain[d];
    return COPSE_OK;
}

copse_status cp_greedy_trunk_copy(const cp_tree *trunk, const cp_rows *rows, cp_tree *out, int32_t *out_leaf,
                                  copse_error *err) {
    int32_t *place;
    CP_TRY(CP_RAW(place, trunk->nodes, err));
    copse_status status = copy_splits(trunk, rows, out, place, err);
    for (size_t i = 0; !status && i < trunk->nodes; i++)
        if (cp_tree_is_leaf(&trunk->node[i])) out_leaf[trunk->node[i].at.leaf] = place[i];
    cp_mem_free(place);
    return status;
}

uint64_t cp_greedy_trunk_root(size_t k) {
    return (uint64_t)(k + 2) << 32;
}
