#include "io/column_types.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/table_match.h"

static void want_column(const copse_table *t, const char *name, cp_column_type want, cp_column_type *out) {
    size_t j = cp_table_find(t, name);
    if (j != (size_t)-1) out[j] = want;
}

/* Derived features are read from the text of their column. */
static cp_column_type type_of(const cp_feature *f) {
    return f->kind == COPSE_TEXT || f->column ? CP_COLUMN_TYPE_TEXT : CP_COLUMN_TYPE_NUMBER;
}

static void want_like(const copse_table *t, const cp_schema *like, cp_column_type *out) {
    int text = like->task == COPSE_CLASS && !like->classes_numeric;
    for (size_t i = 0; i < like->features; i++)
        want_column(t, cp_schema_column(&like->feature[i]), type_of(&like->feature[i]), out);
    /* A numeric target may be read as anything: prediction ignores the column, and scoring and learning report what is
     * wrong with it. */
    if (like->target && (text || like->target_form)) want_column(t, like->target, CP_COLUMN_TYPE_TEXT, out);
}

/* Applies the options `categorical` and `numeric`; a column in both is an error. */
static copse_status want_listed(const copse_table *t, const cp_read_options *opt, cp_column_type *out,
                                copse_error *err) {
    unsigned char *text, *number;
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(text, 2 * t->cols + 1, err));
    number = text + t->cols;
    if (opt->categorical) CP_TRY_OUT(cp_table_match(t, opt->categorical, text, err));
    if (opt->numeric) CP_TRY_OUT(cp_table_match(t, opt->numeric, number, err));
    for (size_t j = 0; j < t->cols && !status; j++) {
        if (text[j] && number[j])
            status = cp_fail(err, COPSE_E_USAGE, "column '%s' is asked for as a category and as a number: choose one",
                             t->col[j].name);
        if (text[j]) out[j] = CP_COLUMN_TYPE_TEXT;
        if (number[j]) out[j] = CP_COLUMN_TYPE_NUMBER;
    }
out:
    cp_mem_free(text);
    return status;
}

copse_status cp_column_types_find(const copse_table *t, const cp_read_options *opt, cp_column_type *out_want,
                                  copse_error *err) {
    for (size_t j = 0; j < t->cols; j++) out_want[j] = CP_COLUMN_TYPE_ANY;
    if (opt->categorical || opt->numeric) CP_TRY(want_listed(t, opt, out_want, err));
    /* The model overrides the options: it cannot take another type. */
    if (opt->like) want_like(t, opt->like, out_want);
    return COPSE_OK;
}

copse_status cp_column_types_missing(const cp_read_options *opt, cp_text_missing *out, copse_error *err) {
    CP_TRY(cp_text_missing_init(out, opt->na, err));
    copse_status status = opt->like ? cp_dict_join(&out->words, &opt->like->missing, err) : COPSE_OK;
    if (status) cp_text_missing_clear(out);
    return status;
}

copse_status cp_column_types_apply(copse_table *t, const cp_read_options *opt, copse_error *err) {
    cp_column_type *want;
    CP_TRY(CP_NEW(want, t->cols, err));
    copse_status status = cp_column_types_find(t, opt, want, err);
    for (size_t j = 0; j < t->cols && !status; j++)
        if (want[j] == CP_COLUMN_TYPE_TEXT) status = cp_table_to_text(t, j, err);
    cp_mem_free(want);
    return status;
}

int cp_column_types_has(const cp_schema *opt_like, size_t k) {
    char name[32];
    if (!opt_like) return 0;
    snprintf(name, sizeof name, "x%zu", k);
    for (size_t i = 0; i < opt_like->features; i++)
        if (!strcmp(opt_like->feature[i].name, name)) return 1;
    return 0;
}

copse_status cp_column_types_refuse(const cp_column_types_place *at, const char *text, size_t n, copse_error *err) {
    char shown[CP_TEXT_SHOWN], field[24] = "";
    if (at->field) snprintf(field, sizeof field, ":%zu", at->field);
    return cp_fail_at(err, COPSE_E_DATA, at->line, (long)at->field,
                      "%s:%ld%s: column '%.80s' should be a number, found '%s'. Correct it, leave it empty if it is "
                      "missing, or name it among the words for missing (`na`)",
                      at->file, at->line, field, at->column, cp_text_show(text, n, shown));
}
