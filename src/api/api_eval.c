#include <math.h>

#include "api/api_check.h"
#include "api/api_prediction.h"
#include "base/mem.h"
#include "eval/cv.h"
#include "eval/effect.h"
#include "eval/folds.h"
#include "eval/importance.h"
#include "eval/score.h"
#include "eval/stability.h"

struct copse_scorer {
    const copse_model *model; /* the caller's; its classes may grow between calls */
    cp_metric metric;
};

copse_status copse_scorer_new(const copse_model *model, double interval, copse_scorer **out, copse_error *err) {
    CP_GUARD(err);
    CP_API_OUT(out);
    CP_API_NEED(model);
    CP_TRY(cp_score_check_interval(interval, err));
    CP_TRY(CP_NEW(*out, 1, err));
    (*out)->model = model;
    cp_metric_init(&(*out)->metric, model->schema->task, interval);
    return COPSE_OK;
}

copse_status copse_scorer_add(copse_scorer *s, const copse_prediction *p, const copse_table *truth, size_t first,
                              copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(s);
    CP_API_NEED(p);
    CP_API_NEED(truth);
    if (p->answer.task != s->metric.task)
        return cp_fail(err, COPSE_E_USAGE, "a prediction of another task than the scorer's model");
    if (p->answer.classes > s->model->schema->classes.n)
        return cp_fail(err, COPSE_E_USAGE, "a prediction of %zu classes, of which the scorer's model has %zu",
                       p->answer.classes, s->model->schema->classes.n);
    cp_score_rows part = {.answer = &p->answer, .truth = truth, .first = first};
    return cp_score_add(&s->metric, s->model, &part, NULL, err);
}

void copse_scorer_read(const copse_scorer *s, copse_scores *out) {
    if (!out) return;
    *out = (copse_scores){0};
    if (s) cp_metric_read(&s->metric, out);
}

void copse_scorer_free(copse_scorer *s) {
    if (!s) return;
    cp_metric_clear(&s->metric);
    cp_mem_free(s);
}

/* More repeats than anybody can want: the caller's array of results has no room for a number gone wrong. */
enum { MANY = 1000000 };

static copse_status check_many(size_t n, const char *name, copse_error *err) {
    if (n <= MANY) return COPSE_OK;
    cp_fail(err, COPSE_E_USAGE, "`%s` is %zu: give %d at most", name, n, MANY);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, name);
}

typedef struct eval_args {
    const copse_model *model;
    const copse_table *data;
    const void *opt; /* the options of the function, checked */
    const copse_roles *roles;
    void *out;
    double *out_loss;
} eval_args;

static copse_status do_eval(void *arg, const copse_run *run, copse_error *err) {
    eval_args *a = arg;
    return cp_score_table(a->model, a->data, a->opt, run, a->out, err);
}

copse_status copse_eval(const copse_model *model, const copse_table *test, const copse_eval_options *opt,
                        const copse_run *run, copse_scores *out, copse_error *err) {
    copse_eval_options o;
    CP_API_NEED(out);
    *out = (copse_scores){0};
    CP_API_NEED(model);
    CP_API_NEED(test);
    CP_TRY(CP_API_OPTIONS(opt, &o));
    eval_args a = {.model = model, .data = test, .opt = &o, .out = out};
    return cp_api_check_call(run, do_eval, &a, err);
}

static copse_status do_cv(void *arg, const copse_run *run, copse_error *err) {
    eval_args *a = arg;
    const copse_cv_options *o = a->opt;
    cp_cv_plan plan = {.params = o->params,
                       .folds = o->folds ? o->folds : 10,
                       .repeats = o->repeats ? o->repeats : 1,
                       .seed = o->seed};
    return cp_cv_run(a->data, a->roles, &plan, run, a->out, err);
}

copse_status copse_cv(const copse_table *data, const copse_roles *roles, const copse_cv_options *opt,
                      const copse_run *run, copse_scores *out, copse_error *err) {
    copse_cv_options o;
    copse_roles r;
    CP_API_NEED(out);
    CP_API_NEED(data);
    CP_API_NEED(roles);
    CP_TRY(CP_API_OPTIONS(opt, &o));
    CP_TRY(check_many(o.repeats, "repeats", err));
    CP_TRY(cp_api_check_roles(roles, &r, err));
    eval_args a = {.data = data, .roles = &r, .opt = &o, .out = out};
    return cp_api_check_call(run, do_cv, &a, err);
}

static copse_status do_impurity(void *arg, const copse_run *run, copse_error *err) {
    eval_args *a = arg;
    (void)run;
    return cp_importance_impurity(a->model, a->out, err);
}

copse_status copse_importance_impurity(const copse_model *model, const copse_run *run, copse_importance *out,
                                       copse_error *err) {
    CP_API_NEED(model);
    CP_API_NEED(out);
    eval_args a = {.model = model, .out = out};
    return cp_api_check_call(run, do_impurity, &a, err);
}

static copse_status do_permute(void *arg, const copse_run *run, copse_error *err) {
    eval_args *a = arg;
    const copse_permute_options *o = a->opt;
    cp_importance_plan plan = {.data = a->data, .repeats = o->repeats ? o->repeats : 5, .seed = o->seed};
    return cp_importance_permute(a->model, &plan, run, a->out_loss, a->out, err);
}

copse_status copse_importance_permute(const copse_model *model, const copse_table *data,
                                      const copse_permute_options *opt, const copse_run *run, copse_importance *out,
                                      copse_error *err) {
    copse_permute_options o;
    double loss;
    CP_API_NEED(model);
    CP_API_NEED(data);
    CP_API_NEED(out);
    CP_TRY(CP_API_OPTIONS(opt, &o));
    CP_TRY(check_many(o.repeats, "repeats", err));
    eval_args a = {.model = model, .data = data, .opt = &o, .out = out, .out_loss = o.out_loss ? o.out_loss : &loss};
    return cp_api_check_call(run, do_permute, &a, err);
}

