/* mondrian_targets - what a tree keeps of the targets under each node, kept up to date as the tree changes.
 *
 * Classes: class sets at splits, counts at leaves (mondrian_hnsp.h); calibrated, counts at splits
 * too (mondrian_counts.h).  Numbers with the fast posterior: moments at every
 * node (mondrian_gauss.h).  Numbers with the exact posterior: nothing, it is computed from the leaves later.
 *
 * Only the functions that reserve memory can fail.  All are inline: they are called once a row and tree. */
#ifndef CP_MONDRIAN_TARGETS_H
#define CP_MONDRIAN_TARGETS_H

#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_gauss.h"
#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_path.h"

/* Room for a block of n rows. */
static inline copse_status cp_mondrian_targets_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n,
                                                       copse_error *err) {
    if (s->label) CP_TRY(cp_mondrian_hnsp_reserve(t, s, n, err));
    return s->keeps_counts ? cp_mondrian_counts_reserve(t, s, n, err) : COPSE_OK;
}

/* Room for a row that joins this leaf. */
static inline copse_status cp_mondrian_targets_reserve_leaf(cp_mondrian_tree *t, const cp_mondrian_space *s,
                                                            const cp_mondrian_node *leaf, int32_t row,
                                                            copse_error *err) {
    int counts_grow = s->label && leaf->label != s->label[row];
    return counts_grow ? cp_mondrian_hnsp_reserve(t, s, 1, err) : COPSE_OK;
}

/* Room for a row under the splits of its path. */
static inline copse_status cp_mondrian_targets_reserve_path(cp_mondrian_tree *t, const cp_mondrian_space *s,
                                                            const cp_mondrian_path *path, int32_t row,
                                                            copse_error *err) {
    return s->keeps_counts ? cp_mondrian_counts_reserve_path(t, s, path, row, err) : COPSE_OK;
}

/* A new leaf of one row. */
static inline void cp_mondrian_targets_init_leaf(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t leaf,
                                                 int32_t row) {
    if (s->label) t->node[leaf].label = s->label[row];
    if (s->keeps_moments) t->stat[leaf] = (cp_mondrian_stat){.n = 1, .mean = s->y[row], .m2 = 0};
}

/* A new split `parent` above the node that was in its place and is now `child`, and above a leaf for the row. */
static inline void cp_mondrian_targets_init_parent(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t parent,
                                                   int32_t child, int32_t row) {
    if (s->keeps_counts)
        cp_mondrian_counts_set_split(t, parent);
    else if (s->label)
        cp_mondrian_hnsp_set_split_classes(t, s, parent);
    if (!s->keeps_moments) return;
    t->stat[child] = t->stat[parent];
    cp_mondrian_gauss_learn(&t->stat[parent], s->y[row]);
}

/* A new subtree: `node` and all nodes from first_new on.  Its leaves have their lists and labels.  The class counts of
 * a tree that is grown for the first time need memory: cp_mondrian_counts_build makes them afterwards. */
static inline void cp_mondrian_targets_init_subtree(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node,
                                                    size_t first_new) {
    if (s->keeps_counts) {
        if (t->rows) cp_mondrian_counts_set_subtree(t, node, first_new);
    } else if (s->label) {
        cp_mondrian_hnsp_set_classes(t, s, node, first_new);
    }
    if (s->keeps_moments) cp_mondrian_gauss_moments(t, s, node, first_new);
}

/* New nodes id[0] ... id[n-1], parents before children.  The leaves have their lists and labels. */
static inline void cp_mondrian_targets_init_nodes(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *id,
                                                  size_t n) {
    for (size_t i = n; s->keeps_counts && t->rows && i-- > 0;)
        if (!cp_mondrian_tree_is_leaf(&t->node[id[i]])) cp_mondrian_counts_set_split(t, id[i]);
    for (size_t i = n; s->label && !s->keeps_counts && i-- > 0;)
        if (!cp_mondrian_tree_is_leaf(&t->node[id[i]])) cp_mondrian_hnsp_set_split_classes(t, s, id[i]);
    for (size_t i = n; s->keeps_moments && i-- > 0;) cp_mondrian_gauss_set_moments(t, s, (size_t)id[i]);
}

/* One more row under a split. */
static inline void cp_mondrian_targets_add_split(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t split,
                                                 int32_t row) {
    if (s->keeps_counts)
        cp_mondrian_counts_add(t, &t->node[split], s->label[row]);
    else if (s->label)
        cp_mondrian_hnsp_add_class(t, s, &t->node[split], s->label[row]);
    if (s->keeps_moments) cp_mondrian_gauss_learn(&t->stat[split], s->y[row]);
}

/* One more row in a leaf, before the row is linked. */
static inline void cp_mondrian_targets_add(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t leaf, int32_t row) {
    if (s->label) cp_mondrian_hnsp_add(t, &t->node[leaf], s->label[row]);
    if (s->keeps_moments) cp_mondrian_gauss_learn(&t->stat[leaf], s->y[row]);
}

/* One more row under the first n nodes of its path.  Class sets are nested: from below, the first that has the class
 * ends the search.  [2014, alg. 6] */
static inline void cp_mondrian_targets_add_above(cp_mondrian_tree *t, const cp_mondrian_space *s,
                                                 const cp_mondrian_path *path, size_t n, int32_t row) {
    if (s->keeps_counts)
        for (size_t i = 0; i < n; i++)
            cp_mondrian_counts_add(t, &t->node[cp_mondrian_path_node(path, i)], s->label[row]);
    else if (s->label)
        for (size_t i = n; i-- > 0;)
            if (!cp_mondrian_hnsp_add_class(t, s, &t->node[cp_mondrian_path_node(path, i)], s->label[row])) break;
    if (s->keeps_moments)
        for (size_t i = 0; i < n; i++) cp_mondrian_gauss_learn(&t->stat[cp_mondrian_path_node(path, i)], s->y[row]);
}

#endif
