#include "bart/draws/bart_walk.h"

#include <string.h>

#include "base/mem.h"

enum { VECTOR = 16 }; /* rows per iteration, so that the loop is vectorised */

copse_status cp_bart_walk_init(cp_bart_walk *w, const cp_bart_draws *d, copse_error *err) {
    *w = (cp_bart_walk){.d = d};
    copse_status status = CP_NEW(w->x, d->dims * CP_BART_WALK_BLOCK, err);
    if (!status) status = CP_NEW(w->slot, d->trees * CP_BART_WALK_BLOCK, err);
    if (!status) status = CP_NEW(w->run, d->trees, err);
    if (!status) status = CP_NEW(w->leaves, d->trees, err);
    if (status) cp_bart_walk_clear(w);
    return status;
}

void cp_bart_walk_clear(cp_bart_walk *w) {
    cp_mem_free(w->x);
    cp_mem_free(w->slot);
    cp_mem_free(w->run);
    cp_mem_free(w->leaves);
    *w = (cp_bart_walk){0};
}

void cp_bart_walk_rows(cp_bart_walk *w, const float *x, size_t n) {
    size_t dims = w->d->dims;
    w->single = n == 1;
    w->draw = 0;
    if (w->single) {
        memcpy(w->x, x, dims * sizeof *x);
        return;
    }
    w->rows = (n + VECTOR - 1) / VECTOR * VECTOR;
    for (size_t d = 0; d < dims; d++) {
        float *column = w->x + d * CP_BART_WALK_BLOCK;
        for (size_t i = 0; i < n; i++) column[i] = x[i * dims + d];
        for (size_t i = n; i < w->rows; i++) column[i] = 0;
    }
}

/* Sends the only row down a shape. */
static void descend_single(cp_bart_walk *w, const cp_bart_run *run) {
    const cp_bart_rule *rule = w->d->rule + run->rule;
    uint8_t slot = 0;
    for (size_t k = 0; k < run->rules; k++)
        if (slot == rule[k].slot && !(w->x[rule[k].dim] <= rule[k].cut)) slot = (uint8_t)(k + 1);
    w->slot[run->tree] = slot;
    w->leaves[run->tree] = (uint16_t)(run->rules + 1);
}

/* Sends all rows of the block down a shape, rule by rule. */
static void descend(cp_bart_walk *w, size_t run_id) {
    const cp_bart_run *run = &w->d->run[run_id];
    if (w->single) {
        descend_single(w, run);
        return;
    }
    uint8_t *restrict slot = w->slot + (size_t)run->tree * CP_BART_WALK_BLOCK;
    w->run[run->tree] = run_id;
    memset(slot, 0, w->rows);
    for (size_t k = 0; k < run->rules; k++) {
        cp_bart_rule rule = w->d->rule[run->rule + k];
        const float *restrict x = w->x + (size_t)rule.dim * CP_BART_WALK_BLOCK;
        for (size_t from = 0; from < w->rows; from += VECTOR)
            for (size_t i = from; i < from + VECTOR; i++) {
                uint8_t right = x[i] <= rule.cut ? 0 : 0xff, here = slot[i] == rule.slot ? 0xff : 0;
                uint8_t move = right & here;
                slot[i] = (uint8_t)((slot[i] & ~move) | ((k + 1) & move));
            }
    }
}

void cp_bart_walk_seek(cp_bart_walk *w, size_t draw) {
    w->draw = draw;
    if (!draw) return;
    cp_bart_draws_find(w->d, draw - 1, w->run);
    for (size_t m = 0; m < w->d->trees; m++) descend(w, w->run[m]);
}

static float sum_single(const cp_bart_walk *w, const float *mu) {
    float sum = 0;
    for (size_t m = 0; m < w->d->trees; m++) {
        sum += mu[w->slot[m]];
        mu += w->leaves[m];
    }
    return sum;
}

/* Sums in the order of the trees, so that a row's sum does not depend on the other rows of its block. */
void cp_bart_walk_next(cp_bart_walk *w, float out[CP_BART_WALK_BLOCK]) {
    const cp_bart_draws *d = w->d;
    const float *mu = cp_bart_draws_mu(d, w->draw);
    for (size_t i = cp_bart_draws_first_run(d, w->draw); i < d->end_run[w->draw]; i++) descend(w, i);
    if (w->single) {
        out[0] = sum_single(w, mu);
        w->draw++;
        return;
    }
    for (size_t i = 0; i < w->rows; i++) out[i] = 0;
    for (size_t m = 0; m < d->trees; m++) {
        const uint8_t *slot = w->slot + m * CP_BART_WALK_BLOCK;
        for (size_t i = 0; i < w->rows; i++) out[i] += mu[slot[i]];
        mu += d->run[w->run[m]].rules + 1;
    }
    w->draw++;
}
