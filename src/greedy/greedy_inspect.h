/* greedy_inspect - one tree of a forest, for people and for other programs. */
#ifndef CP_GREEDY_INSPECT_H
#define CP_GREEDY_INSPECT_H

#include "greedy/greedy.h"

copse_status cp_greedy_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_greedy_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);

#endif
