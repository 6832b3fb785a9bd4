#include "data/schema_new.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/schema_scale.h"
#include "data/schema_task.h"
#include "data/table_match.h"
#include "num/math.h"
#include "num/stat.h"

/* Statistics of a training column. */
typedef struct summary {
    size_t present;       /* values that are not missing */
    double min, max, mid; /* numbers; mid is the median */
    size_t infinite_row;  /* the first row with an infinite number, or (size_t)-1 */
} summary;

typedef struct maker {
    const copse_table *t;
    const copse_roles *roles;
    cp_encoding encoding;
    const copse_run *run;
    size_t target;
    cp_schema *s;
    const cp_column **col; /* per feature */
    summary *sum;          /* per feature */
    cp_column **derived;   /* owned: columns of derived features, with their numbers; NULL for the others */
} maker;

/* ---------------------------------------------------------------------------------------------------- which columns */

static copse_status mark_list(const maker *m, const char *list, unsigned char value, unsigned char *used,
                              copse_error *err) {
    unsigned char *hit;
    CP_TRY(CP_NEW(hit, m->t->cols, err));
    copse_status status = cp_table_match(m->t, list, hit, err);
    for (size_t j = 0; j < m->t->cols && !status; j++)
        if (hit[j]) used[j] = value;
    cp_mem_free(hit);
    return status;
}

/* Marks the columns to predict from.  A column with another role is not a feature, even if a list names it. */
static copse_status mark_features(const maker *m, unsigned char *used, copse_error *err) {
    const copse_roles *roles = m->roles;
    size_t weights;
    memset(used, roles->features ? 0 : 1, m->t->cols);
    if (roles->features) CP_TRY(mark_list(m, roles->features, 1, used, err));
    if (roles->features && used[m->target])
        cp_log_warn(m->run, "'%s' is the target: it is not used as a feature", roles->target);
    if (roles->drop) CP_TRY(mark_list(m, roles->drop, 0, used, err));
    if (roles->weights) {
        CP_TRY(cp_table_match_name(m->t, roles->weights, COPSE_E_USAGE, &weights, err));
        if (weights == m->target)
            return cp_fail(err, COPSE_E_USAGE, "'%s' is the target: it cannot be the weights too", roles->target);
        if (roles->features && used[weights])
            cp_log_warn(m->run, "'%s' is the weights: it is not used as a feature", roles->weights);
        used[weights] = 0;
    }
    used[m->target] = 0;
    return COPSE_OK;
}

/* The most features that a column can become. */
enum { MOST_PARTS = CP_DERIVE_PARTS };

/* Gives a list of features room for `more`. */
static copse_status make_room(maker *m, size_t *cap, size_t more, copse_error *err) {
    cp_schema *s = m->s;
    size_t old = *cap, n = s->features + more;
    if (n <= old) return COPSE_OK;
    CP_TRY(CP_GROW(s->feature, *cap, n, err));
    const cp_column **col = cp_mem_resize(m->col, *cap, sizeof *col);
    if (!col) return cp_fail_memory(err);
    m->col = col;
    cp_column **derived = cp_mem_resize(m->derived, *cap, sizeof *derived);
    if (!derived) return cp_fail_memory(err);
    m->derived = derived;
    memset(derived + old, 0, (*cap - old) * sizeof *derived);
    return COPSE_OK;
}

static copse_status add_plain(maker *m, const cp_column *c, copse_error *err) {
    cp_schema *s = m->s;
    char *name = cp_mem_strdup(c->name);
    if (!name) return cp_fail_memory(err);
    m->col[s->features] = c;
    s->feature[s->features++] = (cp_feature){.name = name, .kind = c->kind};
    return COPSE_OK;
}

/* A feature with the part of the column; the numbers belong to the maker. */
static copse_status add_part(maker *m, const cp_column *c, cp_derive_form form, cp_derive_part part, copse_error *err) {
    cp_schema *s = m->s;
    cp_feature *f = &s->feature[s->features];
    cp_column *d;
    size_t n = strlen(c->name) + strlen(cp_derive_suffix(part)) + 1;
    CP_TRY(CP_NEW(d, 1, err));
    *f = (cp_feature){.kind = COPSE_NUMBER, .part = part, .form = form};
    m->derived[s->features] = d;
    m->col[s->features++] = d;
    if (!(f->column = cp_mem_strdup(c->name)) || !(f->name = cp_mem_raw(n, 1))) return cp_fail_memory(err);
    snprintf(f->name, n, "%s%s", c->name, cp_derive_suffix(part));
    *d = (cp_column){.name = c->name, .kind = COPSE_NUMBER};
    CP_TRY(CP_RAW(d->number, m->t->rows, err));
    for (size_t i = 0; i < m->t->rows; i++) {
        d->number[i] = NAN;
        if (c->code[i] != CP_NONE)
            CP_BUG(!cp_derive_value(form, part, cp_dict_text(&c->levels, (size_t)c->code[i]), &d->number[i]));
    }
    return COPSE_OK;
}

