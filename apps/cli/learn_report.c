#include "learn_report.h"

#include <math.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_options_text.h"
#include "cli_scores.h"
#include "learn_save.h"

static void final_json(cli_json *j, const learn_job *l, const char *opt_problem) {
    cli_json_size(j, "left_out", l->without);
    cli_json_size(j, "skipped", l->source.skipped);
    cli_json_number(j, "seconds", l->seconds);
    cli_json_number(j, "learn_cpu_seconds", l->learn_cpu_seconds);
    cli_json_number(j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_text(j, "model", l->out_path);
    cli_json_bool(j, "saved", learn_save_is_complete(l));
    if (opt_problem) cli_json_text(j, "error", opt_problem);
    cli_json_bool(j, "final", 1);
}

/* `rows` of the last line are those of the source that are behind the model; of the others, those scored. */
static void report_json(const learn_job *l, int final, const char *opt_problem) {
    cli_json j = {.file = stdout};
    copse_scores s;
    cli_json_object(&j, NULL);
    cli_json_size(&j, "learnt", l->learnt - l->without);
    cli_json_size(&j, "model_rows", l->model ? copse_model_rows(l->model) : 0);
    if (final) cli_json_size(&j, "rows", learn_save_rows(l));
    if (l->all) {
        copse_scorer_read(l->all, &s);
        if (final)
            cli_scores_json(&j, &s, "scored");
        else
            cli_scores_metrics_json(&j, &s, "rows");
    }
    if (l->window && !final) {
        copse_scorer_read(l->window, &s);
        cli_json_object(&j, "window");
        cli_scores_metrics_json(&j, &s, "rows");
        cli_json_end_object(&j);
    }
    if (final) final_json(&j, l, opt_problem);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

/* Metrics over all rows so far, and over the last window, which shows a drift much sooner. */
static void report_line(learn_job *l) {
    char rows[CLI_NUMBER_SIZE];
    copse_scores all, last;
    copse_scorer_read(l->all, &all);
    copse_scorer_read(l->window, &last);
    int class = all.task == COPSE_CLASS;
    if (l->lines++ == 0)
        printf("%12s %10s %10s %17s %17s\n", "rows", class ? "accuracy" : "rmse", class ? "log loss" : "nlpd",
               class ? "recent accuracy" : "recent rmse", class ? "recent log loss" : "recent nlpd");
    printf("%12s %10.5g %10.5g %17.5g %17.5g\n", cli_count(l->learnt, rows), class ? all.accuracy : all.rmse,
           class ? all.log_loss : all.nlpd, class ? last.accuracy : last.rmse, class ? last.log_loss : last.nlpd);
}

copse_status learn_report(cli *c, learn_job *l, copse_error *err) {
    if (!l->prequential || l->learnt == l->window_start) return COPSE_OK;
    cli_progress_clear(&c->progress);
    if (c->json)
        report_json(l, 0, NULL);
    else
        report_line(l);
    fflush(stdout); /* for a reader of the pipe; errors are reported at the end */
    copse_scorer_free(l->window);
    l->window = NULL;
    l->window_start = l->learnt;
    return copse_scorer_new(l->model, 0, &l->window, err);
}

static void print_end(const learn_job *l) {
    char rows[CLI_NUMBER_SIZE], total[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    copse_scores s;
    size_t all = copse_model_rows(l->model), learnt = l->learnt - l->without;
    printf("%s%s %s row%s of %s in %s", l->lines ? "\n" : "", l->created ? "made a model of" : "learnt",
           cli_count(learnt, rows), cli_plural(learnt), cli_source(l->source.path), cli_time(l->seconds, time));
    if (!l->created) printf("; %s in all", cli_count(all, total));
    if (l->without) printf("; %s without a target left out", cli_count(l->without, total));
    if (l->source.skipped) printf("; %s bad skipped", cli_count(l->source.skipped, total));
    putchar('\n');
    if (l->all) {
        copse_scorer_read(l->all, &s);
        if (s.rows) {
            printf("each row predicted before it was learnt\n");
            cli_scores_print(&s, NAN);
        } else {
            printf("no scores: the first %s row%s (--init-rows) set the scales, and no row came after them\n",
                   cli_count(learnt, rows), cli_plural(learnt));
        }
    }
    printf("saved %s (%s)\n", l->out_path, cli_bytes(cli_file_size(l->out_path), bytes));
}

void learn_report_classes(cli *c, const learn_job *l) {
    size_t n = copse_model_classes(l->model), shown = l->classes + 3 < n ? l->classes + 3 : n;
    char names[3 * 44] = "", more[CLI_NUMBER_SIZE + 16] = "", number[CLI_NUMBER_SIZE];
    for (size_t k = l->classes, used = 0; k < shown; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.38s'", k > l->classes ? ", " : "",
                                 copse_model_class(l->model, k));
    if (n > shown) snprintf(more, sizeof more, " and %s more", cli_count(n - shown, number));
    if (n > l->classes)
        cli_progress_note(&c->progress, "new class%s: %s%s", n == l->classes + 1 ? "" : "es", names, more);
}

void learn_report_bad_rows(cli *c, const learn_job *l) {
    char count[CLI_NUMBER_SIZE], why[CLI_TEXT_SIZE];
    size_t n = l->source.skipped;
    if (!n) return;
    cli_progress_note(&c->progress, "warning: %s bad row%s of %s %s %s%s, the first because: %s", cli_count(n, count),
                      cli_plural(n), cli_source(l->source.path), n == 1 ? "was" : "were",
                      l->source.log_path ? "written to " : "skipped", l->source.log_path ? l->source.log_path : "",
                      cli_options_text_copy(l->source.problem.msg, why));
}

void learn_report_end(const cli *c, const learn_job *l, const char *opt_problem) {
    if (cli_is_dash(l->out_path)) return;
    if (c->json)
        report_json(l, 1, opt_problem);
    else if (!opt_problem)
        print_end(l);
}
