#include "candidates_law.h"

#include "mondrian/mondrian_candidates.h"

enum { TREES = 20000, FEW = 6, MANY = 24 };

/* ------------------------------------------------------------------------------------------------------------- ways */

static void make_order(size_t *order, size_t n, law_way way, const cp_rows *rows) {
    cp_rng rng;
    for (size_t i = 0; i < n; i++) order[i] = way == LAW_REVERSED ? n - 1 - i : i;
    cp_rng_init(&rng, seed_of("candidates order"), CP_FOR_TEST, 0, 0);
    if (way == LAW_SHUFFLED) cp_draw_shuffle(&rng, order, n);
    if (way == LAW_SORTED) /* every row lies outside all boxes so far */
        for (size_t i = 1; i < n; i++)
            for (size_t k = i; k > 0 && rows->x[order[k] * rows->dims] < rows->x[order[k - 1] * rows->dims]; k--) {
                size_t swap = order[k];
                order[k] = order[k - 1];
                order[k - 1] = swap;
            }
}

static sample in_order(const cp_rows *rows, const size_t *order) {
    sample s = make_sample("unused", rows->n, rows->dims, rows->classes, 0);
    for (size_t i = 0; i < rows->n; i++) {
        memcpy(s.x + i * rows->dims, rows->x + order[i] * rows->dims, rows->dims * sizeof *s.x);
        if (rows->label) s.label[i] = rows->label[order[i]];
        if (rows->y) s.y[i] = rows->y[order[i]];
    }
    return s;
}

/* Splits keep candidates from two rows on, so that no law rests on sampling anew. */
static cp_mondrian *grow_so(const cp_rows *rows, const copse_params *p, law_way way) {
    size_t step = way == LAW_MINIBATCH ? 5 : 1;
    cp_mondrian *f = fit_rows(rows, way == LAW_BATCH ? rows->n : 1, p);
    if (way != LAW_BATCH) f->space.record_rows = 2;
    for (size_t r = cp_mondrian_learnt(f); r < rows->n; r += step)
        learn_rows(f, rows, r, step < rows->n - r ? step : rows->n - r, p);
    assert_sound(f, p);
    return f;
}

/* ----------------------------------------------------------------------------------------------------------- listed */

/* Sorted rows on a line: a shape is a set of cuts (block begins at a, ends before b, is cut behind row i), one bit for
 * each. */
typedef struct line {
    size_t n, classes;
    int candidates;
    const float *x;
    const int32_t *label;
    const double *y;
} line;

static uint64_t bit_of(size_t a, size_t b, size_t i) {
    size_t k = 0;
    for (size_t p = 0; p < FEW; p++)
        for (size_t q = p + 2; q <= FEW; q++)
            for (size_t c = p; c + 1 < q; c++, k++)
                if (p == a && q == b && c == i) return UINT64_C(1) << k;
    return 0;
}

static double score_of(const line *l, size_t a, size_t b, size_t i) {
    double score = 0;
    for (int side = 0; side < 2; side++) {
        size_t from = side ? i + 1 : a, to = side ? b : i + 1;
        double rows = (double)(to - from), sum = 0;
        for (size_t r = from; r < to; r++)
            if (l->y)
                sum += l->y[r];
            else
                for (size_t q = from; q < to; q++) score += (l->label[r] == l->label[q]) / rows;
        score += sum * sum / rows;
    }
    return score;
}

/* The probability that the block's cut is behind row i: the best of K places is there.  Places of equal score share in
 * proportion to their lengths. */
static double cut_probability(const line *l, size_t a, size_t b, size_t i) {
    double all = (double)l->x[b - 1] - (double)l->x[a], below = 0, equal = 0, own = score_of(l, a, b, i);
    for (size_t k = a; k + 1 < b; k++) {
        double share = ((double)l->x[k + 1] - (double)l->x[k]) / all, other = score_of(l, a, b, k);
        if (fabs(other - own) < 1e-9)
            equal += share;
        else if (other < own)
            below += share;
    }
    double won = pow(below + equal, l->candidates) - pow(below, l->candidates);
    return won * ((double)l->x[i + 1] - (double)l->x[i]) / all / equal;
}

static int is_leaf(const line *l, size_t a, size_t b) {
    if (b - a < 2) return 1;
    for (size_t i = a + 1; l->label && i < b; i++)
        if (l->label[i] != l->label[a]) return 0;
    return l->label != NULL;
}

