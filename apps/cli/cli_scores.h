/* cli_scores - how good a model is, for people and for programs. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "cli.h"
#include "cli_json.h"

/* The metrics as members of the open object; `rows` is the name of the member that holds their number. */
void cli_scores_json(cli_json *j, const copse_scores *s, const char *rows);
/* How long the predictions took. */
void cli_scores_times_json(cli_json *j, const copse_scores *s);
/* The metrics alone, without coverage and reliability. */
void cli_scores_metrics_json(cli_json *j, const copse_scores *s, const char *rows);
void cli_scores_coverage_json(cli_json *j, const copse_scores *s);
/* A line for each metric.  naive: what a guess without a model reaches, shown beside the first; NaN: not shown. */
void cli_scores_print(const copse_scores *s, double naive);
/* The share of the most frequent class of the table, or the standard deviation of its numbers. */
double cli_scores_naive(const copse_model *m, const copse_table *t, const char *opt_weights);

/* The mean of each metric and coverage over n results; rows and times are added up. */
void cli_scores_average(const copse_scores *s, size_t n, copse_scores *out);

/* Every metric of a task by name, for tables and averages; NULL after the last. */
typedef struct cli_metric {
    const char *name; /* as in JSON */
    const char *label;
    double (*get)(const copse_scores *s);
} cli_metric;
const cli_metric *cli_scores_metric(copse_task task, size_t i);

#endif
