/* cli_data - tables, models, roles and parameters from the options of a command; the same for all commands. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "cli.h"

/* Options that several commands share. */
extern const cli_option cli_run_options[];    /* --threads --quiet --json */
extern const cli_option cli_read_options[];   /* how files are read */
extern const cli_option cli_column_options[]; /* roles of the columns, --target among them */

/* The name of an input in messages: its path, or "<stdin>". */
const char *cli_source(const char *path);

/* Fails if both the model and the rows would be read from standard input. */
copse_status cli_check_sources(const char *model, const char *rows, copse_error *err);

/* Notes on standard error that rows are read from the terminal, for users who forgot to name a file. */
void cli_note_terminal(cli *c, const char *path);

/* Fills in the reading options that were given; like may be NULL. */
copse_status cli_read_fill(const cli *c, const copse_model *like, copse_read_options *out, copse_error *err);

/* Reads a whole table.  like NULL: a training table, which is reported on standard error; else: warns of levels that
 * the model was not trained on.  An empty table is an error. */
copse_status cli_read_table(cli *c, const char *path, const copse_model *like, copse_table **out, copse_error *err);

/* Loads a model; Ctrl-C ends the program at once. */
copse_status cli_load(const cli *c, const char *path, copse_model **out, copse_error *err);
/* The same for a command that takes a model and rows: if it fails because the two were swapped, the message says so. */
copse_status cli_load_with_rows(const cli *c, const char *path, const char *rows, copse_model **out, copse_error *err);

/* The column options that were given.  --keep columns are added to --drop: predict copies them, fit ignores them. */
copse_status cli_roles(cli *c, copse_roles *out, copse_error *err);

/* Parameters of a method, with the options that were given.  lenient: ignores options that the method does not have. */
copse_status cli_params(const cli *c, const char *method, int lenient, copse_params **out, copse_error *err);
uint64_t cli_params_seed(const copse_params *p);

#endif
