/* learn - updates a model online from a file or a pipe.
 *
 * The model file is written at the end, and every --save-every rows.  An error or Ctrl-C before that leaves it
 * unchanged, so that the same rows can be learnt again without counting twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_concat.h"
#include "cli_dash.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_method.h"
#include "cli_out.h"
#include "cli_scores.h"
#include "cli_unseen.h"

enum { BLOCK = 16384 };

typedef struct learn_job {
    const char *model_path, *out_path, *stream_path;
    cli_stamp before; /* of out_path when it was read, or last saved by this process */
    uint64_t init_rows, every, save_every;
    int prequential, created;
    copse_params *params;
    copse_model *model;
    copse_stream *stream;
    copse_scorer *all, *window;
    size_t classes;      /* known at the start */
    size_t learnt;       /* rows of this stream, including those of the first fit and those without a target */
    size_t without;      /* of learnt: rows without a target */
    size_t saved;        /* of learnt: rows in the saved file */
    size_t window_start; /* rows before the current window */
    size_t lines;        /* lines of the report so far */
    cli_unseen unseen;
    double seconds, learn_cpu_seconds; /* total; of the updates alone, without reading and saving */
} learn_job;

/* ------------------------------------------------------------------------------------------- old and new models */

static copse_status check_online(const copse_params *p, copse_error *err) {
    const char *name = copse_params_method(p);
    const copse_method_info *m = cli_method_find(name);
    if (m && m->online) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "method %s learns all rows at once: use copse fit", name);
}

static int option_given(const cli *c, const char *name) {
    for (size_t i = 0; i < c->args.method_options; i++)
        if (strcmp(c->args.method_option[i].name, name) == 0) return 1;
    return 0;
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
    return cli_dash_stream(l->stream_path, &read, &c->run, &l->stream, err);
}

/* A model that goes on learning needs cheap updates, so its posterior is fast unless the user asks otherwise. */
static copse_status online_defaults(const cli *c, copse_params *p, copse_error *err) {
    if (!copse_params_get(p, "posterior") || option_given(c, "posterior")) return COPSE_OK;
    return copse_params_set(p, "posterior", "fast", err);
}

