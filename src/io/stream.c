#include "io/stream.h"

#include <string.h>

#include "base/mem.h"
#include "io/csv.h"
#include "io/csv_sniff.h"
#include "io/look.h"
#include "io/ndjson.h"

/* Bytes arrive at the end of buf, and whole rows are taken from its beginning:
 *
 *     buf:  | handed out |  whole rows  | a row not yet whole | pad |
 *           0          begin        cursor.row              used
 *
 * Bytes before cursor.at have been scanned for ends of rows and are not scanned again, however slowly a long row
 * arrives. */

enum { CHUNK = 1 << 16, ENOUGH = 1 << 20, SNIFFED_ROWS = 20 };

struct copse_stream {
    cp_source *source;
    cp_read_options opt; /* its strings are the copies below */
    char *na, *categorical, *numeric, *asked;
    const cp_format *format; /* NULL before the first bytes have arrived */
    int begun;               /* the header is read */
    cp_look look;            /* at the bytes, until it is */
    char *buf;
    size_t begin, used, cap;
    int ended; /* the source is at its end */
    long line; /* number of the line at `begin` */
    cp_csv_sniff_cursor cursor;
    cp_csv csv;
    cp_ndjson ndjson;
    copse_table *whole; /* the table, in formats that are not read row by row */
    size_t next;        /* the first row of `whole` that is not handed out yet */
};

static copse_status copy(const char *text, char **out, copse_error *err) {
    if (!text) return COPSE_OK;
    return (*out = cp_mem_strdup(text)) ? COPSE_OK : cp_fail_memory(err);
}

/* Copies the options. */
static copse_status init(cp_stream *s, const cp_read_options *opt, copse_error *err) {
    if (opt) s->opt = *opt;
    s->line = 1;
    CP_TRY(copy(s->opt.na, &s->na, err));
    CP_TRY(copy(s->opt.categorical, &s->categorical, err));
    CP_TRY(copy(s->opt.numeric, &s->numeric, err));
    CP_TRY(copy(s->opt.format, &s->asked, err));
    s->opt.na = s->na;
    s->opt.categorical = s->categorical;
    s->opt.numeric = s->numeric;
    s->opt.format = s->asked;
    s->look.opt = &s->opt;
    return COPSE_OK;
}

static copse_status open_stream(const char *opt_path, const copse_source *opt_given, const cp_read_options *opt,
                                cp_stream **out, copse_error *err) {
    cp_stream *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    copse_status status = init(s, opt, err);
    if (!status)
        status =
            opt_path ? cp_source_open(opt_path, &s->source, err) : cp_source_open_given(opt_given, &s->source, err);
    if (status) {
        cp_stream_close(s);
        return status;
    }
    cp_source_watch(s->source, s->opt.stop);
    cp_source_limit(s->source, s->opt.memory_limit);
    *out = s;
    return COPSE_OK;
}

copse_status cp_stream_open(const char *path, const cp_read_options *opt, cp_stream **out, copse_error *err) {
    return open_stream(path, NULL, opt, out, err);
}

copse_status cp_stream_open_given(const copse_source *given, const cp_read_options *opt, cp_stream **out,
                                  copse_error *err) {
    return open_stream(NULL, given, opt, out, err);
}

void cp_stream_close(cp_stream *s) {
    if (!s) return;
    cp_source_close(s->source);
    cp_csv_clear(&s->csv);
    cp_ndjson_clear(&s->ndjson);
    cp_table_free(s->whole);
    cp_mem_free(s->buf);
    cp_mem_free(s->na);
    cp_mem_free(s->categorical);
    cp_mem_free(s->numeric);
    cp_mem_free(s->asked);
    cp_mem_free(s);
}

void cp_stream_watch(cp_stream *s, const copse_flag *opt_stop) {
    s->opt.stop = opt_stop;
    s->csv.opt.stop = opt_stop;
    cp_source_watch(s->source, opt_stop);
}

