/* cli_main - the table of commands, the help, and the exit codes. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_data.h"
#include "cli_method.h"
#include "cli_options_text.h"
#include "cli_out.h"

static const cli_command *const commands[] = {
    &cmd_fit,    &cmd_predict,  &cmd_eval,      &cmd_cv,       &cmd_tune,  &cmd_learn,   &cmd_inspect, &cmd_check,
    &cmd_effect, &cmd_diagnose, &cmd_stability, &cmd_optimize, &cmd_synth, &cmd_methods, &cmd_demo,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const cli_command *cli_command_at(size_t i) {
    return i < COMMANDS ? commands[i] : NULL;
}

static const cli_command *find_command(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- help */

static void print_overview(FILE *f) {
    fputs(
        "copse: trees and forests that know what they don't know\n\n"
        "usage: copse COMMAND ...\n\n",
        f);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(f, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fputs(
        "  help      explain a command: copse help fit\n\n"
        "start here:\n"
        "  copse demo                                        the tour, in a few seconds\n"
        "  copse fit train.csv -t y -o m.copse --holdout .2  learn column y, see how well\n"
        "  copse predict m.copse new.csv                     predictions with their uncertainty\n",
        f);
}

static void print_option(const cli_option *o) {
    char left[64], letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-26s %s\n", left, o->help);
}

/* The options of the method named by -m, if one was given with --help. */
static void print_method_options(const char *opt_method) {
    const copse_method_info *m = opt_method ? cli_method_find(opt_method) : NULL;
    if (m) {
        printf("\noptions of %s\n", m->name);
        cli_method_print_options(m);
    } else {
        puts("\nmethod options\n  --trees, --seed and all that 'copse methods METHOD' lists");
    }
}

static void print_command(const cli_command *c, const char *opt_method) {
    printf("copse %s: %s\n\nusage: copse %s%s%s [options]\n", c->name, c->summary, c->name, *c->operands ? " " : "",
           c->operands);
    for (const cli_group *g = c->groups; g->title; g++) {
        printf("\n%s\n", g->title);
        for (const cli_option *o = g->options; o->name; o++) print_option(o);
    }
    if (c->method_options) print_method_options(opt_method);
    if (c->more) printf("\n%s", c->more);
}

/* Words that people try, and the command that does what they mean. */
static const char *meant_command(const char *name) {
    static const struct {
        const char *word, *command;
    } meant[] = {
        {"importance", "inspect MODEL --importance"},
        {"plot", "effect MODEL DATA.csv --feature X --svg FILE"},
        {"train", "fit TRAIN.csv -t TARGET"},
        {"test", "eval MODEL TEST.csv"},
        {"score", "eval MODEL TEST.csv"},
        {"update", "learn MODEL STREAM.csv"},
        {"partial", "effect MODEL DATA.csv --feature X"},
        {"compare", "cv DATA.csv -t TARGET"},
        {"show", "inspect MODEL"},
        {"info", "inspect MODEL"},
        {"search", "tune DATA.csv -t TARGET -m METHOD"},
    };
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (!strcmp(meant[i].word, name)) return meant[i].command;
    return NULL;
}

static copse_status unknown_command(const char *name, copse_error *err) {
    cli_suggest near = {.word = name};
    const char *meant = meant_command(name);
    if (meant) return cli_fail(err, COPSE_E_USAGE, "'%s' is not a command; did you mean: copse %s", name, meant);
    if (name[0] == '-')
        return cli_fail(err, COPSE_E_USAGE,
                        "%.100s stands before the command: options follow it, copse COMMAND ... %.100s", name, name);
    for (size_t i = 0; i < COMMANDS; i++) cli_suggest_try(&near, commands[i]->name);
    cli_suggest_try(&near, "help");
    if (near.best)
        return cli_fail(err, COPSE_E_USAGE, "'%.100s' is not a command; did you mean '%s'?", name, near.best);
    return cli_fail(err, COPSE_E_USAGE, "'%.100s' is not a command; 'copse help' lists them", name);
}

static copse_status help(const char *name, copse_error *err) {
    if (!name || strcmp(name, "help") == 0) {
        print_overview(stdout);
        return COPSE_OK;
    }
    const cli_command *c = find_command(name);
    if (!c) return unknown_command(name, err);
    print_command(c, NULL);
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- run */

/* Reads the options that have the same meaning in every command. */
static copse_status common_options(cli *c, copse_error *err) {
    uint64_t threads = 0;
    c->quiet = cli_args_has(&c->args, "quiet");
    c->json = cli_args_has(&c->args, "json");
    CLI_TRY(cli_args_integer(&c->args, "threads", 0, 1024, &threads, err));
    c->run.threads = (int)threads;
    CLI_TRY(cli_args_bytes(&c->args, "memory-limit", &c->run.memory_limit, err));
    cli_limit_memory(c->run.memory_limit);
    cli_progress_init(&c->progress, c->quiet);
    cli_progress_attach(&c->progress, &c->run);
    return COPSE_OK;
}

static copse_status run_command(const cli_command *command, char *const *argv, size_t n, copse_error *err) {
    cli c = {.command = command};
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(cli_args_parse(&c.args, command, argv, n, err));
    if (c.args.help) {
        print_command(command, cli_args_text(&c.args, "method"));
        goto out;
    }
    CLI_TRY_OUT(common_options(&c, err));
    cli_progress_catch_signals();
    status = command->run(&c, err);
    cli_progress_clear(&c.progress);
    if (status == COPSE_E_MEMORY && c.run.memory_limit && !strstr(err->msg, "memory-limit")) {
        size_t length = strlen(err->msg);
        snprintf(err->msg + length, sizeof err->msg - length, ". Raise --memory-limit %.40s, or do without it",
                 cli_args_text(&c.args, "memory-limit"));
    }
out:
    cli_args_clear(&c.args);
    free(c.scratch);
    return status;
}

static copse_status dispatch(int argc, char *const *argv, copse_error *err) {
    const char *name = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_overview(stderr);
        err->msg[0] = '\0';
        return COPSE_E_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("copse %s\n", copse_version());
        return COPSE_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL, err);
    const cli_command *command = find_command(name);
    if (!command) return unknown_command(name, err);
    return run_command(command, argv + 2, (size_t)argc - 2, err);
}

static int exit_code(copse_status status) {
    if (status == COPSE_E_STOPPED) return 128 + (cli_progress_signal() ? cli_progress_signal() : 2);
    if (status == CLI_E_OUTPUT) return 7;
    return status == COPSE_E_MEMORY ? 5 : (int)status;
}

int main(int argc, char **argv) {
    copse_error err = {0};
    copse_status status = dispatch(argc, argv, &err);
    if (!status) status = cli_out_flush_stdout(NULL, &err);
    cli_options_text(err.msg);
    if (status && err.msg[0]) fprintf(stderr, "copse: %s\n", err.msg);
    return exit_code(status);
}
