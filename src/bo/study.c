#include "bo/study.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/supervise.h"
#include "bo/study_choose.h"
#include "bo/study_head.h"
#include "bo/study_records.h"
#include "data/schema.h"

enum { TRIALS_MAX = INT32_MAX / 2 };

const char *cp_study_acquisition(const copse_study *s) {
    return cp_acquisition_name(s->acquisition);
}

void cp_study_free(copse_study *s) {
    if (!s) return;
    cp_journal_free(s->journal);
    cp_space_free(s->space);
    cp_grid_clear(&s->grid);
    cp_mem_free(s->trial);
    cp_mem_free(s->x);
    cp_mem_free(s->told);
    cp_mem_free(s->pending);
    cp_map_clear(&s->seen);
    cp_surrogate_clear(&s->forest);
    cp_target_transform_clear(&s->transform);
    cp_mem_free(s);
}

/* ----------------------------------------------------------------------------------------------------------- trials */

/* Makes room for one more record, so that a record that is in the file can always be applied. */
static copse_status reserve(copse_study *s, copse_error *err) {
    CP_TRY(CP_GROW(s->trial, s->cap_trial, s->n + 1, err));
    CP_TRY(CP_GROW(s->x, s->cap_x, (s->n + 1) * s->space->dims, err));
    CP_TRY(CP_GROW(s->told, s->cap_told, s->tells + 1, err));
    CP_TRY(CP_GROW(s->pending, s->cap_pending, s->n_pending + 1, err));
    return cp_map_reserve(&s->seen, err);
}

static void add_trial(copse_study *s, const double *x, int32_t point) {
    memmove(s->x + s->n * s->space->dims, x, s->space->dims * sizeof *x); /* x may be this very place, see catch_up */
    s->trial[s->n] = (cp_study_trial){.value = NAN, .state = COPSE_TRIAL_ASKED, .point = point};
    if (point != CP_NONE)
        cp_grid_take(&s->grid, point);
    else if (!cp_study_seen(s, x))
        CP_BUG(cp_map_add(&s->seen, cp_acq_search_hash(x, s->space->dims), (int32_t)s->n, NULL));
    s->pending[s->n_pending++] = (int32_t)s->n++;
}

static void remove_pending(copse_study *s, size_t trial) {
    size_t at = s->n_pending;
    while (at-- > 0 && s->pending[at] != (int32_t)trial) continue;
    memmove(s->pending + at, s->pending + at + 1, (--s->n_pending - at) * sizeof *s->pending);
}

/* A new phase needs a new forest. */
static void set_value(copse_study *s, size_t trial, double value) {
    cp_study_trial *t = &s->trial[trial];
    int32_t incumbent = s->restarts.incumbent;
    double distance = 0;
    remove_pending(s, trial);
    t->state = isnan(value) ? COPSE_TRIAL_FAILED : COPSE_TRIAL_TOLD;
    t->value = value;
    if (isnan(value)) return;
    s->told[s->tells++] = (int32_t)trial;
    if (incumbent != CP_NONE)
        distance = cp_space_distance(s->space, cp_study_point(s, trial), cp_study_point(s, (size_t)incumbent));
    if (cp_restarts_update(&s->restarts, (int32_t)trial, cp_study_objective(s, value), distance, s->n, s->asked))
        s->refit_tells = 0;
}

/* ---------------------------------------------------------------------------------------------------------- records */

static int is_value(double value) {
    return isnan(value) || fabs(value) <= CP_SCHEMA_TARGET_MAX;
}

/* Could this study have written the record?  A file is not trusted, even if its checksums hold. */
static int is_possible(const copse_study *s, const cp_study_record *r) {
    if (r->kind == CP_STUDY_TOLD && (r->trial >= s->n || s->trial[r->trial].state != COPSE_TRIAL_ASKED)) return 0;
    if (r->kind != CP_STUDY_TOLD && s->n >= TRIALS_MAX) return 0;
    return r->kind == CP_STUDY_ASKED || is_value(r->value);
}

/* There is room for the record. */
static void apply(copse_study *s, const cp_study_record *r) {
    if (r->kind != CP_STUDY_TOLD) add_trial(s, r->x, r->point);
    s->asked += r->kind == CP_STUDY_ASKED;
    if (r->kind != CP_STUDY_ASKED) set_value(s, r->kind == CP_STUDY_TOLD ? (size_t)r->trial : s->n - 1, r->value);
}

