#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/decimal.h"
#include "io/csv_sniff.h"
#include "kernel/text_scan.h"

/* The first pass reads every column as numbers, straight from the text.  A column with a value that is no number
 * becomes text at once if all its values so far are missing; otherwise the first pass skips it from there on, and a
 * second pass reads it as text.  So text is usually read once, and numbers are never read twice. */

enum { AT_ONCE = 64 };        /* bytes that are scanned for ends of fields at a time */
enum { STOP = 1, BLANK = 2 }; /* classes of bytes: ends a bare field; is ignored around one */

typedef enum mode { NUMBER, TEXT, SKIP } mode; /* how a column is read */

typedef struct cells {
    double *x; /* a column's numbers if the fast path may write them, else NULL */
    int runs;  /* the last try to read several fields at once, beginning with this one, succeeded */
} cells;

typedef struct parser {
    const cp_csv *csv;
    const char *p, *end;
    long line;
    size_t cap; /* rows that there is room for */
    copse_table *t;
    mode *mode;
    cells *cell; /* per column */
    const cp_text_scan *kern;
    const char *block; /* the AT_ONCE bytes that were scanned last */
    uint64_t ends;     /* where fields end in `block`: bit i for block[i] */
    size_t late;       /* columns in which text came after numbers */
    char *scratch;
    size_t cap_scratch;
} parser;

typedef struct field {
    const char *text; /* into the content, or into scratch; 8 bytes after its end are readable */
    size_t n;
} field;

static int is_class(const parser *ps, const char *p, int class) {
    return ps->csv->class[(unsigned char)*p] & class;
}

static copse_status quote_error(const parser *ps, long line, const char *what, copse_error *err) {
    return cp_fail_at(err, COPSE_E_DATA, line, 0, "%s:%ld: %s", ps->csv->name, line, what);
}

/* A quoted field with doubled quotes in it is copied to scratch, without the second of each two.  `close` is the first
 * quote in it. */
static copse_status scan_doubled(parser *ps, const char *from, const char *close, field *out, copse_error *err) {
    size_t n = 0;
    for (;;) {
        size_t piece = (size_t)(close - from) + 1; /* with one of the two quotes */
        CP_TRY(CP_GROW(ps->scratch, ps->cap_scratch, n + piece + CP_CONTENT_PAD, err));
        memcpy(ps->scratch + n, from, piece);
        n += piece;
        ps->p = close + 1;
        if (close[1] != '"') break;
        from = close + 2;
        close = memchr(from, '"', (size_t)(ps->end - from));
        if (!close) return COPSE_OK;
    }
    memset(ps->scratch + n - 1, 0, CP_CONTENT_PAD);
    *out = (field){ps->scratch, n - 1};
    return COPSE_OK;
}

static copse_status scan_quoted(parser *ps, field *out, copse_error *err) {
    const char *from = ps->p + 1, *close = memchr(from, '"', (size_t)(ps->end - from));
    long line = ps->line;
    *out = (field){0};
    if (close && close[1] != '"') {
        *out = (field){from, (size_t)(close - from)};
        ps->p = close + 1;
    } else if (close) {
        CP_TRY(scan_doubled(ps, from, close, out, err));
    }
    if (!out->text) return quote_error(ps, line, "a quoted field is not closed: its second \" is missing", err);
    ps->line += (long)cp_text_lines(from, (size_t)(ps->p - from));
    while (is_class(ps, ps->p, BLANK)) ps->p++;
    if (!is_class(ps, ps->p, STOP))
        return quote_error(ps, line, "there is text after a closing quote. Write a quote inside a quoted field twice",
                           err);
    return COPSE_OK;
}

/* Leaves p on the delimiter, the end of the row or the end of the text. */
static copse_status scan_field(parser *ps, field *out, copse_error *err) {
    while (is_class(ps, ps->p, BLANK)) ps->p++;
    if (*ps->p == '"') return scan_quoted(ps, out, err);
    const char *from = ps->p, *to = from;
    while (!is_class(ps, to, STOP)) to++;
    ps->p = to;
    while (to > from && is_class(ps, to - 1, BLANK)) to--;
    *out = (field){from, (size_t)(to - from)};
    return COPSE_OK;
}

static void end_row(parser *ps) {
    if (*ps->p == '\r') ps->p++;
    if (*ps->p == '\n') ps->p++;
    ps->line++;
}

