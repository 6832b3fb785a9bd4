/* tune - searches the options of a method for the lowest score on rows held out, by cross-validation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_dash.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"
#include "cli_scores.h"
#include "tune_space.h"

typedef struct tune_job {
    const char *path, *method, *study_path, *model_path;
    uint64_t folds, trials;
    copse_roles roles;
    copse_table *data;
    copse_scores *fold; /* of one evaluation */
    copse_task task;
    tune_space space;
    copse_study *study;
    copse_params *best; /* the defaults, until a trial beats them */
    double default_score, best_score;
    copse_lock *lock; /* of model_path */
    int stopped;      /* by a signal, with some trials told */
} tune_job;

/* ----------------------------------------------------------------------------------------------- one evaluation */

/* The mean over the folds of the metric by which methods are compared. */
static copse_status evaluate(cli *c, tune_job *t, const copse_params *params, double *out, copse_error *err) {
    copse_scores mean;
    copse_cv_options options = {.params = params, .folds = (size_t)t->folds, .seed = cli_params_seed(params)};
    CLI_TRY(copse_cv(t->data, &t->roles, &options, &c->run, t->fold, err));
    cli_scores_average(t->fold, (size_t)t->folds, &mean);
    t->task = mean.task;
    *out = cli_scores_main_metric(mean.task)->get(&mean);
    return COPSE_OK;
}

static copse_status params_at(const cli *c, const tune_job *t, const double *x, copse_params **out, copse_error *err) {
    CLI_TRY(cli_params(c, t->method, 0, out, err));
    copse_status status = tune_space_set(t->study, x, *out, err);
    if (!status) return COPSE_OK;
    copse_params_free(*out);
    *out = NULL;
    return status;
}

static void print_point(const tune_job *t, const double *x, char *buf, size_t n) {
    char number[CLI_NUMBER_SIZE];
    size_t used = 0;
    *buf = '\0';
    for (size_t k = 0; k < copse_study_dims(t->study) && used < n; k++)
        used += (size_t)snprintf(buf + used, n - used, " --%s %s", copse_study_dim(t->study, k)->name,
                                 optimize_value(t->study, k, x[k], number));
}

/* Keeps the options if they are the best so far, and says so. */
static void note_score(cli *c, tune_job *t, const copse_trial *trial, double score, copse_params **params) {
    char point[512];
    if (!(score < t->best_score)) return;
    print_point(t, trial->x, point, sizeof point);
    cli_progress_note(&c->progress, "trial %zu: %s %.5g%s", trial->id, cli_scores_main_metric(t->task)->label, score,
                      point);
    t->best_score = score;
    copse_params_free(t->best);
    t->best = *params;
    *params = NULL;
}

/* Options that the method refuses for these data count as a failed trial, and so do scores that are no number. */
static copse_status run_trial(cli *c, tune_job *t, const copse_trial *trial, copse_error *err) {
    copse_params *params = NULL;
    double score = NAN;
    copse_error why = {0};
    CLI_TRY(params_at(c, t, trial->x, &params, err));
    copse_status status = evaluate(c, t, params, &score, &why);
    if (status == COPSE_E_USAGE || status == COPSE_E_DATA)
        cli_progress_note(&c->progress, "trial %zu failed: %s", trial->id, why.msg);
    else if (status)
        *err = why;
    if (!status && isfinite(score)) note_score(c, t, trial, score, &params);
    copse_params_free(params);
    if (status && status != COPSE_E_USAGE && status != COPSE_E_DATA) return status;
    return copse_study_tell(t->study, trial->id, isfinite(score) ? score : NAN, &c->run, err);
}

/* ------------------------------------------------------------------------------------------------------ the study */

/* An existing study goes on only with the data, folds and options that its scores come from: they are the same if the
 * first of them comes out again, bit for bit. */
static copse_status check_first(cli *c, tune_job *t, copse_error *err) {
    copse_trial first;
    copse_params *params = NULL;
    double score = NAN;
    if (!copse_study_trial(t->study, copse_study_told(t->study, 0), &first)) return COPSE_OK;
    CLI_TRY(params_at(c, t, first.x, &params, err));
    copse_status status = evaluate(c, t, params, &score, err);
    copse_params_free(params);
    if (status || score == first.value) return status;
    return cli_fail(err, COPSE_E_USAGE,
                    "%s: its trial %zu scored %.9g, and scores %.9g now: other data, folds or options; use another "
                    "--study",
                    t->study_path, first.id, first.value, score);
}

/* The best trial of an earlier run becomes the one to beat. */
static copse_status take_best(cli *c, tune_job *t, copse_error *err) {
    copse_trial best;
    if (!copse_study_trial(t->study, copse_study_best(t->study), &best) || !(best.value < t->best_score))
        return COPSE_OK;
    copse_params *params = NULL;
    CLI_TRY(params_at(c, t, best.x, &params, err));
    note_score(c, t, &best, best.value, &params);
    return COPSE_OK;
}

