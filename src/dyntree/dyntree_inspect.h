/* dyntree_inspect - shows the particles to people and to other programs. */
#ifndef CP_DYNTREE_INSPECT_H
#define CP_DYNTREE_INSPECT_H

#include "dyntree/dyntree.h"

size_t cp_dyntree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
size_t cp_dyntree_inspect_details(const void *state, copse_figure *out);
copse_status cp_dyntree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_dyntree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_dyntree_inspect_shape(const void *state, size_t tree);
void cp_dyntree_inspect_splits(const void *state, size_t tree, double *out_dims);

#endif
