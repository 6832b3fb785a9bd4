/* registry - the one list of methods. */
#ifndef CP_REGISTRY_H
#define CP_REGISTRY_H

#include "method/method.h"

const cp_method *cp_registry_method(size_t i); /* NULL after the last */
/* By name; the error suggests the most similar one. */
copse_status cp_registry_find(const char *name, const cp_method **out, copse_error *err);

#endif
