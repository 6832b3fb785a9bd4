#include <math.h>

#include "base/mem.h"
#include "btree/btree.h"

double cp_btree_own_units(const cp_btree *b, double log_prob) {
    return b->prior_only ? log_prob : log_prob - (double)b->rows * log(b->scale);
}

copse_status cp_btree_new(const cp_btree_problem *p, const cp_btree_hyper *hyper, cp_btree **out, copse_error *err) {
    const cp_rows *rows = p->rows;
    cp_btree *b;
    *out = NULL;
    CP_TRY(CP_NEW(b, 1, err));
    *b = (cp_btree){.task = rows->task,
                    .classes = rows->classes,
                    .rows = rows->n,
                    .hyper = *hyper,
                    .prior_only = p->leaf.prior_only,
                    .centre = p->centre,
                    .scale = p->scale};
    copse_status status = cp_tree_set_init(&b->tree_set, rows->dims, p->leaf.width, err);
    if (status)
        cp_btree_free(b);
    else
        *out = b;
    return status;
}

copse_status cp_btree_finish(cp_btree *b, copse_error *err) {
    if (b->tree_set.index) CP_TRY(cp_tree_set_finish(&b->tree_set, err));
    CP_TRY(cp_btree_problem_leaf(&b->leaf, b->task, b->classes, &b->hyper, err));
    CP_TRY(CP_RAW(b->size, b->tree_set.nodes, err));
    cp_tree_set_measure(&b->tree_set, b->size);
    return cp_btree_diagnose_converge(b, err);
}

void cp_btree_free(void *state) {
    cp_btree *b = state;
    if (!b) return;
    for (size_t i = 0; b->island && i < b->islands; i++) cp_btree_smc_clear_island(&b->island[i]);
    for (size_t i = 0; b->trace && i < b->chains; i++) cp_btree_mcmc_clear_trace(&b->trace[i]);
    cp_mem_free(b->island);
    cp_mem_free(b->trace);
    cp_mem_free(b->size);
    cp_leaf_clear(&b->leaf);
    cp_tree_set_clear(&b->tree_set);
    cp_mem_free(b);
}
