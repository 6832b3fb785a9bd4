#include "api/api_prediction.h"
#include "base/mem.h"
#include "data/schema_unseen.h"
#include "model/describe.h"
#include "model/model_digest.h"
#include "model/model_file.h"
#include "model/model_fit.h"
#include "model/model_predict.h"
#include "model/model_update.h"
#include "model/registry.h"

const char *copse_version(void) {
    return COPSE_VERSION;
}

int copse_version_number(void) {
    return COPSE_VERSION_NUMBER;
}

const char *copse_status_text(copse_status status) {
    switch (status) {
        case COPSE_OK: return "done";
        case COPSE_E_INTERNAL: return "internal error";
        case COPSE_E_USAGE: return "wrong usage";
        case COPSE_E_DATA: return "bad data";
        case COPSE_E_MODEL: return "bad model file";
        case COPSE_E_SYSTEM: return "the system refused";
        case COPSE_E_CONVERGE: return "not converged";
        case COPSE_E_MEMORY: return "out of memory";
        case COPSE_E_STOPPED: return "interrupted";
    }
    return "unknown status";
}

/* ------------------------------------------------------------------------------------------- methods and parameters */

const copse_method_info *copse_method(size_t i) {
    const cp_method *m = cp_registry_method(i);
    return m ? &m->info : NULL;
}

int copse_method_option(const char *method, size_t i, copse_option_info *out) {
    const cp_method *m;
    if (cp_registry_find(method, &m, NULL) || i >= m->n_params) return 0;
    cp_param_info(m, i, out);
    return 1;
}

copse_status copse_params_new(const char *method, copse_params **out, copse_error *err) {
    const cp_method *m;
    *out = NULL;
    CP_TRY(cp_registry_find(method, &m, err));
    return cp_param_new(m, out, err);
}

copse_status copse_params_set(copse_params *p, const char *name, const char *value, copse_error *err) {
    return cp_param_set(p, name, value, err);
}

const char *copse_params_get(const copse_params *p, const char *name) {
    return cp_param_text(p, name);
}

const char *copse_params_method(const copse_params *p) {
    return p->method->info.name;
}

void copse_params_free(copse_params *p) {
    cp_param_free(p);
}

/* ---------------------------------------------------------------------------------------------------------- models */

static copse_status check_roles(const copse_roles *roles, copse_error *err) {
    if (roles && roles->target) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "fit needs a target column (`target`)");
}

copse_status copse_fit(const copse_table *train, const copse_roles *roles, const copse_params *params,
                       const copse_run *run, copse_model **out, copse_error *err) {
    *out = NULL;
    CP_TRY(check_roles(roles, err));
    return cp_model_fit(train, roles, params, run, out, err);
}

copse_status copse_fit_take(copse_table **train, const copse_roles *roles, const copse_params *params,
                            const copse_run *run, copse_model **out, copse_error *err) {
    *out = NULL;
    copse_status status = check_roles(roles, err);
    if (!status) return cp_model_fit_take(train, roles, params, run, out, err);
    copse_table_free(*train);
    *train = NULL;
    return status;
}

copse_status copse_update(copse_model *model, const copse_table *rows, const copse_run *run, copse_error *err) {
    return cp_model_update(model, rows, run, err);
}

static copse_status new_prediction(copse_prediction **out, copse_error *err) {
    *out = NULL;
    return CP_NEW(*out, 1, err);
}

static copse_status end_prediction(copse_prediction **out, copse_status status) {
    if (status) {
        copse_prediction_free(*out);
        *out = NULL;
    }
    return status;
}

copse_status copse_update_predict(copse_model *model, const copse_table *rows, const copse_run *run,
                                  copse_prediction **out, copse_error *err) {
    CP_TRY(new_prediction(out, err));
    return end_prediction(out, cp_model_update_predict(model, rows, run, &(*out)->answer, err));
}

