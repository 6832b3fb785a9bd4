/* joint - the joint test of a sampler of trees: a tree from the prior, targets from the tree, then the sampler given
 * these targets.  If it leaves the posterior as it is, its tree is a draw from the prior too, and tree and targets
 * together are one from their joint law: any feature of them follows the law it has in draws that no sampler has
 * touched. */
#ifndef JOINT_H
#define JOINT_H

#include "bayes/moves.h"
#include "bayes/moves_tree_check.h"
#include "btree/btree_problem.h"
#include "ks.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"

enum { JOINT_ROWS = 14, JOINT_DIMS = 3, JOINT_CLASSES = 3 };

/* What is believed before targets are seen. */
typedef struct belief {
    cp_tree_prior prior;
    double alpha, kappa; /* of leaves with classes, with numbers */
} belief;

static const belief belief_right = {{.95, .8}, 2, .3};
static const belief belief_wrong[] = {{{.75, .8}, 2, .3}, {{.95, .8}, 6, .05}}; /* the tree's prior, the leaves' */

typedef struct world {
    float x[JOINT_ROWS * JOINT_DIMS];
    int32_t label[JOINT_ROWS];
    double y[JOINT_ROWS];
    size_t classes;        /* 0: numbers */
    cp_btree_problem is;   /* what trees and targets are drawn from */
    cp_btree_problem told; /* what the sampler believes, which may be wrong; the ranks are those of `is` */
    cp_moves_tree_model model;
    cp_moves moves;
} world;

static inline void world_believe(world *w, cp_btree_problem *b, const belief *of) {
    copse_error err;
    if (w->classes)
        must(cp_leaf_dirichlet_init(&b->leaf, w->label, JOINT_ROWS, w->classes, of->alpha, &err), err);
    else
        must(cp_leaf_nig_init(&b->leaf, w->y, JOINT_ROWS, (cp_leaf_nig_prior){of->kappa, 4, .5}, &err), err);
    b->prior = of->prior;
}

/* Columns: continuous, with ties, and all but constant; the last two rows are equal. */
static inline void world_init(world *w, size_t classes, const belief *is, const belief *told) {
    const double share[CP_MOVES] = {1};
    copse_error err;
    cp_rng rng;
    *w = (world){.classes = classes};
    cp_rng_init(&rng, seed_of("rows of the joint test"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < JOINT_ROWS; i++) {
        float *x = w->x + i * JOINT_DIMS;
        x[0] = (float)cp_rng_unit(&rng);
        x[1] = (float)cp_rng_below(&rng, 3);
        x[2] = i == 5;
        if (i == JOINT_ROWS - 1) memcpy(x, x - JOINT_DIMS, JOINT_DIMS * sizeof *x);
    }
    must(cp_ranks_init(&w->is.ranks, w->x, JOINT_ROWS, JOINT_DIMS, NULL, &err), err);
    w->told.ranks = w->is.ranks;
    world_believe(w, &w->is, is);
    world_believe(w, &w->told, told);
    cp_moves_tree_model_init(&w->model, &w->is.ranks, &w->is.leaf, w->is.prior);
    must(cp_moves_init(&w->moves, &w->model, share, &err), err);
}

static inline void world_clear(world *w) {
    cp_moves_clear(&w->moves);
    cp_leaf_clear(&w->is.leaf);
    cp_leaf_clear(&w->told.leaf);
    cp_ranks_clear(&w->is.ranks);
}

/* A tree, and the targets of each of its leaves: parameters from their prior, then the rows. */
static inline void world_draw(world *w, cp_moves_tree *t, cp_rng *rng) {
    const double nothing[JOINT_CLASSES] = {0};
    copse_error err;
    must(cp_moves_draw_tree(&w->moves, t, rng, &err), err);
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        double parameters[JOINT_CLASSES];
        if (!cp_moves_tree_is_leaf(t, u)) continue;
        cp_leaf_draw(&w->is.leaf, nothing, rng, parameters);
        cp_span s = cp_moves_tree_span(t, u);
        for (size_t i = 0; i < s.n; i++) {
            double target = cp_leaf_draw_target(&w->is.leaf, parameters, rng);
            if (w->classes)
                w->label[s.row[i]] = (int32_t)target;
            else
                w->y[s.row[i]] = target;
        }
    }
    cp_moves_tree_refresh(t, &w->model);
}

/* Features of many runs: [feature][run]. */
static inline double **features_new(size_t features, size_t runs) {
    double **out = malloc(features * sizeof *out);
    for (size_t f = 0; f < features; f++) out[f] = malloc(runs * sizeof **out);
    return out;
}

static inline void features_free(double **f, size_t features) {
    for (size_t i = 0; i < features; i++) free(f[i]);
    free(f);
}

/* The largest distance, over features, between the laws of two samples, as a share of the bound.  Sorts them. */
static inline double features_distance(double **a, double **b, const char *const *name, size_t features, size_t runs) {
    double most = 0;
    for (size_t f = 0; f < features; f++) {
        double d = ks_two(a[f], b[f], runs) / ks_bound_two(runs);
        print_message("%-14s %.3f of the bound\n", name[f], d);
        most = fmax(most, d);
    }
    return most;
}

#endif
