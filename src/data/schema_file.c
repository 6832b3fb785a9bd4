#include "data/schema_file.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number_rule.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status write_dicts(cp_writer *w, const char *name, const cp_dict *const *dict, size_t dicts,
                                copse_error *err) {
    const char **text;
    size_t n = 0;
    for (size_t i = 0; i < dicts; i++) n += dict[i]->n;
    CP_TRY(CP_RAW(text, n, err));
    n = 0;
    for (size_t i = 0; i < dicts; i++)
        for (size_t k = 0; k < dict[i]->n; k++) text[n++] = cp_dict_text(dict[i], k);
    copse_status status = cp_writer_texts(w, name, text, n, err);
    cp_mem_free(text);
    return status;
}

/* Arrays with one entry for each feature. */
typedef struct columns {
    const char **name;
    const char **column; /* "" where the feature is not derived */
    const cp_dict **levels;
    uint8_t *kind, *part, *form;
    int64_t *count, *absent; /* numbers of levels and of missing values */
    double *fill;
} columns;

static copse_status columns_init(columns *c, const cp_schema *s, copse_error *err) {
    CP_TRY(CP_RAW(c->name, s->features, err));
    CP_TRY(CP_RAW(c->column, s->features, err));
    CP_TRY(CP_RAW(c->levels, s->features, err));
    CP_TRY(CP_RAW(c->kind, s->features, err));
    CP_TRY(CP_RAW(c->part, s->features, err));
    CP_TRY(CP_RAW(c->form, s->features, err));
    CP_TRY(CP_RAW(c->count, s->features, err));
    CP_TRY(CP_RAW(c->absent, s->features, err));
    CP_TRY(CP_RAW(c->fill, s->features, err));
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        c->name[i] = f->name;
        c->column[i] = f->column ? f->column : "";
        c->part[i] = (uint8_t)f->part;
        c->form[i] = (uint8_t)f->form;
        c->levels[i] = &f->levels;
        c->kind[i] = (uint8_t)f->kind;
        c->count[i] = (int64_t)f->levels.n;
        c->absent[i] = (int64_t)f->absent;
        c->fill[i] = f->fill;
    }
    return COPSE_OK;
}

static void columns_clear(columns *c) {
    cp_mem_free(c->name);
    cp_mem_free(c->column);
    cp_mem_free(c->levels);
    cp_mem_free(c->kind);
    cp_mem_free(c->part);
    cp_mem_free(c->form);
    cp_mem_free(c->count);
    cp_mem_free(c->absent);
    cp_mem_free(c->fill);
}

static int has_derived(const cp_schema *s) {
    for (size_t i = 0; i < s->features; i++)
        if (s->feature[i].column) return 1;
    return 0;
}

/* Files of schemas without derived features are those of earlier versions. */
static copse_status write_derived(const cp_schema *s, const columns *c, cp_writer *w, copse_error *err) {
    if (!has_derived(s)) return COPSE_OK;
    CP_TRY(cp_writer_texts(w, "column", c->column, s->features, err));
    CP_TRY(cp_writer_array(w, "part", CP_U8, c->part, s->features, err));
    return cp_writer_array(w, "form", CP_U8, c->form, s->features, err);
}

static copse_status write_features(const cp_schema *s, cp_writer *w, copse_error *err) {
    columns c = {0};
    copse_status status;
    CP_TRY_OUT(columns_init(&c, s, err));
    CP_TRY_OUT(cp_writer_texts(w, "name", c.name, s->features, err));
    CP_TRY_OUT(cp_writer_array(w, "kind", CP_U8, c.kind, s->features, err));
    CP_TRY_OUT(cp_writer_array(w, "levels", CP_I64, c.count, s->features, err));
    CP_TRY_OUT(write_dicts(w, "level", c.levels, s->features, err));
    CP_TRY_OUT(cp_writer_array(w, "fill", CP_F64, c.fill, s->features, err));
    CP_TRY_OUT(write_derived(s, &c, w, err));
    if (s->raw) CP_TRY_OUT(cp_writer_array(w, "absent", CP_I64, c.absent, s->features, err));
    CP_TRY_OUT(cp_writer_array(w, "shift", CP_F64, s->shift, s->dims, err));
    CP_TRY_OUT(cp_writer_array(w, "span", CP_F64, s->span, s->dims, err));
out:
    columns_clear(&c);
    return status;
}

