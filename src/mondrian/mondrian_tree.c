#include "mondrian/mondrian_tree.h"

#include <math.h>
#include <string.h>

#include "mondrian/mondrian_hnsp.h"

void cp_mondrian_tree_clear(cp_mondrian_tree *t) {
    cp_mem_free_lines(t->node);
    cp_mem_free_lines(t->box);
    cp_mem_free(t->next);
    cp_mem_free(t->set);
    cp_mem_free(t->count);
    cp_mem_free(t->stat);
    cp_mem_free(t->moments);
    cp_mem_free(t->chosen);
    cp_mem_free(t->choice);
    cp_mem_free(t->candidate);
    *t = (cp_mondrian_tree){0};
}

/* Room for the candidates of all splits among `nodes` nodes. */
static copse_status reserve_choices(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t nodes, copse_error *err) {
    size_t most = t->choices + (nodes - t->nodes) / 2;
    if (s->candidates < 2 || s->frozen) return COPSE_OK;
    CP_TRY(CP_GROW(t->chosen, t->cap_chosen, nodes, err));
    CP_TRY(CP_GROW(t->choice, t->cap_choices, most, err));
    return cp_mem_grow(&t->candidate, &t->cap_candidates, most, s->candidates * sizeof *t->candidate, err);
}

copse_status cp_mondrian_tree_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t more_nodes,
                                      size_t more_boxes, copse_error *err) {
    CP_TRY(cp_mem_grow_lines(&t->node, &t->cap_nodes, t->nodes + more_nodes, sizeof *t->node, err));
    CP_TRY(CP_GROW(t->next, t->cap_next, s->rows, err));
    if (s->keeps_moments) CP_TRY(CP_GROW(t->stat, t->cap_stat, t->nodes + more_nodes, err));
    CP_TRY(reserve_choices(t, s, t->nodes + more_nodes, err));
    return cp_mem_grow_lines(&t->box, &t->cap_boxes, t->boxes + more_boxes, 2 * s->dims * sizeof *t->box, err);
}

/* A failed shrink keeps the larger block, which is not an error.  `slot` is the address of a pointer of any type. */
static void shrink_lines(void *slot, size_t *cap, size_t n, size_t size) {
    void *old;
    memcpy(&old, slot, sizeof old);
    if (*cap <= n || !old) return;
    void *moved = cp_mem_resize_lines(old, *cap, n ? n : 1, size);
    if (!moved) return;
    memcpy(slot, &moved, sizeof moved);
    *cap = n ? n : 1;
}

static void trim_choices(cp_mondrian_tree *t, const cp_mondrian_space *s) {
    size_t size = s->candidates * sizeof *t->candidate;
    if (!t->choices || t->choices == t->cap_choices) return;
    cp_mondrian_choice *choice = cp_mem_resize(t->choice, t->choices, sizeof *t->choice);
    if (choice) {
        t->choice = choice;
        t->cap_choices = t->choices;
    }
    cp_mondrian_split *candidate = cp_mem_resize(t->candidate, t->choices, size);
    if (!candidate) return;
    t->candidate = candidate;
    t->cap_candidates = t->choices;
}

void cp_mondrian_tree_trim(cp_mondrian_tree *t, const cp_mondrian_space *s) {
    shrink_lines(&t->node, &t->cap_nodes, t->nodes, sizeof *t->node);
    shrink_lines(&t->box, &t->cap_boxes, t->boxes, 2 * s->dims * sizeof *t->box);
    trim_choices(t, s);
    cp_mondrian_stat *tight = t->cap_stat > t->nodes ? cp_mem_resize(t->stat, t->nodes, sizeof *t->stat) : NULL;
    if (!tight) return;
    t->stat = tight;
    t->cap_stat = t->nodes;
}

