#include "bayes/moves_tree_check.h"

#include <string.h>

#include "base/mem.h"

typedef struct inspector {
    const cp_moves_tree *t;
    const cp_moves_tree_model *m;
    unsigned char *seen; /* nodes, later rows */
    double *stat;
} inspector;

static int is_node(const cp_moves_tree *t, int32_t u) {
    return u >= 0 && (size_t)u < cp_moves_tree_nodes(t);
}

/* T1.  Links are followed only after they have been checked.  A child has one link to a parent, so a cycle is found. */
static const char *check_links(const inspector *in) {
    const cp_moves_tree *t = in->t;
    size_t nodes = cp_moves_tree_nodes(t), reached = 0;
    if (t->node[0].parent != CP_NONE || t->node[0].depth) return "T1: the root is not one";
    if (t->pairs && t->node[0].left != 1) return "T1: the root's children are not the first pair";
    for (int32_t u = 0; (size_t)u < nodes; u++) {
        int32_t left = t->node[u].left;
        if (left == CP_NONE) continue;
        if (left % 2 != 1 || !is_node(t, left + 1)) return "T1: a child is no pair";
        for (int32_t v = left; v <= left + 1; v++)
            if (t->node[v].parent != u || t->node[v].depth != t->node[u].depth + 1)
                return "T1: a child does not know its parent";
    }
    for (int32_t u = 1; (size_t)u < nodes; u++) {
        int32_t p = t->node[u].parent;
        if (!is_node(t, p) || t->node[p].left != u - !(u % 2)) return "T1: a node is nobody's child";
    }
    memset(in->seen, 0, nodes);
    for (int32_t u = 0; u != CP_NONE && !in->seen[u]; u = cp_moves_tree_next(t, u, 0)) {
        in->seen[u] = 1;
        reached++;
    }
    return reached == nodes ? NULL : "T1: a node is not reached from the root";
}

/* T2 */
static const char *check_ranges(const inspector *in) {
    const cp_moves_tree *t = in->t;
    if (t->node[0].first || t->node[0].rows != t->rows) return "T2: the root does not own all rows";
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        const cp_moves_node *n = &t->node[u], *left = &t->node[n->left == CP_NONE ? 0 : n->left], *right = left + 1;
        cp_span s = cp_moves_tree_span(t, u);
        if (!n->rows) return "T2: a node has no rows";
        if (n->left == CP_NONE)
            for (size_t i = 1; i < s.n; i++)
                if (s.row[i - 1] >= s.row[i]) return "T2: the rows of a leaf do not rise";
        if (n->left != CP_NONE &&
            (left->first != n->first || right->first != n->first + left->rows || left->rows + right->rows != n->rows))
            return "T2: children do not share their parent's rows";
    }
    memset(in->seen, 0, t->rows);
    for (size_t i = 0; i < t->rows; i++)
        if (t->row[i] >= t->rows || in->seen[t->row[i]]++) return "T2: rows are no permutation";
    return NULL;
}

/* T3 */
static const char *check_split(const inspector *in, int32_t u) {
    const cp_ranks *r = in->m->ranks;
    const cp_moves_node *n = &in->t->node[u];
    if (n->rule.dim >= r->dims) return "T3: a rule's column does not exist";
    cp_extent e = cp_rule_extent(r, n->rule.dim, cp_moves_tree_span(in->t, u));
    cp_extent left = cp_rule_extent(r, n->rule.dim, cp_moves_tree_span(in->t, n->left));
    cp_extent right = cp_rule_extent(r, n->rule.dim, cp_moves_tree_span(in->t, n->left + 1));
    if (left.high > n->rule.cell || right.low <= n->rule.cell) return "T3: a row is on the wrong side";
    if (e.low != n->extent.low || e.high != n->extent.high) return "T3: an extent is wrong";
    if (left.high != n->gap.low || right.low != n->gap.high) return "T3: a gap is wrong";
    size_t columns = 0;
    for (size_t d = 0; d < r->dims; d++) {
        e = cp_rule_extent(r, d, cp_moves_tree_span(in->t, u));
        columns += e.low < e.high;
    }
    if (columns != n->columns) return "T3: the number of columns that vary is wrong";
    return n->log == cp_rule_log_prob(r, n->rule, n->extent, columns) ? NULL : "T3: a rule's probability is wrong";
}

/* T4.  Rows rise in every leaf, so the sums are equal to the last bit. */
static const char *check_leaf(const inspector *in, int32_t u) {
    const cp_moves_tree *t = in->t;
    cp_span s = cp_moves_tree_span(t, u);
    const double *stat = t->stat + (size_t)u * t->width;
    double log;
    if (t->node[u].columns != cp_rule_columns(in->m->ranks, s, 1)) return "T4: a leaf is wrong about its columns";
    cp_moves_tree_marginal(in->m, s, in->stat, &log);
    for (size_t i = 0; i < t->width; i++)
        if (!(in->stat[i] == stat[i])) return "T4: a statistic is wrong";
    return log == t->node[u].log ? NULL : "T4: a likelihood is wrong";
}

/* T5 */
static const char *check_list(const inspector *in, const cp_moves_list *l, int of_leaves) {
    const cp_moves_tree *t = in->t;
    size_t should = 0;
    for (size_t i = 0; i < l->n; i++)
        if (!is_node(t, l->node[i]) || (t->node[l->node[i]].left == CP_NONE) != of_leaves ||
            t->node[l->node[i]].list_index != (int32_t)i)
            return "T5: a list and its nodes disagree";
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        const cp_moves_node *n = &t->node[u];
        if ((n->left == CP_NONE) != of_leaves) continue;
        int belongs =
            of_leaves ? n->columns > 0 : cp_moves_tree_is_leaf(t, n->left) && cp_moves_tree_is_leaf(t, n->left + 1);
        should += (size_t)belongs;
        if ((n->list_index != CP_NONE) != belongs) return "T5: a node is in the wrong list, or missing from a list";
    }
    return should == l->n ? NULL : "T5: a list is too long";
}

/* T6 */
static const char *check_sums(const inspector *in) {
    cp_moves_tree again = *in->t;
    cp_moves_tree_sum(&again, in->m);
    return again.log_prior == in->t->log_prior && again.log_likelihood == in->t->log_likelihood
               ? NULL
               : "T6: prior or likelihood is not the sum over nodes";
}

static const char *check_all(const inspector *in) {
    const char *bad = check_links(in);
    if (!bad) bad = check_ranges(in);
    for (int32_t u = 0; !bad && (size_t)u < cp_moves_tree_nodes(in->t); u++)
        bad = cp_moves_tree_is_leaf(in->t, u) ? check_leaf(in, u) : check_split(in, u);
    if (!bad) bad = check_list(in, &in->t->growable, 1);
    if (!bad) bad = check_list(in, &in->t->prunable, 0);
    return bad ? bad : check_sums(in);
}

const char *cp_moves_tree_check(const cp_moves_tree *t, const cp_moves_tree_model *m) {
    size_t nodes = cp_moves_tree_nodes(t);
    inspector in = {.t = t, .m = m};
    const char *bad = "no memory to check a tree";
    in.seen = cp_mem_raw(nodes > t->rows ? nodes : t->rows, 1);
    in.stat = cp_mem_raw(t->width, sizeof *in.stat);
    if (in.seen && in.stat) bad = check_all(&in);
    cp_mem_free(in.seen);
    cp_mem_free(in.stat);
    return bad;
}
