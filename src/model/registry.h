/* registry - the one list of methods. */
#ifndef CP_REGISTRY_H
#define CP_REGISTRY_H

#include "method/method.h"

const cp_method *cp_registry_method(size_t i); /* NULL after the last */
/* By name; the error suggests the most similar one. */
copse_status cp_registry_find(const char *name, const cp_method **out, copse_error *err);

/* A part of the library that needs a certain method asks for its role, so that only the registry names methods. */
typedef enum cp_registry_role {
    /* bo/surrogate.c, the model of an objective: regression, learns online, has `descend` and `noise` and answers with
     * leaf means (cp_answer.leaf).  Options: trees, seed, min-samples-split, posterior. */
    CP_REGISTRY_SURROGATE,
    CP_REGISTRY_SAMPLE_TREE, /* eval/stability.c: one greedy tree of all rows; has `tree_node` */
    /* eval/stability.c, a posterior over greedy trees: each tree is a draw; has `tree_node`.  Options: trees,
     * max-leaves. */
    CP_REGISTRY_TREE_POSTERIOR
} cp_registry_role;
const cp_method *cp_registry_with_role(cp_registry_role role);

/* The i-th method that a comparison on so many rows should include, NULL after the last. */
const cp_method *cp_registry_compared(size_t rows, size_t i);

#endif
