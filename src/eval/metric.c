#include "eval/metric.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "num/math.h"
#include "num/mixture_crps.h"
#include "num/special.h"

static double level_of(size_t i) {
    return (double)(i + 1) / (COPSE_LEVELS + 1);
}

void cp_metric_init(cp_metric *m, copse_task task, double interval) {
    *m = (cp_metric){.task = task, .interval = interval};
    for (size_t i = 0; i < COPSE_LEVELS; i++) m->z[i] = cp_special_normal_quantile(0.5 + 0.5 * level_of(i));
}

void cp_metric_clear(cp_metric *m) {
    cp_auc_clear(&m->auc);
    cp_mem_free(m->scratch);
    m->scratch = NULL;
    m->cap_scratch = 0;
}

/* Rows of weight 0 are not scored. */
static double weight_of(const cp_truth *truth, size_t i) {
    if (truth->missing && truth->missing[i]) return 0;
    return truth->weight ? truth->weight[i] : 1;
}

/* ------------------------------------------------------------------------------------------------- classification */

static size_t confidence_bin(double confidence) {
    double bin = ceil(confidence * COPSE_BINS) - 1;
    return bin < 0 ? 0 : bin >= COPSE_BINS ? COPSE_BINS - 1 : (size_t)bin;
}

static void add_class_row(cp_metric *m, const cp_answer *a, size_t row, int32_t label, double weight) {
    const double *p = a->probs + row * a->classes;
    size_t classes = a->classes, best = cp_answer_label(a, row);
    int known = label != CP_NONE && (size_t)label < classes;
    double p_true = known ? p[label] : 0, squares = known ? 0 : 1;
    for (size_t k = 0; k < classes; k++) {
        double gap = known && k == (size_t)label ? 1 - p[k] : p[k];
        squares += gap * gap;
    }
    double hit = known && best == (size_t)label;
    m->unseen += !known;
    m->hits += weight * hit;
    m->log_loss -= weight * cp_math_log(fmin(fmax(p_true, 1e-15), 1)); /* a sum of shares may exceed 1 by rounding */
    m->brier += weight * squares;
    size_t bin = confidence_bin(p[best]);
    m->bin[bin].rows++;
    m->bin[bin].weight += weight;
    m->bin[bin].confidence += weight * p[best];
    m->bin[bin].hits += weight * hit;
    if (known && m->classes <= 2) cp_auc_add(&m->auc, (cp_auc_row){classes > 1 ? p[1] : 0, weight}, label == 1);
}

