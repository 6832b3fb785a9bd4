/* btree_inspect - the trees of a tree set, and numbers about them, for users and for other programs. */
#ifndef CP_BTREE_INSPECT_H
#define CP_BTREE_INSPECT_H

#include "method/method.h"

size_t cp_btree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
size_t cp_btree_inspect_details(const void *state, copse_figure *out);
copse_status cp_btree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_btree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_btree_inspect_shape(const void *state, size_t tree);
void cp_btree_inspect_splits(const void *state, size_t tree, double *out_dims);
int cp_btree_inspect_trace(const void *state, size_t i, cp_inspect_trace *out);

#endif
