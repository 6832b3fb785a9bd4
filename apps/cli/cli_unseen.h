/* cli_unseen - counts the levels of text columns that a model was not trained on, over all rows of a command, and warns
 * of them once. */
#ifndef CLI_UNSEEN_H
#define CLI_UNSEEN_H

#include "cli.h"

typedef struct cli_unseen_column {
    size_t rows;
    char *example; /* owned: the first such level */
} cli_unseen_column;

/* All zeros: nothing counted yet. */
typedef struct cli_unseen {
    size_t rows;              /* rows looked at */
    size_t features, columns; /* features of the model; features with such levels */
    cli_unseen_column *at;    /* per feature; NULL while there are no such levels */
} cli_unseen;

copse_status cli_unseen_add(cli_unseen *u, const copse_model *m, const copse_table *t, copse_error *err);
/* Prints a warning per column, for the first few columns. */
void cli_unseen_report(const cli_unseen *u, cli *c, const copse_model *m, const char *path);
void cli_unseen_clear(cli_unseen *u);
/* Counts, warns and clears, for a whole table. */
copse_status cli_unseen_warn(cli *c, const copse_model *m, const copse_table *t, const char *path, copse_error *err);

#endif
