/* learn - updates a model online from a file or a pipe.
 *
 * The model is saved from time to time and at the end, whatever ends it: a signal, a bad row, an error.  Its position
 * in the stream is saved with it, so that --resume goes on exactly there. */
#include <string.h>
#include <unistd.h>

#include "cli_concat.h"
#include "cli_data.h"
#include "cli_method.h"
#include "learn_report.h"
#include "learn_save.h"

enum { BLOCK = 16384 };

/* ------------------------------------------------------------------------------------------- old and new models */

static copse_status check_online(const copse_params *p, copse_error *err) {
    const char *name = copse_params_method(p);
    const copse_method_info *m = cli_method_find(name);
    if (m && m->online) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE,
                    "method %s learns all rows at once: fit it again with the new rows (copse fit ... -m %s), or begin "
                    "a model that learns on (copse learn NEW.copse STREAM.csv -t COLUMN)",
                    name, name);
}

/* Options given for an existing model must be those that it was made with. */
static copse_status check_same(const cli *c, const learn_job *l, copse_error *err) {
    const copse_params *have = copse_model_params(l->model);
    const char *target = cli_args_text(&c->args, "target"), *method = cli_args_text(&c->args, "method");
    if (target && strcmp(target, copse_model_target(l->model)) != 0)
        return cli_fail(err, COPSE_E_USAGE, "-t %.60s: %s predicts '%s', and that cannot change", target, l->model_path,
                        copse_model_target(l->model));
    if (method && strcmp(method, copse_params_method(have)) != 0)
        return cli_fail(err, COPSE_E_USAGE, "-m %.60s: %s is a model of method %s, and that cannot change", method,
                        l->model_path, copse_params_method(have));
    for (size_t i = 0; i < c->args.method_options; i++) {
        const char *name = c->args.method_option[i].name;
        const char *old = copse_params_get(have, name), *new = copse_params_get(l->params, name);
        if (!old || !new || strcmp(old, new) != 0)
            return cli_fail(err, COPSE_E_USAGE, "--%s: %s was made with %s; a model's options cannot change", name,
                            l->model_path, old ? old : "another method");
    }
    return COPSE_OK;
}

/* Goes on behind the rows that the model has learnt.  A model without a position begins at the first row. */
static copse_status resume(cli *c, learn_job *l, copse_error *err) {
    char rows[CLI_NUMBER_SIZE];
    copse_position at;
    if (!copse_model_position(l->model, &at)) return COPSE_OK;
    if (l->token && (!at.token || strcmp(l->token, at.token) != 0))
        return cli_fail(err, COPSE_E_DATA,
                        "--token %.100s: the position of %s has %s%.100s: without --resume the stream is learnt from "
                        "its beginning",
                        l->token, l->model_path, at.token ? "the token " : "no token", at.token ? at.token : "");
    CLI_TRY(copse_stream_resume(l->source.stream, &at, &c->run, err));
    cli_progress_note(&c->progress, "going on after row %s of %s", cli_count((size_t)at.rows, rows),
                      cli_source(l->stream_path));
    return COPSE_OK;
}

static copse_status load(cli *c, learn_job *l, copse_error *err) {
    copse_read_options read;
    CLI_TRY(cli_load_with_rows(c, l->model_path, l->stream_path, &l->model, err));
    CLI_TRY(cli_params(c, copse_params_method(copse_model_params(l->model)), 0, &l->params, err));
    CLI_TRY(check_same(c, l, err));
    CLI_TRY(check_online(l->params, err));
    if (!copse_model_can_learn(l->model))
        return cli_fail(err, COPSE_E_USAGE,
                        "%s is frozen: it was saved so that it cannot learn; fit it again without --frozen",
                        l->model_path);
    CLI_TRY(cli_read_fill(c, l->model, &read, err));
    CLI_TRY(learn_source_open(&l->source, l->stream_path, &read, &c->run, err));
    return l->resume ? resume(c, l, err) : COPSE_OK;
}

