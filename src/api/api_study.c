#include <math.h>

#include "bo/study.h"

static void show(const copse_study *s, size_t trial, copse_trial *out) {
    const cp_study_trial *t = &s->trial[trial];
    *out = (copse_trial){.id = trial + 1,
                         .x = s->x + trial * s->space->dims,
                         .state = t->state,
                         .value = t->value,
                         .row = t->point == CP_NONE ? (size_t)-1 : (size_t)t->point};
}

copse_status copse_study_new(const char *opt_path, const copse_study_options *opt, const copse_run *run,
                             copse_study **out, copse_error *err) {
    *out = NULL;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_study_new(opt_path, opt, out, err);
}

copse_status copse_study_open(const char *path, const copse_run *run, copse_study **out, copse_error *err) {
    *out = NULL;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_study_open(path, out, err);
}

copse_status copse_study_ask(copse_study *s, const copse_run *run, copse_trial *out, copse_error *err) {
    size_t trial;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    CP_TRY(cp_study_ask(s, &trial, err));
    show(s, trial, out);
    return COPSE_OK;
}

copse_status copse_study_tell(copse_study *s, size_t id, double value, const copse_run *run, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    if (id < 1) return cp_fail(err, COPSE_E_USAGE, "there is no trial 0: they are numbered from 1");
    return cp_study_tell(s, id - 1, value, err);
}

copse_status copse_study_add(copse_study *s, const double *x, double value, const copse_run *run, copse_trial *opt_out,
                             copse_error *err) {
    size_t trial;
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    CP_TRY(cp_study_add(s, x, value, &trial, err));
    if (opt_out) show(s, trial, opt_out);
    return COPSE_OK;
}

copse_status copse_study_look(copse_study *s, const copse_run *run, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(run ? run->stop : NULL, err));
    return cp_study_refresh(s, err);
}

size_t copse_study_dims(const copse_study *s) {
    return s->space->dims;
}

const copse_dim *copse_study_dim(const copse_study *s, size_t i) {
    return i < s->space->dims ? &s->space->dim[i].info : NULL;
}

size_t copse_study_points(const copse_study *s) {
    return s->space->points;
}

int copse_study_minimises(const copse_study *s) {
    return s->minimise;
}

const char *copse_study_acquisition(const copse_study *s) {
    return cp_study_acquisition(s);
}

void copse_study_settings(const copse_study *s, copse_study_options *out) {
    *out = (copse_study_options){.minimise = s->minimise,
                                 .acquisition = cp_study_acquisition(s),
                                 .kappa = s->kappa,
                                 .trees = s->trees,
                                 .initial = s->initial,
                                 .seed = s->seed};
}

size_t copse_study_trials(const copse_study *s) {
    return s->n;
}

int copse_study_trial(const copse_study *s, size_t id, copse_trial *out) {
    *out = (copse_trial){.value = NAN};
    if (id < 1 || id > s->n) return 0;
    show(s, id - 1, out);
    return 1;
}

size_t copse_study_told(const copse_study *s, size_t i) {
    return i < s->tells ? (size_t)s->told[i] + 1 : 0;
}

size_t copse_study_best(const copse_study *s) {
    return s->restarts.overall.n ? (size_t)s->restarts.overall.trial[0] + 1 : 0;
}

void copse_study_free(copse_study *s) {
    cp_study_free(s);
}
