/* greedy_grow_serial - growing a tree downwards from a frontier node.
 *
 *   greedy_grow_serial    on one thread: large nodes by passes over their records, small nodes in the cache
 *   greedy_grow_parallel  a tree of many rows on all threads: its top level by level, then its branches */
#ifndef CP_GREEDY_GROW_SERIAL_H
#define CP_GREEDY_GROW_SERIAL_H

#include "greedy/greedy_grower.h"

/* What the nodes of a tree have in common. */
typedef struct cp_greedy_grow_context {
    cp_greedy_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;
    cp_parallel_idle *idle; /* as in the job */
} cp_greedy_grow_context;

/* A work on nodes of at most `rows` rows; `tree`: where it writes, or NULL. */
copse_status cp_greedy_grow_serial_start(cp_greedy_grower *w, const cp_greedy_grow_context *p, size_t rows,
                                         cp_tree *tree, copse_error *err);
copse_status cp_greedy_grow_serial(cp_greedy_grower *w, cp_greedy_frontier_node first, copse_error *err);

/* In greedy_grow_parallel.c.  Rows of a node that one thread grows by itself: which these are depends on the data
 * alone, never on the number of threads. */
enum { CP_GREEDY_GROW_SERIAL_ROWS = 65536 };
copse_status cp_greedy_grow_parallel(const cp_greedy_grow_context *p, cp_greedy_frontier_node root,
                                     const copse_run *run, cp_tree *out, copse_error *err);

#endif
