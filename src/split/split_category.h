/* split_category - the best split of a category: a set of its levels against the others.
 *
 *   regression, two classes   levels in the order of their mean response: the best of all subsets is a cut of this
 *                             order [Breiman et al. 1984, sec. 4.2]
 *   more classes              for each of the 32 heaviest classes, levels in the order of its share of them; and each
 *                             level against the others.  This need not find the best subset. */
#ifndef CP_SPLIT_CATEGORY_H
#define CP_SPLIT_CATEGORY_H

#include "split/split.h"

/* Returns 1 if a set is better than `best`, which then holds it, except dim.  `levels` is the number of ranks there can
 * be. */
int cp_split_category(const cp_split_node *n, const cp_split_list *l, uint32_t levels, cp_split *best);
/* The same for regression, from the sums of `count` levels in n->level; `missing` is the sum over rows without a
 * value. */
int cp_split_category_sums(const cp_split_node *n, size_t count, cp_sum missing, uint32_t levels, cp_split *best);

#endif
