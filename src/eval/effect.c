#include "eval/effect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/suggest.h"
#include "data/schema_encode.h"
#include "data/table_match.h"
#include "eval/perturb.h"

typedef struct effect_job {
    const copse_model *m;
    const copse_effect_options *opt;
    const cp_feature *feature;
    cp_perturb perturb;
    copse_effect *e;
} effect_job;

void cp_effect_free(copse_effect *e) {
    if (!e) return;
    for (size_t i = 0; e->text && i < e->points; i++) cp_mem_free(e->text[i]);
    cp_mem_free(e->text);
    cp_mem_free(e->value);
    cp_mem_free(e->mean);
    cp_mem_free(e->lo);
    cp_mem_free(e->hi);
    cp_mem_free(e);
}

static copse_status find_feature(effect_job *s, copse_error *err) {
    const cp_schema *schema = s->m->schema;
    const char *name = s->opt->feature;
    cp_suggest similar = {.word = name};
    for (size_t i = 0; i < schema->features; i++) {
        if (!strcmp(schema->feature[i].name, name)) {
            s->feature = &schema->feature[i];
            return COPSE_OK;
        }
        cp_suggest_try(&similar, schema->feature[i].name);
    }
    if (!similar.best)
        return cp_fail(err, COPSE_E_USAGE, "the model has no feature '%.60s'; 'copse inspect' lists those it has",
                       name);
    return cp_fail(err, COPSE_E_USAGE, "the model has no feature '%.60s'; did you mean '%.60s'?", name, similar.best);
}

/* ------------------------------------------------------------------------------------------------------------ grid */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantiles of the feature at equal steps, from the smallest to the largest value; equal ones are taken once. */
static copse_status pick_numbers(effect_job *s, const copse_table *data, copse_error *err) {
    copse_effect *e = s->e;
    double *v;
    size_t n = 0;
    CP_TRY(CP_RAW(v, data->rows, err));
    copse_status status =
        cp_schema_encode_numbers(s->m->schema, s->feature, (cp_table_rows){data, 0, data->rows}, v, err);
    for (size_t i = 0; i < data->rows && !status; i++)
        if (isfinite(v[i])) v[n++] = v[i];
    qsort(v, n, sizeof *v, by_value);
    for (size_t k = 0; n && k < s->opt->points; k++) {
        size_t at =
            s->opt->points > 1 ? (size_t)((double)(n - 1) * (double)k / (double)(s->opt->points - 1) + .5) : n / 2;
        if (!e->points || v[at] != e->value[e->points - 1]) e->value[e->points++] = v[at];
    }
    cp_mem_free(v);
    if (status) return status;
    if (!n) return cp_fail(err, COPSE_E_DATA, "'%s' has no values in this table", s->feature->name);
    return COPSE_OK;
}

/* The most frequent levels of the training rows. */
static copse_status pick_levels(effect_job *s, copse_error *err) {
    copse_effect *e = s->e;
    const cp_dict *levels = &s->feature->levels;
    size_t n = levels->n < s->opt->points ? levels->n : s->opt->points;
    CP_TRY(CP_NEW(e->text, n + 1, err));
    e->left_out = levels->n - n;
    for (; e->points < n; e->points++) {
        e->value[e->points] = (double)e->points;
        if (!(e->text[e->points] = cp_mem_strdup(cp_dict_text(levels, e->points)))) return cp_fail_memory(err);
    }
    return COPSE_OK;
}

static copse_status pick_values(effect_job *s, const copse_table *data, copse_error *err) {
    return s->feature->kind == COPSE_TEXT ? pick_levels(s, err) : pick_numbers(s, data, err);
}

