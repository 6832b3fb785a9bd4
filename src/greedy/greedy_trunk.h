/* greedy_trunk - the trunk of an empirical Bayesian forest [Taddy et al. 2015, sec. 4]: one unweighted CART tree,
 * shallow and hence stable, that all trees share.  In each of its leaves every tree grows a branch of its own, on the
 * rows of that leaf. */
#ifndef CP_GREEDY_TRUNK_H
#define CP_GREEDY_TRUNK_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_weight.h"

typedef struct cp_greedy_trunk_options {
    cp_greedy_rule rule; /* its limits count rows of all data, not of the sample */
    double sample;       /* share of the rows that the trunk is grown on */
} cp_greedy_trunk_options;

/* `out` is zeroed. */
copse_status cp_greedy_trunk_grow(const cp_greedy_data *d, const cp_greedy_trunk_options *o,
                                  const cp_greedy_weight *weight, const copse_run *run, cp_tree *out, copse_error *err);
/* Sorts weight->row by the leaf of the trunk that each row falls in, stably; the rows of leaf k begin at
 * (*out_start)[k]. */
typedef struct cp_greedy_trunk_routing {
    const cp_tree *trunk;
    const cp_forest *forest; /* its columns and levels */
    const cp_rows *rows;
} cp_greedy_trunk_routing;
copse_status cp_greedy_trunk_route(const cp_greedy_trunk_routing *r, cp_greedy_weight *weight, const copse_run *run,
                                   size_t **out_start, copse_error *err);
/* Copies the trunk with its leaves open, so that branches can be grafted; out_leaf[k] is the copy's node for leaf k.
 * `out` is zeroed. */
copse_status cp_greedy_trunk_copy(const cp_tree *trunk, const cp_rows *rows, cp_tree *out, int32_t *out_leaf,
                                  copse_error *err);
/* The path of the root of a branch in leaf k, for its random numbers. */
uint64_t cp_greedy_trunk_root(size_t k);

#endif
