/* mondrian_inspect - shows one tree to people and to other programs. */
#ifndef CP_MONDRIAN_INSPECT_H
#define CP_MONDRIAN_INSPECT_H

#include "mondrian/mondrian.h"

copse_status cp_mondrian_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_mondrian_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
int cp_mondrian_inspect_descend(const void *state, size_t tree, int32_t node, const float *x, cp_inspect_step *out);

#endif
