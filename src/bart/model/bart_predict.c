/* Regression: an equal mixture of a Gaussian N(f(x), sigma^2 s^2(x)) for each draw, with s = 1 if the noise is even;
 * for the mean of y, of f(x) alone.  Two classes: the mean over draws of Phi(offset + f(x)).  More classes: the mean
 * over draws of Phi(offset_k + f_k(x)) over their sum over k.  If the draws themselves are asked for, the answer has
 * those, too.  Rows go through the draws in blocks (bart_walk.h), so that nothing but the answer is kept for all rows.
 * */
#include "bart/model/bart_predict.h"

#include <math.h>

#include "bart/draws/bart_walk.h"
#include "bart/model/bart_model.h"
#include "base/mem.h"
#include "num/math.h"
#include "num/normal.h"

/* The mean of y has no spread in one draw, but a Gaussian needs some.  In units of the targets' range. */
static const float no_sd = 1e-6f;

/* A range of draws, or of rows. */
typedef struct span {
    size_t first, n;
} span;

static span draws_asked(const cp_bart_model *b, const cp_answer *out) {
    if (out->tree == CP_NONE) return (span){0, cp_bart_model_draw_count(b)};
    return (span){(size_t)out->tree, 1};
}

static size_t block_at(const cp_rows *rows, size_t from) {
    return rows->n - from < CP_BART_WALK_BLOCK ? rows->n - from : CP_BART_WALK_BLOCK;
}

/* ---------------------------------------------------------------------------------------------------------- scratch */

typedef struct scratch {
    size_t sums;      /* that of variance trees included */
    cp_bart_walk *w;  /* of each sum of trees; NULL: there is no scratch yet */
    double *p, *mean; /* classes, sums x CP_BART_WALK_BLOCK: of one draw; over draws so far */
} scratch;

static void clear_scratch(void *data) {
    scratch *a = data;
    for (size_t k = 0; a->w && k < a->sums; k++) cp_bart_walk_clear(&a->w[k]);
    cp_mem_free(a->w);
    cp_mem_free(a->p);
    cp_mem_free(a->mean);
    *a = (scratch){0};
}

