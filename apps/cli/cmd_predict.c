/* predict - writes a predictive distribution for every row of a table, as CSV.  Rows are read, predicted and written in
 * blocks, so that memory does not grow with the file and a pipe is answered without delay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_dash.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_npy.h"
#include "cli_out.h"
#include "cli_scores.h"
#include "cli_unseen.h"

enum { BLOCK = 4096, MAX_QUANTILES = 999, MAX_DRAWS = 100000 };

typedef struct predict_job {
    const char *path, *out_path;
    copse_model *model;
    copse_stream *stream;
    cli_out out;
    double quantile[MAX_QUANTILES];
    size_t quantiles;
    double interval;
    int of_mean;
    int npy; /* write a matrix of numbers, without labels */
    uint64_t draws, seed;
    uint64_t digits; /* significant digits of the numbers written; 0: all that are needed to read them back */
    double *draw;    /* of one row */
    int log_density;
    const char *keep; /* the --keep list */
    char **kept;      /* owned: the names in it, those of all columns for a '*' */
    size_t n_kept, rows;
    cli_unseen unseen;
    double wall, cpu; /* seconds of prediction, without reading and writing */
} predict_job;

/* ---------------------------------------------------------------------------------------------------- options */

static int ends_in_npy(const char *path) {
    size_t n = path ? strlen(path) : 0;
    return n > 4 && strcmp(path + n - 4, ".npy") == 0;
}

static copse_status options(const cli *c, predict_job *p, copse_error *err) {
    const char *of = cli_args_text(&c->args, "of");
    p->path = cli_args_operand(&c->args, 1);
    p->out_path = cli_args_text(&c->args, "output");
    p->seed = 1;
    p->npy = ends_in_npy(p->out_path);
    p->keep = cli_args_text(&c->args, "keep");
    p->log_density = cli_args_has(&c->args, "log-density");
    if (p->npy && p->keep)
        return cli_fail(err, COPSE_E_USAGE,
                        "--keep: columns that are kept are text, and .npy is for numbers: write CSV");
    if (of && strcmp(of, "y") != 0 && strcmp(of, "mean") != 0)
        return cli_fail(err, COPSE_E_USAGE, "--of: '%.40s' is not one of: y, mean", of);
    p->of_mean = of && strcmp(of, "mean") == 0;
    if (c->json && (!p->out_path || cli_is_dash(p->out_path)))
        return cli_fail(err, COPSE_E_USAGE, "--json sums up on standard output, where the predictions go: add -o FILE");
    CLI_TRY(cli_check_sources(cli_args_operand(&c->args, 0), p->path, err));
    CLI_TRY(cli_out_not_input("-o", p->out_path, cli_args_operand(&c->args, 0), err));
    CLI_TRY(cli_out_not_input("-o", p->out_path, p->path, err));
    CLI_TRY(cli_args_shares(&c->args, "quantiles", p->quantile, MAX_QUANTILES, &p->quantiles, err));
    CLI_TRY(cli_args_share(&c->args, "interval", 0.001, 0.999, &p->interval, err));
    CLI_TRY(cli_args_integer(&c->args, "draws", 1, MAX_DRAWS, &p->draws, err));
    CLI_TRY(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &p->seed, err));
    CLI_TRY(cli_args_integer(&c->args, "digits", 1, 17, &p->digits, err));
    p->draw = calloc((size_t)p->draws + 1, sizeof *p->draw);
    return p->draw ? COPSE_OK : cli_fail_memory(err);
}

/* In classification there is only a distribution of the class probabilities, and only for some methods. */
static copse_status check_against_classes(const predict_job *p, const char *asked, copse_error *err) {
    int drawn = copse_model_has_prob_draws(p->model);
    if (!asked || (p->of_mean && drawn)) return COPSE_OK;
    if (drawn)
        return cli_fail(err, COPSE_E_USAGE,
                        "--%s: this model predicts classes of '%s'; for the spread of their probabilities over the "
                        "draws add --of mean",
                        asked, copse_model_target(p->model));
    return cli_fail(err, COPSE_E_USAGE, "--%s is for numbers; this model predicts classes of '%s'", asked,
                    copse_model_target(p->model));
}

