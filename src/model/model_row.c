#include "model/model_row.h"

#include <math.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "data/schema_encode.h"
#include "data/schema_target.h"
#include "model/model_predict.h"
#include "model/model_update.h"

copse_status cp_model_row_init(cp_model_row *r, const copse_model *m, copse_error *err) {
    *r = (cp_model_row){.m = m};
    CP_TRY(CP_NEW(r->x, m->schema->dims, err));
    CP_TRY(CP_NEW(r->value, m->schema->features, err));
    for (size_t i = 0; i < m->schema->features; i++) cp_model_row_set_missing(r, i);
    return COPSE_OK;
}

void cp_model_row_clear(cp_model_row *r) {
    cp_workspace_clear(&r->workspace);
    cp_mem_free(r->x);
    cp_mem_free(r->value);
    *r = (cp_model_row){0};
}

/* ---------------------------------------------------------------------------------------------------------- values */

static void set_value(cp_model_row *r, size_t feature, double value) {
    const cp_feature *f = &r->m->schema->feature[feature];
    cp_schema_encode_value(r->m->schema, f, value, r->x + f->first);
    r->value[feature] = value;
}

void cp_model_row_set_missing(cp_model_row *r, size_t feature) {
    set_value(r, feature, NAN);
}

static copse_status wrong_kind(const cp_feature *f, const char *given, copse_error *err) {
    return cp_fail(err, COPSE_E_USAGE, "column '%s' had %s in training, and is given %s", f->name,
                   f->kind == COPSE_TEXT ? "text" : "numbers", given);
}

copse_status cp_model_row_set_number(cp_model_row *r, size_t feature, double value, copse_error *err) {
    const cp_feature *f = &r->m->schema->feature[feature];
    if (f->kind != COPSE_NUMBER) return wrong_kind(f, "a number", err);
    if (isinf(value))
        return cp_fail(err, COPSE_E_DATA, "column '%s' is infinite: correct it, or set it as missing", f->name);
    set_value(r, feature, value);
    return COPSE_OK;
}

copse_status cp_model_row_set_text(cp_model_row *r, size_t feature, const char *opt_text, copse_error *err) {
    const cp_feature *f = &r->m->schema->feature[feature];
    double number = NAN;
    if (f->column && (!opt_text || cp_derive_value(f->form, f->part, opt_text, &number))) {
        set_value(r, feature, number);
        return COPSE_OK;
    }
    if (f->kind != COPSE_TEXT) return wrong_kind(f, "text", err);
    int32_t level = opt_text ? cp_dict_find(&f->levels, opt_text, strlen(opt_text)) : 0;
    if (level == CP_NONE) level = (int32_t)f->levels.n; /* unseen */
    set_value(r, feature, opt_text ? (double)level : NAN);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------ predict and learn */

static copse_status predict(cp_model_row *r, int of_mean, cp_answer *out, copse_error *err) {
    static const copse_run alone = {.threads = 1};
    CP_GUARD(err); /* a fault must not leave the lock taken */
    const copse_model *m = r->m;
    const cp_rows rows = cp_model_rows(m, r->x, 1);
    CP_TRY(cp_model_predict_check(m, of_mean, 0, err));
    CP_TRY(cp_model_refresh(m, &alone, err));
    CP_TRY(cp_answer_reset(out, m->schema->task, 1, m->schema->classes.n, err));
    out->of_mean = of_mean;
    out->workspace = &r->workspace;
    CP_TRY(m->method->predict(m->state, &rows, m->params, out, err));
    if (m->schema->announced) cp_answer_raise(out, CP_MODEL_PREDICT_LEAST);
    return COPSE_OK;
}

copse_status cp_model_row_predict(cp_model_row *r, int of_mean, cp_answer *out, copse_error *err) {
    cp_model_begin_read(r->m);
    copse_status status = predict(r, of_mean, out, err);
    cp_model_end_read(r->m);
    return status;
}

static copse_status learn(const cp_model_row *r, copse_model *m, const char *opt_text, double number,
                          copse_error *err) {
    CP_GUARD(err);
    cp_schema *s = m->schema;
    size_t classes = s->classes.n;
    int32_t label;
    cp_rows row = cp_model_rows(m, r->x, 1);
    CP_TRY(cp_model_update_check(m, err));
    if (s->task == COPSE_CLASS) {
        CP_TRY(cp_schema_target_add_label(s, opt_text, number, &label, err));
        row.label = &label;
        row.classes = s->classes.n;
    } else {
        if (opt_text) return cp_fail(err, COPSE_E_USAGE, "the target '%s' is a number, and is given text", s->target);
        CP_TRY(cp_schema_target_check_number(s, number, err));
        row.y = &number;
    }
    return cp_model_update_row(m, &row, r->value, classes, err);
}

copse_status cp_model_row_learn(cp_model_row *r, copse_model *m, const char *opt_text, double number,
                                copse_error *err) {
    cp_model_begin_write(m);
    copse_status status = learn(r, m, opt_text, number, err);
    cp_model_end_write(m);
    return status;
}
