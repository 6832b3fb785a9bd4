#include "auto/auto_gate.h"

#include "auto/auto_members.h"
#include "auto/auto_rows.h"
#include "base/mem.h"
#include "kernel/sort.h"

enum { MOST_ROWS = 5000 };
#define REFERENCE_QUANTILE .9
#define FACTOR             4.0

void cp_auto_gate_clear(cp_auto_gate *g) {
    if (g->state) g->method->clear(g->state);
    cp_param_free(g->params);
    *g = (cp_auto_gate){0};
}

/* The variance that a forest predicts for each unit row. */
static copse_status variances(const cp_auto_gate *g, const void *state, const cp_rows *unit, cp_auto_gate_room *room,
                              double *out, copse_error *err) {
    CP_TRY(cp_answer_reset(&room->answer, COPSE_REGRESS, unit->n, 0, err));
    room->answer.workspace = &room->work;
    CP_TRY(g->method->predict(state, unit, g->params, &room->answer, err));
    for (size_t i = 0; i < unit->n; i++) out[i] = cp_mixture_var(cp_answer_mixture(&room->answer, i));
    return COPSE_OK;
}

/* By the keys of floats: the digits that are lost do not matter here. */
static copse_status quantile(const double *x, size_t n, double q, double *out, copse_error *err) {
    uint64_t *key;
    CP_TRY(CP_RAW(key, 2 * n, err));
    for (size_t i = 0; i < n; i++) key[i] = (uint64_t)cp_sort_from_float((float)x[i]) << 32 | i;
    cp_sort_wide(key, n, key + n);
    *out = x[key[(size_t)(q * (double)(n - 1))] & 0xffffffffu];
    cp_mem_free(key);
    return COPSE_OK;
}

/* The reference: the first `held` rows are predicted by a forest of the others. */
static copse_status find_reference(cp_auto_gate *g, const cp_rows *unit, size_t held, const copse_run *run,
                                   copse_error *err) {
    cp_rows seen = cp_rows_slice(unit, held, unit->n - held), unseen = cp_rows_slice(unit, 0, held);
    cp_auto_gate_room room = {0};
    void *state = NULL;
    double *v;
    CP_TRY(CP_RAW(v, held, err));
    copse_status status = cp_auto_rows_fit(g->method, &seen, g->params, run, &state, err);
    if (!status) status = variances(g, state, &unseen, &room, v, err);
    if (!status) status = quantile(v, held, REFERENCE_QUANTILE, &g->reference, err);
    if (state) g->method->clear(state);
    cp_answer_clear(&room.answer);
    cp_workspace_clear(&room.work);
    cp_mem_free(v);
    return status;
}

copse_status cp_auto_gate_fit(cp_auto *a, const cp_rows *rows, const cp_auto_folds *folds, uint64_t seed,
                              const copse_run *run, copse_error *err) {
    cp_rows some = cp_rows_slice(rows, 0, MOST_ROWS);
    cp_auto_gate *g = &a->gate;
    cp_auto_rows unit;
    size_t held = folds->start[1] < some.n / 2 ? folds->start[1] : some.n / 2;
    g->factor = FACTOR;
    g->method = cp_auto_members_gate.method;
    CP_TRY(cp_auto_members_params(&cp_auto_members_gate, 0, seed, NULL, &g->params, err));
    copse_status status = cp_auto_rows_for(g->method, &a->recode, &some, &unit, err);
    if (!status) status = find_reference(g, &unit.rows, held, run, err);
    if (!status) status = cp_auto_rows_fit(g->method, &unit.rows, g->params, run, &g->state, err);
    cp_auto_rows_clear(&unit);
    return status;
}

copse_status cp_auto_gate_excess(const cp_auto_gate *g, const cp_rows *unit, cp_auto_gate_room *room, double *out,
                                 copse_error *err) {
    for (size_t i = 0; i < unit->n; i++) out[i] = 0;
    if (!g->state) return COPSE_OK;
    CP_TRY(variances(g, g->state, unit, room, out, err));
    for (size_t i = 0; i < unit->n; i++) out[i] = out[i] > g->reference ? g->factor * (out[i] - g->reference) : 0;
    return COPSE_OK;
}
