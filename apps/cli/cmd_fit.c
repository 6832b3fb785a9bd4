/* fit - fits a model to a table, tests it and saves it. */
#include <string.h>
#include <unistd.h>

#include "cli_dash.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_options_text.h"
#include "cli_out.h"
#include "cli_scores.h"
#include "cli_unseen.h"
#include "fit_method.h"

/* What the command has read, fitted and measured so far. */
typedef struct fit_job {
    const char *path, *test_path, *model_path;
    double holdout, interval;
    copse_table *train, *test;
    copse_params *params;
    copse_model *model;
    copse_scores scores;
    size_t rows;
    int frozen;  /* the model has training rows and is saved without them */
    int sampler; /* the method is a sampler, which copse diagnose can check */
    double read_seconds, fit_seconds, fit_cpu_seconds, model_bytes;
    copse_lock *lock; /* of model_path: nobody else writes there meanwhile */
} fit_job;

/* Checks before the fit that its outputs can be written. */
static copse_status check_outputs(const cli *c, const fit_job *f, copse_error *err) {
    const char *kept = cli_args_text(&c->args, "checkpoint"), *model = f->model_path;
    if (kept && model && !strcmp(kept, model))
        return cli_fail(err, COPSE_E_USAGE, "--checkpoint and -o are both %s: choose another name for one", kept);
    CLI_TRY(cli_out_not_input("-o", model, f->path, err));
    CLI_TRY(cli_out_not_input("-o", model, f->test_path, err));
    CLI_TRY(cli_out_not_input("-o", model, cli_args_text(&c->args, "resume"), err));
    if (model && !cli_is_dash(model)) CLI_TRY(cli_out_check_writable(model, err));
    CLI_TRY(cli_out_not_input("--checkpoint", kept, f->path, err));
    CLI_TRY(cli_out_not_input("--checkpoint", kept, f->test_path, err));
    return kept ? cli_out_check_writable(kept, err) : COPSE_OK;
}

static copse_status options(cli *c, fit_job *f, copse_error *err) {
    f->path = cli_args_operand(&c->args, 0);
    f->test_path = cli_args_text(&c->args, "test");
    f->model_path = cli_args_text(&c->args, "output");
    CLI_TRY(cli_args_share(&c->args, "holdout", 0.001, 0.999, &f->holdout, err));
    CLI_TRY(cli_args_share(&c->args, "interval", 0.001, 0.999, &f->interval, err));
    if (f->test_path && f->holdout > 0)
        return cli_fail(err, COPSE_E_USAGE, "--test and --holdout both name the rows to test on: choose one");
    if (f->interval > 0 && !f->test_path && f->holdout <= 0)
        return cli_fail(err, COPSE_E_USAGE, "--interval needs rows to test on: add --test FILE or --holdout .2");
    if (cli_args_has(&c->args, "frozen") && !f->model_path)
        return cli_fail(err, COPSE_E_USAGE, "--frozen is about the saved model: add -o MODEL");
    if (f->model_path && cli_is_dash(f->model_path) && c->json)
        return cli_fail(err, COPSE_E_USAGE, "-o - and --json both want standard output: choose one");
    CLI_TRY(check_outputs(c, f, err));
    if (f->test_path && !cli_is_dash(f->test_path) && access(f->test_path, R_OK) != 0)
        return cli_fail_errno(err, "open", f->test_path);
    const char *method;
    CLI_TRY(fit_method_choose(c, &method, err));
    CLI_TRY(cli_params(c, method, 0, &f->params, err));
    if (!f->model_path || cli_is_dash(f->model_path)) return COPSE_OK;
    return copse_lock_acquire(f->model_path, cli_args_has(&c->args, "wait"), &c->run, &f->lock, err);
}

static copse_status read_train(cli *c, fit_job *f, copse_error *err) {
    double begin = cli_wall_seconds();
    CLI_TRY(cli_read_table(c, f->path, NULL, &f->train, err));
    f->read_seconds = cli_wall_seconds() - begin;
    if (f->holdout <= 0) return COPSE_OK;
    copse_table *whole = f->train;
    f->train = NULL;
    copse_status status = copse_holdout(whole, f->holdout, cli_params_seed(f->params), &f->train, &f->test, err);
    copse_table_free(whole);
    return status;
}

