/* greedy_grower - what growing a tree, or a part of it, needs at hand.
 *
 *   greedy_find    large nodes: one histogram, or one sorted list, per column; rows are moved
 *   greedy_random  nodes of any size, cut at random
 *   greedy_cached  small nodes: everything in the cache, columns sorted once
 *   greedy_grower  what both share: which columns to try, when to stop, what a leaf holds */
#ifndef CP_GREEDY_GROWER_H
#define CP_GREEDY_GROWER_H

#include "base/arena.h"
#include "greedy/greedy_records.h"

/* Those of a node are query rows lo ... hi-1 of the records. */
typedef struct cp_greedy_query_rows {
    uint32_t lo, hi;
} cp_greedy_query_rows;

/* A node that is neither split nor closed yet: its rows are records lo ... hi-1. */
typedef struct cp_greedy_frontier_node {
    int32_t node;
    uint32_t depth;
    size_t lo, hi;
    uint64_t path; /* the node's place in the tree: keys its random numbers */
    cp_sum *hist;  /* its histograms, where it has them already */
    cp_greedy_query_rows query_rows;
} cp_greedy_frontier_node;

static inline size_t cp_greedy_frontier_node_rows(const cp_greedy_frontier_node *o) {
    return o->hi - o->lo;
}

typedef struct cp_greedy_grower {
    cp_greedy_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;
    cp_tree *tree;
    cp_arena tmp;
    cp_split best;
    cp_split_node node;
    cp_rng rng; /* of the node under work */
    /* Columns in the order they are tried: a shuffle that is undone after each node, so that it depends on the node's
     * stream alone. */
    uint32_t *column, *swapped;
    size_t drawn;
    double *real;   /* classification: weight of each class in a leaf; zero between leaves */
    uint32_t *seen; /* classification: the classes of a leaf */
    cp_tree_share *share;
    struct cp_greedy_cached *local;
    struct cp_greedy_finder *finder;
    struct cp_greedy_random *random;
} cp_greedy_grower;

/* Scratch for a part of a tree; `tree`: where it is written, NULL if it only finds splits. */
copse_status cp_greedy_grower_init(cp_greedy_grower *w, cp_greedy_records *records, const cp_greedy_rule *rule,
                                   uint32_t slot, cp_tree *tree, copse_error *err);
void cp_greedy_grower_clear(cp_greedy_grower *w);

/* Begins a node: its random numbers, no best split. */
void cp_greedy_grower_begin(cp_greedy_grower *w, const cp_greedy_frontier_node *o);
/* The next column to try, CP_NONE when there have been enough; `found`: is there a split already? */
int32_t cp_greedy_grower_column(cp_greedy_grower *w, int found);
/* Undoes the shuffle. */
void cp_greedy_grower_end(cp_greedy_grower *w);

/* Levels of a column, 0 for numbers. */
static inline uint32_t cp_greedy_grower_levels(const cp_greedy_grower *w, size_t dim) {
    const uint32_t *levels = w->records->data->rows.levels;
    return levels ? levels[dim] : 0;
}

/* Must the node be a leaf, whatever its rows? */
int cp_greedy_grower_must_stop(const cp_greedy_grower *w, uint32_t depth);

/* Writes the best split into the tree and gives it credit for what it took away. */
copse_status cp_greedy_grower_split(cp_greedy_grower *w, int32_t node, copse_error *err);
/* Impurity taken away by the best split: weight times squared target (in the data's scale), or weight. */
double cp_greedy_grower_gain(const cp_greedy_grower *w);
copse_status cp_greedy_grower_leaf(cp_greedy_grower *w, int32_t node, const uint32_t *row, size_t n, copse_error *err);

/* If a tree is grown for its query rows: is this node of no use? */
static inline int cp_greedy_grower_unqueried(const cp_greedy_grower *w, cp_greedy_query_rows g) {
    return w->records->query_row && g.lo == g.hi;
}
/* Makes it a leaf that nobody will ask. */
copse_status cp_greedy_grower_abandon(cp_greedy_grower *w, int32_t node, copse_error *err);
/* Guests of a node that was split go to its children. */
void cp_greedy_grower_divide_queries(cp_greedy_grower *w, int32_t node, cp_greedy_query_rows of,
                                     cp_greedy_query_rows child[2]);

/* The places of a node's children. */
uint64_t cp_greedy_grower_child_path(uint64_t path, int right);

/* In greedy_cached.c: grows what is below an open node of at most CP_GREEDY_CACHED_ROWS rows. */
enum { CP_GREEDY_CACHED_ROWS = 65534 };
copse_status cp_greedy_cached_new(cp_greedy_grower *w, size_t most_rows, copse_error *err);
copse_status cp_greedy_cached_grow(cp_greedy_grower *w, const cp_greedy_frontier_node *o, copse_error *err);

#endif