/* If the model takes missing values as they are, and was trained on some, the last point is the missing value. */
static copse_status make_grid(effect_job *s, const copse_table *data, copse_error *err) {
    CP_TRY(CP_NEW(s->e->value, s->opt->points + 1, err));
    CP_TRY(pick_values(s, data, err));
    if (s->m->schema->raw && s->feature->absent) s->e->value[s->e->points++] = NAN;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ rows */

/* A uniform random sample of opt->rows rows, in their order [Knuth, vol. 2, 3.4.2, algorithm S]. */
static copse_status sample(const effect_job *s, const copse_table *data, copse_table **out, copse_error *err) {
    size_t want = s->opt->rows < data->rows ? s->opt->rows : data->rows, n = 0, *row;
    cp_rng rng;
    CP_TRY(CP_RAW(row, want, err));
    cp_rng_init(&rng, s->opt->seed, CP_FOR_SHUFFLE, UINT32_MAX, 0);
    for (size_t i = 0; i < data->rows && n < want; i++)
        if (cp_rng_below(&rng, data->rows - i) < want - n) row[n++] = i;
    copse_status status = cp_table_select(data, row, want, out, err);
    cp_mem_free(row);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ work */

/* Sums of predictions over rows: of the forest, then of each tree. */
typedef struct sums {
    size_t outputs;
    double *at; /* (1 + trees) x outputs */
} sums;

static void add_answers(void *arg, int32_t tree_id, size_t first, const cp_answer *a) {
    const sums *to = arg;
    double *at = to->at + (size_t)(tree_id + 1) * to->outputs;
    (void)first;
    for (size_t i = 0; i < a->rows; i++) {
        if (a->task == COPSE_REGRESS) at[0] += cp_mixture_mean(cp_answer_mixture(a, i));
        for (size_t k = 0; k < a->classes; k++) at[k] += a->probs[i * a->classes + k];
    }
}

/* By linear interpolation between order statistics; v is sorted. */
static double quantile(const double *v, size_t n, double q) {
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    return low + 1 < n ? v[low] + (at - (double)low) * (v[low + 1] - v[low]) : v[n - 1];
}

static void set_point(const effect_job *s, size_t point, const double *at, double *tree) {
    copse_effect *e = s->e;
    for (size_t k = 0; k < e->outputs; k++) {
        size_t to = point * e->outputs + k;
        e->mean[to] = at[k] / (double)e->rows;
        if (!e->lo) continue;
        for (size_t t = 0; t < s->perturb.trees; t++) tree[t] = at[(1 + t) * e->outputs + k] / (double)e->rows;
        qsort(tree, s->perturb.trees, sizeof *tree, by_value);
        e->lo[to] = quantile(tree, s->perturb.trees, (1 - e->level) / 2);
        e->hi[to] = quantile(tree, s->perturb.trees, (1 + e->level) / 2);
    }
}

static copse_status point_job(void *arg, size_t point, size_t worker, copse_error *err) {
    (void)worker;
    effect_job *s = arg;
    sums to = {.outputs = s->e->outputs};
    double *tree = NULL;
    float *value = NULL;
    copse_status status;
    CP_TRY_OUT(CP_NEW(to.at, (1 + s->perturb.trees) * to.outputs, err));
    CP_TRY_OUT(CP_RAW(tree, s->perturb.trees, err));
    CP_TRY_OUT(CP_RAW(value, s->feature->width, err));
    cp_schema_encode_value(s->m->schema, s->feature, s->e->value[point], value);
    cp_perturb_change change = {.feature = s->feature, .value = value};
    CP_TRY_OUT(cp_perturb_ask(&s->perturb, &change, add_answers, &to, err));
    set_point(s, point, to.at, tree);
out:
    cp_mem_free(to.at);
    cp_mem_free(tree);
    cp_mem_free(value);
    return status;
}

static copse_status make_room(effect_job *s, copse_error *err) {
    copse_effect *e = s->e;
    e->rows = s->perturb.n;
    e->outputs = s->m->schema->task == COPSE_CLASS ? s->m->schema->classes.n : 1;
    CP_TRY(CP_NEW(e->mean, e->points * e->outputs, err));
    if (!s->perturb.trees) return COPSE_OK;
    e->level = s->opt->level;
    CP_TRY(CP_NEW(e->lo, e->points * e->outputs, err));
    return CP_NEW(e->hi, e->points * e->outputs, err);
}

copse_status cp_effect_new(const copse_model *m, const copse_table *data, const copse_effect_options *opt,
                           const copse_run *run, copse_effect **out, copse_error *err) {
    effect_job s = {.m = m, .opt = opt};
    copse_table *rows = NULL;
    copse_status status;
    *out = NULL;
    CP_TRY_OUT(find_feature(&s, err));
    CP_TRY_OUT(CP_NEW(s.e, 1, err));
    CP_TRY_OUT(make_grid(&s, data, err));
    CP_TRY_OUT(sample(&s, data, &rows, err));
    CP_TRY_OUT(cp_perturb_init(&s.perturb, m, rows, run, err));
    CP_TRY_OUT(make_room(&s, err));
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, s.e->points), s.e->points, "effect", point_job, &s, err));
    *out = s.e;
    s.e = NULL;
out:
    cp_effect_free(s.e);
    cp_perturb_clear(&s.perturb);
    cp_table_free(rows);
    return status;
}
