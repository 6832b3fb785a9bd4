#include "model/model_update.h"

#include "base/guard.h"
#include "data/target.h"
#include "model/model_encode.h"
#include "model/model_predict.h"
#include "model/model_summary.h"

copse_status cp_model_update_check(const copse_model *m, copse_error *err) {
    if (!m->method->update)
        return cp_fail(err, COPSE_E_USAGE, "method '%s' learns from all rows at once: fit again", m->method->info.name);
    if (!m->method->can_learn(m->state))
        return cp_fail(err, COPSE_E_USAGE,
                       "this model was saved frozen: it predicts, but cannot learn; fit without `frozen`");
    return COPSE_OK;
}

/* Encoding appends new classes to the schema.  If the method did not take the rows in, those classes go again. */
static copse_status update_rows(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err) {
    cp_model_encoded data = {0};
    size_t classes = m->schema->classes.n, rows = m->method->rows(m->state);
    copse_status status = cp_model_encode_table(m, t, 0, run, &data, err);
    m->lazy->stale = m->method->refresh != NULL;
    if (!status) status = cp_model_summary_reserve(m, err);
    if (!status) status = m->method->update(m->state, &data.rows, m->params, run, NULL, err);
    if (m->method->rows(m->state) > rows)
        cp_model_summary_add(m, (cp_table_rows){t, 0, t->rows}, &data.rows);
    else if (status)
        cp_schema_forget_classes(m->schema, classes);
    cp_model_encode_clear(&data);
    return cp_model_explain_memory(m, rows + t->rows, status, err);
}

static copse_status update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err) {
    CP_GUARD(err);      /* a fault must not leave the lock taken */
    copse_table *known; /* the rows that have a target; NULL: all have */
    CP_TRY(cp_model_update_check(m, err));
    if (t->rows && cp_target_missing(t, m->schema->target) == t->rows) {
        cp_target_warn(t, m->schema->target, run);
        return COPSE_OK;
    }
    CP_TRY(cp_target_select(t, m->schema->target, run, &known, err));
    copse_status status = update_rows(m, known ? known : t, run, err);
    cp_table_free(known);
    return status;
}

copse_status cp_model_update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err) {
    cp_model_begin_write(m);
    copse_status status = update(m, t, run, err);
    cp_model_end_write(m);
    return status;
}

/* Classes that the caller has appended to the schema go again if the method did not take the row in. */
copse_status cp_model_update_row(copse_model *m, const cp_rows *row, const double *value, size_t classes,
                                 copse_error *err) {
    static const copse_run alone = {.threads = 1};
    size_t rows = m->method->rows(m->state);
    copse_status status = cp_model_summary_reserve(m, err);
    m->lazy->stale = m->method->refresh != NULL;
    if (!status) status = m->method->update(m->state, row, m->params, &alone, NULL, err);
    if (m->method->rows(m->state) > rows)
        cp_model_summary_add_row(m, value, row);
    else if (status)
        cp_schema_forget_classes(m->schema, classes);
    return cp_model_explain_memory(m, rows + 1, status, err);
}

/* ------------------------------------------------------------------------------------------------ test, then train */

/* Predicts and learns one slice, in which all rows are of classes that the method knows (`known` of them), or the only
 * row is of a new class.  A prediction cannot hold a class that nobody has seen, so that of a new class is made first,
 * with the known classes alone. */
static copse_status learn_slice(copse_model *m, const cp_rows *slice, size_t known, const copse_run *run,
                                cp_answer *answer, copse_error *err) {
    CP_TRY(cp_answer_init(answer, slice->task, slice->n, known, err));
    if (slice->classes == known) return m->method->update(m->state, slice, m->params, run, answer, err);
    cp_rows before = *slice;
    before.classes = known;
    CP_TRY(m->method->predict(m->state, &before, m->params, answer, err));
    return m->method->update(m->state, slice, m->params, run, NULL, err);
}

/* The number of rows from `first` on that make one slice: all without a target, or all with a target of a known class;
 * 1 if the first row is of a new class. */
static size_t slice_length(const cp_model_encoded *e, size_t first, size_t known) {
    const cp_rows *rows = &e->rows;
    const unsigned char *missing = e->missing;
    size_t end = first + 1;
    int labels = rows->label && !missing[first];
    if (labels && (size_t)rows->label[first] >= known) return 1;
    while (end < rows->n && missing[end] == missing[first] && (!labels || (size_t)rows->label[end] < known)) end++;
    return end - first;
}

static copse_status predict_slice(copse_model *m, const cp_rows *slice, const copse_run *run, cp_answer *answer,
                                  copse_error *err) {
    CP_TRY(cp_model_refresh(m, run, err));
    CP_TRY(cp_answer_init(answer, slice->task, slice->n, slice->classes, err));
    return m->method->predict(m->state, slice, m->params, answer, err);
}

typedef struct prequential {
    copse_model *m;
    const copse_table *t;
    cp_model_encoded data; /* the rows of t */
    size_t known;          /* classes that the method knows: it meets new ones */
} prequential;

/* One slice, of which answer will hold the predictions. */
static copse_status take_slice(prequential *p, size_t first, cp_rows slice, const copse_run *run, cp_answer *answer,
                               copse_error *err) {
    copse_model *m = p->m;
    if (p->data.missing[first]) return predict_slice(m, &slice, run, answer, err);
    size_t rows = m->method->rows(m->state);
    copse_status status = learn_slice(m, &slice, p->known, run, answer, err);
    if (m->method->rows(m->state) == rows) return status;
    p->known = slice.classes;
    cp_model_summary_add(m, (cp_table_rows){p->t, first, slice.n}, &slice);
    return status;
}

static copse_status learn_slices(prequential *p, const copse_run *run, cp_answer *before, copse_error *err) {
    const cp_model_encoded *e = &p->data;
    copse_status status = cp_model_summary_reserve(p->m, err);
    for (size_t first = 0, n; !status && first < e->rows.n; first += n) {
        cp_answer answer = {0};
        n = slice_length(e, first, p->known);
        cp_rows slice = cp_rows_slice(&e->rows, first, n);
        int new_class = !e->missing[first] && e->label && (size_t)e->label[first] >= p->known;
        slice.classes = p->known + (size_t)new_class;
        status = take_slice(p, first, slice, run, &answer, err);
        if (!status) status = cp_answer_place(before, first, &answer, err);
        cp_answer_clear(&answer);
    }
    return status;
}

static copse_status update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                   copse_error *err) {
    CP_GUARD(err);
    prequential p = {.m = m, .t = t, .known = m->schema->classes.n};
    CP_TRY(cp_model_update_check(m, err));
    size_t rows = m->method->rows(m->state);
    copse_status status = cp_model_encode_table(m, t, 1, run, &p.data, err);
    m->lazy->stale = m->method->refresh != NULL;
    if (!status) status = cp_answer_init(before, m->schema->task, t->rows, m->schema->classes.n, err);
    if (!status) cp_target_warn(t, m->schema->target, run);
    if (!status) status = learn_slices(&p, run, before, err);
    if (!status && m->schema->announced) cp_answer_raise(before, CP_MODEL_PREDICT_LEAST);
    if (status) cp_schema_forget_classes(m->schema, p.known);
    cp_model_encode_clear(&p.data);
    return cp_model_explain_memory(m, rows + t->rows, status, err);
}

copse_status cp_model_update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                     copse_error *err) {
    *before = (cp_answer){0};
    cp_model_begin_write(m);
    copse_status status = update_predict(m, t, run, before, err);
    cp_model_end_write(m);
    return status;
}