static copse_status create(cli *c, learn_job *l, copse_error *err) {
    copse_roles roles;
    copse_read_options read;
    copse_table *first = NULL;
    CLI_TRY(cli_params(c, cli_args_text(&c->args, "method"), 0, &l->params, err));
    CLI_TRY(check_online(l->params, err));
    CLI_TRY(cli_roles(c, &roles, err));
    CLI_TRY(cli_read_fill(c, NULL, &read, err));
    CLI_TRY(learn_source_open(&l->source, l->stream_path, &read, &c->run, err));
    CLI_TRY(cli_concat_rows(learn_source_next, &l->source, (size_t)l->init_rows, &first, err));
    copse_status status = COPSE_OK;
    if (!first) return cli_fail(err, COPSE_E_DATA, "%s: no rows", cli_source(l->stream_path));
    copse_table_report(first, &c->run);
    double cpu = cli_cpu_seconds();
    CLI_TRY_OUT(copse_fit(first, &roles, l->params, &c->run, &l->model, err));
    l->learn_cpu_seconds = cli_cpu_seconds() - cpu;
    CLI_TRY_OUT(copse_stream_like(l->source.stream, l->model, err));
    l->learnt = l->window_start = copse_table_rows(first);
    l->without = l->learnt - copse_model_rows(l->model);
    l->created = 1;
out:
    copse_table_free(first);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- work */

/* Scores a block that has been learnt: opt_p holds the predictions made before. */
static copse_status score_rows(learn_job *l, const copse_prediction *opt_p, const copse_table *rows, copse_error *err) {
    if (!opt_p) return COPSE_OK;
    CLI_TRY(copse_scorer_add(l->all, opt_p, rows, 0, err));
    return copse_scorer_add(l->window, opt_p, rows, 0, err);
}

/* An update that fails has taken in no row, or all of them and can be finished by another update.  The rows of
 * --prequential are taken in one by one, and those of the block that were not would be lost. */
static void finish_update(learn_job *l, const copse_table *rows) {
    copse_table *none = NULL;
    copse_error second;
    l->broken = 1;
    if (l->prequential || copse_table_select(rows, NULL, 0, &none, &second)) return;
    l->broken = copse_update(l->model, none, NULL, &second) != COPSE_OK;
    copse_table_free(none);
}

static copse_status update(const copse_run *run, learn_job *l, const copse_table *rows, copse_prediction **out,
                           copse_error *err) {
    size_t before = copse_model_rows(l->model);
    copse_status status =
        l->prequential ? copse_update_predict(l->model, rows, run, out, err) : copse_update(l->model, rows, run, err);
    if (status && copse_model_rows(l->model) != before) finish_update(l, rows);
    return status;
}

/* A block is short, so it is not interrupted: a signal is seen after it.  A stream may have many rows without a target:
 * the library reports the first, later ones are only counted. */
static copse_status learn_block(cli *c, learn_job *l, const copse_table *rows, copse_error *err) {
    copse_run run = c->run;
    copse_prediction *p = NULL;
    size_t n = copse_table_rows(rows), before = copse_model_rows(l->model);
    run.stop = NULL;
    if (l->without) run.log = NULL;
    double cpu = cli_cpu_seconds(), wall = cli_wall_seconds();
    copse_status status = update(&run, l, rows, &p, err);
    if (status && copse_model_rows(l->model) == before) {
        if (status == COPSE_E_DATA) return learn_source_refused(&l->source, n, err);
        copse_stream_undo(l->source.stream);
        return status;
    }
    l->learn_cpu_seconds += cli_cpu_seconds() - cpu;
    learn_source_learnt(&l->source, n, cli_wall_seconds() - wall);
    l->learnt += n;
    l->without += n - (copse_model_rows(l->model) - before);
    if (!status) status = score_rows(l, p, rows, err);
    if (!status) status = cli_unseen_add(&l->unseen, l->model, rows, err);
    copse_prediction_free(p);
    return status;
}

/* Rows until the next multiple of `step`, so that reports and saves do not depend on how a pipe is chunked. */
static size_t until(size_t learnt, uint64_t step, size_t max) {
    if (step == 0) return max;
    size_t left = (size_t)(step - learnt % step);
    return left < max ? left : max;
}

static copse_status learn_next(cli *c, learn_job *l, int *out_ended, copse_error *err) {
    copse_table *rows = NULL;
    size_t max = until(l->learnt, l->prequential ? l->every : 0, until(l->learnt, l->save_every, BLOCK));
    CLI_TRY(learn_save_while_waiting(l, err));
    CLI_TRY(learn_source_next(&l->source, max, &rows, err));
    *out_ended = rows == NULL;
    if (!rows) return COPSE_OK;
    copse_status status = learn_block(c, l, rows, err);
    copse_table_free(rows);
    CLI_TRY(status);
    if (l->prequential && l->learnt % l->every == 0) CLI_TRY(learn_report(c, l, err));
    return learn_save_if_due(l, err);
}

static copse_status learn_all(cli *c, learn_job *l, copse_error *err) {
    learn_source_begin(&l->source);
    l->next_save = cli_wall_seconds() + l->save_seconds;
    for (int ended = 0; !ended;) {
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(learn_next(c, l, &ended, err));
    }
    CLI_TRY(learn_report(c, l, err));
    if (l->learnt && l->without == l->learnt)
        return cli_fail(err, COPSE_E_DATA, "%s: no row has a value in the target column '%s'",
                        cli_source(l->stream_path), copse_model_target(l->model));
    if (!l->learnt && l->source.skipped)
        return cli_fail(err, COPSE_E_DATA, "%s: no row could be learnt", cli_source(l->stream_path));
    return learn_save(l, err);
}

static copse_status options(cli *c, learn_job *l, copse_error *err) {
    const char *stream = cli_args_operand(&c->args, 1), *out = cli_args_text(&c->args, "output");
    l->model_path = cli_args_operand(&c->args, 0);
    l->stream_path = stream ? stream : "-";
    l->out_path = out ? out : l->model_path;
    l->prequential = cli_args_has(&c->args, "prequential");
    CLI_TRY(cli_check_sources(l->model_path, l->stream_path, err));
    CLI_TRY(cli_out_not_input("-o", l->out_path, l->stream_path, err));
    l->token = cli_args_text(&c->args, "token");
    l->resume = cli_args_has(&c->args, "resume");
    if (cli_is_dash(l->out_path) && (l->prequential || c->json))
        return cli_fail(err, COPSE_E_USAGE,
                        "the model goes to standard output, where the report would go: add -o MODEL");
    if (!cli_is_dash(l->out_path)) CLI_TRY(cli_out_check_writable(l->out_path, err));
    CLI_TRY(cli_args_integer(&c->args, "init-rows", 1, 1e9, &l->init_rows, err));
    CLI_TRY(cli_args_integer(&c->args, "every", 1, 1e12, &l->every, err));
    CLI_TRY(learn_save_options(l, c, err));
    return learn_source_options(&l->source, c, err);
}

static copse_status start(cli *c, learn_job *l, copse_error *err) {
    CLI_TRY(learn_save_lock(l, c, err));
    cli_note_terminal(c, l->stream_path);
    if (cli_is_dash(l->model_path) || access(l->model_path, F_OK) == 0) {
        CLI_TRY(load(c, l, err));
    } else {
        if (!cli_args_has(&c->args, "target"))
            return cli_fail(err, COPSE_E_SYSTEM, "there is no %s; to make a new model of the stream add -t COLUMN",
                            l->model_path);
        CLI_TRY(create(c, l, err));
    }
    l->classes = copse_model_classes(l->model);
    if (!l->prequential) return COPSE_OK;
    CLI_TRY(copse_scorer_new(l->model, 0, &l->all, err));
    return copse_scorer_new(l->model, 0, &l->window, err);
}

static copse_status work(cli *c, learn_job *l, copse_error *err) {
    double begin = cli_wall_seconds();
    CLI_TRY(options(c, l, err));
    CLI_TRY(start(c, l, err));
    copse_status status = learn_all(c, l, err);
    l->seconds = cli_wall_seconds() - begin;
    learn_report_classes(c, l);
    learn_report_bad_rows(c, l);
    cli_unseen_report(&l->unseen, c, l->model, l->stream_path);
    return status;
}

/* What was learnt is saved before anything is said of it. */
static copse_status end(cli *c, learn_job *l, copse_status status, copse_error *err) {
    cli_progress_clear(&c->progress);
    if (status) {
        copse_error problem = *err, none = {0};
        status = learn_save_after(l, status, err);
        if (!l->source.stream) return status;
        learn_report_end(c, l, problem.msg);
        cli_out_flush_stdout(NULL, &none); /* the first problem is the one to report */
        return status;
    }
    learn_report_end(c, l, NULL);
    return cli_is_dash(l->out_path) ? COPSE_OK : cli_out_flush_stdout(l->out_path, err);
}

static copse_status run(cli *c, copse_error *err) {
    learn_job l = {.init_rows = 500, .every = 1000};
    copse_status status = end(c, &l, work(c, &l, err), err);
    cli_unseen_clear(&l.unseen);
    copse_scorer_free(l.all);
    copse_scorer_free(l.window);
    learn_source_close(&l.source);
    copse_lock_release(l.lock);
    copse_model_free(l.model);
    copse_params_free(l.params);
    return status;
}

static const cli_option command_options[] = {
    {"output", 'o', "MODEL", "save here instead of in place"},
    {"prequential", 0, NULL, "predict each row before it is learnt, and report the metrics"},
    {"every", 0, "ROWS", "rows between the lines of that report (default 1000)"},
    {"save-every", 0, "ROWS|SECONDSs",
     "save while the stream lasts, e.g. 1000 or 30s (default 30s); always at the end"},
    {"bad-rows", 0, "stop|skip|log:FILE",
     "rows that cannot be learnt: stop there (default), skip, or skip and log them"},
    {"resume", 0, NULL, "go on where the model ended in this stream, which must be the same from its beginning"},
    {"token", 0, "TEXT", "a name for the stream, saved with the position and shown by inspect"},
    {"wait", 0, NULL, "if another process is writing the model, wait until it has ended"},
    {"init-rows", 0, "ROWS", "first rows, which set the scales and types of a new model (default 500)"},
    {"method", 'm', "METHOD", "method of a new model (default: mondrian)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"columns of a new model", cli_column_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_learn = {
    .name = "learn",
    .operands = "MODEL [STREAM.csv | -]",
    .summary = "update a model online, from a stream",
    .more =
        "If MODEL does not exist, it is made from the first rows of the stream; -t names the column to predict.\n"
        "Whatever ends it (Ctrl-C, SIGTERM, a bad row), what was learnt is saved first; --resume goes on there.\n\n"
        "examples\n"
        "  copse learn price.copse today.csv\n"
        "  zcat log.csv.gz | copse learn new.copse - -t label --prequential\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 2,
    .method_options = 1,
    .run = run,
};
