/* eval - scores a saved model on rows with known targets. */
#include "cli_data.h"
#include "cli_json.h"
#include "cli_scores.h"

static void print_json(const copse_scores *scores, const char *weights) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_scores_json(&j, scores, "rows");
    if (weights) cli_json_text(&j, "weights", weights);
    cli_scores_times_json(&j, scores);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_text(const cli *c, const copse_model *m, const copse_table *test, const copse_scores *scores) {
    const char *path = cli_args_operand(&c->args, 1), *weights = cli_args_text(&c->args, "weights");
    char rows[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    printf("%s: %s of '%s' on %s row%s of %s", copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m), cli_count(scores->rows, rows),
           cli_plural(scores->rows), cli_source(path));
    if (weights) printf(", weighted by '%s'", weights);
    putchar('\n');
    cli_scores_print(scores, cli_scores_naive(m, test, weights));
    cli_say("time", "%s to predict", cli_time(scores->predict_seconds, time));
}

static copse_status run(cli *c, copse_error *err) {
    const char *path = cli_args_operand(&c->args, 1);
    copse_eval_options options = {.weights = cli_args_text(&c->args, "weights")};
    copse_model *model = NULL;
    copse_table *test = NULL;
    copse_scores scores;
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(cli_check_sources(cli_args_operand(&c->args, 0), path, err));
    CLI_TRY_OUT(cli_args_share(&c->args, "interval", 0.001, 0.999, &options.interval, err));
    CLI_TRY_OUT(cli_load_with_rows(c, cli_args_operand(&c->args, 0), path, &model, err));
    CLI_TRY_OUT(cli_read_table(c, path, model, &test, err));
    CLI_TRY_OUT(copse_eval(model, test, &options, &c->run, &scores, err));
    cli_progress_clear(&c->progress);
    if (c->json)
        print_json(&scores, options.weights);
    else
        print_text(c, model, test, &scores);
out:
    copse_table_free(test);
    copse_model_free(model);
    return status;
}

static const cli_option command_options[] = {
    {"interval", 0, "LEVEL", "also report the coverage of this interval, e.g. .95"},
    {"weights", 0, "COLUMN", "row weights for the scores, 0 or more (default: all rows count alike)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_eval = {
    .name = "eval",
    .operands = "MODEL TEST.csv",
    .summary = "score a model on rows with known targets",
    .more =
        "Classification: accuracy, log loss, Brier score, expected calibration error, AUC for two classes.\n"
        "Regression: RMSE, MAE, negative log predictive density, CRPS, and the coverage of the\n"
        "predicted intervals.\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