copse_status cp_schema_file_write(const cp_schema *s, cp_writer *w, copse_error *err) {
    const cp_dict *classes = &s->classes, *missing = &s->missing;
    CP_TRY(cp_writer_push(w, "schema", err));
    CP_TRY(cp_writer_i64(w, "task", s->task, err));
    CP_TRY(cp_writer_text(w, "target", s->target, err));
    CP_TRY(write_dicts(w, "class", &classes, 1, err));
    CP_TRY(cp_writer_i64(w, "classes_numeric", s->classes_numeric, err));
    if (s->target_form) CP_TRY(cp_writer_i64(w, "target_form", s->target_form, err));
    if (s->announced) CP_TRY(cp_writer_i64(w, "announced", s->announced, err));
    if (missing->n) CP_TRY(write_dicts(w, "missing", &missing, 1, err));
    if (s->raw) CP_TRY(cp_writer_i64(w, "raw", s->raw, err));
    CP_TRY(write_features(s, w, err));
    cp_writer_pop(w);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Any finite number: encoding clamps what it computes with them. */
static const cp_number_rule number_rules[] = {
    {.name = "fill", .least = -DBL_MAX, .most = DBL_MAX},
    {.name = "shift", .least = -DBL_MAX, .most = DBL_MAX},
    {.name = "span", .least = DBL_TRUE_MIN, .most = DBL_MAX},
};

/* Puts n strings into an empty dictionary; all must differ. */
static copse_status fill_dict(cp_reader *r, char *const *text, size_t n, cp_dict *out, copse_error *err) {
    for (size_t k = 0; k < n; k++) {
        int32_t id;
        CP_TRY(cp_dict_add(out, text[k], strlen(text[k]), &id, err));
        if ((size_t)id != k) return cp_reader_bad(r, err, "'%.60s' occurs twice", text[k]);
    }
    return COPSE_OK;
}

static copse_status read_dict(cp_reader *r, const char *name, cp_dict *out, copse_error *err) {
    char **text;
    size_t n;
    CP_TRY(cp_reader_texts(r, name, &text, &n, err));
    copse_status status = fill_dict(r, text, n, out, err);
    cp_mem_free(text);
    return status;
}

static copse_status read_classes(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t numeric;
    CP_TRY(cp_reader_i64(r, "classes_numeric", 0, 1, &numeric, err));
    s->classes_numeric = (int)numeric;
    int64_t announced = 0;
    if (cp_reader_has(r, "announced")) CP_TRY(cp_reader_i64(r, "announced", 0, 1, &announced, err));
    s->announced = (int)announced;
    return read_dict(r, "class", &s->classes, err);
}

static copse_status read_names(cp_reader *r, cp_schema *s, copse_error *err) {
    char **text;
    size_t n;
    cp_dict distinct = {0};
    copse_status status;
    CP_TRY(cp_reader_texts(r, "name", &text, &n, err));
    CP_TRY_OUT(fill_dict(r, text, n, &distinct, err));
    CP_TRY_OUT(CP_NEW(s->feature, n, err));
    s->features = n;
    for (size_t i = 0; i < n; i++)
        if (!(s->feature[i].name = cp_mem_strdup(text[i]))) CP_TRY_OUT(cp_fail_memory(err));
out:
    cp_dict_clear(&distinct);
    cp_mem_free(text);
    return status;
}

/* The levels of all features stand in one list: count[i] of them belong to feature i. */
static copse_status read_levels(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t *count = NULL;
    char **text = NULL;
    size_t n, used = 0;
    copse_status status;
    CP_TRY_OUT(cp_reader_array(r, "levels", CP_I64, s->features, &count, err));
    CP_TRY_OUT(cp_reader_texts(r, "level", &text, &n, err));
    for (size_t i = 0; i < s->features; i++) {
        if (count[i] < 0 || (uint64_t)count[i] > n - used)
            CP_TRY_OUT(cp_reader_bad(r, err, "feature %zu claims %lld levels", i, (long long)count[i]));
        CP_TRY_OUT(fill_dict(r, text + used, (size_t)count[i], &s->feature[i].levels, err));
        used += (size_t)count[i];
    }
    if (used != n) status = cp_reader_bad(r, err, "%zu levels belong to no feature", n - used);
out:
    cp_mem_free(count);
    cp_mem_free(text);
    return status;
}

static copse_status read_columns(cp_reader *r, cp_schema *s, copse_error *err) {
    uint8_t *kind = NULL;
    double *fill = NULL;
    copse_status status;
    CP_TRY_OUT(cp_reader_array(r, "kind", CP_U8, s->features, &kind, err));
    CP_TRY_OUT(cp_reader_array(r, "fill", CP_F64, s->features, &fill, err));
    for (size_t i = 0; i < s->features; i++) {
        cp_feature *f = &s->feature[i];
        if (kind[i] != COPSE_NUMBER && kind[i] != COPSE_TEXT)
            CP_TRY_OUT(cp_reader_bad(r, err, "kind %d does not exist", kind[i]));
        f->kind = (copse_kind)kind[i];
        f->fill = fill[i];
        f->first = s->dims;
        f->width = cp_schema_width(s, f);
        s->dims += f->width; /* at most 32 each: no overflow */
    }
    CP_TRY_OUT(cp_reader_array(r, "shift", CP_F64, s->dims, &s->shift, err));
    CP_TRY_OUT(cp_reader_array(r, "span", CP_F64, s->dims, &s->span, err));
out:
    cp_mem_free(kind);
    cp_mem_free(fill);
    return status;
}

static copse_status take_derived(cp_reader *r, cp_schema *s, char *const *column, const uint8_t *part,
                                 const uint8_t *form, copse_error *err) {
    for (size_t i = 0; i < s->features; i++) {
        cp_feature *f = &s->feature[i];
        if (part[i] >= CP_DERIVE_PARTS || form[i] >= CP_DERIVE_FORMS)
            return cp_reader_bad(r, err, "part %d of form %d does not exist", part[i], form[i]);
        f->part = (cp_derive_part)part[i];
        f->form = (cp_derive_form)form[i];
        if (column[i][0] && !(f->column = cp_mem_strdup(column[i]))) return cp_fail_memory(err);
    }
    return COPSE_OK;
}

static copse_status read_derived(cp_reader *r, cp_schema *s, copse_error *err) {
    char **column = NULL;
    uint8_t *part = NULL, *form = NULL;
    size_t n = 0;
    copse_status status;
    if (!cp_reader_has(r, "column")) return COPSE_OK;
    CP_TRY_OUT(cp_reader_texts(r, "column", &column, &n, err));
    if (n != s->features) CP_TRY_OUT(cp_reader_bad(r, err, "%zu columns of %zu features", n, s->features));
    CP_TRY_OUT(cp_reader_array(r, "part", CP_U8, n, &part, err));
    CP_TRY_OUT(cp_reader_array(r, "form", CP_U8, n, &form, err));
    CP_TRY_OUT(take_derived(r, s, column, part, form, err));
out:
    cp_mem_free(column);
    cp_mem_free(part);
    cp_mem_free(form);
    return status;
}

static copse_status read_absent(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t *absent;
    CP_TRY(cp_reader_array(r, "absent", CP_I64, s->features, &absent, err));
    for (size_t i = 0; i < s->features; i++) s->feature[i].absent = (size_t)absent[i];
    cp_mem_free(absent);
    return COPSE_OK;
}

static copse_status read_raw(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t raw = 0;
    if (cp_reader_has(r, "raw")) CP_TRY(cp_reader_i64(r, "raw", 0, 1, &raw, err));
    s->raw = (int)raw;
    return COPSE_OK;
}

static copse_status read_target_form(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t form = CP_DERIVE_NO_FORM;
    if (cp_reader_has(r, "target_form"))
        CP_TRY(cp_reader_i64(r, "target_form", CP_DERIVE_POINT, CP_DERIVE_COMMA, &form, err));
    s->target_form = (cp_derive_form)form;
    return COPSE_OK;
}

static copse_status read_all(cp_reader *r, cp_schema *s, copse_error *err) {
    int64_t task;
    CP_TRY(cp_reader_i64(r, "task", COPSE_CLASS, COPSE_REGRESS, &task, err));
    s->task = (copse_task)task;
    CP_TRY(cp_reader_text(r, "target", &s->target, err));
    CP_TRY(read_target_form(r, s, err));
    CP_TRY(read_classes(r, s, err));
    if (cp_reader_has(r, "missing")) CP_TRY(read_dict(r, "missing", &s->missing, err));
    CP_TRY(read_raw(r, s, err));
    CP_TRY(read_names(r, s, err));
    CP_TRY(read_derived(r, s, err));
    CP_TRY(read_levels(r, s, err));
    if (s->raw) CP_TRY(read_absent(r, s, err));
    CP_TRY(read_columns(r, s, err));
    int sound = 1;
    CP_TRY(cp_schema_count_levels(s, err));
    if (has_derived(s)) CP_TRY(cp_schema_check_columns(s, &sound, err));
    return sound && cp_schema_check(s) ? COPSE_OK : cp_reader_bad(r, err, "the schema contradicts itself");
}

copse_status cp_schema_file_read(cp_reader *r, cp_schema **out, copse_error *err) {
    *out = NULL;
    cp_schema *s;
    CP_TRY(CP_NEW(s, 1, err));
    CP_TRY(cp_reader_push(r, "schema", err));
    CP_NUMBER_RULES(r, number_rules);
    copse_status status = read_all(r, s, err);
    cp_reader_pop(r);
    if (status)
        cp_schema_free(s);
    else
        *out = s;
    return status;
}
