#include "api/api_check.h"
#include "api/api_prediction.h"
#include "base/mem.h"
#include "data/schema_unseen.h"
#include "model/describe.h"
#include "model/model_digest.h"
#include "model/model_file.h"
#include "model/model_fit.h"
#include "model/model_predict.h"
#include "model/model_summary.h"
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

const copse_method_info *copse_method_compared(size_t rows, size_t i) {
    const cp_method *m = cp_registry_compared(rows, i);
    return m ? &m->info : NULL;
}

const copse_method_info *copse_method(size_t i) {
    const cp_method *m = cp_registry_method(i);
    return m ? &m->info : NULL;
}

int copse_method_option(const char *method, size_t i, copse_option_info *out) {
    CP_GUARD_OR(0);
    const cp_method *m;
    if (!method || !out || cp_registry_find(method, &m, NULL) || i >= m->n_params) return 0;
    cp_param_info(m, i, out);
    return 1;
}

copse_status copse_params_new(const char *method, copse_params **out, copse_error *err) {
    CP_GUARD(err);
    const cp_method *m;
    CP_API_OUT(out);
    CP_API_NEED(method);
    CP_TRY(cp_registry_find(method, &m, err));
    return cp_param_new(m, out, err);
}

copse_status copse_params_set(copse_params *p, const char *name, const char *value, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(p);
    CP_API_NEED(name);
    CP_API_NEED(value);
    return cp_param_set(p, name, value, err);
}

const char *copse_params_get(const copse_params *p, const char *name) {
    return p && name ? cp_param_text(p, name) : NULL;
}

const char *copse_params_method(const copse_params *p) {
    return p ? p->method->info.name : NULL;
}

void copse_params_free(copse_params *p) {
    cp_param_free(p);
}

/* ---------------------------------------------------------------------------------------------------------- models */

typedef struct fit_args {
    const copse_table *train;
    copse_table **take; /* or NULL */
    const copse_roles *roles;
    const copse_params *params;
    copse_model *made;
} fit_args;

static copse_status do_fit(void *arg, const copse_run *run, copse_error *err) {
    fit_args *a = arg;
    if (a->take) return cp_model_fit_take(a->take, a->roles, a->params, run, &a->made, err);
    return cp_model_fit(a->train, a->roles, a->params, run, &a->made, err);
}

copse_status copse_fit(const copse_table *train, const copse_roles *roles, const copse_params *params,
                       const copse_run *run, copse_model **out, copse_error *err) {
    copse_roles r;
    CP_API_OUT(out);
    CP_API_NEED(train);
    CP_API_NEED(roles);
    CP_TRY(cp_api_check_roles(roles, &r, err));
    fit_args a = {.train = train, .roles = &r, .params = params};
    CP_TRY(cp_api_check_call(run, do_fit, &a, err));
    *out = a.made;
    return COPSE_OK;
}

static copse_status fit_taken(copse_table **train, fit_args *a, const copse_roles *roles, const copse_run *run,
                              copse_error *err) {
    copse_roles r;
    CP_API_NEED(*train);
    CP_API_NEED(roles);
    CP_TRY(cp_api_check_roles(roles, &r, err));
    a->take = train;
    a->roles = &r;
    return cp_api_check_call(run, do_fit, a, err);
}

copse_status copse_fit_take(copse_table **train, const copse_roles *roles, const copse_params *params,
                            const copse_run *run, copse_model **out, copse_error *err) {
    CP_API_NEED(train);
    fit_args a = {.params = params};
    if (out) *out = NULL;
    copse_status status = out ? fit_taken(train, &a, roles, run, err) : cp_fail_argument(err, "out");
    cp_table_free(*train); /* if the fit has not come so far */
    *train = NULL;
    if (!status) *out = a.made;
    return status;
}

typedef struct row_args {
    const copse_model *model;
    copse_model *learner; /* the same, to be changed */
    const copse_table *rows;
    copse_predict_options opt;
    copse_prediction *made;
} row_args;

