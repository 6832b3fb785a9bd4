#include "boost/boost_predict.h"

#include <math.h>

#include "base/mem.h"
#include "tree/tree_walk.h"

enum { SMALL = 512 };  /* scores that are kept on the stack: a row alone needs no memory */
enum { BLOCK = 4096 }; /* rows that walk down a tree while it is in the cache; a multiple of CP_ANSWER_ROWS */

#define MOST_MEAN 1e38 /* of what a float holds; only the leaves of a forged file add up to more */

static void add_trees(const cp_boost *b, const cp_tree_rows *rows, double *f) {
    uint32_t leaf[BLOCK];
    for (size_t i = 0; i < rows->n; i++)
        for (size_t h = 0; h < b->heads; h++) f[i * b->heads + h] = b->start[h];
    for (size_t m = 0; m < b->forest.trees; m++) {
        const cp_tree *t = &b->forest.tree[m];
        double *to = f + cp_boost_head(b, m);
        cp_tree_walk_rows(t, &b->forest, rows, leaf);
        for (size_t i = 0; i < rows->n; i++) to[i * b->heads] += (double)t->value[leaf[i]].mean;
    }
}

static double bounded(double mean) {
    return fmax(-MOST_MEAN, fmin(MOST_MEAN, mean));
}

static void answer_classes(const cp_boost *b, const double *f, size_t first, size_t n, cp_answer *out) {
    for (size_t i = 0; i < n; i++)
        cp_boost_loss_probs(b->loss, f + i * b->heads, b->heads, out->probs + (first + i) * out->classes);
}

static void answer_gauss(const cp_boost *b, const double *f, size_t first, size_t n, cp_answer *out) {
    for (size_t i = 0; i < n; i++, f += b->heads)
        *cp_answer_gauss(out, first + i, 0) = (cp_gauss){(float)bounded(f[0]), (float)cp_boost_scale(b, f)};
}

static copse_status answer_mixture(const cp_boost *b, const double *f, size_t n, cp_answer *out, copse_error *err) {
    const cp_boost_shape *s = &b->shape;
    const double centre = b->forest.centre, unit = b->forest.scale;
    CP_TRY(cp_answer_reserve(out, n * s->n, err));
    for (size_t i = 0; i < n; i++, f += b->heads) {
        double mean = bounded(f[0]), scale = cp_boost_scale(b, f);
        for (size_t k = 0; k < s->n; k++)
            cp_answer_push(out, (cp_component){s->weight[k], centre + unit * (mean + scale * s->loc[k]),
                                               unit * scale * s->sd[k], INFINITY});
        cp_answer_end_row(out);
    }
    return COPSE_OK;
}

static copse_status answer_quantiles(const cp_boost *b, const double *f, size_t n, cp_answer *out, copse_error *err) {
    cp_boost_quantile_unit u = {b->forest.centre, b->forest.scale, sqrt(b->noise), 1 / ((double)b->rows + 2)};
    double score[CP_BOOST_QUANTILES];
    CP_TRY(cp_answer_reserve(out, n * (CP_BOOST_QUANTILES + 1), err));
    for (size_t i = 0; i < n; i++, f += b->heads) {
        for (size_t k = 0; k < b->heads; k++) score[k] = bounded(f[k]);
        cp_boost_quantile_answer(score, &u, out);
    }
    return COPSE_OK;
}

static copse_status answer(const cp_boost *b, const double *f, size_t first, size_t n, cp_answer *out,
                           copse_error *err) {
    if (b->loss == CP_BOOST_QUANTILE) return answer_quantiles(b, f, n, out, err);
    if (b->task == COPSE_REGRESS && b->shape.n) return answer_mixture(b, f, n, out, err);
    if (b->task == COPSE_CLASS)
        answer_classes(b, f, first, n, out);
    else
        answer_gauss(b, f, first, n, out);
    return COPSE_OK;
}

copse_status cp_boost_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                              copse_error *err) {
    const cp_boost *b = state;
    size_t scores = (rows->n < BLOCK ? rows->n : BLOCK) * b->heads;
    double small[SMALL], *f = small;
    (void)p;
    if (b->task == COPSE_REGRESS && b->loss != CP_BOOST_QUANTILE && !b->shape.n)
        CP_TRY(cp_answer_fill(out, 1, b->forest.centre, b->forest.scale, err));
    copse_status status = COPSE_OK;
    if (scores > SMALL) CP_TRY(CP_RAW(f, scores, err));
    for (size_t first = 0; !status && first < rows->n; first += BLOCK) {
        size_t n = rows->n - first < BLOCK ? rows->n - first : BLOCK;
        cp_tree_rows part = {.n = n};
        if (rows->key_block)
            part.key_block = rows->key_block + first * rows->dims;
        else
            part.x = rows->x + first * rows->dims;
        add_trees(b, &part, f);
        status = answer(b, f, first, n, out, err);
    }
    if (f != small) cp_mem_free(f);
    return status;
}
