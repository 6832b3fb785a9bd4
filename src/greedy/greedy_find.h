/* greedy_find - the best split of a node, from its records.
 *
 * Regression on bins: histograms of all columns in one pass.  If all columns are tried at every node, a node's histograms
 * are handed down: the smaller child's are summed up, the larger child's are what is left.  All else: one sorted list per
 * column.  Random cuts: two passes per column. */
#ifndef CP_GREEDY_FIND_H
#define CP_GREEDY_FIND_H

#include "greedy/greedy_work.h"

/* Nodes put off for later. */
typedef struct cp_greedy_waiting {
    cp_greedy_open *open;
    size_t n, cap;
} cp_greedy_waiting;

/* Scratch for nodes of at most `rows` rows. */
copse_status cp_greedy_find_new(cp_greedy_work *w, size_t rows, copse_error *err);
/* *found: w->best is the split to make; else the node is a leaf. */
copse_status cp_greedy_find(cp_greedy_work *w, cp_greedy_open *o, int *found, copse_error *err);
/* Splits the node by w->best, in the tree and among the records; fills in the children. */
copse_status cp_greedy_find_split(cp_greedy_work *w, const cp_greedy_open *o, cp_greedy_open child[2],
                                  copse_error *err);
/* Makes the node a leaf. */
copse_status cp_greedy_find_close(cp_greedy_work *w, const cp_greedy_open *o, copse_error *err);
/* Histograms from a node that was split to its children, if they are worth it. */
copse_status cp_greedy_find_hand_down(cp_greedy_work *w, cp_greedy_open *from, cp_greedy_open *small,
                                      cp_greedy_open *large, size_t local, copse_error *err);
/* The node needs its histograms no longer. */
void cp_greedy_find_drop(cp_greedy_work *w, cp_greedy_open *o);
copse_status cp_greedy_find_wait(cp_greedy_work *w, cp_greedy_waiting *wait, cp_greedy_open *o, copse_error *err);

/* In greedy_best.c: the split with the largest gain first, until there are rule->max_leaves leaves. */
copse_status cp_greedy_grow_best_first(cp_greedy_work *w, cp_greedy_open root, copse_error *err);

#endif
