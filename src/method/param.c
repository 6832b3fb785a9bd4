/* param - parses, checks, prints and saves the options of a method. */
#include "method/param.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "data/text.h"
#include "method/method.h"

enum { TEXT_SIZE = 64 }; /* any number as text; longer values are refused before they are copied */

static size_t find(const cp_method *m, const char *name) {
    for (size_t i = 0; i < m->n_params; i++)
        if (strcmp(m->params[i].name, name) == 0) return i;
    return (size_t)-1;
}

/* The k-th word of a list separated by blanks; its length, 0 after the last. */
static size_t word(const char *list, size_t k, const char **out) {
    for (;; k--) {
        list += strspn(list, " ");
        size_t n = strcspn(list, " ");
        *out = list;
        if (k == 0 || n == 0) return n;
        list += n;
    }
}

/* ---------------------------------------------------------------------------------------------- ranges in words */

static void print_bound(const cp_param *d, double x, char *buf, size_t n) {
    snprintf(buf, n, d->type == CP_PARAM_INT ? "%.0f" : fabs(x) < 1e9 ? "%.15g" : "%g", x);
    cp_json_plain_point(buf);
}

static const char *choices_of(const cp_param *d) {
    return d->type == CP_PARAM_FLAG ? "no yes" : d->choices;
}

/* Prints the words of a choice; one that takes a number, grid:100, as "grid:N". */
static void print_words(const char *list, char *buf, size_t n) {
    size_t length, used = 0;
    const char *w;
    for (size_t k = 0; (length = word(list, k, &w)) > 0 && used < n; k++) {
        const char *colon = memchr(w, ':', length);
        if (colon) length = (size_t)(colon - w);
        used += (size_t)snprintf(buf + used, n - used, "%s%.*s%s", k ? " " : "", (int)length, w, colon ? ":N" : "");
    }
}

void cp_param_range(const cp_param *d, char *buf, size_t n) {
    if (d->type == CP_PARAM_LIST) {
        snprintf(buf, n, "none, or some of %s", d->choices);
        return;
    }
    if (d->type == CP_PARAM_CHOICE || d->type == CP_PARAM_FLAG) {
        print_words(choices_of(d), buf, n);
        return;
    }
    char min[TEXT_SIZE], max[TEXT_SIZE], words[TEXT_SIZE * 2] = "";
    size_t used = 0, length;
    const char *w;
    if (d->auto_ok) used = (size_t)snprintf(words, sizeof words, "auto, ");
    for (size_t k = 0; d->choices && (length = word(d->choices, k, &w)) > 0 && used < sizeof words; k++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%.*s, ", (int)length, w);
    print_bound(d, d->min, min, sizeof min);
    print_bound(d, d->max, max, sizeof max);
    if (isfinite(d->min) && isfinite(d->max))
        snprintf(buf, n, "%s%s to %s", words, min, max);
    else if (isfinite(d->min))
        snprintf(buf, n, "%s%s or more", words, min);
    else if (isfinite(d->max))
        snprintf(buf, n, "%s%s or less", words, max);
    else
        snprintf(buf, n, "%s%s", words, *words ? "any number" : "");
}

/* ------------------------------------------------------------------------------------------------------ parsing */

/* One spelling for each number, so that equal options make equal model files: the shortest that reads back, in any
 * locale. */
static void print_number(const cp_param *d, double x, char buf[TEXT_SIZE]) {
    if (d->type == CP_PARAM_INT) {
        snprintf(buf, TEXT_SIZE, "%.0f", x);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buf, TEXT_SIZE, "%.*g", digits, x);
        if (strtod(buf, NULL) == x) break;
    }
    cp_json_plain_point(buf);
}

/* Whether the text is one of the words that are allowed in place of a number. */
static int is_word(const cp_param *d, const char *text) {
    const char *w;
    size_t length;
    if (d->auto_ok && strcmp(text, "auto") == 0) return 1;
    for (size_t k = 0; d->choices && (length = word(d->choices, k, &w)) > 0; k++)
        if (strlen(text) == length && memcmp(text, w, length) == 0) return 1;
    return 0;
}

static copse_status parse_number(const cp_param *d, const char *text, double *out, char canonical[TEXT_SIZE],
                                 copse_error *err) {
    if (is_word(d, text)) {
        *out = NAN;
        snprintf(canonical, TEXT_SIZE, "%s", text);
        return COPSE_OK;
    }
    const char *kind = d->type == CP_PARAM_INT ? "a whole number" : "a number";
    char range[TEXT_SIZE * 4];
    double x;
    cp_param_range(d, range, sizeof range);
    if (!cp_text_number(text, &x) || (d->type == CP_PARAM_INT && floor(x) != x))
        return cp_fail(err, COPSE_E_USAGE, "`%s`: '%.40s' is not %s%s%s%s", d->name, text, kind, *range ? " (" : "",
                       range, *range ? ")" : "");
    if (x < d->min || x > d->max)
        return cp_fail(err, COPSE_E_USAGE, "`%s`: %.40s is out of range (%s)", d->name, text, range);
    *out = x + 0.0; /* -0 is 0 */
    print_number(d, *out, canonical);
    return COPSE_OK;
}

