#include "bart/mh/bart_mh_subtree.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_parallel.h"
#include "bart/core/bart_split_probs.h"

static double log_of_leaf(const cp_bart_view *v, const cp_bart_leaf *l, uint16_t depth) {
    return cp_bart_view_log_leaf(v, l->sum_w, l->sum_wr) + (l->open ? v->log_stop[depth] : 0);
}

static cp_bart_leaf sum_below(const cp_bart_tree *t, int16_t top) {
    cp_bart_leaf sum = {0};
    for (int16_t u = top; u != CP_NONE; u = cp_bart_tree_next(t, u, top)) {
        if (!cp_bart_tree_is_leaf(t, u)) continue;
        const cp_bart_leaf *l = &t->leaf[t->node[u].slot];
        sum.rows += l->rows;
        sum.sum_w += l->sum_w;
        sum.sum_wr += l->sum_wr;
    }
    return sum;
}

/* An inner node.  Its rows have the slot of its leftmost leaf; the rows that go right get the slot of the leftmost leaf
 * of the right child.  After all nodes, the rows of each leaf have the leaf's slot. */
static double log_inner(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t u, int with_rule) {
    const cp_bart_node *n = &t->node[u];
    const cp_bart_group rows = {k->slot, cp_bart_tree_first(t, u)};
    const cp_leaf_pass_cut cut = {cp_bart_columns_code(v->columns, n->rule.dim), (uint16_t)n->rule.cell};
    if (!cp_bart_tree_divide(v, rows, &k->proposed[u], n->rule, &k->proposed[n->left])) return -INFINITY;
    double log_rule = with_rule ? cp_bart_split_probs_log_rule(v, n->rule, rows) : 0;
    cp_bart_parallel_split(v, k->slot, rows.id, cut, cp_bart_tree_first(t, (int16_t)(n->left + 1)));
    return v->log_split[n->depth] + log_rule;
}

double cp_bart_mh_subtree_log_prob(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t top,
                                   int with_rule) {
    double sum = 0;
    cp_bart_tree_merge(t, v, top, k->slot);
    k->proposed[top] = sum_below(t, top);
    for (int16_t u = top; u != CP_NONE && sum > -INFINITY; u = cp_bart_tree_next(t, u, top)) {
        if (cp_bart_tree_is_leaf(t, u))
            sum += log_of_leaf(v, &k->proposed[u], t->node[u].depth);
        else
            sum += log_inner(k, v, t, u, with_rule || u != top);
    }
    return sum;
}

void cp_bart_mh_subtree_apply(const cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, int16_t top) {
    memcpy(t->slot, k->slot, v->columns->ranks.rows);
    for (int16_t u = top; u != CP_NONE; u = cp_bart_tree_next(t, u, top)) {
        if (!cp_bart_tree_is_leaf(t, u)) continue;
        cp_bart_leaf *l = &t->leaf[t->node[u].slot];
        *l = k->proposed[u];
        l->node = u;
    }
}
