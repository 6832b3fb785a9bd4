/* greedy_hist - split search on histograms: regression on binned columns.
 *
 * A histogram has CP_SPLIT_CELLS cells a column; a cell is the sum over the node's records in one bin.
 *   All columns are tried at every node: a node keeps the histograms of all columns and hands them down when it is
 *       split.  The smaller child's are summed from its records; the larger child's are the parent's minus the smaller
 *       child's.  Cells are integers, so the difference is exact.
 *   Some columns are tried: histograms are filled for these, a few columns at a time, and not kept. */
#ifndef CP_GREEDY_HIST_H
#define CP_GREEDY_HIST_H

#include "greedy/greedy_grower.h"

/* Is this the search for the tree? */
int cp_greedy_hist_applies(const cp_greedy_grower *w);
/* Do its nodes keep histograms and hand them down? */
int cp_greedy_hist_inherits(const cp_greedy_grower *w);
copse_status cp_greedy_hist_new(cp_greedy_grower *w, copse_error *err);

/* Tries the columns; the best split is w->best.  Fills the node's histograms if it is to keep some. */
copse_status cp_greedy_hist_search(cp_greedy_grower *w, cp_greedy_node *node, copse_error *err);

/* Adds records lo ... hi-1 to the histograms of `to`, which are 0 if it had none. */
copse_status cp_greedy_hist_add(cp_greedy_grower *w, size_t lo, size_t hi, cp_greedy_node *to, copse_error *err);
/* Adds the histograms of `partial`, a node of some of the same records, to those of `to`; `partial` has none
 * afterwards.  Either may have none before. */
void cp_greedy_hist_merge(cp_greedy_grower *w, cp_greedy_node *to, cp_greedy_node *partial);
/* The histograms of the larger child, in the memory of the parent's; the parent has none afterwards. */
void cp_greedy_hist_subtract(const cp_greedy_grower *w, cp_greedy_node *parent, const cp_greedy_node *small,
                             cp_greedy_node *large);
/* The node's histograms, if it has some, are free to be used again. */
void cp_greedy_hist_drop(cp_greedy_grower *w, cp_greedy_node *node);

#endif
