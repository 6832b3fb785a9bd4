/* greedy_predict - what a forest says of new rows.
 *
 * Classes: the mean over trees of (w_k + alpha / K) / (w + alpha), w_k the weight of class k in the leaf a row falls in.
 * Numbers: an equal mixture of one Gaussian per tree, at the mean of that leaf, with the variance of greedy_spread.h. */
#include <math.h>

#include "base/mem.h"
#include "greedy/greedy.h"
#include "tree/tree_walk.h"

enum { BLOCK = 4096 }; /* rows that pass through a tree while it is in the cache */

/* Trees first ... end-1 are asked. */
typedef struct question {
    const cp_greedy *g;
    const cp_rows *rows;
    size_t first, end;
    int of_mean;
    int plain; /* no value of the rows is missing */
    double alpha;
} question;

static void walk(const question *q, const cp_tree *t, size_t first, size_t n, uint32_t *leaf) {
    (q->plain ? cp_tree_walk_plain : cp_tree_walk)(t, &q->g->forest, q->rows->x + first * q->rows->dims, n, leaf);
}

/* ------------------------------------------------------------------------------------------------------------- numbers */

/* What a tree says of n rows, from row `first` on. */
static void say(const question *q, const cp_tree_value *value, const uint32_t *leaf, size_t n, cp_gauss *out) {
    const cp_greedy_spread spread = q->g->spread;
    size_t trees = q->end - q->first;
    for (size_t i = 0; i < n; i++) {
        cp_tree_value v = value[leaf[i]];
        double var = q->of_mean ? spread.floor : cp_greedy_spread_var(&spread, &v);
        out[i / CP_ANSWER_ROWS * trees * CP_ANSWER_ROWS + i % CP_ANSWER_ROWS] = (cp_gauss){v.mean, (float)sqrt(var)};
    }
}

static copse_status predict_numbers(const question *q, cp_answer *out, copse_error *err) {
    const cp_forest *f = &q->g->forest;
    uint32_t leaf[BLOCK];
    CP_TRY(cp_answer_fill(out, q->end - q->first, f->centre, f->scale, err));
    for (size_t first = 0, n; first < out->rows; first += n) {
        n = out->rows - first < BLOCK ? out->rows - first : BLOCK;
        for (size_t m = q->first; m < q->end; m++) {
            walk(q, &f->tree[m], first, n, leaf);
            say(q, f->tree[m].value, leaf, n, cp_answer_gauss(out, first, m - q->first));
        }
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------- classes */

/* Adds one tree's probabilities; what alpha gives to every class alike is collected in `even`. */
static void add_shares(const question *q, const cp_tree *t, const uint32_t *leaf, size_t n, double *probs,
                       double *even) {
    size_t classes = q->g->forest.classes;
    for (size_t i = 0; i < n; i++, probs += classes) {
        uint32_t first = t->start[leaf[i]], end = t->start[leaf[i] + 1];
        double total = q->alpha;
        for (uint32_t s = first; s < end; s++) total += (double)t->share[s].weight;
        for (uint32_t s = first; s < end; s++) probs[t->share[s].label] += (double)t->share[s].weight / total;
        even[i] += q->alpha / total / (double)classes;
    }
}

/* By the sum itself, which is the number of trees but for rounding: one class has probability 1, not nearly 1. */
static void normalise(double *probs, size_t classes, double even) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += probs[k] += even;
    for (size_t k = 0; k < classes; k++) probs[k] /= sum;
}

static void predict_classes(const question *q, cp_answer *out) {
    const cp_rows *rows = q->rows;
    size_t classes = out->classes, n;
    uint32_t leaf[BLOCK];
    for (size_t first = 0; first < rows->n; first += n) {
        double even[BLOCK] = {0}, *probs = out->probs + first * classes;
        n = rows->n - first < BLOCK ? rows->n - first : BLOCK;
        for (size_t m = q->first; m < q->end; m++) {
            walk(q, &q->g->forest.tree[m], first, n, leaf);
            add_shares(q, &q->g->forest.tree[m], leaf, n, probs, even);
        }
        for (size_t i = 0; i < n; i++) normalise(probs + i * classes, classes, even[i]);
    }
}

copse_status cp_greedy_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                               copse_error *err) {
    const cp_greedy *g = state;
    question q = {.g = g,
                  .rows = rows,
                  .end = g->forest.trees,
                  .of_mean = out->of_mean,
                  .plain = cp_tree_walk_is_plain(rows->x, rows->n * rows->dims),
                  .alpha = cp_param_real(p, "alpha")};
    if (out->tree != CP_NONE) {
        q.first = (size_t)out->tree;
        q.end = q.first + 1;
    }
    if (g->forest.task == COPSE_REGRESS) return predict_numbers(&q, out, err);
    predict_classes(&q, out);
    return COPSE_OK;
}
