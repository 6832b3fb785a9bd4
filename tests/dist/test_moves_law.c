/* The joint test of chains over trees: a tree from the prior, targets from the tree, some iterations of the chain given these
 * targets.  Whatever the number of iterations, the tree is then still a draw from the prior, and tree and targets together
 * one from their joint law: any feature of them follows the law it has in draws that no chain has touched. */
#include "btree/btree_chain.h"
#include "ks.h"
#include "num/draw.h"

enum { RUNS = 20000, ROWS = 14, DIMS = 3, CLASSES = 3, SWEEPS = 25, FEATURES = 6 };
static const char *const feature_name[FEATURES] = {"leaves",   "depth",          "log prior",
                                                   "root cut", "log likelihood", "first rows"};

/* What is believed before targets are seen. */
typedef struct belief {
    cp_tree_prior prior;
    double alpha, kappa; /* of leaves with classes, with numbers */
} belief;

typedef struct world {
    float x[ROWS * DIMS];
    int32_t label[ROWS];
    double y[ROWS];
    size_t classes;
    cp_btree_problem b;
} world;

/* Continuous, with ties, and all but constant; the last two rows are equal. */
static void init_world(world *w, size_t classes, const belief *of) {
    copse_error err;
    cp_rng rng;
    *w = (world){.classes = classes};
    cp_rng_init(&rng, seed_of("rows of the joint test"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        float *x = w->x + i * DIMS;
        x[0] = (float)cp_rng_unit(&rng);
        x[1] = (float)cp_rng_below(&rng, 3);
        x[2] = i == 5;
        if (i == ROWS - 1) memcpy(x, x - DIMS, DIMS * sizeof *x);
    }
    must(cp_ranks_init(&w->b.ranks, w->x, ROWS, DIMS, NULL, &err), err);
    if (classes)
        must(cp_leaf_dirichlet_init(&w->b.leaf, w->label, ROWS, classes, of->alpha, &err), err);
    else
        must(cp_leaf_nig_init(&w->b.leaf, w->y, ROWS, of->kappa, 4, .5, &err), err);
    w->b.prior = of->prior;
}

static void clear_world(world *w) {
    cp_leaf_clear(&w->b.leaf);
    cp_ranks_clear(&w->b.ranks);
}

/* Targets of each leaf from the leaf model: parameters from their prior, then the rows. */
static void draw_targets(world *w, const cp_moves_tree *t, cp_rng *rng) {
    const double nothing[CLASSES] = {0};
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        double parameters[CLASSES];
        if (!cp_moves_tree_is_leaf(t, u)) continue;
        cp_leaf_draw(&w->b.leaf, nothing, rng, parameters);
        cp_span s = cp_moves_tree_span(t, u);
        for (size_t i = 0; i < s.n; i++) {
            double target = cp_leaf_draw_target(&w->b.leaf, parameters, rng);
            if (w->classes)
                w->label[s.row[i]] = (int32_t)target;
            else
                w->y[s.row[i]] = target;
        }
    }
}

static void features_of(const world *w, const cp_moves_tree *t, double *out[FEATURES], size_t run) {
    const cp_moves_node *root = t->node;
    out[0][run] = (double)cp_moves_tree_leaves(t);
    out[1][run] = (double)cp_moves_tree_depth(t);
    out[2][run] = t->log_prior;
    out[3][run] = root->left == CP_NONE ? -1.0 : root->rule.dim * ROWS + root->rule.cell;
    out[4][run] = t->log_likelihood;
    out[5][run] = w->classes ? w->label[0] * CLASSES + w->label[1] : w->y[0] - w->y[1];
}

