#include "model/posterior.h"

copse_status copse_posterior_new(const copse_model *model, const copse_run *run, copse_posterior **out,
                                 copse_error *err) {
    *out = NULL;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_posterior_new(model, out, err);
}

double copse_posterior_top(const copse_posterior *p) {
    return p->top;
}

const copse_bar *copse_posterior_leaves(const copse_posterior *p, size_t *out_n) {
    *out_n = p->leaves.n;
    return p->leaves.bar;
}

const copse_bar *copse_posterior_depth(const copse_posterior *p, size_t *out_n) {
    *out_n = p->depth.n;
    return p->depth.bar;
}

double copse_posterior_inclusion(const copse_posterior *p, size_t feature) {
    return feature < p->features ? p->inclusion[feature] : 0;
}

double copse_posterior_splits(const copse_posterior *p, size_t feature) {
    return feature < p->features ? p->splits[feature] : 0;
}

int copse_posterior_share(const copse_posterior *p, size_t feature, copse_share *out) {
    *out = p->share && feature < p->features ? p->share[feature] : (copse_share){0};
    return p->share != NULL;
}

void copse_posterior_free(copse_posterior *p) {
    cp_posterior_free(p);
}
