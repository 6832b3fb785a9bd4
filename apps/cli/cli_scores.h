/* cli_scores - metrics of a model, as text and as JSON. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "cli.h"
#include "cli_json.h"

/* Writes the metrics as members of the open object; `rows` is the name of the member with the number of rows. */
void cli_scores_json(cli_json *j, const copse_scores *s, const char *rows);
/* Writes the time that the predictions took. */
void cli_scores_times_json(cli_json *j, const copse_scores *s);
/* Writes the metrics without coverage and reliability. */
void cli_scores_metrics_json(cli_json *j, const copse_scores *s, const char *rows);
void cli_scores_coverage_json(cli_json *j, const copse_scores *s);
/* Prints a line per metric.  naive: the first metric of a constant prediction, shown beside it; NaN: not shown. */
void cli_scores_print(const copse_scores *s, double naive);
/* The first metric of a constant prediction: the share of the most frequent class, or the sd of the target. */
double cli_scores_naive(const copse_model *m, const copse_table *t, const char *opt_weights);

/* The class of a row, by name or, in a numeric column, by value; the number of classes if it is none of them. */
size_t cli_scores_class(const copse_model *m, const copse_table *t, size_t row, size_t col);

/* The mean of each metric and coverage over n results; rows and times are summed. */
void cli_scores_average(const copse_scores *s, size_t n, copse_scores *out);

/* The i-th metric of a task, NULL after the last. */
typedef struct cli_metric {
    const char *name; /* as in JSON */
    const char *label;
    double (*get)(const copse_scores *s);
} cli_metric;
const cli_metric *cli_scores_metric(copse_task task, size_t i);
/* The metric by which methods are compared, lower is better: CRPS of numbers, log loss of classes. */
const cli_metric *cli_scores_main_metric(copse_task task);
/* The share of rows that the 90 % intervals hold. */
double cli_scores_coverage90(const copse_scores *s);

#endif