static copse_status do_update(void *arg, const copse_run *run, copse_error *err) {
    row_args *a = arg;
    return cp_model_update(a->learner, a->rows, run, err);
}

copse_status copse_update(copse_model *model, const copse_table *rows, const copse_run *run, copse_error *err) {
    CP_API_NEED(model);
    CP_API_NEED(rows);
    row_args a = {.learner = model, .rows = rows};
    return cp_api_check_call(run, do_update, &a, err);
}

/* Calls `work`, which fills a prediction. */
static copse_status make_prediction(const copse_run *run, cp_supervise_work work, row_args *a, copse_prediction **out,
                                    copse_error *err) {
    CP_TRY(CP_NEW(a->made, 1, err));
    copse_status status = cp_api_check_call(run, work, a, err);
    if (status)
        copse_prediction_free(a->made);
    else
        *out = a->made;
    return status;
}

static copse_status do_update_predict(void *arg, const copse_run *run, copse_error *err) {
    row_args *a = arg;
    return cp_model_update_predict(a->learner, a->rows, run, &a->made->answer, err);
}

copse_status copse_update_predict(copse_model *model, const copse_table *rows, const copse_run *run,
                                  copse_prediction **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(model);
    CP_API_NEED(rows);
    row_args a = {.learner = model, .rows = rows};
    return make_prediction(run, do_update_predict, &a, out, err);
}

static copse_status do_predict(void *arg, const copse_run *run, copse_error *err) {
    row_args *a = arg;
    const copse_predict_options *o = &a->opt;
    size_t rest = o->first < a->rows->rows ? a->rows->rows - o->first : 0;
    const cp_model_query q = {.table = a->rows, .first = o->first, .n = o->n ? o->n : rest, .of_mean = o->of_mean};
    return cp_model_predict(a->model, &q, run, &a->made->answer, err);
}

copse_status copse_predict(const copse_model *model, const copse_table *x, const copse_predict_options *opt,
                           const copse_run *run, copse_prediction **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(model);
    CP_API_NEED(x);
    row_args a = {.model = model, .rows = x};
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    return make_prediction(run, do_predict, &a, out, err);
}

typedef struct file_args {
    const copse_model *model;
    const char *path;
    char *digest;
    copse_model *made;
} file_args;

static copse_status do_load(void *arg, const copse_run *run, copse_error *err) {
    file_args *a = arg;
    return cp_model_file_load(a->path, run->memory_limit, &a->made, err);
}

copse_status copse_load(const char *path, const copse_run *run, copse_model **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(path);
    file_args a = {.path = path};
    CP_TRY(cp_api_check_call(run, do_load, &a, err));
    *out = a.made;
    return COPSE_OK;
}

static copse_status do_check(void *arg, const copse_run *run, copse_error *err) {
    (void)run;
    return cp_model_check(((file_args *)arg)->model, err);
}

copse_status copse_model_check(const copse_model *model, const copse_run *run, copse_error *err) {
    CP_API_NEED(model);
    file_args a = {.model = model};
    return cp_api_check_call(run, do_check, &a, err);
}

static copse_status do_digest(void *arg, const copse_run *run, copse_error *err) {
    file_args *a = arg;
    (void)run;
    return cp_model_digest(a->model, a->digest, err);
}

copse_status copse_model_digest(const copse_model *model, const copse_run *run, char out[COPSE_DIGEST_SIZE],
                                copse_error *err) {
    CP_API_NEED(out);
    out[0] = '\0';
    CP_API_NEED(model);
    file_args a = {.model = model, .digest = out};
    return cp_api_check_call(run, do_digest, &a, err);
}

void copse_model_free(copse_model *model) {
    cp_model_free(model);
}

copse_task copse_model_task(const copse_model *model) {
    return model ? model->schema->task : COPSE_TASK_NONE;
}

