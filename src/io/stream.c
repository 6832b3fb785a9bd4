#include "io/stream.h"

#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
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
 * arrives.  Bytes before `hashed` are in the hash of what was consumed; the others wait for that until they are moved
 * out of the buffer, so that the last rows can be taken back. */

enum { CHUNK = 1 << 16, ENOUGH = 1 << 20, SNIFFED_ROWS = 20 };

/* Where a piece of rows begins. */
typedef struct place {
    size_t begin, next;
    long line;
    uint64_t rows;
} place;

struct copse_stream {
    cp_source *source;
    cp_read_options opt; /* its strings are the copies below */
    char *na, *categorical, *numeric, *asked;
    const cp_format *format; /* NULL before the first bytes have arrived */
    int begun;               /* the header is read */
    cp_look look;            /* at the bytes, until it is */
    char *buf;
    size_t begin, used, cap;
    int ended;       /* the source is at its end */
    long line;       /* number of the line at `begin` */
    uint64_t rows;   /* handed out or passed over */
    uint64_t offset; /* of the buffer's first byte in the (decompressed) source */
    size_t hashed;
    cp_sha256 hash;
    place last; /* where the rows that were handed out last begin, if can_undo */
    int can_undo;
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
    cp_sha256_init(&s->hash);
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

/* Adds all that was consumed to the hash.  It cannot be taken back any more. */
static void hash_consumed(cp_stream *s) {
    if (s->begin > s->hashed) cp_sha256_add(&s->hash, s->buf + s->hashed, s->begin - s->hashed);
    s->hashed = s->begin;
    s->can_undo = 0;
}

/* Waits for more bytes, or sets `ended`. */
static copse_status fill(cp_stream *s, copse_error *err) {
    size_t got;
    if (s->begin) {
        hash_consumed(s);
        memmove(s->buf, s->buf + s->begin, s->used - s->begin);
        s->offset += s->begin;
        s->hashed = 0;
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
    s->begin = s->used;
    hash_consumed(s);
    s->offset = s->used;
    cp_mem_free(s->buf);
    s->buf = NULL;
    s->begin = s->used = s->hashed = s->cap = 0;
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

/* The cursor goes back to the first row that is not handed out. */
static void rewind_cursor(cp_stream *s) {
    s->cursor = (cp_csv_sniff_cursor){.at = s->begin, .row = s->begin};
}

static void remember(cp_stream *s) {
    s->last = (place){.begin = s->begin, .next = s->next, .line = s->line, .rows = s->rows};
    s->can_undo = 1;
}

/* Makes a table of the `rows` whole rows that the cursor has passed. */
static copse_status parse_rows(cp_stream *s, copse_table **out, copse_error *err) {
    char covered;
    long line = s->line;
    cp_content in = seal(s, &covered);
    copse_status status = cp_text_check(in.name, in.bytes, in.n, line, err);
    if (!status)
        status = is_csv(s) ? cp_csv_rows(&s->csv, in.bytes, in.n, &line, out, err)
                           : cp_ndjson_rows(&s->ndjson, &in, &line, &s->opt, out, err);
    s->buf[s->cursor.row] = covered;
    if (status) return status;
    remember(s);
    s->line = line;
    s->begin = s->cursor.row;
    return COPSE_OK;
}

/* A failure leaves the stream before the rows, so that fewer can be asked for. */
static copse_status next_rows(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err) {
    size_t rows;
    copse_status status = wait_rows(s, is_ndjson(s), max_rows, &rows, err);
    if (!status && rows) status = parse_rows(s, out, err);
    if (status) rewind_cursor(s);
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
    remember(s);
    s->next += n;
    return COPSE_OK;
}

copse_status cp_stream_next(cp_stream *s, size_t max_rows, copse_table **out, copse_error *err) {
    *out = NULL;
    if (!max_rows) return cp_fail(err, COPSE_E_USAGE, "at least one row must be asked for");
    if (!s->begun) CP_TRY(begin(s, err));
    s->can_undo = 0;
    CP_TRY(s->whole ? next_piece(s, max_rows, out, err) : next_rows(s, max_rows, out, err));
    if (!*out) return COPSE_OK;
    (*out)->partial = 1;
    s->rows += (*out)->rows;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------ back, over, ahead */

void cp_stream_undo(cp_stream *s) {
    if (!s->can_undo) return;
    s->begin = s->last.begin;
    s->next = s->last.next;
    s->line = s->last.line;
    s->rows = s->last.rows;
    s->can_undo = 0;
    rewind_cursor(s);
}

static long count_lines(const char *text, size_t n) {
    long lines = 0;
    for (size_t i = 0; i < n; i++) lines += text[i] == '\n' || (text[i] == '\r' && (i + 1 == n || text[i + 1] != '\n'));
    return lines;
}

copse_status cp_stream_skip(cp_stream *s, cp_stream_row *out, copse_error *err) {
    size_t rows;
    *out = (cp_stream_row){.line = s->line};
    if (!s->begun) CP_TRY(begin(s, err));
    if (s->whole) {
        remember(s);
        out->got = s->next < s->whole->rows;
        s->next += (size_t)out->got;
        s->rows += (uint64_t)out->got;
        return COPSE_OK;
    }
    rewind_cursor(s);
    copse_status status = wait_rows(s, is_ndjson(s), 1, &rows, err);
    if (status) rewind_cursor(s);
    if (status || !rows) return status;
    remember(s);
    *out = (cp_stream_row){.got = 1, .text = s->buf + s->begin, .n = s->cursor.row - s->begin, .line = s->line};
    s->line += count_lines(out->text, out->n);
    s->begin = s->cursor.row;
    s->rows++;
    return COPSE_OK;
}

/* An end of line after the last row means that a row is whole, or blank.  Without one the rows may still come. */
static int may_have_row(const cp_stream *s) {
    size_t from = s->cursor.at > s->begin ? s->cursor.at : s->begin, n = s->used - from;
    return s->whole || s->ended || (n && (memchr(s->buf + from, '\n', n) || memchr(s->buf + from, '\r', n)));
}

copse_status cp_stream_wait(cp_stream *s, double seconds, int *out_ready, copse_error *err) {
    *out_ready = 1;
    if (!cp_source_may_wait(s->source)) return COPSE_OK;
    while (!may_have_row(s)) {
        CP_TRY(cp_source_wait(s->source, seconds, out_ready, err));
        if (!*out_ready) return COPSE_OK;
        CP_TRY(fill(s, err));
    }
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- position */

void cp_stream_position(const cp_stream *s, copse_position *out) {
    unsigned char hash[CP_SHA256_BYTES];
    cp_sha256 h = s->hash;
    if (s->begin > s->hashed) cp_sha256_add(&h, s->buf + s->hashed, s->begin - s->hashed);
    cp_sha256_finish(&h, hash);
    *out = (copse_position){.rows = s->rows, .bytes = s->offset + s->begin, .line = (uint64_t)s->line};
    cp_sha256_hex(hash, out->hash);
}

static copse_status fail_other(const cp_stream *s, const char *why, copse_error *err) {
    return cp_fail(
        err, COPSE_E_DATA,
        "%s is not the source that was learnt from before: %s. Give that one, from its beginning; or learn this one "
        "without `resume`",
        cp_source_name(s->source), why);
}

/* Consumes bytes up to `bytes` of the source.  *out_last becomes the last of them. */
static copse_status consume_to(cp_stream *s, uint64_t bytes, char *out_last, copse_error *err) {
    if (s->offset + s->begin > bytes) return fail_other(s, "its header is longer", err);
    for (uint64_t left; (left = bytes - s->offset - s->begin) > 0;) {
        size_t have = s->used - s->begin;
        if (!have && s->ended) return fail_other(s, "it is shorter than the part that was learnt", err);
        if (have > left) have = (size_t)left;
        s->begin += have;
        if (have) *out_last = s->buf[s->begin - 1];
        if (!have) CP_TRY(fill(s, err));
    }
    return COPSE_OK;
}

static int ends_line(char c) {
    return c == '\n' || c == '\r';
}

/* A last row without an end of line may have been learnt when it was not yet complete. */
static copse_status check_boundary(cp_stream *s, char last, copse_error *err) {
    if (ends_line(last)) return COPSE_OK;
    while (s->begin == s->used && !s->ended) CP_TRY(fill(s, err));
    if (s->begin == s->used || ends_line(s->buf[s->begin])) return COPSE_OK;
    return fail_other(s, "the last row that was learnt has become longer", err);
}

copse_status cp_stream_resume(cp_stream *s, const copse_position *to, copse_error *err) {
    copse_position now;
    char last = '\n';
    if (!s->begun) CP_TRY(begin(s, err));
    if (!s->whole) CP_TRY(consume_to(s, to->bytes, &last, err));
    cp_stream_position(s, &now);
    if (now.bytes != to->bytes || memcmp(now.hash, to->hash, sizeof now.hash) != 0)
        return fail_other(s, "its first bytes differ", err);
    if (s->whole && to->rows > s->whole->rows) return fail_other(s, "it has fewer rows", err);
    if (!s->whole) CP_TRY(check_boundary(s, last, err));
    if (s->whole) s->next = (size_t)to->rows;
    s->rows = to->rows;
    s->line = (long)to->line;
    s->can_undo = 0;
    rewind_cursor(s);
    return COPSE_OK;
}
