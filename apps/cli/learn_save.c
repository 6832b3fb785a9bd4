#include "learn_save.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli_dash.h"
#include "cli_data.h"

static const double default_seconds = 30, most_saving = .1; /* the share of the time that saves may take */

copse_status learn_save_options(learn_job *l, const cli *c, copse_error *err) {
    const char *text = cli_args_text(&c->args, "save-every");
    l->save_seconds = default_seconds;
    if (!text) return COPSE_OK;
    char *end = NULL;
    double value = strtod(text, &end);
    int seconds = end != text && strcmp(end, "s") == 0;
    if (seconds && value >= .01 && value <= 1e9) {
        l->save_seconds = value;
        return COPSE_OK;
    }
    if (end != text && !*end && value >= 1 && value <= 1e12 && floor(value) == value) {
        l->save_every = (uint64_t)value;
        return COPSE_OK;
    }
    return cli_fail(err, COPSE_E_USAGE, "--save-every: '%.60s' is neither a number of rows (1000) nor of seconds (30s)",
                    text);
}

copse_status learn_save_lock(learn_job *l, cli *c, copse_error *err) {
    l->writer = cli_is_dash(l->out_path);
    if (l->writer) return COPSE_OK;
    CLI_TRY(copse_lock_acquire(l->out_path, cli_args_has(&c->args, "wait"), &c->run, &l->lock, err));
    if (!copse_lock_excludes(l->lock))
        cli_progress_note(&c->progress,
                          "warning: the file system of %s has no locks: make sure that nobody else writes to it",
                          l->out_path);
    l->before = cli_out_stamp(l->out_path);
    l->writer = 1;
    return COPSE_OK;
}

uint64_t learn_save_rows(const learn_job *l) {
    copse_position at;
    copse_stream_position(l->source.stream, &at);
    return at.rows;
}

static copse_status set_position(learn_job *l, copse_error *err) {
    copse_position at, old;
    copse_stream_position(l->source.stream, &at);
    at.token = l->token;
    if (!at.token && l->resume && copse_model_position(l->model, &old)) at.token = old.token;
    return copse_model_set_position(l->model, &at, err);
}

/* Other programs know nothing of the lock: a file that one of them has replaced is not overwritten. */
static copse_status check_unchanged(const learn_job *l, copse_error *err) {
    cli_stamp now = cli_out_stamp(l->out_path);
    if (cli_is_dash(l->out_path) || cli_out_same(&now, &l->before)) return COPSE_OK;
    return cli_fail(err, COPSE_E_SYSTEM,
                    "%s was changed by another program while this one was learning; saving would undo that.\n"
                    "Learn the rows again, or give another -o",
                    l->out_path);
}

copse_status learn_save(learn_job *l, copse_error *err) {
    double begin = cli_wall_seconds();
    CLI_TRY(check_unchanged(l, err));
    CLI_TRY(learn_source_sync(&l->source, err));
    CLI_TRY(set_position(l, err));
    CLI_TRY(cli_dash_save(l->lock, l->model, l->out_path, 0, NULL, err));
    l->any_saved = 1;
    l->saved_rows = learn_save_rows(l);
    l->before = cli_out_stamp(l->out_path);
    double now = cli_wall_seconds();
    l->next_save = now + fmax(l->save_seconds, (now - begin) / most_saving);
    return COPSE_OK;
}

int learn_save_is_complete(const learn_job *l) {
    return l->any_saved && !l->broken && l->saved_rows == learn_save_rows(l);
}

/* A model on standard output is written once, at the end. */
static int is_due(const learn_job *l) {
    if (cli_is_dash(l->out_path) || learn_save_is_complete(l)) return 0;
    return l->save_every ? l->learnt % l->save_every == 0 : cli_wall_seconds() >= l->next_save;
}

copse_status learn_save_if_due(learn_job *l, copse_error *err) {
    return is_due(l) ? learn_save(l, err) : COPSE_OK;
}

copse_status learn_save_while_waiting(learn_job *l, copse_error *err) {
    int ready = 0;
    if (l->save_every || cli_is_dash(l->out_path) || !l->learnt || learn_save_is_complete(l)) return COPSE_OK;
    double left = l->next_save - cli_wall_seconds();
    CLI_TRY(copse_stream_wait(l->source.stream, left > 0 ? left : 0, l->source.run, &ready, err));
    return ready ? COPSE_OK : learn_save(l, err);
}

/* ------------------------------------------------------------------------------------------------ after a failure */

__attribute__((format(printf, 2, 3))) static void add(copse_error *err, const char *fmt, ...) {
    size_t n = strlen(err->msg);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->msg + n, sizeof err->msg - n, fmt, args);
    va_end(args);
}

static void explain(const learn_job *l, copse_error *err) {
    char rows[CLI_NUMBER_SIZE];
    cli_stamp now = cli_out_stamp(l->out_path);
    if (cli_is_dash(l->out_path) || !l->source.stream) return;
    if (!cli_out_same(&now, &l->before))
        add(err, "\n%s is as the other program left it", l->out_path);
    else if (l->any_saved && l->saved_rows == 1)
        add(err, "\n%s holds the first row of %s: learn --resume goes on after it", l->out_path,
            cli_source(l->stream_path));
    else if (l->any_saved)
        add(err, "\n%s holds the first %s rows of %s: learn --resume goes on after them", l->out_path,
            cli_count((size_t)l->saved_rows, rows), cli_source(l->stream_path));
    else if (!l->before.exists)
        add(err, "\n%s was not made", l->out_path);
    else if (l->learnt)
        add(err, "\n%s is as it was: nothing of this stream is in it", l->out_path);
}

copse_status learn_save_after(learn_job *l, copse_status status, copse_error *err) {
    int worth = l->writer && l->model && l->learnt > l->without && !l->broken && !learn_save_is_complete(l);
    copse_error second = {0};
    if (worth && learn_save(l, &second)) {
        status = second.code;
        if (strcmp(second.msg, err->msg) != 0) add(err, "\n%s", second.msg);
    }
    if (l->writer) explain(l, err);
    return status;
}
