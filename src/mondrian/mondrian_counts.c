#include "mondrian/mondrian_counts.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- the lists */

enum { HEAD = 2 }; /* integers before the pairs */

/* Pairs that a list of m classes has room for. */
static size_t room(size_t m) {
    size_t r = 2;
    while (r < m) r *= 2;
    return r;
}

size_t cp_mondrian_counts_size(size_t m) {
    return HEAD + 2 * room(m);
}

/* The pairs of a node: those of its list, or the one of a leaf of one class, written to own. */
static const int32_t *pairs_of(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t own[2], size_t *out_m) {
    if (!cp_mondrian_tree_is_leaf(n)) {
        const int32_t *list = t->count + n->class_counts;
        *out_m = (size_t)list[0];
        return list + HEAD;
    }
    if (n->label == CP_NONE) {
        const int32_t *list = t->count + n->class_counts;
        *out_m = (size_t)list[0];
        return list + 1;
    }
    own[0] = n->label;
    own[1] = n->count;
    *out_m = 1;
    return own;
}

/* The place of a class among m pairs, m if it is not there. */
static size_t place_of(const int32_t *pair, size_t m, int32_t label) {
    size_t i = 0;
    while (i < m && pair[2 * i] != label) i++;
    return i;
}

/* Adds the pairs of a node to the list at the end of tree->count. */
static void gather(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t *list) {
    int32_t own[2];
    size_t m;
    const int32_t *pair = pairs_of(t, n, own, &m);
    for (size_t i = 0; i < m; i++) {
        size_t have = (size_t)list[0], at = place_of(list + HEAD, have, pair[2 * i]);
        if (at == have) {
            list[0]++;
            list[HEAD + 2 * at] = pair[2 * i];
            list[HEAD + 2 * at + 1] = 0;
        }
        list[HEAD + 2 * at + 1] += pair[2 * i + 1];
        list[1] += pair[2 * i + 1];
    }
}

void cp_mondrian_counts_set_split(cp_mondrian_tree *t, int32_t split) {
    cp_mondrian_node *n = &t->node[split];
    int32_t *list = t->count + t->counts;
    list[0] = list[1] = 0;
    gather(t, &t->node[n->left], list);
    gather(t, &t->node[n->right], list);
    n->class_counts = (uint32_t)t->counts;
    t->counts += cp_mondrian_counts_size((size_t)list[0]);
}

/* New children stand behind their parents in the array, so a loop from the end meets children first. */
void cp_mondrian_counts_set_subtree(cp_mondrian_tree *t, int32_t node, size_t first_new) {
    for (size_t j = t->nodes; j-- > first_new;)
        if (!cp_mondrian_tree_is_leaf(&t->node[j])) cp_mondrian_counts_set_split(t, (int32_t)j);
    if (!cp_mondrian_tree_is_leaf(&t->node[node])) cp_mondrian_counts_set_split(t, node);
}

void cp_mondrian_counts_add(cp_mondrian_tree *t, cp_mondrian_node *split, int32_t label) {
    int32_t *list = t->count + split->class_counts;
    size_t m = (size_t)list[0], at = place_of(list + HEAD, m, label);
    list[1]++;
    if (at < m) {
        list[HEAD + 2 * at + 1]++;
        return;
    }
    if (m == room(m)) { /* it moves to the end, where it has twice the room */
        memcpy(t->count + t->counts, list, (HEAD + 2 * m) * sizeof *list);
        list = t->count + t->counts;
        split->class_counts = (uint32_t)t->counts;
        t->counts += cp_mondrian_counts_size(m + 1);
    }
    list[0]++;
    list[HEAD + 2 * m] = label;
    list[HEAD + 2 * m + 1] = 1;
}

/* ------------------------------------------------------------------------------------------------------------- room */

/* Integers for a subtree of n rows.  Leaves may need room too, as mondrian_hnsp.c reserves it. */
static size_t subtree_size(const cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n) {
    int32_t own[2];
    size_t classes;
    pairs_of(t, &t->node[0], own, &classes);
    size_t most = classes + n < s->classes ? classes + n : s->classes;
    return 3 * n + 2 * s->classes + 1 + n * cp_mondrian_counts_size(most);
}

copse_status cp_mondrian_counts_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err) {
    if (t->rows == 0) return COPSE_OK;
    return CP_GROW(t->count, t->cap_counts, t->counts + subtree_size(t, s, n), err);
}

copse_status cp_mondrian_counts_reserve_more(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, size_t more,
                                             copse_error *err) {
    return CP_GROW(t->count, t->cap_counts, t->counts + more + subtree_size(t, s, n), err);
}

size_t cp_mondrian_counts_need(const cp_mondrian_tree *t, const cp_mondrian_node *split, int32_t label) {
    const int32_t *list = t->count + split->class_counts;
    size_t m = (size_t)list[0];
    return m < room(m) || place_of(list + HEAD, m, label) < m ? 0 : cp_mondrian_counts_size(m + 1);
}

copse_status cp_mondrian_counts_reserve_path(cp_mondrian_tree *t, const cp_mondrian_space *s,
                                             const cp_mondrian_path *path, int32_t row, copse_error *err) {
    size_t need = 0, block = (size_t)t->node[cp_mondrian_path_node(path, path->n - 1)].count + 1;
    for (size_t i = 0; i + 1 < path->n; i++)
        need += cp_mondrian_counts_need(t, &t->node[cp_mondrian_path_node(path, i)], s->label[row]);
    if (!need) return COPSE_OK;
    return cp_mondrian_counts_reserve_more(t, s, block + (size_t)2 * CP_MONDRIAN_PATH_LANES, need, err);
}

