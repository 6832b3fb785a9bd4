#include "learn_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_dash.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_options_text.h"

enum { FIRST = 512, LARGEST = 16384 };
static const double pace = .4; /* seconds for a table of rows */

copse_status learn_source_options(learn_source *s, const cli *c, copse_error *err) {
    const char *text = cli_args_text(&c->args, "bad-rows");
    if (!text || strcmp(text, "stop") == 0) return COPSE_OK;
    if (strcmp(text, "skip") == 0) {
        s->policy = LEARN_SKIP;
    } else if (strncmp(text, "log:", 4) == 0 && text[4]) {
        s->policy = LEARN_LOG;
        s->log_path = text + 4;
    } else {
        return cli_fail(err, COPSE_E_USAGE, "--bad-rows: '%.60s' is not one of: stop, skip, log:FILE", text);
    }
    return COPSE_OK;
}

copse_status learn_source_open(learn_source *s, const char *path, const copse_read_options *read, const copse_run *run,
                               copse_error *err) {
    s->run = run;
    s->path = path;
    s->size = s->largest = LARGEST;
    if (s->log_path && !(s->log = fopen(s->log_path, "ae"))) return cli_fail_errno(err, "write", s->log_path);
    return cli_dash_stream(path, read, run, &s->stream, err);
}

void learn_source_close(learn_source *s) {
    if (s->log) fclose(s->log);
    s->log = NULL;
    copse_stream_close(s->stream);
    s->stream = NULL;
}

/* ---------------------------------------------------------------------------------------------------- bad rows */

/* The row without the ends of lines around it, as a string. */
static char *row_text(const copse_row_text *row) {
    const char *from = row->text;
    size_t n = row->n;
    for (; n && (*from == '\n' || *from == '\r'); n--) from++;
    while (n && (from[n - 1] == '\n' || from[n - 1] == '\r')) n--;
    return from ? strndup(from, n) : NULL;
}

static copse_status log_row(learn_source *s, const copse_row_text *row, const char *message, copse_error *err) {
    copse_position at = {0};
    cli_json j = {.file = s->log};
    char *text = row_text(row), why[CLI_TEXT_SIZE];
    copse_stream_position(s->stream, &at);
    cli_json_object(&j, NULL);
    cli_json_text(&j, "source", cli_source(s->path));
    cli_json_size(&j, "row", (size_t)at.rows);
    cli_json_text(&j, "message", cli_options_text_copy(message, why));
    cli_json_text(&j, "text", text);
    cli_json_end_object(&j);
    cli_json_line(&j);
    free(text);
    return fflush(s->log) != 0 || ferror(s->log) ? cli_fail_errno(err, "write", s->log_path) : COPSE_OK;
}

/* The next row is bad, for the reason in err: passes over it, or fails with that reason. */
static copse_status bad_row(learn_source *s, copse_error *err) {
    copse_error why = *err;
    copse_row_text row;
    if (s->policy == LEARN_STOP) return err->code;
    CLI_TRY(copse_stream_skip(s->stream, s->run, &row, err));
    if (!row.got) return cli_fail(err, why.code, "%s", why.msg);
    copse_status status = s->policy == LEARN_LOG ? log_row(s, &row, why.msg, err) : COPSE_OK;
    if (status)
        copse_stream_undo(s->stream); /* a row that is not in the log is not passed over */
    else if (!s->skipped++)
        s->problem = why;
    return status;
}

/* n rows failed together. */
static copse_status failed(learn_source *s, size_t n, copse_error *err) {
    if (n <= 1) return bad_row(s, err);
    s->size = n / 2;
    return COPSE_OK;
}

copse_status learn_source_refused(learn_source *s, size_t n, copse_error *err) {
    copse_stream_undo(s->stream);
    return failed(s, n, err);
}

copse_status learn_source_sync(learn_source *s, copse_error *err) {
    if (!s->log || fsync(fileno(s->log)) == 0 || errno == EINVAL) return COPSE_OK; /* EINVAL: a pipe or a terminal */
    return cli_fail_errno(err, "write", s->log_path);
}

/* -------------------------------------------------------------------------------------------------------- rows */

copse_status learn_source_next(void *source, size_t max_rows, copse_table **out, copse_error *err) {
    learn_source *s = source;
    for (;;) {
        size_t n = s->size < max_rows ? s->size : max_rows;
        copse_status status = copse_stream_next(s->stream, n, s->run, out, err);
        if (status == COPSE_OK) s->size = 2 * s->size < s->largest ? 2 * s->size : s->largest;
        if (status != COPSE_E_DATA) return status;
        CLI_TRY(failed(s, n, err));
    }
}

void learn_source_begin(learn_source *s) {
    if (s->size > FIRST) s->size = FIRST;
}

void learn_source_learnt(learn_source *s, size_t n, double seconds) {
    double rows = seconds > 0 ? (double)n * pace / seconds : LARGEST;
    s->largest = rows < 1 ? 1 : rows > LARGEST ? LARGEST : (size_t)rows;
    if (s->size > s->largest) s->size = s->largest;
}
