/* mondrian_prefetch - hides memory latency: asks early for cache lines and pages that will be needed soon.
 *
 * Nothing here changes a result.  A tree is a few megabytes, a row visits some twenty nodes of it, and each visit would
 * be a cache miss: without prefetching most of the time goes there. */
#ifndef CP_MONDRIAN_PREFETCH_H
#define CP_MONDRIAN_PREFETCH_H

#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_tree.h"

/* Reads a whole tree into the cache, in order, if `points` are enough to pay for that: one sweep is many times quicker
 * than meeting its nodes one by one. */
void cp_mondrian_prefetch_tree(const cp_mondrian_tree *t, const cp_mondrian_space *s, size_t points);

/* Asks for what cp_mondrian_path_climb reads first: the boxes of the last few nodes of a path, and the rows of those
 * without a box. */
void cp_mondrian_prefetch_boxes(const cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s);

/* Points too few to hide each other's cache misses in one tree.  Each of them then first descends several trees side by
 * side (cp_mondrian_path_descend_trees), which brings the nodes it will meet into the cache. */
static inline int cp_mondrian_prefetch_by_trees(size_t points) {
    enum { FEW = 4 };
    return points <= FEW;
}

/* Items of a growing tree's arrays whose pages were asked for; {0} for a new tree. */
typedef struct cp_mondrian_prefetch_pages {
    size_t nodes, boxes;
} cp_mondrian_prefetch_pages;
/* Asks the system for the pages of the nodes and boxes that the rows still to come will make. */
void cp_mondrian_prefetch_growth(cp_mondrian_prefetch_pages *pages, const cp_mondrian_tree *t,
                                 const cp_mondrian_space *s);

#endif
