#include <math.h>

#include "api/api_check.h"
#include "bo/study.h"

static void show(const copse_study *s, size_t trial, copse_trial *out) {
    const cp_study_trial *t = &s->trial[trial];
    *out = (copse_trial){.id = trial + 1,
                         .x = s->x + trial * s->space->dims,
                         .state = t->state,
                         .value = t->value,
                         .row = t->point == CP_NONE ? (size_t)-1 : (size_t)t->point};
}

static const copse_trial no_trial = {.value = NAN, .row = (size_t)-1};

typedef struct study_args {
    copse_study *s;
    const char *path;
    const copse_study_options *opt;
    size_t id;
    double value;
    const double *x;
    size_t trial; /* the result */
} study_args;

static copse_status check_dims(const copse_study_options *o, copse_error *err) {
    if (o->n_dims && !o->dims) return cp_fail_argument(err, "dims");
    for (size_t i = 0; i < o->n_dims; i++) {
        const copse_dim *d = &o->dims[i];
        if (!d->name || (unsigned)d->kind > COPSE_DIM_CATEGORY)
            return cp_fail(err, COPSE_E_USAGE, "dimension %zu of `dims` has no name, or a kind that there is not",
                           i + 1);
        if (d->kind == COPSE_DIM_CATEGORY) CP_TRY(cp_api_check_texts(d->levels, d->n_levels, "levels", err));
    }
    return COPSE_OK;
}

static copse_status do_new(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_new(a->path, a->opt, &a->s, err);
}

copse_status copse_study_new(const char *opt_path, const copse_study_options *opt, const copse_run *run,
                             copse_study **out, copse_error *err) {
    copse_study_options o;
    CP_API_OUT(out);
    CP_API_NEED(opt);
    CP_TRY(CP_API_OPTIONS(opt, &o));
    CP_TRY(check_dims(&o, err));
    study_args a = {.path = opt_path, .opt = &o};
    CP_TRY(cp_api_check_call(run, do_new, &a, err));
    *out = a.s;
    return COPSE_OK;
}

static copse_status do_open(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_open(a->path, &a->s, err);
}

copse_status copse_study_open(const char *path, const copse_run *run, copse_study **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(path);
    study_args a = {.path = path};
    CP_TRY(cp_api_check_call(run, do_open, &a, err));
    *out = a.s;
    return COPSE_OK;
}

static copse_status do_ask(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_ask(a->s, &a->trial, err);
}

copse_status copse_study_ask(copse_study *s, const copse_run *run, copse_trial *out, copse_error *err) {
    CP_API_NEED(out);
    *out = no_trial;
    CP_API_NEED(s);
    study_args a = {.s = s};
    CP_TRY(cp_api_check_call(run, do_ask, &a, err));
    show(s, a.trial, out);
    return COPSE_OK;
}

static copse_status do_tell(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_tell(a->s, a->id - 1, a->value, err);
}

copse_status copse_study_tell(copse_study *s, size_t id, double value, const copse_run *run, copse_error *err) {
    CP_API_NEED(s);
    if (id < 1) return cp_fail(err, COPSE_E_USAGE, "there is no trial 0: they are numbered from 1");
    study_args a = {.s = s, .id = id, .value = value};
    return cp_api_check_call(run, do_tell, &a, err);
}

static copse_status do_add(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_add(a->s, a->x, a->value, &a->trial, err);
}

copse_status copse_study_add(copse_study *s, const double *x, double value, const copse_run *run, copse_trial *opt_out,
                             copse_error *err) {
    if (opt_out) *opt_out = no_trial;
    CP_API_NEED(s);
    CP_API_NEED(x);
    study_args a = {.s = s, .x = x, .value = value};
    CP_TRY(cp_api_check_call(run, do_add, &a, err));
    if (opt_out) show(s, a.trial, opt_out);
    return COPSE_OK;
}

static copse_status do_look(void *arg, const copse_run *run, copse_error *err) {
    study_args *a = arg;
    (void)run;
    return cp_study_refresh(a->s, err);
}

copse_status copse_study_look(copse_study *s, const copse_run *run, copse_error *err) {
    CP_API_NEED(s);
    study_args a = {.s = s};
    return cp_api_check_call(run, do_look, &a, err);
}

size_t copse_study_dims(const copse_study *s) {
    return s ? s->space->dims : 0;
}

const copse_dim *copse_study_dim(const copse_study *s, size_t i) {
    return s && i < s->space->dims ? &s->space->dim[i].info : NULL;
}

size_t copse_study_points(const copse_study *s) {
    return s ? s->space->points : 0;
}

int copse_study_minimises(const copse_study *s) {
    return s ? s->minimise : 0;
}

const char *copse_study_acquisition(const copse_study *s) {
    return s ? cp_study_acquisition(s) : NULL;
}

void copse_study_settings(const copse_study *s, copse_study_options *out) {
    if (!out) return;
    *out = (copse_study_options){0};
    if (!s) return;
    *out = (copse_study_options){.minimise = s->minimise,
                                 .acquisition = cp_study_acquisition(s),
                                 .kappa = s->kappa,
                                 .trees = s->trees,
                                 .initial = s->initial,
                                 .seed = s->seed};
}

size_t copse_study_trials(const copse_study *s) {
    return s ? s->n : 0;
}

int copse_study_trial(const copse_study *s, size_t id, copse_trial *out) {
    if (out) *out = no_trial;
    if (!s || id < 1 || id > s->n) return 0;
    if (out) show(s, id - 1, out);
    return 1;
}

size_t copse_study_told(const copse_study *s, size_t i) {
    return s && i < s->tells ? (size_t)s->told[i] + 1 : 0;
}

size_t copse_study_best(const copse_study *s) {
    return s && s->restarts.overall.n ? (size_t)s->restarts.overall.trial[0] + 1 : 0;
}

void copse_study_free(copse_study *s) {
    cp_study_free(s);
}
