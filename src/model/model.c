#include "model/model.h"

#include "base/guard.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/share_lock.h"
#include "data/summary.h"
#include "model/model_position.h"

copse_status cp_model_new(copse_model **out, copse_error *err) {
    copse_model *m;
    *out = NULL;
    CP_TRY(CP_NEW(m, 1, err));
    copse_status status = CP_NEW(m->lazy, 1, err);
    if (!status) status = cp_lock_new(&m->lazy->lock, err);
    if (!status) status = cp_share_lock_new(&m->lazy->turn, err);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

void cp_model_free(copse_model *m) {
    if (!m) return;
    if (m->state) m->method->clear(m->state);
    cp_schema_free(m->schema);
    cp_param_free(m->params);
    if (m->lazy) cp_lock_free(m->lazy->lock);
    if (m->lazy) cp_share_lock_free(m->lazy->turn);
    cp_mem_free(m->lazy);
    cp_summary_free(m->summary);
    cp_model_position_clear(m);
    cp_mem_free(m);
}

void cp_model_begin_read(const copse_model *m) {
    cp_share_lock_read(m->lazy->turn);
}

void cp_model_end_read(const copse_model *m) {
    cp_share_lock_end_read(m->lazy->turn);
}

void cp_model_begin_write(copse_model *m) {
    cp_share_lock_write(m->lazy->turn);
}

void cp_model_end_write(copse_model *m) {
    cp_share_lock_end_write(m->lazy->turn);
}

/* A fault must not leave the lock taken. */
static copse_status refresh(const copse_model *m, const copse_run *run, copse_error *err) {
    CP_GUARD(err);
    return m->method->refresh(m->state, m->params, run, err);
}

copse_status cp_model_refresh(const copse_model *m, const copse_run *run, copse_error *err) {
    copse_status status = COPSE_OK;
    if (!m->method->refresh) return COPSE_OK; /* no lock: single rows are predicted in microseconds */
    cp_lock_acquire(m->lazy->lock);
    if (m->lazy->stale) status = refresh(m, run, err);
    if (!status) m->lazy->stale = 0;
    cp_lock_release(m->lazy->lock);
    return status;
}

static copse_status check(const copse_model *m, copse_error *err) {
    CP_GUARD(err);
    CP_TRY(cp_model_refresh(m, NULL, err));
    if (m->summary && !cp_summary_check(m->summary, m->schema))
        return cp_fail(err, COPSE_E_MODEL, "the summary of the training rows contradicts itself");
    const char *broken = m->method->check(m->state);
    return broken ? cp_fail(err, COPSE_E_MODEL, "an invariant of %s does not hold: %s", m->method->info.name, broken)
                  : COPSE_OK;
}

copse_status cp_model_check(const copse_model *m, copse_error *err) {
    cp_model_begin_read(m);
    copse_status status = check(m, err);
    cp_model_end_read(m);
    return status;
}

cp_rows cp_model_rows(const copse_model *m, const float *x, size_t n) {
    const cp_schema *s = m->schema;
    return (cp_rows){.task = s->task, .n = n, .dims = s->dims, .classes = s->classes.n, .x = x, .levels = s->levels};
}

size_t cp_model_draws(const copse_model *m) {
    return (m->method->draws ? m->method->draws : m->method->trees)(m->state);
}

int cp_model_has_draws(const copse_model *m) {
    return m->method->has_draws && cp_model_draws(m) > 1;
}

copse_status cp_model_explain_memory(const copse_model *m, size_t rows, copse_status status, copse_error *err) {
    size_t dims = m->schema->dims;
    if (status != COPSE_E_MEMORY) return status;
    return cp_fail(
        err, status,
        "out of memory: %s on %zu row%s of %zu column%s does not fit; %s would help, and so would fewer rows "
        "or columns",
        m->method->info.name, rows, cp_plural(rows), dims, cp_plural(dims), m->method->memory_hint);
}