copse_status copse_predict(const copse_model *model, const copse_table *x, const copse_predict_options *opt,
                           const copse_run *run, copse_prediction **out, copse_error *err) {
    copse_predict_options o = opt ? *opt : (copse_predict_options){0};
    size_t rest = o.first < x->rows ? x->rows - o.first : 0;
    const cp_model_query q = {.table = x, .first = o.first, .n = o.n ? o.n : rest, .of_mean = o.of_mean};
    CP_TRY(new_prediction(out, err));
    return end_prediction(out, cp_model_predict(model, &q, run, &(*out)->answer, err));
}

copse_status copse_save(const copse_model *model, const char *path, unsigned flags, const copse_run *run,
                        copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_model_file_save(model, path, flags, err);
}

copse_status copse_load(const char *path, const copse_run *run, copse_model **out, copse_error *err) {
    *out = NULL;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_model_file_load(path, out, err);
}

copse_status copse_model_check(const copse_model *model, const copse_run *run, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_model_check(model, err);
}

copse_status copse_model_digest(const copse_model *model, const copse_run *run, char out[COPSE_DIGEST_SIZE],
                                copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_model_digest(model, out, err);
}

void copse_model_free(copse_model *model) {
    cp_model_free(model);
}

copse_task copse_model_task(const copse_model *model) {
    return model->schema->task;
}

const copse_params *copse_model_params(const copse_model *model) {
    return model->params;
}

const char *copse_model_target(const copse_model *model) {
    return model->schema->target;
}

size_t copse_model_rows(const copse_model *model) {
    return model->method->rows(model->state);
}

int copse_model_can_learn(const copse_model *model) {
    return model->method->update && model->method->can_learn(model->state);
}

int copse_model_has_draws(const copse_model *model) {
    return cp_model_has_draws(model);
}

size_t copse_model_features(const copse_model *model) {
    return model->schema->features;
}

const char *copse_model_feature(const copse_model *model, size_t i) {
    return model->schema->feature[i].name;
}

copse_kind copse_model_feature_kind(const copse_model *model, size_t i) {
    return model->schema->feature[i].kind;
}

size_t copse_model_unseen(const copse_model *model, const copse_table *t, size_t i, size_t *opt_row) {
    size_t row;
    return cp_schema_unseen(model->schema, t, i, opt_row ? opt_row : &row);
}

size_t copse_model_classes(const copse_model *model) {
    return model->schema->classes.n;
}

const char *copse_model_class(const copse_model *model, size_t k) {
    return cp_dict_text(&model->schema->classes, k);
}

int copse_model_has_prob_draws(const copse_model *model) {
    return model->schema->task == COPSE_CLASS && model->method->draws_probs;
}

size_t copse_model_draws(const copse_model *model) {
    return cp_model_draws(model);
}

size_t copse_model_block(const copse_model *model) {
    return cp_model_predict_block(model);
}

size_t copse_model_trees(const copse_model *model) {
    return model->method->trees(model->state);
}

size_t copse_model_figures(const copse_model *model, copse_figure out[COPSE_MAX_FIGURES]) {
    return cp_describe_figures(model, out);
}

size_t copse_model_main_figures(const copse_model *model) {
    copse_figure figure[COPSE_MAX_FIGURES];
    return model->method->inspect.figures(model->state, figure);
}

copse_status copse_model_diagnose(const copse_model *model, copse_diagnosis *out, copse_error *err) {
    *out = (copse_diagnosis){0};
    if (!model->method->inspect.diagnose)
        return cp_fail(err, COPSE_E_USAGE, "method %s draws no samples: there is nothing to diagnose",
                       model->method->info.name);
    model->method->inspect.diagnose(model->state, model->params, out);
    return COPSE_OK;
}

copse_status copse_model_write_json(const copse_model *model, copse_write_fn write, void *arg, copse_error *err) {
    return cp_describe_model(model, write, arg, err);
}

copse_status copse_model_write_tree(const copse_model *model, size_t tree, const char *format, copse_write_fn write,
                                    void *arg, copse_error *err) {
    return cp_describe_tree(model, tree, format, write, arg, err);
}
