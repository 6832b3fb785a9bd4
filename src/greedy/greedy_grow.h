/* greedy_grow - one weighted CART tree: the engine under cart, rf, ert, bf, ssf and ebf.
 *
 * A forest is made of trees that differ in which rows they see, with what weights, and which splits they may try.
 * Growing a tree depends on (data, rule, job) alone: the features tried at a node are drawn from a stream keyed by the
 * tree's slot and the node's place in it, so neither the order of work nor the number of threads can change a tree. */
#ifndef CP_GREEDY_GROW_H
#define CP_GREEDY_GROW_H

#include "base/parallel.h"
#include "data/bins.h"
#include "greedy/greedy_rank.h"
#include "method/method.h"
#include "tree/tree.h"

/* Prepared once per fit, read by all trees. */
typedef struct cp_greedy_data {
    cp_rows rows;         /* borrowed */
    double centre, scale; /* of y, as in cp_forest: the leaves' units; scale is a power of two */
    cp_bins bins;         /* none: every split is found exactly */
    cp_greedy_rank rank;  /* none: small nodes are sorted by value */
} cp_greedy_data;

copse_status cp_greedy_grow_data_init(cp_greedy_data *d, const cp_rows *rows, int binned, const copse_run *run,
                                      copse_error *err);
/* Adds ranks, which make trees that try at least half the columns faster, and no different. */
copse_status cp_greedy_grow_data_rank(cp_greedy_data *d, const copse_run *run, copse_error *err);
void cp_greedy_grow_data_clear(cp_greedy_data *d);

/* How a tree may grow. */
typedef struct cp_greedy_rule {
    int entropy;            /* classification: else gini */
    int random_cuts;        /* one uniform random cut per feature instead of the best */
    size_t features;        /* tried at each split; more only while none of them can be split */
    size_t min_leaf;        /* rows on each side, at least 1 */
    double min_leaf_weight; /* weight on each side, in the units of the job's weights */
    size_t max_depth;       /* 0: no bound */
    size_t max_leaves;      /* 0: no bound; else the split with the largest gain comes first */
    uint64_t seed;
} cp_greedy_rule;

/* Which rows one tree sees. */
typedef struct cp_greedy_job {
    const uint32_t *row; /* row numbers, each once; NULL: all */
    size_t rows;
    const double *weight; /* by row number; rows of weight 0 are not in the tree; NULL: those of the data, or 1 */
    uint32_t slot;        /* of the stream of random numbers */
    uint64_t root;        /* the root's place: 1, or what makes a branch's stream its own */
    /* Rows whose leaves are all that is wanted of a tree of numbers: it is grown where they go, and what other leaves
     * hold means nothing.  They are rearranged.  NULL: the whole tree is wanted. */
    uint32_t *query_row;
    size_t query_rows;
    cp_parallel_idle *idle; /* threads that may help with its branches; NULL: those of the run */
} cp_greedy_job;

/* Grows `out`, which is zeroed; out->gain holds the impurity taken away per column.
 * Threads of `run` are used within the tree. */
copse_status cp_greedy_grow(const cp_greedy_data *d, const cp_greedy_rule *rule, const cp_greedy_job *job,
                            const copse_run *run, cp_tree *out, copse_error *err);

#endif