/* Moves to the next row that is not blank; returns 0 at the end. */
static int next_row(parser *ps) {
    for (;;) {
        const char *p = ps->p;
        while (is_class(ps, p, BLANK)) p++;
        if (*p != '\n' && *p != '\r') return p < ps->end;
        ps->p = p;
        end_row(ps);
    }
}

static copse_status ragged(parser *ps, size_t found, copse_error *err) {
    field f;
    long line = ps->line;
    for (; *ps->p == ps->csv->delimiter; found++) {
        ps->p++;
        CP_TRY(scan_field(ps, &f, err));
    }
    return cp_fail_at(err, COPSE_E_DATA, line, 0,
                      "%s:%ld: found %zu field%s, the %s has %zu. Correct the row, put fields that hold the delimiter "
                      "'%s' in quotes, or name another delimiter (`delimiter`)",
                      ps->csv->name, line, found, cp_plural(found), ps->csv->no_header ? "first row" : "header",
                      ps->t->cols, ps->csv->delimiter == '\t' ? "tab" : (char[2]){ps->csv->delimiter, 0});
}

static copse_status store_text(parser *ps, cp_column *c, size_t row, const field *f, copse_error *err) {
    c->code[row] = CP_NONE;
    if (cp_text_missing_is(&ps->csv->missing, f->text, f->n)) return COPSE_OK;
    return cp_dict_add(&c->levels, f->text, f->n, &c->code[row], err);
}

static copse_status become_text(parser *ps, size_t j, size_t row, copse_error *err) {
    cp_column *c = &ps->t->col[j];
    CP_TRY(cp_table_recode(c, ps->cap, err));
    for (size_t i = 0; i < row; i++) c->code[i] = CP_NONE;
    ps->mode[j] = TEXT;
    ps->cell[j].x = NULL;
    return COPSE_OK;
}

static int all_missing(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) return 0;
    return 1;
}

/* A field of a number column that the fast path cannot read: with blanks or quotes, a missing value, or text. */
static copse_status odd_field(parser *ps, size_t j, size_t row, copse_error *err) {
    cp_column *c = &ps->t->col[j];
    cp_column_types_place at = {ps->csv->name, ps->line, j + 1, c->name};
    field f;
    CP_TRY(scan_field(ps, &f, err));
    if (cp_text_missing_is(&ps->csv->missing, f.text, f.n)) {
        c->number[row] = NAN;
        return COPSE_OK;
    }
    if (cp_decimal_read(f.text, &c->number[row]) == f.text + f.n) return COPSE_OK;
    if (ps->csv->want[j] == CP_COLUMN_TYPE_NUMBER) return cp_column_types_refuse(&at, f.text, f.n, err);
    if (!all_missing(c->number, row)) {
        ps->mode[j] = SKIP;
        ps->cell[j].x = NULL;
        ps->late++;
        return COPSE_OK;
    }
    CP_TRY(become_text(ps, j, row, err));
    return store_text(ps, c, row, &f, err);
}

/* Any field but a plain number in a number column. */
static copse_status read_field(parser *ps, size_t j, size_t row, copse_error *err) {
    field f;
    if (ps->mode[j] == NUMBER) {
        const char *stop = cp_decimal_read(ps->p, &ps->t->col[j].number[row]);
        if (!stop || !is_class(ps, stop, STOP) || ps->csv->missing_numbers) return odd_field(ps, j, row, err);
        ps->p = stop;
        return COPSE_OK;
    }
    CP_TRY(scan_field(ps, &f, err));
    return ps->mode[j] == TEXT ? store_text(ps, &ps->t->col[j], row, &f, err) : COPSE_OK;
}

/* Reads small integers, two at a time, from column j on.  Returns the next column, whose field is at *at.  Never reads
 * the last column.
 *
 * A field begins where the one before it ends, and finding that end takes longer than reading the number.  Here and in
 * find_end the ends of all fields in 64 bytes are found before the first field is read. */