static copse_status do_effect(void *arg, const copse_run *run, copse_error *err) {
    eval_args *a = arg;
    return cp_effect_new(a->model, a->data, a->opt, run, a->out, err);
}

copse_status copse_effect_new(const copse_model *model, const copse_table *data, const copse_effect_options *opt,
                              const copse_run *run, copse_effect **out, copse_error *err) {
    copse_effect_options full;
    copse_effect *made = NULL;
    CP_API_OUT(out);
    CP_API_NEED(model);
    CP_API_NEED(data);
    CP_TRY(CP_API_OPTIONS(opt, &full));
    if (!full.feature) return cp_fail(err, COPSE_E_USAGE, "an effect is of a feature: name it");
    CP_TRY(check_many(full.points, "points", err));
    if (!full.points) full.points = 20;
    if (!full.rows) full.rows = 1000;
    if (full.level == 0) full.level = .9;
    CP_TRY(cp_score_check_interval(full.level, err));
    if (!data->rows) return cp_fail(err, COPSE_E_DATA, "there are no rows to average over");
    eval_args a = {.model = model, .data = data, .opt = &full, .out = &made};
    CP_TRY(cp_api_check_call(run, do_effect, &a, err));
    *out = made;
    return COPSE_OK;
}

size_t copse_effect_points(const copse_effect *e) {
    return e ? e->points : 0;
}

size_t copse_effect_rows(const copse_effect *e) {
    return e ? e->rows : 0;
}

size_t copse_effect_left_out(const copse_effect *e) {
    return e ? e->left_out : 0;
}

double copse_effect_number(const copse_effect *e, size_t point) {
    return !e || e->text || point >= e->points ? NAN : e->value[point];
}

const char *copse_effect_text(const copse_effect *e, size_t point) {
    return e && e->text && point < e->points ? e->text[point] : NULL;
}

int copse_effect_is_missing(const copse_effect *e, size_t point) {
    return e && point < e->points && isnan(e->value[point]);
}

static int has_output(const copse_effect *e, size_t point, size_t k) {
    return e && point < e->points && k < e->outputs;
}

double copse_effect_mean(const copse_effect *e, size_t point, size_t k) {
    return has_output(e, point, k) ? e->mean[point * e->outputs + k] : NAN;
}

double copse_effect_lo(const copse_effect *e, size_t point, size_t k) {
    return has_output(e, point, k) && e->lo ? e->lo[point * e->outputs + k] : NAN;
}

double copse_effect_hi(const copse_effect *e, size_t point, size_t k) {
    return has_output(e, point, k) && e->hi ? e->hi[point * e->outputs + k] : NAN;
}

void copse_effect_free(copse_effect *e) {
    cp_effect_free(e);
}

static copse_status select_part(const copse_table *data, const unsigned char *is_test, int want, size_t *rows,
                                copse_table **out, copse_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < data->rows; i++)
        if (is_test[i] == want) rows[n++] = i;
    return cp_table_select(data, rows, n, out, err);
}

copse_status copse_holdout(const copse_table *data, double share, uint64_t seed, copse_table **out_train,
                           copse_table **out_test, copse_error *err) {
    CP_GUARD(err);
    CP_API_OUT(out_train);
    CP_API_OUT(out_test);
    CP_API_NEED(data);
    unsigned char *is_test = NULL;
    size_t *rows = NULL;
    copse_status status;
    CP_TRY_OUT(CP_RAW(is_test, data->rows, err));
    CP_TRY_OUT(CP_RAW(rows, data->rows, err));
    CP_TRY_OUT(cp_folds_holdout(data->rows, share, seed, is_test, err));
    CP_TRY_OUT(select_part(data, is_test, 0, rows, out_train, err));
    CP_TRY_OUT(select_part(data, is_test, 1, rows, out_test, err));
out:
    cp_mem_free(is_test);
    cp_mem_free(rows);
    if (status) {
        cp_table_free(*out_train);
        *out_train = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------- stability */

typedef struct stability_args {
    const copse_table *data;
    const copse_roles *roles;
    const copse_params *params;
    copse_trunks *made;
} stability_args;

static copse_status do_stability(void *arg, const copse_run *run, copse_error *err) {
    stability_args *a = arg;
    return cp_stability_run(a->data, a->roles, a->params, run, &a->made, err);
}

copse_status copse_stability(const copse_table *data, const copse_roles *roles, const copse_params *params,
                             const copse_run *run, copse_trunks **out, copse_error *err) {
    copse_roles r;
    CP_API_OUT(out);
    CP_API_NEED(data);
    CP_API_NEED(roles);
    CP_TRY(cp_api_check_roles(roles, &r, err));
    stability_args a = {.data = data, .roles = &r, .params = params};
    CP_TRY(cp_api_check_call(run, do_stability, &a, err));
    *out = a.made;
    return COPSE_OK;
}

size_t copse_trunks_draws(const copse_trunks *t) {
    return t ? t->draws : 0;
}

const copse_trunk *copse_trunks_kind(const copse_trunks *t, size_t i) {
    return t && i < t->kinds ? &t->kind[i] : NULL;
}

const copse_trunk_split *copse_trunks_split(const copse_trunks *t, size_t i) {
    return t && i < t->splits ? &t->split[i] : NULL;
}

void copse_trunks_free(copse_trunks *t) {
    cp_stability_free(t);
}
