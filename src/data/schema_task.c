#include "data/schema_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "data/text.h"

/* A numeric target of at most this many values, all whole numbers, is taken for classes. */
enum { AUTO_CLASSES = 20 };

/* Are all values whole numbers, few, and does each occur at least twice? */
static int looks_like_classes(const double *y, size_t n) {
    double value[AUTO_CLASSES];
    size_t count[AUTO_CLASSES], values = 0, once = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (isnan(y[i])) continue;
        if (isinf(y[i]) || y[i] != floor(y[i])) return 0;
        while (k < values && value[k] != y[i]) k++;
        if (k == AUTO_CLASSES) return 0;
        if (k == values) {
            value[values] = y[i];
            count[values++] = 0;
            once++;
        }
        if (++count[k] == 2) once--;
    }
    return values > 0 && once == 0;
}

static int byte_order(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The levels of the target and the announced classes; adding a class twice adds it once. */
static copse_status text_classes(cp_dict *classes, const cp_dict *levels, const copse_roles *roles, copse_error *err) {
    const char **text;
    copse_status status = COPSE_OK;
    size_t n = levels->n + roles->n_classes;
    CP_TRY(CP_RAW(text, n, err));
    for (size_t k = 0; k < levels->n; k++) text[k] = cp_dict_text(levels, k);
    for (size_t k = 0; k < roles->n_classes; k++) text[levels->n + k] = roles->classes[k];
    qsort(text, n, sizeof *text, byte_order);
    int32_t id;
    for (size_t k = 0; k < n && !status; k++) status = cp_dict_add(classes, text[k], strlen(text[k]), &id, err);
    cp_mem_free(text);
    return status;
}

static int number_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lists the values that occur, some of them more than once.  A small cache of recent values leaves out most
 * repetitions, so that few different values make a short list. */
static copse_status list_values(const double *y, size_t n, double **out, size_t *out_n, copse_error *err) {
    enum { RECENT = 1024 };
    double *value = NULL, recent[RECENT];
    size_t values = 0, cap = 0;
    for (size_t i = 0; i < RECENT; i++) recent[i] = NAN;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double v = y[i] == 0 ? 0 : y[i]; /* -0 is 0 */
        if (isnan(v)) continue;
        memcpy(&bits, &v, sizeof bits);
        double *seen = &recent[(bits * 0x9e3779b97f4a7c15u) >> 54];
        if (*seen == v) continue;
        *seen = v;
        copse_status status = CP_GROW(value, cap, values + 1, err);
        if (status) {
            cp_mem_free(value);
            return status;
        }
        value[values++] = v;
    }
    *out = value;
    *out_n = values;
    return COPSE_OK;
}

/* Appends the announced classes, which must be numbers as the target is. */
static copse_status add_announced(const copse_roles *roles, double **value, size_t *values, copse_error *err) {
    size_t n = *values + roles->n_classes;
    double *more = cp_mem_resize(*value, n, sizeof *more), x;
    if (!more) return cp_fail_memory(err);
    *value = more;
    for (size_t k = 0; k < roles->n_classes; k++) {
        if (!cp_text_number(roles->classes[k], &x) || !isfinite(x))
            return cp_fail(err, COPSE_E_USAGE,
                           "`classes`: '%.60s' is not a number, and the target '%.100s' is: its classes are numbers",
                           roles->classes[k], roles->target);
        more[(*values)++] = x + 0.0; /* -0 is 0 */
    }
    return COPSE_OK;
}

static copse_status number_classes(cp_dict *classes, const cp_column *c, size_t n, const copse_roles *roles,
                                   copse_error *err) {
    double *value;
    size_t values;
    CP_TRY(list_values(c->number, n, &value, &values, err));
    copse_status status = roles->n_classes ? add_announced(roles, &value, &values, err) : COPSE_OK;
    if (!status) qsort(value, values, sizeof *value, number_order);
    for (size_t k = 0; k < values && !status; k++) {
        char text[CP_JSON_NUMBER];
        int32_t id;
        cp_json_format(value[k], text);
        status = cp_dict_add(classes, text, strlen(text), &id, err);
    }
    cp_mem_free(value);
    return status;
}

static int all_equal(const double *y, size_t n) {
    double first = NAN;
    for (size_t i = 0; i < n; i++) {
        if (isnan(y[i])) continue;
        if (isnan(first)) first = y[i];
        if (y[i] != first) return 0;
    }
    return 1;
}