static size_t read_run(parser *ps, const char **at, size_t j, size_t row) {
    const size_t end_column = ps->t->cols - 1;
    const char *p = *at;
    while (ps->end - p >= AT_ONCE) {
        uint64_t other, ends = ps->kern->ends(p, ps->csv->delimiter, &other);
        unsigned from = 0;
        ps->block = p;
        ps->ends = ends;
        ends &= (other & (0 - other)) - 1; /* ends before the first byte that is neither delimiter nor digit */
        for (; (ends & (ends - 1)) && j + 1 < end_column; j += 2) {
            unsigned middle = (unsigned)__builtin_ctzll(ends), end = (unsigned)__builtin_ctzll(ends & (ends - 1));
            const cells *c = &ps->cell[j];
            if (!c[0].x || !c[1].x) break;
            if (!cp_decimal_pair(p + from, middle - from, end - middle - 1, &c[0].x[row], &c[1].x[row])) break;
            ends &= ends - 1;
            ends &= ends - 1;
            from = end + 1;
        }
        p += from;
        if (!from) break;
    }
    *at = p;
    return j;
}

/* The first byte from p on that ends a bare field; the 0 behind the text does. */
static inline const char *find_end(parser *ps, const char *p) {
    size_t at = (size_t)(p - ps->block);
    if (at < AT_ONCE && ps->ends >> at) return p + __builtin_ctzll(ps->ends >> at);
    for (ps->block = p;; ps->block += AT_ONCE) {
        uint64_t other;
        ps->ends = ps->kern->ends(ps->block, ps->csv->delimiter, &other);
        if (ps->ends) return ps->block + __builtin_ctzll(ps->ends);
    }
}

/* Reads the bare field between p and end, a number or nothing; returns 0 if it is neither. */
static inline int read_bare(const cp_text_scan *kern, const char *p, const char *end, double *out) {
    *out = NAN;
    return p == end || cp_decimal_field(kern, p, (size_t)(end - p), out);
}

/* A column at which no run of integers began is tried again only every so many rows. */
static void retry_runs(parser *ps, size_t row) {
    enum { RETRY_ROWS = 16 };
    if (row % RETRY_ROWS == 0)
        for (size_t j = 0; j < ps->t->cols; j++) ps->cell[j].runs = 1;
}

static copse_status read_row(parser *ps, size_t row, copse_error *err) {
    const size_t cols = ps->t->cols;
    const char delimiter = ps->csv->delimiter, *p = ps->p;
    cells *cell = ps->cell;
    ps->t->line[row] = ps->line;
    retry_runs(ps, row);
    for (size_t j = 0; j < cols; j++, p++) {
        if (cell[j].runs) {
            size_t next = read_run(ps, &p, j, row);
            cell[j].runs = next > j + 1;
            j = next;
        }
        const char *end = find_end(ps, p);
        if (!cell[j].x || !read_bare(ps->kern, p, end, &cell[j].x[row])) {
            ps->p = p;
            CP_TRY(read_field(ps, j, row, err));
            end = ps->p;
        }
        p = end;
        if (*p == delimiter) continue;
        ps->p = p;
        return j + 1 == cols ? COPSE_OK : ragged(ps, j + 1, err);
    }
    ps->p = p - 1; /* the delimiter after the last field */
    return ragged(ps, cols, err);
}

static copse_status read_rows(parser *ps, const char *text, long line, copse_error *err) {
    size_t row = 0;
    ps->p = text;
    ps->line = line;
    while (next_row(ps)) {
        CP_BUG(row == ps->cap);
        if (row % CP_READ_STRIDE == 0) CP_TRY(cp_fail_if_stopped(ps->csv->opt.stop, err));
        CP_TRY(read_row(ps, row++, err));
        end_row(ps);
    }
    ps->t->rows = row;
    return COPSE_OK;
}

/* The second pass: reads the columns in which text came after numbers, and skips the others. */
static copse_status read_late(parser *ps, const char *text, long line, copse_error *err) {
    for (size_t j = 0; j < ps->t->cols; j++) {
        if (ps->mode[j] == SKIP) {
            CP_TRY(become_text(ps, j, 0, err));
        } else {
            ps->mode[j] = SKIP;
            ps->cell[j].x = NULL;
        }
    }
    return read_rows(ps, text, line, err);
}

/* Counts line ends: LF, CRLF or CR.  The inner loop counts in a byte, so that compilers make vector code of it. */
static size_t count_lines(const char *text, size_t n) {
    enum { FEW = 128 };
    size_t lines = 0;
    for (size_t i = 0, few; i < n; i += few) {
        unsigned char found = 0;
        few = n - i < FEW ? n - i : FEW;
        for (const char *p = text + i, *end = p + few; p < end; p++)
            found = (unsigned char)(found + ((p[0] == '\n') | ((p[0] == '\r') & (p[1] != '\n'))));
        lines += found;
    }
    return lines;
}

