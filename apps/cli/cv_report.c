#include "cv_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli_scores.h"

/* A mean over the folds with its standard error, which is NaN for a single fold. */
typedef struct estimate {
    double mean, error;
} estimate;

static estimate estimate_of(const double *x, size_t n) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return (estimate){mean, sqrt(squares / (double)(n - 1) / (double)n)};
}

/* The metric of an entry less that of another one on the same folds; opt_other NULL: the metric itself. */
static estimate compare(const cv_entry *e, const cv_entry *opt_other, size_t n, const cli_metric *m) {
    double *x = calloc(n, sizeof *x);
    if (!x) return (estimate){NAN, NAN};
    for (size_t i = 0; i < n; i++) x[i] = m->get(&e->fold[i]) - (opt_other ? m->get(&opt_other->fold[i]) : 0);
    estimate result = estimate_of(x, n);
    free(x);
    return result;
}

static copse_task task_of(const cv_result *v) {
    return v->entry[0].mean.task;
}

size_t cv_report_best(const cv_result *v) {
    const cli_metric *m = cli_scores_main_metric(task_of(v));
    size_t best = 0;
    for (size_t i = 1; i < v->entries; i++)
        if (m->get(&v->entry[i].mean) < m->get(&v->entry[best].mean)) best = i;
    return best;
}

/* ------------------------------------------------------------------------------------------------------------ JSON */

static void errors_json(cli_json *j, const cv_entry *e, size_t n) {
    const cli_metric *m;
    cli_json_object(j, "se");
    for (size_t i = 0; (m = cli_scores_metric(e->mean.task, i)) != NULL; i++)
        if (!isnan(m->get(&e->mean))) cli_json_number(j, m->name, compare(e, NULL, n, m).error);
    cli_json_end_object(j);
}

static void folds_json(cli_json *j, const cv_entry *e, size_t n) {
    cli_json_array(j, "folds");
    for (size_t i = 0; i < n; i++) {
        cli_json_object(j, NULL);
        cli_scores_json(j, &e->fold[i], "rows");
        cli_json_number(j, "fit_cpu_seconds", e->fold[i].fit_cpu_seconds);
        cli_scores_times_json(j, &e->fold[i]);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
}

static void entry_json(cli_json *j, const cv_result *v, const cv_entry *e) {
    const cli_metric *m, *main_metric = cli_scores_main_metric(e->mean.task);
    estimate behind = compare(e, &v->entry[cv_report_best(v)], v->n, main_metric);
    cli_json_object(j, NULL);
    cli_json_text(j, "method", copse_params_method(e->params));
    for (size_t i = 0; (m = cli_scores_metric(e->mean.task, i)) != NULL; i++)
        if (!isnan(m->get(&e->mean))) cli_json_number(j, m->name, m->get(&e->mean));
    if (e->mean.task == COPSE_REGRESS) {
        cli_json_number(j, "coverage90", cli_scores_coverage90(&e->mean));
        cli_scores_coverage_json(j, &e->mean);
    }
    cli_json_object(j, "behind");
    cli_json_number(j, main_metric->name, behind.mean);
    cli_json_number(j, "se", behind.error);
    cli_json_end_object(j);
    cli_json_number(j, "fit_cpu_seconds", e->mean.fit_cpu_seconds);
    cli_json_number(j, "predict_cpu_seconds", e->mean.predict_cpu_seconds);
    cli_json_number(j, "peak_rss_mb", e->peak_rss_mb);
    errors_json(j, e, v->n);
    folds_json(j, e, v->n);
    cli_json_end_object(j);
}

void cv_report_json(const cv_result *v) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "task", task_of(v) == COPSE_CLASS ? "class" : "regress");
    cli_json_size(&j, "rows", v->rows);
    cli_json_size(&j, "folds", (size_t)v->folds);
    cli_json_size(&j, "repeats", (size_t)v->repeats);
    cli_json_size(&j, "seed", (size_t)v->seed);
    cli_json_text(&j, "best", copse_params_method(v->entry[cv_report_best(v)].params));
    cli_json_text(&j, "best_by", cli_scores_main_metric(task_of(v))->name);
    cli_json_array(&j, "methods");
    double peak = cli_peak_rss_mb();
    for (size_t i = 0; i < v->entries; i++) {
        entry_json(&j, v, &v->entry[i]);
        if (v->entry[i].peak_rss_mb > peak) peak = v->entry[i].peak_rss_mb;
    }
    cli_json_end_array(&j);
    cli_json_number(&j, "read_seconds", v->read_seconds);
    cli_json_number(&j, "peak_rss_mb", peak);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