const copse_params *copse_model_params(const copse_model *model) {
    return model ? model->params : NULL;
}

const char *copse_model_target(const copse_model *model) {
    return model ? model->schema->target : NULL;
}

size_t copse_model_rows(const copse_model *model) {
    return model ? model->method->rows(model->state) : 0;
}

int copse_model_can_learn(const copse_model *model) {
    return model && model->method->update && model->method->can_learn(model->state);
}

int copse_model_has_draws(const copse_model *model) {
    return model && cp_model_has_draws(model);
}

size_t copse_model_features(const copse_model *model) {
    return model ? model->schema->features : 0;
}

const char *copse_model_feature(const copse_model *model, size_t i) {
    return model && i < model->schema->features ? model->schema->feature[i].name : NULL;
}

copse_kind copse_model_feature_kind(const copse_model *model, size_t i) {
    return model && i < model->schema->features ? model->schema->feature[i].kind : COPSE_NUMBER;
}

size_t copse_model_unseen(const copse_model *model, const copse_table *t, size_t i, size_t *opt_row) {
    size_t row;
    if (opt_row) *opt_row = 0;
    if (!model || !t || i >= model->schema->features) return 0;
    return cp_schema_unseen(model->schema, t, i, opt_row ? opt_row : &row);
}

size_t copse_model_classes(const copse_model *model) {
    return model ? model->schema->classes.n : 0;
}

int copse_model_column(const copse_model *model, size_t i, copse_column *out) {
    CP_GUARD_OR(0);
    if (!model || !out || !model->summary || i > model->schema->features) return 0;
    cp_model_summary_column(model, i, out);
    return 1;
}

int copse_model_column_level(const copse_model *model, size_t i, size_t k, copse_level *out) {
    CP_GUARD_OR(0);
    if (!model || !out || !model->summary || i > model->schema->features) return 0;
    return cp_model_summary_level(model, i, k, out);
}

const char *copse_model_class(const copse_model *model, size_t k) {
    return model && k < model->schema->classes.n ? cp_dict_text(&model->schema->classes, k) : NULL;
}

int copse_model_has_prob_draws(const copse_model *model) {
    return model && model->schema->task == COPSE_CLASS && model->method->draws_probs;
}

size_t copse_model_draws(const copse_model *model) {
    return model ? cp_model_draws(model) : 0;
}

size_t copse_model_block(const copse_model *model) {
    return model ? cp_model_predict_block(model) : 0;
}

size_t copse_model_trees(const copse_model *model) {
    return model ? model->method->trees(model->state) : 0;
}

size_t copse_model_figures(const copse_model *model, copse_figure out[COPSE_MAX_FIGURES]) {
    CP_GUARD_OR(0);
    return model && out ? cp_describe_figures(model, out) : 0;
}

size_t copse_model_main_figures(const copse_model *model) {
    CP_GUARD_OR(0);
    copse_figure figure[COPSE_MAX_FIGURES];
    if (!model) return 0;
    return model->method->inspect.figures(model->state, figure);
}

copse_status copse_model_diagnose(const copse_model *model, copse_diagnosis *out, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(out);
    *out = (copse_diagnosis){0};
    CP_API_NEED(model);
    if (!model->method->inspect.diagnose)
        return cp_fail(err, COPSE_E_USAGE, "method %s draws no samples: there is nothing to diagnose",
                       model->method->info.name);
    model->method->inspect.diagnose(model->state, model->params, out);
    return COPSE_OK;
}

copse_status copse_model_write_json(const copse_model *model, copse_write_fn write, void *arg, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(model);
    CP_API_NEED(write);
    return cp_describe_model(model, write, arg, err);
}

copse_status copse_model_write_tree(const copse_model *model, size_t tree, const char *format, copse_write_fn write,
                                    void *arg, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(model);
    CP_API_NEED(format);
    CP_API_NEED(write);
    return cp_describe_tree(model, tree, format, write, arg, err);
}
