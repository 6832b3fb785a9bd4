#include "eval/probe.h"

#include <string.h>

#include "base/mem.h"

copse_status cp_probe_init(cp_probe *p, const copse_model *m, const copse_table *t, const copse_run *run,
                           copse_error *err) {
    *p = (cp_probe){.m = m, .n = t->rows, .serial = {.threads = 1, .stop = run ? run->stop : NULL}};
    if (cp_model_has_draws(m)) p->trees = m->method->trees(m->state);
    CP_TRY(cp_model_settle(m, run, err));
    CP_TRY(CP_RAW(p->x, t->rows * m->schema->dims, err));
    return cp_schema_encode(m->schema, t, 0, t->rows, p->x, err);
}

void cp_probe_clear(cp_probe *p) {
    cp_mem_free(p->x);
    *p = (cp_probe){0};
}

static void change_rows(const cp_probe *p, const cp_probe_change *change, size_t first, size_t n, float *x) {
    const cp_feature *f = change->feature;
    size_t dims = p->m->schema->dims;
    memcpy(x, p->x + first * dims, n * dims * sizeof *x);
    for (size_t i = 0; f && i < n; i++) {
        const float *from = change->order ? p->x + change->order[first + i] * dims + f->first : change->value;
        memcpy(x + i * dims + f->first, from, f->width * sizeof *x);
    }
}

static copse_status ask_one(const cp_probe *p, const cp_rows *rows, int32_t who, cp_answer *out, copse_error *err) {
    cp_question q = {.rows = rows, .n = rows->n, .one_tree = who != CP_NONE, .tree = who};
    return cp_model_ask(p->m, &q, &p->serial, out, err);
}

copse_status cp_probe_ask(const cp_probe *p, const cp_probe_change *change, cp_probe_fn fn, void *arg,
                          copse_error *err) {
    size_t block = cp_model_block(p->m);
    float *x;
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(x, (block < p->n ? block : p->n) * p->m->schema->dims, err));
    for (size_t first = 0; first < p->n && !status; first += block) {
        size_t n = p->n - first < block ? p->n - first : block;
        cp_rows rows = cp_model_rows(p->m, x, n);
        change_rows(p, change, first, n, x);
        for (int32_t who = CP_NONE; who < (int32_t)p->trees && !status; who++) {
            cp_answer answer;
            status = ask_one(p, &rows, who, &answer, err);
            if (!status) fn(arg, who, first, &answer);
            cp_answer_clear(&answer);
        }
    }
    cp_mem_free(x);
    return status;
}