static copse_status open_study(cli *c, tune_job *t, copse_error *err) {
    if (t->study_path && access(t->study_path, F_OK) == 0) {
        CLI_TRY(copse_study_open(t->study_path, &c->run, &t->study, err));
        CLI_TRY(tune_space_check(&t->space, t->study, err));
        CLI_TRY(check_first(c, t, err));
        return take_best(c, t, err);
    }
    copse_study_options options = {
        .dims = t->space.dim, .n_dims = t->space.n, .minimise = 1, .seed = cli_params_seed(t->best)};
    return copse_study_new(t->study_path, &options, &c->run, &t->study, err);
}

/* The next trial to run: one that a killed run was asked for and never told, else a new one. */
static copse_status next_trial(cli *c, tune_job *t, size_t *seen, copse_trial *out, copse_error *err) {
    while (*seen < copse_study_trials(t->study))
        if (copse_study_trial(t->study, ++*seen, out) && out->state == COPSE_TRIAL_ASKED) return COPSE_OK;
    CLI_TRY(copse_study_ask(t->study, &c->run, out, err));
    *seen = out->id;
    return COPSE_OK;
}

static size_t done_trials(const tune_job *t) {
    copse_trial trial;
    size_t n = 0;
    for (size_t id = 1; id <= copse_study_trials(t->study); id++)
        n += copse_study_trial(t->study, id, &trial) && trial.state != COPSE_TRIAL_ASKED;
    return n;
}

