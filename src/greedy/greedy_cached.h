/* greedy_cached - grows a small node and all nodes below it in the cache.
 *
 * The rows of a node that fits the cache are numbered 0 ... m-1 once, and each column is sorted once.  From there on a
 * split is a scan of sorted lists and a stable partition of them: only the two values next to a cut are looked at
 * again.
 *
 * A column's list holds keys rank << 16 | row.  Ranks count the column's different values, among the m rows or among
 * all rows (greedy_rank.h).  If at least half the columns are tried at every node, all lists are divided along with the
 * node.  If fewer are, that work would be wasted: the list of a column is made from its ranks when the column is
 * tried. */
#ifndef CP_GREEDY_CACHED_H
#define CP_GREEDY_CACHED_H

#include "greedy/greedy_grower.h"

/* Sets w->cached_rows, the bound on a small node's rows, and makes the scratch for it, in a tree of nodes of at most
 * `rows` rows.  The bound is 0 where small nodes are grown like all others. */
copse_status cp_greedy_cached_new(cp_greedy_grower *w, size_t rows, copse_error *err);
/* Writes all nodes below `node`, of at most w->cached_rows rows, into w->tree. */
copse_status cp_greedy_cached_grow(cp_greedy_grower *w, const cp_greedy_node *node, copse_error *err);

#endif
