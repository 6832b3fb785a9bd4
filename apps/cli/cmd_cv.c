/* cv - cross-validates one or more methods on the same folds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_scores.h"

enum { MAX_METHODS = 32 };

typedef struct entry {
    copse_params *params;
    copse_scores *fold; /* folds x repeats */
    copse_scores mean;
} entry;

typedef struct cv_job {
    uint64_t folds, repeats, seed;
    size_t n, entries, rows; /* n = folds x repeats */
    entry entry[MAX_METHODS];
    char *names; /* owned: the -m list, split at its commas */
    copse_table *data;
    double read_seconds;
} cv_job;

/* ----------------------------------------------------------------------------------------------------- methods */

/* An option must belong to at least one of the methods; methods without it ignore it. */
static copse_status check_method_options(const cli *c, const cv_job *v, copse_error *err) {
    for (size_t i = 0; i < c->args.method_options; i++) {
        const char *name = c->args.method_option[i].name;
        int known = 0;
        for (size_t k = 0; k < v->entries; k++) known |= copse_params_get(v->entry[k].params, name) != NULL;
        if (!known) return cli_fail(err, COPSE_E_USAGE, "none of these methods has an option --%s", name);
    }
    return COPSE_OK;
}

static copse_status add_methods(const cli *c, cv_job *v, copse_error *err) {
    const char *list = cli_args_text(&c->args, "method");
    v->names = strdup(list ? list : "mondrian");
    if (!v->names) return cli_fail_memory(err);
    for (char *rest = v->names, *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
        if (v->entries == MAX_METHODS) return cli_fail(err, COPSE_E_USAGE, "-m: more than %d methods", MAX_METHODS);
        entry *e = &v->entry[v->entries];
        CLI_TRY(cli_params(c, name, 1, &e->params, err));
        v->entries++;
        e->fold = calloc(v->n, sizeof *e->fold);
        if (!e->fold) return cli_fail_memory(err);
    }
    if (v->entries == 0) return cli_fail(err, COPSE_E_USAGE, "-m: no method named");
    return check_method_options(c, v, err);
}

/* ----------------------------------------------------------------------------------------------------- metrics */

/* Standard error of the mean over the folds; NaN for a single fold. */
static double error_of(const entry *e, size_t n, const cli_metric *m) {
    double mean = m->get(&e->mean), sum = 0;
    for (size_t i = 0; i < n; i++) {
        double d = m->get(&e->fold[i]) - mean;
        sum += d * d;
    }
    return sqrt(sum / (double)(n - 1) / (double)n);
}

static void entry_json(cli_json *j, const entry *e, size_t n) {
    copse_task task = e->fold[0].task;
    const cli_metric *m;
    cli_json_object(j, NULL);
    cli_json_text(j, "method", copse_params_method(e->params));
    for (size_t i = 0; (m = cli_scores_metric(task, i)) != NULL; i++)
        if (!isnan(m->get(&e->mean))) cli_json_number(j, m->name, m->get(&e->mean));
    if (task == COPSE_REGRESS) cli_scores_coverage_json(j, &e->mean);
    cli_json_object(j, "se");
    for (size_t i = 0; (m = cli_scores_metric(task, i)) != NULL; i++)
        if (!isnan(m->get(&e->mean))) cli_json_number(j, m->name, error_of(e, n, m));
    cli_json_end_object(j);
    cli_json_array(j, "folds");
    for (size_t i = 0; i < n; i++) {
        cli_json_object(j, NULL);
        cli_scores_json(j, &e->fold[i], "rows");
        cli_scores_times_json(j, &e->fold[i]);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
    cli_json_end_object(j);
}

static void print_json(const cv_job *v) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "task", v->entry[0].fold[0].task == COPSE_CLASS ? "class" : "regress");
    cli_json_size(&j, "rows", v->rows);
    cli_json_size(&j, "folds", (size_t)v->folds);
    cli_json_size(&j, "repeats", (size_t)v->repeats);
    cli_json_size(&j, "seed", (size_t)v->seed);
    cli_json_array(&j, "methods");
    for (size_t i = 0; i < v->entries; i++) entry_json(&j, &v->entry[i], v->n);
    cli_json_end_array(&j);
    cli_json_number(&j, "read_seconds", v->read_seconds);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_row(const entry *e, size_t n) {
    const cli_metric *m;
    printf("  %-10s", copse_params_method(e->params));
    for (size_t i = 0; (m = cli_scores_metric(e->mean.task, i)) != NULL; i++) {
        char cell[64];
        if (isnan(m->get(&e->mean))) continue;
        snprintf(cell, sizeof cell, "%.5g +- %.2g", m->get(&e->mean), error_of(e, n, m));
        printf("  %18s", cell);
    }
    putchar('\n');
}

