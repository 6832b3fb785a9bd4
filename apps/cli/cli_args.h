/* cli_args - the words after the program's name: options from the command's own tables, then the method's, then
 * files. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "copse.h"

typedef struct cli_option {
    const char *name;  /* without the dashes; NULL ends the list */
    char letter;       /* 0: no short form */
    const char *value; /* what follows, for the help; NULL: nothing does */
    const char *help;
} cli_option;

/* Options that stand together in the help; several commands share one group. */
typedef struct cli_group {
    const char *title; /* NULL ends the list */
    const cli_option *options;
} cli_group;

typedef struct cli_pair {
    const char *name, *value; /* of an option; value is "" for a flag.  Both are borrowed */
} cli_pair;

typedef struct cli_args {
    const cli_group *groups;
    size_t words, options, method_options;
    const char **word;
    cli_pair *option, *method_option;
    int help; /* --help was among them */
    const char *flagged,
        *after; /* a method's flag that stood alone, and the word that came next, perhaps as its value */
} cli_args;

struct cli_command;

/* argv[0] ... argv[n-1] follow the command's name and must outlive the result. */
copse_status cli_args_parse(cli_args *a, const struct cli_command *command, char *const *argv, size_t n,
                            copse_error *err);
void cli_args_clear(cli_args *a);

/* Is the name of n characters an option of this command, or of a method where the command takes those? */
int cli_args_knows(const struct cli_command *command, const char *name, size_t n);

const char *cli_args_word(const cli_args *a, size_t i);         /* NULL if there are fewer */
const char *cli_args_text(const cli_args *a, const char *name); /* NULL if it was not given */
int cli_args_has(const cli_args *a, const char *name);
/* *out keeps its value where the option was not given. */
copse_status cli_args_number(const cli_args *a, const char *name, double min, double max, double *out,
                             copse_error *err);
copse_status cli_args_integer(const cli_args *a, const char *name, double min, double max, uint64_t *out,
                              copse_error *err);
/* A list of numbers strictly between 0 and 1, "0.05,.5"; at most `max`. */
copse_status cli_args_shares(const cli_args *a, const char *name, double *out, size_t max, size_t *out_n,
                             copse_error *err);

/* The nearest of the names to a word, NULL if none is near; `best` carries the state over calls. */
typedef struct cli_guess {
    const char *word, *best;
    size_t distance;
} cli_guess;
void cli_guess_try(cli_guess *g, const char *name);

#endif
