/* greedy_find - the best split of a node, from its records.
 *
 * Regression on bins: histograms of all columns in one pass.  If all columns are tried at every node, a node's
 * histograms are handed down: the smaller child's are summed up, the larger child's are what is left.  All else: one
 * sorted list per column.  Random cuts: greedy_random. */
#ifndef CP_GREEDY_FIND_H
#define CP_GREEDY_FIND_H

#include "greedy/greedy_grower.h"

/* A split that was found and is to be made later. */
typedef struct cp_greedy_found {
    cp_split split;        /* with a set of its own */
    double weight, square; /* of the node, which the gain depends on */
} cp_greedy_found;

/* Scratch for nodes of at most `rows` rows. */
copse_status cp_greedy_find_new(cp_greedy_grower *w, size_t rows, copse_error *err);
/* *found: w->best is the split to make; else the node is a leaf. */
copse_status cp_greedy_find(cp_greedy_grower *w, cp_greedy_frontier_node *o, int *found, copse_error *err);
/* Keeps what was found, in the arena of w; and makes it w->best again, of this or of another work on the same
 * records. */
copse_status cp_greedy_find_keep(cp_greedy_grower *w, cp_greedy_found *out, copse_error *err);
void cp_greedy_find_recall(cp_greedy_grower *w, const cp_greedy_found *f);
/* Splits the node by w->best, in the tree alone. */
copse_status cp_greedy_find_write(cp_greedy_grower *w, int32_t node, copse_error *err);
/* Among the records alone: fills in the children, but for their numbers. */
void cp_greedy_find_divide(cp_greedy_grower *w, const cp_greedy_frontier_node *o, cp_greedy_frontier_node child[2]);
/* The same on all threads, of a node of more than CP_GREEDY_GROW_SERIAL_ROWS rows. */
copse_status cp_greedy_find_divide_parallel(cp_greedy_grower *w, const copse_run *run, const cp_greedy_frontier_node *o,
                                            cp_greedy_frontier_node child[2], copse_error *err);
/* In both. */
copse_status cp_greedy_find_split(cp_greedy_grower *w, const cp_greedy_frontier_node *o,
                                  cp_greedy_frontier_node child[2], copse_error *err);
/* Makes the node a leaf. */
copse_status cp_greedy_find_close(cp_greedy_grower *w, const cp_greedy_frontier_node *o, copse_error *err);
/* Do nodes have histograms, to be handed down? */
int cp_greedy_find_has_hist(const cp_greedy_grower *w);
/* Adds records lo ... hi-1 to the node's histograms, which are 0 if it had none; */
copse_status cp_greedy_find_add_hist(cp_greedy_grower *w, size_t lo, size_t hi, cp_greedy_frontier_node *to,
                                     copse_error *err);
/* and one part of a node's histograms, which are sums of whole numbers, to another. */
void cp_greedy_find_merge_hist(cp_greedy_grower *w, cp_greedy_frontier_node *to, cp_greedy_frontier_node *part);
/* Histograms from a node that was split to its children of more than `local` rows; the small one may have its own. */
copse_status cp_greedy_find_hand_down(cp_greedy_grower *w, cp_greedy_frontier_node *from,
                                      cp_greedy_frontier_node *small, cp_greedy_frontier_node *large, size_t local,
                                      copse_error *err);
/* The node needs its histograms no longer. */
void cp_greedy_find_drop_hist(cp_greedy_grower *w, cp_greedy_frontier_node *o);

/* In greedy_grow_best_first.c: the split with the largest gain first, until there are rule->max_leaves leaves. */
copse_status cp_greedy_grow_best_first(cp_greedy_grower *w, cp_greedy_frontier_node root, copse_error *err);

#endif
