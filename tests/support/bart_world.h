/* bart_world - what tests of the trees of a sum share: made-up rows, a residual, and a view on them. */
#ifndef BART_WORLD_H
#define BART_WORLD_H

#include "check.h"

#include "bart/core/bart_split_probs.h"
#include "bart/core/bart_tree_check.h"
#include "num/draw.h"

typedef struct bart_shape {
    size_t rows, dims;
    int steps; /* values of a column; 0: continuous */
    size_t constant, copies;
    int weighted, sparse;
    cp_tree_prior prior;
} bart_shape;

static const bart_shape bart_shapes[] = {
    {.rows = 300, .dims = 4, .prior = {.95, .5}},
    {.rows = 300, .dims = 4, .steps = 3, .sparse = 1, .prior = {.95, .2}},
    {.rows = 100, .dims = 3, .steps = 2, .weighted = 1, .prior = {.99, 0}},
    {.rows = 200, .dims = 12, .steps = 7, .constant = 10, .copies = 50, .prior = {.95, .1}},
    {.rows = 200, .dims = 12, .steps = 7, .constant = 10, .weighted = 1, .sparse = 1, .prior = {.95, .1}},
    {.rows = 3000, .dims = 2, .steps = 40, .weighted = 1, .prior = {.99, 0}},
    {.rows = 1, .dims = 2, .prior = {.95, .5}},
    {.rows = 40, .dims = 3, .constant = 3, .prior = {.95, .5}},
};

typedef struct bart_world {
    const bart_shape *of;
    float *x, *r, *weight;
    cp_bart_columns columns;
    cp_bart_split_probs split_probs;
    double log_split[CP_BART_MAX_DEPTHS], log_stop[CP_BART_MAX_DEPTHS];
    cp_bart_view view;
    uint8_t *slot, *tmp;
    cp_bart_tree tree;
} bart_world;

static inline void bart_world_depths(const cp_tree_prior *p, double *log_split, double *log_stop) {
    for (size_t d = 0; d < CP_BART_MAX_DEPTHS; d++) {
        log_split[d] = cp_tree_prior_log_split(p, d);
        log_stop[d] = cp_tree_prior_log_stop(p, d);
    }
    log_split[CP_BART_MAX_DEPTHS - 1] = -INFINITY;
    log_stop[CP_BART_MAX_DEPTHS - 1] = 0;
}

static inline void bart_world_data(bart_world *w, const bart_shape *s, cp_rng *rng) {
    *w = (bart_world){.of = s};
    w->x = malloc(s->rows * s->dims * sizeof *w->x);
    w->r = malloc(s->rows * sizeof *w->r);
    w->weight = malloc(s->rows * sizeof *w->weight);
    w->slot = malloc(s->rows);
    w->tmp = malloc(s->rows);
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t d = 0; d < s->dims; d++) {
            double u = cp_rng_unit(rng);
            if (s->steps) u = floor(u * s->steps);
            w->x[i * s->dims + d] = d < s->constant ? 7 : (float)u;
        }
        if (i >= s->rows - s->copies) memcpy(w->x + i * s->dims, w->x, s->dims * sizeof *w->x);
        w->r[i] = (float)(cp_draw_normal(rng) + .5 * (double)w->x[i * s->dims + s->dims - 1]);
        w->weight[i] = (float)(.1 + cp_draw_exp(rng));
    }
}

/* A view on the data, and a tree of one leaf; rng is for shares. */
static inline void bart_world_view(bart_world *w, cp_rng *rng) {
    const bart_shape *s = w->of;
    copse_error err;
    const cp_bart_matrix m = {w->x, s->rows, s->dims};
    must(cp_bart_columns_init(&w->columns, &m, CP_BART_CUTS_UNIFORM, 0, NULL, &err), err);
    must(cp_bart_split_probs_init(&w->split_probs, s->dims, s->sparse, &err), err);
    if (s->sparse) {
        double p[16], sum = 0;
        for (size_t d = 0; d < s->dims; d++) sum += p[d] = pow(cp_rng_unit(rng), 3);
        for (size_t d = 0; d < s->dims; d++) p[d] /= sum;
        cp_bart_split_probs_set(&w->split_probs, p);
    }
    bart_world_depths(&s->prior, w->log_split, w->log_stop);
    w->view = (cp_bart_view){.columns = &w->columns,
                             .split_probs = &w->split_probs,
                             .log_split = w->log_split,
                             .log_stop = w->log_stop,
                             .r = w->r,
                             .opt_weight = s->weighted ? w->weight : NULL,
                             .leaf_var = .3,
                             .noise_var = .8};
    must(cp_bart_tree_init(&w->tree, &w->view, w->slot, &err), err);
}

static inline void bart_world_init(bart_world *w, const bart_shape *s, cp_rng *rng) {
    bart_world_data(w, s, rng);
    bart_world_view(w, rng);
}

/* The sums of the leaves as a pass over the residual leaves them. */
static inline void bart_world_sum(bart_world *w) {
    cp_leaf_pass_values x = {w->r, w->view.opt_weight, w->of->rows};
    static const float none[CP_BART_MAX_LEAVES];
    const cp_leaf_pass_shift shift = {w->slot, none, cp_bart_tree_leaves(&w->tree)};
    double sum[CP_BART_MAX_LEAVES];
    w->columns.leaf_pass->move(&x, NULL, &shift, sum);
    for (size_t s = 0; s < cp_bart_tree_leaves(&w->tree); s++) w->tree.leaf[s].sum_wr = sum[s];
}

static inline void bart_world_clear(bart_world *w) {
    cp_bart_tree_clear(&w->tree);
    cp_bart_split_probs_clear(&w->split_probs);
    cp_bart_columns_clear(&w->columns);
    free(w->x);
    free(w->r);
    free(w->weight);
    free(w->slot);
    free(w->tmp);
}

static inline void bart_world_holds(const bart_world *w) {
    const char *bad = cp_bart_tree_check(&w->tree, &w->view);
    if (bad) fail_msg("%s", bad);
}

/* Splits a leaf with a rule from the prior, or joins two, whatever that does to the posterior.  1 if it did. */
static inline int bart_world_shake(bart_world *w, double join, cp_rng *rng) {
    cp_bart_tree *t = &w->tree;
    copse_error err;
    if (cp_rng_unit(rng) < join) {
        if (!t->pairs) return 0;
        int16_t at = t->node[2 * cp_rng_below(rng, t->pairs) + 1].parent, left = t->node[at].left;
        if (!cp_bart_tree_is_leaf(t, left) || !cp_bart_tree_is_leaf(t, (int16_t)(left + 1))) return 0;
        cp_bart_tree_collapse(t, &w->view, at);
        return 1;
    }
    uint8_t slot = (uint8_t)cp_rng_below(rng, cp_bart_tree_leaves(t));
    cp_bart_split s = {.node = t->leaf[slot].node};
    int varies = cp_bart_split_probs_draw_rule(&w->view, (cp_bart_group){w->slot, slot}, rng, &s.rule);
    assert_int_equal(varies, t->leaf[slot].open);
    if (!varies || cp_bart_tree_leaves(t) == CP_BART_MAX_LEAVES || t->node[s.node].depth + 2 >= CP_BART_MAX_DEPTHS)
        return 0;
    assert_true(cp_bart_tree_try_split(t, &w->view, &s));
    s.cut = cp_bart_columns_cut(&w->columns, s.rule, rng);
    must(cp_bart_tree_reserve(t, cp_bart_tree_leaves(t) + 1, &err), err);
    cp_bart_tree_split(t, &w->view, &s);
    return 1;
}

#endif
