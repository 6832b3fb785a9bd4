/* optimize - where to evaluate a costly objective next: new, ask, tell, best, run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"
#include "optimize_report.h"
#include "optimize_run.h"
#include "optimize_space.h"

typedef struct optimize_job {
    const char *path;
    const char *const *word; /* the operands after the study */
    size_t words;
    copse_study *study;
    copse_table *grid;
} optimize_job;

/* Waiting for the lock cannot be interrupted, and there is nothing to lose yet: Ctrl-C ends the program at once. */
static copse_status open_study(optimize_job *j, copse_error *err) {
    cli_progress_exit_on_signals();
    copse_status status = copse_study_open(j->path, NULL, &j->study, err);
    cli_progress_catch_signals();
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- new */

static copse_status study_options(const cli *c, copse_study_options *opt, copse_error *err) {
    uint64_t trees = 10, initial = 0, seed = 1;
    const char *goal = cli_args_text(&c->args, "goal");
    CLI_TRY(cli_args_integer(&c->args, "trees", 1, 10000, &trees, err));
    CLI_TRY(cli_args_integer(&c->args, "initial", 1, 1e9, &initial, err));
    CLI_TRY(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &seed, err));
    CLI_TRY(cli_args_number(&c->args, "kappa", 1e-9, 1e6, &opt->kappa, err));
    if (goal && strcmp(goal, "max") != 0 && strcmp(goal, "min") != 0)
        return cli_fail(err, COPSE_E_USAGE, "--goal: '%.40s' is neither max nor min", goal);
    opt->minimise = goal && strcmp(goal, "min") == 0;
    opt->acquisition = cli_args_text(&c->args, "acquisition");
    opt->trees = (size_t)trees;
    opt->initial = (size_t)initial;
    opt->seed = seed;
    return COPSE_OK;
}

/* The column of --values in the grid. */
static copse_status value_column(const cli *c, const optimize_job *j, size_t *out, copse_error *err) {
    const char *name = cli_args_text(&c->args, "values");
    *out = copse_table_find(j->grid, name);
    if (*out != (size_t)-1 && copse_table_kind(j->grid, *out) == COPSE_NUMBER) return COPSE_OK;
    return cli_fail(err, COPSE_E_DATA, "%s has no column '%.100s' of numbers",
                    cli_source(cli_args_text(&c->args, "grid")), name);
}

/* Makes a study from the options of the command line, in memory if there is no path. */
static copse_status make_study(const cli *c, const optimize_job *j, const char *opt_path, copse_study **out,
                               copse_error *err) {
    copse_study_options opt = {0};
    optimize_dims dims = {0};
    char *drop = NULL;
    copse_status status = study_options(c, &opt, err);
    const char *without = cli_args_text(&c->args, "drop"), *values = cli_args_text(&c->args, "values");
    if (status) goto out;
    if (j->grid) {
        if (j->words)
            CLI_TRY_OUT(cli_fail(err, COPSE_E_USAGE, "'%.100s': the dimensions are the columns of the grid", *j->word));
        size_t column;
        if (values) CLI_TRY_OUT(value_column(c, j, &column, err));
        drop = cli_join(without, values);
        if (!drop && (without || values)) CLI_TRY_OUT(cli_fail_memory(err));
        opt.grid = j->grid;
        opt.grid_drop = drop;
        opt.grid_log = cli_args_text(&c->args, "log");
    } else {
        if (j->words == 0)
            CLI_TRY_OUT(cli_fail(err, COPSE_E_USAGE,
                                 "which dimensions? NAME=LOW:HIGH, NAME=LEVEL,LEVEL ..., or --grid FILE.csv"));
        CLI_TRY_OUT(optimize_dims_read(&dims, j->word, j->words, err));
        opt.dims = dims.dim;
        opt.n_dims = dims.n;
    }
    CLI_TRY_OUT(copse_study_new(opt_path, &opt, &c->run, out, err));
out:
    optimize_dims_clear(&dims);
    free(drop);
    return status;
}

static copse_status read_grid(cli *c, optimize_job *j, copse_error *err) {
    const char *path = cli_args_text(&c->args, "grid");
    return path ? cli_read_table(c, path, NULL, &j->grid, err) : COPSE_OK;
}

static copse_status print_new(const optimize_job *j, copse_error *err) {
    cli_json out = {.file = stdout};
    cli_json_object(&out, NULL);
    cli_json_text(&out, "study", j->path);
    cli_json_size(&out, "dimensions", copse_study_dims(j->study));
    if (copse_study_points(j->study)) cli_json_size(&out, "points", copse_study_points(j->study));
    cli_json_end_object(&out);
    cli_json_line(&out);
    return cli_out_flush_stdout(NULL, err);
}

