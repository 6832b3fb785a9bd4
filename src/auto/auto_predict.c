#include "auto/auto_predict.h"

#include <math.h>

#include "auto/auto_gate.h"
#include "auto/auto_temper.h"
#include "base/mem.h"

/* What a caller may keep from call to call (method/workspace.h). */
typedef struct scratch {
    size_t members;
    cp_answer *part;    /* of each member */
    cp_workspace *work; /* of each member */
    double *mean;       /* of each member, for the row at hand */
    double *excess;     /* of the gate, for each row */
    float *unit;        /* the rows as members that want [0,1], and the gate, take them */
    size_t cap_excess, cap_unit;
    cp_auto_gate_room gate;
} scratch;

static void clear_scratch(void *data) {
    scratch *s = data;
    for (size_t m = 0; m < s->members; m++) {
        cp_answer_clear(&s->part[m]);
        cp_workspace_clear(&s->work[m]);
    }
    cp_answer_clear(&s->gate.answer);
    cp_workspace_clear(&s->gate.work);
    void *const all[] = {s->part, s->work, s->mean, s->excess, s->unit};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_mem_free(all[i]);
    *s = (scratch){0};
}

static copse_status make_room(const cp_auto *a, const cp_rows *rows, scratch *s, copse_error *err) {
    if (!s->part) CP_TRY(CP_NEW(s->part, a->members, err));
    if (!s->work) CP_TRY(CP_NEW(s->work, a->members, err));
    s->members = a->members;
    if (!s->mean) CP_TRY(CP_RAW(s->mean, a->members, err));
    CP_TRY(CP_GROW(s->excess, s->cap_excess, rows->n, err));
    return CP_GROW(s->unit, s->cap_unit, rows->n * cp_recode_dims(&a->recode), err);
}

static int wants_unit(const cp_auto *a) {
    int wants = a->gate.state != NULL;
    for (size_t m = 0; m < a->members; m++) wants |= !a->member[m].method->takes_raw;
    return wants;
}

static copse_status predict_member(const cp_auto *a, size_t m, const cp_rows *rows, const cp_rows *unit, scratch *s,
                                   copse_error *err) {
    const cp_auto_member *of = &a->member[m];
    CP_TRY(cp_answer_reset(&s->part[m], a->task, rows->n, rows->classes, err));
    s->part[m].workspace = &s->work[m];
    return of->method->predict(of->state, of->method->takes_raw ? rows : unit, of->params, &s->part[m], err);
}

/* ---------------------------------------------------------------------------------------------------------- classes */

static void blend_probs(const cp_auto *a, scratch *s, size_t i, cp_answer *out) {
    double *to = out->probs + i * out->classes;
    for (size_t k = 0; k < out->classes; k++) to[k] = k < a->classes ? a->background * a->prior[k] : 0;
    for (size_t m = 0; m < a->members; m++) {
        double *from = s->part[m].probs + i * out->classes;
        cp_auto_temper(from, out->classes, a->member[m].factor);
        for (size_t k = 0; k < out->classes; k++) to[k] += a->member[m].weight * from[k];
    }
    cp_auto_temper(to, out->classes, a->factor);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* The background, moved and scaled with the pool. */
static cp_component background(const cp_auto *a, double mean, double excess) {
    double scale = a->factor * a->width;
    return (cp_component){a->background, mean + a->factor * (a->centre - mean), sqrt(scale * scale + excess), INFINITY};
}

static copse_status blend_numbers(const cp_auto *a, scratch *s, size_t i, cp_answer *out, copse_error *err) {
    double mean = a->background * a->centre;
    for (size_t m = 0; m < a->members; m++) {
        s->mean[m] = cp_mixture_mean(cp_answer_mixture(&s->part[m], i));
        mean += a->member[m].weight * s->mean[m];
    }
    for (size_t m = 0; m < a->members; m++) {
        cp_mixture from = cp_answer_mixture(&s->part[m], i);
        const cp_auto_member *of = &a->member[m];
        CP_TRY(cp_answer_reserve(out, from.n + 1, err));
        for (size_t k = 0; k < from.n; k++) {
            cp_component c = cp_mixture_at(&from, k);
            double loc = s->mean[m] + of->factor * (c.loc - s->mean[m]), scale = a->factor * of->factor * c.scale;
            c.loc = mean + a->factor * (loc - mean);
            c.scale = sqrt(scale * scale + s->excess[i]);
            c.weight *= of->weight;
            cp_answer_push(out, c);
        }
    }
    cp_answer_push(out, background(a, mean, s->excess[i]));
    cp_answer_end_row(out);
    return COPSE_OK;
}

static copse_status predict(const cp_auto *a, const cp_rows *rows, scratch *s, cp_answer *out, copse_error *err) {
    cp_rows raw = *rows, unit = *rows;
    CP_TRY(make_room(a, rows, s, err));
    raw.x_writable = unit.x_writable = NULL;
    unit.x = s->unit;
    unit.dims = cp_recode_dims(&a->recode);
    unit.levels = NULL;
    if (wants_unit(a)) cp_recode_rows_to(&a->recode, rows->x, rows->n, s->unit);
    for (size_t m = 0; m < a->members; m++) CP_TRY(predict_member(a, m, &raw, &unit, s, err));
    if (a->task == COPSE_CLASS) {
        for (size_t i = 0; i < rows->n; i++) blend_probs(a, s, i, out);
        return COPSE_OK;
    }
    CP_TRY(cp_auto_gate_excess(&a->gate, &unit, &s->gate, s->excess, err));
    /* Nowhere does one know less than the spread of all targets, half the background's. */
    for (size_t i = 0; i < rows->n; i++) s->excess[i] = fmin(s->excess[i], a->width * a->width / 4);
    for (size_t i = 0; i < rows->n; i++) CP_TRY(blend_numbers(a, s, i, out, err));
    return COPSE_OK;
}

copse_status cp_auto_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                             copse_error *err) {
    scratch own = {0}, *s = &own;
    (void)p;
    if (out->workspace) CP_TRY(cp_workspace_get(out->workspace, sizeof own, clear_scratch, &s, err));
    copse_status status = predict(state, rows, s, out, err);
    clear_scratch(&own);
    return status;
}
