#include "io/ndjson.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/decimal.h"
#include "io/column_types.h"

/* The lines are read twice: to find keys, types and the number of rows, then to fill the table. */

/* A string of the input. */
typedef struct text {
    char *buf; /* holds the string if it had escapes */
    size_t cap;
    const char *s;
    size_t n;
} text;

typedef struct parser {
    cp_ndjson *nd;
    const cp_content *in;
    const cp_read_options *opt;
    const char *p;
    long line;
    text key, value;
    size_t rows;
    unsigned char *is_text; /* per column: it has values that are not numbers; grows with the columns */
    size_t cap_text;
    cp_column_type *want; /* per column, in the second pass */
    copse_table *t;       /* NULL in the first pass */
    size_t *last;         /* per column: row + 1 of its last value */
} parser;

typedef enum kind { MISSING, NUMBER, TEXT } kind;

static copse_status bad(const parser *ps, const char *what, copse_error *err) {
    char shown[CP_TEXT_SHOWN];
    size_t n = strcspn(ps->p, "\r\n");
    return cp_fail_at(err, COPSE_E_DATA, ps->line, 0, "%s:%ld: %s, found '%s'", ps->in->name, ps->line, what,
                      n ? cp_text_show(ps->p, n, shown) : "the end of the line");
}

static void skip_blanks(parser *ps) {
    while (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\r') ps->p++;
}

static int next_is(parser *ps, char c) {
    skip_blanks(ps);
    if (*ps->p != c) return 0;
    ps->p++;
    return 1;
}

/* Four hexadecimal digits, or -1. */
static long hex4(const char *p) {
    long v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (d < 0) return -1;
        v = 16 * v + d;
    }
    return v;
}

/* The character of \uXXXX, or of a pair of surrogates; -1 if it is not a character.  Moves *p from the u to behind the
 * escape. */