static copse_status add_classes(cp_metric *m, const cp_answer *a, const cp_truth *truth, copse_error *err) {
    size_t classes = m->classes > a->classes ? m->classes : a->classes;
    if (classes <= 2)
        CP_TRY(cp_auc_reserve(&m->auc, a->rows, err));
    else
        cp_auc_clear(&m->auc);
    m->classes = classes;
    for (size_t i = 0; i < a->rows; i++) {
        double weight = weight_of(truth, i);
        if (!(weight > 0)) continue;
        add_class_row(m, a, i, truth->label[i], weight);
        m->rows++;
        m->weight += weight;
    }
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------- regression */

static cp_metric_row score_row(cp_mixture m, double y) {
    return (cp_metric_row){.error = y - cp_mixture_mean(m),
                           .sd = sqrt(cp_mixture_var(m)),
                           .log_density = cp_mixture_log_density(m, y),
                           .crps = cp_mixture_crps(m, y),
                           .cdf = cp_mixture_cdf(m, y)};
}

enum { ROWS_PER_JOB = 64 };

typedef struct score_work {
    const cp_answer *a;
    const cp_truth *truth;
    cp_metric_row *out;
} score_work;

static copse_status score_job(void *arg, size_t job, size_t worker, copse_error *err) {
    (void)worker;
    (void)err;
    const score_work *w = arg;
    size_t from = job * ROWS_PER_JOB, to = from + ROWS_PER_JOB;
    for (size_t i = from; i < to && i < w->a->rows; i++) {
        if (!(weight_of(w->truth, i) > 0)) continue;
        w->out[i] = score_row(cp_answer_mixture(w->a, i), w->truth->y[i]);
    }
    return COPSE_OK;
}

static void add_number_row(cp_metric *m, const cp_metric_row *s, double weight) {
    double distance = fabs(2 * s->cdf - 1); /* from the median, in probability: 0 ... 1 */
    m->squares += weight * s->error * s->error;
    m->absolute += weight * fabs(s->error);
    m->log_density += weight * s->log_density;
    m->crps += weight * s->crps;
    m->sd += weight * s->sd;
    for (size_t i = 0; i < COPSE_LEVELS; i++) {
        m->observed[i] += distance <= level_of(i) ? weight : 0;
        m->gaussian[i] += fabs(s->error) <= m->z[i] * s->sd ? weight : 0;
    }
    m->in_interval += distance <= m->interval ? weight : 0;
    double bin = floor(s->cdf * COPSE_BINS);
    m->pit[bin >= COPSE_BINS ? COPSE_BINS - 1 : (size_t)bin]++;
}

/* Threads score the rows in any order; the sums then run in row order. */
static copse_status add_numbers(cp_metric *m, const cp_answer *a, const cp_truth *truth, const copse_run *run,
                                copse_error *err) {
    CP_TRY(CP_GROW(m->scratch, m->cap_scratch, a->rows, err));
    size_t jobs = (a->rows + ROWS_PER_JOB - 1) / ROWS_PER_JOB;
    score_work work = {.a = a, .truth = truth, .out = m->scratch};
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, jobs), jobs, NULL, score_job, &work, err));
    for (size_t i = 0; i < a->rows; i++) {
        double weight = weight_of(truth, i);
        if (!(weight > 0)) continue;
        add_number_row(m, &m->scratch[i], weight);
        m->rows++;
        m->weight += weight;
    }
    return COPSE_OK;
}

copse_status cp_metric_add(cp_metric *m, const cp_answer *a, const cp_truth *truth, const copse_run *run,
                           copse_error *err) {
    CP_BUG(a->task != m->task);
    return m->task == COPSE_CLASS ? add_classes(m, a, truth, err) : add_numbers(m, a, truth, run, err);
}

/* --------------------------------------------------------------------------------------------------------- reading */

static void read_classes(const cp_metric *m, copse_scores *out) {
    double n = m->weight;
    out->classes = m->classes;
    out->accuracy = m->hits / n;
    out->log_loss = m->log_loss / n;
    out->brier = m->brier / n;
    out->auc = m->classes == 2 ? cp_auc_read(&m->auc) : NAN;
    out->ece = m->rows ? 0 : NAN;
    for (size_t b = 0; b < COPSE_BINS; b++) {
        double in_bin = m->bin[b].weight;
        out->reliability[b].rows = m->bin[b].rows;
        out->reliability[b].confidence = m->bin[b].confidence / in_bin;
        out->reliability[b].accuracy = m->bin[b].hits / in_bin;
        if (m->bin[b].rows) out->ece += fabs(m->bin[b].hits - m->bin[b].confidence) / n;
    }
}

static void read_numbers(const cp_metric *m, copse_scores *out) {
    double n = m->weight;
    out->rmse = sqrt(m->squares / n);
    out->mae = m->absolute / n;
    out->nlpd = -m->log_density / n;
    out->crps = m->crps / n;
    out->sharpness = m->sd / n;
    for (size_t i = 0; i < COPSE_LEVELS; i++)
        out->coverage[i] =
            (copse_coverage){.level = level_of(i), .observed = m->observed[i] / n, .gaussian = m->gaussian[i] / n};
    for (size_t b = 0; b < COPSE_BINS; b++) out->pit[b] = m->pit[b];
    out->interval = m->interval;
    out->interval_observed = m->interval > 0 ? m->in_interval / n : 0;
}

void cp_metric_read(const cp_metric *m, copse_scores *out) {
    double seconds = out->predict_seconds, cpu = out->predict_cpu_seconds;
    *out = (copse_scores){.task = m->task, .rows = m->rows, .predict_seconds = seconds, .predict_cpu_seconds = cpu};
    if (m->task == COPSE_CLASS)
        read_classes(m, out);
    else
        read_numbers(m, out);
}
