#include "io/libsvm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/decimal.h"
#include "data/text.h"
#include "io/column_types.h"

/* The text is read twice: to find the size of the table, then to fill it. */
typedef struct parser {
    const cp_content *in;
    const char *p;
    long line;
    size_t field; /* 1-based, within the row */
    size_t rows;
    size_t most; /* largest index */
    const copse_flag *stop;
    cp_text_missing missing;
    copse_table *t; /* NULL in the first pass */
    size_t *last;   /* per column: row + 1 of its last entry */
} parser;

static int is_blank(char c) {
    return c == ' ' || c == '\t';
}

static int ends_token(char c) {
    return is_blank(c) || c == '\n' || c == '\r' || c == '#' || !c;
}

static size_t token(const char *p) {
    size_t n = 0;
    while (!ends_token(p[n])) n++;
    return n;
}

int cp_libsvm_is(const char *text) {
    double x;
    const char *p = cp_decimal_read(text, &x);
    if (!p || !is_blank(*p)) return 0;
    while (is_blank(*p)) p++;
    const char *digits = p;
    while (*p >= '0' && *p <= '9') p++;
    return p > digits && *p == ':';
}

static copse_status bad(const parser *ps, const char *what, copse_error *err) {
    char shown[CP_TEXT_SHOWN];
    return cp_fail_at(err, COPSE_E_DATA, ps->line, (long)ps->field, "%s:%ld:%zu: %s, found '%s'", ps->in->name,
                      ps->line, ps->field, what, cp_text_show(ps->p, token(ps->p), shown));
}

/* The token at p: a number, or a word for "missing". */
static int read_value(const parser *ps, const char *p, double *out) {
    size_t n = token(p);
    *out = NAN;
    return cp_text_missing_is(&ps->missing, p, n) ? n > 0 : cp_decimal_read(p, out) == p + n;
}

static copse_status store(parser *ps, size_t index, double value, copse_error *err) {
    if (index > ps->most) ps->most = index;
    if (!ps->t) return COPSE_OK;
    if (ps->last[index] == ps->rows + 1) return bad(ps, "an index stands twice in this row", err);
    ps->last[index] = ps->rows + 1;
    ps->t->col[index].number[ps->rows] = value;
    return COPSE_OK;
}

static copse_status read_entry(parser *ps, copse_error *err) {
    const char *p = ps->p;
    size_t index = 0;
    double value;
    for (; *p >= '0' && *p <= '9' && index <= INT32_MAX; p++) index = 10 * index + (size_t)(*p - '0');
    if (p == ps->p || *p != ':') return bad(ps, "expected index:value", err);
    if (!index || index > INT32_MAX) return bad(ps, "indices start at 1 and end at 2147483647", err);
    if (!read_value(ps, p + 1, &value)) return bad(ps, "expected a number after the index", err);
    return store(ps, index, value, err);
}

static copse_status read_line(parser *ps, copse_error *err) {
    double label;
    ps->field = 1;
    if (!read_value(ps, ps->p, &label)) return bad(ps, "expected the label, a number, first", err);
    CP_TRY(store(ps, 0, label, err));
    for (;;) {
        ps->p += token(ps->p);
        while (is_blank(*ps->p)) ps->p++;
        if (ends_token(*ps->p)) return COPSE_OK;
        ps->field++;
        CP_TRY(read_entry(ps, err));
    }
}

static copse_status read_lines(parser *ps, copse_error *err) {
    const char *end = ps->in->bytes + ps->in->n;
    ps->p = ps->in->bytes + cp_text_bom(ps->in->bytes, ps->in->n);
    ps->line = 1;
    ps->rows = 0;
    while (ps->p < end) {
        while (is_blank(*ps->p)) ps->p++;
        if (!ends_token(*ps->p)) {
            if (ps->rows % CP_READ_STRIDE == 0) CP_TRY(cp_fail_if_stopped(ps->stop, err));
            if (ps->t) ps->t->line[ps->rows] = ps->line;
            CP_TRY(read_line(ps, err));
            ps->rows++;
        }
        ps->p += strcspn(ps->p, "\r\n");
        if (*ps->p == '\r') ps->p++;
        if (*ps->p == '\n') ps->p++;
        ps->line++;
    }
    return COPSE_OK;
}

static copse_status add_zeros(copse_table *t, const char *name, copse_error *err) {
    cp_column *c;
    CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &c, err));
    for (size_t i = 0; i < t->rows; i++) c->number[i] = 0;
    return COPSE_OK;
}

static copse_status make_table(parser *ps, copse_error *err) {
    char name[32];
    CP_TRY(cp_table_new(ps->rows, &ps->t, err));
    CP_TRY(CP_RAW(ps->t->line, ps->rows, err));
    CP_TRY(CP_NEW(ps->last, ps->most + 1, err));
    if (!(ps->t->source = cp_mem_strdup(ps->in->name))) return cp_fail_memory(err);
    CP_TRY(cp_dict_join(&ps->t->missing, &ps->missing.words, err));
    CP_TRY(add_zeros(ps->t, "target", err));
    for (size_t j = 1; j <= ps->most; j++) {
        snprintf(name, sizeof name, "x%zu", j);
        CP_TRY(add_zeros(ps->t, name, err));
    }
    return COPSE_OK;
}

/* The largest index among a model's features: a feature that the file does not mention is 0 in every row. */
static size_t largest_in_model(const cp_schema *like) {
    size_t most = 0;
    for (size_t i = 0; like && i < like->features; i++) {
        const char *name = like->feature[i].name;
        size_t k = 0, n = 1;
        if (name[0] != 'x' || name[1] == '0') continue;
        for (; name[n] >= '0' && name[n] <= '9' && n < 10; n++) k = 10 * k + (size_t)(name[n] - '0');
        if (!name[n] && k > most) most = k;
    }
    return most;
}

copse_status cp_libsvm_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err) {
    parser ps = {.in = in, .stop = opt->stop};
    copse_status status = COPSE_OK;
    *out = NULL;
    CP_TRY_OUT(cp_text_check(in->name, in->bytes, in->n, 1, err));
    CP_TRY_OUT(cp_column_types_missing(opt, &ps.missing, err));
    CP_TRY_OUT(read_lines(&ps, err));
    if (!ps.rows) CP_TRY_OUT(cp_fail(err, COPSE_E_DATA, "%s has no rows", in->name));
    size_t known = largest_in_model(opt->like);
    if (known >= ps.most)
        ps.most = known;
    else
        CP_TRY_OUT(cp_read_bound(in, opt, ps.rows, ps.most + 1, err));
    CP_TRY_OUT(make_table(&ps, err));
    CP_TRY_OUT(read_lines(&ps, err));
    CP_TRY_OUT(cp_column_types_apply(ps.t, opt, err));
    *out = ps.t;
    ps.t = NULL;
out:
    cp_table_free(ps.t);
    cp_mem_free(ps.last);
    cp_text_missing_clear(&ps.missing);
    return status;
}