copse_status cp_stream_like(cp_stream *s, const cp_schema *like, copse_error *err) {
    s->opt.like = like;
    if (s->csv.header) return cp_csv_set_types(&s->csv, &s->opt, err);
    return s->ndjson.columns ? cp_ndjson_expect(&s->ndjson, like, err) : COPSE_OK;
}

/* The bytes from `begin` to `end`. */
static cp_content content(const cp_stream *s, size_t end) {
    return (cp_content){cp_source_name(s->source), s->buf + s->begin, end - s->begin};
}

/* Waits for more bytes, or sets `ended`. */
static copse_status fill(cp_stream *s, copse_error *err) {
    size_t got;
    if (s->begin) {
        memmove(s->buf, s->buf + s->begin, s->used - s->begin);
        s->used -= s->begin;
        s->cursor.at -= s->begin;
        s->cursor.row -= s->begin;
        s->begin = 0;
    }
    CP_TRY(CP_GROW(s->buf, s->cap, s->used + CHUNK + CP_CONTENT_PAD, err));
    CP_TRY(cp_source_read(s->source, s->buf + s->used, s->cap - s->used - CP_CONTENT_PAD, &got, err));
    s->used += got;
    s->ended = !got;
    memset(s->buf + s->used, 0, CP_CONTENT_PAD);
    cp_content all = {cp_source_name(s->source), s->buf, s->used};
    if (s->opt.memory_limit && s->used > s->opt.memory_limit) /* a row that does not end */
        return cp_fail(
            err, COPSE_E_MEMORY,
            "%.300s: the row at line %ld, or a whole file that is not read by rows, has more than %zu bytes, which "
            "`memory-limit` does not permit. Raise it",
            all.name, s->line, s->opt.memory_limit);
    return s->begun ? COPSE_OK : cp_look_at(&s->look, &all, s->ended, err);
}

/* As cp_csv_sniff_rows, but rows are lines. */
static size_t find_lines(cp_csv_sniff_cursor *cursor, const cp_content *text, int final, size_t max_rows) {
    size_t rows = 0;
    for (; cursor->at < text->n && rows < max_rows; cursor->at++) {
        char c = text->bytes[cursor->at];
        if (c != '\n') {
            cursor->content |= c != ' ' && c != '\t' && c != '\r';
            continue;
        }
        rows += (size_t)cursor->content;
        cursor->content = 0;
        cursor->row = cursor->at + 1;
    }
    if (final && cursor->at == text->n && rows < max_rows) {
        rows += (size_t)cursor->content;
        *cursor = (cp_csv_sniff_cursor){.at = text->n, .row = text->n};
    }
    return rows;
}

/* Waits until a row is whole, then takes all whole rows, up to max_rows.  A file need not be waited for: ENOUGH bytes
 * of it are read, since a large piece is learnt faster than its parts.  *out_rows is 0 at the end of the stream. */
static copse_status wait_rows(cp_stream *s, int lines, size_t max_rows, size_t *out_rows, copse_error *err) {
    char delimiter = s->csv.header ? s->csv.delimiter : s->opt.delimiter;
    for (*out_rows = 0;;) {
        cp_content all = {cp_source_name(s->source), s->buf, s->used};
        size_t more = max_rows - *out_rows;
        *out_rows += lines ? find_lines(&s->cursor, &all, s->ended, more)
                           : cp_csv_sniff_rows(&s->cursor, &all, delimiter, s->ended, more);
        int enough = *out_rows == max_rows || cp_source_may_wait(s->source) || s->used - s->begin >= ENOUGH;
        if (s->ended || (*out_rows && enough)) return COPSE_OK;
        CP_TRY(fill(s, err));
    }
}

/* The rows before cursor.row, followed by a 0 as parsers want it.  The caller puts the byte `covered` back
 * afterwards. */
static cp_content seal(cp_stream *s, char *covered) {
    *covered = s->buf[s->cursor.row];
    s->buf[s->cursor.row] = '\0';
    return content(s, s->cursor.row);
}