/* For a word with a number, "grid:100": 1 if the text is "grid" or "grid:7", and the number, which is NaN if it is not
 * whole; 0 if the text is another word. */
static int takes_count(const char *text, const char *name, double *out) {
    const char *colon = strchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : 0;
    if (!colon || strncmp(text, name, n) != 0 || (text[n] && text[n] != ':')) return 0;
    const char *number = text[n] ? text + n + 1 : colon + 1;
    if (!cp_text_number(number, out) || floor(*out) != *out) *out = NAN;
    return 1;
}

static copse_status count_in_range(const cp_param *d, const char *text, double count, copse_error *err) {
    if (count >= d->min && count <= d->max) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "`%s`: '%.40s': what follows the colon is a whole number from %.0f to %.0f",
                   d->name, text, d->min, d->max);
}

static copse_status parse_choice(const cp_param *d, const char *text, double *out, char canonical[TEXT_SIZE],
                                 copse_error *err) {
    char list[512] = "", name[TEXT_SIZE], best[TEXT_SIZE] = "";
    size_t length, used = 0, distance = 0;
    const char *w;
    double count;
    for (size_t k = 0; (length = word(choices_of(d), k, &w)) > 0; k++) {
        snprintf(name, sizeof name, "%.*s", (int)length, w);
        int counted = takes_count(text, name, &count);
        if (counted) CP_TRY(count_in_range(d, text, count, err));
        *out = (double)k;
        if (counted) {
            snprintf(canonical, TEXT_SIZE, "%.*s%.0f", (int)(strchr(name, ':') + 1 - name), name, count);
            return COPSE_OK;
        }
        if (strcmp(name, text) == 0) {
            snprintf(canonical, TEXT_SIZE, "%s", name);
            return COPSE_OK;
        }
        cp_suggest suggest = {.word = text};
        cp_suggest_try(&suggest, name);
        if (suggest.best && (!*best || suggest.distance < distance)) {
            distance = suggest.distance;
            memcpy(best, name, sizeof best);
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s%s", k ? ", " : "",
                                     (int)strcspn(name, ":"), name, strchr(name, ':') ? ":N" : "");
    }
    return cp_fail(err, COPSE_E_USAGE, "`%s`: '%.40s' is not one of: %s%s%s%s", d->name, text, list,
                   *best ? "; did you mean '" : "", best, *best ? "'?" : "");
}

/* The index of the text among the words, (size_t)-1 if it is none of them. */
static size_t find_word(const char *list, const char *text, size_t n) {
    const char *w;
    size_t length;
    for (size_t k = 0; (length = word(list, k, &w)) > 0; k++)
        if (length == n && memcmp(text, w, n) == 0) return k;
    return (size_t)-1;
}

/* Prints the words whose bits are set, in the order in which they are declared. */
static void print_list(const cp_param *d, unsigned bits, char canonical[TEXT_SIZE]) {
    const char *w;
    size_t used = 0, length;
    snprintf(canonical, TEXT_SIZE, "none");
    for (size_t k = 0; (length = word(d->choices, k, &w)) > 0; k++)
        if (bits >> k & 1)
            used += (size_t)snprintf(canonical + used, TEXT_SIZE - used, "%s%.*s", used ? "," : "", (int)length, w);
}

static copse_status parse_list(const cp_param *d, const char *text, double *out, char canonical[TEXT_SIZE],
                               copse_error *err) {
    unsigned bits = 0;
    for (const char *at = text; strcmp(text, "none") != 0; at++) {
        size_t n = strcspn(at, ","), k = find_word(d->choices, at, n);
        if (k == (size_t)-1) {
            char range[TEXT_SIZE * 4];
            cp_param_range(d, range, sizeof range);
            return cp_fail(err, COPSE_E_USAGE, "`%s`: '%.*s' is not among its words (%s), with commas between them",
                           d->name, (int)(n < 40 ? n : 40), at, range);
        }
        bits |= 1u << k;
        at += n;
        if (!*at) break;
    }
    print_list(d, bits, canonical);
    *out = bits;
    return COPSE_OK;
}