/* RUNS independent chains of so many iterations.  judge: what the chains believe, which may be wrong. */
static void run_chains(world *w, const world *judge, uint64_t seed, size_t sweeps, double *out[FEATURES]) {
    copse_error err;
    cp_btree_mcmc_options opt = {.move = {.25, .25, .3, .2}, .burn_in = SWEEPS, .samples = 1, .thin = 1};
    cp_btree_problem told = w->b;
    told.prior = judge->b.prior;
    told.leaf = judge->b.leaf;
    told.leaf.label = w->label;
    told.leaf.y = w->y;
    told.seed = seed;
    for (size_t i = 0; i < RUNS; i++) {
        cp_btree_chain *c = NULL;
        cp_moves_model model;
        cp_moves moves;
        cp_rng rng;
        cp_rng_init(&rng, seed, CP_FOR_TEST, (uint32_t)i, 0);
        must(cp_btree_mcmc_new(&told, &opt, i, &c, &err), err);
        cp_moves_model_init(&model, &w->b.ranks, &w->b.leaf, w->b.prior);
        must(cp_moves_init(&moves, &model, opt.move, &err), err);
        must(cp_moves_draw_tree(&moves, &c->tree, &rng, &err), err);
        must(cp_moves_reserve(&c->moves, &c->tree, c->tree.pairs + 1, &err), err);
        draw_targets(w, &c->tree, &rng);
        cp_moves_tree_refresh(&c->tree, &c->model);
        if (sweeps) must(cp_btree_mcmc_run(c, sweeps, NULL, &err), err);
        if (i % 1000 == 0) assert_null(cp_moves_tree_check(&c->tree, &c->model));
        cp_moves_tree_refresh(&c->tree, &model); /* features are by the right belief */
        features_of(w, &c->tree, out, i);
        cp_moves_clear(&moves);
        cp_btree_mcmc_free(c);
    }
}

static double *room(double *out[FEATURES]) {
    double *all = malloc(FEATURES * RUNS * sizeof *all);
    for (int f = 0; f < FEATURES; f++) out[f] = all + f * RUNS;
    return all;
}

/* The largest distance, over features, between chains and untouched draws, as a share of the bound. */
static double distance(size_t classes, const belief *is, const belief *told, const char *name) {
    world w, judge;
    double *fresh[FEATURES], *after[FEATURES], *a = room(fresh), *b = room(after), most = 0;
    init_world(&w, classes, is);
    init_world(&judge, classes, told);
    run_chains(&w, &judge, seed_of("untouched"), 0, fresh);
    run_chains(&w, &judge, seed_of(name), SWEEPS, after);
    for (int f = 0; f < FEATURES; f++) {
        double d = ks_two(fresh[f], after[f], RUNS) / ks_bound_two(RUNS);
        print_message("%-14s %.3f of the bound\n", feature_name[f], d);
        most = fmax(most, d);
    }
    clear_world(&w);
    clear_world(&judge);
    free(a);
    free(b);
    return most;
}

static const belief right = {{.95, .8}, 2, .3}, wrong_prior = {{.85, .8}, 2, .3}, wrong_leaf = {{.95, .8}, 4, .1};

static void classes_keep_the_joint_law(void **state) {
    (void)state;
    assert_true(distance(CLASSES, &right, &right, "joint law of classes") < 1);
}

static void numbers_keep_the_joint_law(void **state) {
    (void)state;
    assert_true(distance(0, &right, &right, "joint law of numbers") < 1);
}

/* The same test sees chains that believe in another prior, or in other leaves. */
static void wrong_beliefs_are_seen(void **state) {
    (void)state;
    assert_true(distance(CLASSES, &right, &wrong_prior, "wrong prior, classes") > 1);
    assert_true(distance(0, &right, &wrong_prior, "wrong prior, numbers") > 1);
    assert_true(distance(CLASSES, &right, &wrong_leaf, "wrong leaf, classes") > 1);
    assert_true(distance(0, &right, &wrong_leaf, "wrong leaf, numbers") > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_keep_the_joint_law),
        cmocka_unit_test(numbers_keep_the_joint_law),
        cmocka_unit_test(wrong_beliefs_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