static copse_status learn(cli *c, fit_job *f, copse_error *err) {
    copse_roles roles;
    CLI_TRY(cli_roles(c, &roles, err));
    CLI_TRY(read_train(c, f, err));
    c->run.checkpoint = cli_dash_output(cli_args_text(&c->args, "checkpoint"));
    c->run.resume = cli_dash_input(cli_args_text(&c->args, "resume"));
    double wall = cli_wall_seconds(), cpu = cli_cpu_seconds();
    CLI_TRY(copse_fit_take(&f->train, &roles, f->params, &c->run, &f->model, err));
    f->fit_seconds = cli_wall_seconds() - wall;
    f->fit_cpu_seconds = cli_cpu_seconds() - cpu;
    f->rows = copse_model_rows(f->model);
    return COPSE_OK;
}

static copse_status test(cli *c, fit_job *f, copse_error *err) {
    if (f->test_path)
        CLI_TRY(cli_read_table(c, f->test_path, f->model, &f->test, err));
    else if (f->test)
        CLI_TRY(cli_unseen_warn(c, f->model, f->test, "held-out rows", err));
    else
        return COPSE_OK;
    return copse_eval(f->model, f->test, &(copse_eval_options){.interval = f->interval}, &c->run, &f->scores, err);
}

static copse_status save(cli *c, fit_job *f, copse_error *err) {
    if (!f->model_path) return COPSE_OK;
    f->frozen = cli_args_has(&c->args, "frozen") && copse_model_can_learn(f->model);
    if (cli_args_has(&c->args, "frozen") && !f->frozen)
        cli_progress_note(&c->progress, "%s never keeps its training rows: --frozen changes nothing",
                          copse_params_method(f->params));
    unsigned flags = f->frozen ? COPSE_SAVE_FROZEN : 0;
    CLI_TRY(cli_dash_save(f->lock, f->model, f->model_path, flags, NULL, err));
    f->model_bytes = cli_file_size(f->model_path);
    return COPSE_OK;
}

static void diagnose(cli *c, fit_job *f) {
    copse_diagnosis d;
    copse_error none = {0};
    f->sampler = copse_model_diagnose(f->model, &d, &none) == COPSE_OK;
    if (!f->sampler || d.ok) return;
    cli_options_text(d.problem);
    if (f->model_path && !cli_is_dash(f->model_path))
        cli_progress_note(&c->progress, "warning: %s: 'copse diagnose %s' says more", d.problem, f->model_path);
    else
        cli_progress_note(&c->progress, "warning: %s: save the model (-o MODEL), and 'copse diagnose MODEL' says more",
                          d.problem);
}

