#include "model/model_fit.h"

#include <math.h>

#include "data/leak.h"
#include "data/target.h"
#include "model/checkpoint.h"
#include "model/model_encode.h"
#include "model/model_summary.h"
#include "model/registry.h"

/* A fit has two steps: begin_fit encodes the table, end_fit hands the rows to the method.  The second step does not
 * need the table, so cp_model_fit_take frees it in between. */
typedef struct fitting {
    const copse_roles *roles;
    const copse_params *opt_params;
    const copse_run *run;
    copse_model *m;
    size_t rows; /* of the table */
    cp_model_encoded data;
} fitting;

static copse_status copy_params(copse_model *m, const copse_params *opt_params, copse_error *err) {
    CP_TRY(opt_params ? cp_param_copy(opt_params, &m->params, err)
                      : cp_param_new(cp_registry_method(0), &m->params, err));
    m->method = m->params->method;
    return COPSE_OK;
}

static copse_status check_options(const fitting *f, const cp_method *method, copse_error *err) {
    if (f->roles->weights && !method->info.takes_weights)
        return cp_fail(err, COPSE_E_USAGE, "method '%s' takes no row weights; leave out `weights`", method->info.name);
    if (f->run && (f->run->checkpoint || f->run->resume || f->run->checkpoint_write || f->run->resume_bytes) &&
        !method->sampler)
        return cp_fail(err, COPSE_E_USAGE,
                       "method '%s' draws no samples, and is fitted at once; leave out `checkpoint` and `resume`",
                       method->info.name);
    return COPSE_OK;
}

static copse_status check_task(const copse_model *m, copse_error *err) {
    if (m->method->info.tasks & (unsigned)m->schema->task) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "method '%s' does not do %s; 'copse methods' says which do",
                   m->method->info.name, m->schema->task == COPSE_CLASS ? "classification" : "regression");
}

/* The squares of targets this small would be 0, and so would every variance. */
static copse_status check_unit(const copse_model *m, const cp_rows *rows, copse_error *err) {
    double most = 0;
    if (!rows->y) return COPSE_OK;
    for (size_t i = 0; i < rows->n; i++) most = fabs(rows->y[i]) > most ? fabs(rows->y[i]) : most;
    if (most == 0 || most >= 1 / CP_SCHEMA_TARGET_MAX) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA,
                   "the target '%s' is nowhere above %g, too small to compute with: use another unit",
                   m->schema->target, most);
}

static copse_status encode(fitting *f, const copse_table *train, copse_error *err) {
    copse_model *m = f->m;
    CP_TRY(copy_params(m, f->opt_params, err));
    CP_TRY(check_options(f, m->method, err));
    CP_TRY(cp_model_encode_schema(train, f->roles, m->params, f->run, &m->schema, err));
    CP_TRY(check_task(m, err));
    CP_TRY(cp_model_encode_table(m, train, 0, f->run, &f->data, err));
    CP_TRY(check_unit(m, &f->data.rows, err));
    const cp_rows *rows = &f->data.rows;
    cp_leak_warn(m->schema, &(cp_leak_rows){rows->x, rows->n, rows->y, rows->label}, f->run);
    CP_TRY(cp_model_encode_weights(train, f->roles->weights, &f->data, err));
    return cp_model_summary_new(m, train, rows, f->run, err);
}

static copse_status begin_fit(fitting *f, const copse_table *train, copse_error *err) {
    copse_table *known; /* the rows that have a target; NULL: all have */
    CP_TRY(cp_target_select(train, f->roles->target, f->run, &known, err));
    copse_status status = cp_model_new(&f->m, err);
    if (!status) status = encode(f, known ? known : train, err);
    cp_table_free(known);
    return status;
}

static copse_status fit_rows(const fitting *f, copse_error *err) {
    copse_model *m = f->m;
    if (m->method->sampler) return cp_checkpoint_fit(m->params, &f->data.rows, f->run, &m->state, err);
    return m->method->fit(&f->data.rows, m->params, f->run, &m->state, err);
}

/* `status` is that of begin_fit. */
static copse_status end_fit(fitting *f, copse_status status, copse_model **out, copse_error *err) {
    copse_model *m = f->m;
    if (!status) status = fit_rows(f, err);
    if (m && m->schema) status = cp_model_explain_memory(m, f->rows, status, err);
    cp_model_encode_clear(&f->data);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

copse_status cp_model_fit(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                          const copse_run *run, copse_model **out, copse_error *err) {
    fitting f = {.roles = roles, .opt_params = opt_params, .run = run, .rows = train->rows};
    *out = NULL;
    return end_fit(&f, begin_fit(&f, train, err), out, err);
}

copse_status cp_model_fit_take(copse_table **train, const copse_roles *roles, const copse_params *opt_params,
                               const copse_run *run, copse_model **out, copse_error *err) {
    fitting f = {.roles = roles, .opt_params = opt_params, .run = run, .rows = (*train)->rows};
    *out = NULL;
    copse_status status = begin_fit(&f, *train, err);
    cp_table_free(*train);
    *train = NULL;
    return end_fit(&f, status, out, err);
}
