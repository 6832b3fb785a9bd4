#include "mondrian/mondrian_path.h"

#include <math.h>

#include "kernel/prefetch.h"

/* Room for paths of `depths` nodes. */
static copse_status make_room(cp_mondrian_paths *w, size_t depths, copse_error *err) {
    enum { N = CP_MONDRIAN_PATH_LANES };
    size_t had = w->depths;
    if (depths <= w->exits) return COPSE_OK;
    CP_TRY(cp_mem_grow(&w->way, &w->depths, depths, N * sizeof *w->way, err));
    for (size_t i = had * N; i < w->depths * N; i++) w->way[i] = CP_NONE;
    for (size_t i = 0; i < N; i++) w->path[i].column = w->way + i;
    CP_TRY(cp_mem_grow(&w->exit, &w->exits, w->depths, N * sizeof *w->exit, err));
    for (size_t i = 0; i < N; i++) w->path[i].exit = w->exit + i * w->exits;
    return COPSE_OK;
}

enum { STRETCH = 64 }; /* steps between looks at the room left */

/* A point on its way down. */
typedef struct traveller {
    const float *x;
    int32_t at;
    uint32_t point;
} traveller;

/* STRETCH more steps for all travellers, who are all at the same depth, in one tree or (each_own) point i in tree i.
 * They take turns, so that one's wait for memory is another's work; those who arrive leave the list.  Returns how many
 * are still on the way. */
static inline size_t take_turns(traveller *on_way, size_t count, size_t depth, const cp_mondrian_tree *t, int each_own,
                                cp_mondrian_paths *w) {
    int32_t *way = w->way + depth * CP_MONDRIAN_PATH_LANES;
    const cp_mondrian_node *tree = t->node;
    for (size_t end = depth + STRETCH; depth < end && count; depth++, way += CP_MONDRIAN_PATH_LANES)
        for (size_t k = count; k-- > 0;) {
            traveller *p = &on_way[k];
            if (each_own) tree = t[p->point].node;
            const cp_mondrian_node *n = &tree[p->at];
            int32_t left = n->left, right = n->right; /* both read: a choice of values, not a branch to be guessed */
            way[p->point] = p->at;
            if (left == CP_NONE) {
                w->path[p->point].n = depth + 1;
                on_way[k] = on_way[--count];
            } else {
                cp_prefetch(&tree[left]); /* as a rule children stand side by side, on one cache line */
                p->at = p->x[n->dim] <= n->cut ? left : right;
            }
        }
    return count;
}

static inline copse_status descend(cp_mondrian_paths *w, const cp_mondrian_tree *t, int each_own, const float *x,
                                   size_t step, size_t points, copse_error *err) {
    traveller on_way[CP_MONDRIAN_PATH_LANES];
    for (size_t i = 0; i < points; i++) {
        w->path[i].exits = 0;
        on_way[i] = (traveller){.x = x + i * step, .point = (uint32_t)i};
    }
    for (size_t depth = 0; points; depth += STRETCH) {
        CP_TRY(make_room(w, depth + STRETCH, err));
        points = take_turns(on_way, points, depth, t, each_own, w);
    }
    return COPSE_OK;
}

copse_status cp_mondrian_path_resume(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t i, size_t k,
                                     const float *x, copse_error *err) {
    for (;; k++) {
        const cp_mondrian_node *n = &t->node[w->way[k * CP_MONDRIAN_PATH_LANES + i]];
        w->path[i].n = k + 1;
        if (cp_mondrian_tree_is_leaf(n)) return COPSE_OK;
        CP_TRY(make_room(w, k + 2, err));
        w->way[(k + 1) * CP_MONDRIAN_PATH_LANES + i] = x[n->dim] <= n->cut ? n->left : n->right;
    }
}

/* Asks for what cp_mondrian_path_climb will read first: the boxes of the last few nodes, and the rows of those that
 * have none.  Such nodes are at the end of the way, and the rows of the first are the rows of all. */
