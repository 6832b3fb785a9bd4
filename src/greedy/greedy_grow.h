/* greedy_grow - grows one weighted CART tree: the engine of cart, rf, ert, bf, ssf and ebf.
 *
 * The trees of a forest differ in the rows they see, in the weights of these, and in the splits they may try.  A tree
 * depends on (data, rule, job) alone: the columns tried at a node are drawn from a stream that is keyed by the tree's
 * slot and the node's path, so neither the order of growth nor the number of threads changes a tree. */
#ifndef CP_GREEDY_GROW_H
#define CP_GREEDY_GROW_H

#include "base/parallel.h"
#include "data/bins.h"
#include "greedy/greedy_rank.h"
#include "method/method.h"
#include "tree/tree.h"

/* Prepared once per fit; all trees read it. */
typedef struct cp_greedy_data {
    cp_rows rows;         /* borrowed */
    double centre, scale; /* of y, as in cp_forest: the units of the leaves; scale is a power of two */
    cp_bins bins;         /* empty: splits are found between any two values */
    cp_greedy_rank rank;  /* empty: greedy_cached sorts by value */
} cp_greedy_data;

copse_status cp_greedy_grow_data_init(cp_greedy_data *d, const cp_rows *rows, int binned, const copse_run *run,
                                      copse_error *err);
/* Adds ranks.  They make trees that try at least half the columns faster, and change no bit of them. */
copse_status cp_greedy_grow_data_rank(cp_greedy_data *d, const copse_run *run, copse_error *err);
void cp_greedy_grow_data_clear(cp_greedy_data *d);

/* How a tree may grow. */
typedef struct cp_greedy_rule {
    int entropy;            /* classification; else gini */
    int random_cuts;        /* one uniform random cut per feature instead of the best */
    size_t features;        /* columns tried at each split; more are tried only while none of them can be split */
    size_t min_leaf;        /* rows on each side of a split, at least 1 */
    double min_leaf_weight; /* weight on each side of a split, in the units of the job's weights */
    size_t max_depth;       /* 0: no bound */
    size_t max_leaves;      /* 0: no bound; else the tree grows best-first */
    uint64_t seed;
} cp_greedy_rule;

/* Which rows one tree sees. */
typedef struct cp_greedy_job {
    const uint32_t *row; /* row numbers, each once; NULL: all */
    size_t rows;
    const double *weight; /* by row number; rows of weight 0 are not in the tree; NULL: those of the data, or 1 */
    uint32_t slot;        /* of the tree's streams of random numbers */
    uint64_t root;        /* path of the root: 1; for a branch a number of its own, so that its stream is its own */
    /* Query rows: the tree is grown only where they go, and other leaves hold arbitrary numbers.  Regression only.  The
     * array is reordered.  NULL: the whole tree is grown. */
    uint32_t *query_row;
    size_t query_rows;
    cp_parallel_idle *idle; /* threads that may help with branches; NULL: those of the run */
} cp_greedy_job;

/* Grows `out`, which is zeroed; out->gain is the impurity that the splits of each column take away.  The threads of
 * `run` work within the tree. */
copse_status cp_greedy_grow(const cp_greedy_data *d, const cp_greedy_rule *rule, const cp_greedy_job *job,
                            const copse_run *run, cp_tree *out, copse_error *err);

#endif
