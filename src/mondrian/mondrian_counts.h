/* mondrian_counts - class labels, calibrated: how many rows of each class are under each split, and probabilities from
 * these counts.
 *
 * With n_j rows under node j, c_jk of them of class k, the probabilities at j are the class shares under j, shrunk
 * towards those at its parent as if `strength` more rows had come from there:
 *     G_jk = (c_jk + strength G_parent,k) / (n_j + strength),   above the root: (c_k + 1/2) / (n + K/2).
 * A point that branches off just above j is in a node with the rows of j, so its probabilities are G_j too.
 *
 * How we differ from [2014, app. A]: there each class counts once below a node (interpolated Kneser-Ney), so that nodes
 * far above the leaf know which classes occur but not how often, and a leaf's own rows have nearly all the weight.
 * With noisy labels both are wrong.  One number learnt from held-out rows (mondrian_calibrate.h) replaces the
 * discounts.
 *
 * In a forest that keeps counts, a split's `class_counts` is the place of its list in tree->count, and it has no class
 * set.  A list is m, the number of rows, and m pairs (class, rows), with room for a power of two of pairs. */
#ifndef CP_MONDRIAN_COUNTS_H
#define CP_MONDRIAN_COUNTS_H

#include "base/reader.h"
#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_tree.h"

/* Integers of a list of m classes. */
size_t cp_mondrian_counts_size(size_t m);

/* Room for the lists of a new subtree of n rows.  A tree that is grown for the first time needs none: its lists are
 * made by cp_mondrian_counts_build. */
copse_status cp_mondrian_counts_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err);
/* Room for one more row under the splits of its path, besides that for its leaf and for the rows that are looked ahead
 * to. */
copse_status cp_mondrian_counts_reserve_path(cp_mondrian_tree *t, const cp_mondrian_space *s,
                                             const cp_mondrian_path *path, int32_t row, copse_error *err);

/* The same where the splits on its way are known: what the list of one of them needs, and room for that and for a new
 * subtree of n rows. */
size_t cp_mondrian_counts_need(const cp_mondrian_tree *t, const cp_mondrian_node *split, int32_t label);
copse_status cp_mondrian_counts_reserve_more(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, size_t more,
                                             copse_error *err);

/* The list of a new split, from its children; or those of a new subtree: `node` and all nodes from first_new on. */
void cp_mondrian_counts_set_split(cp_mondrian_tree *t, int32_t split);
void cp_mondrian_counts_set_subtree(cp_mondrian_tree *t, int32_t node, size_t first_new);
/* One more row of a class under a split. */
void cp_mondrian_counts_add(cp_mondrian_tree *t, cp_mondrian_node *split, int32_t label);

/* The lists of all splits, each as short as it can be.  With `order` (parents before children) the lists of a file are
 * claimed from its reader; NULL: children stand behind their parents. */
copse_status cp_mondrian_counts_build(cp_mondrian_tree *t, const int32_t *opt_order, cp_reader *opt_reader,
                                      copse_error *err);
/* Integers that the lists take after cp_mondrian_counts_build. */
size_t cp_mondrian_counts_total(const cp_mondrian_tree *t);

/* Moves the lists together where many were left behind: those of subtrees that were sampled again. */
copse_status cp_mondrian_counts_tidy(cp_mondrian_tree *t, copse_error *err);

/* Rows of class k under a node. */
int32_t cp_mondrian_counts_find(const cp_mondrian_tree *t, const cp_mondrian_node *n, int32_t k);
/* The probabilities above the root, from the rows that the tree has learnt. */
void cp_mondrian_counts_base(const cp_mondrian_tree *t, size_t classes, double *out);

/* Adds the tree's class probabilities for the point of a path to probs. */
void cp_mondrian_counts_predict(const cp_mondrian_tree *t, double strength, const double *base, size_t classes,
                                const cp_mondrian_path *path, double *probs);

#endif