/* Does the part differ between the column's values? */
static int varies(const cp_column *c, cp_derive_form form, cp_derive_part part) {
    double first = NAN, x;
    for (size_t k = 0; k < c->levels.n; k++) {
        if (!cp_derive_value(form, part, cp_dict_text(&c->levels, k), &x)) return 0;
        if (k == 0) first = x;
        if (x != first) return 1;
    }
    return 0;
}

/* The name is free for a feature: no column of the table has it. */
static int is_free(const maker *m, const cp_column *c, cp_derive_part part) {
    char name[512];
    int n = snprintf(name, sizeof name, "%s%s", c->name, cp_derive_suffix(part));
    return n < (int)sizeof name && cp_table_find(m->t, name) == (size_t)-1;
}

static copse_status add_times(maker *m, const cp_column *c, cp_derive_form form, copse_error *err) {
    char names[400] = "";
    size_t used = 0, before = m->s->features;
    for (cp_derive_part part = CP_DERIVE_TIME; part < CP_DERIVE_PARTS; part++) {
        if (part != CP_DERIVE_TIME && m->roles->dates == COPSE_DATES_NUMBER) break;
        if (form == CP_DERIVE_CLOCK && part != CP_DERIVE_HOUR) continue;
        if (part == CP_DERIVE_YEARDAY && !varies(c, form, CP_DERIVE_MONTH)) continue;
        if (!varies(c, form, part) || !is_free(m, c, part)) continue;
        CP_TRY(add_part(m, c, form, part, err));
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                     m->s->feature[m->s->features - 1].name);
    }
    if (m->s->features > before)
        cp_log_info(m->run, "'%.60s' is %s: it becomes %s", c->name, cp_derive_words(form), names);
    else
        cp_log_info(m->run, "'%.60s' is %s, all the same: it is not used", c->name, cp_derive_words(form));
    return COPSE_OK;
}

static copse_status add_amounts(maker *m, const cp_column *c, cp_derive_form form, copse_error *err) {
    const char *text = cp_dict_text(&c->levels, 0);
    double x = 0;
    char number[CP_JSON_NUMBER];
    cp_derive_value(form, CP_DERIVE_AMOUNT, text, &x);
    cp_json_format(x, number);
    cp_log_info(m->run, "'%.60s' is %s: '%.40s' is %s", c->name, cp_derive_words(form), text, number);
    return add_part(m, c, form, CP_DERIVE_AMOUNT, err);
}

/* A column of text that is written as amounts or times becomes numbers; text that was asked for stays text. */
static copse_status add_column(maker *m, const cp_column *c, copse_error *err) {
    int ambiguous = 0;
    cp_derive_form form = CP_DERIVE_NO_FORM;
    if (c->kind == COPSE_TEXT && !c->asked) form = cp_derive_find(&c->levels, &ambiguous);
    if (cp_derive_is_time(form) && m->roles->dates == COPSE_DATES_TEXT) form = CP_DERIVE_NO_FORM;
    if (form == CP_DERIVE_NO_FORM) return add_plain(m, c, err);
    if (!cp_derive_is_time(form)) return add_amounts(m, c, form, err);
    if (m->roles->dates == COPSE_DATES_DROP) {
        cp_log_info(m->run, "'%.60s' is %s: it is not used", c->name, cp_derive_words(form));
        return COPSE_OK;
    }
    if (ambiguous)
        cp_log_warn(m->run, "'%.60s': '%.40s' may be day and month or month and day; write the year first to be sure",
                    c->name, cp_dict_text(&c->levels, 0));
    return add_times(m, c, form, err);
}

static copse_status add_features(maker *m, const unsigned char *used, copse_error *err) {
    cp_schema *s = m->s;
    size_t cap = 0;
    for (size_t j = 0; j < m->t->cols; j++) {
        if (!used[j]) continue;
        CP_TRY(make_room(m, &cap, MOST_PARTS, err));
        CP_TRY(add_column(m, &m->t->col[j], err));
    }
    if (s->features == 0 && !s->feature) CP_TRY(CP_NEW(s->feature, 1, err));
    return CP_NEW(m->sum, s->features + 1, err);
}

