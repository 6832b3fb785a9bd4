#include "cli_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define METRIC(field)                                  \
    static double get_##field(const copse_scores *s) { \
        return s->field;                               \
    }
METRIC(accuracy)
METRIC(log_loss)
METRIC(brier)
METRIC(ece)
METRIC(auc)
METRIC(rmse)
METRIC(mae)
METRIC(nlpd)
METRIC(crps)
METRIC(sharpness)

static const cli_metric class_metrics[] = {
    {"accuracy", "accuracy", get_accuracy},
    {"log_loss", "log loss", get_log_loss},
    {"brier", "brier", get_brier},
    {"ece", "ece", get_ece},
    {"auc", "auc", get_auc},
    {0},
};
static const cli_metric regress_metrics[] = {
    {"rmse", "rmse", get_rmse},
    {"mae", "mae", get_mae},
    {"nlpd", "nlpd", get_nlpd},
    {"crps", "crps", get_crps},
    {"sharpness", "sharpness", get_sharpness},
    {0},
};

const cli_metric *cli_scores_metric(copse_task task, size_t i) {
    const cli_metric *m = task == COPSE_CLASS ? class_metrics : regress_metrics;
    for (; i > 0 && m->name; i--) m++;
    return m->name ? m : NULL;
}

const cli_metric *cli_scores_main_metric(copse_task task) {
    return task == COPSE_CLASS ? &class_metrics[1] : &regress_metrics[3];
}

double cli_scores_coverage90(const copse_scores *s) {
    return s->coverage[COPSE_LEVELS - 1].observed;
}

static void add_share(copse_scores *sum, const copse_scores *s, double share) {
    sum->accuracy += share * s->accuracy;
    sum->log_loss += share * s->log_loss;
    sum->brier += share * s->brier;
    sum->ece += share * s->ece;
    sum->auc += share * s->auc;
    sum->rmse += share * s->rmse;
    sum->mae += share * s->mae;
    sum->nlpd += share * s->nlpd;
    sum->crps += share * s->crps;
    sum->sharpness += share * s->sharpness;
    for (size_t i = 0; i < COPSE_LEVELS; i++) {
        sum->coverage[i].level = s->coverage[i].level;
        sum->coverage[i].observed += share * s->coverage[i].observed;
        sum->coverage[i].gaussian += share * s->coverage[i].gaussian;
    }
}

void cli_scores_average(const copse_scores *s, size_t n, copse_scores *out) {
    *out = (copse_scores){.task = s->task};
    for (size_t i = 0; i < n; i++) {
        add_share(out, &s[i], 1 / (double)n);
        out->rows += s[i].rows;
        if (s[i].classes > out->classes) out->classes = s[i].classes;
        out->fit_seconds += s[i].fit_seconds;
        out->fit_cpu_seconds += s[i].fit_cpu_seconds;
        out->predict_seconds += s[i].predict_seconds;
        out->predict_cpu_seconds += s[i].predict_cpu_seconds;
    }
}