static copse_status run_trials(cli *c, tune_job *t, copse_error *err) {
    size_t seen = 0;
    for (size_t done = done_trials(t); done < t->trials; done++) {
        copse_trial trial;
        CLI_TRY(next_trial(c, t, &seen, &trial, err));
        CLI_TRY(run_trial(c, t, &trial, err));
        if (c->run.progress) c->run.progress(c->run.arg, "tuning", (double)(done + 1), (double)t->trials);
    }
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------- the command */

static copse_status options(cli *c, tune_job *t, copse_error *err) {
    t->path = cli_args_operand(&c->args, 0);
    t->method = cli_args_text(&c->args, "method");
    t->study_path = cli_args_text(&c->args, "study");
    t->model_path = cli_args_text(&c->args, "output");
    if (!t->method) return cli_fail(err, COPSE_E_USAGE, "which method is to be tuned? add -m METHOD");
    CLI_TRY(cli_args_integer(&c->args, "folds", 2, 1e6, &t->folds, err));
    CLI_TRY(cli_args_integer(&c->args, "trials", 1, 1e6, &t->trials, err));
    CLI_TRY(cli_params(c, t->method, 0, &t->best, err));
    CLI_TRY(cli_roles(c, &t->roles, err));
    t->fold = calloc((size_t)t->folds, sizeof *t->fold);
    if (!t->fold) return cli_fail_memory(err);
    if (!t->model_path || cli_is_dash(t->model_path)) return COPSE_OK;
    CLI_TRY(cli_out_not_input("-o", t->model_path, t->path, err));
    CLI_TRY(cli_out_check_writable(t->model_path, err));
    return copse_lock_acquire(t->model_path, 0, &c->run, &t->lock, err);
}

static copse_status search(cli *c, tune_job *t, copse_error *err) {
    CLI_TRY(cli_read_table(c, t->path, NULL, &t->data, err));
    CLI_TRY(evaluate(c, t, t->best, &t->default_score, err));
    t->best_score = t->default_score;
    c->run.log = NULL; /* every evaluation would say the same of the table */
    CLI_TRY(tune_space_new(c, t->method, t->task, &t->space, err));
    cli_progress_note(&c->progress, "defaults: %s %.5g", cli_scores_main_metric(t->task)->label, t->default_score);
    CLI_TRY(open_study(c, t, err));
    copse_status status = run_trials(c, t, err);
    if (!status && !copse_study_best(t->study))
        return cli_fail(err, COPSE_E_USAGE, "every trial failed; options that take whole numbers want %s",
                        "OPTION=LOW:HIGH:int");
    if (status != COPSE_E_STOPPED || done_trials(t) == 0) return status;
    t->stopped = 1;
    return COPSE_OK;
}

/* Fits all rows with the best options. */
static copse_status save(cli *c, tune_job *t, copse_error *err) {
    copse_model *model = NULL;
    if (!t->model_path || t->stopped) return COPSE_OK;
    CLI_TRY(copse_fit_take(&t->data, &t->roles, t->best, &c->run, &model, err));
    copse_status status = cli_dash_save(t->lock, model, t->model_path, 0, NULL, err);
    copse_model_free(model);
    return status;
}

static void print_json(const tune_job *t) {
    cli_json j = {.file = stdout};
    double x;
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", t->method);
    cli_json_text(&j, "task", t->task == COPSE_CLASS ? "class" : "regress");
    cli_json_text(&j, "metric", cli_scores_main_metric(t->task)->name);
    cli_json_size(&j, "folds", (size_t)t->folds);
    cli_json_size(&j, "trials", done_trials(t));
    cli_json_number(&j, "default_score", t->default_score);
    cli_json_number(&j, "score", t->best_score);
    cli_json_object(&j, "best");
    for (size_t k = 0; k < t->space.n; k++) {
        const char *name = t->space.dim[k].name, *text = copse_params_get(t->best, name);
        if (optimize_number(text, &x))
            cli_json_number(&j, name, x);
        else
            cli_json_text(&j, name, text);
    }
    cli_json_end_object(&j);
    cli_json_text(&j, "model", t->stopped ? NULL : t->model_path);
    cli_json_bool(&j, "stopped", t->stopped);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

/* The options of a group that the user has set, but for the target, which stands first. */
static void print_options(const cli *c, const cli_option *group) {
    for (const cli_option *o = group; o->name; o++) {
        const char *value = cli_args_text(&c->args, o->name);
        if (!value || !strcmp(o->name, "target")) continue;
        printf(" --%s%s", o->name, o->value ? " " : "");
        if (o->value) cli_out_shell(stdout, value);
    }
}

/* The command that fits with the best options; the options that the user has set are part of it. */
static void print_command(const cli *c, const tune_job *t) {
    printf("copse fit ");
    cli_out_shell(stdout, t->path);
    printf(" -t ");
    cli_out_shell(stdout, t->roles.target);
    print_options(c, cli_column_options);
    print_options(c, cli_read_options);
    printf(" -m %s", t->method);
    for (size_t i = 0; i < c->args.method_options; i++)
        printf(" --%s %s", c->args.method_option[i].name, c->args.method_option[i].value);
    for (size_t k = 0; k < t->space.n && t->best_score < t->default_score; k++)
        printf(" --%s %s", t->space.dim[k].name, copse_params_get(t->best, t->space.dim[k].name));
    putchar('\n');
}

static void print_text(const cli *c, const tune_job *t) {
    const char *metric = cli_scores_main_metric(t->task)->label;
    char number[CLI_NUMBER_SIZE];
    printf("%s: %s of '%s', %d folds, %s trial%s%s\n", t->method, cli_task_name(t->task), t->roles.target,
           (int)t->folds, cli_count(done_trials(t), number), cli_plural(done_trials(t)),
           t->stopped ? " (stopped)" : "");
    printf("  %-12s%.5g\n", "defaults", t->default_score);
    if (t->best_score < t->default_score)
        printf("  %-12s%.5g   (%s, %.1f%% lower)\n", "best", t->best_score, metric,
               100 * (t->default_score - t->best_score) / fabs(t->default_score));
    else
        printf("  %-12s%.5g   (%s: no trial was better than the defaults)\n", "best", t->best_score, metric);
    if (t->model_path && !t->stopped)
        printf("saved %s\n", t->model_path);
    else
        print_command(c, t);
    if (t->stopped && t->study_path) printf("the same command goes on from %s\n", t->study_path);
}

static copse_status run(cli *c, copse_error *err) {
    tune_job t = {.folds = 5, .trials = 40};
    copse_status status = options(c, &t, err);
    if (!status) status = search(c, &t, err);
    if (!status) status = save(c, &t, err);
    cli_progress_clear(&c->progress);
    if (!status && c->json)
        print_json(&t);
    else if (!status && !(t.model_path && cli_is_dash(t.model_path)))
        print_text(c, &t);
    if (!status && t.stopped) status = cli_fail(err, COPSE_E_STOPPED, "interrupted");
    copse_lock_release(t.lock);
    copse_study_free(t.study);
    tune_space_clear(&t.space);
    copse_params_free(t.best);
    copse_table_free(t.data);
    free(t.fold);
    return status;
}

static const cli_option command_options[] = {
    {"method", 'm', "METHOD", "the method whose options are searched; 'copse methods' lists them"},
    {"trials", 0, "N", "evaluations in all, with those of an earlier run of the same study (default 40)"},
    {"folds", 0, "K", "number of folds of an evaluation (default 5)"},
    {"study", 0, "FILE", "keep every evaluation here; if the file exists, go on from it"},
    {"output", 'o', "MODEL", "fit all rows with the best options, and save the model here"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"columns", cli_column_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_tune = {
    .name = "tune",
    .operands = "DATA.csv -t TARGET -m METHOD [OPTION=LOW:HIGH ...]",
    .summary = "search the options of a method by cross-validation",
    .more =
        "The score is the CRPS (numbers) or the log loss (classes) of rows held out, the mean over the folds, which\n"
        "are the same in every trial.  Without dimensions it searches the options that matter most ('copse methods\n"
        "METHOD --json' has their ranges) and that are not set.  A dimension is OPTION=LOW:HIGH, with :log for a log\n"
        "scale and :int for whole numbers, or OPTION=A,B,C.\n\n"
        "examples\n"
        "  copse tune data.csv -t price -m boost -o price.copse\n"
        "  copse tune data.csv -t price -m rf min-leaf=1:20:log features-per-split=.2:.9 --trials 100 --study "
        "rf.study\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1 + TUNE_MAX_DIMS,
    .method_options = 1,
    .run = run,
};
