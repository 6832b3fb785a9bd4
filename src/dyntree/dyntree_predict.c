/* The prediction of a leaf that several trees share is computed once. */
#include "dyntree/dyntree_predict.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* What is known of a node while a row is predicted. */
typedef struct memo {
    uint32_t row;   /* the row for which `leaf` was found, counted from 1 */
    int32_t leaf;   /* split: the leaf below it that the row falls into */
    uint32_t trees; /* leaf: trees in which the row falls into it; 0 between rows */
} memo;

typedef struct tally {
    memo *memo;           /* one per node */
    int32_t *path, *leaf; /* leaf: the different leaves of all trees */
    size_t cap_memo, cap_path, cap_leaf;
    size_t leaves;
    uint32_t row;
    size_t first, end; /* trees first ... end-1 predict */
} tally;

/* Descends to the first node that another tree has visited: from there the path is known. */
static int32_t find_leaf(const cp_dyntree *f, int32_t id, const float *x, tally *t) {
    const cp_dyntree_node *n = &f->pool.node[id];
    size_t k = 0;
    while (t->memo[id].row != t->row && !cp_dyntree_pool_is_leaf(n)) {
        t->path[k++] = id;
        id = x[n->dim] <= n->cut ? n->left : n->right;
        n = &f->pool.node[id];
    }
    int32_t leaf = cp_dyntree_pool_is_leaf(n) ? id : t->memo[id].leaf;
    while (k-- > 0) {
        t->memo[t->path[k]].row = t->row;
        t->memo[t->path[k]].leaf = leaf;
    }
    return leaf;
}

static void find_leaves(const cp_dyntree *f, const float *x, tally *t) {
    int32_t leaf = CP_NONE;
    t->leaves = 0;
    t->row++;
    for (size_t i = t->first; i < t->end; i++) {
        if (i == t->first || f->root[i] != f->root[i - 1]) leaf = find_leaf(f, f->root[i], x, t);
        if (!t->memo[leaf].trees++) t->leaf[t->leaves++] = leaf;
    }
}

/* Sums over whole numbers of trees are divided once: fractions that are added up could exceed 1. */
static void divide(double *probs, size_t classes, double trees) {
    for (size_t k = 0; k < classes; k++) probs[k] /= trees;
}

/* The scale of y is that of its mean times sqrt(1 + kappa_n), where the 1 is the variance of y about its mean. */
static cp_component component_of(const cp_dyntree *f, int32_t leaf, double weight, int of_mean) {
    cp_component c = cp_leaf_nig_predict(&f->leaf, cp_dyntree_pool_stat(&f->pool, leaf), weight);
    c.loc = f->centre + f->scale * c.loc;
    c.scale *= f->scale;
    if (of_mean) c.scale /= sqrt(1 + f->kappa + (double)f->pool.node[leaf].rows);
    return c;
}

static copse_status answer_row(const cp_dyntree *f, const float *x, tally *t, size_t place, cp_answer *out,
                               copse_error *err) {
    double trees = (double)(t->end - t->first),
           *probs = f->task == COPSE_CLASS ? out->probs + place * out->classes : NULL;
    find_leaves(f, x, t);
    for (size_t k = 0; k < t->leaves; k++) {
        int32_t leaf = t->leaf[k];
        double weight = (double)t->memo[leaf].trees;
        t->memo[leaf].trees = 0;
        if (f->task == COPSE_CLASS)
            cp_leaf_dirichlet_predict(&f->leaf, cp_dyntree_pool_stat(&f->pool, leaf), weight, probs);
        else
            CP_TRY(cp_answer_add(out, component_of(f, leaf, weight / trees, out->of_mean), err));
    }
    if (f->task == COPSE_CLASS)
        divide(probs, out->classes, trees);
    else
        cp_answer_end_row(out);
    return COPSE_OK;
}

static void tally_clear(void *scratch) {
    tally *t = scratch;
    cp_mem_free(t->memo);
    cp_mem_free(t->path);
    cp_mem_free(t->leaf);
    *t = (tally){0};
}

/* New nodes have no memo, whatever row the others have seen last. */
static copse_status reserve_memo(tally *t, size_t nodes, copse_error *err) {
    size_t had = t->cap_memo;
    if (nodes <= had) return COPSE_OK;
    CP_TRY(CP_GROW(t->memo, t->cap_memo, nodes, err));
    memset(t->memo + had, 0, (t->cap_memo - had) * sizeof *t->memo);
    return COPSE_OK;
}

/* Prepares a tally, all zeros or used before, for `rows` more rows. */
static copse_status tally_begin(tally *t, const cp_dyntree *f, int32_t tree, size_t rows, copse_error *err) {
    t->first = tree == CP_NONE ? 0 : (size_t)tree;
    t->end = tree == CP_NONE ? f->particles : t->first + 1;
    size_t height = 0;
    for (size_t i = t->first; i < t->end; i++) {
        size_t own = f->pool.node[f->root[i]].height;
        height = own > height ? own : height;
    }
    if (rows > UINT32_MAX - t->row) { /* the count of rows begins anew */
        if (t->memo) memset(t->memo, 0, t->cap_memo * sizeof *t->memo);
        t->row = 0;
    }
    CP_TRY(reserve_memo(t, f->pool.nodes, err));
    CP_TRY(CP_GROW(t->path, t->cap_path, height + 1, err));
    return CP_GROW(t->leaf, t->cap_leaf, t->end - t->first, err);
}

/* A row that fails half way leaves counts of trees behind. */
static void tally_forget(tally *t) {
    for (size_t k = 0; k < t->leaves; k++) t->memo[t->leaf[k]].trees = 0;
}

copse_status cp_dyntree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                copse_error *err) {
    const cp_dyntree *f = state;
    tally own = {0}, *t = &own;
    (void)p;
    if (out->workspace) CP_TRY(cp_workspace_get(out->workspace, sizeof own, tally_clear, &t, err));
    copse_status status = tally_begin(t, f, out->tree, rows->n, err);
    for (size_t i = 0; !status && i < rows->n; i++) {
        status = answer_row(f, rows->x + i * rows->dims, t, i, out, err);
        if (status) tally_forget(t);
    }
    tally_clear(&own);
    return status;
}

copse_status cp_dyntree_predict_row(const cp_dyntree *f, size_t row, size_t place, cp_answer *out, copse_error *err) {
    tally t = {0};
    copse_status status = tally_begin(&t, f, CP_NONE, 1, err);
    if (!status) status = answer_row(f, cp_dyntree_row(f, row), &t, place, out, err);
    tally_clear(&t);
    return status;
}
