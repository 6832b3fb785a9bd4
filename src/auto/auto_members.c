#include "auto/auto_members.h"

#include <stdio.h>
#include <string.h>

#include "bart/model/bart.h"
#include "boost/boost.h"
#include "greedy/greedy.h"
#include "mondrian/mondrian.h"

#define ANY     SIZE_MAX
#define EVERY   (CP_AUTO_LOW | CP_AUTO_NORMAL | CP_AUTO_HIGH)
#define POOLED  (CP_AUTO_NORMAL | CP_AUTO_HIGH)
#define NUMBERS COPSE_REGRESS
#define CLASSES COPSE_CLASS

/* Trial forests have fewer trees: a pool's weights do not need them all.  From LARGE rows on the members are few and
 * small, because each is fitted on all rows at last. */
#define LARGE      50000
#define SHORT_BART "trees=100 chains=1 burn-in=20 samples=40 thin=1 warm-start=grow:20"
static const cp_auto_candidate candidates[] = {
    {&cp_method_bf, NUMBERS, EVERY, 1, LARGE, 0, "trees=100 min-leaf-weight=1", "trees=40"},
    {&cp_method_rf, NUMBERS, POOLED, 1, LARGE, 0, "trees=100 features-per-split=all", "trees=40"},
    {&cp_method_ert, NUMBERS, POOLED, 1, LARGE, 0, "trees=100", "trees=40"},
    {&cp_method_boost, NUMBERS, POOLED, 40, LARGE, 0, "loss=gaussian max-leaves=15 shrinkage=.05", "refit=no"},
    {&cp_method_boost, NUMBERS, POOLED, 40, LARGE, 0, "loss=squared max-leaves=15 shrinkage=.05", "refit=no"},
    {&cp_method_bart, NUMBERS, POOLED, 40, LARGE, 0, SHORT_BART, "samples=20"},
    {&cp_method_bf, NUMBERS, EVERY, LARGE + 1, ANY, 0, "trees=50 min-leaf-weight=1", "trees=40"},
    {&cp_method_rf, NUMBERS, POOLED, LARGE + 1, ANY, 0, "trees=50 features-per-split=all", "trees=40"},
    {&cp_method_boost, NUMBERS, POOLED, LARGE + 1, ANY, 0, "trees=300 max-leaves=63 refit=no", ""},
    {&cp_method_rf, CLASSES, EVERY, 1, LARGE, ANY, "trees=100", "trees=40"},
    {&cp_method_bf, CLASSES, POOLED, 1, LARGE, ANY, "trees=100", "trees=40"},
    {&cp_method_ert, CLASSES, POOLED, 1, LARGE, ANY, "trees=100", "trees=40"},
    {&cp_method_boost, CLASSES, POOLED, 40, LARGE, 30, "max-leaves=15", "refit=no"},
    {&cp_method_bart, CLASSES, POOLED, 40, 10000, 2, SHORT_BART, "samples=20"},
    {&cp_method_rf, CLASSES, EVERY, LARGE + 1, ANY, ANY, "trees=50", "trees=40"},
    {&cp_method_ert, CLASSES, POOLED, LARGE + 1, ANY, ANY, "trees=50", "trees=40"},
    {&cp_method_boost, CLASSES, POOLED, LARGE + 1, ANY, 10, "trees=100 max-leaves=63 refit=no", ""},
};

const cp_auto_candidate cp_auto_members_gate = {
    &cp_method_mondrian, NUMBERS, EVERY, 1, ANY, 0, "posterior=fast calibration=none trees=50", ""};

static int suits(const cp_auto_candidate *c, const cp_auto_shape *s) {
    return c->task == s->task && (c->efforts & s->effort) && s->rows >= c->least && s->rows <= c->most &&
           s->classes <= c->classes;
}

const cp_auto_candidate *cp_auto_members_get(const cp_auto_shape *s, size_t i) {
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
        if (suits(&candidates[k], s) && i-- == 0) return &candidates[k];
    return NULL;
}

/* Sets "name=value name=value". */
static copse_status set_options(copse_params *p, const char *list, copse_error *err) {
    char name[64], value[64];
    int used;
    for (; sscanf(list, " %63[^= ]=%63[^ ]%n", name, value, &used) == 2; list += used)
        CP_TRY(cp_param_set(p, name, value, err));
    return COPSE_OK;
}

copse_status cp_auto_members_params(const cp_auto_candidate *c, int trial, uint64_t seed, const char *opt_trees,
                                    copse_params **out, copse_error *err) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    CP_TRY(cp_param_new(c->method, out, err));
    copse_status status = set_options(*out, c->options, err);
    if (!status && trial) status = set_options(*out, c->trial_options, err);
    if (!status && opt_trees) status = cp_param_set(*out, "trees", opt_trees, err);
    if (!status) status = cp_param_set(*out, "seed", text, err);
    if (!status) return COPSE_OK;
    cp_param_free(*out);
    *out = NULL;
    return status;
}

const cp_method *cp_auto_members_find(const char *name) {
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
        if (!strcmp(candidates[k].method->info.name, name)) return candidates[k].method;
    return NULL;
}

const cp_method *cp_auto_members_find_gate(const char *name) {
    return strcmp(name, cp_auto_members_gate.method->info.name) ? NULL : cp_auto_members_gate.method;
}