static copse_status pick_columns(maker *m, copse_error *err) {
    unsigned char *used = NULL;
    copse_status status;
    if (!m->roles->target) return cp_fail(err, COPSE_E_USAGE, "no target: name the column to predict (`target`)");
    CP_TRY(cp_table_match_name(m->t, m->roles->target, COPSE_E_USAGE, &m->target, err));
    if (m->t->rows == 0) return cp_fail(err, COPSE_E_DATA, "there are no rows to learn from");
    if (!(m->s->target = cp_mem_strdup(m->roles->target))) return cp_fail_memory(err);
    CP_TRY(CP_NEW(used, m->t->cols, err));
    status = mark_features(m, used, err);
    if (!status) status = add_features(m, used, err);
    cp_mem_free(used);
    return status;
}

/* --------------------------------------------------------------------------------------------- columns in summary */

static copse_status summarise_numbers(const cp_column *c, size_t rows, summary *out, copse_error *err) {
    double *value;
    CP_TRY(CP_RAW(value, rows, err));
    for (size_t i = 0; i < rows; i++) {
        double x = c->number[i];
        if (isnan(x)) continue;
        if (isinf(x) && out->infinite_row == (size_t)-1) out->infinite_row = i;
        if (!out->present || x < out->min) out->min = x;
        if (!out->present || x > out->max) out->max = x;
        value[out->present++] = x;
    }
    if (out->present) out->mid = cp_stat_median(value, out->present);
    cp_mem_free(value);
    return COPSE_OK;
}

typedef struct level {
    const char *text;
    size_t count;
} level;

static int level_order(const void *a, const void *b) {
    const level *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->text, y->text);
}

static copse_status summarise_levels(const cp_column *c, size_t rows, summary *out, cp_dict *levels, copse_error *err) {
    level *l;
    int32_t id;
    copse_status status = COPSE_OK;
    CP_TRY(CP_NEW(l, c->levels.n, err));
    for (size_t k = 0; k < c->levels.n; k++) l[k].text = cp_dict_text(&c->levels, k);
    for (size_t i = 0; i < rows; i++) {
        if (c->code[i] == CP_NONE) continue;
        l[c->code[i]].count++;
        out->present++;
    }
    qsort(l, c->levels.n, sizeof *l, level_order);
    for (size_t k = 0; k < c->levels.n && !status; k++)
        status = cp_dict_add(levels, l[k].text, strlen(l[k].text), &id, err);
    cp_mem_free(l);
    return status;
}

static copse_status summarise_job(void *arg, size_t i, size_t worker, copse_error *err) {
    maker *m = arg;
    const cp_column *c = m->col[i];
    summary *sum = &m->sum[i];
    (void)worker;
    *sum = (summary){.infinite_row = (size_t)-1};
    if (c->kind == COPSE_TEXT) return summarise_levels(c, m->t->rows, sum, &m->s->feature[i].levels, err);
    CP_TRY(summarise_numbers(c, m->t->rows, sum, err));
    if (sum->infinite_row != (size_t)-1) return cp_schema_infinite(m->t, c, sum->infinite_row, err);
    if (isfinite(sum->max - sum->min)) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA, "the range of column '%s', %g to %g, is too wide to compute with", c->name,
                   sum->min, sum->max);
}

/* Is the text different in almost every row, so that nothing can be learnt from it?  Text that was asked for, and
 * columns that were named, are kept. */
static int is_identifier(const maker *m, size_t i) {
    enum { LEAST = 2 * CP_SCHEMA_INDICATORS_MAX };
    const cp_feature *f = &m->s->feature[i];
    if (f->kind != COPSE_TEXT || m->col[i]->asked || m->roles->keep_ids || m->roles->features) return 0;
    return f->levels.n >= LEAST && (double)f->levels.n > .9 * (double)m->sum[i].present;
}

static void drop_feature(cp_feature *f) {
    cp_mem_free(f->name);
    cp_mem_free(f->column);
    cp_dict_clear(&f->levels);
}

/* Drops columns without a value, which have no median and no level, and identifiers, unless nothing else is there. */
static copse_status drop_useless(maker *m, copse_error *err) {
    cp_schema *s = m->s;
    size_t kept = 0, identifiers = 0, present = 0;
    for (size_t i = 0; i < s->features; i++) {
        identifiers += (size_t)is_identifier(m, i);
        present += m->sum[i].present > 0;
    }
    for (size_t i = 0; i < s->features; i++) {
        int identifier = identifiers < present && is_identifier(m, i);
        if (m->sum[i].present && !identifier) {
            m->col[kept] = m->col[i];
            m->sum[kept] = m->sum[i];
            s->feature[kept++] = s->feature[i];
            continue;
        }
        if (identifier)
            cp_log_info(m->run, "'%.60s' is different in almost every row, an identifier: it is not used (`ids=keep`)",
                        m->col[i]->name);
        else
            cp_log_warn(m->run, "column '%s' has no values: it is not used", m->col[i]->name);
        drop_feature(&s->feature[i]);
    }
    s->features = kept;
    return kept ? COPSE_OK : cp_fail(err, COPSE_E_DATA, "no columns are left to predict from");
}

