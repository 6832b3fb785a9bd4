/* bart_grow_from_root - trees grown from the root over histograms: starting points for chains [He, Yalov, Hahn
 * 2019]. */
#ifndef CP_BART_GROW_FROM_ROOT_H
#define CP_BART_GROW_FROM_ROOT_H

#include "bart/core/bart_tree.h"
#include "bart/draws/bart_problem.h"

typedef struct cp_bart_grow_from_root cp_bart_grow_from_root;
copse_status cp_bart_grow_from_root_new(const cp_bart_problem *b, cp_bart_grow_from_root **out, copse_error *err);
void cp_bart_grow_from_root_free(cp_bart_grow_from_root *g);
/* In place of a sampler's step on tree m of a sum; `tree` is the array of all trees of the sum. */
copse_status cp_bart_grow_from_root_step(cp_bart_grow_from_root *g, const cp_bart_view *v, cp_bart_tree *tree, size_t m,
                                         cp_rng *rng, copse_error *err);

#endif