static copse_status make_scratch(const cp_bart_model *b, scratch *a, copse_error *err) {
    *a = (scratch){.sums = cp_bart_model_draw_sums(b)};
    copse_status status = CP_NEW(a->w, a->sums, err);
    if (!status && b->task == COPSE_CLASS) status = CP_NEW(a->p, b->sums * CP_BART_WALK_BLOCK, err);
    if (!status && b->task == COPSE_CLASS) status = CP_NEW(a->mean, b->sums * CP_BART_WALK_BLOCK, err);
    for (size_t k = 0; !status && k < a->sums; k++) status = cp_bart_walk_init(&a->w[k], &b->draws[k], err);
    if (status) clear_scratch(a);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* The sd of a row's noise from log s^2, as a float above 0. */
static float sd_at(double sigma, float log_variance) {
    double half = fmin(fmax(0.5 * (double)log_variance, -100), 100);
    return (float)fmin(fmax(sigma * cp_math_exp(half), CP_BART_TRACE_LEAST_NOISE), CP_BART_TRACE_MOST_NOISE);
}

static void answer_block(const cp_bart_model *b, cp_bart_walk *w, size_t from, size_t n, cp_answer *out) {
    span s = draws_asked(b, out);
    float f[CP_BART_WALK_BLOCK];
    for (size_t k = 0; k < s.n; k++) {
        double sigma = b->series[CP_BART_SIGMA][s.first + k] / b->scale;
        float sd = out->of_mean ? no_sd : (float)sigma;
        cp_bart_walk_next(w, f);
        for (size_t i = 0; i < n; i++) *cp_answer_gauss(out, from + i, k) = (cp_gauss){f[i], sd};
        if (!b->noise_trees || out->of_mean) continue;
        cp_bart_walk_next(w + 1, f);
        for (size_t i = 0; i < n; i++) cp_answer_gauss(out, from + i, k)->sd = sd_at(sigma, f[i]);
    }
}

static copse_status answer_numbers(const cp_bart_model *b, const cp_rows *rows, scratch *a, cp_answer *out,
                                   copse_error *err) {
    span s = draws_asked(b, out);
    CP_TRY(cp_answer_fill(out, s.n, b->centre, b->scale, err));
    out->in_order = 1;
    for (size_t from = 0; from < rows->n; from += CP_BART_WALK_BLOCK) {
        size_t n = block_at(rows, from);
        for (size_t k = 0; k < (out->of_mean ? b->sums : a->sums); k++) {
            cp_bart_walk_rows(&a->w[k], rows->x + from * rows->dims, n);
            cp_bart_walk_seek(&a->w[k], s.first);
        }
        answer_block(b, a->w, from, n, out);
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- classes */

/* a->p: Phi(offset + f) of each sum in the next draw, raised by 1e-300, so that they can be divided by their sum. */
static void next_draw(const cp_bart_model *b, scratch *a, size_t n) {
    for (size_t k = 0; k < b->sums; k++) {
        float f[CP_BART_WALK_BLOCK];
        double z[CP_BART_WALK_BLOCK], pdf[CP_BART_WALK_BLOCK], *p = a->p + k * CP_BART_WALK_BLOCK;
        cp_bart_walk_next(&a->w[k], f);
        for (size_t i = 0; i < n; i++) z[i] = b->offset[k] + (double)f[i];
        cp_normal_many(z, n, p, pdf);
        for (size_t i = 0; i < n; i++) p[i] += 1e-300;
    }
}

static void add_draw(const cp_bart_model *b, scratch *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double sum = b->sums > 1 ? 0 : 1;
        for (size_t k = 0; b->sums > 1 && k < b->sums; k++) sum += a->p[k * CP_BART_WALK_BLOCK + i];
        for (size_t k = 0; k < b->sums; k++) {
            a->p[k * CP_BART_WALK_BLOCK + i] /= sum;
            a->mean[k * CP_BART_WALK_BLOCK + i] += a->p[k * CP_BART_WALK_BLOCK + i];
        }
    }
}

/* The probability of class k for row i of the block.  With two classes or one there is a single sum, of class 1. */
static double prob_of(const cp_bart_model *b, const double *of_sums, size_t i, size_t k) {
    if (b->sums > 1) return of_sums[k * CP_BART_WALK_BLOCK + i];
    double one = b->classes > 1 ? of_sums[i] : 0;
    return k ? one : 1 - one;
}

static void keep_draw(const cp_bart_model *b, const scratch *a, span rows, size_t draw, const cp_answer *out) {
    for (size_t i = 0; i < rows.n; i++)
        for (size_t k = 0; k < b->classes; k++)
            cp_answer_drawn(out, rows.first + i, k)[draw] = (float)prob_of(b, a->p, i, k);
}

static void write_probs(const cp_bart_model *b, const scratch *a, span rows, const cp_answer *out) {
    double *probs = out->probs + rows.first * out->classes;
    for (size_t i = 0; i < rows.n; i++, probs += out->classes)
        for (size_t k = 0; k < b->classes; k++) probs[k] = prob_of(b, a->mean, i, k);
}

static void answer_classes_of(const cp_bart_model *b, const cp_rows *x, span rows, scratch *a, cp_answer *out) {
    span s = draws_asked(b, out);
    for (size_t k = 0; k < b->sums; k++) {
        cp_bart_walk_rows(&a->w[k], x->x + rows.first * x->dims, rows.n);
        cp_bart_walk_seek(&a->w[k], s.first);
    }
    for (size_t i = 0; i < b->sums * CP_BART_WALK_BLOCK; i++) a->mean[i] = 0;
    for (size_t k = 0; k < s.n; k++) {
        next_draw(b, a, rows.n);
        add_draw(b, a, rows.n);
        if (out->drawn) keep_draw(b, a, rows, k, out);
    }
    for (size_t i = 0; i < b->sums * CP_BART_WALK_BLOCK; i++) a->mean[i] /= (double)s.n;
    write_probs(b, a, rows, out);
}

static copse_status answer_classes(const cp_bart_model *b, const cp_rows *rows, scratch *a, cp_answer *out,
                                   copse_error *err) {
    if (out->of_mean) CP_TRY(cp_answer_fill_drawn(out, draws_asked(b, out).n, err));
    for (size_t from = 0; from < rows->n; from += CP_BART_WALK_BLOCK)
        answer_classes_of(b, rows, (span){from, block_at(rows, from)}, a, out);
    return COPSE_OK;
}

copse_status cp_bart_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                             copse_error *err) {
    const cp_bart_model *b = state;
    scratch own = {0}, *a = &own;
    (void)p;
    if (out->workspace) CP_TRY(cp_workspace_get(out->workspace, sizeof own, clear_scratch, &a, err));
    if (!a->w) CP_TRY(make_scratch(b, a, err));
    copse_status status = (b->task == COPSE_CLASS ? answer_classes : answer_numbers)(b, rows, a, out, err);
    clear_scratch(&own);
    return status;
}
