#include <math.h>

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
    *out = NULL;
    CP_TRY(cp_score_check_interval(interval, err));
    CP_TRY(CP_NEW(*out, 1, err));
    (*out)->model = model;
    cp_metric_init(&(*out)->metric, model->schema->task, interval);
    return COPSE_OK;
}

copse_status copse_scorer_add(copse_scorer *s, const copse_prediction *p, const copse_table *truth, size_t first,
                              copse_error *err) {
    if (p->answer.task != s->metric.task)
        return cp_fail(err, COPSE_E_USAGE, "a prediction of another task than the scorer's model");
    cp_score_rows part = {.answer = &p->answer, .truth = truth, .first = first};
    return cp_score_add(&s->metric, s->model, &part, NULL, err);
}

void copse_scorer_read(const copse_scorer *s, copse_scores *out) {
    *out = (copse_scores){0};
    cp_metric_read(&s->metric, out);
}

void copse_scorer_free(copse_scorer *s) {
    if (!s) return;
    cp_metric_clear(&s->metric);
    cp_mem_free(s);
}

copse_status copse_eval(const copse_model *model, const copse_table *test, const copse_eval_options *opt,
                        const copse_run *run, copse_scores *out, copse_error *err) {
    return cp_score_table(model, test, opt ? opt : &(copse_eval_options){0}, run, out, err);
}

copse_status copse_cv(const copse_table *data, const copse_roles *roles, const copse_cv_options *opt,
                      const copse_run *run, copse_scores *out, copse_error *err) {
    copse_cv_options o = opt ? *opt : (copse_cv_options){0};
    cp_cv_plan plan = {
        .params = o.params, .folds = o.folds ? o.folds : 10, .repeats = o.repeats ? o.repeats : 1, .seed = o.seed};
    return cp_cv_run(data, roles, &plan, run, out, err);
}

copse_status copse_importance_impurity(const copse_model *model, const copse_run *run, copse_importance *out,
                                       copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_importance_impurity(model, out, err);
}

copse_status copse_importance_permute(const copse_model *model, const copse_table *data,
                                      const copse_permute_options *opt, const copse_run *run, copse_importance *out,
                                      copse_error *err) {
    copse_permute_options o = opt ? *opt : (copse_permute_options){0};
    double loss;
    cp_importance_plan plan = {.data = data, .repeats = o.repeats ? o.repeats : 5, .seed = o.seed};
    return cp_importance_permute(model, &plan, run, o.out_loss ? o.out_loss : &loss, out, err);
}

copse_status copse_effect_new(const copse_model *model, const copse_table *data, const copse_effect_options *opt,
                              const copse_run *run, copse_effect **out, copse_error *err) {
    copse_effect_options full = *opt;
    *out = NULL;
    if (!full.feature) return cp_fail(err, COPSE_E_USAGE, "an effect is of a feature: name it");
    if (!full.points) full.points = 20;
    if (!full.rows) full.rows = 1000;
    if (full.level == 0) full.level = .9;
    CP_TRY(cp_score_check_interval(full.level, err));
    if (!data->rows) return cp_fail(err, COPSE_E_DATA, "there are no rows to average over");
    return cp_effect_new(model, data, &full, run, out, err);
}

size_t copse_effect_points(const copse_effect *e) {
    return e->points;
}

size_t copse_effect_rows(const copse_effect *e) {
    return e->rows;
}

size_t copse_effect_left_out(const copse_effect *e) {
    return e->left_out;
}

double copse_effect_number(const copse_effect *e, size_t point) {
    return e->text ? NAN : e->value[point];
}

const char *copse_effect_text(const copse_effect *e, size_t point) {
    return e->text ? e->text[point] : NULL;
}

int copse_effect_is_missing(const copse_effect *e, size_t point) {
    return isnan(e->value[point]);
}

double copse_effect_mean(const copse_effect *e, size_t point, size_t k) {
    return e->mean[point * e->outputs + k];
}

double copse_effect_lo(const copse_effect *e, size_t point, size_t k) {
    return e->lo ? e->lo[point * e->outputs + k] : NAN;
}

double copse_effect_hi(const copse_effect *e, size_t point, size_t k) {
    return e->hi ? e->hi[point * e->outputs + k] : NAN;
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
    unsigned char *is_test = NULL;
    size_t *rows = NULL;
    copse_status status;
    *out_train = *out_test = NULL;
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

copse_status copse_stability(const copse_table *data, const copse_roles *roles, const copse_params *params,
                             const copse_run *run, copse_trunks **out, copse_error *err) {
    *out = NULL;
    if (!roles || !roles->target) return cp_fail(err, COPSE_E_USAGE, "stability needs a target column (`target`)");
    return cp_stability_run(data, roles, params, run, out, err);
}

size_t copse_trunks_draws(const copse_trunks *t) {
    return t->draws;
}

const copse_trunk *copse_trunks_kind(const copse_trunks *t, size_t i) {
    return i < t->kinds ? &t->kind[i] : NULL;
}

const copse_trunk_split *copse_trunks_split(const copse_trunks *t, size_t i) {
    return i < t->splits ? &t->split[i] : NULL;
}

void copse_trunks_free(copse_trunks *t) {
    cp_stability_free(t);
}
