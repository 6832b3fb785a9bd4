#include "btree/btree_problem.h"
#include "base/mem.h"

static copse_status make_leaf(const cp_btree_problem *b, const cp_btree_hyper *h, cp_leaf *out, copse_error *err) {
    const cp_rows *rows = b->rows;
    if (rows->task == COPSE_CLASS)
        return cp_leaf_dirichlet_init(out, rows->label, rows->n, rows->classes, h->alpha, err);
    return cp_leaf_nig_init(out, b->y, rows->n, (cp_leaf_nig_prior){h->kappa, h->nu, h->lambda}, err);
}

static copse_status standardise(cp_btree_problem *b, copse_error *err) {
    const double *y = b->rows->y;
    size_t n = b->rows->n;
    cp_leaf_units units = cp_leaf_nig_units(y, n, 2);
    CP_TRY(CP_RAW(b->y, n, err));
    b->centre = units.centre;
    b->scale = units.scale;
    for (size_t i = 0; i < n; i++) b->y[i] = (y[i] - b->centre) / b->scale;
    return COPSE_OK;
}

copse_status cp_btree_problem_init(cp_btree_problem *b, const cp_rows *rows, const cp_btree_hyper *hyper, uint64_t seed,
                                   const copse_run *run, copse_error *err) {
    *b = (cp_btree_problem){.rows = rows, .prior = hyper->split, .seed = seed, .scale = 1};
    copse_status status = cp_ranks_init(&b->ranks, rows->x, rows->n, rows->dims, run, err);
    if (!status && rows->task == COPSE_REGRESS) status = standardise(b, err);
    if (!status) status = make_leaf(b, hyper, &b->leaf, err);
    if (status) cp_btree_problem_clear(b);
    return status;
}

copse_status cp_btree_problem_set(cp_btree_problem *b, const cp_btree_hyper *hyper, copse_error *err) {
    cp_leaf leaf;
    CP_TRY(make_leaf(b, hyper, &leaf, err));
    leaf.prior_only = b->leaf.prior_only;
    cp_leaf_clear(&b->leaf);
    b->leaf = leaf;
    b->prior = hyper->split;
    return COPSE_OK;
}

void cp_btree_problem_clear(cp_btree_problem *b) {
    cp_ranks_clear(&b->ranks);
    cp_leaf_clear(&b->leaf);
    cp_mem_free(b->y);
    *b = (cp_btree_problem){0};
}

copse_status cp_btree_problem_leaf(cp_leaf *m, copse_task task, size_t classes, const cp_btree_hyper *hyper,
                                   copse_error *err) {
    if (task == COPSE_CLASS) return cp_leaf_dirichlet_init(m, NULL, 0, classes, hyper->alpha, err);
    return cp_leaf_nig_init(m, NULL, 0, (cp_leaf_nig_prior){hyper->kappa, hyper->nu, hyper->lambda}, err);
}
