#include "smc_joint.h"

#include "btree/btree_stage.h"

enum { RUNS = 4000, STEPS = 4, FEATURES = 5, MOST_NODES = 1000 };
static const char *const feature_name[FEATURES] = {"leaves", "depth", "root cut", "leaves left", "log likelihood"};

/* -------------------------------------------------------------------------------------- an island that finds a tree */

/* A particle that is led along a tree. */
typedef struct led {
    const cp_moves_tree *tree;
    uint32_t particle;
    cp_rng rng;
} led;

/* The node with these rows. */
static const cp_moves_node *node_of(const cp_moves_tree *t, cp_span s) {
    int32_t u = 0;
    while (t->node[u].rows > s.n) {
        int32_t left = t->node[u].left;
        cp_span l = cp_moves_tree_span(t, left);
        size_t i = 0;
        while (i < l.n && l.row[i] != s.row[0]) i++;
        u = i < l.n ? left : left + 1;
    }
    return &t->node[u];
}

static int has_column(const cp_btree_proposer *p, uint32_t dim) {
    for (size_t i = 0; i < p->n_chosen; i++)
        if (p->chosen[i] == dim) return 1;
    return 0;
}

/* What the tree does at the block, with the weight it has under the proposal.  Where that looks at some columns only,
 * they are any that have the tree's among them; where it goes by likelihood, the weight is the same for all
 * decisions. */
static void lead(cp_btree_smc *s, led *d) {
    cp_btree_proposer *p = &s->proposer;
    cp_btree_choice *c = &s->choice[d->particle];
    const cp_moves_node *n = node_of(d->tree, p->block.span);
    int stops = n->left == CP_NONE, by_likelihood = s->opt.proposal >= CP_BTREE_OPTIMAL;
    do cp_btree_propose_column(p, &d->rng, c);
    while (s->opt.proposal == CP_BTREE_MIXED && !stops && !has_column(p, n->rule.dim));
    c->dim = stops ? CP_NONE : (int32_t)n->rule.dim;
    while (!stops && (c->gap.low != n->gap.low || c->gap.high != n->gap.high)) {
        c->u = cp_rng_unit(&d->rng);
        cp_btree_propose_gap(p, c);
        if (by_likelihood) c->gap = (cp_btree_gap){n->rule.dim, n->gap.low, n->gap.high};
    }
}

static void decide(cp_btree_smc *s, size_t n, led *d) {
    copse_error err;
    for (size_t i = 0, m; i < n; i += m) {
        int here = 0;
        for (m = 0; i + m < n && s->key[i + m] >> 32 == s->key[i] >> 32; m++)
            here |= (uint32_t)s->key[i + m] == d->particle;
        cp_btree_stage_decide(s, s->key + i, m);
        if (here) lead(s, d);
    }
    for (size_t i = 0; i < n; i++) must(cp_btree_stage_take(s, (uint32_t)s->key[i], &err), err);
}

/* Resampling, given that one of the copies, any, is of the particle led.  Multinomial copies are independent, so that
 * one is told to be.  The others are drawn until it is so, which takes long where weights are as apart as numbers make
 * them. */
static void choose_ancestors(cp_btree_smc *s, led *d) {
    size_t n = s->opt.particles, copy;
    int independent = s->opt.resampling == CP_RESAMPLE_MULTINOMIAL;
    do {
        cp_particle_resample(s->opt.resampling, s->next.log_weight, n, &d->rng, s->weight, s->ancestor);
        copy = cp_rng_below(&d->rng, n);
    } while (!independent && s->ancestor[copy] != d->particle);
    s->ancestor[copy] = d->particle;
    d->particle = (uint32_t)copy;
}

static void run_led(cp_btree_smc *s, led *d) {
    copse_error err;
    for (;;) {
        size_t n;
        must(cp_btree_stage_begin(s, &n, &err), err);
        if (!n) return;
        for (;;) {
            must(cp_btree_stage_gather(s, &n, &err), err);
            if (!n) break;
            decide(s, n, d);
        }
        if (cp_btree_stage_must_resample(s)) choose_ancestors(s, d);
        must(cp_btree_stage_end(s, s->ancestor, &err), err);
    }
}

/* --------------------------------------------------------------------------------------------------------- features */

