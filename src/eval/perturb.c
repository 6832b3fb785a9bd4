#include "eval/perturb.h"

#include <string.h>

#include "base/mem.h"
#include "data/schema_encode.h"
#include "model/model_predict.h"

/* Weighted trees, and draws of sums of trees, may be very many: DRAWS of them stand for all. */
enum { DRAWS = 200 };

/* Draws have equal weights: DRAWS of them at equal distances, or all if there are no more. */
static copse_status spread_draws(cp_perturb *p, size_t draws, copse_error *err) {
    p->trees = draws < DRAWS ? draws : DRAWS;
    CP_TRY(CP_RAW(p->tree, p->trees, err));
    for (size_t n = 0; n < p->trees; n++) p->tree[n] = (int32_t)((2 * n + 1) * draws / (2 * p->trees));
    return COPSE_OK;
}

/* Systematic sampling: tree t is taken DRAWS times its weight, rounded up or down. */
static copse_status draw_trees(cp_perturb *p, size_t trees, copse_error *err) {
    double sum = 0;
    size_t n = 0;
    CP_TRY(CP_RAW(p->tree, DRAWS, err));
    for (size_t t = 0; t < trees; t++) {
        sum += p->m->method->inspect.tree_shape(p->m->state, t).weight;
        while (n < DRAWS && ((double)n + 0.5) / DRAWS < sum) p->tree[n++] = (int32_t)t;
    }
    while (n < DRAWS) p->tree[n++] = (int32_t)trees - 1;
    p->trees = DRAWS;
    return COPSE_OK;
}

copse_status cp_perturb_init(cp_perturb *p, const copse_model *m, const copse_table *t, const copse_run *run,
                             copse_error *err) {
    *p = (cp_perturb){.m = m, .n = t->rows, .serial = {.threads = 1, .stop = run ? run->stop : NULL}};
    if (cp_model_has_draws(m)) p->trees = cp_model_draws(m);
    CP_TRY(cp_model_refresh(m, run, err));
    if (p->trees && m->method->draws)
        CP_TRY(spread_draws(p, p->trees, err));
    else if (p->trees && m->method->inspect.tree_shape)
        CP_TRY(draw_trees(p, p->trees, err));
    CP_TRY(CP_RAW(p->x, t->rows * m->schema->dims, err));
    return cp_schema_encode(m->schema, (cp_table_rows){t, 0, t->rows}, p->x, err);
}

void cp_perturb_clear(cp_perturb *p) {
    cp_mem_free(p->x);
    cp_mem_free(p->tree);
    *p = (cp_perturb){0};
}

static void change_rows(const cp_perturb *p, const cp_perturb_change *change, size_t first, size_t n, float *x) {
    const cp_feature *f = change->feature;
    size_t dims = p->m->schema->dims;
    memcpy(x, p->x + first * dims, n * dims * sizeof *x);
    for (size_t i = 0; f && i < n; i++) {
        const float *from = change->order ? p->x + change->order[first + i] * dims + f->first : change->value;
        memcpy(x + i * dims + f->first, from, f->width * sizeof *x);
    }
}

static copse_status ask_one(const cp_perturb *p, const cp_rows *rows, int32_t tree_id, cp_answer *out,
                            copse_error *err) {
    cp_model_query q = {.rows = rows, .n = rows->n, .one_tree = tree_id != CP_NONE, .tree = tree_id};
    if (q.one_tree && p->tree) q.tree = p->tree[tree_id];
    return cp_model_predict(p->m, &q, &p->serial, out, err);
}

/* Rows predicted at a time.  A stop takes effect after such a block, and larger blocks are hardly faster. */
enum { BLOCK = 4096 };

copse_status cp_perturb_ask(const cp_perturb *p, const cp_perturb_change *change, cp_perturb_fn fn, void *arg,
                            copse_error *err) {
    size_t block = cp_model_predict_block(p->m);
    if (block > BLOCK) block = BLOCK;
    float *x;
    copse_status status = COPSE_OK;
    CP_TRY(CP_RAW(x, (block < p->n ? block : p->n) * p->m->schema->dims, err));
    for (size_t first = 0; first < p->n && !status; first += block) {
        size_t n = p->n - first < block ? p->n - first : block;
        cp_rows rows = cp_model_rows(p->m, x, n);
        change_rows(p, change, first, n, x);
        for (int32_t tree_id = CP_NONE; tree_id < (int32_t)p->trees && !status; tree_id++) {
            cp_answer answer;
            status = ask_one(p, &rows, tree_id, &answer, err);
            if (!status) fn(arg, tree_id, first, &answer);
            cp_answer_clear(&answer);
        }
    }
    cp_mem_free(x);
    return status;
}