/* An upper bound of the number of rows: by the line ends, and by the size, since a row of D fields that is followed by
 * another takes D - 1 delimiters and its end.  The second bound keeps the memory of the columns in proportion to the
 * text. */
static size_t count_rows(const char *text, size_t n, size_t cols) {
    size_t ends = count_lines(text, n);
    return 1 + (ends < n / cols ? ends : n / cols);
}

/* Makes the columns, with room for `cap` rows.  The table has 0 rows until they are read. */
static copse_status make_columns(parser *ps, copse_error *err) {
    const copse_table *header = ps->csv->header;
    CP_TRY(cp_table_new(0, &ps->t, err));
    if (!(ps->t->source = cp_mem_strdup(ps->csv->name))) return cp_fail_memory(err);
    CP_TRY(cp_dict_join(&ps->t->missing, &ps->csv->missing.words, err));
    CP_TRY(CP_RAW(ps->t->line, ps->cap, err));
    CP_TRY(CP_NEW(ps->mode, header->cols, err));
    CP_TRY(CP_NEW(ps->cell, header->cols, err));
    for (size_t j = 0; j < header->cols; j++) {
        cp_column *c;
        CP_TRY(cp_table_add(ps->t, header->col[j].name, COPSE_NUMBER, &c, err));
    }
    CP_TRY(cp_table_share(ps->t, ps->cap, err));
    for (size_t j = 0; j < header->cols; j++) {
        cp_column *c = &ps->t->col[j];
        ps->cell[j] = (cells){.x = ps->csv->missing_numbers ? NULL : c->number};
        c->asked = ps->csv->want[j] == CP_COLUMN_TYPE_TEXT;
        if (c->asked) CP_TRY(become_text(ps, j, 0, err));
    }
    return COPSE_OK;
}

copse_status cp_csv_rows(const cp_csv *csv, const char *text, size_t n, long *line, copse_table **out,
                         copse_error *err) {
    parser ps = {.csv = csv,
                 .end = text + n,
                 .cap = count_rows(text, n, csv->header->cols),
                 .kern = cp_text_scan_best(),
                 .block = text};
    copse_status status = COPSE_OK;
    *out = NULL;
    CP_TRY_OUT(cp_read_memory(&(cp_content){csv->name, text, n}, &csv->opt, ps.cap, csv->header->cols, err));
    CP_TRY_OUT(make_columns(&ps, err));
    CP_TRY_OUT(read_rows(&ps, text, *line, err));
    if (ps.late) CP_TRY_OUT(read_late(&ps, text, *line, err));
    *line = ps.line;
    *out = ps.t;
    ps.t = NULL;
out:
    cp_table_free(ps.t);
    cp_mem_free(ps.mode);
    cp_mem_free(ps.cell);
    cp_mem_free(ps.scratch);
    return status;
}

/* Adds a column.  Its name is the field, or x<its number> if the field is empty or there is no header. */
static copse_status add_name(cp_csv *csv, const parser *ps, const field *f, copse_error *err) {
    char number[32], shown[CP_TEXT_SHOWN];
    size_t j = csv->header->cols + 1, n = csv->no_header ? 0 : f->n;
    const char *text = n ? f->text : number;
    cp_column *c;
    if (!n) n = (size_t)snprintf(number, sizeof number, "x%zu", j);
    int32_t twin = cp_dict_find(&csv->header->names, text, n);
    if (twin != CP_NONE)
        return cp_fail_at(err, COPSE_E_DATA, ps->line, (long)j,
                          "%s:%ld:%zu: the header has the name '%s' twice, for columns %d and %zu. Rename one; if the "
                          "file has no header line, say so (`no-header`)",
                          csv->name, ps->line, j, cp_text_show(text, n, shown), twin + 1, j);
    char *name = cp_mem_strndup(text, n);
    if (!name) return cp_fail_memory(err);
    copse_status status = cp_table_add(csv->header, name, COPSE_NUMBER, &c, err);
    cp_mem_free(name);
    return status;
}

