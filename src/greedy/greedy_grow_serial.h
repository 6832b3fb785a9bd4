/* greedy_grow_serial - grows a tree downwards from one node, on one thread: large nodes step by step (greedy_step.h),
 * small ones in the cache (greedy_cached.h). */
#ifndef CP_GREEDY_GROW_SERIAL_H
#define CP_GREEDY_GROW_SERIAL_H

#include "greedy/greedy_grower.h"

/* A node of at most so many rows is grown by one thread.  The bound is fixed, so that which nodes these are depends on
 * the data alone, never on the number of threads. */
enum { CP_GREEDY_GROW_SERIAL_ROWS = 65536 };

/* Writes all nodes below `root` into w->tree. */
copse_status cp_greedy_grow_serial(cp_greedy_grower *w, cp_greedy_node root, copse_error *err);

#endif
