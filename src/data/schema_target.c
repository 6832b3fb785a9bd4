#include "data/schema_target.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "data/table_match.h"
#include "data/text.h"

static copse_status missing_target(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is missing: fill it in or leave the row out",
                      cp_table_where(t, row, place, sizeof place), c->name);
}

/* The advice is not to mark the value as missing: a missing target is refused too. */
static copse_status infinite_target(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is infinite: correct it or leave the row out",
                      cp_table_where(t, row, place, sizeof place), c->name);
}

static copse_status too_large(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' is %g, too large to compute with: use another unit",
                      cp_table_where(t, row, place, sizeof place), c->name, c->number[row]);
}

static copse_status find_target(const cp_schema *s, cp_table_rows rows, const cp_column **out, copse_error *err) {
    size_t j;
    CP_BUG(!cp_table_has_rows(rows));
    CP_TRY(cp_table_match_name(rows.t, s->target, COPSE_E_DATA, &j, err));
    *out = &rows.t->col[j];
    return COPSE_OK;
}

/* The number in a target of text; NaN if it is missing. */
static copse_status read_amount(const cp_schema *s, const copse_table *t, const cp_column *c, size_t row, double *out,
                                copse_error *err) {
    char place[300];
    *out = NAN;
    if (c->code[row] == CP_NONE) return COPSE_OK;
    const char *text = cp_dict_text(&c->levels, (size_t)c->code[row]);
    if (cp_derive_value(s->target_form, CP_DERIVE_AMOUNT, text, out)) return COPSE_OK;
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: the target '%s' had %s in training, and '%.60s' is not one of them: correct it, or mark it "
                      "as missing (`na='%.60s'`)",
                      cp_table_where(t, row, place, sizeof place), c->name, cp_derive_words(s->target_form), text,
                      text);
}

copse_status cp_schema_target_numbers(const cp_schema *s, cp_table_rows rows, double *out, unsigned char *opt_missing,
                                      copse_error *err) {
    const cp_column *c;
    CP_TRY(find_target(s, rows, &c, err));
    if (!s->target_form) CP_TRY(cp_schema_check_kind(rows, c, COPSE_NUMBER, err));
    for (size_t i = 0, row = rows.first; i < rows.n; i++, row++) {
        double y = c->kind == COPSE_TEXT ? NAN : c->number[row];
        if (s->target_form && c->kind == COPSE_TEXT) CP_TRY(read_amount(s, rows.t, c, row, &y, err));
        if (isinf(y)) return infinite_target(rows.t, c, row, err);
        if (fabs(y) > CP_SCHEMA_TARGET_MAX) return too_large(rows.t, c, row, err);
        if (isnan(y) && !opt_missing) return missing_target(rows.t, c, row, err);
        if (opt_missing) opt_missing[i] = (unsigned char)isnan(y);
        out[i] = isnan(y) ? 0 : y;
    }
    return COPSE_OK;
}

/* The text of a label that is a number, or text if opt_text is given.  If the classes are numbers, all ways to write
 * one number give one text. */
static const char *text_of_label(const cp_schema *s, const char *opt_text, double value, char buf[CP_JSON_NUMBER]) {
    if (opt_text && (!s->classes_numeric || !cp_text_number(opt_text, &value))) return opt_text;
    cp_json_format(value == 0 ? 0 : value, buf); /* -0 is 0 */
    return buf;
}

/* The label of a row; NULL if missing. */
static const char *label_text(const cp_schema *s, const cp_column *c, size_t row, char buf[CP_JSON_NUMBER]) {
    if (cp_column_missing(c, row)) return NULL;
    if (c->kind == COPSE_NUMBER) return text_of_label(s, NULL, c->number[row], buf);
    return text_of_label(s, cp_dict_text(&c->levels, (size_t)c->code[row]), 0, buf);
}

/* A cache of labels looked up before: a million rows of ten classes cost ten look-ups. */
enum { MEMO = 256, UNKNOWN = -2 };
typedef struct memo {
    double number[MEMO];
    int32_t code[MEMO], label[MEMO];
} memo;

static size_t memo_slot(memo *m, const cp_column *c, size_t row, int *out_hit) {
    uint64_t bits = 0;
    if (c->kind == COPSE_TEXT)
        bits = (uint64_t)c->code[row];
    else
        memcpy(&bits, &c->number[row], sizeof bits);
    size_t at = (size_t)((bits * 0x9e3779b97f4a7c15u) >> 56);
    *out_hit = m->label[at] != UNKNOWN &&
               (c->kind == COPSE_TEXT ? m->code[at] == c->code[row] : m->number[at] == c->number[row]);
    if (c->kind == COPSE_TEXT)
        m->code[at] = c->code[row];
    else
        m->number[at] = c->number[row];
    return at;
}

copse_status cp_schema_target_labels(const cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                     copse_error *err) {
    const cp_column *c;
    memo m;
    char buf[CP_JSON_NUMBER];
    CP_TRY(find_target(s, rows, &c, err));
    for (size_t i = 0; i < MEMO; i++) m.label[i] = UNKNOWN;
    for (size_t i = 0, row = rows.first; i < rows.n; i++, row++) {
        int missing = cp_column_missing(c, row), hit;
        if (missing && !opt_missing) return missing_target(rows.t, c, row, err);
        if (opt_missing) opt_missing[i] = (unsigned char)missing;
        out[i] = CP_NONE;
        if (missing) continue;
        size_t at = memo_slot(&m, c, row, &hit);
        if (!hit) {
            const char *text = label_text(s, c, row, buf);
            m.label[at] = cp_dict_find(&s->classes, text, strlen(text));
        }
        out[i] = m.label[at];
    }
    return COPSE_OK;
}

copse_status cp_schema_target_add_labels(cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                         copse_error *err) {
    const cp_column *c;
    char buf[CP_JSON_NUMBER];
    size_t before = s->classes.n;
    CP_TRY(cp_schema_target_labels(s, rows, out, opt_missing, err));
    CP_TRY(find_target(s, rows, &c, err));
    for (size_t i = 0; i < rows.n; i++) {
        const char *text = out[i] == CP_NONE ? label_text(s, c, rows.first + i, buf) : NULL;
        if (!text) continue;
        copse_status status = cp_dict_add(&s->classes, text, strlen(text), &out[i], err);
        if (!status) continue;
        cp_schema_forget_classes(s, before);
        return status;
    }
    return COPSE_OK;
}

copse_status cp_schema_target_check_number(const cp_schema *s, double y, copse_error *err) {
    if (fabs(y) <= CP_SCHEMA_TARGET_MAX) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA, "the target '%s' is %s: correct it or leave the row out", s->target,
                   isnan(y)   ? "missing"
                   : isinf(y) ? "infinite"
                              : "too large to compute with");
}

copse_status cp_schema_target_add_label(cp_schema *s, const char *opt_text, double number, int32_t *out,
                                        copse_error *err) {
    char buf[CP_JSON_NUMBER];
    if (!opt_text && isnan(number)) return cp_schema_target_check_number(s, number, err);
    const char *text = text_of_label(s, opt_text, number, buf);
    return cp_dict_add(&s->classes, text, strlen(text), out, err);
}
