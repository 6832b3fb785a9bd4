/* greedy_trunk - the top of an empirical Bayesian forest [Taddy et al. 2015, sec. 4]: one unweighted CART tree, shallow
 * and hence stable, that all trees share.  Its leaves divide the rows; in each leaf every tree grows a branch of its
 * own. */
#ifndef CP_GREEDY_TRUNK_H
#define CP_GREEDY_TRUNK_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_weight.h"

typedef struct cp_greedy_trunk_options {
    cp_greedy_rule rule; /* limits in rows of all data, whatever the sample */
    double sample;       /* share of the rows it is grown on */
} cp_greedy_trunk_options;

/* `out` is zeroed. */
copse_status cp_greedy_trunk_grow(const cp_greedy_data *d, const cp_greedy_trunk_options *want,
                                  const cp_greedy_weight *weight, const copse_run *run, cp_tree *out, copse_error *err);
/* Orders weight->row by the leaf each row falls in, stably; those of leaf k stand from (*out_start)[k] on. */
typedef struct cp_greedy_trunk_routing {
    const cp_tree *trunk;
    const cp_forest *forest; /* what its trees are like */
    const cp_rows *rows;
} cp_greedy_trunk_routing;
copse_status cp_greedy_trunk_route(const cp_greedy_trunk_routing *way, cp_greedy_weight *weight, const copse_run *run,
                                   size_t **out_start, copse_error *err);
/* The trunk with its leaves open, to be grafted on; out_leaf[k] is the node where leaf k was.  `out` is zeroed. */
copse_status cp_greedy_trunk_copy(const cp_tree *trunk, const cp_rows *rows, cp_tree *out, int32_t *out_leaf,
                                  copse_error *err);
/* Where the random streams of the branches of leaf k begin. */
uint64_t cp_greedy_trunk_root(size_t k);

#endif