/* ------------------------------------------------------------------------------------------------------ whole trees */

copse_status cp_mondrian_counts_build(cp_mondrian_tree *t, const int32_t *opt_order, cp_reader *opt_reader,
                                      copse_error *err) {
    for (size_t i = t->nodes; i-- > 0;) {
        int32_t j = opt_order ? opt_order[i] : (int32_t)i, own[2];
        const cp_mondrian_node *n = &t->node[j];
        size_t left, right;
        if (cp_mondrian_tree_is_leaf(n)) continue;
        pairs_of(t, &t->node[n->left], own, &left);
        pairs_of(t, &t->node[n->right], own, &right);
        if (t->counts + cp_mondrian_counts_size(left + right) > UINT32_MAX)
            return cp_fail(err, COPSE_E_DATA, "the class counts of a tree exceed 2^32: learn from fewer rows");
        CP_TRY(CP_GROW(t->count, t->cap_counts, t->counts + cp_mondrian_counts_size(left + right), err));
        size_t before = t->counts;
        cp_mondrian_counts_set_split(t, j);
        if (opt_reader) CP_TRY(cp_reader_claim(opt_reader, t->counts - before, sizeof *t->count, err));
    }
    return COPSE_OK;
}

size_t cp_mondrian_counts_total(const cp_mondrian_tree *t) {
    size_t sum = 0;
    for (size_t j = 0; j < t->nodes; j++)
        if (!cp_mondrian_tree_is_leaf(&t->node[j]))
            sum += cp_mondrian_counts_size((size_t)t->count[t->node[j].class_counts]);
    return sum;
}

/* Integers of all lists, of leaves too. */
static size_t live_size(const cp_mondrian_tree *t) {
    size_t sum = cp_mondrian_counts_total(t);
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_mondrian_node *n = &t->node[j];
        if (cp_mondrian_tree_is_leaf(n) && n->label == CP_NONE) sum += 1 + 2 * (size_t)t->count[n->class_counts];
    }
    return sum;
}

copse_status cp_mondrian_counts_tidy(cp_mondrian_tree *t, copse_error *err) {
    if (t->counts < t->tidy_counts) return COPSE_OK;
    size_t live = live_size(t), at = 0, cap = 2 * live + 1024;
    int32_t *count;
    t->tidy_counts = cap;
    if (t->counts < cap) return COPSE_OK;
    CP_TRY(CP_RAW(count, cap, err));
    for (size_t j = 0; j < t->nodes; j++) {
        cp_mondrian_node *n = &t->node[j];
        int leaf = cp_mondrian_tree_is_leaf(n);
        if (leaf && n->label != CP_NONE) continue;
        const int32_t *list = t->count + n->class_counts;
        size_t m = (size_t)list[0];
        memcpy(count + at, list, (leaf ? 1 + 2 * m : HEAD + 2 * m) * sizeof *list);
        n->class_counts = (uint32_t)at;
        at += leaf ? 1 + 2 * m : cp_mondrian_counts_size(m);
    }
    cp_mem_free(t->count);
    t->count = count;
    t->counts = at;
    t->cap_counts = cap;
    return COPSE_OK;
}

int32_t cp_mondrian_counts_find(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t k) {
    int32_t own[2];
    size_t m;
    const int32_t *pair = pairs_of(t, n, own, &m);
    size_t at = place_of(pair, m, k);
    return at < m ? pair[2 * at + 1] : 0;
}

/* ------------------------------------------------------------------------------------------------------- prediction */

void cp_mondrian_counts_base(const cp_mondrian_tree *t, size_t classes, double *out) {
    int32_t own[2];
    size_t m;
    const int32_t *pair = pairs_of(t, &t->node[0], own, &m);
    double rows = 0.5 * (double)classes;
    for (size_t i = 0; i < m; i++) rows += pair[2 * i + 1];
    for (size_t k = 0; k < classes; k++) out[k] = 0.5 / rows;
    for (size_t i = 0; i < m; i++) out[pair[2 * i]] += pair[2 * i + 1] / rows;
}

/* The probabilities are a sum over the path of the nodes' counts with scalar factors, added from the leaf upwards: g is
 * the factor of G_j in the rest of the sum. */
void cp_mondrian_counts_predict(const cp_mondrian_tree *t, double strength, const double *base, size_t classes,
                                const cp_mondrian_path *path, double *probs) {
    const double negligible = 1e-12;
    const cp_mondrian_branch_point *b = path->branch_point + path->branch_points; /* the next on the way up is b[-1] */
    double g = path->p_stay;
    for (size_t i = path->n; i-- > 0;) {
        if (g < negligible) { /* the next node that adds something is the next branch point */
            if (b == path->branch_point) break;
            i = b[-1].depth;
        }
        if (b > path->branch_point && b[-1].depth == i) g += (--b)->weight;
        const cp_mondrian_node *n = &t->node[cp_mondrian_path_node(path, i)];
        int32_t own[2];
        size_t m;
        const int32_t *pair = pairs_of(t, n, own, &m);
        double all = (cp_mondrian_tree_is_leaf(n) ? n->count : pair[-1]) + strength, each = g / all;
        for (size_t k = 0; k < m; k++) probs[pair[2 * k]] += each * pair[2 * k + 1];
        g *= strength / all;
    }
    for (size_t k = 0; k < classes; k++) probs[k] += g * base[k];
}
