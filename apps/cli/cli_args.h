/* cli_args - parses a command line into options of the command, options of the method, and operands (files). */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "copse.h"

typedef struct cli_option {
    const char *name;  /* without the dashes; NULL ends the list */
    char letter;       /* 0: no short form */
    const char *value; /* name of its value, for the help; NULL: a flag without value */
    const char *help;
} cli_option;

/* Options under one heading of the help.  Several commands can share a group. */
typedef struct cli_group {
    const char *title; /* NULL ends the list */
    const cli_option *options;
} cli_group;

typedef struct cli_pair {
    const char *name, *value; /* borrowed; value is "" for a flag */
} cli_pair;

typedef struct cli_args {
    const cli_group *groups;
    size_t operands, options, method_options;
    const char **operand;
    cli_pair *option, *method_option;
    int help;                      /* --help was given */
    const char *bare_flag, *after; /* the first flag of a method given without yes or no, and the next argument */
} cli_args;

struct cli_command;

/* argv[0] ... argv[n-1] are the arguments after the command's name; they must outlive the result. */
copse_status cli_args_parse(cli_args *a, const struct cli_command *command, char *const *argv, size_t n,
                            copse_error *err);
void cli_args_clear(cli_args *a);

/* Is the name of n characters an option of this command, or of a method where the command takes those? */
int cli_args_knows(const struct cli_command *command, const char *name, size_t n);

const char *cli_args_operand(const cli_args *a, size_t i);      /* NULL if there are fewer */
const char *cli_args_text(const cli_args *a, const char *name); /* NULL if it was not given */
int cli_args_has(const cli_args *a, const char *name);
/* *out does not change if the option was not given. */
copse_status cli_args_number(const cli_args *a, const char *name, double min, double max, double *out,
                             copse_error *err);
/* The same for a share, which may be written as a percentage, "20%". */
copse_status cli_args_share(const cli_args *a, const char *name, double min, double max, double *out, copse_error *err);
copse_status cli_args_integer(const cli_args *a, const char *name, double min, double max, uint64_t *out,
                              copse_error *err);
/* Bytes: a number with or without K, M, G or T, which are powers of 1024. */
copse_status cli_args_bytes(const cli_args *a, const char *name, size_t *out, copse_error *err);
/* A list of numbers strictly between 0 and 1, "0.05,.5"; at most `max`. */
copse_status cli_args_shares(const cli_args *a, const char *name, double *out, size_t max, size_t *out_n,
                             copse_error *err);

/* Finds the name closest to a misspelt word by edit distance: set word, try every name, read best, which is NULL if
 * none is close. */
typedef struct cli_suggest {
    const char *word, *best;
    size_t distance;
} cli_suggest;
void cli_suggest_try(cli_suggest *g, const char *name);

#endif