static copse_status read_header(cp_csv *csv, parser *ps, copse_error *err) {
    field f;
    for (;;) {
        if (csv->header->cols % CP_READ_STRIDE == 0) CP_TRY(cp_fail_if_stopped(csv->opt.stop, err));
        CP_TRY(cp_read_columns(csv->name, &csv->opt, csv->header->cols + 1, err));
        CP_TRY(scan_field(ps, &f, err));
        CP_TRY(add_name(csv, ps, &f, err));
        if (*ps->p != csv->delimiter) break;
        ps->p++;
    }
    end_row(ps);
    return COPSE_OK;
}

/* May the character be part of a number?  Then it cannot be the delimiter: a number is read as far as it goes. */
static int is_in_numbers(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr(".+-", c);
}

static copse_status set_delimiter(cp_csv *csv, char asked, const char *text, copse_error *err) {
    if (asked && (strchr("\"\n\r", asked) || is_in_numbers(asked)))
        return cp_fail(err, COPSE_E_USAGE,
                       "the delimiter cannot be a quote, a line end, a letter, a digit, or one of . + -");
    csv->delimiter = asked ? asked : cp_csv_sniff(text);
    csv->class[' '] = csv->class['\t'] = BLANK;
    csv->class[0] = csv->class['\n'] = csv->class['\r'] = csv->class[(unsigned char)csv->delimiter] = STOP;
    return COPSE_OK;
}

static copse_status set_missing(cp_csv *csv, const cp_read_options *opt, copse_error *err) {
    cp_text_missing_clear(&csv->missing);
    csv->missing_numbers = 0;
    CP_TRY(cp_column_types_missing(opt, &csv->missing, err));
    for (size_t i = 0; i < csv->missing.words.n; i++) {
        double value;
        csv->missing_numbers |= cp_text_number(cp_dict_text(&csv->missing.words, i), &value);
    }
    return COPSE_OK;
}

copse_status cp_csv_set_types(cp_csv *csv, const cp_read_options *opt, copse_error *err) {
    CP_TRY(set_missing(csv, opt, err));
    return cp_column_types_find(csv->header, opt, csv->want, err);
}

copse_status cp_csv_begin(cp_csv *csv, const cp_content *in, const cp_read_options *opt, size_t *out_used,
                          long *out_line, copse_error *err) {
    size_t bom = cp_text_bom(in->bytes, in->n);
    parser ps = {.csv = csv, .p = in->bytes + bom, .end = in->bytes + in->n, .line = 1};
    copse_status status = COPSE_OK;
    *csv = (cp_csv){.name = in->name, .no_header = opt->no_header, .opt = *opt};
    CP_TRY_OUT(set_delimiter(csv, opt->delimiter, ps.p, err));
    CP_TRY_OUT(cp_table_new(0, &csv->header, err));
    if (!(csv->header->source = cp_mem_strdup(in->name))) CP_TRY_OUT(cp_fail_memory(err));
    if (!next_row(&ps)) CP_TRY_OUT(cp_fail(err, COPSE_E_DATA, "%s is empty", in->name));
    CP_TRY_OUT(read_header(csv, &ps, err));
    CP_TRY_OUT(CP_NEW(csv->want, csv->header->cols, err));
    CP_TRY_OUT(cp_csv_set_types(csv, opt, err));
    *out_used = csv->no_header ? bom : (size_t)(ps.p - in->bytes);
    *out_line = csv->no_header ? 1 : ps.line;
out:
    cp_mem_free(ps.scratch);
    if (status) cp_csv_clear(csv);
    return status;
}

void cp_csv_clear(cp_csv *csv) {
    cp_table_free(csv->header);
    cp_mem_free(csv->want);
    cp_text_missing_clear(&csv->missing);
    *csv = (cp_csv){0};
}

copse_status cp_csv_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err) {
    cp_csv csv;
    size_t used;
    long line;
    *out = NULL;
    CP_TRY(cp_text_check(in->name, in->bytes, in->n, 1, err));
    CP_TRY(cp_csv_begin(&csv, in, opt, &used, &line, err));
    copse_status status = cp_csv_rows(&csv, in->bytes + used, in->n - used, &line, out, err);
    cp_csv_clear(&csv);
    if (!status && !(*out)->rows) {
        cp_table_free(*out);
        *out = NULL;
        status = cp_fail(err, COPSE_E_DATA, "%s has a header but no rows below it", in->name);
    }
    return status;
}