/* The probability of a shape. */
static double shape_probability(const line *l, uint64_t shape, size_t a, size_t b) {
    if (is_leaf(l, a, b)) return 1;
    for (size_t i = a; i + 1 < b; i++)
        if (shape & bit_of(a, b, i))
            return cut_probability(l, a, b, i) * shape_probability(l, shape, a, i + 1) *
                   shape_probability(l, shape, i + 1, b);
    return 0;
}

static size_t rank_of(const line *l, float x) {
    size_t k = 0;
    while (k < l->n && l->x[k] <= x) k++;
    return k;
}

static uint64_t shape_of(const line *l, const cp_mondrian_tree *t, int32_t j, size_t a, size_t b) {
    const cp_mondrian_node *n = &t->node[j];
    if (cp_mondrian_tree_is_leaf(n)) return 0;
    size_t i = rank_of(l, n->cut);
    return bit_of(a, b, i - 1) | shape_of(l, t, n->left, a, i) | shape_of(l, t, n->right, i, b);
}

static int shape_order(const void *a, const void *b) {
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Shapes that occur are compared one by one; together they have almost all the probability. */
static double shapes_distance(const line *l, const cp_mondrian *f) {
    static uint64_t shape[TREES];
    double most = 0, all = 0;
    for (size_t m = 0; m < TREES; m++) shape[m] = shape_of(l, &f->tree[m], 0, 0, l->n);
    qsort(shape, TREES, sizeof *shape, shape_order);
    for (size_t m = 0, end; m < TREES; m = end) {
        for (end = m; end < TREES && shape[end] == shape[m];) end++;
        double p = shape_probability(l, shape[m], 0, l->n);
        all += p;
        most = fmax(most, fabs((double)(end - m) / TREES - p) / share_bound(TREES));
    }
    return fmax(most, (1 - all) / share_bound(TREES));
}

static double exp_cdf(double x, const void *arg) {
    (void)arg;
    return -expm1(-x);
}

static double unit_cdf(double x, const void *arg) {
    (void)arg;
    return x;
}

/* Waiting times times the extent of the box: Exp(1), in all nodes. */
static double waits_distance(const cp_mondrian *f) {
    static double wait[TREES * FEW];
    size_t n = 0;
    for (size_t m = 0; m < TREES; m++) {
        const cp_mondrian_tree *t = &f->tree[m];
        double since[2 * FEW] = {0};
        int32_t order[2 * FEW];
        cp_mondrian_tree_order(t, order);
        for (size_t i = 0; i < t->nodes; i++) {
            const cp_mondrian_node *node = &t->node[order[i]];
            float box[2];
            if (cp_mondrian_tree_is_leaf(node)) continue;
            const float *own = cp_mondrian_tree_box(t, &f->space, node, box);
            wait[n++] = (node->time - since[order[i]]) * ((double)own[1] - (double)own[0]);
            since[node->left] = since[node->right] = node->time;
        }
    }
    return ks_one(wait, n, exp_cdf, NULL) / ks_bound_one(n);
}

/* Places of the root's candidates, as shares of its box: uniform. */
static double places_distance(const cp_mondrian *f) {
    static double place[TREES * 10];
    size_t n = 0, k = f->space.candidates;
    for (size_t m = 0; m < TREES; m++) {
        const cp_mondrian_tree *t = &f->tree[m];
        float box[2];
        const float *own = cp_mondrian_tree_box(t, &f->space, t->node, box);
        if (!t->chosen || t->chosen[0] == CP_NONE) return 0;
        for (size_t i = 0; i < k; i++)
            place[n++] = ((double)t->candidate[(size_t)t->chosen[0] * k + i].cut - (double)own[0]) /
                         ((double)own[1] - (double)own[0]);
    }
    return ks_one(place, n, unit_cdf, NULL) / ks_bound_one(n);
}

double candidates_law_listed(size_t classes, int candidates, law_way way, const char **out_what) {
    static const float x[FEW] = {0, .1f, .5f, .6f, .85f, 1};
    static const int32_t label[FEW] = {0, 1, 0, 0, 1, 1};
    static const double y[FEW] = {1, 3.5, 2, -1, 0.5, 6};
    const line l = {FEW, classes, candidates, x, classes ? label : NULL, classes ? NULL : y};
    cp_rows rows = {.task = classes ? COPSE_CLASS : COPSE_REGRESS, .n = FEW, .dims = 1, .classes = classes, .x = x};
    char text[100];
    size_t order[FEW];
    rows.label = l.label;
    rows.y = l.y;
    snprintf(text, sizeof text, "trees=%d candidates=%d min-samples-split=2 rechoose=exact%s", TREES, candidates,
             classes ? "" : " posterior=fast");
    copse_params *p = options(text);
    make_order(order, FEW, way, &rows);
    sample s = in_order(&rows, order);
    cp_mondrian *f = grow_so(&s.rows, p, way);
    const double distance[3] = {shapes_distance(&l, f), waits_distance(f), places_distance(f)};
    static const char *const name[3] = {"shapes", "waiting times", "candidates"};
    int most = 0;
    for (int i = 1; i < 3; i++)
        if (distance[i] > distance[most]) most = i;
    *out_what = name[most];
    cp_mondrian_free(f);
    free_sample(&s);
    cp_param_free(p);
    return distance[most];
}

/* --------------------------------------------------------------------------------------------------------- compared */

enum { FEATURES = 7 };
static const char *const feature_name[FEATURES] = {"root dimension", "root time", "root cut",  "leaves",
                                                   "depth",          "last time", "middle cut"};

static void features_of(const cp_mondrian *f, double *out[FEATURES]) {
    for (size_t m = 0; m < f->trees; m++) {
        int32_t order[2 * MANY], depth[2 * MANY];
        const cp_mondrian_tree *t = &f->tree[m];
        int leaf = cp_mondrian_tree_is_leaf(t->node);
        const float middle[2] = {.5f, .5f};
        const cp_mondrian_node *above = t->node;
        double mean, last = 0;
        size_t leaves;
        cp_mondrian_tree_shape(t, order, depth, &leaves, &mean);
        for (size_t j = 0; j < t->nodes; j++)
            if (!cp_mondrian_tree_is_leaf(&t->node[j])) last = fmax(last, t->node[j].time);
        for (const cp_mondrian_node *n = t->node; !cp_mondrian_tree_is_leaf(n);
             n = &t->node[middle[n->dim] <= n->cut ? n->left : n->right])
            above = n;
        out[0][m] = leaf ? -1 : t->node->dim;
        out[1][m] = leaf ? 1e9 : t->node->time;
        out[2][m] = leaf ? -1 : (double)t->node->cut;
        out[3][m] = (double)leaves;
        out[4][m] = mean;
        out[5][m] = last;
        out[6][m] = leaf ? -1 : (double)above->cut + above->dim;
    }
}

static double features_distance(const cp_mondrian *a, const cp_mondrian *b, const char **out_what) {
    double *u[FEATURES], *v[FEATURES], most = 0;
    for (int i = 0; i < FEATURES; i++) {
        u[i] = malloc(a->trees * sizeof **u);
        v[i] = malloc(a->trees * sizeof **v);
    }
    features_of(a, u);
    features_of(b, v);
    for (int i = 0; i < FEATURES; i++) {
        double d = ks_two(u[i], v[i], a->trees) / ks_bound_two(a->trees);
        if (d > most) *out_what = feature_name[i];
        most = fmax(most, d);
        free(u[i]);
        free(v[i]);
    }
    return most;
}

double candidates_law_compared(size_t rows, size_t classes, int steps, const char *text, law_way way,
                               const char **out_what) {
    size_t order[MANY];
    copse_error err;
    copse_params *p = options(text), *other = options(text);
    sample all = make_sample(text, rows, 2, classes, steps);
    if (rows == MANY) all.x[5 * 2] = 3; /* an outlier; it comes late if the order is reversed */
    must(cp_param_set(other, "seed", "2", &err), err);
    make_order(order, rows, way, &all.rows);
    sample s = in_order(&all.rows, order);
    cp_mondrian *whole = grow_so(&s.rows, p, LAW_BATCH), *f = grow_so(&s.rows, other, way);
    double distance = features_distance(whole, f, out_what);
    cp_mondrian_free(whole);
    cp_mondrian_free(f);
    free_sample(&s);
    free_sample(&all);
    cp_param_free(p);
    cp_param_free(other);
    return distance;
}
