/* greedy_grow_best_first - grows a tree by the split with the largest gain first, until it has rule->max_leaves leaves,
 * as scikit-learn's max_leaf_nodes does. */
#ifndef CP_GREEDY_GROW_BEST_FIRST_H
#define CP_GREEDY_GROW_BEST_FIRST_H

#include "greedy/greedy_grower.h"

copse_status cp_greedy_grow_best_first(cp_greedy_grower *w, cp_greedy_node root, copse_error *err);

#endif
