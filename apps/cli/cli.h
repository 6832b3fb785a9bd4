/* cli - the context of a command, and small functions that all commands share.
 *
 * A command is one constant struct in cmd_<name>.c, listed in cli_main.c.  It writes results to standard output and
 * notes to standard error, and returns a status.  cli_main prints the error and chooses the exit code.  The program
 * uses copse.h only. */
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
    char *scratch; /* owned: the joined --drop and --keep lists, see cli_roles */
} cli;

typedef struct cli_command {
    const char *name;
    const char *operands;    /* for the usage line: "MODEL TEST.csv" */
    const char *summary;     /* half a line, for the list of commands */
    const char *more;        /* paragraphs and examples for `copse help NAME` */
    const cli_group *groups; /* ends with a NULL title */
    size_t min_operands, max_operands;
    int method_options; /* options that it does not have are those of the method */
    copse_status (*run)(cli *c, copse_error *err);
} cli_command;

extern const cli_command cmd_fit, cmd_predict, cmd_eval, cmd_cv, cmd_learn, cmd_inspect, cmd_check, cmd_effect,
    cmd_stability, cmd_diagnose, cmd_optimize, cmd_synth, cmd_methods, cmd_demo, cmd_tune;

/* The i-th command, NULL after the last; in cli_main.c, where the commands are listed. */
const cli_command *cli_command_at(size_t i);

/* Fills err and returns code. */
__attribute__((format(printf, 3, 4))) copse_status cli_fail(copse_error *err, copse_status code, const char *fmt, ...);

/* Fills err with "cannot WHAT PATH: " and the text of errno; returns COPSE_E_SYSTEM. */
copse_status cli_fail_errno(copse_error *err, const char *what, const char *path);
copse_status cli_fail_memory(copse_error *err);

/* A status of the command line alone, exit code 7: the model was saved, but the report could not be written. */
#define CLI_E_OUTPUT ((copse_status)100)

#define CLI_TRY(call)                                \
    do {                                             \
        copse_status cli_try_status_ = (call);       \
        if (cli_try_status_) return cli_try_status_; \
    } while (0)

/* Goes to the label `out`, where the function frees what it owns; needs a variable `status`. */
#define CLI_TRY_OUT(call)     \
    do {                      \
        status = (call);      \
        if (status) goto out; \
    } while (0)

/* Wall-clock time, CPU time of the process, and its peak resident memory. */
double cli_wall_seconds(void);
double cli_cpu_seconds(void);
double cli_peak_rss_mb(void);
/* Begins the peak anew, where the system permits. */
void cli_peak_rss_reset(void);
/* From now on the system refuses memory to this process beyond so many bytes; 0: no limit.  The library refuses most of
 * what would need more before it begins. */
void cli_limit_memory(size_t bytes);
/* The number of threads: run.threads, or the number of cores if that is 0. */
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
/* "a,b", where a or b may be NULL.  Returns a new string, or NULL if both are NULL or memory is short. */
char *cli_join(const char *opt_a, const char *opt_b);
/* Is the path "-", standard input or output? */
int cli_is_dash(const char *path);
/* Bytes of a file, 0 if it does not exist. */
double cli_file_size(const char *path);
/* "" for 1, else "s": "1 row", "2 rows". */
const char *cli_plural(size_t n);

/* Prints one aligned line of a summary: "  label       value". */
__attribute__((format(printf, 2, 3))) void cli_say(const char *label, const char *fmt, ...);

/* "classification" or "regression". */
const char *cli_task_name(copse_task task);
/* What the spread of a model is taken over: "trees", or "draws" if each draw is a sum of trees. */
const char *cli_draws_name(const copse_model *m);

#endif