static copse_status new_study(cli *c, optimize_job *j, copse_error *err) {
    char number[CLI_NUMBER_SIZE];
    CLI_TRY(read_grid(c, j, err));
    CLI_TRY(make_study(c, j, j->path, &j->study, err));
    size_t dims = copse_study_dims(j->study), points = copse_study_points(j->study);
    if (points)
        cli_progress_note(&c->progress, "%s: %zu dimension%s, %s points; next: copse optimize ask %s", j->path, dims,
                          cli_plural(dims), cli_count(points, number), j->path);
    else
        cli_progress_note(&c->progress, "%s: %zu dimension%s; next: copse optimize ask %s", j->path, dims,
                          cli_plural(dims), j->path);
    return c->json ? print_new(j, err) : COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- ask */

static void print_trial(const cli *c, const copse_study *s, const copse_trial *t) {
    cli_json out = {.file = stdout};
    if (!c->json) {
        printf("%zu", t->id);
        optimize_print_values(stdout, s, t);
        return;
    }
    cli_json_object(&out, NULL);
    cli_json_size(&out, "id", t->id);
    optimize_json_point(&out, s, t);
    cli_json_end_object(&out);
    cli_json_line(&out);
}

static void print_head(const cli *c, const copse_study *s) {
    if (c->json) return;
    fputs("id", stdout);
    optimize_print_names(stdout, s);
}

/* Lists the trials that were asked for and not told: those being evaluated, and those whose process was killed. */
static copse_status list_pending(const cli *c, const optimize_job *j, copse_error *err) {
    copse_trial t;
    if (cli_args_has(&c->args, "number"))
        return cli_fail(err, COPSE_E_USAGE, "--number is how many new points; --pending lists those there are");
    print_head(c, j->study);
    for (size_t id = 1; copse_study_trial(j->study, id, &t); id++)
        if (t.state == COPSE_TRIAL_ASKED) print_trial(c, j->study, &t);
    return cli_out_flush_stdout(NULL, err);
}

/* Prints one line per point and flushes it, so that a reader can start with the first.  A study survives a killed
 * process, so Ctrl-C may end the program at any time. */
static copse_status ask(cli *c, optimize_job *j, copse_error *err) {
    uint64_t n = 1;
    cli_out out;
    CLI_TRY(cli_args_integer(&c->args, "number", 1, 1e6, &n, err));
    CLI_TRY(open_study(j, err));
    if (cli_args_has(&c->args, "pending")) return list_pending(c, j, err);
    CLI_TRY(cli_out_open(&out, NULL, err));
    cli_progress_exit_on_signals();
    for (uint64_t i = 0; i < n; i++) {
        copse_trial t;
        CLI_TRY(copse_study_ask(j->study, &c->run, &t, err));
        if (i == 0) print_head(c, j->study);
        print_trial(c, j->study, &t);
        if (!cli_out_flush(&out)) break; /* nobody would evaluate further points */
    }
    return cli_out_commit(&out, err);
}

/* --------------------------------------------------------------------------------------------------------- tell */

static copse_status read_value(const char *text, double *out, copse_error *err) {
    if (optimize_number(text, out) && isfinite(*out)) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE,
                    "'%.100s' is not a number to tell; of an evaluation that gave none tell --failed", text);
}

/* STUDY NAME=VALUE ... VALUE: the value of a point that was not asked for. */
static copse_status tell_point(optimize_job *j, double value, copse_trial *out, copse_error *err) {
    double *x = calloc(copse_study_dims(j->study), sizeof *x);
    if (!x) return cli_fail_memory(err);
    copse_status status = optimize_point_read(j->study, j->word, j->words - 1, x, err);
    if (!status) status = copse_study_add(j->study, x, value, NULL, out, err);
    free(x);
    return status;
}

static copse_status tell_trial(optimize_job *j, double value, copse_trial *out, copse_error *err) {
    double id;
    if (!optimize_number(j->word[0], &id) || !(id >= 1 && id <= 1e15) || floor(id) != id)
        return cli_fail(err, COPSE_E_USAGE, "'%.100s' is not the number of a trial", j->word[0]);
    CLI_TRY(copse_study_tell(j->study, (size_t)id, value, NULL, err));
    copse_study_trial(j->study, (size_t)id, out);
    return COPSE_OK;
}

