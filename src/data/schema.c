#include "data/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void cp_schema_free(cp_schema *s) {
    if (!s) return;
    for (size_t i = 0; s->feature && i < s->features; i++) {
        cp_mem_free(s->feature[i].name);
        cp_mem_free(s->feature[i].column);
        cp_dict_clear(&s->feature[i].levels);
    }
    cp_dict_clear(&s->classes);
    cp_dict_clear(&s->missing);
    cp_mem_free(s->target);
    cp_mem_free(s->feature);
    cp_mem_free(s->shift);
    cp_mem_free(s->span);
    cp_mem_free(s->levels);
    cp_mem_free(s);
}

int cp_schema_has_indicators(const cp_schema *s, const cp_feature *f) {
    return !s->raw && f->kind == COPSE_TEXT && f->levels.n <= CP_SCHEMA_INDICATORS_MAX;
}

size_t cp_schema_width(const cp_schema *s, const cp_feature *f) {
    return cp_schema_has_indicators(s, f) ? f->levels.n : 1;
}

copse_status cp_schema_count_levels(cp_schema *s, copse_error *err) {
    size_t texts = 0;
    for (size_t i = 0; i < s->features; i++) texts += s->feature[i].kind == COPSE_TEXT;
    if (!s->raw || !texts) return COPSE_OK;
    CP_TRY(CP_NEW(s->levels, s->dims, err));
    for (size_t i = 0; i < s->features; i++) s->levels[s->feature[i].first] = (uint32_t)s->feature[i].levels.n;
    return COPSE_OK;
}

copse_status cp_schema_add_scale(cp_schema *s, copse_error *err) {
    CP_TRY(CP_NEW(s->shift, s->dims, err));
    CP_TRY(CP_NEW(s->span, s->dims, err));
    for (size_t d = 0; d < s->dims; d++) s->span[d] = 1;
    return COPSE_OK;
}

void cp_schema_set_range(cp_schema *s, const cp_feature *f, double min, double max) {
    s->shift[f->first] = min;
    s->span[f->first] = max > min ? max - min : 1;
}

static int check_derived(const cp_feature *f) {
    if (!f->column) return f->part == CP_DERIVE_NONE && f->form == CP_DERIVE_NO_FORM;
    if (!f->column[0] || f->kind != COPSE_NUMBER || f->part <= CP_DERIVE_NONE || f->part >= CP_DERIVE_PARTS) return 0;
    if (f->form <= CP_DERIVE_NO_FORM || f->form >= CP_DERIVE_FORMS) return 0;
    return cp_derive_is_time(f->form) == (f->part != CP_DERIVE_AMOUNT);
}

static int check_feature(const cp_schema *s, const cp_feature *f, size_t first) {
    if (f->first != first || f->width != cp_schema_width(s, f) || f->width > s->dims - first) return 0;
    int text = f->kind == COPSE_TEXT && (s->raw || cp_schema_has_indicators(s, f));
    for (size_t d = first; d < first + f->width; d++) {
        if (!isfinite(s->shift[d]) || !isfinite(s->span[d]) || !(s->span[d] > 0)) return 0;
        if ((s->raw || text) && s->span[d] != 1) return 0;
        if (text && s->shift[d] != 0) return 0;
    }
    if (s->levels ? s->levels[first] != f->levels.n : s->raw && f->levels.n > 0) return 0;
    if (!isfinite(f->fill) || !f->name || !f->name[0] || strcmp(f->name, s->target) == 0) return 0;
    if (!check_derived(f)) return 0;
    return f->kind == COPSE_NUMBER ? f->levels.n == 0 : f->fill >= 0 && f->fill < (double)f->levels.n;
}

int cp_schema_check(const cp_schema *s) {
    size_t dims = 0;
    if (!s->target || !s->target[0] || s->features == 0) return 0;
    for (size_t i = 0; i < s->features; i++) {
        if (!check_feature(s, &s->feature[i], dims)) return 0;
        dims += s->feature[i].width;
    }
    if (dims != s->dims) return 0;
    if (s->task == COPSE_CLASS) return s->classes.n > 0;
    return s->task == COPSE_REGRESS && s->classes.n == 0;
}

/* Adds the column of a feature; derived features of one column, which stand together, add it once. */
static copse_status add_column(const cp_schema *s, size_t i, cp_dict *columns, int *out_sound, copse_error *err) {
    const cp_feature *f = &s->feature[i], *before = i ? f - 1 : NULL;
    const char *column = cp_schema_column(f);
    size_t n = columns->n;
    int32_t id;
    if (f->column && before && before->column && !strcmp(before->column, column)) {
        *out_sound &= before->form == f->form && before->part < f->part;
        return COPSE_OK;
    }
    CP_TRY(cp_dict_add(columns, column, strlen(column), &id, err));
    *out_sound &= columns->n > n;
    return COPSE_OK;
}

copse_status cp_schema_check_columns(const cp_schema *s, int *out_sound, copse_error *err) {
    cp_dict columns = {0};
    copse_status status = COPSE_OK;
    *out_sound = 1;
    for (size_t i = 0; i < s->features && !status; i++) status = add_column(s, i, &columns, out_sound, err);
    cp_dict_clear(&columns);
    return status;
}

const cp_feature *cp_schema_feature_of(const cp_schema *s, size_t dim) {
    size_t low = 0, high = s->features; /* the last feature that starts at or before dim */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (s->feature[mid].first <= dim)
            low = mid;
        else
            high = mid;
    }
    return &s->feature[low];
}

void cp_schema_dim_name(const cp_schema *s, size_t dim, char *buf, size_t n) {
    const cp_feature *f = cp_schema_feature_of(s, dim);
    if (cp_schema_has_indicators(s, f))
        snprintf(buf, n, "%s=%s", f->name, cp_dict_text(&f->levels, dim - f->first));
    else
        snprintf(buf, n, "%s", f->name);
}

void cp_schema_forget_classes(cp_schema *s, size_t n) {
    cp_dict_shrink(&s->classes, n);
}

/* ------------------------------------------------------------------------------------ columns that do not fit */

/* A text column of a table has a level only if some row of the table has it. */
static int has_values(const cp_column *c, cp_table_rows rows) {
    if (c->kind == COPSE_TEXT) return c->levels.n > 0;
    for (size_t i = rows.first; i < rows.first + rows.n; i++)
        if (!isnan(c->number[i])) return 1;
    return 0;
}

copse_status cp_schema_check_kind(cp_table_rows rows, const cp_column *c, copse_kind trained, copse_error *err) {
    char place[300];
    if (c->kind == trained || !has_values(c, rows)) return COPSE_OK;
    if (c->kind == COPSE_NUMBER)
        return cp_fail(err, COPSE_E_DATA,
                       "column '%s' holds numbers, but the model was trained on text: read it as text "
                       "(`categorical='%s'`)",
                       c->name, c->name);
    size_t row = cp_table_word(rows, c);
    const char *text = c->code[row] == CP_NONE ? "text" : cp_dict_text(&c->levels, (size_t)c->code[row]);
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - rows.t->col) + 1,
                      "%s: '%.60s' in column '%s' is no number, and the model was trained on numbers: correct it, or "
                      "mark it as missing (`na='%.60s'`)",
                      cp_table_where(rows.t, row, place, sizeof place), text, c->name, text);
}

copse_status cp_schema_infinite(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: column '%s' is %s there: correct it, or mark what is written there as missing (`na`, e.g. "
                      "`na=inf,-inf`)",
                      cp_table_where(t, row, place, sizeof place), c->name,
                      c->number[row] > 0 ? "infinite" : "minus infinity");
}