/* Decodes a point to where the next trial keeps its values. */
static copse_status catch_up(copse_study *s, copse_error *err) {
    cp_journal_record bytes;
    cp_study_record r;
    int got = 0;
    for (;;) {
        CP_TRY(reserve(s, err));
        CP_TRY(cp_supervise_check_stop(err));
        CP_TRY(cp_journal_next(s->journal, &bytes, &got, err));
        if (!got) return COPSE_OK;
        CP_TRY(cp_study_records_decode(s->space, &bytes, s->x + s->n * s->space->dims, &r, err));
        if (!is_possible(s, &r)) return cp_study_records_bad(err);
        apply(s, &r);
    }
}

/* Locks the file and reads all new records.  After a failure the file is not locked. */
static copse_status lock(copse_study *s, copse_error *err) {
    if (!s->journal) return reserve(s, err);
    CP_TRY(cp_journal_lock(s->journal, err));
    copse_status status = catch_up(s, err);
    if (status) cp_journal_unlock(s->journal);
    return status;
}

static void unlock(copse_study *s) {
    if (s->journal) cp_journal_unlock(s->journal);
}

/* Under the lock: writes the record to the file, then applies it. */
static copse_status record(copse_study *s, const cp_study_record *r, copse_error *err) {
    if (s->journal) CP_TRY(cp_study_records_append(s->journal, s->space, r, err));
    apply(s, r);
    return COPSE_OK;
}

