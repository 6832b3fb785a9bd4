#include "auto/auto_fit.h"

#include <math.h>
#include <string.h>

#include "auto/auto_folds.h"
#include "auto/auto_gate.h"
#include "auto/auto_inspect.h"
#include "auto/auto_members.h"
#include "auto/auto_pool.h"
#include "auto/auto_rows.h"
#include "base/log.h"
#include "base/mem.h"

enum {
    MOST_SCORED = 20000,  /* rows that the pool is learnt from */
    MOST_PROBS = 1 << 22, /* rows x classes of them */
    ENOUGH_SCORED = 1500, /* more are not scored, unless the effort is high */
    LEAST_SCORED = 20,    /* with fewer rows nothing is learnt */
    LEAST_PROBED = 200    /* however many classes there are */
};
#define WIDE 2.0 /* the background's standard deviation, in those of the target */

typedef struct fitting {
    const cp_rows *rows; /* all */
    const copse_params *p;
    const copse_run *run;
    uint64_t seed;
    const char *opt_trees;
    cp_auto_shape shape;
    cp_auto *a;
    cp_auto_folds folds;
    cp_auto_rows some; /* those of the folds, in their order */
    size_t scored;     /* folds that are predicted by fits on the others */
    double *mean;      /* numbers: the pool's mean of their rows; NULL: no rows were scored */
} fitting;

/* ------------------------------------------------------------------------------------------------------ background */

static void set_centre(cp_auto *a, const cp_rows *r) {
    double total = 0, mean = 0, var = 0;
    for (size_t i = 0; i < r->n; i++) total += r->weight ? r->weight[i] : 1;
    for (size_t i = 0; i < r->n; i++) mean += (r->weight ? r->weight[i] : 1) / total * r->y[i];
    for (size_t i = 0; i < r->n; i++) {
        double gap = r->y[i] - mean;
        var += (r->weight ? r->weight[i] : 1) / total * gap * gap;
    }
    a->centre = mean;
    a->width = fmax(WIDE * sqrt(var), fmax(fabs(mean) * 1e-6, 1e-60));
}

/* The share of each class, as if each had half a row more. */
static copse_status set_prior(cp_auto *a, const cp_rows *r, copse_error *err) {
    double total = 0, rows = 0;
    CP_TRY(CP_NEW(a->prior, r->classes, err));
    for (size_t i = 0; i < r->n; i++) total += r->weight ? r->weight[i] : 1;
    for (size_t i = 0; i < r->n; i++) a->prior[r->label[i]] += (r->weight ? r->weight[i] : 1) / total * (double)r->n;
    for (size_t k = 0; k < r->classes; k++) rows += a->prior[k] += .5;
    for (size_t k = 0; k < r->classes; k++) a->prior[k] /= rows;
    return COPSE_OK;
}

