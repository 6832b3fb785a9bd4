/* mondrian_path - where points go in a tree, and where they may branch off on the way.
 *
 * At node j, split at tau_j, below a parent split at tau_p, a point at distance eta outside the node's box parts from
 * the rows under j before tau_j with probability 1 - exp(-eta (tau_j - tau_p)).  [2014, app. B] */
#ifndef CP_MONDRIAN_PATH_H
#define CP_MONDRIAN_PATH_H

#include "mondrian/mondrian_tree.h"

/* A node on the way that has the point outside its box. */
typedef struct cp_mondrian_branch_point {
    size_t at;      /* place on the path */
    double delta;   /* tau_j - tau_p */
    double outside; /* eta > 0 */
    double off;     /* probability of branching off here, given that the point came so far */
    double weight;  /* probability of branching off here */
} cp_mondrian_branch_point;

/* Points that walk together: while one waits for memory the others compute. */
enum { CP_MONDRIAN_PATH_LANES = 16 };

typedef struct cp_mondrian_path {
    int32_t *column; /* nodes from the root to the leaf, CP_MONDRIAN_PATH_LANES places apart */
    cp_mondrian_branch_point *exit;
    size_t n, exits;
    double stay; /* probability of arriving at the last node without branching off */
} cp_mondrian_path;

/* Buffers are reused from call to call. */
typedef struct cp_mondrian_paths {
    int32_t *way; /* where each point is: a row for each depth, a column for each point */
    cp_mondrian_branch_point *exit;
    size_t depths, exits; /* room in way, in exit: for each point */
    cp_mondrian_path path[CP_MONDRIAN_PATH_LANES];
} cp_mondrian_paths;

/* The paths of `points` <= CP_MONDRIAN_PATH_LANES points, consecutive rows of x. */
copse_status cp_mondrian_path_find(cp_mondrian_paths *w, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err);
/* The paths of one point in `trees` <= CP_MONDRIAN_PATH_LANES trees: w->path[i] is the one in t[i]. */
copse_status cp_mondrian_path_find_in_trees(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err);
/* Their first halves: down to the leaves, by the cuts alone. */
copse_status cp_mondrian_path_descend(cp_mondrian_paths *w, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                      const float *x, size_t points, copse_error *err);
copse_status cp_mondrian_path_descend_trees(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err);
/* Are points too few to hide each other's waits for memory in one tree?  Each of them then first goes ahead through
 * several trees side by side, which brings what it will meet there into the cache. */
static inline int cp_mondrian_path_few(size_t points) {
    enum { FEW = 4 };
    return points <= FEW;
}
/* Up again: p->exit, from the leaf upwards, starting above the leaf if skip_leaf; without weights. */
void cp_mondrian_path_climb(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x,
                            int skip_leaf);

/* The i-th point's way anew from its k-th node on, which is (still) on it. */
copse_status cp_mondrian_path_resume(cp_mondrian_paths *w, const cp_mondrian_tree *t, size_t i, size_t k,
                                     const float *x, copse_error *err);

/* Brings a tree into the cache in one sweep, which is many times quicker than meeting its nodes one by one; worth it
 * when many points are about to walk. */
void cp_mondrian_path_prefetch(const cp_mondrian_tree *t, const cp_mondrian_space *s);
void cp_mondrian_path_clear(cp_mondrian_paths *w);

/* The i-th node of a path. */
static inline int32_t cp_mondrian_path_node(const cp_mondrian_path *p, size_t i) {
    return p->column[i * CP_MONDRIAN_PATH_LANES];
}

/* Time of the split above it. */
static inline double cp_mondrian_path_since(const cp_mondrian_path *p, const cp_mondrian_tree *t, size_t i) {
    return i ? t->node[cp_mondrian_path_node(p, i - 1)].time : 0;
}

#endif
