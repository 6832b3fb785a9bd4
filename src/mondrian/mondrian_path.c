#include "mondrian/mondrian_path.h"

#include <math.h>

#include "kernel/prefetch.h"
#include "mondrian/mondrian_prefetch.h"
#include "num/math.h"

/* Room for paths of `depths` nodes. */
static copse_status reserve(cp_mondrian_paths *paths, size_t depths, copse_error *err) {
    enum { N = CP_MONDRIAN_PATH_LANES };
    size_t had = paths->cap_depth;
    if (depths <= paths->cap_branch_points) return COPSE_OK;
    CP_TRY(cp_mem_grow(&paths->node_ids, &paths->cap_depth, depths, N * sizeof *paths->node_ids, err));
    for (size_t i = had * N; i < paths->cap_depth * N; i++) paths->node_ids[i] = CP_NONE;
    for (size_t i = 0; i < N; i++) paths->path[i].node_id = paths->node_ids + i;
    CP_TRY(cp_mem_grow(&paths->branch_points, &paths->cap_branch_points, paths->cap_depth,
                       N * sizeof *paths->branch_points, err));
    for (size_t i = 0; i < N; i++) paths->path[i].branch_point = paths->branch_points + i * paths->cap_branch_points;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- descend */

enum { STEPS = 64 }; /* steps between two calls of reserve */

/* A point that has not reached its leaf. */
typedef struct cursor {
    const float *x;
    int32_t node;
    uint32_t lane;
} cursor;

/* STEPS more steps for all cursors.  They are at the same depth, in one tree or (each_own) lane i in tree i.  They step
 * in turn, so that the memory latency of one is hidden by the others; a cursor that reaches its leaf is removed.
 * Returns how many are left. */
static inline size_t step_all(cursor *active, size_t count, size_t depth, const cp_mondrian_tree *t, int each_own,
                              cp_mondrian_paths *paths) {
    int32_t *ids = paths->node_ids + depth * CP_MONDRIAN_PATH_LANES;
    const cp_mondrian_node *nodes = t->node;
    for (size_t end = depth + STEPS; depth < end && count; depth++, ids += CP_MONDRIAN_PATH_LANES)
        for (size_t k = count; k-- > 0;) {
            cursor *c = &active[k];
            if (each_own) nodes = t[c->lane].node;
            const cp_mondrian_node *n = &nodes[c->node];
            int32_t left = n->left, right = n->right; /* both are read: a conditional move, not a branch to predict */
            ids[c->lane] = c->node;
            if (left == CP_NONE) {
                paths->path[c->lane].n = depth + 1;
                active[k] = active[--count];
            } else {
                cp_prefetch(&nodes[left]); /* siblings are mostly neighbours in the array, on one cache line */
                c->node = c->x[n->dim] <= n->cut ? left : right;
            }
        }
    return count;
}

/* `points` points in tree t, consecutive rows of x; or, if s is NULL, the point x in the trees t[0] ... t[points-1].
 * Inline, so that both cases have loops of their own. */
static inline copse_status descend(cp_mondrian_paths *paths, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err) {
    size_t step = s ? s->dims : 0;
    cursor active[CP_MONDRIAN_PATH_LANES];
    for (size_t i = 0; i < points; i++) {
        paths->path[i].branch_points = 0;
        active[i] = (cursor){.x = x + i * step, .lane = (uint32_t)i};
    }
    for (size_t depth = 0; points; depth += STEPS) {
        CP_TRY(reserve(paths, depth + STEPS, err));
        points = step_all(active, points, depth, t, !s, paths);
    }
    return COPSE_OK;
}

copse_status cp_mondrian_path_descend(cp_mondrian_paths *paths, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                      const float *x, size_t points, copse_error *err) {
    CP_TRY(descend(paths, t, s, x, points, err));
    for (size_t i = 0; i < points; i++) cp_mondrian_prefetch_boxes(&paths->path[i], t, s);
    return COPSE_OK;
}

copse_status cp_mondrian_path_descend_trees(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err) {
    CP_TRY(descend(paths, t, NULL, x, trees, err));
    for (size_t i = 0; i < trees; i++) cp_mondrian_prefetch_boxes(&paths->path[i], &t[i], s);
    return COPSE_OK;
}

copse_status cp_mondrian_path_resume(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t i, size_t k,
                                     const float *x, copse_error *err) {
    for (;; k++) {
        const cp_mondrian_node *n = &t->node[paths->node_ids[k * CP_MONDRIAN_PATH_LANES + i]];
        paths->path[i].n = k + 1;
        if (cp_mondrian_tree_is_leaf(n)) return COPSE_OK;
        CP_TRY(reserve(paths, k + 2, err));
        paths->node_ids[(k + 1) * CP_MONDRIAN_PATH_LANES + i] = x[n->dim] <= n->cut ? n->left : n->right;
    }
}

/* ---------------------------------------------------------------------------------------------------- branch points */

/* Boxes are nested, so the search ends at the first one on the way up that holds the point. */
void cp_mondrian_path_climb(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x,
                            int skip_leaf) {
    cp_mondrian_branch_point *b = p->branch_point;
    size_t depth = p->n - (skip_leaf ? 1 : 0);
    for (const int32_t *id = p->node_id + depth * CP_MONDRIAN_PATH_LANES; depth > 0; depth--, b++) {
        id -= CP_MONDRIAN_PATH_LANES;
        double outside = cp_mondrian_tree_outside(t, s, &t->node[*id], x);
        if (!(outside > 0)) break;
        b->depth = depth - 1;
        b->outside = outside;
    }
    p->branch_points = (size_t)(b - p->branch_point);
}

static void root_first(cp_mondrian_path *p) {
    for (size_t a = 0, b = p->branch_points; a + 1 < b; a++, b--) {
        cp_mondrian_branch_point swap = p->branch_point[a];
        p->branch_point[a] = p->branch_point[b - 1];
        p->branch_point[b - 1] = swap;
    }
}

/* 1 - exp(-z) and exp(-z).  The smaller is computed and the other is 1 minus it: no digits are lost in either. */
static void branch_or_stay(double z, double *out_branch, double *out_stay) {
    if (z < 0.69) {
        *out_branch = -cp_math_expm1(-z);
        *out_stay = 1 - *out_branch;
    } else {
        *out_stay = cp_math_exp(-z);
        *out_branch = 1 - *out_stay;
    }
}

static void set_probabilities(cp_mondrian_path *p, const cp_mondrian_tree *t) {
    p->p_stay = 1;
    for (size_t i = 0; i < p->branch_points; i++) {
        cp_mondrian_branch_point *b = &p->branch_point[i];
        double stay;
        b->delta = t->node[cp_mondrian_path_node(p, b->depth)].time - cp_mondrian_path_since(p, t, b->depth);
        branch_or_stay(b->outside * b->delta, &b->p_branch, &stay);
        b->weight = p->p_stay * b->p_branch;
        p->p_stay *= stay;
    }
}

static void find_branch_points(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                               const float *x) {
    cp_mondrian_path_climb(p, t, s, x, 0);
    root_first(p);
    set_probabilities(p, t);
}

/* ------------------------------------------------------------------------------------------------------------- find */

copse_status cp_mondrian_path_find(cp_mondrian_paths *paths, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err) {
    CP_TRY(cp_mondrian_path_descend(paths, t, s, x, points, err));
    for (size_t i = 0; i < points; i++) find_branch_points(&paths->path[i], t, s, x + i * s->dims);
    return COPSE_OK;
}

void cp_mondrian_path_branch_trees(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t trees,
                                   const cp_mondrian_space *s, const float *x) {
    for (size_t i = 0; i < trees; i++) find_branch_points(&paths->path[i], &t[i], s, x);
}

void cp_mondrian_path_clear(cp_mondrian_paths *paths) {
    cp_mem_free(paths->node_ids);
    cp_mem_free(paths->branch_points);
    *paths = (cp_mondrian_paths){0};
}
