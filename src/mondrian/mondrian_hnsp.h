/* mondrian_hnsp - class labels: a hierarchy of normalized stable processes, by interpolated Kneser-Ney [2014, app. A].
 *
 * With tab = min(c, 1) and, at a split, c = the sum of the children's tab, prediction needs: at a split, which classes
 * occur on the left and which on the right; at a leaf, how often each class occurs.  A split keeps the set of classes
 * under it, one bit per class (`class_set`).  A leaf of one class keeps it in `label`; a mixed leaf keeps a list of
 * counts (`class_counts`).  Almost all leaves have one class. */
#ifndef CP_MONDRIAN_HNSP_H
#define CP_MONDRIAN_HNSP_H

#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_tree.h"

/* 32-bit words of a class set.  One word is in the node itself.  If there are more, they are in tree->set, and
 * class_set is the number of the set there. */
static inline size_t cp_mondrian_hnsp_words(const cp_mondrian_space *s) {
    return (s->classes + 31) / 32;
}

/* Room for the class sets and counts of a block of n rows, and for one more class in the longest list of a leaf. */
copse_status cp_mondrian_hnsp_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err);

/* Counts the classes of a new mixed leaf from its list of rows. */
void cp_mondrian_hnsp_count(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *leaf);
/* One more row of this class in a leaf, before the row is linked. */
void cp_mondrian_hnsp_add(cp_mondrian_tree *t, cp_mondrian_node *leaf, int32_t label);
/* One more row of this class under a split; returns whether the class is new there. */
static inline int cp_mondrian_hnsp_add_class(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *split,
                                             int32_t label) {
    size_t words = cp_mondrian_hnsp_words(s);
    uint32_t *set = words > 1 ? t->set + (size_t)split->class_set * words : &split->class_set;
    uint32_t *word = set + label / 32, bit = UINT32_C(1) << (label % 32);
    int new_here = !(*word & bit);
    *word |= bit;
    return new_here;
}

/* Sets the class set of a new split from its children; or those of a new subtree: `node` and all nodes from first_new
 * on. */
void cp_mondrian_hnsp_set_split_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t split);
void cp_mondrian_hnsp_set_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new);
/* The place of a split's class set may be used again. */
void cp_mondrian_hnsp_free_set(cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *split);
/* Frees the room of counts that no leaf has any more, if it is more than half. */
copse_status cp_mondrian_hnsp_tidy(cp_mondrian_tree *t, copse_error *err);
/* Recomputes all class sets, as when the number of words changes.  Room is reserved; `order` is scratch for t->nodes
 * ids. */
void cp_mondrian_hnsp_rebuild_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t *order);
/* Room for the class sets of all nodes if there are so many classes. */
copse_status cp_mondrian_hnsp_reserve_sets(cp_mondrian_tree *t, size_t classes, copse_error *err);

/* Rows of class k in a leaf. */
int32_t cp_mondrian_hnsp_leaf_count(const cp_mondrian_tree *t, const cp_mondrian_node *leaf, int32_t k);
/* Does class k occur under the node? */
int cp_mondrian_hnsp_has(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, int32_t k);

/* Adds the tree's class probabilities for the point of a path to probs.  [2014, alg. 8; thesis, eq. 5.5] */
void cp_mondrian_hnsp_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s, double gamma,
                              const cp_mondrian_path *path, double *probs);

#endif
