#include "data/table_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/log.h"
#include "base/mem.h"
#include "data/derive.h"
#include "data/text.h"

enum { MAX_LISTED = 8, MIN_ODD_ROWS = 10 };

/* "a (3), b (7) and 12 more": a list that stays readable with a million columns. */
typedef struct listing {
    char text[1200];
    size_t used, listed, total;
} listing;

__attribute__((format(printf, 2, 3))) static void list_add(listing *l, const char *fmt, ...) {
    if (l->total++ >= MAX_LISTED) return;
    va_list args;
    va_start(args, fmt);
    if (l->used) l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, ", ");
    l->used += (size_t)vsnprintf(l->text + l->used, sizeof l->text - l->used, fmt, args);
    l->listed++;
    va_end(args);
}

static void list_say(listing *l, const copse_run *run, const char *what, const char *advice) {
    char more[40] = "";
    if (!l->total) return;
    if (l->total > l->listed) snprintf(more, sizeof more, " and %zu more", l->total - l->listed);
    cp_log_info(run, "%s: %s%s%s", what, l->text, more, advice);
}

static size_t missing_in(const cp_column *c, size_t rows) {
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) n += (size_t)cp_column_missing(c, i);
    return n;
}

/* Is there one value in all rows that have a value? */
static int is_constant(const cp_column *c, size_t rows) {
    if (c->kind == COPSE_TEXT) return c->levels.n <= 1;
    double first = NAN;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(c->number[i])) continue;
        if (isnan(first)) first = c->number[i];
        if (c->number[i] != first) return 0;
    }
    return 1;
}

static void report_kinds(const copse_table *t, const copse_run *run) {
    listing text = {0};
    for (size_t j = 0; j < t->cols; j++)
        if (t->col[j].kind == COPSE_TEXT)
            list_add(&text, "%.60s (%zu level%s)", t->col[j].name, t->col[j].levels.n, cp_plural(t->col[j].levels.n));
    cp_log_info(run, "%s: %zu row%s, %zu column%s: %zu of numbers, %zu of text", t->source ? t->source : "table",
                t->rows, cp_plural(t->rows), t->cols, cp_plural(t->cols), t->cols - text.total, text.total);
    list_say(&text, run, "text", "");
}

static void report_values(const copse_table *t, const copse_run *run) {
    listing missing = {0}, constant = {0};
    char same[64];
    for (size_t j = 0; j < t->cols; j++) {
        const cp_column *c = &t->col[j];
        size_t n = missing_in(c, t->rows);
        if (n) list_add(&missing, "%.60s (%zu, %.3g%%)", c->name, n, 100.0 * (double)n / (double)t->rows);
        /* If only some are missing, whether a value is missing may tell rows apart. */
        if (t->rows > 1 && (!n || n == t->rows) && is_constant(c, t->rows)) list_add(&constant, "%.60s", c->name);
    }
    list_say(&missing, run, "missing values", "");
    snprintf(same, sizeof same, "the same in these first %zu rows", t->rows);
    if (t->partial)
        list_say(&constant, run, same, "");
    else
        list_say(&constant, run, "the same in every row", " (nothing can be learnt from it)");
}

/* Counts of the numbers and of the other values in a text column, and the row of the first that is no number. */
typedef struct odd_values {
    size_t numbers, others, first_row;
} odd_values;

/* form: of amounts or times; NO_FORM: plain numbers. */
static odd_values find_odd(const cp_column *c, size_t rows, cp_derive_form form, unsigned char *number) {
    odd_values odd = {0};
    double value;
    for (size_t k = 0; k < c->levels.n; k++) {
        const char *text = cp_dict_text(&c->levels, k);
        cp_derive_part part = cp_derive_is_time(form) ? CP_DERIVE_TIME : CP_DERIVE_AMOUNT;
        number[k] = (unsigned char)(form ? cp_derive_value(form, part, text, &value) : cp_text_number(text, &value));
    }
    for (size_t i = 0; i < rows; i++) {
        if (c->code[i] == CP_NONE) continue;
        if (number[c->code[i]])
            odd.numbers++;
        else if (odd.others++ == 0)
            odd.first_row = i;
    }
    return odd;
}