static double log_likelihood(const world *w, const cp_tree_set *g, int32_t node) {
    const cp_tree_set_node *n = &g->node[node];
    if (n->dim == CP_NONE) return cp_leaf_log_marginal(&w->is.leaf, g->stat + (size_t)n->left * g->width);
    return log_likelihood(w, g, n->left) + log_likelihood(w, g, n->right);
}

static void features_of(const world *w, const cp_tree_set *g, int32_t root, double out[FEATURES]) {
    const cp_tree_set_node *n = &g->node[root];
    cp_tree_set_size size[MOST_NODES];
    assert_true(g->nodes <= MOST_NODES);
    cp_tree_set_measure(g, size);
    out[0] = size[root].leaves;
    out[1] = size[root].depth;
    out[2] = n->dim == CP_NONE ? -1 : 3 * n->dim + (double)n->low;
    out[3] = n->dim == CP_NONE ? 0 : size[n->left].leaves;
    out[4] = log_likelihood(w, g, root);
}

/* Features of a tree of the island, chosen by weight; returns the logarithm of the island's evidence. */
static double harvest(const world *w, cp_btree_smc *s, cp_rng *rng, double out[FEATURES]) {
    copse_error err;
    cp_tree_set g;
    cp_btree_island how;
    size_t tree = 0;
    must(cp_tree_set_init(&g, JOINT_DIMS, w->told.leaf.width, &err), err);
    must(cp_btree_smc_finish(s, &g, &how, &err), err);
    must(cp_tree_set_finish(&g, &err), err);
    for (double u = cp_rng_unit(rng) - g.weight[0]; u >= 0 && tree + 1 < g.trees; u -= g.weight[tree]) tree++;
    features_of(w, &g, g.root[tree], out);
    double log_z = how.log_marginal;
    cp_btree_smc_clear_island(&how);
    cp_tree_set_clear(&g);
    return log_z;
}

/* ------------------------------------------------------------------------------------------------------------- runs */

/* Where a run has come to: features of a tree, and the logarithm of its evidence. */
typedef struct place {
    double feature[FEATURES], log_z;
} place;

/* A tree of an island, which is bound to find the tree led along if there is one. */
static place visit(const world *w, const cp_btree_smc_options *opt, size_t island, led *d) {
    copse_error err;
    cp_btree_smc *s;
    place out;
    must(cp_btree_smc_new(&w->told, opt, island, &s, &err), err);
    if (d->tree)
        run_led(s, d);
    else
        must(cp_btree_smc_run(s, 0, NULL, &err), err);
    out.log_z = harvest(w, s, &d->rng, out.feature);
    cp_btree_smc_free(s);
    return out;
}

/* A tree and targets, the exchange, the steps. */
static place one_run(world *w, const cp_btree_smc_options *opt, size_t run, size_t steps, cp_moves_tree *tree) {
    led d = {.tree = tree};
    size_t island = run * (1 + STEPS);
    cp_rng_init(&d.rng, w->told.seed, CP_FOR_TEST, (uint32_t)run, 0);
    world_draw(w, tree, &d.rng);
    place at = visit(w, opt, island, &d);
    d.tree = NULL;
    for (size_t k = 1; k <= steps; k++) {
        place to = visit(w, opt, island + k, &d);
        if (log(cp_rng_unit(&d.rng)) < to.log_z - at.log_z) at = to;
    }
    return at;
}

static double **all_runs(world *w, const cp_btree_smc_options *opt, const char *name, size_t steps) {
    copse_error err;
    cp_moves_tree tree;
    double **out = features_new(FEATURES, RUNS);
    w->told.seed = seed_of(name);
    must(cp_moves_tree_init(&tree, &w->model, &err), err);
    for (size_t i = 0; i < RUNS; i++) {
        place at = one_run(w, opt, i, steps, &tree);
        for (size_t f = 0; f < FEATURES; f++) out[f][i] = at.feature[f];
    }
    cp_moves_tree_clear(&tree);
    return out;
}

/* An island of one particle, which is led, has the tree itself and no other. */
double smc_joint_distance(world *w, const cp_btree_smc_options *opt, const char *name) {
    cp_btree_smc_options alone = *opt;
    alone.particles = 1;
    double **fresh = all_runs(w, &alone, "untouched", 0), **after = all_runs(w, opt, name, STEPS);
    double most = features_distance(fresh, after, feature_name, FEATURES, RUNS);
    features_free(fresh, FEATURES);
    features_free(after, FEATURES);
    return most;
}