static copse_status parse(const cp_param *d, const char *value, double *out, char canonical[TEXT_SIZE],
                          copse_error *err) {
    if (d->type == CP_PARAM_CHOICE || d->type == CP_PARAM_FLAG) return parse_choice(d, value, out, canonical, err);
    if (d->type == CP_PARAM_LIST) return parse_list(d, value, out, canonical, err);
    return parse_number(d, value, out, canonical, err);
}

static copse_status set_at(copse_params *p, size_t i, const char *value, copse_error *err) {
    char canonical[TEXT_SIZE];
    double x = 0;
    CP_TRY(parse(&p->method->params[i], value, &x, canonical, err));
    char *text = cp_mem_strdup(canonical);
    if (!text) return cp_fail_memory(err);
    cp_mem_free(p->text[i]);
    p->text[i] = text;
    p->value[i] = x;
    return COPSE_OK;
}

static copse_status unknown(const cp_method *m, const char *name, copse_error *err) {
    cp_suggest suggest = {.word = name};
    for (size_t i = 0; i < m->n_params; i++) cp_suggest_try(&suggest, m->params[i].name);
    if (suggest.best)
        return cp_fail(err, COPSE_E_USAGE, "method %s has no option `%.60s`; did you mean `%s`?", m->info.name, name,
                       suggest.best);
    return cp_fail(err, COPSE_E_USAGE, "method %s has no option `%.60s`; 'copse methods %s' lists its options",
                   m->info.name, name, m->info.name);
}

copse_status cp_param_set(copse_params *p, const char *name, const char *value, copse_error *err) {
    size_t i = find(p->method, name);
    if (i == (size_t)-1) return unknown(p->method, name, err);
    return set_at(p, i, value, err);
}

/* ------------------------------------------------------------------------------------------------------ objects */

copse_status cp_param_new(const cp_method *method, copse_params **out, copse_error *err) {
    *out = NULL;
    copse_status status = COPSE_OK;
    copse_params *p;
    CP_TRY(CP_NEW(p, 1, err));
    p->method = method;
    CP_TRY_OUT(CP_NEW(p->value, method->n_params, err));
    CP_TRY_OUT(CP_NEW(p->text, method->n_params, err));
    for (size_t i = 0; i < method->n_params; i++) CP_TRY_OUT(set_at(p, i, method->params[i].initial, err));
    *out = p;
    return COPSE_OK;
out:
    cp_param_free(p);
    return status;
}

copse_status cp_param_copy(const copse_params *from, copse_params **out, copse_error *err) {
    copse_params *p;
    CP_TRY(cp_param_new(from->method, out, err));
    p = *out;
    for (size_t i = 0; i < from->method->n_params; i++) {
        copse_status status = set_at(p, i, from->text[i], err);
        if (!status) continue;
        cp_param_free(p);
        *out = NULL;
        return status;
    }
    return COPSE_OK;
}

void cp_param_free(copse_params *p) {
    if (!p) return;
    for (size_t i = 0; p->text && i < p->method->n_params; i++) cp_mem_free(p->text[i]);
    cp_mem_free(p->text);
    cp_mem_free(p->value);
    cp_mem_free(p);
}

/* -------------------------------------------------------------------------------------------------- for methods */

double cp_param_real(const copse_params *p, const char *name) {
    size_t i = find(p->method, name);
    CP_BUG(i == (size_t)-1);
    return p->value[i];
}

int64_t cp_param_int(const copse_params *p, const char *name) {
    double x = cp_param_real(p, name);
    CP_BUG(!(fabs(x) < 9.2e18)); /* auto has no integer: ask cp_param_real first */
    return (int64_t)x;
}

int cp_param_is(const copse_params *p, const char *name, const char *choice) {
    const char *text = cp_param_text(p, name);
    CP_BUG(!text);
    return strcmp(text, choice) == 0;
}

/* Equal as text or as numbers: ".1" is "0.1". */
static int same_value(const char *a, const char *b) {
    double x, y;
    return strcmp(a, b) == 0 || (cp_text_number(a, &x) && cp_text_number(b, &y) && x == y);
}

int cp_param_is_given(const copse_params *p, const char *name) {
    for (size_t i = 0; i < p->method->n_params; i++)
        if (strcmp(p->method->params[i].name, name) == 0)
            return !same_value(p->method->params[i].initial, cp_param_text(p, name));
    return 0;
}

int cp_param_has(const copse_params *p, const char *name, const char *text) {
    size_t i = find(p->method, name);
    CP_BUG(i == (size_t)-1);
    size_t k = find_word(p->method->params[i].choices, text, strlen(text));
    CP_BUG(k == (size_t)-1);
    return (unsigned)p->value[i] >> k & 1;
}

const char *cp_param_text(const copse_params *p, const char *name) {
    size_t i = find(p->method, name);
    return i == (size_t)-1 ? NULL : p->text[i];
}