static copse_status create(cli *c, learn_job *l, copse_error *err) {
    copse_roles roles;
    copse_read_options read;
    copse_table *first = NULL;
    CLI_TRY(cli_params(c, cli_args_text(&c->args, "method"), 0, &l->params, err));
    CLI_TRY(check_online(l->params, err));
    CLI_TRY(online_defaults(c, l->params, err));
    CLI_TRY(cli_roles(c, &roles, err));
    CLI_TRY(cli_read_fill(c, NULL, &read, err));
    CLI_TRY(cli_dash_stream(l->stream_path, &read, &c->run, &l->stream, err));
    CLI_TRY(cli_concat_rows(l->stream, (size_t)l->init_rows, &c->run, &first, err));
    copse_status status = COPSE_OK;
    if (!first) return cli_fail(err, COPSE_E_DATA, "%s: no rows", cli_source(l->stream_path));
    copse_table_report(first, &c->run);
    double cpu = cli_cpu_seconds();
    CLI_TRY_OUT(copse_fit(first, &roles, l->params, &c->run, &l->model, err));
    l->learn_cpu_seconds = cli_cpu_seconds() - cpu;
    CLI_TRY_OUT(copse_stream_like(l->stream, l->model, err));
    l->learnt = l->window_start = copse_table_rows(first);
    l->without = l->learnt - copse_model_rows(l->model);
    l->created = 1;
out:
    copse_table_free(first);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- reports */

static void report_json(const learn_job *l, int final) {
    cli_json j = {.file = stdout};
    copse_scores s;
    cli_json_object(&j, NULL);
    cli_json_size(&j, "learnt", l->learnt - l->without);
    cli_json_size(&j, "model_rows", copse_model_rows(l->model));
    if (l->all) {
        copse_scorer_read(l->all, &s);
        if (final)
            cli_scores_json(&j, &s, "rows");
        else
            cli_scores_metrics_json(&j, &s, "rows");
    }
    if (l->window && !final) {
        copse_scorer_read(l->window, &s);
        cli_json_object(&j, "window");
        cli_scores_metrics_json(&j, &s, "rows");
        cli_json_end_object(&j);
    }
    if (final) {
        cli_json_size(&j, "left_out", l->without);
        cli_json_number(&j, "seconds", l->seconds);
        cli_json_number(&j, "learn_cpu_seconds", l->learn_cpu_seconds);
        cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
        cli_json_text(&j, "model", l->out_path);
        cli_json_bool(&j, "final", 1);
    }
    cli_json_end_object(&j);
    cli_json_line(&j);
}

/* Metrics over all rows so far, and over the last window, which shows a drift much sooner. */
static void report_line(learn_job *l) {
    char rows[CLI_NUMBER_SIZE];
    copse_scores all, last;
    copse_scorer_read(l->all, &all);
    copse_scorer_read(l->window, &last);
    int class = all.task == COPSE_CLASS;
    if (l->lines++ == 0)
        printf("%12s %10s %10s %17s %17s\n", "rows", class ? "accuracy" : "rmse", class ? "log loss" : "nlpd",
               class ? "recent accuracy" : "recent rmse", class ? "recent log loss" : "recent nlpd");
    printf("%12s %10.5g %10.5g %17.5g %17.5g\n", cli_count(l->learnt, rows), class ? all.accuracy : all.rmse,
           class ? all.log_loss : all.nlpd, class ? last.accuracy : last.rmse, class ? last.log_loss : last.nlpd);
}

static copse_status report(cli *c, learn_job *l, copse_error *err) {
    if (!l->prequential || l->learnt == l->window_start) return COPSE_OK;
    cli_progress_clear(&c->progress);
    if (c->json)
        report_json(l, 0);
    else
        report_line(l);
    fflush(stdout); /* for a reader of the pipe; errors are reported at the end */
    copse_scorer_free(l->window);
    l->window = NULL;
    l->window_start = l->learnt;
    return copse_scorer_new(l->model, 0, &l->window, err);
}

static void print_end(const learn_job *l) {
    char rows[CLI_NUMBER_SIZE], total[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    copse_scores s;
    size_t all = copse_model_rows(l->model), learnt = l->learnt - l->without;
    printf("%s%s %s row%s of %s in %s", l->lines ? "\n" : "", l->created ? "made a model of" : "learnt",
           cli_count(learnt, rows), cli_plural(learnt), cli_source(l->stream_path), cli_time(l->seconds, time));
    if (!l->created) printf("; %s in all", cli_count(all, total));
    if (l->without) printf("; %s without a target left out", cli_count(l->without, total));
    putchar('\n');
    if (l->all) {
        copse_scorer_read(l->all, &s);
        if (s.rows) {
            printf("each row predicted before it was learnt\n");
            cli_scores_print(&s, NAN);
        }
    }
    printf("saved %s (%s)\n", l->out_path, cli_bytes(cli_file_size(l->out_path), bytes));
}

/* A stream may bring new classes; the note also shows a wrong or numeric target column. */
static void note_new_classes(cli *c, const learn_job *l) {
    size_t n = copse_model_classes(l->model), shown = l->classes + 3 < n ? l->classes + 3 : n;
    char names[3 * 44] = "", more[CLI_NUMBER_SIZE + 16] = "", number[CLI_NUMBER_SIZE];
    for (size_t k = l->classes, used = 0; k < shown; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.38s'", k > l->classes ? ", " : "",
                                 copse_model_class(l->model, k));
    if (n > shown) snprintf(more, sizeof more, " and %s more", cli_count(n - shown, number));
    if (n > l->classes)
        cli_progress_note(&c->progress, "new class%s: %s%s", n == l->classes + 1 ? "" : "es", names, more);
}

/* -------------------------------------------------------------------------------------------------------- work */

static copse_status learn_rows(const copse_run *run, learn_job *l, const copse_table *rows, copse_error *err) {
    copse_prediction *p = NULL;
    copse_status status = COPSE_OK;
    if (!l->prequential) return copse_update(l->model, rows, run, err);
    CLI_TRY_OUT(copse_update_predict(l->model, rows, run, &p, err));
    CLI_TRY_OUT(copse_scorer_add(l->all, p, rows, 0, err));
    CLI_TRY_OUT(copse_scorer_add(l->window, p, rows, 0, err));
out:
    copse_prediction_free(p);
    return status;
}

/* A stream may have many rows without a target: the library reports the first, later ones are only counted. */
static copse_status learn_block(cli *c, learn_job *l, const copse_table *rows, copse_error *err) {
    copse_run run = c->run;
    size_t n = copse_table_rows(rows), before = copse_model_rows(l->model);
    if (l->without) run.log = NULL;
    double cpu = cli_cpu_seconds();
    CLI_TRY(cli_unseen_add(&l->unseen, l->model, rows, err));
    CLI_TRY(learn_rows(&run, l, rows, err));
    l->learn_cpu_seconds += cli_cpu_seconds() - cpu;
    l->learnt += n;
    l->without += n - (copse_model_rows(l->model) - before);
    return COPSE_OK;
}

/* Two processes that learn one model would overwrite each other's rows: the second to save fails. */
static copse_status save(learn_job *l, copse_error *err) {
    cli_stamp now = cli_out_stamp(l->out_path);
    if (!cli_is_dash(l->out_path) && !cli_out_same(&now, &l->before))
        return cli_fail(err, COPSE_E_SYSTEM,
                        "%s was changed by another program while this one was learning; saving would undo that.\n"
                        "Nothing was saved: learn again, or give another -o",
                        l->out_path);
    CLI_TRY(cli_dash_save(l->model, l->out_path, 0, NULL, err));
    l->saved = l->learnt;
    l->before = cli_out_stamp(l->out_path);
    return COPSE_OK;
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
    CLI_TRY(copse_stream_next(l->stream, max, &c->run, &rows, err));
    *out_ended = rows == NULL;
    if (!rows) return COPSE_OK;
    copse_status status = learn_block(c, l, rows, err);
    copse_table_free(rows);
    CLI_TRY(status);
    if (l->prequential && l->learnt % l->every == 0) CLI_TRY(report(c, l, err));
    if (l->save_every && l->learnt % l->save_every == 0) CLI_TRY(save(l, err));
    return COPSE_OK;
}

static copse_status learn_all(cli *c, learn_job *l, copse_error *err) {
    for (int ended = 0; !ended;) {
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(learn_next(c, l, &ended, err));
    }
    CLI_TRY(report(c, l, err));
    note_new_classes(c, l);
    cli_unseen_report(&l->unseen, c, l->model, l->stream_path);
    if (l->learnt && l->without == l->learnt)
        return cli_fail(err, COPSE_E_DATA, "%s: no row has a value in the target column '%s'",
                        cli_source(l->stream_path), copse_model_target(l->model));
    return save(l, err);
}

static copse_status options(cli *c, learn_job *l, copse_error *err) {
    const char *stream = cli_args_operand(&c->args, 1), *out = cli_args_text(&c->args, "output");
    l->model_path = cli_args_operand(&c->args, 0);
    l->stream_path = stream ? stream : "-";
    l->out_path = out ? out : l->model_path;
    l->prequential = cli_args_has(&c->args, "prequential");
    CLI_TRY(cli_check_sources(l->model_path, l->stream_path, err));
    CLI_TRY(cli_out_not_input("-o", l->out_path, l->stream_path, err));
    l->before = cli_out_stamp(l->out_path);
    if (cli_is_dash(l->out_path) && (l->prequential || c->json))
        return cli_fail(err, COPSE_E_USAGE,
                        "the model goes to standard output, where the report would go: add -o MODEL");
    if (!cli_is_dash(l->out_path)) CLI_TRY(cli_out_check_writable(l->out_path, err));
    CLI_TRY(cli_args_integer(&c->args, "init-rows", 1, 1e9, &l->init_rows, err));
    CLI_TRY(cli_args_integer(&c->args, "every", 1, 1e12, &l->every, err));
    return cli_args_integer(&c->args, "save-every", 1, 1e12, &l->save_every, err);
}

static copse_status start(cli *c, learn_job *l, copse_error *err) {
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

/* Adds to the message what the model file holds after an error. */
static void explain_failure(const learn_job *l, copse_error *err) {
    size_t n = strlen(err->msg), room = sizeof err->msg - n;
    char rows[CLI_NUMBER_SIZE];
    if (l->saved)
        snprintf(err->msg + n, room, "\n%s holds the first %s row%s of this stream", l->out_path,
                 cli_count(l->saved, rows), cli_plural(l->saved));
    else if (l->created)
        snprintf(err->msg + n, room, "\n%s was not made", l->out_path);
    else if (l->learnt)
        snprintf(err->msg + n, room, "\n%s is as it was: nothing of this stream is in it", l->out_path);
}

static copse_status work(cli *c, learn_job *l, copse_error *err) {
    double begin = cli_wall_seconds();
    CLI_TRY(options(c, l, err));
    CLI_TRY(start(c, l, err));
    CLI_TRY(learn_all(c, l, err));
    l->seconds = cli_wall_seconds() - begin;
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    learn_job l = {.init_rows = 500, .every = 1000};
    copse_status status = work(c, &l, err);
    cli_progress_clear(&c->progress);
    if (status) {
        explain_failure(&l, err);
    } else if (!cli_is_dash(l.out_path)) {
        if (c->json)
            report_json(&l, 1);
        else
            print_end(&l);
        status = cli_out_flush_stdout(l.out_path, err);
    }
    cli_unseen_clear(&l.unseen);
    copse_scorer_free(l.all);
    copse_scorer_free(l.window);
    copse_stream_close(l.stream);
    copse_model_free(l.model);
    copse_params_free(l.params);
    return status;
}

static const cli_option command_options[] = {
    {"output", 'o', "MODEL", "save here instead of in place"},
    {"prequential", 0, NULL, "predict each row before it is learnt, and report the metrics"},
    {"every", 0, "ROWS", "rows between the lines of that report (default 1000)"},
    {"save-every", 0, "ROWS", "also save every ROWS rows (default: only at the end)"},
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
        "If MODEL does not exist, it is made from the first rows of the stream; -t names the column to predict.\n\n"
        "examples\n"
        "  copse learn price.copse today.csv\n"
        "  zcat log.csv.gz | copse learn new.copse - -t label --prequential\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 2,
    .method_options = 1,
    .run = run,
};