static copse_status print_told(const copse_trial *t, copse_error *err) {
    cli_json out = {.file = stdout};
    cli_json_object(&out, NULL);
    cli_json_size(&out, "id", t->id);
    cli_json_text(&out, "state", t->state == COPSE_TRIAL_FAILED ? "failed" : "told");
    cli_json_number(&out, "value", t->value);
    cli_json_end_object(&out);
    cli_json_line(&out);
    return cli_out_flush_stdout(NULL, err);
}

static copse_status tell(cli *c, optimize_job *j, copse_error *err) {
    int failed = cli_args_has(&c->args, "failed");
    double value = NAN;
    copse_trial t;
    if (j->words < (failed ? 1U : 2U))
        return cli_fail(err, COPSE_E_USAGE,
                        "usage: copse optimize tell STUDY ID VALUE, or ID --failed, or NAME=VALUE ... VALUE");
    if (failed && j->words > 1)
        return cli_fail(err, COPSE_E_USAGE, "'%.100s': with --failed there is one trial and no value",
                        j->word[j->words - 1]);
    if (!failed) CLI_TRY(read_value(j->word[j->words - 1], &value, err));
    cli_progress_exit_on_signals();
    CLI_TRY(copse_study_open(j->path, NULL, &j->study, err));
    int own = strchr(j->word[0], '=') && !failed;
    if (!own && !failed && j->words != 2) return cli_fail(err, COPSE_E_USAGE, "one trial and one value at a time");
    CLI_TRY(own ? tell_point(j, value, &t, err) : tell_trial(j, value, &t, err));
    return c->json ? print_told(&t, err) : COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- best */

static copse_status best(cli *c, optimize_job *j, copse_error *err) {
    CLI_TRY(optimize_report_check(c, j->path, err));
    CLI_TRY(open_study(j, err));
    return optimize_report(c, j->study, j->path, err);
}

/* ---------------------------------------------------------------------------------------------------------- run */

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* Values are looked up by row, so the table must be the one that the study was made with. */
static copse_status check_recorded(const optimize_job *j, copse_error *err) {
    const copse_study *s = j->study;
    if (copse_study_points(s) == copse_table_rows(j->grid)) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "%s has another grid than the one given: %zu points, not %zu", j->path,
                    copse_study_points(s), copse_table_rows(j->grid));
}

static copse_status find_values(const cli *c, const optimize_job *j, optimize_plan *plan, copse_error *err) {
    const char *name = cli_args_text(&c->args, "values");
    if (!name) return COPSE_OK;
    plan->recorded = j->grid;
    return value_column(c, j, &plan->column, err);
}

static copse_status run_plan(const cli *c, optimize_plan *plan, copse_error *err) {
    uint64_t evaluations = 50, parallel = 1;
    CLI_TRY(cli_args_integer(&c->args, "evaluations", 1, 1e9, &evaluations, err));
    CLI_TRY(cli_args_integer(&c->args, "parallel", 1, 1000, &parallel, err));
    plan->command = cli_args_text(&c->args, "objective");
    plan->evaluations = (size_t)evaluations;
    plan->parallel = (size_t)parallel;
    plan->pending = cli_args_has(&c->args, "pending");
    if (!plan->command == !cli_args_has(&c->args, "values"))
        return cli_fail(err, COPSE_E_USAGE,
                        "what is the objective? --objective CMD, or --grid FILE.csv --values COLUMN");
    return COPSE_OK;
}

static int same_dim(const copse_dim *a, const copse_dim *b) {
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || !a->log != !b->log) return 0;
    if (a->kind != COPSE_DIM_CATEGORY) return a->low == b->low && a->high == b->high;
    for (size_t i = 0; i < a->n_levels && i < b->n_levels; i++)
        if (strcmp(a->levels[i], b->levels[i]) != 0) return 0;
    return a->n_levels == b->n_levels;
}

/* Dimensions given for an existing study, as when a command is repeated, must be those of the study. */
static copse_status check_dims(const optimize_job *j, copse_error *err) {
    optimize_dims dims = {0};
    copse_status status = optimize_dims_read(&dims, j->word, j->words, err);
    for (size_t k = 0; !status && k < j->words; k++)
        if (j->words != copse_study_dims(j->study) || !same_dim(&dims.dim[k], copse_study_dim(j->study, k)))
            status = cli_fail(err, COPSE_E_USAGE,
                              "%s exists and has other dimensions than '%.100s': leave them out to go on with it, or "
                              "choose another name",
                              j->path, j->word[k]);
    optimize_dims_clear(&dims);
    return status;
}

