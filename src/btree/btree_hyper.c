#include "btree/btree_hyper.h"

#include "base/mem.h"
#include "base/number_rule.h"
#include "bayes/bayes_options.h"

enum { HYPER = 6 };

cp_btree_hyper cp_btree_hyper_of(const copse_params *p) {
    return (cp_btree_hyper){
        .split = cp_bayes_options_split(p),
        .alpha = cp_param_real(p, "alpha"),
        .kappa = cp_param_real(p, "kappa"),
        .nu = cp_param_real(p, "nu"),
        .lambda = cp_bayes_options_lambda(p),
    };
}

copse_status cp_btree_hyper_write(const cp_btree_hyper *h, cp_writer *w, copse_error *err) {
    const double all[HYPER] = {h->split.alpha, h->split.beta, h->alpha, h->kappa, h->nu, h->lambda};
    return cp_writer_array(w, "hyper", CP_F64, all, HYPER, err);
}

copse_status cp_btree_hyper_read(cp_reader *r, cp_btree_hyper *out, copse_error *err) {
    static const cp_number_rule number_rules[] = {
        {.name = "hyper", .every = HYPER, .at = 0, .least = 1e-9, .most = 1 - 1e-9},
        {.name = "hyper", .every = HYPER, .at = 1, .least = 0, .most = 1e3},
        {.name = "hyper", .every = HYPER, .at = 2, .least = 1e-9, .most = 1e9},
        {.name = "hyper", .every = HYPER, .at = 3, .least = 1e-9, .most = 1e9},
        {.name = "hyper", .every = HYPER, .at = 4, .least = 1e-3, .most = 1e9},
        {.name = "hyper", .every = HYPER, .at = 5, .least = 1e-30, .most = 1e12},
    };
    double *all;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_array(r, "hyper", CP_F64, HYPER, &all, err));
    *out = (cp_btree_hyper){
        .split = {.alpha = all[0], .beta = all[1]}, .alpha = all[2], .kappa = all[3], .nu = all[4], .lambda = all[5]};
    cp_mem_free(all);
    return COPSE_OK;
}
