#include "mondrian/mondrian_subtree.h"

#include <math.h>
#include <string.h>

#include "mondrian/mondrian_hnsp.h"

size_t cp_mondrian_subtree_list(const cp_mondrian_tree *t, int32_t j, int32_t *out) {
    size_t n = 0;
    const cp_mondrian_node *node = &t->node[j];
    for (size_t i = 0;; node = &t->node[out[i++]]) {
        if (!cp_mondrian_tree_is_leaf(node)) {
            out[n++] = node->left;
            out[n++] = node->right;
        }
        if (i == n) return n;
    }
}

static void free_box(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t box) {
    memcpy(cp_mondrian_tree_own_box(t, s, box), &t->free_box, sizeof t->free_box);
    t->free_box = (uint32_t)box + 1;
}

static void free_choice(cp_mondrian_tree *t, int32_t place) {
    t->choice[place].rows = (int32_t)t->free_choice;
    t->free_choice = (uint32_t)place + 1;
}

void cp_mondrian_subtree_vacate(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *id, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const cp_mondrian_node *node = &t->node[id[i]];
        if (cp_mondrian_tree_has_box(node)) free_box(t, s, node->box);
        if (t->chosen[id[i]] != CP_NONE) free_choice(t, t->chosen[id[i]]);
        if (s->classes && !s->keeps_counts && !cp_mondrian_tree_is_leaf(node)) cp_mondrian_hnsp_free_set(t, s, node);
    }
}

/* The link to node j in its parent: a row under j leads there. */
static int32_t *find_link(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t j) {
    const cp_mondrian_node *low = &t->node[j];
    while (!cp_mondrian_tree_is_leaf(low)) low = &t->node[low->left];
    const float *x = cp_mondrian_tree_row(s, low->head);
    for (cp_mondrian_node *n = t->node;;) {
        int32_t *link = x[n->dim] <= n->cut ? &n->left : &n->right;
        if (*link == j) return link;
        n = &t->node[*link];
    }
}

static void move_node(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t from, int32_t to) {
    *find_link(t, s, from) = to;
    t->node[to] = t->node[from];
    t->chosen[to] = t->chosen[from];
    if (s->keeps_moments) t->stat[to] = t->stat[from];
}

/* A removed node has a time below 0 until it is gone. */
void cp_mondrian_subtree_close(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *vacant, size_t n) {
    for (size_t i = 0; i < n; i++) t->node[vacant[i]].time = -1;
    for (size_t i = 0; i <= n; i++) {
        while (t->node[t->nodes - 1].time < 0) t->nodes--; /* the root stays */
        if (i == n || (size_t)vacant[i] >= t->nodes) continue;
        move_node(t, s, (int32_t)--t->nodes, vacant[i]);
    }
}

/* Replaces the time of each child that is a split by its distance from the node's, or, if `back`, adds it up again. */
static void shift_children(cp_mondrian_tree *t, int32_t j, int back) {
    const cp_mondrian_node *n = &t->node[j];
    if (cp_mondrian_tree_is_leaf(n)) return;
    const int32_t child[2] = {n->left, n->right};
    for (int k = 0; k < 2; k++) {
        cp_mondrian_node *c = &t->node[child[k]];
        if (cp_mondrian_tree_is_leaf(c)) continue;
        c->time = back ? n->time + c->time : c->time - n->time;
        if (back && !(c->time > n->time)) c->time = nextafter(n->time, INFINITY); /* by rounding */
    }
}

void cp_mondrian_subtree_retime(cp_mondrian_tree *t, int32_t j, double time, int32_t *id) {
    size_t n = cp_mondrian_subtree_list(t, j, id);
    for (size_t i = n; i-- > 0;) shift_children(t, id[i], 0);
    shift_children(t, j, 0);
    t->node[j].time = time;
    shift_children(t, j, 1);
    for (size_t i = 0; i < n; i++) shift_children(t, id[i], 1);
}
