#include "model/model_summary.h"

#include <math.h>

#include "base/parallel.h"
#include "data/summary.h"

typedef struct summary_job {
    copse_model *m;
    cp_table_rows rows;
} summary_job;

static copse_status add_feature(void *arg, size_t feature, size_t worker, copse_error *err) {
    const summary_job *j = arg;
    (void)worker;
    (void)err;
    cp_summary_add(j->m->summary, j->m->schema, feature, j->rows);
    return COPSE_OK;
}

static void add_targets(copse_model *m, const cp_rows *encoded) {
    cp_summary_add_targets(m->summary, encoded->y, encoded->label, encoded->n);
}

copse_status cp_model_summary_new(copse_model *m, const copse_table *t, const cp_rows *encoded, const copse_run *run,
                                  copse_error *err) {
    summary_job j = {m, {t, 0, t->rows}};
    size_t features = m->schema->features;
    CP_TRY(cp_summary_new(m->schema, &m->summary, err));
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, features), features, NULL, add_feature, &j, err));
    add_targets(m, encoded);
    return COPSE_OK;
}

copse_status cp_model_summary_reserve(copse_model *m, copse_error *err) {
    return m->summary ? cp_summary_reserve(m->summary, m->schema, err) : COPSE_OK;
}

void cp_model_summary_add(copse_model *m, cp_table_rows rows, const cp_rows *encoded) {
    if (!m->summary) return;
    for (size_t i = 0; i < m->schema->features; i++) cp_summary_add(m->summary, m->schema, i, rows);
    add_targets(m, encoded);
}

void cp_model_summary_add_row(copse_model *m, const double *value, const cp_rows *encoded) {
    if (!m->summary) return;
    for (size_t i = 0; i < m->schema->features; i++) cp_summary_add_value(m->summary, i, value[i]);
    add_targets(m, encoded);
}

/* ---------------------------------------------------------------------------------------------------- looking at it */

static const cp_dict *levels_of(const copse_model *m, size_t i) {
    const cp_schema *s = m->schema;
    return i < s->features ? &s->feature[i].levels : &s->classes;
}

void cp_model_summary_column(const copse_model *m, size_t i, copse_column *out) {
    const cp_schema *s = m->schema;
    const cp_summary_column *c = &m->summary->column[i];
    const cp_histogram *h = &c->histogram;
    *out = (copse_column){.name = i < s->features ? s->feature[i].name : s->target,
                          .kind = c->kind,
                          .rows = cp_summary_rows(m->summary),
                          .missing = c->missing,
                          .unseen = c->unseen,
                          .min = h->n ? h->min : NAN,
                          .max = h->n ? h->max : NAN,
                          .bins = cp_histogram_bins(h),
                          .levels = c->kind == COPSE_TEXT ? levels_of(m, i)->n : 0};
    for (size_t k = 0; k < out->bins; k++) out->count[k] = h->count[k];
    for (size_t k = 0; out->bins && k <= out->bins; k++) out->edge[k] = cp_histogram_edge(h, k);
}

int cp_model_summary_level(const copse_model *m, size_t i, size_t k, copse_level *out) {
    const cp_summary_column *c = &m->summary->column[i];
    if (c->kind != COPSE_TEXT || k >= levels_of(m, i)->n) return 0;
    *out = (copse_level){.text = cp_dict_text(levels_of(m, i), k), .rows = k < c->counts ? c->count[k] : 0};
    return 1;
}
