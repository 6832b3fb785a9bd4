#include "api/api_check.h"
#include "model/model.h"

static int find_trace(const copse_model *m, size_t i, cp_inspect_trace *out) {
    return m && m->method->inspect.trace && m->method->inspect.trace(m->state, i, out);
}

int copse_model_trace(const copse_model *model, size_t i, copse_trace *out) {
    cp_inspect_trace t;
    if (!out || !find_trace(model, i, &t)) return 0;
    *out = t.info;
    return 1;
}

copse_status copse_model_trace_values(const copse_model *model, size_t i, double *out, copse_error *err) {
    cp_inspect_trace t;
    CP_GUARD(err);
    CP_API_NEED(model);
    CP_API_NEED(out);
    if (!find_trace(model, i, &t)) return cp_fail(err, COPSE_E_USAGE, "the model has no trace %zu", i);
    for (size_t chain = 0; chain < t.info.chains; chain++)
        for (size_t draw = 0; draw < t.info.draws; draw++)
            out[chain * t.info.draws + draw] = t.value(model->state, i, chain, draw);
    return COPSE_OK;
}