static void print_text(const cli *c, const cv_job *v) {
    char rows[CLI_NUMBER_SIZE], repeats[64] = "";
    copse_task task = v->entry[0].mean.task;
    const cli_metric *m;
    if (v->repeats > 1) snprintf(repeats, sizeof repeats, ", %d times", (int)v->repeats);
    printf("%s of '%s': %d folds%s of %s rows (mean +- standard error)\n", cli_task_name(task),
           cli_args_text(&c->args, "target"), (int)v->folds, repeats, cli_count(v->rows, rows));
    printf("  %-10s", "method");
    for (size_t i = 0; (m = cli_scores_metric(task, i)) != NULL; i++)
        if (!isnan(m->get(&v->entry[0].mean))) printf("  %18s", m->label);
    putchar('\n');
    for (size_t k = 0; k < v->entries; k++) print_row(&v->entry[k], v->n);
}

/* -------------------------------------------------------------------------------------------------------- work */

static copse_status work(cli *c, cv_job *v, copse_error *err) {
    copse_roles roles;
    CLI_TRY(cli_args_integer(&c->args, "folds", 2, 1e6, &v->folds, err));
    CLI_TRY(cli_args_integer(&c->args, "repeats", 1, 1e4, &v->repeats, err));
    v->n = (size_t)(v->folds * v->repeats);
    CLI_TRY(cli_roles(c, &roles, err));
    CLI_TRY(add_methods(c, v, err));
    double begin = cli_wall_seconds();
    CLI_TRY(cli_read_table(c, cli_args_operand(&c->args, 0), NULL, &v->data, err));
    v->read_seconds = cli_wall_seconds() - begin;
    v->seed = cli_params_seed(v->entry[0].params);
    for (size_t i = 0; i < v->entries; i++) {
        entry *e = &v->entry[i];
        CLI_TRY(copse_cv(
            v->data, &roles,
            &(copse_cv_options){
                .params = e->params, .folds = (size_t)v->folds, .repeats = (size_t)v->repeats, .seed = v->seed},
            &c->run, e->fold, err));
        cli_scores_average(e->fold, v->n, &e->mean);
    }
    for (uint64_t i = 0; i < v->folds; i++)
        v->rows += v->entry[0].fold[i].rows; /* the first repeat has each row with a target once */
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    cv_job v = {.folds = 10, .repeats = 1};
    copse_status status = work(c, &v, err);
    cli_progress_clear(&c->progress);
    if (!status && c->json)
        print_json(&v);
    else if (!status)
        print_text(c, &v);
    for (size_t i = 0; i < MAX_METHODS; i++) {
        copse_params_free(v.entry[i].params);
        free(v.entry[i].fold);
    }
    copse_table_free(v.data);
    free(v.names);
    return status;
}

static const cli_option command_options[] = {
    {"method", 'm', "METHODS", "one or more, separated by commas (default: mondrian); 'copse methods' lists them"},
    {"folds", 0, "K", "number of folds (default 10)"},
    {"repeats", 0, "R", "repeat with other folds, R times in all (default 1)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"columns", cli_column_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_cv = {
    .name = "cv",
    .operands = "DATA.csv -t TARGET",
    .summary = "compare methods by cross-validation",
    .more =
        "The folds depend only on the seed, the rows and the number of folds, so all methods have the same folds.\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .method_options = 1,
    .run = run,
};
