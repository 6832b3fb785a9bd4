/* greedy_down - growing downwards from an open node.
 *
 *   greedy_down   on one thread, to the leaves: large nodes by passes over their records, small ones in the cache
 *   greedy_apart  a tree of many rows: its top level by level, then its branches, on all threads there are */
#ifndef CP_GREEDY_DOWN_H
#define CP_GREEDY_DOWN_H

#include "greedy/greedy_work.h"

/* What the nodes of a tree have in common. */
typedef struct cp_greedy_part {
    cp_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;
    cp_pool_idle *idle; /* as in the job */
} cp_greedy_part;

/* A work on nodes of at most `rows` rows; `tree`: where it writes, or NULL. */
copse_status cp_greedy_down_start(cp_greedy_work *w, const cp_greedy_part *p, size_t rows, cp_tree *tree,
                                  copse_error *err);
copse_status cp_greedy_down_grow(cp_greedy_work *w, cp_greedy_open first, copse_error *err);

/* In greedy_apart.c.  Rows of a node that one thread grows by itself: which these are depends on the data alone, never
 * on the number of threads. */
enum { CP_GREEDY_BRANCH = 65536 };
copse_status cp_greedy_apart_grow(const cp_greedy_part *p, cp_greedy_open root, const copse_run *run, cp_tree *out,
                                  copse_error *err);

#endif
