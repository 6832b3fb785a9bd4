/* greedy_grow_parallel - grows a tree of many rows on several threads.
 *
 * The top of the tree is its nodes of more than CP_GREEDY_GROW_SERIAL_ROWS rows.  Their splits are found level by
 * level: the nodes of a level are independent, so each may go to another thread, and threads wait for each other only
 * once a level.  (A loop over the rows of one node would make them wait at every node: beside a program that holds a
 * core, that takes most of the time.  It is used only while a level has fewer nodes than there are threads.)
 *
 * The top is then written into the tree on one thread, in the order of greedy_grow_serial.  Each node just below the
 * top is the root of a branch: branches are grown side by side, each on one thread and into a tree of its own, and
 * grafted afterwards.  So the tree does not depend on the number of threads. */
#ifndef CP_GREEDY_GROW_PARALLEL_H
#define CP_GREEDY_GROW_PARALLEL_H

#include "greedy/greedy_grower.h"

/* `out` is zeroed. */
copse_status cp_greedy_grow_parallel(const cp_greedy_context *context, cp_greedy_node root, const copse_run *run,
                                     cp_tree *out, copse_error *err);

#endif
