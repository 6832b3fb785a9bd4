#include "model/registry.h"

#include <string.h>

#include "bart/bart_model.h"
#include "base/near.h"
#include "btree/btree_model.h"
#include "dyntree/dyntree.h"
#include "greedy/greedy.h"
#include "mondrian/mondrian.h"
#include "orf/orf.h"

static const cp_method *const methods[] = {
    &cp_mondrian_method, &cp_cart_method, &cp_rf_method,    &cp_ert_method,  &cp_bf_method,      &cp_ebf_method,
    &cp_ssf_method,      &cp_smc_method,  &cp_bcart_method, &cp_bart_method, &cp_dyntree_method, &cp_orf_method,
};

const cp_method *cp_registry_method(size_t i) {
    return i < sizeof methods / sizeof *methods ? methods[i] : NULL;
}

copse_status cp_registry_find(const char *name, const cp_method **out, copse_error *err) {
    cp_near near = {.word = name};
    *out = NULL;
    for (size_t i = 0; cp_registry_method(i); i++) {
        if (!strcmp(methods[i]->info.name, name)) {
            *out = methods[i];
            return COPSE_OK;
        }
        cp_near_try(&near, methods[i]->info.name);
    }
    if (near.best)
        return cp_fail(err, COPSE_E_USAGE, "there is no method '%.40s'; did you mean '%s'?", name, near.best);
    return cp_fail(err, COPSE_E_USAGE, "there is no method '%.40s'; 'copse methods' lists them", name);
}
