/* auto_inspect - members, weights, scores and gate, and the trees of the members that split raw columns. */
#ifndef CP_AUTO_INSPECT_H
#define CP_AUTO_INSPECT_H

#include "auto/auto.h"

/* Names the members' figures, once they are known. */
void cp_auto_inspect_name(cp_auto *a);
/* Trees of members that split raw columns, member after member; the gate's are not counted. */
size_t cp_auto_inspect_trees(const void *state);
size_t cp_auto_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
void cp_auto_inspect_json(const void *state, cp_json *j);
copse_status cp_auto_inspect_tree_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_auto_inspect_tree_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
void cp_auto_inspect_importance(const void *state, size_t tree, double *out_dims);

#endif