static copse_status not_a_number(const copse_table *t, const cp_column *c, copse_error *err) {
    char place[300];
    size_t row = cp_table_word((cp_table_rows){t, 0, t->rows}, c);
    return cp_fail_at(err, COPSE_E_DATA, (long)row + 1, (long)(c - t->col) + 1,
                      "%s: regression needs numbers, but the target '%s' holds '%.60s': correct it, mark it as missing "
                      "(`na='%.60s'`), or classify (`task=class`)",
                      cp_table_where(t, row, place, sizeof place), c->name,
                      cp_dict_text(&c->levels, (size_t)c->code[row]), cp_dict_text(&c->levels, (size_t)c->code[row]));
}

/* The form of a target of text that holds amounts, which is then numbers; NO_FORM if classes were asked for. */
static cp_derive_form target_form(copse_task asked, const cp_column *c, const copse_run *run) {
    int ambiguous;
    if (c->kind != COPSE_TEXT || c->asked || asked == COPSE_CLASS) return CP_DERIVE_NO_FORM;
    cp_derive_form form = cp_derive_find(&c->levels, &ambiguous);
    if (form == CP_DERIVE_NO_FORM || cp_derive_is_time(form)) return CP_DERIVE_NO_FORM;
    if (asked == COPSE_TASK_NONE && c->levels.n <= AUTO_CLASSES) return CP_DERIVE_NO_FORM;
    cp_log_info(run, "target '%s' is %s, such as '%.40s': regression (`task=class` to override)", c->name,
                cp_derive_words(form), cp_dict_text(&c->levels, 0));
    return form;
}

static copse_status choose_task(copse_task asked, const copse_table *t, const cp_column *c, const copse_run *run,
                                copse_task *out, copse_error *err) {
    *out = asked;
    if (c->kind == COPSE_TEXT && asked == COPSE_REGRESS) return not_a_number(t, c, err);
    if (asked != COPSE_TASK_NONE) return COPSE_OK;
    if (c->kind == COPSE_TEXT) {
        *out = COPSE_CLASS;
        cp_log_info(run, "target '%s' is text: classification", c->name);
    } else if (looks_like_classes(c->number, t->rows)) {
        *out = COPSE_CLASS;
        cp_log_info(run, "target '%s' has few values, all whole numbers: classification (`task=regress` to override)",
                    c->name);
    } else {
        *out = COPSE_REGRESS;
        cp_log_info(run, "target '%s' is numbers: regression (`task=class` to override)", c->name);
    }
    return COPSE_OK;
}

static size_t present_in(const cp_column *c, size_t rows) {
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) n += !cp_column_missing(c, i);
    return n;
}

static void warn_of_numbers(const copse_table *t, const cp_column *c, size_t present, const copse_run *run) {
    if (present == 1)
        cp_log_warn(run, "there is one row with a target: no spread can be learnt from it, and intervals mean nothing");
    else if (all_equal(c->number, t->rows))
        cp_log_warn(run, "the target '%s' is the same in every row: there is little to learn", c->name);
}

static void warn_of_classes(const cp_schema *s, const cp_column *c, size_t present, const copse_run *run) {
    if (s->classes.n == 1)
        cp_log_warn(run, "the target '%s' has one class, '%.60s': there is little to learn", c->name,
                    cp_dict_text(&s->classes, 0));
    else if (s->classes.n > AUTO_CLASSES && 2 * s->classes.n > present)
        cp_log_warn(run, "the target '%s' has %zu classes in %zu rows: hardly any class is there twice%s", c->name,
                    s->classes.n, present, s->classes_numeric ? " (`task=regress`?)" : "");
}

copse_status cp_schema_task(cp_schema *s, const copse_table *t, size_t target, const copse_roles *roles,
                            const copse_run *run, copse_error *err) {
    const cp_column *c = &t->col[target];
    size_t present = present_in(c, t->rows);
    if (present == 0) return cp_fail(err, COPSE_E_DATA, "every value of the target '%s' is missing", c->name);
    if (roles->n_classes && roles->task == COPSE_REGRESS)
        return cp_fail(err, COPSE_E_USAGE, "`classes` are for classification, and the task is regression");
    copse_task asked = roles->n_classes ? COPSE_CLASS : roles->task;
    s->target_form = target_form(asked, c, run);
    s->task = COPSE_REGRESS;
    if (!s->target_form) CP_TRY(choose_task(asked, t, c, run, &s->task, err));
    if (s->target_form) return COPSE_OK;
    if (s->task == COPSE_REGRESS) {
        warn_of_numbers(t, c, present, run);
        return COPSE_OK;
    }
    s->announced = roles->n_classes > 0;
    s->classes_numeric = c->kind == COPSE_NUMBER;
    CP_TRY(s->classes_numeric ? number_classes(&s->classes, c, t->rows, roles, err)
                              : text_classes(&s->classes, &c->levels, roles, err));
    warn_of_classes(s, c, present, run);
    return COPSE_OK;
}
