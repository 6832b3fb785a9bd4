#include <math.h>

#include "api/api_check.h"
#include "model/posterior.h"

typedef struct posterior_args {
    const copse_model *model;
    copse_posterior *made;
} posterior_args;

static copse_status make(void *arg, const copse_run *run, copse_error *err) {
    posterior_args *a = arg;
    (void)run;
    return cp_posterior_new(a->model, &a->made, err);
}

copse_status copse_posterior_new(const copse_model *model, const copse_run *run, copse_posterior **out,
                                 copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(model);
    posterior_args a = {.model = model};
    CP_TRY(cp_api_check_call(run, make, &a, err));
    *out = a.made;
    return COPSE_OK;
}

double copse_posterior_top(const copse_posterior *p) {
    return p ? p->top : NAN;
}

const copse_bar *copse_posterior_leaves(const copse_posterior *p, size_t *out_n) {
    if (out_n) *out_n = p ? p->leaves.n : 0;
    return p ? p->leaves.bar : NULL;
}

const copse_bar *copse_posterior_depth(const copse_posterior *p, size_t *out_n) {
    if (out_n) *out_n = p ? p->depth.n : 0;
    return p ? p->depth.bar : NULL;
}

double copse_posterior_inclusion(const copse_posterior *p, size_t feature) {
    return p && feature < p->features ? p->inclusion[feature] : NAN;
}

double copse_posterior_splits(const copse_posterior *p, size_t feature) {
    return p && feature < p->features ? p->splits[feature] : NAN;
}

int copse_posterior_share(const copse_posterior *p, size_t feature, copse_share *out) {
    int has = p && p->share && feature < p->features;
    if (out) *out = has ? p->share[feature] : (copse_share){NAN, NAN, NAN};
    return has;
}

void copse_posterior_free(copse_posterior *p) {
    cp_posterior_free(p);
}