copse_status cp_study_refresh(copse_study *s, copse_error *err) {
    CP_TRY(lock(s, err));
    unlock(s);
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------- making, opening */

copse_status cp_study_set_options(copse_study *s, const copse_study_options *opt, copse_error *err) {
    const char *name = opt->acquisition ? opt->acquisition : "ucb";
    s->acquisition = cp_acquisition_find(name);
    if (s->acquisition == CP_ACQUISITIONS)
        return cp_fail(err, COPSE_E_USAGE, "'%.40s' is not an acquisition: ucb, ei, thompson or random", name);
    if (opt->trees > CP_STUDY_TREES_MAX) return cp_fail(err, COPSE_E_USAGE, "more than %d trees", CP_STUDY_TREES_MAX);
    if (!(opt->kappa >= 0 && opt->kappa <= 1e6)) return cp_fail(err, COPSE_E_USAGE, "kappa is 0 to 1000000");
    s->minimise = !!opt->minimise;
    s->kappa = opt->kappa > 0 ? opt->kappa : 1;
    s->trees = opt->trees ? opt->trees : 10;
    s->initial = opt->initial ? opt->initial : cp_study_first_points(s->space);
    s->seed = opt->seed;
    return COPSE_OK;
}

/* Makes what follows from the space and the options. */
static copse_status prepare(copse_study *s, copse_error *err) {
    if (s->space->points) CP_TRY(cp_grid_init(&s->grid, s->space, err));
    cp_restarts_init(&s->restarts, s->space->dims);
    return cp_surrogate_init(&s->forest, s->space->cols, s->trees, s->seed, err);
}

copse_status cp_study_new(const char *opt_path, const copse_study_options *opt, copse_study **out, copse_error *err) {
    copse_study *s;
    *out = NULL;
    if (!!opt->grid == !!opt->n_dims)
        return cp_fail(err, COPSE_E_USAGE, "a study is of dimensions or of a grid: give one of them");
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(opt->grid ? cp_space_of_table(opt->grid, opt->grid_drop, opt->grid_log, &s->space, err)
                         : cp_space_new(opt->dims, opt->n_dims, &s->space, err));
    CP_TRY_OUT(cp_study_set_options(s, opt, err));
    CP_TRY_OUT(prepare(s, err));
    if (opt_path) {
        CP_TRY_OUT(cp_study_head_create(s, opt_path, err));
        CP_TRY_OUT(cp_journal_open(opt_path, &s->journal, err));
    }
out:
    if (status)
        cp_study_free(s);
    else
        *out = s;
    return status;
}

copse_status cp_study_open(const char *path, copse_study **out, copse_error *err) {
    copse_study *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = COPSE_OK;
    CP_TRY_OUT(cp_journal_open(path, &s->journal, err));
    CP_TRY_OUT(cp_study_head_read(s, err));
    CP_TRY_OUT(prepare(s, err));
    CP_TRY_OUT(cp_study_refresh(s, err));
out:
    if (status)
        cp_study_free(s);
    else
        *out = s;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- tell */

static copse_status check_value(double value, copse_error *err) {
    if (is_value(value)) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA,
                   "%g is no value to learn from; tell a number up to %g in size, or that the evaluation failed", value,
                   CP_SCHEMA_TARGET_MAX);
}

static copse_status tell(copse_study *s, size_t trial, double value, copse_error *err) {
    if (trial >= s->n) return cp_fail(err, COPSE_E_USAGE, "there is no trial %zu; the last is %zu", trial + 1, s->n);
    if (s->trial[trial].state != COPSE_TRIAL_ASKED)
        return s->trial[trial].state == COPSE_TRIAL_FAILED
                   ? cp_fail(err, COPSE_E_USAGE, "trial %zu was told already: it has failed", trial + 1)
                   : cp_fail(err, COPSE_E_USAGE, "trial %zu was told already: %g", trial + 1, s->trial[trial].value);
    return record(s, &(cp_study_record){.kind = CP_STUDY_TOLD, .trial = trial, .value = value}, err);
}

copse_status cp_study_tell(copse_study *s, size_t trial, double value, copse_error *err) {
    CP_TRY(check_value(value, err));
    CP_TRY(lock(s, err));
    copse_status status = tell(s, trial, value, err);
    unlock(s);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- add, ask */

static copse_status check_count(const copse_study *s, copse_error *err) {
    if (s->n < TRIALS_MAX) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "a study holds at most %d trials", TRIALS_MAX);
}

/* The point of the list with exactly these values; of equal points, one that is free if there is one. */
static copse_status find_point(const copse_study *s, const double *x, int32_t *out, copse_error *err) {
    const cp_space *space = s->space;
    *out = CP_NONE;
    if (!space->points) return COPSE_OK;
    for (size_t i = 0; i < space->points; i++) {
        size_t k = 0;
        while (k < space->dims && space->point[i * space->dims + k] == x[k]) k++;
        if (k < space->dims) continue;
        *out = (int32_t)i;
        if (!s->grid.taken[i]) return COPSE_OK;
    }
    return *out == CP_NONE ? cp_fail(err, COPSE_E_USAGE, "this point is not in the study's grid") : COPSE_OK;
}

static copse_status add(copse_study *s, const double *x, double value, copse_error *err) {
    cp_study_record r = {.kind = CP_STUDY_ADDED, .x = x, .value = value};
    CP_TRY(check_count(s, err));
    CP_TRY(find_point(s, x, &r.point, err));
    return record(s, &r, err);
}

copse_status cp_study_add(copse_study *s, const double *x, double value, size_t *out_trial, copse_error *err) {
    const cp_space_dim *d = cp_space_outside(s->space, x);
    if (d)
        return cp_fail(err, COPSE_E_USAGE, "%g is not in dimension '%.100s', %s%g to %g", x[d - s->space->dim],
                       d->info.name, d->info.kind == COPSE_DIM_REAL ? "" : "whole numbers from ", d->info.low,
                       d->info.high);
    CP_TRY(check_value(value, err));
    CP_TRY(lock(s, err));
    copse_status status = add(s, x, value, err);
    *out_trial = s->n - 1;
    unlock(s);
    return status;
}

static copse_status ask(copse_study *s, copse_error *err) {
    double *x;
    cp_study_record r = {.kind = CP_STUDY_ASKED};
    CP_TRY(check_count(s, err));
    CP_TRY(CP_RAW(x, s->space->dims, err));
    copse_status status = cp_study_choose(s, x, &r.point, err);
    r.x = x;
    if (!status) status = record(s, &r, err);
    cp_mem_free(x);
    return status;
}

copse_status cp_study_ask(copse_study *s, size_t *out_trial, copse_error *err) {
    CP_TRY(lock(s, err));
    copse_status status = ask(s, err);
    *out_trial = s->n - 1;
    unlock(s);
    return status;
}