static long unicode(const char **p) {
    long c = hex4(*p + 1);
    if (c <= 0 || (c >= 0xdc00 && c <= 0xdfff)) return -1;
    *p += 5;
    if (c < 0xd800 || c > 0xdbff) return c;
    long low = (*p)[0] == '\\' && (*p)[1] == 'u' ? hex4(*p + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff) return -1;
    *p += 6;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static size_t put_utf8(char *out, long c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const int lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; --i; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* The escape behind a backslash, at *p: appends its character and moves *p behind it.  Returns 0 if there is no such
 * escape. */
static int unescape(const char **p, char *out, size_t *n) {
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *letter = **p ? strchr(letters, **p) : NULL;
    if (letter) {
        out[(*n)++] = means[letter - letters];
        ++*p;
        return 1;
    }
    long c = **p == 'u' ? unicode(p) : -1;
    if (c < 0) return 0;
    *n += put_utf8(out + *n, c);
    return 1;
}

/* Reads a string from behind its opening quote.  A string is never longer than its escaped form. */
static copse_status read_string(parser *ps, text *out, copse_error *err) {
    const char *from = ps->p, *p = from;
    while (*p != '"' && *p != '\\' && *p != '\n' && *p) p++;
    if (*p == '"') {
        out->s = from;
        out->n = (size_t)(p - from);
        ps->p = p + 1;
        return COPSE_OK;
    }
    size_t n = (size_t)(p - from);
    CP_TRY(CP_GROW(out->buf, out->cap, strcspn(from, "\n") + CP_CONTENT_PAD, err));
    memcpy(out->buf, from, n);
    while (*p != '"') {
        ps->p = p;
        if (*p == '\n' || !*p) return bad(ps, "a string is not closed", err);
        if (*p != '\\') {
            out->buf[n++] = *p++;
            continue;
        }
        p++;
        if (!unescape(&p, out->buf, &n)) return bad(ps, "this escape stands for no character", err);
    }
    memset(out->buf + n, 0, CP_CONTENT_PAD);
    out->s = out->buf;
    out->n = n;
    ps->p = p + 1;
    return COPSE_OK;
}

static int is_word(const text *v, const char *word) {
    return v->n == strlen(word) && !memcmp(v->s, word, v->n);
}

static copse_status read_value(parser *ps, kind *out, double *number, copse_error *err) {
    skip_blanks(ps);
    if (*ps->p == '{' || *ps->p == '[')
        return bad(ps, "values must be numbers, strings, true, false or null: flatten objects and lists first", err);
    if (*ps->p == '"') {
        ps->p++;
        CP_TRY(read_string(ps, &ps->value, err));
        *out = cp_text_missing_is(&ps->nd->missing, ps->value.s, ps->value.n) ? MISSING : TEXT;
        return COPSE_OK;
    }
    text *v = &ps->value;
    v->s = ps->p;
    v->n = strcspn(ps->p, ",} \t\r\n");
    if (is_word(v, "true") || is_word(v, "false"))
        *out = TEXT;
    else if (cp_text_missing_is(&ps->nd->missing, v->s, v->n) && v->n)
        *out = MISSING;
    else if (v->n && cp_decimal_read(v->s, number) == v->s + v->n)
        *out = NUMBER;
    else
        return bad(ps, "expected a value", err);
    ps->p += v->n;
    return COPSE_OK;
}

/* The column of the key just read; a new key gets a new column. */
static copse_status key_column(parser *ps, size_t *out, copse_error *err) {
    copse_table *columns = ps->nd->columns;
    int32_t id = cp_dict_find(&columns->names, ps->key.s, ps->key.n);
    *out = (size_t)id;
    if (id != CP_NONE) return COPSE_OK;
    if (!ps->key.n) return bad(ps, "a key is empty: give it a name", err);
    CP_TRY(cp_read_columns(ps->in->name, ps->opt, columns->cols + 1, err));
    char *name = cp_mem_strndup(ps->key.s, ps->key.n);
    if (!name) return cp_fail_memory(err);
    cp_column *c;
    *out = columns->cols;
    copse_status status = cp_table_add(columns, name, COPSE_NUMBER, &c, err);
    cp_mem_free(name);
    return status;
}

/* First pass: notes the kinds of values in the column. */
static copse_status note_kind(parser *ps, size_t j, kind k, copse_error *err) {
    size_t had = ps->cap_text;
    CP_TRY(CP_GROW(ps->is_text, ps->cap_text, j + 1, err));
    memset(ps->is_text + had, 0, ps->cap_text - had);
    if (k == TEXT) ps->is_text[j] = 1;
    return COPSE_OK;
}

static copse_status store(parser *ps, size_t j, kind k, double number, copse_error *err) {
    cp_column *c = &ps->t->col[j];
    const text *v = &ps->value;
    if (ps->last[j] == ps->rows + 1) return bad(ps, "a key stands twice in this object", err);
    ps->last[j] = ps->rows + 1;
    if (k == MISSING) return COPSE_OK;
    if (c->kind == COPSE_TEXT) return cp_dict_add(&c->levels, v->s, v->n, &c->code[ps->rows], err);
    cp_column_types_place at = {ps->in->name, ps->line, 0, c->name};
    if (k == TEXT && cp_decimal_read(v->s, &number) != v->s + v->n) return cp_column_types_refuse(&at, v->s, v->n, err);
    c->number[ps->rows] = number;
    return COPSE_OK;
}

static copse_status read_member(parser *ps, copse_error *err) {
    kind k = MISSING;
    size_t j;
    double number = NAN;
    if (!next_is(ps, '"')) return bad(ps, "expected a key in quotes", err);
    CP_TRY(read_string(ps, &ps->key, err));
    CP_TRY(key_column(ps, &j, err));
    if (!next_is(ps, ':')) return bad(ps, "expected ':' after the key", err);
    CP_TRY(read_value(ps, &k, &number, err));
    return ps->t ? store(ps, j, k, number, err) : note_kind(ps, j, k, err);
}

static copse_status read_object(parser *ps, copse_error *err) {
    if (!next_is(ps, '{')) return bad(ps, "expected an object {\"key\": value, ...} on one line", err);
    if (!next_is(ps, '}')) {
        do CP_TRY(read_member(ps, err));
        while (next_is(ps, ','));
        if (!next_is(ps, '}')) return bad(ps, "expected ',' or '}' after a value", err);
    }
    skip_blanks(ps);
    return *ps->p && *ps->p != '\n' ? bad(ps, "expected nothing after the object", err) : COPSE_OK;
}

/* Afterwards ps->line is the number of the line after the last. */
static copse_status read_lines(parser *ps, long line, copse_error *err) {
    ps->p = ps->in->bytes;
    ps->rows = 0;
    for (ps->line = line; ps->p < ps->in->bytes + ps->in->n; ps->line++) {
        skip_blanks(ps);
        if (*ps->p && *ps->p != '\n') {
            if (ps->rows % CP_READ_STRIDE == 0) CP_TRY(cp_fail_if_stopped(ps->opt->stop, err));
            if (ps->t) ps->t->line[ps->rows] = ps->line;
            CP_TRY(read_object(ps, err));
            ps->rows++;
        }
        ps->p++;
    }
    return COPSE_OK;
}

static copse_status make_table(parser *ps, const cp_read_options *opt, copse_error *err) {
    const copse_table *columns = ps->nd->columns;
    CP_TRY(CP_NEW(ps->want, columns->cols, err));
    CP_TRY(CP_NEW(ps->last, columns->cols, err));
    CP_TRY(cp_column_types_find(columns, opt, ps->want, err));
    CP_TRY(cp_table_new(ps->rows, &ps->t, err));
    CP_TRY(CP_RAW(ps->t->line, ps->rows, err));
    if (!(ps->t->source = cp_mem_strdup(ps->in->name))) return cp_fail_memory(err);
    CP_TRY(cp_dict_join(&ps->t->missing, &ps->nd->missing.words, err));
    for (size_t j = 0; j < columns->cols; j++) {
        cp_column *c;
        int met_text = j < ps->cap_text && ps->is_text[j];
        int is_text = ps->want[j] == CP_COLUMN_TYPE_TEXT || (ps->want[j] == CP_COLUMN_TYPE_ANY && met_text);
        CP_TRY(cp_table_add(ps->t, columns->col[j].name, is_text ? COPSE_TEXT : COPSE_NUMBER, &c, err));
        c->asked = ps->want[j] == CP_COLUMN_TYPE_TEXT;
    }
    return COPSE_OK;
}

copse_status cp_ndjson_rows(cp_ndjson *nd, const cp_content *in, long *line, const cp_read_options *opt,
                            copse_table **out, copse_error *err) {
    parser ps = {.nd = nd, .in = in, .opt = opt};
    copse_status status = COPSE_OK;
    *out = NULL;
    CP_TRY_OUT(read_lines(&ps, *line, err));
    CP_TRY_OUT(cp_read_bound(in, opt, ps.rows, nd->columns->cols, err));
    CP_TRY_OUT(make_table(&ps, opt, err));
    CP_TRY_OUT(read_lines(&ps, *line, err));
    *line = ps.line;
    *out = ps.t;
    ps.t = NULL;
out:
    cp_table_free(ps.t);
    cp_mem_free(ps.key.buf);
    cp_mem_free(ps.value.buf);
    cp_mem_free(ps.is_text);
    cp_mem_free(ps.want);
    cp_mem_free(ps.last);
    return status;
}

copse_status cp_ndjson_begin(cp_ndjson *nd, const char *name, const cp_read_options *opt, copse_error *err) {
    *nd = (cp_ndjson){0};
    copse_status status = cp_column_types_missing(opt, &nd->missing, err);
    if (!status) status = cp_table_new(0, &nd->columns, err);
    if (!status && !(nd->columns->source = cp_mem_strdup(name))) status = cp_fail_memory(err);
    if (status) cp_ndjson_clear(nd);
    return status;
}

static copse_status expect(cp_ndjson *nd, const char *name, copse_error *err) {
    cp_column *c;
    return cp_table_find(nd->columns, name) != (size_t)-1 ? COPSE_OK
                                                          : cp_table_add(nd->columns, name, COPSE_NUMBER, &c, err);
}

copse_status cp_ndjson_expect(cp_ndjson *nd, const cp_schema *like, copse_error *err) {
    CP_TRY(cp_dict_join(&nd->missing.words, &like->missing, err));
    for (size_t i = 0; i < like->features; i++) CP_TRY(expect(nd, cp_schema_column(&like->feature[i]), err));
    return like->target ? expect(nd, like->target, err) : COPSE_OK;
}

void cp_ndjson_clear(cp_ndjson *nd) {
    cp_table_free(nd->columns);
    cp_text_missing_clear(&nd->missing);
    *nd = (cp_ndjson){0};
}

copse_status cp_ndjson_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err) {
    cp_ndjson nd;
    long line = 1;
    size_t bom = cp_text_bom(in->bytes, in->n);
    cp_content rest = {in->name, in->bytes + bom, in->n - bom};
    *out = NULL;
    CP_TRY(cp_text_check(in->name, in->bytes, in->n, 1, err));
    CP_TRY(cp_ndjson_begin(&nd, in->name, opt, err));
    copse_status status = cp_ndjson_rows(&nd, &rest, &line, opt, out, err);
    cp_ndjson_clear(&nd);
    if (!status && (!(*out)->rows || !(*out)->cols)) {
        cp_table_free(*out);
        *out = NULL;
        status = cp_fail(err, COPSE_E_DATA, "%s has no rows", in->name);
    }
    return status;
}