static copse_status begin_csv(cp_stream *s, copse_error *err) {
    size_t rows, used = 0;
    char covered;
    CP_TRY(wait_rows(s, 0, SNIFFED_ROWS, &rows, err));
    if (!rows) return cp_fail(err, COPSE_E_DATA, "%s is empty", cp_source_name(s->source));
    cp_content in = seal(s, &covered);
    copse_status status = cp_text_check(in.name, in.bytes, in.n, 1, err);
    if (!status) status = cp_csv_begin(&s->csv, &in, &s->opt, &used, &s->line, err);
    s->buf[s->cursor.row] = covered;
    s->begin += used;
    s->cursor = (cp_csv_sniff_cursor){.at = s->begin, .row = s->begin};
    return status;
}

static copse_status begin_ndjson(cp_stream *s, copse_error *err) {
    CP_TRY(cp_ndjson_begin(&s->ndjson, cp_source_name(s->source), &s->opt, err));
    return s->opt.like ? cp_ndjson_expect(&s->ndjson, s->opt.like, err) : COPSE_OK;
}

static copse_status begin_whole(cp_stream *s, copse_error *err) {
    while (!s->ended) CP_TRY(fill(s, err));
    cp_content in = content(s, s->used);
    CP_TRY(s->format->read(&in, &s->opt, &s->whole, err));
    cp_mem_free(s->buf);
    s->buf = NULL;
    return COPSE_OK;
}

static int is_csv(const cp_stream *s) {
    return s->format->read == cp_csv_read;
}

static int is_ndjson(const cp_stream *s) {
    return s->format->read == cp_ndjson_read;
}

/* Waits for the first line, which tells the format if the name does not. */
static copse_status begin(cp_stream *s, copse_error *err) {
    while (!s->ended && (!s->used || !memchr(s->buf, '\n', s->used))) CP_TRY(fill(s, err));
    cp_content in = content(s, s->used);
    CP_TRY(cp_read_format(&in, s->opt.format, &s->format, err));
    if (!s->opt.delimiter) s->opt.delimiter = s->format->delimiter;
    s->begin = cp_text_bom(s->buf, s->used);
    s->cursor = (cp_csv_sniff_cursor){.at = s->begin, .row = s->begin};
    CP_TRY(is_csv(s) ? begin_csv(s, err) : is_ndjson(s) ? begin_ndjson(s, err) : begin_whole(s, err));
    s->begun = 1;
    return COPSE_OK;
}

static copse_status next_rows(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err) {
    size_t rows;
    char covered;
    CP_TRY(wait_rows(s, is_ndjson(s), max_rows, &rows, err));
    if (!rows) return COPSE_OK;
    cp_content in = seal(s, &covered);
    copse_status status = cp_text_check(in.name, in.bytes, in.n, s->line, err);
    if (!status)
        status = is_csv(s) ? cp_csv_rows(&s->csv, in.bytes, in.n, &s->line, out, err)
                           : cp_ndjson_rows(&s->ndjson, &in, &s->line, &s->opt, out, err);
    s->buf[s->cursor.row] = covered;
    if (!status) s->begin = s->cursor.row;
    return status;
}

/* The next rows of `whole`. */
static copse_status next_piece(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err) {
    size_t n = s->whole->rows - s->next, *rows;
    if (n > max_rows) n = max_rows;
    if (!n) return COPSE_OK;
    CP_TRY(CP_RAW(rows, n, err));
    for (size_t i = 0; i < n; i++) rows[i] = s->next + i;
    copse_status status = cp_table_select(s->whole, rows, n, out, err);
    cp_mem_free(rows);
    if (!status)
        status = cp_column_types_apply(*out, &s->opt, err); /* cp_stream_like may have been called since it was read */
    if (status) {
        cp_table_free(*out);
        *out = NULL;
        return status;
    }
    s->next += n;
    return COPSE_OK;
}

copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err) {
    *out = NULL;
    if (!max_rows) return cp_fail(err, COPSE_E_USAGE, "at least one row must be asked for");
    if (!s->begun) CP_TRY(begin(s, err));
    CP_TRY(s->whole ? next_piece(s, max_rows, out, err) : next_rows(s, max_rows, out, err));
    if (*out) (*out)->partial = 1;
    return COPSE_OK;
}