static copse_status summarise_features(maker *m, copse_error *err) {
    size_t n = m->s->features;
    if (n) CP_TRY(cp_parallel_for(m->run, cp_parallel_workers(m->run, n), n, NULL, summarise_job, m, err));
    return drop_useless(m, err);
}

/* -------------------------------------------------------------------------------------------------- encoded columns */

/* Sums up what was not said column by column. */
static void say_more(const maker *m, size_t said, const char *what) {
    size_t more = said - CP_SCHEMA_SAID;
    if (said > CP_SCHEMA_SAID)
        cp_log_info(m->run, "... and so on for %zu more column%s%s", more, cp_plural(more), what);
}

static int no_scale(const copse_roles *roles) {
    return roles->scale && strcmp(roles->scale, CP_SCHEMA_NO_SCALE) == 0;
}

/* Are floats precise enough for the column's values without an offset?  Yes, if the values are not much further from 0
 * than from each other: an offset would not make floats much finer.  Also yes, if the values are whole numbers or short
 * decimals that floats of that size keep apart: multiples of a power of ten no smaller than the distance between
 * neighbouring floats. */
static int floats_suffice(const double *x, size_t n, const summary *sum) {
    double far = fmax(fabs(sum->min), fabs(sum->max));
    if (far <= 16 * (sum->max - sum->min) || far == 0) return 1;
    double spacing = ldexp(1, ilogb(far) - 23);   /* of floats */
    double tens = floor(-cp_math_log10(spacing)); /* multiples of 10^-tens */
    if (!(fabs(tens) < 300)) return 0;
    double unit = cp_math_pow(10, fabs(tens));
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        double k = tens < 0 ? x[i] / unit : x[i] * unit;
        if (fabs(k - rint(k)) > 4 * DBL_EPSILON * fabs(k)) return 0;
    }
    return 1;
}

/* Floats are densest around 0: measured from their median, time stamps keep their resolution.  Ordinary numbers are not
 * shifted, so that cuts are the numbers that people expect. */
static double raw_shift(const maker *m, size_t i) {
    const summary *sum = &m->sum[i];
    if (floats_suffice(m->col[i]->number, m->t->rows, sum)) return 0;
    return sum->max - sum->min >= 2 ? rint(sum->mid) : sum->mid;
}

static void scale_number(const maker *m, size_t i) {
    const cp_feature *f = &m->s->feature[i];
    if (m->encoding == CP_ENCODE_RAW)
        m->s->shift[f->first] = raw_shift(m, i);
    else if (m->encoding == CP_ENCODE_PLAIN)
        m->s->shift[f->first] = m->sum[i].mid;
    else if (!no_scale(m->roles))
        cp_schema_set_range(m->s, f, m->sum[i].min, m->sum[i].max);
}

/* Ranks of levels are floats: beyond the mantissa two ranks could be one float. */
static copse_status check_levels(const maker *m, const cp_feature *f, copse_error *err) {
    if (f->levels.n < (size_t)1 << FLT_MANT_DIG) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA,
                   "column '%s' has %zu levels, more than can be told apart: leave it out (`drop='%s'`)", f->name,
                   f->levels.n, m->col[f - m->s->feature]->name);
}

/* Gives each feature its encoded columns, shift and span. */
static copse_status lay_out(maker *m, copse_error *err) {
    cp_schema *s = m->s;
    for (size_t i = 0; i < s->features; i++) {
        cp_feature *f = &s->feature[i];
        f->first = s->dims;
        f->width = cp_schema_width(s, f);
        f->fill = f->kind == COPSE_TEXT ? 0 : m->sum[i].mid;
        f->absent = s->raw ? m->t->rows - m->sum[i].present : 0;
        s->dims += f->width;
        CP_TRY(check_levels(m, f, err));
    }
    CP_TRY(cp_schema_add_scale(s, err));
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        if (f->kind == COPSE_NUMBER)
            scale_number(m, i);
        else if (f->levels.n > CP_SCHEMA_INDICATORS_MAX && m->encoding == CP_ENCODE_UNIT)
            s->span[f->first] = (double)f->levels.n;
    }
    return cp_schema_count_levels(s, err);
}