static void ask_for_boxes(const cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    enum { NODES = 5, LINE = 16, MOST = 4 * LINE }; /* floats */
    size_t length = 2 * s->dims < MOST ? 2 * s->dims : MOST;
    const int32_t *leaf = p->column + (p->n - 1) * CP_MONDRIAN_PATH_LANES;
    const int32_t *at = p->n > NODES ? leaf - (NODES - 1) * CP_MONDRIAN_PATH_LANES : p->column;
    for (; at <= leaf && cp_mondrian_tree_has_box(&t->node[*at]); at += CP_MONDRIAN_PATH_LANES) {
        const float *box = cp_mondrian_tree_own_box(t, s, t->node[*at].box);
        cp_prefetch(box);
        for (size_t k = LINE; k < length; k += LINE) cp_prefetch(box + k);
    }
    if (at > leaf) return;
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t rows = cp_mondrian_tree_hull_rows(t, &t->node[*at], row);
    for (size_t i = 0; i < rows; i++) cp_prefetch(cp_mondrian_tree_row(s, row[i]));
}

/* Boxes are nested, so the first one on the way up that holds the point ends the search. */
void cp_mondrian_path_climb(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x,
                            int skip_leaf) {
    cp_mondrian_branch_point *e = p->exit; /* all but place and distance is weigh_exits's */
    size_t i = p->n - (skip_leaf ? 1 : 0);
    for (const int32_t *at = p->column + i * CP_MONDRIAN_PATH_LANES; i > 0; i--, e++) {
        at -= CP_MONDRIAN_PATH_LANES;
        double outside = cp_mondrian_tree_outside(t, s, &t->node[*at], x);
        if (!(outside > 0)) break;
        e->at = i - 1;
        e->outside = outside;
    }
    p->exits = (size_t)(e - p->exit);
}

static void root_first(cp_mondrian_path *p) {
    for (size_t a = 0, b = p->exits; a + 1 < b; a++, b--) {
        cp_mondrian_branch_point swap = p->exit[a];
        p->exit[a] = p->exit[b - 1];
        p->exit[b - 1] = swap;
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
        cp_mondrian_branch_point *e = &p->exit[i];
        double keep;
        e->delta = t->node[cp_mondrian_path_node(p, e->at)].time - cp_mondrian_path_since(p, t, e->at);
        part_or_stay(e->outside * e->delta, &e->off, &keep);
        e->weight = p->stay * e->off;
        p->stay *= keep;
    }
}

copse_status cp_mondrian_path_descend(cp_mondrian_paths *w, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                      const float *x, size_t points, copse_error *err) {
    CP_TRY(descend(w, t, 0, x, s->dims, points, err));
    for (size_t i = 0; i < points; i++) ask_for_boxes(&w->path[i], t, s);
    return COPSE_OK;
}

copse_status cp_mondrian_path_descend_trees(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err) {
    CP_TRY(descend(w, t, 1, x, 0, trees, err));
    for (size_t i = 0; i < trees; i++) ask_for_boxes(&w->path[i], &t[i], s);
    return COPSE_OK;
}

static void climb_and_weigh(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                            const float *x) {
    cp_mondrian_path_climb(p, t, s, x, 0);
    root_first(p);
    weigh_exits(p, t);
}

copse_status cp_mondrian_path_find(cp_mondrian_paths *w, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err) {
    CP_TRY(cp_mondrian_path_descend(w, t, s, x, points, err));
    for (size_t i = 0; i < points; i++) climb_and_weigh(&w->path[i], t, s, x + i * s->dims);
    return COPSE_OK;
}

copse_status cp_mondrian_path_find_in_trees(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err) {
    CP_TRY(cp_mondrian_path_descend_trees(w, t, trees, s, x, err));
    for (size_t i = 0; i < trees; i++) climb_and_weigh(&w->path[i], &t[i], s, x);
    return COPSE_OK;
}

void cp_mondrian_path_prefetch(const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    enum { LINE = 64 };
    const char *node = (const char *)t->node, *box = (const char *)t->box;
    for (size_t i = 0; i < t->nodes * sizeof *t->node; i += LINE) cp_prefetch(node + i);
    for (size_t i = 0; i < t->boxes * 2 * s->dims * sizeof *t->box; i += LINE) cp_prefetch(box + i);
}

void cp_mondrian_path_clear(cp_mondrian_paths *w) {
    cp_mem_free(w->way);
    cp_mem_free(w->exit);
    *w = (cp_mondrian_paths){0};
}