/* Refuses options that the model cannot satisfy. */
static copse_status check_against_model(const predict_job *p, copse_error *err) {
    const char *asked = p->quantiles ? "quantiles" : p->interval > 0 ? "interval" : p->draws ? "draws" : NULL;
    if (p->of_mean) asked = "of mean";
    if (copse_model_task(p->model) == COPSE_CLASS) return check_against_classes(p, asked, err);
    if (p->of_mean && !copse_model_has_draws(p->model))
        return cli_fail(err, COPSE_E_USAGE, "--of mean: this %s model has no distribution of the mean, only of y",
                        copse_params_method(copse_model_params(p->model)));
    return COPSE_OK;
}

/* Draws of the mean are the model's own draws, so more draws than it has are repeats. */
static void note_repeats(cli *c, const predict_job *p) {
    size_t own = p->of_mean && p->draws ? copse_model_draws(p->model) : SIZE_MAX;
    char number[CLI_NUMBER_SIZE];
    if (p->draws > own)
        cli_progress_note(&c->progress, "warning: the model has %s draws of the mean; more than that repeat them",
                          cli_count(own, number));
}

/* Kept columns are read as text, so that they are copied exactly; the model overrides that where it needs numbers. */
static copse_status open_stream(cli *c, predict_job *p, copse_error *err) {
    copse_read_options read;
    cli_note_terminal(c, p->path);
    CLI_TRY(cli_read_fill(c, p->model, &read, err));
    char *text = cli_join(read.categorical, p->keep);
    if (!text && (read.categorical || p->keep)) return cli_fail_memory(err);
    read.categorical = text;
    copse_status status = cli_dash_stream(p->path, &read, &c->run, &p->stream, err);
    free(text);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ output */

/* The number of numeric columns of the output. */
static size_t columns_of(const predict_job *p) {
    size_t spread = 1 + p->quantiles + (p->interval > 0 ? 2 : 0) + (size_t)p->draws, more = p->log_density ? 1 : 0;
    if (copse_model_task(p->model) == COPSE_REGRESS) return 1 + spread + more;
    return copse_model_classes(p->model) * (1 + (p->of_mean ? spread : 0)) + more;
}

/* Prints a column name, with "_CLASS" appended for a class. */
static void print_column(const predict_job *p, const char *what, const char *opt_class) {
    char name[CLI_NUMBER_SIZE + 8];
    fputc(',', p->out.file);
    snprintf(name, sizeof name, "%s_", what);
    if (opt_class)
        cli_out_name(p->out.file, name, opt_class);
    else
        fputs(what, p->out.file);
}

static void print_counted(const predict_job *p, const char *what, double x, const char *opt_class) {
    char number[CLI_NUMBER_SIZE], name[CLI_NUMBER_SIZE + 4];
    snprintf(name, sizeof name, "%s%s", what, cli_number(x, number));
    print_column(p, name, opt_class);
}

static void print_spread_header(const predict_job *p, const char *opt_class) {
    print_column(p, "sd", opt_class);
    for (size_t i = 0; i < p->quantiles; i++) print_counted(p, "q", p->quantile[i], opt_class);
    if (p->interval > 0) {
        print_counted(p, "lo", p->interval, opt_class);
        print_counted(p, "hi", p->interval, opt_class);
    }
    for (size_t i = 0; i < p->draws; i++) print_counted(p, "d", (double)(i + 1), opt_class);
}

static void print_header(const predict_job *p) {
    FILE *f = p->out.file;
    size_t classes = copse_model_task(p->model) == COPSE_CLASS ? copse_model_classes(p->model) : 0;
    if (p->npy) {
        cli_npy_header(f, 0, columns_of(p));
        return;
    }
    for (size_t i = 0; i < p->n_kept; i++) {
        cli_out_field(f, p->kept[i]);
        fputc(',', f);
    }
    fputs(classes ? "label" : "mean", f);
    for (size_t k = 0; k < classes; k++) {
        fputc(',', f);
        cli_out_name(f, "p_", copse_model_class(p->model, k));
    }
    for (size_t k = 0; k < classes && p->of_mean; k++) print_spread_header(p, copse_model_class(p->model, k));
    if (!classes) print_spread_header(p, NULL);
    if (p->log_density) fputs(",log_density", f);
    fputc('\n', f);
}

static void print_number(const predict_job *p, char before, double x) {
    char number[CLI_NUMBER_SIZE];
    if (p->npy) {
        cli_npy_number(p->out.file, x);
        return;
    }
    if (before) fputc(before, p->out.file);
    if (p->digits && isfinite(x))
        fprintf(p->out.file, "%.*g", (int)p->digits, x);
    else
        fputs(cli_number(x, number), p->out.file);
}

/* Rounds (1 - .9) / 2 to .05, so that the ends of an interval equal the quantiles of the same levels. */
static double decimal(double x) {
    return round(1e12 * x) / 1e12;
}

/* Prints sd, quantiles, interval and draws of the probability of class k. */
static void print_spread(const predict_job *p, const copse_prediction *q, size_t i, size_t k) {
    print_number(p, ',', copse_prediction_prob_sd(q, i, k));
    for (size_t j = 0; j < p->quantiles; j++)
        print_number(p, ',', copse_prediction_prob_quantile(q, i, k, p->quantile[j]));
    if (p->interval > 0) {
        print_number(p, ',', copse_prediction_prob_quantile(q, i, k, decimal((1 - p->interval) / 2)));
        print_number(p, ',', copse_prediction_prob_quantile(q, i, k, decimal((1 + p->interval) / 2)));
    }
    copse_prediction_prob_draws(q, i, k, (size_t)p->draws, p->draw);
    for (size_t j = 0; j < p->draws; j++) print_number(p, ',', p->draw[j]);
}

static void print_class(const predict_job *p, const copse_prediction *q, size_t i) {
    const double *prob = copse_prediction_probs(q, i);
    if (!p->npy) cli_out_field(p->out.file, copse_model_class(p->model, copse_prediction_label(q, i)));
    for (size_t k = 0; k < copse_prediction_classes(q); k++) print_number(p, ',', prob[k]);
    for (size_t k = 0; k < copse_prediction_classes(q) && p->of_mean; k++) print_spread(p, q, i, k);
}

static void print_regress(const predict_job *p, const copse_prediction *q, size_t i) {
    print_number(p, 0, copse_prediction_mean(q, i));
    print_number(p, ',', copse_prediction_sd(q, i));
    for (size_t k = 0; k < p->quantiles; k++) print_number(p, ',', copse_prediction_quantile(q, i, p->quantile[k]));
    if (p->interval > 0) {
        print_number(p, ',', copse_prediction_quantile(q, i, decimal((1 - p->interval) / 2)));
        print_number(p, ',', copse_prediction_quantile(q, i, decimal((1 + p->interval) / 2)));
    }
    if (p->draws == 0) return;
    /* The seed depends on the row's number in the file, not in the block. */
    copse_prediction_draws(q, i, p->seed + 0x9e3779b97f4a7c15u * (p->rows + 1), (size_t)p->draws, p->draw);
    for (size_t k = 0; k < p->draws; k++) print_number(p, ',', p->draw[k]);
}

static void print_kept(const predict_job *p, const copse_table *x, size_t row) {
    char number[CLI_NUMBER_SIZE];
    for (size_t i = 0; i < p->n_kept; i++) {
        size_t col = copse_table_find(x, p->kept[i]);
        if (copse_table_kind(x, col) == COPSE_TEXT)
            cli_out_field(p->out.file, copse_table_text(x, row, col));
        else
            fputs(cli_number(copse_table_number(x, row, col), number), p->out.file);
        fputc(',', p->out.file);
    }
}

/* The logarithm of the density of the row's target, or of the probability of its class; NaN where it is missing. */
static double log_density(const predict_job *p, const copse_table *x, size_t row, const copse_prediction *q, size_t i) {
    size_t col = copse_table_find(x, copse_model_target(p->model));
    const char *text = copse_table_text(x, row, col);
    double y = text ? strtod(text, NULL) : copse_table_number(x, row, col);
    if (!text && isnan(y)) return NAN;
    if (copse_model_task(p->model) == COPSE_REGRESS) return copse_prediction_log_density(q, i, y);
    size_t k = cli_scores_class(p->model, x, row, col);
    return k < copse_prediction_classes(q) ? log(copse_prediction_probs(q, i)[k]) : -INFINITY;
}

/* q has the predictions of rows `first` ... of x.  Checks for a signal at every row: printing thousands of draws is
 * slow. */
static copse_status print_block(predict_job *p, const copse_table *x, size_t first, const copse_prediction *q,
                                copse_error *err) {
    for (size_t i = 0; i < copse_prediction_rows(q); i++) {
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        print_kept(p, x, first + i);
        if (copse_model_task(p->model) == COPSE_CLASS)
            print_class(p, q, i);
        else
            print_regress(p, q, i);
        if (p->log_density) print_number(p, ',', log_density(p, x, first + i, q, i));
        if (!p->npy) fputc('\n', p->out.file);
        p->rows++;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- work */

static copse_status keep_column(predict_job *p, const copse_table *x, const char *name, copse_error *err) {
    cli_suggest near = {.word = name};
    if (copse_table_find(x, name) == (size_t)-1) {
        for (size_t k = 0; k < copse_table_cols(x); k++) cli_suggest_try(&near, copse_table_name(x, k));
        return cli_fail(err, COPSE_E_DATA, "%s: no column '%.100s' to keep%s%s%s", cli_source(p->path), name,
                        near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    }
    char **more = realloc(p->kept, (p->n_kept + 1) * sizeof *more);
    if (!more) return cli_fail_memory(err);
    p->kept = more;
    p->kept[p->n_kept] = strdup(name);
    return p->kept[p->n_kept++] ? COPSE_OK : cli_fail_memory(err);
}

/* Finds the kept columns by their names, '*' is all columns. */
static copse_status keep_columns(predict_job *p, const copse_table *x, copse_error *err) {
    copse_status status = COPSE_OK;
    char *list = p->keep ? strdup(p->keep) : NULL;
    if (!list) return p->keep ? cli_fail_memory(err) : COPSE_OK;
    for (char *rest = list, *name; !status && (name = strtok_r(rest, ",", &rest)) != NULL;) {
        if (strcmp(name, "*") != 0) status = keep_column(p, x, name, err);
        for (size_t k = 0; k < copse_table_cols(x) && !status && !strcmp(name, "*"); k++)
            status = keep_column(p, x, copse_table_name(x, k), err);
    }
    free(list);
    return status;
}

/* What only the first rows can tell: the columns to keep, and whether the target is there. */
static copse_status look_at_columns(predict_job *p, const copse_table *x, copse_error *err) {
    const char *target = copse_model_target(p->model);
    CLI_TRY(keep_columns(p, x, err));
    if (!p->log_density || copse_table_find(x, target) != (size_t)-1) return COPSE_OK;
    return cli_fail(err, COPSE_E_DATA, "%s: --log-density needs the target column '%.100s'", cli_source(p->path),
                    target);
}

static copse_status predict_part(cli *c, predict_job *p, const copse_table *x, size_t first, size_t n,
                                 copse_error *err) {
    copse_prediction *q = NULL;
    double wall = cli_wall_seconds(), cpu = cli_cpu_seconds();
    copse_predict_options options = {.first = first, .n = n, .of_mean = p->of_mean};
    CLI_TRY(copse_predict(p->model, x, &options, &c->run, &q, err));
    p->wall += cli_wall_seconds() - wall;
    p->cpu += cli_cpu_seconds() - cpu;
    if (p->rows == 0) print_header(p);
    copse_status status = print_block(p, x, first, q, err);
    copse_prediction_free(q);
    return status;
}

/* Predicts in parts if the answer of a row is large (thousands of draws): one block per thread at a time. */
static copse_status predict_block(cli *c, predict_job *p, const copse_table *x, copse_error *err) {
    size_t rows = copse_table_rows(x), part = copse_model_block(p->model) * (size_t)cli_threads(c);
    for (size_t first = 0; first < rows; first += part)
        CLI_TRY(predict_part(c, p, x, first, rows - first < part ? rows - first : part, err));
    return COPSE_OK;
}

static copse_status predict_all(cli *c, predict_job *p, copse_error *err) {
    for (;;) {
        copse_table *x = NULL;
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(copse_stream_next(p->stream, BLOCK, &c->run, &x, err));
        if (!x) break;
        copse_status status = p->rows ? COPSE_OK : look_at_columns(p, x, err);
        if (!status) status = predict_block(c, p, x, err);
        if (!status) status = cli_unseen_add(&p->unseen, p->model, x, err);
        copse_table_free(x);
        if (status) return status;
        /* Answers a pipe at once; cli_out_commit reports a failure. */
        if (!cli_out_flush(&p->out)) return COPSE_OK;
    }
    if (p->rows == 0) return cli_fail(err, COPSE_E_DATA, "%s: no rows", cli_source(p->path));
    if (p->npy && !cli_npy_finish(p->out.file, p->rows, columns_of(p)) && !ferror(p->out.file))
        return cli_fail(err, COPSE_E_USAGE, "-o %s: the number of rows goes to its beginning: it must be a file",
                        p->out_path);
    return COPSE_OK;
}

static void report(cli *c, const predict_job *p) {
    char rows[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    cli_progress_note(&c->progress, "predicted %s row%s%s%s in %s", cli_count(p->rows, rows), cli_plural(p->rows),
                      p->out_path ? " to " : "", p->out_path ? p->out_path : "", cli_time(p->wall, time));
    if (!c->json) return;
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", copse_params_method(copse_model_params(p->model)));
    cli_json_text(&j, "task", copse_model_task(p->model) == COPSE_CLASS ? "class" : "regress");
    cli_json_size(&j, "rows", p->rows);
    cli_json_text(&j, "output", p->out_path);
    cli_json_number(&j, "predict_seconds", p->wall);
    cli_json_number(&j, "predict_cpu_seconds", p->cpu);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static copse_status run(cli *c, copse_error *err) {
    predict_job *p = calloc(1, sizeof *p);
    copse_status status = COPSE_OK;
    if (!p) return cli_fail_memory(err);
    CLI_TRY_OUT(options(c, p, err));
    CLI_TRY_OUT(cli_load_with_rows(c, cli_args_operand(&c->args, 0), p->path, &p->model, err));
    CLI_TRY_OUT(check_against_model(p, err));
    note_repeats(c, p);
    CLI_TRY_OUT(open_stream(c, p, err));
    CLI_TRY_OUT(cli_out_open(&p->out, p->out_path, err));
    CLI_TRY_OUT(predict_all(c, p, err));
    CLI_TRY_OUT(cli_out_commit(&p->out, err));
    cli_unseen_report(&p->unseen, c, p->model, p->path);
    report(c, p);
out:
    cli_out_abandon(&p->out);
    copse_stream_close(p->stream);
    copse_model_free(p->model);
    cli_unseen_clear(&p->unseen);
    free(p->draw);
    for (size_t i = 0; i < p->n_kept; i++) free(p->kept[i]);
    free(p->kept);
    free(p);
    return status;
}

static const cli_option command_options[] = {
    {"output", 'o', "FILE", "write here instead of standard output; FILE.npy: the numbers as a matrix for NumPy"},
    {"quantiles", 0, "LIST", "add columns q0.05, ...: quantiles of y, e.g. .05,.5,.95"},
    {"interval", 0, "LEVEL", "add columns lo0.9, hi0.9: the central interval that contains y with this probability"},
    {"of", 0, "y|mean",
     "sd, quantiles, interval and draws of y (default), or of its mean (classes: of their probabilities)"},
    {"draws", 0, "N", "add columns d1 ... dN: random draws of y; bart: its own draws in order, the same in all rows"},
    {"seed", 0, "SEED", "of the draws (default 1)"},
    {"keep", 0, "COLUMNS", "copy these columns of the input to the output; '*' copies all"},
    {"digits", 0, "N", "write numbers with so many significant digits (default: all that matter)"},
    {"log-density", 0, NULL, "add column log_density: of the target's value in the input, or of its class"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_predict = {
    .name = "predict",
    .operands = "MODEL X.csv",
    .summary = "predict rows with their uncertainty, as CSV",
    .more =
        "Regression: mean, sd, and the columns of the options.  Classification: label, p_<class> for each class,\n"
        "and the columns of the options: sd_<class>, lo0.9_<class>, ...\n"
        "Columns are matched by name; their order does not matter and extra ones are ignored.\n\n"
        "examples\n"
        "  copse predict price.copse new.csv --interval .9 --keep id -o out.csv\n"
        "  tail -f live.csv | copse predict price.copse - --quiet\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