/* -------------------------------------------------------------------------------------------------- model files */

/* Saved as text under the option's name: numbers have one spelling that reads back exactly, and tables may gain rows in
 * later versions without old files becoming unreadable. */
copse_status cp_param_write(const copse_params *p, cp_writer *w, copse_error *err) {
    size_t n = p->method->n_params;
    const char **name;
    CP_TRY(CP_NEW(name, n, err));
    for (size_t i = 0; i < n; i++) name[i] = p->method->params[i].name;
    copse_status status = cp_writer_texts(w, "option_names", name, n, err);
    if (!status) status = cp_writer_texts(w, "option_values", (const char *const *)p->text, n, err);
    cp_mem_free(name);
    return status;
}

/* The options of a file are checked like those of a user.  An option that the file does not name keeps its default. */
static copse_status set_from_file(copse_params *p, const cp_reader *r, const char *name, const char *value,
                                  copse_error *err) {
    copse_error why = {0};
    copse_status status = cp_param_set(p, name, value, &why);
    if (status == COPSE_E_USAGE) return cp_reader_bad(r, err, "%s", why.msg);
    return status ? cp_fail(err, status, "%s", why.msg) : COPSE_OK;
}

copse_status cp_param_read(cp_reader *r, const cp_method *method, copse_params **out, copse_error *err) {
    char **name = NULL, **value = NULL;
    size_t n = 0, n_values = 0;
    copse_params *p = NULL;
    copse_status status = COPSE_OK;
    *out = NULL;
    CP_TRY_OUT(cp_reader_texts(r, "option_names", &name, &n, err));
    CP_TRY_OUT(cp_reader_texts(r, "option_values", &value, &n_values, err));
    CP_TRY_OUT(n == n_values ? COPSE_OK : cp_reader_bad(r, err, "%zu options but %zu values", n, n_values));
    CP_TRY_OUT(cp_param_new(method, &p, err));
    for (size_t i = 0; i < n; i++) CP_TRY_OUT(set_from_file(p, r, name[i], value[i], err));
    *out = p;
    p = NULL;
out:
    cp_param_free(p);
    cp_mem_free(name);
    cp_mem_free(value);
    return status;
}

/* ------------------------------------------------------------------------------------------------- for users */

static void add_choice(const char *text, size_t n, copse_option_info *out) {
    CP_BUG(out->n_choices == COPSE_MAX_CHOICES || n >= COPSE_CHOICE_SIZE);
    const char *colon = memchr(text, ':', n);
    size_t k = out->n_choices++;
    snprintf(out->choice[k], sizeof out->choice[k], "%.*s", (int)(colon ? (size_t)(colon - text) : n), text);
    out->count[k] = colon ? strtod(colon + 1, NULL) : NAN;
}

/* Numbers have bounds, and so have choices of which a word takes a number. */
static int has_bounds(const cp_param *d) {
    if (d->type == CP_PARAM_INT || d->type == CP_PARAM_REAL) return 1;
    return d->type == CP_PARAM_CHOICE && strchr(d->choices, ':');
}

void cp_param_info(const cp_method *m, size_t i, copse_option_info *out) {
    static const copse_option_kind kinds[] = {[CP_PARAM_INT] = COPSE_OPTION_INT,
                                              [CP_PARAM_REAL] = COPSE_OPTION_REAL,
                                              [CP_PARAM_CHOICE] = COPSE_OPTION_CHOICE,
                                              [CP_PARAM_LIST] = COPSE_OPTION_LIST,
                                              [CP_PARAM_FLAG] = COPSE_OPTION_FLAG};
    const cp_param *d = &m->params[i];
    const char *w, *words = choices_of(d);
    char canonical[TEXT_SIZE];
    size_t n;
    *out = (copse_option_info){.name = d->name,
                               .kind = kinds[d->type],
                               .tasks = d->tasks ? d->tasks : m->info.tasks,
                               .min = has_bounds(d) ? d->min : NAN,
                               .max = has_bounds(d) ? d->max : NAN,
                               .initial = d->initial,
                               .help = d->help,
                               .tune_low = NAN,
                               .tune_high = NAN,
                               .tune_log = d->tune_log};
    if (d->auto_ok) add_choice("auto", strlen("auto"), out);
    for (size_t k = 0; words && (n = word(words, k, &w)) > 0; k++) add_choice(w, n, out);
    if (d->tune_high > d->tune_low) {
        out->tune_low = d->tune_low;
        out->tune_high = d->tune_high;
    } else if (d->tune_words) {
        out->tune_low = 0;
        out->tune_high = (double)out->n_choices - 1;
    }
    copse_status status = parse(d, d->initial, &out->initial_number, canonical, NULL);
    CP_BUG(status);
}
