/* cli_unseen - levels of text columns that a model was not trained on: counted over all rows of a command, told
 * once. */
#ifndef CLI_UNSEEN_H
#define CLI_UNSEEN_H

#include "cli.h"

typedef struct cli_unseen_column {
    size_t rows;
    char *example; /* the first level met */
} cli_unseen_column;

/* All zeros is one that has met nothing. */
typedef struct cli_unseen {
    size_t rows;              /* all that were looked at */
    size_t features, columns; /* of the model; those with such levels */
    cli_unseen_column *at;    /* per feature; NULL while there are none */
} cli_unseen;

copse_status cli_unseen_add(cli_unseen *u, const copse_model *m, const copse_table *t, copse_error *err);
/* A warning for each column, if there are few. */
void cli_unseen_tell(const cli_unseen *u, cli *c, const copse_model *m, const char *path);
void cli_unseen_clear(cli_unseen *u);
/* All three, for a table that is there as a whole. */
copse_status cli_unseen_warn(cli *c, const copse_model *m, const copse_table *t, const char *path, copse_error *err);

#endif
