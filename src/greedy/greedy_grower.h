/* greedy_grower - one worker of a growing tree: its scratch memory, and what every way of splitting a node shares.
 *
 *   greedy_step    a node of any size, step by step: find, write, divide, hand_down, close
 *   greedy_cached  a small node and all nodes below it, in the cache
 *   greedy_grower  used by both: the columns to try, when to stop, how a split and a leaf are written into the tree */
#ifndef CP_GREEDY_GROWER_H
#define CP_GREEDY_GROWER_H

#include <math.h>

#include "base/arena.h"
#include "greedy/greedy_records.h"

/* What all nodes of one tree share. */
typedef struct cp_greedy_context {
    cp_greedy_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;          /* of the tree's streams of random numbers */
    cp_parallel_idle *idle; /* threads that may help, as in cp_greedy_job */
} cp_greedy_context;

/* The query rows of a node: entries lo ... hi-1 of records->query_row. */
typedef struct cp_greedy_query_rows {
    uint32_t lo, hi;
} cp_greedy_query_rows;

/* A node of the frontier: neither split nor closed yet. */
typedef struct cp_greedy_node {
    int32_t id; /* its number in the tree */
    uint32_t depth;
    size_t lo, hi; /* its rows are records lo ... hi-1 */
    uint64_t path; /* identifies its place in the tree: keys its random numbers */
    cp_sum *hist;  /* its histograms (greedy_hist.h); NULL: not filled */
    cp_greedy_query_rows query_rows;
} cp_greedy_node;

static inline size_t cp_greedy_node_rows(const cp_greedy_node *node) {
    return node->hi - node->lo;
}

typedef struct cp_greedy_grower {
    cp_greedy_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;
    cp_tree *tree; /* where splits and leaves are written; NULL: this worker only finds splits */
    cp_arena arena;
    /* The search of one node. */
    cp_split best;       /* the best split so far; its set is scratch, overwritten by the next search */
    cp_split_node stats; /* rows, weight and target totals of the node */
    cp_rng rng;          /* the node's own stream */
    /* Columns in the order they are tried: a partial shuffle, undone after each node, so that it depends on the node's
     * stream alone. */
    uint32_t *column, *swapped;
    size_t drawn;
    /* Classification: scratch for a leaf. */
    double *class_weight; /* by class; zero between leaves */
    uint32_t *class_seen; /* the classes that occur in the leaf */
    cp_tree_class_weight *leaf_classes;
    uint32_t *level_set; /* scratch: a set of levels made from a set of bins */
    size_t cached_rows;  /* nodes of at most so many rows are grown by greedy_cached */
    /* Scratch of the searches; NULL: the tree does not use that search. */
    struct cp_greedy_cached *cached;
    struct cp_greedy_hist *hist;
    struct cp_greedy_sorted *sorted;
    struct cp_greedy_random *random;
} cp_greedy_grower;

/* The searches' scratch is not made yet: cp_greedy_step_init makes all. */
copse_status cp_greedy_grower_init(cp_greedy_grower *w, const cp_greedy_context *context, cp_tree *tree,
                                   copse_error *err);
void cp_greedy_grower_clear(cp_greedy_grower *w);

/* -------------------------------------------------------------------------------------------------------- searching */

/* Begins the search of the node with this path: its random numbers, no best split. */
void cp_greedy_grower_begin(cp_greedy_grower *w, uint64_t path);
/* The next column to try, CP_NONE when enough have been tried; `found`: has some column a split already? */
int32_t cp_greedy_grower_column(cp_greedy_grower *w, int found);
/* Undoes the shuffle of the columns. */
void cp_greedy_grower_end(cp_greedy_grower *w);

/* Levels of a column, 0 for numbers. */
static inline uint32_t cp_greedy_grower_levels(const cp_greedy_grower *w, size_t dim) {
    const uint32_t *levels = w->records->data->rows.levels;
    return levels ? levels[dim] : 0;
}

/* The cut between two bins of a column; above = CP_SPLIT_MISSING: missing values against all others. */
static inline float cp_greedy_grower_bin_cut(const cp_greedy_grower *w, size_t dim, uint32_t below, uint32_t above) {
    return above == CP_SPLIT_MISSING ? INFINITY : cp_bins_between(&w->records->data->bins, dim, below, above);
}

/* Must the node that w->stats describes be a leaf, whatever its rows hold? */
int cp_greedy_grower_must_stop(const cp_greedy_grower *w, uint32_t depth);
/* The impurity that w->best takes away from the node that w->stats describes.  Regression: weight times squared target,
 * in the data's scale; classification: weight. */
double cp_greedy_grower_gain(const cp_greedy_grower *w);
/* The path of a node's child. */
uint64_t cp_greedy_grower_child_path(uint64_t path, int right);

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Splits node `id` of the tree, and credits the column with the gain.  A set holds levels, not bins. */
copse_status cp_greedy_grower_split(cp_greedy_grower *w, int32_t id, const cp_split *s, double gain, copse_error *err);
/* Makes node `id` the leaf of n rows. */
copse_status cp_greedy_grower_leaf(cp_greedy_grower *w, int32_t id, const uint32_t *row, size_t n, copse_error *err);

/* ------------------------------------------------------------------------------------------------------- query rows */

/* Is the tree grown for its query rows alone, and does none of them fall into this node? */
static inline int cp_greedy_grower_is_unqueried(const cp_greedy_grower *w, cp_greedy_query_rows q) {
    return w->records->query_row && q.lo == q.hi;
}
/* Makes an unqueried node a leaf with arbitrary content. */
copse_status cp_greedy_grower_abandon(cp_greedy_grower *w, int32_t id, copse_error *err);
/* Sends the query rows of node `id`, which is split in the tree, to its children. */
void cp_greedy_grower_divide_queries(cp_greedy_grower *w, int32_t id, cp_greedy_query_rows of,
                                     cp_greedy_query_rows child[2]);

#endif
