#include "cli_unseen.h"

#include <stdlib.h>
#include <string.h>

#include "cli_data.h"

enum { MAX_WARNINGS = 8 };

static copse_status count_level(cli_unseen *u, size_t feature, size_t rows, const char *level, copse_error *err) {
    if (!u->at) u->at = calloc(u->features, sizeof *u->at);
    if (!u->at) return cli_fail_memory(err);
    cli_unseen_column *c = &u->at[feature];
    u->columns += !c->rows;
    c->rows += rows;
    if (!c->example) c->example = strdup(level);
    return c->example ? COPSE_OK : cli_fail_memory(err);
}

copse_status cli_unseen_add(cli_unseen *u, const copse_model *m, const copse_table *t, copse_error *err) {
    u->features = copse_model_features(m);
    u->rows += copse_table_rows(t);
    for (size_t i = 0; i < u->features; i++) {
        size_t row, rows = copse_model_unseen(m, t, i, &row);
        if (!rows) continue;
        size_t col = copse_table_find(t, copse_model_feature(m, i));
        CLI_TRY(count_level(u, i, rows, copse_table_text(t, row, col), err));
    }
    return COPSE_OK;
}

void cli_unseen_report(const cli_unseen *u, cli *c, const copse_model *m, const char *path) {
    char some[CLI_NUMBER_SIZE], all[CLI_NUMBER_SIZE];
    for (size_t i = 0, warned = 0; warned < u->columns && warned < MAX_WARNINGS; i++) {
        const cli_unseen_column *col = &u->at[i];
        if (!col->rows) continue;
        warned++;
        cli_progress_note(&c->progress,
                          "warning: %s: '%s' has levels the model was not trained on, e.g. '%.60s', in %s of %s row%s: "
                          "taken to be none of those it knows",
                          cli_source(path), copse_model_feature(m, i), col->example, cli_count(col->rows, some),
                          cli_count(u->rows, all), cli_plural(u->rows));
    }
    if (u->columns > MAX_WARNINGS)
        cli_progress_note(&c->progress, "warning: ... and so in %zu more column%s", u->columns - MAX_WARNINGS,
                          cli_plural(u->columns - MAX_WARNINGS));
}

void cli_unseen_clear(cli_unseen *u) {
    for (size_t i = 0; u->at && i < u->features; i++) free(u->at[i].example);
    free(u->at);
    *u = (cli_unseen){0};
}

copse_status cli_unseen_warn(cli *c, const copse_model *m, const copse_table *t, const char *path, copse_error *err) {
    cli_unseen u = {0};
    copse_status status = cli_unseen_add(&u, m, t, err);
    if (!status) cli_unseen_report(&u, c, m, path);
    cli_unseen_clear(&u);
    return status;
}