static void warn_odd(const copse_table *t, const cp_column *c, odd_values odd, const char *what, const copse_run *run) {
    char shown[CP_TEXT_SHOWN], place[300], more[40] = "";
    const char *text = cp_dict_text(&c->levels, (size_t)c->code[odd.first_row]);
    int many = odd.others > 1;
    if (many) snprintf(more, sizeof more, " and %zu more", odd.others - 1);
    cp_log_warn(run,
                "'%.60s' is read as text because of '%s' (%s)%s: %zu of its %zu values are %s; correct %s, or mark %s "
                "as missing with `na`",
                c->name, cp_text_show(text, strlen(text), shown), cp_table_where(t, odd.first_row, place, sizeof place),
                more, odd.numbers, odd.numbers + odd.others, what, many ? "them" : "it", many ? "them" : "it");
}

/* Are at least nine values of ten of this form, and others not? */
static int is_odd(odd_values odd) {
    size_t n = odd.numbers + odd.others;
    return odd.others && n >= MIN_ODD_ROWS && odd.numbers >= n - n / 10;
}

/* Warns of columns in which at least nine values of ten are numbers, amounts or times of one form: one typing error
 * makes a whole column text, with as many levels as values, and spoils the model. */
static void report_odd(const copse_table *t, const copse_run *run) {
    size_t said = 0;
    for (size_t j = 0; j < t->cols && said < MAX_LISTED; j++) {
        const cp_column *c = &t->col[j];
        if (c->kind != COPSE_TEXT || c->asked) continue;
        unsigned char *number = cp_mem_raw(c->levels.n, sizeof *number);
        if (!number) return; /* a report is not worth an error */
        for (cp_derive_form form = CP_DERIVE_NO_FORM; form < CP_DERIVE_FORMS; form++) {
            odd_values odd = find_odd(c, t->rows, form, number);
            if (!odd.others) break;
            if (!is_odd(odd)) continue;
            warn_odd(t, c, odd, form ? cp_derive_words(form) : "numbers", run);
            said++;
            break;
        }
        cp_mem_free(number);
    }
}

typedef struct fingerprint {
    uint64_t hash;
    size_t col;
} fingerprint;

static uint64_t hash_column(const cp_column *c, size_t rows) {
    if (c->kind == COPSE_TEXT) return XXH3_64bits_withSeed(c->code, rows * sizeof *c->code, COPSE_TEXT);
    return XXH3_64bits_withSeed(c->number, rows * sizeof *c->number, COPSE_NUMBER);
}

/* Codes are given in order of first appearance (T2), so equal text columns have equal codes and equal levels. */
static int same_column(const cp_column *a, const cp_column *b, size_t rows) {
    if (a->kind != b->kind) return 0;
    if (a->kind == COPSE_NUMBER) return memcmp(a->number, b->number, rows * sizeof *a->number) == 0;
    return a->levels.n == b->levels.n && a->levels.bytes == b->levels.bytes &&
           (!a->levels.bytes || memcmp(a->levels.text, b->levels.text, a->levels.bytes) == 0) &&
           memcmp(a->code, b->code, rows * sizeof *a->code) == 0;
}

static int by_hash(const void *a, const void *b) {
    const fingerprint *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->col < y->col ? -1 : x->col > y->col;
}

/* Constant columns are reported already, so they are left out here. */
static void report_duplicates(const copse_table *t, const copse_run *run) {
    listing equal = {0};
    fingerprint *p = cp_mem_raw(t->cols, sizeof *p);
    if (!p) return; /* a report is not worth an error */
    for (size_t j = 0; j < t->cols; j++) p[j] = (fingerprint){hash_column(&t->col[j], t->rows), j};
    qsort(p, t->cols, sizeof *p, by_hash);
    for (size_t k = 1; k < t->cols; k++) {
        const cp_column *a = &t->col[p[k - 1].col], *b = &t->col[p[k].col];
        if (p[k - 1].hash != p[k].hash || is_constant(a, t->rows) || !same_column(a, b, t->rows)) continue;
        list_add(&equal, "%.60s = %.60s", b->name, a->name);
    }
    cp_mem_free(p);
    list_say(&equal, run, "duplicate columns", " (one of each would do)");
}

void cp_table_report(const copse_table *t, const copse_run *run) {
    if (!run || !run->log) return;
    report_kinds(t, run);
    report_values(t, run);
    report_odd(t, run);
    if (t->rows > 1) report_duplicates(t, run);
}