static void say_fill(const maker *m, const cp_feature *f, size_t missing) {
    const char *values = missing == 1 ? "value" : "values", *are = missing == 1 ? "is" : "are";
    char number[CP_JSON_NUMBER];
    if (f->kind == COPSE_TEXT) {
        cp_log_info(m->run, "%zu missing %s in '%s' %s replaced by the most frequent, '%.60s'", missing, values,
                    f->name, are, cp_dict_text(&f->levels, 0));
        return;
    }
    cp_json_format(f->fill, number);
    cp_log_info(m->run, "%zu missing %s in '%s' %s replaced by the median %s", missing, values, f->name, are, number);
}

static void say_missing(const maker *m) {
    const cp_schema *s = m->s;
    size_t columns = 0, values = 0;
    const char *name = "";
    for (size_t i = 0; i < s->features; i++) {
        if (!s->feature[i].absent) continue;
        if (!columns++) name = s->feature[i].name;
        values += s->feature[i].absent;
    }
    if (!columns) return;
    if (columns == 1)
        cp_log_info(m->run, "%zu missing value%s in '%s': the method takes %s", values, cp_plural(values), name,
                    values == 1 ? "it as it is" : "them as they are");
    else
        cp_log_info(m->run, "%zu missing values in %zu columns: the method takes them as they are", values, columns);
}

static int is_beyond(const maker *m, size_t i, double x) {
    size_t d = m->s->feature[i].first;
    return fabs((x - m->s->shift[d]) / m->s->span[d]) > CP_SCHEMA_LIMIT;
}

static void warn_of_limit(const maker *m) {
    size_t said = 0;
    for (size_t i = 0; i < m->s->features; i++) {
        const cp_feature *f = &m->s->feature[i];
        if (f->kind == COPSE_TEXT || !(is_beyond(m, i, m->sum[i].min) || is_beyond(m, i, m->sum[i].max))) continue;
        if (said++ < CP_SCHEMA_SAID)
            cp_log_warn(m->run, "'%s' has values beyond %g, which are all taken to be that: measure it in larger units",
                        f->name, CP_SCHEMA_LIMIT);
    }
    say_more(m, said, " beyond it");
}

static void say_encodings(const maker *m) {
    const cp_schema *s = m->s;
    size_t filled = 0, coded = 0;
    if (s->raw) {
        say_missing(m);
        return;
    }
    for (size_t i = 0; i < s->features; i++) {
        size_t missing = m->t->rows - m->sum[i].present;
        if (missing && filled++ < CP_SCHEMA_SAID) say_fill(m, &s->feature[i], missing);
    }
    say_more(m, filled, " with missing values");
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        if (f->levels.n > CP_SCHEMA_INDICATORS_MAX && coded++ < CP_SCHEMA_SAID)
            cp_log_info(m->run, "'%s' has %zu levels: coded by frequency (up to %d get a column each)", f->name,
                        f->levels.n, CP_SCHEMA_INDICATORS_MAX);
    }
    say_more(m, coded, " with many levels");
}

static void free_derived(maker *m, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!m->derived[i]) continue;
        cp_mem_free(m->derived[i]->number);
        cp_mem_free(m->derived[i]);
    }
    cp_mem_free(m->derived);
}

copse_status cp_schema_new(const copse_table *train, const cp_schema_spec *spec, const copse_run *run, cp_schema **out,
                           copse_error *err) {
    size_t derived = 0;
    maker m = {.t = train, .roles = spec->roles, .encoding = spec->encoding, .run = run};
    copse_status status;
    *out = NULL;
    CP_TRY_OUT(CP_NEW(m.s, 1, err));
    m.s->raw = spec->encoding == CP_ENCODE_RAW;
    CP_TRY_OUT(cp_dict_join(&m.s->missing, &train->missing, err));
    status = pick_columns(&m, err);
    derived = m.s->features;
    CP_TRY_OUT(status);
    CP_TRY_OUT(cp_schema_task(m.s, train, m.target, spec->roles, run, err));
    CP_TRY_OUT(summarise_features(&m, err));
    CP_TRY_OUT(lay_out(&m, err));
    if (spec->opt_scale) CP_TRY_OUT(cp_schema_scale_apply(m.s, spec->opt_scale, run, err));
    warn_of_limit(&m);
    say_encodings(&m);
    *out = m.s;
    m.s = NULL;
out:
    cp_schema_free(m.s);
    free_derived(&m, derived);
    cp_mem_free(m.col);
    cp_mem_free(m.sum);
    return status;
}
