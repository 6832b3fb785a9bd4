/* split_hist - the best split of a column, from its histogram.  All functions return 1 if a split is better than
 * `best`, which then holds it, except dim and cut. */
#ifndef CP_SPLIT_HIST_H
#define CP_SPLIT_HIST_H

#include "split/split.h"

/* Regression.  Cell b < bins holds the sums over the rows of bin b; the last of the CP_SPLIT_CELLS cells holds those
 * over the rows without a value. */
enum { CP_SPLIT_CELLS = 256 };
int cp_split_hist_numbers(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best);
int cp_split_hist_levels(const cp_split_node *n, const cp_sum *cell, size_t bins, cp_split *best);
/* Gini, of numbers without missing values: cell b * classes + k is the sum of cp_sum.w over the rows of class k in
 * bin b. */
int cp_split_hist_classes(const cp_split_node *n, const int64_t *cell, size_t bins, cp_split *best);
enum { CP_SPLIT_CELLS_A_ROW = 2 }; /* with more cells a row, sorting is faster than cp_split_hist_classes */

#endif
