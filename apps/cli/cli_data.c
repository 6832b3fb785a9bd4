#include "cli_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_dash.h"
#include "cli_unseen.h"

const cli_option cli_run_options[] = {
    {"threads", 0, "N", "threads to use (default: all cores); never changes a result"},
    {"quiet", 'q', NULL, "no notes on standard error, errors only"},
    {"json", 0, NULL, "print one JSON object instead of text"},
    {"memory-limit", 0, "SIZE", "refuse data, models and work that need more memory, e.g. 500M or 4G"},
    {0},
};

const cli_option cli_read_options[] = {
    {"na", 0, "WORDS", "more words for 'missing', e.g. '?,-999'; saved in models (empty, NA, NaN, null always are)"},
    {"no-header", 0, NULL, "the first line is data; columns are x1, x2, ..."},
    {"categorical", 0, "COLUMNS", "read these as text even if they look like numbers"},
    {"numeric", 0, "COLUMNS", "these must be numbers"},
    {"format", 0, "NAME", "csv, tsv, npy, libsvm or ndjson (default: by name, then by content)"},
    {"delimiter", 0, "CHAR", "character between fields (default: detected among , ; tab |)"},
    {"max-columns", 0, "N", "refuse data with more columns (default 200000)"},
    {0},
};

const cli_option cli_column_options[] = {
    {"target", 't', "COLUMN", "the column to predict"},
    {"task", 0, "class|regress", "default: class for text or few whole numbers, else regress"},
    {"features", 0, "COLUMNS", "learn from these only: names, ranges A..B, wildcards *"},
    {"drop", 0, "COLUMNS", "do not learn from these"},
    {"keep", 0, "COLUMNS", "identifiers: not learnt from (predict --keep copies them)"},
    {"weights", 0, "COLUMN", "row weights for learning, 0 or more, for methods that support them"},
    {"dates", 0, "expand|number|drop|text",
     "columns of dates: time, hour, weekday, month and day of the year (default); time alone; unused; categories"},
    {"ids", 0, "drop|keep", "text that is different in almost every row: not learnt from (default), or learnt from"},
    {"scale", 0, "FILE|none", "column ranges (name,min,max) instead of those of the training rows"},
    {0},
};

const char *cli_source(const char *path) {
    return cli_is_dash(path) ? "<stdin>" : path;
}

copse_status cli_check_sources(const char *model, const char *rows, copse_error *err) {
    if (!cli_is_dash(model) || !cli_is_dash(rows)) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "the model and the rows cannot both come from standard input");
}

void cli_note_terminal(cli *c, const char *path) {
    if (cli_is_dash(path) && isatty(STDIN_FILENO))
        cli_progress_note(&c->progress, "reading rows from the keyboard; Ctrl-D ends them");
}

static copse_status delimiter(const cli *c, char *out, copse_error *err) {
    const char *text = cli_args_text(&c->args, "delimiter");
    if (!text) return COPSE_OK;
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) text = "\t";
    if (strlen(text) != 1)
        return cli_fail(err, COPSE_E_USAGE, "--delimiter: '%.40s' is not one character (or the word tab)", text);
    *out = *text;
    return COPSE_OK;
}

copse_status cli_read_fill(const cli *c, const copse_model *like, copse_read_options *out, copse_error *err) {
    *out = (copse_read_options){
        .format = cli_args_text(&c->args, "format"),
        .no_header = cli_args_has(&c->args, "no-header"),
        .na = cli_args_text(&c->args, "na"),
        .categorical = cli_args_text(&c->args, "categorical"),
        .numeric = cli_args_text(&c->args, "numeric"),
        .like = like,
    };
    uint64_t columns = 0;
    CLI_TRY(cli_args_integer(&c->args, "max-columns", 1, 1e9, &columns, err));
    out->max_columns = (size_t)columns;
    return delimiter(c, &out->delimiter, err);
}

/* Warns if all column names are numbers: the first line is then probably data. */
static void check_header(cli *c, const copse_table *t) {
    for (size_t i = 0; i < copse_table_cols(t); i++) {
        char *end = NULL;
        strtod(copse_table_name(t, i), &end);
        if (end == copse_table_name(t, i) || *end) return;
    }
    cli_progress_note(&c->progress,
                      "warning: the column names are numbers ('%s' ...): if the first line is data, add --no-header",
                      copse_table_name(t, 0));
}

