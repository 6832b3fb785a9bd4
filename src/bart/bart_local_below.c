#include <math.h>

#include "bart/bart_local.h"

static double log_of_leaf(const cp_bart_view *v, const cp_bart_leaf *l, uint16_t depth) {
    return cp_bart_log_leaf(v, l->sum_w, l->sum_wr) + (l->open ? v->log_stop[depth] : 0);
}

double cp_bart_local_log_below(cp_bart_local *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t top,
                               int with_rule) {
    double sum = 0;
    for (int16_t u = top; u != CP_NONE; u = cp_bart_tree_next(t, u, top)) {
        const cp_bart_node *n = &t->node[u];
        uint8_t in[CP_BART_LEAVES];
        if (n->left == CP_NONE) {
            sum += log_of_leaf(v, &t->leaf[n->slot], n->depth);
            continue;
        }
        sum += v->log_split[n->depth];
        if (u == top && !with_rule) continue;
        cp_bart_tree_below(t, u, in);
        cp_span rows = {k->row, v->columns->slots->list(t->slot, in, v->columns->ranks.rows, k->row)};
        sum += cp_bart_share_log_rule(v, n->rule, rows);
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------------- the edited tree */

static cp_span span_of(const cp_bart_local *k, int16_t u) {
    return (cp_span){k->row + k->first[u], k->rows[u]};
}

/* Summed in double, row by row: any order will do that is always the same. */
static void judge_leaf(cp_bart_local *k, const cp_bart_view *v, const cp_bart_node *n, cp_span s) {
    cp_bart_leaf *l = &k->leaf[n->slot];
    *l = (cp_bart_leaf){.rows = (uint32_t)s.n, .open = cp_rule_columns(&v->columns->ranks, s, 1) > 0};
    for (size_t i = 0; i < s.n; i++) {
        double w = v->opt_weight ? (double)v->opt_weight[s.row[i]] : 1;
        l->sum_w += w;
        if (v->r) l->sum_wr += w * (double)v->r[s.row[i]];
    }
}

/* The node's rows, in their order, its left child's first; 0 if a child gets none. */
static int part(cp_bart_local *k, const cp_bart_view *v, const cp_bart_node *n, int16_t u) {
    cp_span s = span_of(k, u);
    uint32_t *row = k->row + k->first[u];
    size_t goes = cp_rule_part(&v->columns->ranks, n->rule, s, row, k->right);
    for (size_t i = goes; i < s.n; i++) row[i] = k->right[i - goes];
    k->first[n->left] = k->first[u];
    k->rows[n->left] = goes;
    k->first[n->left + 1] = k->first[u] + goes;
    k->rows[n->left + 1] = s.n - goes;
    return goes > 0 && goes < s.n;
}

/* The leaves under top are the same as before the edit, so their slots say which rows there are. */
double cp_bart_local_log_edited(cp_bart_local *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t top,
                                int with_rule) {
    uint8_t in[CP_BART_LEAVES];
    double sum = 0;
    cp_bart_tree_below(t, top, in);
    k->first[top] = 0;
    k->rows[top] = v->columns->slots->list(t->slot, in, v->columns->ranks.rows, k->row);
    for (int16_t u = top; u != CP_NONE; u = cp_bart_tree_next(t, u, top)) {
        const cp_bart_node *n = &t->node[u];
        if (n->left == CP_NONE) {
            judge_leaf(k, v, n, span_of(k, u));
            sum += log_of_leaf(v, &k->leaf[n->slot], n->depth);
            continue;
        }
        if (!part(k, v, n, u)) return -INFINITY;
        sum += v->log_split[n->depth];
        if (u != top || with_rule) sum += cp_bart_share_log_rule(v, n->rule, span_of(k, u));
    }
    return sum;
}

void cp_bart_local_settle(const cp_bart_local *k, cp_bart_tree *t, int16_t top) {
    for (int16_t u = top; u != CP_NONE; u = cp_bart_tree_next(t, u, top)) {
        const cp_bart_node *n = &t->node[u];
        if (n->left != CP_NONE) continue;
        cp_span s = span_of(k, u);
        t->leaf[n->slot] = k->leaf[n->slot];
        t->leaf[n->slot].node = u;
        for (size_t i = 0; i < s.n; i++) t->slot[s.row[i]] = (uint8_t)n->slot;
    }
}
