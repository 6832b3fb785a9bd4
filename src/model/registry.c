#include "model/registry.h"

#include <string.h>

#include "auto/auto.h"
#include "bart/model/bart.h"
#include "base/suggest.h"
#include "boost/boost.h"
#include "btree/btree.h"
#include "dyntree/dyntree.h"
#include "greedy/greedy.h"
#include "mondrian/mondrian.h"
#include "orf/orf.h"

static const cp_method *const methods[] = {
    &cp_method_mondrian, &cp_method_cart, &cp_method_rf,    &cp_method_ert,   &cp_method_bf,
    &cp_method_ebf,      &cp_method_ssf,  &cp_method_smc,   &cp_method_bcart, &cp_method_bart,
    &cp_method_dyntree,  &cp_method_orf,  &cp_method_boost, &cp_method_auto,
};

const cp_method *cp_registry_method(size_t i) {
    return i < sizeof methods / sizeof *methods ? methods[i] : NULL;
}

copse_status cp_registry_find(const char *name, const cp_method **out, copse_error *err) {
    cp_suggest similar = {.word = name};
    *out = NULL;
    for (size_t i = 0; cp_registry_method(i); i++) {
        if (!strcmp(methods[i]->info.name, name)) {
            *out = methods[i];
            return COPSE_OK;
        }
        cp_suggest_try(&similar, methods[i]->info.name);
    }
    if (similar.best)
        return cp_fail(err, COPSE_E_USAGE, "there is no method '%.40s'; did you mean '%s'?", name, similar.best);
    return cp_fail(err, COPSE_E_USAGE, "there is no method '%.40s'; 'copse methods' lists them", name);
}

const cp_method *cp_registry_with_role(cp_registry_role role) {
    static const cp_method *const methods_by_role[] = {
        [CP_REGISTRY_SURROGATE] = &cp_method_mondrian,
        [CP_REGISTRY_SAMPLE_TREE] = &cp_method_cart,
        [CP_REGISTRY_TREE_POSTERIOR] = &cp_method_bf,
    };
    return methods_by_role[role];
}

const cp_method *cp_registry_compared(size_t rows, size_t i) {
    static const struct {
        const cp_method *method;
        size_t most_rows;
    } compared[] = {
        {&cp_method_mondrian, 200000}, {&cp_method_cart, SIZE_MAX}, {&cp_method_rf, SIZE_MAX},
        {&cp_method_ert, SIZE_MAX},    {&cp_method_bf, SIZE_MAX},   {&cp_method_boost, SIZE_MAX},
        {&cp_method_bart, 5000},       {&cp_method_auto, SIZE_MAX},
    };
    for (size_t k = 0; k < sizeof compared / sizeof *compared; k++)
        if (rows <= compared[k].most_rows && i-- == 0) return compared[k].method;
    return NULL;
}
