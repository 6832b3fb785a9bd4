/* cli_data - from the options of a command to tables, roles and parameters: the same for every command. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "cli.h"

/* Option lists that several commands show. */
extern const cli_option cli_run_options[];    /* --threads --quiet --json */
extern const cli_option cli_read_options[];   /* how files are read */
extern const cli_option cli_column_options[]; /* what columns are for; with --target */

/* Where a file is read from, in messages. */
const char *cli_source(const char *path);

/* A model and rows that would both be read from standard input are a mistake. */
copse_status cli_check_sources(const char *model, const char *rows, copse_error *err);

/* Someone who forgot to name a file should not wonder what the program waits for. */
void cli_note_terminal(cli *c, const char *path);

/* The reading options given; like may be NULL. */
copse_status cli_read_fill(const cli *c, const copse_model *like, copse_read_options *out, copse_error *err);

/* A whole table, with a report on standard error when it is a training table (like NULL), else a warning of levels that
 * the model does not know.  Empty tables are errors. */
copse_status cli_read_table(cli *c, const char *path, const copse_model *like, copse_table **out, copse_error *err);

/* copse_load that Ctrl-C can end. */
copse_status cli_load(const char *path, copse_model **out, copse_error *err);
/* The same, of a command that takes a model and rows: asks whether they were swapped if it looks so. */
copse_status cli_load_beside(const char *path, const char *rows, copse_model **out, copse_error *err);

/* The column options given.  --keep columns join --drop: they are copied by predict, never learnt from. */
copse_status cli_roles(cli *c, copse_roles *out, copse_error *err);

/* The method of that name, NULL if there is none. */
const copse_method_info *cli_method(const char *name);
/* Prints its options as a table; in cmd_methods.c. */
void cli_method_options(const copse_method_info *m);

/* A method's parameters with the options given.  lenient: options the method does not have are passed over. */
copse_status cli_params(const cli *c, const char *method, int lenient, copse_params **out, copse_error *err);
uint64_t cli_params_seed(const copse_params *p);

#endif
