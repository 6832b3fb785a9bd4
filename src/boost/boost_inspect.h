/* boost_inspect - what inspection shows of a boosted model. */
#ifndef CP_BOOST_INSPECT_H
#define CP_BOOST_INSPECT_H

#include "boost/boost.h"

copse_status cp_boost_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_boost_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);

#endif