/* Collects the rows from left to right.  `right` is a stack of right children; they are fewer than the rows. */
size_t cp_mondrian_tree_hull_rows(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t *out) {
    const cp_mondrian_node *right[CP_MONDRIAN_HULL_ROWS];
    size_t k = 0, stacked = 0;
    for (;;) {
        for (; !cp_mondrian_tree_is_leaf(n); n = &t->node[n->left]) right[stacked++] = &t->node[n->right];
        int32_t r = n->head;
        out[k++] = r;
        for (int32_t more = -n->box - 1; more > 0; more--)
            out[k++] = r = t->next[r]; /* mostly there is one row, and next is not read */
        if (!stacked) return k;
        n = right[--stacked];
    }
}

double cp_mondrian_tree_outside_hull(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n,
                                     const float *x) {
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t k = cp_mondrian_tree_hull_rows(t, n, row);
    while (k < CP_MONDRIAN_HULL_ROWS)
        row[k++] = row[0]; /* always as many: the end of the kernel's loop is predicted well */
    return s->kern->outside_rows(s->x, row, k, x, s->dims);
}

const float *cp_mondrian_tree_box(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n,
                                  float *buf) {
    if (cp_mondrian_tree_has_box(n)) return cp_mondrian_tree_own_box(t, s, n->box);
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t k = cp_mondrian_tree_hull_rows(t, n, row);
    s->kern->hull(s->x, s->dims, row, k, buf);
    return buf;
}

int32_t cp_mondrian_tree_new_box(cp_mondrian_tree *t, const cp_mondrian_space *s) {
    if (!t->free_box) return (int32_t)t->boxes++;
    int32_t box = (int32_t)t->free_box - 1;
    memcpy(&t->free_box, cp_mondrian_tree_own_box(t, s, box), sizeof t->free_box);
    return box;
}

int32_t cp_mondrian_tree_new_choice(cp_mondrian_tree *t) {
    if (!t->free_choice) return (int32_t)t->choices++;
    int32_t place = (int32_t)t->free_choice - 1;
    t->free_choice = (uint32_t)t->choice[place].rows;
    return place;
}

/* A node without a box counts the row.  At CP_MONDRIAN_BOX_ROWS rows it gets a box. */
static void count_hull_row(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *n, const float *x) {
    if (!cp_mondrian_tree_gets_box(n->box)) {
        n->box--;
        return;
    }
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t k = cp_mondrian_tree_hull_rows(t, n, row);
    n->box = cp_mondrian_tree_new_box(t, s);
    float *box = cp_mondrian_tree_own_box(t, s, n->box);
    s->kern->hull(s->x, s->dims, row, k, box);
    s->kern->include(box, x, s->dims);
}

void cp_mondrian_tree_include(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *n, const float *x) {
    if (cp_mondrian_tree_has_box(n))
        s->kern->include(cp_mondrian_tree_own_box(t, s, n->box), x, s->dims);
    else
        count_hull_row(t, s, n, x);
}

/* Breadth first: the list itself is the queue. */
void cp_mondrian_tree_order(const cp_mondrian_tree *t, int32_t *out) {
    size_t n = 0;
    if (t->nodes) out[n++] = 0;
    for (size_t i = 0; i < n; i++) {
        const cp_mondrian_node *node = &t->node[out[i]];
        if (cp_mondrian_tree_is_leaf(node)) continue;
        out[n++] = node->left;
        out[n++] = node->right;
    }
}

void cp_mondrian_tree_shape(const cp_mondrian_tree *t, int32_t *order, int32_t *depth, size_t *out_leaves,
                            double *out_depth) {
    double sum = 0, rows = 0;
    size_t leaves = 0;
    cp_mondrian_tree_order(t, order);
    if (t->nodes) depth[0] = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[order[i]];
        if (cp_mondrian_tree_is_leaf(n)) {
            leaves++;
            rows += n->count;
            sum += (double)n->count * depth[order[i]];
        } else {
            depth[n->left] = depth[n->right] = depth[order[i]] + 1;
        }
    }
    *out_leaves = leaves;
    *out_depth = rows > 0 ? sum / rows : 0;
}
