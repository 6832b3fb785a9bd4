/* methods - lists the methods, or the options of one, from the methods' own tables. */
#include <math.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_method.h"

static const char *tasks_of(const copse_method_info *m) {
    int class = (m->tasks & COPSE_CLASS) != 0, regress = (m->tasks & COPSE_REGRESS) != 0;
    return class && regress ? "class, regress" : class ? "class" : "regress";
}

static void tasks_json(cli_json *j, unsigned tasks) {
    cli_json_array(j, "tasks");
    if (tasks & COPSE_CLASS) cli_json_text(j, NULL, "class");
    if (tasks & COPSE_REGRESS) cli_json_text(j, NULL, "regress");
    cli_json_end_array(j);
}

static void option_json(cli_json *j, const copse_option_info *o) {
    static const char *const kinds[] = {"int", "real", "choice", "list", "flag"};
    cli_json_text(j, "type", kinds[o->kind]);
    cli_json_text(j, "default", o->initial);
    cli_json_text(j, "range", cli_method_range(o).text);
    tasks_json(j, o->tasks);
    cli_json_number(j, "min", isfinite(o->min) ? o->min : NAN);
    cli_json_number(j, "max", isfinite(o->max) ? o->max : NAN);
    cli_json_number(j, "tune_low", o->tune_low);
    cli_json_number(j, "tune_high", o->tune_high);
    cli_json_bool(j, "tune_log", o->tune_log);
    cli_json_array(j, "choices");
    for (size_t k = 0; k < o->n_choices; k++) cli_json_text(j, NULL, o->choice[k]);
    cli_json_end_array(j);
}

static void method_json(cli_json *j, const copse_method_info *m) {
    copse_option_info o;
    cli_json_object(j, NULL);
    cli_json_text(j, "method", m->name);
    cli_json_text(j, "summary", m->summary);
    tasks_json(j, m->tasks);
    cli_json_bool(j, "online", m->online);
    cli_json_bool(j, "samples", m->samples);
    cli_json_bool(j, "takes_weights", m->takes_weights);
    cli_json_bool(j, "takes_missing", m->takes_missing);
    cli_json_bool(j, "takes_categories", m->takes_categories);
    cli_json_array(j, "options");
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", o.name);
        option_json(j, &o);
        cli_json_text(j, "help", o.help);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
    cli_json_end_object(j);
}

static void method_text(const copse_method_info *m) {
    printf("%s: %s\n  tasks: %s; %s\n\n", m->name, m->summary, tasks_of(m),
           m->online ? "online: copse learn can go on with its models" : "batch only");
    cli_method_print_options(m);
}

static void list(const cli *c) {
    cli_json j = {.file = stdout};
    const copse_method_info *m;
    if (c->json) cli_json_array(&j, NULL);
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) {
        if (c->json)
            method_json(&j, m);
        else
            printf("  %-10s %-15s %-7s %s\n", m->name, tasks_of(m), m->online ? "online" : "batch", m->summary);
    }
    if (c->json) {
        cli_json_end_array(&j);
        cli_json_line(&j);
    } else {
        puts("\n'copse methods METHOD' lists its options");
    }
}

static copse_status unknown(const char *name, copse_error *err) {
    cli_suggest near = {.word = name};
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) cli_suggest_try(&near, m->name);
    if (near.best)
        return cli_fail(err, COPSE_E_USAGE, "there is no method '%.60s'; did you mean '%s'?", name, near.best);
    return cli_fail(err, COPSE_E_USAGE, "there is no method '%.60s'; 'copse methods' lists them", name);
}

static copse_status run(cli *c, copse_error *err) {
    const char *name = cli_args_operand(&c->args, 0);
    if (!name) {
        list(c);
        return COPSE_OK;
    }
    const copse_method_info *m = cli_method_find(name);
    if (!m) return unknown(name, err);
    if (c->json) {
        cli_json j = {.file = stdout};
        method_json(&j, m);
        cli_json_line(&j);
    } else {
        method_text(m);
    }
    return COPSE_OK;
}

static const cli_group groups[] = {{"running", cli_run_options}, {0}};

const cli_command cmd_methods = {
    .name = "methods",
    .operands = "[METHOD]",
    .summary = "list the methods, or the options of one",
    .groups = groups,
    .min_operands = 0,
    .max_operands = 1,
    .run = run,
};
