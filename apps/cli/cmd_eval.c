/* eval - how good a saved model is on rows with known answers. */
#include "cli_data.h"
#include "cli_json.h"
#include "cli_scores.h"

static void print_json(const copse_scores *scores) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_scores_json(&j, scores, "rows");
    cli_scores_times_json(&j, scores);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_text(const copse_model *m, const char *path, const copse_table *test, const copse_scores *scores) {
    char rows[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    printf("%s: %s of '%s' on %s row%s of %s\n", copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m), cli_count(scores->rows, rows),
           cli_plural(scores->rows), cli_source(path));
    cli_scores_print(scores, cli_scores_naive(m, test));
    cli_say("time", "%s to predict", cli_time(scores->predict_seconds, time));
}

static copse_status run(cli *c, copse_error *err) {
    const char *path = cli_args_word(&c->args, 1);
    double interval = 0;
    copse_model *model = NULL;
    copse_table *test = NULL;
    copse_scores scores;
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(cli_check_sources(cli_args_word(&c->args, 0), path, err));
    CLI_TRY_OUT(cli_args_number(&c->args, "interval", 0.001, 0.999, &interval, err));
    CLI_TRY_OUT(cli_load(cli_args_word(&c->args, 0), &model, err));
    CLI_TRY_OUT(cli_read_table(c, path, model, &test, err));
    CLI_TRY_OUT(copse_eval(model, test, interval, &c->run, &scores, err));
    cli_progress_clear(&c->progress);
    if (c->json)
        print_json(&scores);
    else
        print_text(model, path, test, &scores);
out:
    copse_table_free(test);
    copse_model_free(model);
    return status;
}

static const cli_option own[] = {
    {"interval", 0, "LEVEL", "also report how many rows this interval holds, e.g. .95"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", own},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_eval = {
    .name = "eval",
    .words = "MODEL TEST.csv",
    .summary = "how good a model is on rows with known answers",
    .more =
        "Classification: accuracy, log loss, Brier score, expected calibration error, AUC for two classes.\n"
        "Regression: RMSE, MAE, negative log predictive density, CRPS, and the share of rows that fall into the\n"
        "predicted intervals.\n",
    .groups = groups,
    .min_words = 2,
    .max_words = 2,
    .run = run,
};