copse_status cli_read_table(cli *c, const char *path, const copse_model *like, copse_table **out, copse_error *err) {
    copse_read_options options;
    *out = NULL;
    cli_note_terminal(c, path);
    CLI_TRY(cli_read_fill(c, like, &options, err));
    CLI_TRY(cli_dash_table(path, &options, &c->run, out, err));
    if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
    if (copse_table_rows(*out) == 0) return cli_fail(err, COPSE_E_DATA, "%s: no rows", cli_source(path));
    if (like) return cli_unseen_warn(c, like, *out, path, err);
    check_header(c, *out);
    copse_table_report(*out, &c->run);
    return COPSE_OK;
}

copse_status cli_load(const cli *c, const char *path, copse_model **out, copse_error *err) {
    cli_progress_exit_on_signals();
    copse_status status = cli_dash_load(path, &c->run, out, err);
    cli_progress_catch_signals();
    return status;
}

copse_status cli_load_with_rows(const cli *c, const char *path, const char *rows, copse_model **out, copse_error *err) {
    copse_model *other = NULL;
    copse_error none = {0};
    copse_status status = cli_load(c, path, out, err);
    if (status != COPSE_E_MODEL || cli_is_dash(rows) || cli_load(c, rows, &other, &none) != COPSE_OK) return status;
    copse_model_free(other);
    size_t n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, "\n%.500s is a model: did you swap the two?", rows);
    return status;
}

/* a, or b, or "a,b", which c->scratch then owns. */
static copse_status join(cli *c, const char *a, const char *b, const char **out, copse_error *err) {
    *out = a ? a : b;
    if (!a || !b) return COPSE_OK;
    free(c->scratch);
    *out = c->scratch = cli_join(a, b);
    return *out ? COPSE_OK : cli_fail_memory(err);
}

/* The index of an option's value among the words, of which the first is the default. */
static copse_status choice(const cli *c, const char *name, const char *const *words, size_t n, int *out,
                           copse_error *err) {
    const char *text = cli_args_text(&c->args, name);
    char list[128] = "";
    *out = 0;
    for (size_t i = 0, used = 0; text && i < n; i++) {
        if (!strcmp(text, words[i])) {
            *out = (int)i;
            return COPSE_OK;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    return text ? cli_fail(err, COPSE_E_USAGE, "--%s: '%.40s' is not one of: %s", name, text, list) : COPSE_OK;
}

/* What becomes of dates and of identifiers. */
static copse_status column_roles(const cli *c, copse_roles *out, copse_error *err) {
    static const char *const dates[] = {"expand", "number", "drop", "text"}, *const ids[] = {"drop", "keep"};
    int chosen;
    CLI_TRY(choice(c, "dates", dates, 4, &chosen, err));
    out->dates = (copse_dates)chosen;
    return choice(c, "ids", ids, 2, &out->keep_ids, err);
}

copse_status cli_roles(cli *c, copse_roles *out, copse_error *err) {
    const char *task = cli_args_text(&c->args, "task");
    *out = (copse_roles){
        .target = cli_args_text(&c->args, "target"),
        .features = cli_args_text(&c->args, "features"),
        .weights = cli_args_text(&c->args, "weights"),
        .scale = cli_dash_input(cli_args_text(&c->args, "scale")),
    };
    if (!out->target) return cli_fail(err, COPSE_E_USAGE, "which column is to be predicted? add -t COLUMN");
    if (task && strcmp(task, "class") == 0)
        out->task = COPSE_CLASS;
    else if (task && strcmp(task, "regress") == 0)
        out->task = COPSE_REGRESS;
    else if (task)
        return cli_fail(err, COPSE_E_USAGE, "--task: '%.40s' is not one of: class, regress", task);
    CLI_TRY(column_roles(c, out, err));
    return join(c, cli_args_text(&c->args, "drop"), cli_args_text(&c->args, "keep"), &out->drop, err);
}

copse_status cli_params(const cli *c, const char *method, int lenient, copse_params **out, copse_error *err) {
    const cli_args *a = &c->args;
    CLI_TRY(copse_params_new(method ? method : "mondrian", out, err));
    for (size_t i = 0; i < a->method_options; i++) {
        const cli_pair *o = &a->method_option[i];
        if (lenient && !copse_params_get(*out, o->name)) continue;
        copse_status status = copse_params_set(*out, o->name, o->value, err);
        if (!status) continue;
        copse_params_free(*out);
        *out = NULL;
        return status;
    }
    return COPSE_OK;
}

uint64_t cli_params_seed(const copse_params *p) {
    const char *text = copse_params_get(p, "seed");
    return text ? strtoull(text, NULL, 10) : 1;
}