static void print_json(const cli *c, const fit_job *f) {
    cli_json j = {.file = stdout};
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t figures = copse_model_figures(f->model, figure);
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", copse_params_method(f->params));
    cli_json_size(&j, "seed", (size_t)cli_params_seed(f->params));
    cli_json_size(&j, "threads", (size_t)cli_threads(c));
    cli_json_size(&j, "rows", f->rows);
    cli_json_size(&j, "features", copse_model_features(f->model));
    cli_json_number(&j, "read_seconds", f->read_seconds);
    cli_json_number(&j, "fit_seconds", f->fit_seconds);
    cli_json_number(&j, "fit_cpu_seconds", f->fit_cpu_seconds);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_text(&j, "model", f->model_path);
    cli_json_number(&j, "model_bytes", f->model_bytes);
    for (size_t i = 0; i < figures; i++) cli_json_number(&j, figure[i].name, figure[i].value);
    copse_diagnosis d;
    if (copse_model_diagnose(f->model, &d, NULL) == COPSE_OK) cli_json_bool(&j, "converged", d.ok);
    if (f->test) {
        cli_scores_json(&j, &f->scores, "test_rows");
        cli_scores_times_json(&j, &f->scores);
    } else {
        cli_json_text(&j, "task", copse_model_task(f->model) == COPSE_CLASS ? "class" : "regress");
    }
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_learnt(const cli *c, const fit_job *f) {
    char rows[CLI_NUMBER_SIZE], columns[CLI_NUMBER_SIZE], fit[CLI_NUMBER_SIZE], read[CLI_NUMBER_SIZE];
    const copse_model *m = f->model;
    size_t features = copse_model_features(m), classes = copse_model_classes(m), trees = copse_model_trees(m);
    printf("%s: %s of '%s'", copse_params_method(f->params), cli_task_name(copse_model_task(m)), copse_model_target(m));
    if (classes) printf(" (%zu class%s)", classes, classes == 1 ? "" : "es");
    putchar('\n');
    cli_say("learnt from", "%s row%s, %s feature%s of %s", cli_count(f->rows, rows), cli_plural(f->rows),
            cli_count(features, columns), cli_plural(features), cli_source(f->path));
    if (copse_model_draws(m) < trees)
        cli_say("model", "%zu draws of %zu tree%s, seed %llu", copse_model_draws(m), trees / copse_model_draws(m),
                cli_plural(trees / copse_model_draws(m)), (unsigned long long)cli_params_seed(f->params));
    else
        cli_say("model", "%zu tree%s, seed %llu", trees, cli_plural(trees),
                (unsigned long long)cli_params_seed(f->params));
    cli_say("time", "%s on %d thread%s (reading: %s), peak memory %.0f MB", cli_time(f->fit_seconds, fit),
            cli_threads(c), cli_plural((size_t)cli_threads(c)), cli_time(f->read_seconds, read), cli_peak_rss_mb());
}

static void print_figures(const copse_model *m) {
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t n = copse_model_main_figures(m);
    copse_model_figures(m, figure);
    for (size_t i = 0; i < n; i++)
        printf("%s%s %.5g", i == 0 ? "  figures     " : ", ", figure[i].name, figure[i].value);
    if (n) putchar('\n');
}

static void print_diagnosis(const fit_job *f) {
    copse_diagnosis d;
    if (copse_model_diagnose(f->model, &d, NULL) != COPSE_OK) return;
    if (d.ok)
        cli_say("converged", "yes: copse diagnose %s says how that was judged",
                f->model_path ? f->model_path : "of a saved model");
    else if (f->model_path)
        cli_say("converged", "no: copse diagnose %s says what that means", f->model_path);
    else
        cli_say("converged", "no: copse diagnose says what that means, of a model that is saved");
}

static void print_text(const cli *c, const fit_job *f) {
    char count[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE];
    print_learnt(c, f);
    print_figures(f->model);
    print_diagnosis(f);
    if (f->test) {
        printf("\non %s row%s it has not seen (%s)\n", cli_count(f->scores.rows, count), cli_plural(f->scores.rows),
               f->test_path ? f->test_path : "held out");
        cli_scores_print(&f->scores, cli_scores_naive(f->model, f->test, NULL));
    }
    if (!f->model_path) {
        printf("\nnot saved: add -o MODEL.copse to keep it%s\n", f->test ? "" : ", --holdout .2 to see how good it is");
        return;
    }
    printf("\nsaved %s (%s%s)\nnext: copse %s ", f->model_path, cli_bytes(f->model_bytes, bytes),
           f->frozen ? ", frozen: it can no longer learn" : "", f->sampler ? "diagnose" : "predict");
    cli_out_shell(stdout, f->model_path);
    puts(f->sampler ? "" : " NEW.csv");
}

static copse_status run(cli *c, copse_error *err) {
    fit_job f = {0};
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(options(c, &f, err));
    CLI_TRY_OUT(learn(c, &f, err));
    CLI_TRY_OUT(test(c, &f, err));
    CLI_TRY_OUT(save(c, &f, err));
    diagnose(c, &f);
    cli_progress_clear(&c->progress);
    if (c->json)
        print_json(c, &f);
    else if (!f.model_path || !cli_is_dash(f.model_path))
        print_text(c, &f);
    status = cli_out_flush_stdout(f.model_path && !cli_is_dash(f.model_path) ? f.model_path : NULL, err);
out:
    copse_lock_release(f.lock);
    copse_model_free(f.model);
    copse_params_free(f.params);
    copse_table_free(f.train);
    copse_table_free(f.test);
    return status;
}

static const cli_option command_options[] = {
    {"method", 'm', "METHOD", "default: auto; 'copse methods' lists them"},
    {"output", 'o', "MODEL", "save the model here (default: do not save it)"},
    {"wait", 0, NULL, "if another process is writing the model, wait until it has ended"},
    {"frozen", 0, NULL, "save without the training rows: smaller, predicts the same, can no longer learn"},
    {"checkpoint", 0, "FILE", "samplers: save the state of the fit here, every half minute and on Ctrl-C"},
    {"resume", 0, "FILE",
     "samplers: continue from a checkpoint, with the same data and options; more --samples lengthen the run"},
    {"test", 0, "FILE", "rows to test on"},
    {"holdout", 0, "SHARE", "hold out this share of the rows (.2 or 20%), and test on them"},
    {"interval", 0, "LEVEL", "also report the coverage of this interval on the test rows, e.g. .95"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"columns", cli_column_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_fit = {
    .name = "fit",
    .operands = "TRAIN.csv -t TARGET",
    .summary = "fit a model to a table",
    .more =
        "examples\n"
        "  copse fit train.csv -t price -o price.copse --holdout .2\n"
        "  copse fit train.csv.gz -t label --task class --test test.csv --json\n"
        "  zcat big.csv.gz | copse fit - -t y --drop id,when --trees 20 -o y.copse\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .method_options = 1,
    .run = run,
};
