#include "dyntree/dyntree_check.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------------------------------------------------------------ cells */

/* The least and greatest value of a few columns in a node. */
enum { COLUMNS = 8 };
typedef struct box {
    float low[COLUMNS], high[COLUMNS];
} box;

static void box_of_leaf(const cp_dyntree *f, int32_t leaf, size_t dim, size_t n, box *out) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    for (size_t d = 0; d < n; d++) {
        out->low[d] = INFINITY;
        out->high[d] = -INFINITY;
    }
    for (size_t k = 0; k < f->pool.node[leaf].rows; k++) {
        const float *x = cp_dyntree_row(f, list[k]) + dim;
        for (size_t d = 0; d < n; d++) {
            out->low[d] = x[d] < out->low[d] ? x[d] : out->low[d];
            out->high[d] = x[d] > out->high[d] ? x[d] : out->high[d];
        }
    }
}

static void box_of_split(const box *left, const box *right, size_t n, box *out) {
    for (size_t d = 0; d < n; d++) {
        out->low[d] = left->low[d] < right->low[d] ? left->low[d] : right->low[d];
        out->high[d] = left->high[d] > right->high[d] ? left->high[d] : right->high[d];
    }
}

copse_status cp_dyntree_check_cells(const cp_dyntree *f, const int32_t *order, size_t n, int *out_sound,
                                    copse_error *err) {
    box *all;
    *out_sound = 1;
    CP_TRY(CP_RAW(all, f->pool.nodes, err));
    for (size_t dim = 0; dim < f->dims; dim += COLUMNS) {
        size_t wide = f->dims - dim < COLUMNS ? f->dims - dim : COLUMNS;
        for (size_t i = n; i-- > 0;) {
            const cp_dyntree_node *at = &f->pool.node[order[i]];
            box *own = &all[order[i]];
            if (cp_dyntree_pool_is_leaf(at)) {
                box_of_leaf(f, order[i], dim, wide, own);
                continue;
            }
            const box *left = &all[at->left], *right = &all[at->right];
            size_t d = (size_t)at->dim - dim;
            if ((size_t)at->dim >= dim && d < wide && !(left->high[d] <= at->cut && right->low[d] > at->cut))
                *out_sound = 0;
            box_of_split(left, right, wide, own);
        }
    }
    cp_mem_free(all);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

static int same_bits(const double *a, const double *b, size_t n) {
    return !memcmp(a, b, n * sizeof *a);
}

static const char *check_leaf(const cp_dyntree *f, int32_t id, uint32_t *seen, double *stat) {
    const cp_dyntree_node *n = &f->pool.node[id];
    if (n->leaves != 1 || n->height) return "D5: a leaf has children";
    if (n->dim != CP_NONE || n->cut != 0) return "D3: a leaf has a split";
    if (n->depth && n->rows < f->min_leaf) return "D4: a leaf has too few rows";
    if (f->frozen) return NULL;
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, id);
    for (size_t k = 0; k < n->rows; k++) {
        if (list[k] >= f->learnt || seen[list[k]] == (uint32_t)id + 1) return "D3: a leaf lists an impossible row";
        seen[list[k]] = (uint32_t)id + 1;
    }
    cp_leaf_gather(&f->leaf, list, n->rows, stat);
    if (!same_bits(stat, cp_dyntree_pool_stat(&f->pool, id), f->pool.width))
        return "D5: a leaf's statistic is not that of its rows";
    double log_tree = cp_tree_prior_table_stop(&f->prior, n->depth) + cp_leaf_log_marginal(&f->leaf, stat);
    return same_bits(&log_tree, &n->log_tree, 1) ? NULL : "D5: a leaf's likelihood is not that of its rows";
}

static const char *check_split(const cp_dyntree *f, int32_t id, double *stat) {
    const cp_dyntree_node *n = &f->pool.node[id], *left = &f->pool.node[n->left], *right = &f->pool.node[n->right];
    const double *l = cp_dyntree_pool_stat(&f->pool, n->left), *r = cp_dyntree_pool_stat(&f->pool, n->right);
    if (left->depth != n->depth + 1 || right->depth != n->depth + 1) return "D2: depth does not grow by one";
    if (n->dim < 0 || (size_t)n->dim >= f->dims || !isfinite(n->cut)) return "D3: a split has an impossible cut";
    uint32_t height = 1 + (left->height > right->height ? left->height : right->height);
    if (n->rows != left->rows + right->rows || n->leaves != left->leaves + right->leaves || n->height != height)
        return "D5: a split is not the sum of its children";
    if (f->frozen || !cp_dyntree_is_fresh(n)) return NULL;
    if (!cp_dyntree_is_fresh(left) || !cp_dyntree_is_fresh(right)) return "D5: a split is fresh before its children";
    for (size_t k = 0; k < f->pool.width; k++) stat[k] = l[k] + r[k];
    if (!same_bits(stat, cp_dyntree_pool_stat(&f->pool, id), f->pool.width))
        return "D5: a split's statistic is not the sum of its children's";
    double log_tree = cp_tree_prior_table_split(&f->prior, n->depth) + (left->log_tree + right->log_tree);
    return same_bits(&log_tree, &n->log_tree, 1) ? NULL : "D5: a split's likelihood is not that of its children";
}

/* Counts the holders of every node again. */
static const char *check_holders(const cp_dyntree *f, uint32_t *tmp, int32_t *order, size_t *out_n) {
    const cp_dyntree_pool *p = &f->pool;
    *out_n = cp_dyntree_pool_order(p, f->root, f->particles, tmp, order);
    for (size_t i = 0; i < p->nodes; i++)
        if (tmp[i]) return "D2: a node has fewer holders than it counts";
    return *out_n == p->live ? NULL : "D2: a node has no holders";
}

static const char *check_nodes(const cp_dyntree *f, uint32_t *tmp, int32_t *order, uint32_t *seen, double *stat) {
    size_t n;
    copse_error err;
    int sound = 1;
    const char *wrong = check_holders(f, tmp, order, &n);
    for (size_t i = 0; !wrong && i < n; i++)
        wrong = cp_dyntree_pool_is_leaf(&f->pool.node[order[i]]) ? check_leaf(f, order[i], seen, stat)
                                                                 : check_split(f, order[i], stat);
    for (size_t i = 0; !wrong && i < f->particles; i++) {
        const cp_dyntree_node *root = &f->pool.node[f->root[i]];
        if (root->depth) wrong = "D2: a root is below a split";
        if (root->rows != f->learnt) wrong = "D3: a tree has the wrong number of rows";
    }
    if (!wrong && !f->frozen && cp_dyntree_check_cells(f, order, n, &sound, &err)) wrong = "no memory to check";
    return wrong || sound ? wrong : "D3: a row is on the wrong side of a cut";
}

const char *cp_dyntree_check(const void *state) {
    const cp_dyntree *f = state;
    if (f->learnt > f->rows || f->moved > f->learnt || f->learnt - f->moved > 1)
        return "D1: learnt and moved do not fit the rows";
    size_t nodes = f->pool.nodes;
    uint32_t *tmp = cp_mem_raw(nodes, sizeof *tmp), *seen = cp_mem_new(f->rows, sizeof *seen);
    int32_t *order = cp_mem_raw(nodes, sizeof *order);
    double *stat = cp_mem_raw(f->pool.width, sizeof *stat);
    const char *wrong = tmp && seen && order && stat ? check_nodes(f, tmp, order, seen, stat) : "no memory to check";
    cp_mem_free(tmp);
    cp_mem_free(seen);
    cp_mem_free(order);
    cp_mem_free(stat);
    return wrong;
}
