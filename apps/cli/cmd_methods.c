/* methods - what can be fitted, with every option, as the methods themselves declare it. */
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"

static const char *tasks_of(const copse_method_info *m) {
    int class = (m->tasks & COPSE_CLASS) != 0, regress = (m->tasks & COPSE_REGRESS) != 0;
    return class && regress ? "class, regress" : class ? "class" : "regress";
}

static void method_json(cli_json *j, const copse_method_info *m) {
    copse_option_info o;
    cli_json_object(j, NULL);
    cli_json_text(j, "method", m->name);
    cli_json_text(j, "summary", m->summary);
    cli_json_array(j, "tasks");
    if (m->tasks & COPSE_CLASS) cli_json_text(j, NULL, "class");
    if (m->tasks & COPSE_REGRESS) cli_json_text(j, NULL, "regress");
    cli_json_end_array(j);
    cli_json_bool(j, "online", m->online);
    cli_json_array(j, "options");
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", o.name);
        cli_json_text(j, "type", o.type);
        cli_json_text(j, "default", o.initial);
        cli_json_text(j, "range", o.range);
        cli_json_text(j, "help", o.help);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
    cli_json_end_object(j);
}

static int wider(int width, const char *text) {
    int n = (int)strlen(text);
    return n > width ? n : width;
}

void cli_method_options(const copse_method_info *m) {
    copse_option_info o;
    int name = 6, initial = 7, range = 5;
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++) {
        name = wider(name, o.name);
        initial = wider(initial, o.initial);
        range = wider(range, o.range);
    }
    printf("  %-*s  %-*s  %-*s  %s\n", name + 2, "option", initial, "default", range, "range", "meaning");
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++)
        printf("  --%-*s  %-*s  %-*s  %s\n", name, o.name, initial, o.initial, range, o.range, o.help);
}

static void method_text(const copse_method_info *m) {
    printf("%s: %s\n  tasks: %s; %s\n\n", m->name, m->summary, tasks_of(m),
           m->online ? "online: copse learn can go on with its models" : "batch only");
    cli_method_options(m);
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
    cli_guess guess = {.word = name};
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) cli_guess_try(&guess, m->name);
    if (guess.best)
        return cli_fail(err, COPSE_E_USAGE, "there is no method '%.60s'; did you mean '%s'?", name, guess.best);
    return cli_fail(err, COPSE_E_USAGE, "there is no method '%.60s'; 'copse methods' lists them", name);
}

static copse_status run(cli *c, copse_error *err) {
    const char *name = cli_args_word(&c->args, 0);
    if (!name) {
        list(c);
        return COPSE_OK;
    }
    const copse_method_info *m = cli_method(name);
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
    .words = "[METHOD]",
    .summary = "every method; every option of one",
    .groups = groups,
    .min_words = 0,
    .max_words = 1,
    .run = run,
};
