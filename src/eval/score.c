#include "eval/score.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "data/schema_target.h"
#include "data/schema_weights.h"
#include "model/model_predict.h"

copse_status cp_score_check_interval(double interval, copse_error *err) {
    if (interval == 0 || (interval > 0 && interval < 1)) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "an interval of level %g cannot be: give a level between 0 and 1", interval);
}

copse_status cp_score_read_targets(const cp_schema *s, const copse_table *t, size_t first, size_t n,
                                   cp_score_targets *out, copse_error *err) {
    *out = (cp_score_targets){0};
    CP_TRY(CP_NEW(out->missing, n, err));
    if (s->task == COPSE_CLASS) {
        CP_TRY(CP_RAW(out->label, n, err));
        return cp_schema_target_labels(s, (cp_table_rows){t, first, n}, out->label, out->missing, err);
    }
    CP_TRY(CP_RAW(out->y, n, err));
    return cp_schema_target_numbers(s, (cp_table_rows){t, first, n}, out->y, out->missing, err);
}

void cp_score_clear_targets(cp_score_targets *t) {
    cp_mem_free(t->y);
    cp_mem_free(t->label);
    cp_mem_free(t->missing);
}

copse_status cp_score_add(cp_metric *metric, const copse_model *model, const cp_score_rows *part, const copse_run *run,
                          copse_error *err) {
    size_t n = part->answer->rows, have = part->truth->rows;
    if (part->first > have || n > have - part->first)
        return cp_fail(err, COPSE_E_USAGE, "%zu prediction%s from row %zu on, but the table has %zu row%s", n,
                       cp_plural(n), part->first + 1, have, cp_plural(have));
    cp_score_targets t;
    copse_status status = cp_score_read_targets(model->schema, part->truth, part->first, n, &t, err);
    if (!status) {
        cp_truth truth = {.y = t.y, .label = t.label, .missing = t.missing};
        if (part->weight) truth.weight = part->weight + part->first;
        status = cp_metric_add(metric, part->answer, &truth, run, err);
    }
    cp_score_clear_targets(&t);
    return status;
}

/* Rows of a block: enough to occupy every thread. */
static size_t block_of(const copse_model *model, const copse_run *run) {
    return cp_model_predict_block(model) * cp_parallel_workers(run, SIZE_MAX);
}

/* Predicts one block and scores it; the times are those of the prediction alone. */
static copse_status score_block(const copse_model *model, cp_score_rows part, const copse_run *run, cp_metric *metric,
                                copse_scores *times, copse_error *err) {
    cp_answer answer;
    size_t left = part.truth->rows - part.first, block = block_of(model, run), n = left < block ? left : block;
    cp_stopwatch watch = cp_stopwatch_start();
    copse_status status =
        cp_model_predict(model, &(cp_model_query){.table = part.truth, .first = part.first, .n = n}, run, &answer, err);
    cp_stopwatch_add(&watch, &times->predict_seconds, &times->predict_cpu_seconds);
    part.answer = &answer;
    if (!status) status = cp_score_add(metric, model, &part, run, err);
    cp_answer_clear(&answer);
    return status;
}

static void warn_of_unseen(const cp_metric *m, const copse_run *run) {
    if (!m->unseen) return;
    cp_log_warn(run, "%zu of %zu row%s %s of a class the model has never seen: wrong whatever it says", m->unseen,
                m->rows, cp_plural(m->rows), m->unseen == 1 ? "is" : "are");
}

static copse_status score_blocks(const copse_model *model, cp_score_rows part, const copse_run *run, cp_metric *metric,
                                 copse_scores *times, copse_error *err) {
    size_t rows = part.truth->rows, block = block_of(model, run);
    for (; part.first < rows; part.first += block) {
        cp_log_progress(run, "scoring", (double)part.first, (double)rows);
        CP_TRY(score_block(model, part, run, metric, times, err));
    }
    return COPSE_OK;
}

copse_status cp_score_table(const copse_model *model, const copse_table *test, const copse_eval_options *opt,
                            const copse_run *run, copse_scores *out, copse_error *err) {
    *out = (copse_scores){0};
    CP_TRY(cp_score_check_interval(opt->interval, err));
    cp_metric metric;
    double *weight = NULL;
    copse_status status = COPSE_OK;
    cp_metric_init(&metric, model->schema->task, opt->interval);
    if (opt->weights) {
        CP_TRY_OUT(CP_RAW(weight, test->rows, err));
        CP_TRY_OUT(cp_schema_weights(test, opt->weights, weight, err));
    }
    CP_TRY_OUT(score_blocks(model, (cp_score_rows){.truth = test, .weight = weight}, run, &metric, out, err));
    if (!metric.rows)
        CP_TRY_OUT(cp_fail(err, COPSE_E_DATA, "no row has a value in the target column '%s'%s: nothing to score",
                           model->schema->target, weight ? " and a weight above 0" : ""));
    warn_of_unseen(&metric, run);
    cp_metric_read(&metric, out);
out:
    cp_mem_free(weight);
    cp_metric_clear(&metric);
    return status;
}
