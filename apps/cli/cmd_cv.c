/* cv - cross-validates one or more methods on the same folds. */
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_scores.h"
#include "cv_report.h"

typedef struct cv_job {
    cv_result result;
    copse_roles roles;
    char *names; /* owned: the -m list, split at its commas */
    copse_table *data;
} cv_job;

/* ----------------------------------------------------------------------------------------------------- methods */

/* An option must belong to at least one of the methods; methods without it ignore it. */
static copse_status check_method_options(const cli *c, const cv_result *v, copse_error *err) {
    for (size_t i = 0; i < c->args.method_options; i++) {
        const char *name = c->args.method_option[i].name;
        int known = 0;
        for (size_t k = 0; k < v->entries; k++) known |= copse_params_get(v->entry[k].params, name) != NULL;
        if (!known) return cli_fail(err, COPSE_E_USAGE, "none of these methods has an option --%s", name);
    }
    return COPSE_OK;
}

static copse_status add_method(const cli *c, cv_result *v, const char *name, copse_error *err) {
    if (v->entries == CV_MAX_METHODS) return cli_fail(err, COPSE_E_USAGE, "-m: more than %d methods", CV_MAX_METHODS);
    cv_entry *e = &v->entry[v->entries];
    CLI_TRY(cli_params(c, name, 1, &e->params, err));
    v->entries++;
    e->fold = calloc(v->n, sizeof *e->fold);
    return e->fold ? COPSE_OK : cli_fail_memory(err);
}

static copse_status add_unnamed(const cli *c, cv_job *v, const copse_method_info *m, copse_error *err) {
    if (v->roles.weights && !m->takes_weights) return COPSE_OK;
    return add_method(c, &v->result, m->name, err);
}

/* The methods that are named, or, for `all`, every one there is. */
static copse_status add_named(const cli *c, cv_job *v, const char *list, copse_error *err) {
    const copse_method_info *m;
    v->names = strdup(list);
    if (!v->names) return cli_fail_memory(err);
    if (!strcmp(list, "all"))
        for (size_t i = 0; (m = copse_method(i)) != NULL; i++) CLI_TRY(add_unnamed(c, v, m, err));
    else
        for (char *rest = v->names, *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
            CLI_TRY(add_method(c, &v->result, name, err));
    if (v->result.entries == 0) return cli_fail(err, COPSE_E_USAGE, "-m: no method named");
    return check_method_options(c, &v->result, err);
}

/* The methods that a comparison on this many rows should include. */
static copse_status add_sensible(cli *c, cv_job *v, copse_error *err) {
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method_compared(copse_table_rows(v->data), i)) != NULL; i++)
        CLI_TRY(add_unnamed(c, v, m, err));
    return check_method_options(c, &v->result, err);
}

/* -------------------------------------------------------------------------------------------------------- work */

/* A method that nobody named is left out if it cannot learn from these data and an earlier one could. */
static int is_left_out(cli *c, const cv_entry *e, const copse_error *why) {
    const char *list = cli_args_text(&c->args, "method");
    if (why->code != COPSE_E_USAGE && why->code != COPSE_E_DATA) return 0;
    if (list && strcmp(list, "all") != 0) return 0;
    cli_progress_note(&c->progress, "%s is left out: %s", copse_params_method(e->params), why->msg);
    return 1;
}

static copse_status run_entry(cli *c, cv_job *v, cv_entry *e, copse_error *err) {
    copse_cv_options options = {.params = e->params,
                                .folds = (size_t)v->result.folds,
                                .repeats = (size_t)v->result.repeats,
                                .seed = v->result.seed};
    cli_peak_rss_reset();
    CLI_TRY(copse_cv(v->data, &v->roles, &options, &c->run, e->fold, err));
    e->peak_rss_mb = cli_peak_rss_mb();
    cli_scores_average(e->fold, v->result.n, &e->mean);
    return COPSE_OK;
}

static void remove_entry(cv_result *v, size_t i) {
    copse_params_free(v->entry[i].params);
    free(v->entry[i].fold);
    v->entries--;
    memmove(&v->entry[i], &v->entry[i + 1], (v->entries - i) * sizeof *v->entry);
    v->entry[v->entries] = (cv_entry){0};
}

static copse_status run_entries(cli *c, cv_job *v, copse_error *err) {
    cv_result *r = &v->result;
    void (*log)(void *, copse_log_level, const char *) = c->run.log;
    for (size_t i = 0; i < r->entries;) {
        copse_status status = run_entry(c, v, &r->entry[i], err);
        c->run.log = NULL; /* every method would say the same of the table */
        if (status && i > 0 && is_left_out(c, &r->entry[i], err)) {
            remove_entry(r, i);
            continue;
        }
        if (status) return status;
        i++;
    }
    c->run.log = log;
    return COPSE_OK;
}

static copse_status work(cli *c, cv_job *v, copse_error *err) {
    const char *list = cli_args_text(&c->args, "method");
    cv_result *r = &v->result;
    CLI_TRY(cli_args_integer(&c->args, "folds", 2, 1e6, &r->folds, err));
    CLI_TRY(cli_args_integer(&c->args, "repeats", 1, 1e4, &r->repeats, err));
    r->n = (size_t)(r->folds * r->repeats);
    CLI_TRY(cli_roles(c, &v->roles, err));
    r->target = v->roles.target;
    if (list) CLI_TRY(add_named(c, v, list, err));
    double begin = cli_wall_seconds();
    CLI_TRY(cli_read_table(c, cli_args_operand(&c->args, 0), NULL, &v->data, err));
    r->read_seconds = cli_wall_seconds() - begin;
    if (!list) CLI_TRY(add_sensible(c, v, err));
    r->seed = cli_params_seed(r->entry[0].params);
    CLI_TRY(run_entries(c, v, err));
    for (uint64_t i = 0; i < r->folds; i++)
        r->rows += r->entry[0].fold[i].rows; /* the first repeat has each row with a target once */
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    cv_job v = {.result = {.folds = 10, .repeats = 1}};
    copse_status status = work(c, &v, err);
    cli_progress_clear(&c->progress);
    if (!status && c->json)
        cv_report_json(&v.result);
    else if (!status)
        cv_report_text(&v.result);
    while (v.result.entries) remove_entry(&v.result, v.result.entries - 1);
    copse_table_free(v.data);
    free(v.names);
    return status;
}

static const cli_option command_options[] = {
    {"method", 'm', "METHODS",
     "one or more, separated by commas, or all (default: those that suit the number of rows)"},
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
        "The folds depend only on the seed, the rows and the number of folds, so all methods have the same folds.\n"
        "The best has the lowest CRPS (numbers) or log loss (classes).\n\n"
        "examples\n"
        "  copse cv data.csv -t price\n"
        "  copse cv data.csv -t price -m rf,boost --folds 5 --trees 300\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .method_options = 1,
    .run = run,
};
