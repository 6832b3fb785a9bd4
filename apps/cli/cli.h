/* cli - what every command of the program is given, and the small tools they share.
 *
 * A command is one constant struct in its cmd_<name>.c, listed in cli_main.c.  It writes results to standard output,
 * says what is worth knowing on standard error, and returns a status; cli_main prints the error and picks the exit
 * code.  Everything here stands on copse.h alone. */
#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include "cli_args.h"
#include "cli_progress.h"
#include "copse.h"

typedef struct cli {
    const struct cli_command *command;
    cli_args args;
    copse_run run;
    cli_progress progress;
    int quiet, json;
    char *scratch; /* the joined --drop and --keep lists, see cli_roles */
} cli;

typedef struct cli_command {
    const char *name;
    const char *words;       /* what stands after the name: "MODEL TEST.csv" */
    const char *summary;     /* half a line */
    const char *more;        /* paragraphs and examples for `copse help NAME` */
    const cli_group *groups; /* ends with a NULL title */
    size_t min_words, max_words;
    int method_options; /* options it does not know are the method's */
    copse_status (*run)(cli *c, copse_error *err);
} cli_command;

extern const cli_command cmd_fit, cmd_predict, cmd_eval, cmd_cv, cmd_learn, cmd_inspect, cmd_check, cmd_effect,
    cmd_stability, cmd_diagnose, cmd_optimize, cmd_synth, cmd_methods, cmd_demo;

/* The i-th command, NULL after the last. */
const cli_command *cli_command_at(size_t i);

/* Fills err and returns code. */
__attribute__((format(printf, 3, 4))) copse_status cli_fail(copse_error *err, copse_status code, const char *fmt, ...);

/* The failure of a system call on a path, from errno: COPSE_E_SYSTEM. */
copse_status cli_fail_errno(copse_error *err, const char *what, const char *path);
copse_status cli_fail_memory(copse_error *err);

#define CLI_TRY(call)                                \
    do {                                             \
        copse_status cli_try_status_ = (call);       \
        if (cli_try_status_) return cli_try_status_; \
    } while (0)

/* To the label `out`, where the function cleans up; needs a variable `status`. */
#define CLI_TRY_OUT(call)     \
    do {                      \
        status = (call);      \
        if (status) goto out; \
    } while (0)

/* Seconds by the wall and by the processor; the highest memory the process ever had. */
double cli_wall_seconds(void);
double cli_cpu_seconds(void);
double cli_peak_rss_mb(void);
/* What run.threads stands for. */
int cli_threads(const cli *c);

enum { CLI_NUMBER_SIZE = 40 };
/* The shortest decimal that reads back as x. */
const char *cli_number(double x, char buf[CLI_NUMBER_SIZE]);
/* 15,000 */
const char *cli_count(size_t n, char buf[CLI_NUMBER_SIZE]);
/* 3.1 ms, 2.50 s, 4.2 min */
const char *cli_time(double seconds, char buf[CLI_NUMBER_SIZE]);
/* 3.1 MB */
const char *cli_bytes(double n, char buf[CLI_NUMBER_SIZE]);
/* "a,b", of which either may be missing; a fresh string, or NULL if both are or memory is short. */
char *cli_join(const char *opt_a, const char *opt_b);
/* Is this standard input or output? */
int cli_is_dash(const char *path);
/* The size of a file, 0 if there is none. */
double cli_file_size(const char *path);
/* "1 row", "2 rows" */
const char *cli_plural(size_t n);

/* One aligned line of a summary: "  label       value". */
__attribute__((format(printf, 2, 3))) void cli_say(const char *label, const char *fmt, ...);

/* The name of the table's task in messages. */
const char *cli_task_name(copse_task task);
/* What a model's spreads are over: "trees", or "draws" where each is a sum of trees. */
const char *cli_draws_name(const copse_model *m);

#endif