/* --drop and --log given for an existing study must be those of the study. */
static copse_status check_columns(const cli *c, const optimize_job *j, copse_error *err) {
    copse_study *given;
    if (!cli_args_has(&c->args, "drop") && !cli_args_has(&c->args, "log")) return COPSE_OK;
    CLI_TRY(make_study(c, j, NULL, &given, err));
    size_t n = copse_study_dims(given), k = n == copse_study_dims(j->study) ? 0 : n + 1;
    while (k < n && same_dim(copse_study_dim(given, k), copse_study_dim(j->study, k))) k++;
    copse_study_free(given);
    if (k == n) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "--drop, --log: %s was made with others, and that cannot change", j->path);
}

/* Options given for an existing study must be those that it was made with. */
static copse_status check_options_same(const cli *c, const optimize_job *j, copse_error *err) {
    copse_study_options have, given = {0};
    copse_study_settings(j->study, &have);
    CLI_TRY(study_options(c, &given, err));
    const struct {
        const char *name;
        int differs;
    } option[] = {
        {"goal", given.minimise != have.minimise},
        {"acquisition", given.acquisition && strcmp(given.acquisition, have.acquisition) != 0},
        {"kappa", given.kappa != have.kappa},
        {"trees", given.trees != have.trees},
        {"initial", given.initial != have.initial},
        {"seed", given.seed != have.seed},
    };
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (cli_args_has(&c->args, option[i].name) && option[i].differs)
            return cli_fail(err, COPSE_E_USAGE, "--%s %.40s: %s was made with another, and that cannot change",
                            option[i].name, cli_args_text(&c->args, option[i].name), j->path);
    return COPSE_OK;
}

/* If several processes start at once, one makes the study and the others open it. */
static copse_status open_or_make(cli *c, optimize_job *j, copse_error *err) {
    if (!exists(j->path)) {
        copse_status status = make_study(c, j, j->path, &j->study, err);
        if (!status || !exists(j->path)) return status;
    }
    CLI_TRY(open_study(j, err));
    if (j->words) CLI_TRY(check_dims(j, err));
    if (j->grid) CLI_TRY(check_columns(c, j, err));
    return check_options_same(c, j, err);
}

static copse_status run_study(cli *c, optimize_job *j, copse_error *err) {
    optimize_plan plan = {0};
    optimize_count n;
    CLI_TRY(run_plan(c, &plan, err));
    CLI_TRY(optimize_report_check(c, j->path, err));
    CLI_TRY(read_grid(c, j, err));
    CLI_TRY(find_values(c, j, &plan, err));
    CLI_TRY(open_or_make(c, j, err));
    if (j->grid) CLI_TRY(check_recorded(j, err));
    CLI_TRY(optimize_run(c, j->study, &plan, &n, err));
    if (n.failed && !n.told)
        return cli_fail(err, COPSE_E_DATA, "no evaluation succeeded (%zu failed, the last because %s)%s", n.failed,
                        n.why, plan.command ? "\nThe command must end with code 0 and print its value last" : "");
    return optimize_report(c, j->study, j->path, err);
}

/* ------------------------------------------------------------------------------------------------------ command */

typedef struct subcommand {
    const char *name;
    copse_status (*run)(cli *c, optimize_job *j, copse_error *err);
    const char *options; /* its options, each between blanks */
    int takes_operands;  /* after the study */
} subcommand;

#define GRID_OPTIONS " grid values drop log na no-header categorical numeric format delimiter "
#define NEW_OPTIONS  GRID_OPTIONS "goal acquisition kappa trees initial seed "
static const subcommand subcommands[] = {
    {"new", new_study, NEW_OPTIONS, 1},
    {"ask", ask, " number pending ", 0},
    {"tell", tell, " failed ", 1},
    {"best", best, " trace svg ", 0},
    {"run", run_study, NEW_OPTIONS "objective evaluations parallel pending trace svg ", 1},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static copse_status find_subcommand(const char *name, const subcommand **out, copse_error *err) {
    cli_suggest near = {.word = name};
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            *out = &subcommands[i];
            return COPSE_OK;
        }
        cli_suggest_try(&near, subcommands[i].name);
    }
    return cli_fail(err, COPSE_E_USAGE, "'%.40s' is not new, ask, tell, best or run%s%s", name,
                    near.best ? "; did you mean " : "", near.best ? near.best : "");
}

