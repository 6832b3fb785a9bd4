#include "api/api_check.h"
#include "api/api_prediction.h"
#include "base/mem.h"
#include "model/model_row.h"

struct copse_row {
    cp_model_row row;
    copse_prediction prediction;
};

copse_status copse_row_new(const copse_model *model, copse_row **out, copse_error *err) {
    copse_row *r;
    CP_GUARD(err);
    CP_API_OUT(out);
    CP_API_NEED(model);
    CP_TRY(CP_NEW(r, 1, err));
    copse_status status = cp_model_row_init(&r->row, model, err);
    if (status)
        copse_row_free(r);
    else
        *out = r;
    return status;
}

static copse_status check_feature(const copse_row *row, size_t feature, copse_error *err) {
    CP_API_NEED(row);
    size_t have = row->row.m->schema->features;
    if (feature < have) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "feature %zu is set, counted from 0, but the model has %zu feature%s", feature,
                   have, cp_plural(have));
}

copse_status copse_row_set_number(copse_row *row, size_t feature, double value, copse_error *err) {
    CP_TRY(check_feature(row, feature, err));
    return cp_model_row_set_number(&row->row, feature, value, err);
}

copse_status copse_row_set_text(copse_row *row, size_t feature, const char *text, copse_error *err) {
    CP_TRY(check_feature(row, feature, err));
    return cp_model_row_set_text(&row->row, feature, text, err);
}

copse_status copse_row_set_missing(copse_row *row, size_t feature, copse_error *err) {
    CP_TRY(check_feature(row, feature, err));
    cp_model_row_set_missing(&row->row, feature);
    return COPSE_OK;
}

copse_status copse_row_set_numbers(copse_row *row, const double *values, size_t n, copse_error *err) {
    CP_API_NEED(row);
    CP_API_NEED(values);
    size_t have = row->row.m->schema->features;
    if (n != have)
        return cp_fail(err, COPSE_E_USAGE, "a row is set to %zu value%s, but the model has %zu feature%s", n,
                       cp_plural(n), have, cp_plural(have));
    for (size_t i = 0; i < n; i++) CP_TRY(cp_model_row_set_number(&row->row, i, values[i], err));
    return COPSE_OK;
}

static copse_status predict(copse_row *row, int of_mean, const copse_prediction **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(row);
    CP_TRY(cp_model_row_predict(&row->row, of_mean, &row->prediction.answer, err));
    *out = &row->prediction;
    return COPSE_OK;
}

copse_status copse_row_predict(copse_row *row, const copse_prediction **out, copse_error *err) {
    return predict(row, 0, out, err);
}

copse_status copse_row_predict_mean(copse_row *row, const copse_prediction **out, copse_error *err) {
    return predict(row, 1, out, err);
}

static copse_status learn(copse_row *row, copse_model *model, const char *opt_text, double number, copse_error *err) {
    CP_API_NEED(row);
    CP_API_NEED(model);
    if (row->row.m != model)
        return cp_fail(err, COPSE_E_USAGE, "a row is learnt by another model than it was made for: make a row for it");
    return cp_model_row_learn(&row->row, model, opt_text, number, err);
}

copse_status copse_row_learn(copse_row *row, copse_model *model, double target, copse_error *err) {
    return learn(row, model, NULL, target, err);
}

copse_status copse_row_learn_class(copse_row *row, copse_model *model, const char *target, copse_error *err) {
    CP_API_NEED(target);
    return learn(row, model, target, 0, err);
}

void copse_row_free(copse_row *row) {
    if (!row) return;
    cp_answer_clear(&row->prediction.answer);
    cp_model_row_clear(&row->row);
    cp_mem_free(row);
}
