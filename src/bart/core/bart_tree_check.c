#include "bart/core/bart_tree_check.h"

#include <math.h>
#include <string.h>

static int is_node(const cp_bart_tree *t, int u) {
    return u >= 0 && (size_t)u < cp_bart_tree_nodes(t);
}

/* T1.  Links are followed only after they have been checked.  A child has one link to a parent, so a cycle is found. */
static const char *check_links(const cp_bart_tree *t) {
    size_t nodes = cp_bart_tree_nodes(t), reached = 0;
    unsigned char seen[2 * CP_BART_MAX_LEAVES] = {0};
    if (t->pairs >= CP_BART_MAX_LEAVES || t->pairs >= t->cap) return "T1: more leaves than there is room for";
    if (t->node[0].parent != CP_NONE || t->node[0].depth) return "T1: the root is not one";
    if (t->pairs && t->node[0].left != 1) return "T1: the root's children are not the first pair";
    for (int u = 0; (size_t)u < nodes; u++) {
        int left = t->node[u].left;
        if (left == CP_NONE) continue;
        if (left % 2 != 1 || !is_node(t, left + 1)) return "T1: a child is no pair";
        for (int c = left; c <= left + 1; c++)
            if (t->node[c].parent != u || t->node[c].depth != t->node[u].depth + 1 ||
                t->node[c].depth >= CP_BART_MAX_DEPTHS)
                return "T1: a child does not know its parent";
    }
    for (int u = 1; (size_t)u < nodes; u++) {
        int p = t->node[u].parent;
        if (!is_node(t, p) || t->node[p].left != u - !(u % 2)) return "T1: a node is nobody's child";
    }
    for (int16_t u = 0; u != CP_NONE && !seen[u]; u = cp_bart_tree_next(t, u, 0)) {
        seen[u] = 1;
        reached++;
    }
    return reached == nodes ? NULL : "T1: a node is not reached from the root";
}

/* T3, and the parts of T2 and T4 that need no rows. */
static const char *check_nodes(const cp_bart_tree *t, const cp_bart_view *v) {
    const cp_ranks *r = &v->columns->ranks;
    unsigned char seen[CP_BART_MAX_LEAVES] = {0};
    for (int u = 0; (size_t)u < cp_bart_tree_nodes(t); u++) {
        const cp_bart_node *n = &t->node[u];
        if (n->left == CP_NONE) {
            if (n->slot >= cp_bart_tree_leaves(t) || seen[n->slot]) return "T2: leaves do not have one slot each";
            if (!isfinite(t->mu[n->slot])) return "T2: a leaf's mu is not a number";
            seen[n->slot] = 1;
            continue;
        }
        if (n->rule.dim >= r->dims || n->rule.cell + 1 >= cp_ranks_count(r, n->rule.dim)) return "T3: no such rule";
        if (!cp_bart_columns_has(v->columns, n->rule, n->cut)) return "T3: a cut is outside its cell";
    }
    for (int u = 0; (size_t)u < cp_bart_tree_nodes(t); u++)
        if (t->node[u].left == CP_NONE && t->leaf[t->node[u].slot].node != u)
            return "T4: a slot does not know its leaf";
    for (size_t s = cp_bart_tree_leaves(t); s < CP_BART_MAX_LEAVES; s++)
        if (t->mu[s] != 0) return "T2: a mu of no leaf is not 0";
    return NULL;
}

static uint16_t slot_of(const cp_bart_tree *t, const cp_bart_view *v, size_t row) {
    const cp_bart_node *n = t->node;
    while (n->left != CP_NONE)
        n = &t->node[n->left + (cp_ranks_column(&v->columns->ranks, n->rule.dim)[row] > n->rule.cell)];
    return n->slot;
}

typedef struct sums {
    double rows, w, wr, size;
} sums;

/* T2, T4 */
static const char *check_rows(const cp_bart_tree *t, const cp_bart_view *v) {
    sums sum[CP_BART_MAX_LEAVES] = {{0}};
    double total = 0, tol = 1e-5;
    for (size_t i = 0; i < v->columns->ranks.rows; i++) {
        double w = v->opt_weight ? (double)v->opt_weight[i] : 1, r = v->r ? (double)v->r[i] : 0;
        sums *s = &sum[t->slot[i]];
        if (t->slot[i] != slot_of(t, v, i)) return "T2: a row is not in its leaf";
        s->rows++;
        s->w += w;
        s->wr += w * r;
        s->size += w * fabs(r);
        total += w;
    }
    double size = 0;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) size += sum[s].size;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) {
        const cp_bart_leaf *l = &t->leaf[s];
        if (!l->rows) return "T2: a leaf has no rows";
        if (l->rows != sum[s].rows) return "T4: a leaf's rows are not counted right";
        if (!(fabs(l->sum_w - sum[s].w) <= (v->opt_weight ? tol * total : 0))) return "T4: a leaf's weights are wrong";
        if (v->r && !(fabs(l->sum_wr - sum[s].wr) <= tol * size)) return "T4: a leaf's residuals are not summed right";
    }
    return NULL;
}

/* T5 */
static const char *check_open(const cp_bart_tree *t, const cp_bart_view *v) {
    const cp_ranks *r = &v->columns->ranks;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) {
        uint32_t open = 0;
        for (size_t d = 0; d < r->dims; d++) {
            const uint32_t *rank = cp_ranks_column(r, d);
            uint32_t low = UINT32_MAX, high = 0;
            for (size_t i = 0; i < r->rows; i++) {
                if (t->slot[i] != s) continue;
                low = rank[i] < low ? rank[i] : low;
                high = rank[i] > high ? rank[i] : high;
            }
            open |= low < high;
        }
        if (t->leaf[s].open != open) return "T5: a leaf is wrongly open or closed";
    }
    return NULL;
}

const char *cp_bart_tree_check(const cp_bart_tree *t, const cp_bart_view *v) {
    const char *bad = check_links(t);
    if (!bad) bad = check_nodes(t, v);
    if (!bad) bad = check_rows(t, v);
    return bad ? bad : check_open(t, v);
}
