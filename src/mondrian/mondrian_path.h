/* mondrian_path - the decision paths of points, and the nodes where a point may branch off its path.
 *
 * The path of x is found by the cuts alone, from the root to a leaf.  x branches off where it lies outside a node's
 * box: let node j be split at tau_j, its parent at tau_p, and let eta > 0 be the distance of x from the box of j.  Then
 * x is separated from the rows under j before tau_j with probability 1 - exp(-eta (tau_j - tau_p)).  [2014, app. B]
 *
 * Up to CP_MONDRIAN_PATH_LANES paths are found together: while one lane waits for memory, the others compute. */
#ifndef CP_MONDRIAN_PATH_H
#define CP_MONDRIAN_PATH_H

#include "mondrian/mondrian_tree.h"

/* A node of the path whose box does not hold the point. */
typedef struct cp_mondrian_branch_point {
    size_t depth;    /* of the node; 0 is the root */
    double delta;    /* tau_j - tau_p */
    double outside;  /* eta > 0 */
    double p_branch; /* probability of branching off here, given that the point came so far; the paper's p^s_j(x) */
    double weight;   /* probability of branching off here */
} cp_mondrian_branch_point;

enum { CP_MONDRIAN_PATH_LANES = 16 };

/* The path of one point.  Its arrays belong to cp_mondrian_paths. */
typedef struct cp_mondrian_path {
    int32_t *node_id; /* nodes from the root to the leaf, CP_MONDRIAN_PATH_LANES places apart */
    cp_mondrian_branch_point *branch_point;
    size_t n, branch_points; /* nodes, branch points */
    double p_stay;           /* probability of reaching the leaf without branching off */
} cp_mondrian_path;

/* The paths of all lanes.  Buffers are reused from call to call; start from {0}. */
typedef struct cp_mondrian_paths {
    int32_t *node_ids; /* one row for each depth, one column for each lane */
    cp_mondrian_branch_point *branch_points;
    size_t cap_depth, cap_branch_points; /* for each lane */
    cp_mondrian_path path[CP_MONDRIAN_PATH_LANES];
} cp_mondrian_paths;
void cp_mondrian_path_clear(cp_mondrian_paths *paths);

/* Paths with branch points and probabilities of `points` <= CP_MONDRIAN_PATH_LANES points, consecutive rows of x. */
copse_status cp_mondrian_path_find(cp_mondrian_paths *paths, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, size_t points, copse_error *err);
/* The nodes of the paths only, without branch points. */
copse_status cp_mondrian_path_descend(cp_mondrian_paths *paths, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                      const float *x, size_t points, copse_error *err);
copse_status cp_mondrian_path_descend_trees(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t trees,
                                            const cp_mondrian_space *s, const float *x, copse_error *err);
/* Branch points and probabilities of paths that cp_mondrian_path_descend_trees has found. */
void cp_mondrian_path_branch_trees(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t trees,
                                   const cp_mondrian_space *s, const float *x);
/* Descends again in lane i, from depth k on.  The path up to depth k has to be right. */
copse_status cp_mondrian_path_resume(cp_mondrian_paths *paths, const cp_mondrian_tree *t, size_t i, size_t k,
                                     const float *x, copse_error *err);
/* Finds the branch points of a path: depth and distance only, from the leaf upwards.  Leaves the leaf out if
 * skip_leaf. */
void cp_mondrian_path_climb(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s, const float *x,
                            int skip_leaf);

static inline int32_t cp_mondrian_path_node(const cp_mondrian_path *p, size_t depth) {
    return p->node_id[depth * CP_MONDRIAN_PATH_LANES];
}

/* tau_p of the node at this depth: the time of the split above it, 0 for the root. */
static inline double cp_mondrian_path_since(const cp_mondrian_path *p, const cp_mondrian_tree *t, size_t depth) {
    return depth ? t->node[cp_mondrian_path_node(p, depth - 1)].time : 0;
}

#endif
