#include "eval/cv.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/stopwatch.h"
#include "data/schema_target.h"
#include "data/target.h"
#include "eval/folds.h"
#include "eval/score.h"
#include "model/model_encode.h"
#include "model/model_fit.h"

/* What all folds share. */
typedef struct cv_context {
    const copse_table *data;
    copse_roles roles; /* with the task decided */
    const copse_params *params;
    copse_run quiet; /* the caller's run without log and progress: each fit would report the same */
    int32_t *label;  /* classification, else NULL */
    size_t classes;
    int32_t *fold;
    size_t *rows; /* scratch: the rows selected for a fold; room for all rows */
} cv_context;

static void clear_context(cv_context *s) {
    cp_mem_free(s->label);
    cp_mem_free(s->fold);
    cp_mem_free(s->rows);
}

/* Decides the task and finds the labels.  Warnings about the table are logged here, once for all folds. */
static copse_status begin(cv_context *s, const copse_run *run, copse_error *err) {
    cp_schema *schema = NULL;
    unsigned char *missing = NULL;
    size_t n = s->data->rows;
    copse_status status = cp_model_encode_schema(s->data, &s->roles, s->params, run, &schema, err);
    if (status) return status;
    s->roles.task = schema->task;
    CP_TRY_OUT(CP_RAW(s->fold, n, err));
    CP_TRY_OUT(CP_RAW(s->rows, n, err));
    if (schema->task == COPSE_CLASS) {
        s->classes = schema->classes.n;
        CP_TRY_OUT(CP_RAW(s->label, n, err));
        CP_TRY_OUT(CP_NEW(missing, n, err));
        CP_TRY_OUT(cp_schema_target_labels(schema, (cp_table_rows){s->data, 0, n}, s->label, missing, err));
    }
out:
    cp_mem_free(missing);
    cp_schema_free(schema);
    return status;
}

/* inside: the rows of the fold; else all others. */
static copse_status select_rows(const cv_context *s, int32_t fold, int inside, copse_table **out, copse_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < s->data->rows; i++)
        if ((s->fold[i] == fold) == inside) s->rows[n++] = i;
    return cp_table_select(s->data, s->rows, n, out, err);
}

static copse_status run_fold(const cv_context *s, int32_t fold, copse_scores *out, copse_error *err) {
    copse_table *train = NULL, *test = NULL;
    copse_model *model = NULL;
    copse_status status;
    double wall = 0, cpu = 0;
    CP_TRY_OUT(select_rows(s, fold, 0, &train, err));
    cp_stopwatch watch = cp_stopwatch_start();
    CP_TRY_OUT(cp_model_fit_take(&train, &s->roles, s->params, &s->quiet, &model, err));
    cp_stopwatch_add(&watch, &wall, &cpu);
    CP_TRY_OUT(select_rows(s, fold, 1, &test, err));
    CP_TRY_OUT(cp_score_table(model, test, &(copse_eval_options){0}, &s->quiet, out, err));
    out->fit_seconds = wall;
    out->fit_cpu_seconds = cpu;
out:
    cp_model_free(model);
    cp_table_free(train);
    cp_table_free(test);
    return status;
}

static copse_status run_all(const copse_table *data, const copse_roles *roles, const cp_cv_plan *plan,
                            const copse_run *run, copse_scores *out, copse_error *err) {
    cv_context s = {.data = data, .roles = *roles, .params = plan->params, .quiet = run ? *run : (copse_run){0}};
    s.quiet.log = NULL;
    s.quiet.progress = NULL;
    copse_status status;
    CP_TRY_OUT(begin(&s, run, err));
    for (size_t r = 0; r < plan->repeats; r++) {
        cp_folds_plan cut = {.rows = data->rows,
                             .folds = plan->folds,
                             .label = s.label,
                             .classes = s.classes,
                             .seed = plan->seed,
                             .repeat = (uint32_t)r};
        CP_TRY_OUT(cp_folds_assign(&cut, s.fold, err));
        for (size_t f = 0; f < plan->folds; f++) {
            size_t done = r * plan->folds + f;
            cp_log_progress(run, "cross-validation", (double)done, (double)(plan->folds * plan->repeats));
            CP_TRY_OUT(run_fold(&s, (int32_t)f, &out[done], err));
        }
    }
out:
    clear_context(&s);
    return status;
}

/* Rows without a target belong to no fold. */
copse_status cp_cv_run(const copse_table *data, const copse_roles *roles, const cp_cv_plan *plan, const copse_run *run,
                       copse_scores *out, copse_error *err) {
    copse_table *known;
    CP_TRY(cp_target_select(data, roles->target, run, &known, err));
    copse_status status = run_all(known ? known : data, roles, plan, run, out, err);
    cp_table_free(known);
    return status;
}
