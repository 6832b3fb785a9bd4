/* bart_inspect - the trees of all draws, for people and for other programs.  Trees are numbered through all draws: by
 * draw, then by sum, then by tree; the variance trees of a draw come last. */
#ifndef CP_BART_INSPECT_H
#define CP_BART_INSPECT_H

#include "method/method.h"

size_t cp_bart_inspect_trees(const void *state);
size_t cp_bart_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
copse_status cp_bart_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_bart_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_bart_inspect_shape(const void *state, size_t tree);
/* out_dims[d]: rules of the draw that split on column d. */
void cp_bart_inspect_splits(const void *state, size_t draw, double *out_dims);
/* sigma, then log_likelihood and leaves of each sum, then f at the rows that convergence is judged by. */
int cp_bart_inspect_trace(const void *state, size_t i, cp_inspect_trace *out);

#endif
