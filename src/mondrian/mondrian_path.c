#include "mondrian/mondrian_path.h"

#include <math.h>

static copse_status path_room(cp_mondrian_path *p, copse_error *err) {
    size_t cap = p->cap;
    CP_TRY(CP_GROW(p->node, cap, p->n + 64, err));
    return CP_GROW(p->exit, p->cap, cap, err);
}

/* Down to the leaves by the cuts alone.  The points take turns, so that one's wait for memory is another's work. */
static copse_status descend(cp_mondrian_walk *w, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x,
                            size_t points, copse_error *err) {
    size_t on_way[CP_MONDRIAN_ABREAST];
    int32_t at[CP_MONDRIAN_ABREAST] = {0};
    for (size_t i = 0; i < points; i++) {
        on_way[i] = i;
        w->path[i].n = w->path[i].exits = 0;
    }
    while (points) {
        for (size_t k = points; k-- > 0;) {
            size_t i = on_way[k];
            cp_mondrian_path *p = &w->path[i];
            const cp_mondrian_node *n = &t->node[at[i]];
            if (p->n == p->cap) CP_TRY(path_room(p, err));
            p->node[p->n++] = at[i];
            if (cp_mondrian_is_leaf(n)) {
                on_way[k] = on_way[--points];
            } else { /* both read, so that the choice is a move and not a branch nobody can predict */
                int32_t left = n->left, right = n->right;
                at[i] = x[i * s->dims + (size_t)n->dim] <= n->cut ? left : right;
            }
        }
    }
    return COPSE_OK;
}

/* Asks for what find_exits will read first: the boxes, or the rows, of the last few nodes. */
static void ask_for_boxes(const cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    enum { NODES = 3, LINE = 16, MOST = 4 * LINE }; /* floats */
    for (size_t i = p->n > NODES ? p->n - NODES : 0; i < p->n; i++) {
        const cp_mondrian_node *n = &t->node[p->node[i]];
        const float *box = cp_mondrian_row(s, 0);
        size_t length = s->dims;
        if (n->box != CP_NONE) {
            box = cp_mondrian_tree_own_box(t, s, n->box);
            length *= 2;
        } else if (cp_mondrian_is_leaf(n)) {
            box = cp_mondrian_row(s, n->head);
        }
        for (size_t k = 0; k < length && k < MOST; k += LINE) __builtin_prefetch(box + k);
    }
}

/* Up again from the leaf: boxes are nested, so the first box that holds the point ends the search. */
static void find_exits(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x) {
    size_t i = p->n, k = 0;
    for (; i > 0; i--) {
        double outside = cp_mondrian_tree_outside(t, s, &t->node[p->node[i - 1]], x);
        if (!(outside > 0)) break;
        p->exit[k++] = (cp_mondrian_exit){.at = i - 1, .outside = outside};
    }
    p->exits = k;
    for (size_t a = 0; a + 1 < k; a++, k--) { /* root first */
        cp_mondrian_exit swap = p->exit[a];
        p->exit[a] = p->exit[k - 1];
        p->exit[k - 1] = swap;
    }
}

/* Of 1 - exp(-z) and exp(-z), the smaller is computed and the other is 1 minus it: no digits are lost in either. */
static void part_or_stay(double z, double *out_off, double *out_keep) {
    if (z < 0.69) {
        *out_off = -expm1(-z);
        *out_keep = 1 - *out_off;
    } else {
        *out_keep = exp(-z);
        *out_off = 1 - *out_keep;
    }
}

static void weigh_exits(cp_mondrian_path *p, const cp_mondrian_tree *t) {
    p->stay = 1;
    for (size_t i = 0; i < p->exits; i++) {
        cp_mondrian_exit *e = &p->exit[i];
        double keep;
        e->delta = t->node[p->node[e->at]].time - cp_mondrian_path_since(p, t, e->at);
        part_or_stay(e->outside * e->delta, &e->off, &keep);
        e->weight = p->stay * e->off;
        p->stay *= keep;
    }
}

copse_status cp_mondrian_walk_down(cp_mondrian_walk *w, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err) {
    CP_TRY(descend(w, t, s, x, points, err));
    for (size_t i = 0; i < points; i++) ask_for_boxes(&w->path[i], t, s);
    for (size_t i = 0; i < points; i++) {
        find_exits(&w->path[i], t, s, x + i * s->dims);
        weigh_exits(&w->path[i], t);
    }
    return COPSE_OK;
}

void cp_mondrian_walk_warm(const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    enum { LINE = 64 };
    const char *node = (const char *)t->node, *box = (const char *)t->box;
    for (size_t i = 0; i < t->nodes * sizeof *t->node; i += LINE) __builtin_prefetch(node + i);
    for (size_t i = 0; i < t->boxes * 2 * s->dims * sizeof *t->box; i += LINE) __builtin_prefetch(box + i);
}

void cp_mondrian_walk_clear(cp_mondrian_walk *w) {
    for (size_t i = 0; i < CP_MONDRIAN_ABREAST; i++) {
        cp_mem_free(w->path[i].node);
        cp_mem_free(w->path[i].exit);
    }
    *w = (cp_mondrian_walk){0};
}
