/* orf_inspect - shows one tree to people and to other programs. */
#ifndef CP_ORF_INSPECT_H
#define CP_ORF_INSPECT_H

#include "orf/orf.h"

copse_status cp_orf_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_orf_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);

#endif
