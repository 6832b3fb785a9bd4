#include "tune_space.h"

#include <math.h>
#include <string.h>

static int is_set(const cli *c, const char *name) {
    for (size_t i = 0; i < c->args.method_options; i++)
        if (!strcmp(c->args.method_option[i].name, name)) return 1;
    return 0;
}

/* ---------------------------------------------------------------------------------------------------- dimensions */

static copse_dim dim_of(const copse_option_info *o, const char **level) {
    copse_dim d = {.name = o->name, .kind = COPSE_DIM_REAL, .low = o->tune_low, .high = o->tune_high};
    d.log = o->tune_log;
    if (o->kind == COPSE_OPTION_INT) d.kind = COPSE_DIM_INTEGER;
    if (o->kind == COPSE_OPTION_INT || o->kind == COPSE_OPTION_REAL) return d;
    for (size_t k = 0; k < o->n_choices; k++) level[k] = o->choice[k];
    d.kind = COPSE_DIM_CATEGORY;
    d.levels = level;
    d.n_levels = o->n_choices;
    return d;
}

static copse_status add_defaults(const cli *c, const char *method, copse_task task, tune_space *s, copse_error *err) {
    copse_option_info o;
    for (size_t i = 0; copse_method_option(method, i, &o); i++) {
        if (isnan(o.tune_low) || !(o.tasks & task) || is_set(c, o.name) || s->n == TUNE_MAX_DIMS) continue;
        s->option[s->n] = o;
        s->dim[s->n] = dim_of(&s->option[s->n], s->level[s->n]);
        s->n++;
    }
    if (s->n) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE,
                    "%s has no option left that is worth a search; name some as NAME=LOW:HIGH ('copse methods %s')",
                    method, method);
}

static copse_status check_given(const cli *c, const char *method, const copse_dim *d, copse_error *err) {
    copse_option_info o;
    if (is_set(c, d->name)) return cli_fail(err, COPSE_E_USAGE, "--%s is set, and searched as well: choose", d->name);
    for (size_t i = 0; copse_method_option(method, i, &o); i++)
        if (!strcmp(o.name, d->name)) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "method %s has no option --%s; 'copse methods %s' lists its options", method,
                    d->name, method);
}

/* A dimension of an option that takes whole numbers only has whole numbers. */
static void round_given(const char *method, copse_dim *d) {
    copse_option_info o;
    for (size_t i = 0; copse_method_option(method, i, &o); i++)
        if (!strcmp(o.name, d->name) && o.kind == COPSE_OPTION_INT && d->kind == COPSE_DIM_REAL)
            d->kind = COPSE_DIM_INTEGER;
}

static copse_status add_given(const cli *c, const char *method, tune_space *s, copse_error *err) {
    size_t n = c->args.operands - 1;
    if (n > TUNE_MAX_DIMS) return cli_fail(err, COPSE_E_USAGE, "more than %d options to search", TUNE_MAX_DIMS);
    CLI_TRY(optimize_dims_read(&s->given, c->args.operand + 1, n, err));
    for (size_t k = 0; k < n; k++) {
        CLI_TRY(check_given(c, method, &s->given.dim[k], err));
        round_given(method, &s->given.dim[k]);
        s->dim[k] = s->given.dim[k];
    }
    s->n = n;
    return COPSE_OK;
}

copse_status tune_space_new(const cli *c, const char *method, copse_task task, tune_space *out, copse_error *err) {
    return c->args.operands > 1 ? add_given(c, method, out, err) : add_defaults(c, method, task, out, err);
}

void tune_space_clear(tune_space *s) {
    optimize_dims_clear(&s->given);
}

/* ------------------------------------------------------------------------------------------------------- a study */

static int same_dim(const copse_dim *a, const copse_dim *b) {
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->log != b->log) return 0;
    if (a->kind != COPSE_DIM_CATEGORY) return a->low == b->low && a->high == b->high;
    if (a->n_levels != b->n_levels) return 0;
    for (size_t k = 0; k < a->n_levels; k++)
        if (strcmp(a->levels[k], b->levels[k]) != 0) return 0;
    return 1;
}

copse_status tune_space_check(const tune_space *s, const copse_study *study, copse_error *err) {
    size_t n = copse_study_dims(study);
    for (size_t k = 0; k < s->n && k < n; k++)
        if (!same_dim(&s->dim[k], copse_study_dim(study, k)))
            return cli_fail(err, COPSE_E_USAGE, "the study searches '%s' otherwise than asked for; use another --study",
                            copse_study_dim(study, k)->name);
    if (n == s->n) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "the study searches %zu options, not %zu; use another --study", n, s->n);
}

copse_status tune_space_set(const copse_study *study, const double *x, copse_params *params, copse_error *err) {
    char number[CLI_NUMBER_SIZE];
    for (size_t k = 0; k < copse_study_dims(study); k++)
        CLI_TRY(copse_params_set(params, copse_study_dim(study, k)->name, optimize_value(study, k, x[k], number), err));
    return COPSE_OK;
}