static copse_status make_state(fitting *f, copse_error *err) {
    const cp_rows *r = f->rows;
    cp_auto *a;
    CP_TRY(CP_NEW(f->a, 1, err));
    a = f->a;
    a->task = r->task;
    a->dims = r->dims;
    a->classes = r->task == COPSE_CLASS ? r->classes : 0;
    a->rows = r->n;
    if (r->levels) {
        CP_TRY(CP_RAW(a->levels, r->dims, err));
        memcpy(a->levels, r->levels, r->dims * sizeof *r->levels);
    }
    if (r->task == COPSE_CLASS) return set_prior(a, r, err);
    set_centre(a, r);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- members */

static copse_status set_params(const fitting *f, size_t i, int trial, copse_params **out, copse_error *err) {
    cp_param_free(*out);
    *out = NULL;
    return cp_auto_members_params(cp_auto_members_get(&f->shape, i), trial, f->seed, f->opt_trees, out, err);
}

static copse_status choose_members(fitting *f, copse_error *err) {
    size_t n = 0;
    while (cp_auto_members_get(&f->shape, n)) n++;
    CP_TRY(CP_NEW(f->a->member, n, err));
    f->a->members = n;
    for (size_t i = 0; i < n; i++) {
        f->a->member[i].method = cp_auto_members_get(&f->shape, i)->method;
        CP_TRY(set_params(f, i, 1, &f->a->member[i].params, err));
    }
    return COPSE_OK;
}

static copse_status fit_member(const fitting *f, const cp_auto_member *m, const cp_rows *rows, void **out,
                               copse_error *err) {
    cp_auto_rows own;
    *out = NULL;
    copse_status status = cp_auto_rows_for(m->method, &f->a->recode, rows, &own, err);
    if (!status) status = cp_auto_rows_fit(m->method, &own.rows, m->params, f->run, out, err);
    cp_auto_rows_clear(&own);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- trials */

/* Fits a member on `seen` and predicts `unseen`. */
static copse_status try_member(const fitting *f, const cp_auto_member *m, const cp_rows *seen, const cp_rows *unseen,
                               cp_answer *out, copse_error *err) {
    void *state;
    cp_auto_rows own = {0};
    copse_status status = fit_member(f, m, seen, &state, err);
    if (!status) status = cp_auto_rows_for(m->method, &f->a->recode, unseen, &own, err);
    if (!status) status = cp_answer_init(out, unseen->task, unseen->n, unseen->classes, err);
    if (!status) status = m->method->predict(state, &own.rows, m->params, out, err);
    if (state) m->method->clear(state);
    cp_auto_rows_clear(&own);
    return status;
}

/* The rows of all folds but one. */
static copse_status gather_others(const fitting *f, size_t fold, cp_auto_rows *out, copse_error *err) {
    size_t n = f->some.rows.n, first = f->folds.start[fold], end = f->folds.start[fold + 1], k = 0, *row;
    *out = (cp_auto_rows){0};
    CP_TRY(CP_RAW(row, n, err));
    for (size_t i = 0; i < n; i++)
        if (i < first || i >= end) row[k++] = i;
    copse_status status = cp_auto_rows_gather(&f->some.rows, row, k, out, err);
    cp_mem_free(row);
    return status;
}

static copse_status try_fold(const fitting *f, size_t fold, cp_answer *out, copse_error *err) {
    cp_auto_rows seen;
    size_t first = f->folds.start[fold], members = f->a->members;
    cp_rows unseen = cp_rows_slice(&f->some.rows, first, f->folds.start[fold + 1] - first);
    copse_status status = gather_others(f, fold, &seen, err);
    for (size_t m = 0; !status && m < members; m++) {
        status = try_member(f, &f->a->member[m], &seen.rows, &unseen, &out[m], err);
        cp_log_progress(f->run, "trying methods", (double)(fold * members + m + 1), (double)(f->scored * members));
    }
    cp_auto_rows_clear(&seen);
    return status;
}

static copse_status learn_pool(fitting *f, copse_error *err) {
    size_t n = f->scored * f->a->members;
    cp_rows rows = cp_rows_slice(&f->some.rows, 0, f->folds.start[f->scored]);
    cp_auto_folds folds = {.n = rows.n, .folds = f->scored, .start = f->folds.start};
    cp_auto_trials t = {.rows = &rows, .folds = &folds};
    copse_status status = COPSE_OK;
    if (f->a->task == COPSE_REGRESS) CP_TRY(CP_RAW(f->mean, rows.n, err));
    CP_TRY(CP_NEW(t.answer, n, err));
    for (size_t k = 0; !status && k < f->scored; k++) status = try_fold(f, k, t.answer + k * f->a->members, err);
    if (!status) status = cp_auto_pool_learn(f->a, &t, f->run, f->mean, err);
    for (size_t i = 0; i < n; i++) cp_answer_clear(&t.answer[i]);
    cp_mem_free(t.answer);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ steps */

static copse_status choose_rows(fitting *f, copse_error *err) {
    const cp_rows *r = f->rows;
    size_t most = MOST_SCORED;
    if (r->task == COPSE_CLASS && MOST_PROBS / r->classes < most) most = MOST_PROBS / r->classes;
    if (most < LEAST_PROBED) most = LEAST_PROBED;
    CP_TRY(cp_auto_folds_init(&f->folds, r, most, f->shape.effort == CP_AUTO_HIGH ? 10 : 5, f->seed, err));
    CP_TRY(cp_auto_rows_gather(r, f->folds.row, f->folds.n, &f->some, err));
    while (f->scored < f->folds.folds && (f->shape.effort == CP_AUTO_HIGH || f->folds.start[f->scored] < ENOUGH_SCORED))
        f->scored++;
    cp_recode_rows raw = {f->some.rows.x, f->some.rows.n, r->dims, r->levels};
    return cp_recode_init(&f->a->recode, &raw, err);
}

/* Fits the members that have a weight, and drops the others. */
static copse_status fit_members(fitting *f, copse_error *err) {
    cp_auto *a = f->a;
    for (size_t m = 0; m < a->members; m++) {
        cp_auto_member *of = &a->member[m];
        if (!(of->weight > 0)) continue;
        CP_TRY(set_params(f, m, 0, &of->params, err));
        CP_TRY(fit_member(f, of, f->rows, &of->state, err));
        cp_log_progress(f->run, "fitting members", (double)(m + 1), (double)a->members);
    }
    size_t kept = 0;
    for (size_t m = 0; m < a->members; m++) {
        if (a->member[m].state) {
            cp_auto_member keep = a->member[m];
            a->member[m] = (cp_auto_member){0};
            a->member[kept++] = keep;
        } else {
            cp_auto_clear_member(&a->member[m]);
        }
    }
    a->members = kept;
    cp_auto_inspect_name(a);
    return COPSE_OK;
}

/* On the pool's means where there are some: the noise of the targets says nothing of distance. */
static copse_status fit_gate(fitting *f, copse_error *err) {
    cp_rows rows = f->some.rows;
    if (f->mean) {
        rows = cp_rows_slice(&rows, 0, f->folds.start[f->scored]);
        rows.y = f->mean;
    }
    return cp_auto_gate_fit(f->a, &rows, &f->folds, f->seed, f->run, err);
}

static copse_status run_steps(fitting *f, copse_error *err) {
    CP_TRY(make_state(f, err));
    CP_TRY(choose_rows(f, err));
    CP_TRY(choose_members(f, err));
    int enough = f->folds.folds >= 2 && f->folds.n >= LEAST_SCORED;
    if (enough && f->a->members > 1)
        CP_TRY(learn_pool(f, err));
    else
        cp_auto_pool_guess(f->a);
    if (enough && f->a->task == COPSE_REGRESS) CP_TRY(fit_gate(f, err));
    return fit_members(f, err);
}

static cp_auto_effort effort_of(const copse_params *p) {
    if (cp_param_is(p, "effort", "low")) return CP_AUTO_LOW;
    return cp_param_is(p, "effort", "high") ? CP_AUTO_HIGH : CP_AUTO_NORMAL;
}

copse_status cp_auto_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                         copse_error *err) {
    const char *trees = cp_param_text(p, "trees");
    fitting f = {.rows = rows,
                 .p = p,
                 .run = run,
                 .seed = (uint64_t)cp_param_int(p, "seed"),
                 .opt_trees = strcmp(trees, "auto") ? trees : NULL,
                 .shape = {rows->task, effort_of(p), rows->n, rows->dims, rows->classes}};
    *out_state = NULL;
    copse_status status = run_steps(&f, err);
    cp_auto_folds_clear(&f.folds);
    cp_auto_rows_clear(&f.some);
    cp_mem_free(f.mean);
    if (status)
        cp_auto_free(f.a);
    else
        *out_state = f.a;
    return status;
}