void cli_scores_coverage_json(cli_json *j, const copse_scores *s) {
    cli_json_array(j, "coverage");
    for (size_t i = 0; i < COPSE_LEVELS; i++) {
        cli_json_object(j, NULL);
        cli_json_number(j, "level", s->coverage[i].level);
        cli_json_number(j, "observed", s->coverage[i].observed);
        cli_json_number(j, "gaussian", s->coverage[i].gaussian);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
}

static void pit_json(cli_json *j, const copse_scores *s) {
    cli_json_array(j, "pit");
    for (size_t i = 0; i < COPSE_BINS; i++) cli_json_size(j, NULL, s->pit[i]);
    cli_json_end_array(j);
}

static void reliability_json(cli_json *j, const copse_scores *s) {
    cli_json_array(j, "reliability");
    for (size_t i = 0; i < COPSE_BINS; i++) {
        cli_json_object(j, NULL);
        cli_json_size(j, "rows", s->reliability[i].rows);
        cli_json_number(j, "confidence", s->reliability[i].confidence);
        cli_json_number(j, "accuracy", s->reliability[i].accuracy);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
}

void cli_scores_metrics_json(cli_json *j, const copse_scores *s, const char *rows) {
    cli_json_text(j, "task", s->task == COPSE_CLASS ? "class" : "regress");
    cli_json_size(j, rows, s->rows);
    if (s->task == COPSE_CLASS) cli_json_size(j, "classes", s->classes);
    const cli_metric *m;
    for (size_t i = 0; (m = cli_scores_metric(s->task, i)) != NULL; i++)
        if (m->get != get_auc || !isnan(s->auc)) cli_json_number(j, m->name, m->get(s));
}

void cli_scores_json(cli_json *j, const copse_scores *s, const char *rows) {
    cli_scores_metrics_json(j, s, rows);
    if (s->task == COPSE_CLASS) {
        reliability_json(j, s);
    } else {
        cli_scores_coverage_json(j, s);
        pit_json(j, s);
    }
    if (s->interval > 0) {
        cli_json_object(j, "interval");
        cli_json_number(j, "level", s->interval);
        cli_json_number(j, "observed", s->interval_observed);
        cli_json_end_object(j);
    }
}

void cli_scores_times_json(cli_json *j, const copse_scores *s) {
    cli_json_number(j, "predict_seconds", s->predict_seconds);
    cli_json_number(j, "predict_cpu_seconds", s->predict_cpu_seconds);
}

/* Prints the coverage of the 50, 80 and 90 % intervals, and the mean error of the coverage over all nine levels. */
static void coverage_print(const copse_scores *s) {
    static const size_t shown[] = {4, 7, 8};
    double off = 0;
    for (size_t i = 0; i < COPSE_LEVELS; i++) off += fabs(s->coverage[i].observed - s->coverage[i].level);
    printf("  %-12s", "coverage");
    for (size_t k = 0; k < 3; k++) {
        const copse_coverage *v = &s->coverage[shown[k]];
        printf("%.0f%% intervals hold %.1f%%%s", 100 * v->level, 100 * v->observed, k < 2 ? ", " : "");
    }
    printf(" (off by %.3f on average)\n", off / COPSE_LEVELS);
}

size_t cli_scores_class(const copse_model *m, const copse_table *t, size_t row, size_t col) {
    const char *text = copse_table_text(t, row, col);
    double number = copse_table_number(t, row, col);
    size_t k = 0;
    for (; k < copse_model_classes(m); k++) {
        const char *name = copse_model_class(m, k);
        if (text ? strcmp(text, name) == 0 : strtod(name, NULL) == number) break;
    }
    return k;
}

static int is_missing(const copse_table *t, size_t row, size_t col) {
    return !copse_table_text(t, row, col) && isnan(copse_table_number(t, row, col));
}

/* The target and the weights of a table. */
typedef struct weighted_target {
    const copse_table *t;
    size_t target, weights; /* columns; weights: (size_t)-1 if there are none */
} weighted_target;

static double weight_of(const weighted_target *v, size_t row) {
    return v->weights == (size_t)-1 ? 1 : copse_table_number(v->t, row, v->weights);
}

static double most_frequent(const copse_model *m, const weighted_target *v) {
    size_t classes = copse_model_classes(m);
    double most = 0, all = 0, *sum = calloc(classes + 1, sizeof *sum);
    if (!sum) return NAN;
    for (size_t i = 0; i < copse_table_rows(v->t); i++) {
        if (is_missing(v->t, i, v->target)) continue; /* as the scores do */
        size_t k = cli_scores_class(m, v->t, i, v->target);
        double weight = weight_of(v, i);
        all += weight;
        sum[k] += weight;
        if (k < classes && sum[k] > most) most = sum[k];
    }
    free(sum);
    return most / all;
}

static double standard_deviation(const weighted_target *v) {
    double mean = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < copse_table_rows(v->t); i++) {
        double x = copse_table_number(v->t, i, v->target), weight = weight_of(v, i), d = x - mean;
        if (isnan(x) || !(weight > 0)) continue;
        sum += weight;
        mean += weight * d / sum;
        squares += weight * d * (x - mean);
    }
    return sqrt(squares / sum);
}

double cli_scores_naive(const copse_model *m, const copse_table *t, const char *opt_weights) {
    weighted_target v = {t, copse_table_find(t, copse_model_target(m)), (size_t)-1};
    if (opt_weights) v.weights = copse_table_find(t, opt_weights);
    if (v.target == (size_t)-1) return NAN;
    return copse_model_task(m) == COPSE_CLASS ? most_frequent(m, &v) : standard_deviation(&v);
}

void cli_scores_print(const copse_scores *s, double naive) {
    const cli_metric *m;
    int class = s->task == COPSE_CLASS;
    for (size_t i = 0; (m = cli_scores_metric(s->task, i)) != NULL; i++) {
        if (isnan(m->get(s))) continue;
        printf(class ? "  %-12s%.4f" : "  %-12s%.5g", m->label, m->get(s));
        if (i == 0 && !isnan(naive))
            printf(class ? "   (the most frequent class alone: %.4f)" : "   (their mean alone: %.5g)", naive);
        putchar('\n');
    }
    if (!class) coverage_print(s);
    if (s->interval > 0)
        cli_say("interval", "%.4g%% intervals hold %.1f%% of the rows", 100 * s->interval, 100 * s->interval_observed);
}