/* Refuses options that would have no effect: those of other subcommands, and those of a grid without a grid. */
static copse_status check_options(const cli *c, const subcommand *v, copse_error *err) {
    for (size_t i = 0; i < c->args.options; i++) {
        const char *name = c->args.option[i].name;
        char framed[64];
        snprintf(framed, sizeof framed, " %s ", name);
        if (!strstr(v->options, framed) && !strstr(" quiet json threads ", framed))
            return cli_fail(err, COPSE_E_USAGE, "optimize %s takes no --%s", v->name, name);
        if (strstr(GRID_OPTIONS, framed) && !cli_args_has(&c->args, "grid"))
            return cli_fail(err, COPSE_E_USAGE, "--%s is about a grid: add --grid FILE.csv%s", name,
                            strcmp(name, "log") == 0 ? ", or write NAME=LOW:HIGH:log" : "");
    }
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    const subcommand *v = NULL;
    CLI_TRY(find_subcommand(cli_args_operand(&c->args, 0), &v, err));
    CLI_TRY(check_options(c, v, err));
    optimize_job j = {
        .path = cli_args_operand(&c->args, 1), .word = c->args.operand + 2, .words = c->args.operands - 2};
    if (cli_is_dash(j.path)) return cli_fail(err, COPSE_E_USAGE, "a study is a file, and '-' is none: give it a name");
    if (!v->takes_operands && j.words)
        return cli_fail(err, COPSE_E_USAGE, "unexpected argument '%.100s'; usage: copse optimize %s STUDY", j.word[0],
                        v->name);
    copse_status status = v->run(c, &j, err);
    copse_study_free(j.study);
    copse_table_free(j.grid);
    return status;
}

static const cli_option new_options[] = {
    {"goal", 0, "max|min", "what is best (default max)"},
    {"grid", 0, "FILE", "instead of dimensions: the rows of this table are all the points there are"},
    {"log", 0, "COLUMNS", "columns of the grid on a log scale"},
    {"drop", 0, "COLUMNS", "columns of the grid that are not dimensions"},
    {"values", 0, "COLUMN", "column of the grid with recorded values; run looks them up"},
    {"acquisition", 0, "ucb|ei|thompson|random", "how points are chosen (default ucb: mean + sd)"},
    {"kappa", 0, "K", "ucb: mean + K sd (default 1)"},
    {"initial", 0, "N", "evenly spread points before the forest chooses (default: dimensions + 3)"},
    {"trees", 0, "N", "trees of the forest (default 10)"},
    {"seed", 0, "SEED", "default 1"},
    {0},
};
static const cli_option use_options[] = {
    {"number", 'n', "N", "ask: points to ask for (default 1)"},
    {"failed", 0, NULL, "tell: the evaluation gave no value"},
    {"objective", 0, "CMD", "run: a shell command; {name} becomes a value; the last word it prints is the objective"},
    {"evaluations", 0, "N", "run: how many more (default 50)"},
    {"parallel", 0, "N", "run: commands at a time (default 1)"},
    {"pending", 0, NULL, "ask: list trials asked for and never told; run: start with them"},
    {"trace", 0, "FILE", "best, run: every evaluation and the best so far, as CSV"},
    {"svg", 0, "FILE", "best, run: a picture of the evaluations"},
    {0},
};
static const cli_group groups[] = {
    {"new studies (new, and run if the study does not exist)", new_options},
    {"what to do", use_options},
    {"reading grids", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_optimize = {
    .name = "optimize",
    .operands = "new|ask|tell|best|run STUDY",
    .summary = "find where a costly objective is largest or smallest",
    .more =
        "  copse optimize new STUDY DIMENSION...       a study is one file\n"
        "  copse optimize ask STUDY [-n N]             where to evaluate next: id and values, as CSV\n"
        "  copse optimize tell STUDY ID VALUE          the result; it is on the disk when the command returns\n"
        "  copse optimize tell STUDY NAME=X... VALUE   the same for a point of your own\n"
        "  copse optimize best STUDY                   the best so far\n"
        "  copse optimize run STUDY --objective CMD    all of it; makes the study if there is none\n\n"
        "A DIMENSION is NAME=LOW:HIGH, with :int for integers and :log for a log scale, or NAME=A,B,C.\n"
        "Several processes may ask and tell at once, and points may be asked for before others are told.\n\n"
        "examples\n"
        "  copse optimize new s.study rate=1e-5:1:log depth=1:12:int loss=l1,l2 --goal min\n"
        "  copse optimize ask s.study && copse optimize tell s.study 1 0.31\n"
        "  copse optimize run b.study x=-5:10 y=0:15 --goal min --objective './branin {x} {y}' --svg b.svg\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = 2000,
    .run = run,
};
