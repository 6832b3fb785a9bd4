/* greedy_sorted - split search on sorted lists: a node's rows are sorted by each column that is tried.  Used for
 * classes, and for regression without bins. */
#ifndef CP_GREEDY_SORTED_H
#define CP_GREEDY_SORTED_H

#include "greedy/greedy_grower.h"

/* For nodes of at most `rows` rows. */
copse_status cp_greedy_sorted_new(cp_greedy_grower *w, size_t rows, copse_error *err);
/* Tries the columns; the best split is w->best. */
void cp_greedy_sorted_search(cp_greedy_grower *w, const cp_greedy_node *node);

#endif
