#include "bayes/moves_rebuild.h"

#include <math.h>
#include <string.h>

/* Sorts the rows of a node, which are the sorted rows of its leaves one after another.  The sort is a bit set: a bit
 * for each row, and a bit for each nonzero word of 64 rows, so that only words with rows are visited. */
static void sort_rows(cp_moves *k, cp_span s, uint32_t *out) {
    size_t n = 0, pages = (k->model->ranks->rows >> 12) + 1, rising = 1;
    while (rising < s.n && s.row[rising - 1] < s.row[rising]) rising++;
    if (rising == s.n) {
        memcpy(out, s.row, s.n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < s.n; i++) {
        uint32_t row = s.row[i];
        k->bit[row >> 6] |= UINT64_C(1) << (row & 63);
        k->page[row >> 12] |= UINT64_C(1) << (row >> 6 & 63);
    }
    for (size_t p = 0; p < pages && n < s.n; p++)
        for (; k->page[p]; k->page[p] &= k->page[p] - 1) {
            size_t word = p << 6 | (size_t)__builtin_ctzll(k->page[p]);
            for (; k->bit[word]; k->bit[word] &= k->bit[word] - 1)
                out[n++] = (uint32_t)(word << 6) | (uint32_t)__builtin_ctzll(k->bit[word]);
        }
}

/* Partitions the rows of a node in place, keeping their order, and sets the node's extent and gap: one pass, without a
 * branch on the data.  Returns how many rows go left. */
static uint32_t partition(cp_moves *k, cp_moves_node *n, uint32_t *row) {
    const uint32_t *rank = cp_ranks_column(k->model->ranks, n->rule.dim);
    cp_extent left = {UINT32_MAX, 0}, right = {UINT32_MAX, 0};
    uint32_t n_left = 0, cell = n->rule.cell;
    for (uint32_t i = 0; i < n->rows; i++) {
        uint32_t r = row[i], at = rank[r], is_left = at <= cell;
        uint32_t low = is_left ? at : UINT32_MAX, high = is_left ? at : 0;
        row[n_left] = r;
        k->right[i - n_left] = r;
        n_left += is_left;
        left.low = low < left.low ? low : left.low;
        left.high = high > left.high ? high : left.high;
        low = is_left ? UINT32_MAX : at;
        high = is_left ? 0 : at;
        right.low = low < right.low ? low : right.low;
        right.high = high > right.high ? high : right.high;
    }
    memcpy(row + n_left, k->right, (n->rows - n_left) * sizeof *row);
    n->extent = (cp_extent){left.low, right.high};
    n->gap = (cp_extent){left.high, right.low};
    return n_left;
}

static int rebuild_split(cp_moves *k, cp_moves_node *n, uint32_t *row) {
    uint32_t n_left = partition(k, n, row);
    if (n_left == 0 || n_left == n->rows) return 0;
    cp_moves_node *left = &k->proposed[n->left], *right = left + 1;
    n->columns = (uint32_t)cp_rule_columns(k->model->ranks, (cp_span){row, n->rows}, k->model->ranks->dims);
    n->log = cp_rule_log_prob(k->model->ranks, n->rule, n->extent, n->columns);
    left->first = n->first;
    left->rows = n_left;
    right->first = n->first + n_left;
    right->rows = n->rows - n_left;
    return 1;
}

static void rebuild_leaf(cp_moves *k, const cp_moves_tree *t, int32_t u, const uint32_t *row) {
    cp_moves_node *n = &k->proposed[u];
    cp_span s = {row, n->rows};
    n->columns = (uint32_t)cp_rule_columns(k->model->ranks, s, 1);
    cp_moves_tree_marginal(k->model, s, k->stat + (size_t)u * t->width, &n->log);
}

int cp_moves_rebuild(cp_moves *k, const cp_moves_tree *t, int32_t top) {
    uint32_t first = t->node[top].first;
    for (int32_t u = top; u != CP_NONE; u = cp_moves_tree_next(t, u, top)) k->proposed[u] = t->node[u];
    sort_rows(k, cp_moves_tree_span(t, top), k->row);
    for (int32_t u = top; u != CP_NONE; u = cp_moves_tree_next(t, u, top)) {
        uint32_t *row = k->row + (k->proposed[u].first - first);
        if (cp_moves_tree_is_leaf(t, u))
            rebuild_leaf(k, t, u, row);
        else if (!rebuild_split(k, &k->proposed[u], row))
            return 0;
    }
    return 1;
}

void cp_moves_rebuild_commit(cp_moves *k, cp_moves_tree *t, int32_t top) {
    const cp_moves_node *whole = &t->node[top];
    memcpy(t->row + whole->first, k->row, whole->rows * sizeof *t->row);
    for (int32_t u = top; u != CP_NONE; u = cp_moves_tree_next(t, u, top)) {
        cp_moves_node *n = &t->node[u];
        int32_t place = n->list_index;
        *n = k->proposed[u];
        n->list_index = place;
        if (!cp_moves_tree_is_leaf(t, u)) continue;
        if (t->width)
            memcpy(t->stat + (size_t)u * t->width, k->stat + (size_t)u * t->width, t->width * sizeof *t->stat);
        if (n->columns && place == CP_NONE) cp_moves_tree_list_add(&t->growable, t, u);
        if (!n->columns && place != CP_NONE) cp_moves_tree_list_remove(&t->growable, t, u);
    }
}
