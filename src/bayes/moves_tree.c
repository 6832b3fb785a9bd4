#include "bayes/moves_tree.h"

#include "base/mem.h"

void cp_moves_tree_model_init(cp_moves_tree_model *m, const cp_ranks *ranks, const cp_leaf *opt_leaf,
                              cp_tree_prior prior) {
    *m = (cp_moves_tree_model){.ranks = ranks, .leaf = opt_leaf};
    cp_tree_prior_table_init(&m->prior, prior);
}

void cp_moves_tree_marginal(const cp_moves_tree_model *m, cp_span s, double *out_stat, double *out_log) {
    *out_log = 0;
    if (!m->leaf) return;
    cp_leaf_gather(m->leaf, s.row, s.n, out_stat);
    *out_log = cp_leaf_log_marginal(m->leaf, out_stat);
}

copse_status cp_moves_tree_reserve(cp_moves_tree *t, size_t pairs, copse_error *err) {
    size_t nodes = 2 * pairs + 1;
    CP_TRY(CP_GROW(t->node, t->cap_node, nodes, err));
    CP_TRY(CP_GROW(t->stat, t->cap_stat, nodes * t->width + 1, err)); /* + 1: never NULL, also if width is 0 */
    CP_TRY(CP_GROW(t->growable.node, t->growable.cap, pairs + 1, err));
    return CP_GROW(t->prunable.node, t->prunable.cap, pairs + 1, err);
}

copse_status cp_moves_tree_init(cp_moves_tree *t, const cp_moves_tree_model *m, copse_error *err) {
    copse_status status;
    *t = (cp_moves_tree){.rows = m->ranks->rows, .width = m->leaf ? m->leaf->width : 0};
    CP_TRY_OUT(CP_RAW(t->row, t->rows, err));
    CP_TRY_OUT(cp_moves_tree_reserve(t, 1, err));
    cp_moves_tree_reset(t, m);
out:
    if (status) cp_moves_tree_clear(t);
    return status;
}

void cp_moves_tree_clear(cp_moves_tree *t) {
    cp_mem_free(t->node);
    cp_mem_free(t->stat);
    cp_mem_free(t->row);
    cp_mem_free(t->growable.node);
    cp_mem_free(t->prunable.node);
    *t = (cp_moves_tree){0};
}

void cp_moves_tree_reset(cp_moves_tree *t, const cp_moves_tree_model *m) {
    for (size_t i = 0; i < t->rows; i++) t->row[i] = (uint32_t)i;
    t->pairs = t->growable.n = t->prunable.n = 0;
    t->node[0] = (cp_moves_node){.parent = CP_NONE, .left = CP_NONE, .rows = (uint32_t)t->rows, .list_index = CP_NONE};
    cp_span all = cp_moves_tree_span(t, 0);
    t->node[0].columns = (uint32_t)cp_rule_columns(m->ranks, all, 1);
    cp_moves_tree_marginal(m, all, t->stat, &t->node[0].log);
    if (t->node[0].columns) cp_moves_tree_list_add(&t->growable, t, 0);
    cp_moves_tree_sum(t, m);
}

void cp_moves_tree_refresh(cp_moves_tree *t, const cp_moves_tree_model *m) {
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++)
        if (cp_moves_tree_is_leaf(t, u))
            cp_moves_tree_marginal(m, cp_moves_tree_span(t, u), t->stat + (size_t)u * t->width, &t->node[u].log);
    cp_moves_tree_sum(t, m);
}

/* ------------------------------------------------------------------------------------------------------------ lists */

void cp_moves_tree_list_add(cp_moves_list *l, cp_moves_tree *t, int32_t node) {
    t->node[node].list_index = (int32_t)l->n;
    l->node[l->n++] = node;
}

void cp_moves_tree_list_remove(cp_moves_list *l, cp_moves_tree *t, int32_t node) {
    int32_t place = t->node[node].list_index, last = l->node[--l->n];
    l->node[place] = last;
    t->node[last].list_index = place;
    t->node[node].list_index = CP_NONE;
}

/* --------------------------------------------------------------------------------------------------- walks and sums */

int32_t cp_moves_tree_next(const cp_moves_tree *t, int32_t at, int32_t top) {
    if (!cp_moves_tree_is_leaf(t, at)) return t->node[at].left;
    while (at != top && at % 2 == 0) at = t->node[at].parent; /* right children are even */
    return at == top ? CP_NONE : at + 1;
}

size_t cp_moves_tree_depth(const cp_moves_tree *t) {
    uint32_t most = 0;
    for (size_t i = 0; i < cp_moves_tree_nodes(t); i++)
        if (t->node[i].depth > most) most = t->node[i].depth;
    return most;
}

double cp_moves_tree_log_node(const cp_moves_tree_model *m, const cp_moves_node *n) {
    if (n->left != CP_NONE) return cp_tree_prior_table_split(&m->prior, n->depth) + n->log;
    return n->columns ? cp_tree_prior_table_stop(&m->prior, n->depth) : 0;
}

void cp_moves_tree_sum(cp_moves_tree *t, const cp_moves_tree_model *m) {
    t->log_prior = t->log_likelihood = 0;
    for (size_t i = 0; i < cp_moves_tree_nodes(t); i++) {
        const cp_moves_node *n = &t->node[i];
        t->log_prior += cp_moves_tree_log_node(m, n);
        if (n->left == CP_NONE) t->log_likelihood += n->log;
    }
}