/* ------------------------------------------------------------------------------------------------------------ text */

static void print_estimate(estimate x) {
    char cell[64];
    if (isnan(x.error))
        snprintf(cell, sizeof cell, "%.5g", x.mean);
    else
        snprintf(cell, sizeof cell, "%.5g +- %.2g", x.mean, x.error);
    printf("  %19s", cell);
}

static void print_header(const cv_result *v) {
    const cli_metric *m, *main_metric = cli_scores_main_metric(task_of(v));
    printf("  %-10s  %19s  %19s", "method", main_metric->label, "behind the best");
    for (size_t i = 0; (m = cli_scores_metric(task_of(v), i)) != NULL; i++)
        if (m != main_metric && !isnan(m->get(&v->entry[0].mean))) printf("  %9s", m->label);
    if (task_of(v) == COPSE_REGRESS) printf("  %9s", "90% holds");
    printf("  %8s  %8s  %8s\n", "fit", "predict", "memory");
}

static void print_row(const cv_result *v, const cv_entry *e) {
    const cli_metric *m, *main_metric = cli_scores_main_metric(e->mean.task);
    const cv_entry *best = &v->entry[cv_report_best(v)];
    char fit[CLI_NUMBER_SIZE], predict[CLI_NUMBER_SIZE];
    printf("%c %-10s", e == best ? '*' : ' ', copse_params_method(e->params));
    print_estimate(compare(e, NULL, v->n, main_metric));
    if (e == best)
        printf("  %19s", "");
    else
        print_estimate(compare(e, best, v->n, main_metric));
    for (size_t i = 0; (m = cli_scores_metric(e->mean.task, i)) != NULL; i++)
        if (m != main_metric && !isnan(m->get(&e->mean))) printf("  %9.4g", m->get(&e->mean));
    if (e->mean.task == COPSE_REGRESS) printf("  %8.1f%%", 100 * cli_scores_coverage90(&e->mean));
    printf("  %8s  %8s  %5.0f MB\n", cli_time(e->mean.fit_cpu_seconds, fit),
           cli_time(e->mean.predict_cpu_seconds, predict), e->peak_rss_mb);
}

/* Fills order with the entries, the best first; equal ones stay in their order. */
static void sort_entries(const cv_result *v, size_t order[CV_MAX_METHODS]) {
    const cli_metric *m = cli_scores_main_metric(task_of(v));
    for (size_t i = 0; i < v->entries; i++) {
        size_t k = i;
        for (; k > 0 && m->get(&v->entry[i].mean) < m->get(&v->entry[order[k - 1]].mean); k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

/* Names the winner, and the methods that may well be as good. */
static void print_winner(const cv_result *v, const size_t *order) {
    const cli_metric *m = cli_scores_main_metric(task_of(v));
    const cv_entry *best = &v->entry[order[0]];
    size_t close = 0;
    if (v->entries == 1) return;
    printf("best by %s: %s", m->label, copse_params_method(best->params));
    for (size_t i = 1; i < v->entries; i++) {
        estimate behind = compare(&v->entry[order[i]], best, v->n, m);
        if (!(behind.mean < 2 * behind.error)) continue;
        printf("%s%s", close++ ? ", " : "; not clearly worse (less than two standard errors): ",
               copse_params_method(v->entry[order[i]].params));
    }
    putchar('\n');
}

void cv_report_text(const cv_result *v) {
    char rows[CLI_NUMBER_SIZE], repeats[64] = "";
    size_t order[CV_MAX_METHODS];
    if (v->repeats > 1) snprintf(repeats, sizeof repeats, ", %d times", (int)v->repeats);
    printf("%s of '%s': %d folds%s of %s rows (mean +- standard error; fit and predict: CPU time of all folds)\n",
           cli_task_name(task_of(v)), v->target, (int)v->folds, repeats, cli_count(v->rows, rows));
    print_header(v);
    sort_entries(v, order);
    for (size_t k = 0; k < v->entries; k++) print_row(v, &v->entry[order[k]]);
    print_winner(v, order);
}
