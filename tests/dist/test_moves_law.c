/* The joint test of chains over trees (tests/support/joint.h): whatever the number of iterations, the law is kept. */
#include "btree/btree_chain.h"
#include "joint.h"

enum { RUNS = 20000, SWEEPS = 25, FEATURES = 6 };
static const char *const feature_name[FEATURES] = {"leaves",   "depth",          "log prior",
                                                   "root cut", "log likelihood", "first rows"};

static void features_of(const world *w, const cp_moves_tree *t, double **out, size_t run) {
    const cp_moves_node *root = t->node;
    out[0][run] = (double)cp_moves_tree_leaves(t);
    out[1][run] = (double)cp_moves_tree_depth(t);
    out[2][run] = t->log_prior;
    out[3][run] = root->left == CP_NONE ? -1.0 : root->rule.dim * JOINT_ROWS + root->rule.cell;
    out[4][run] = t->log_likelihood;
    out[5][run] = w->classes ? w->label[0] * JOINT_CLASSES + w->label[1] : w->y[0] - w->y[1];
}

/* RUNS independent chains of so many iterations. */
static void run_chains(world *w, uint64_t seed, size_t sweeps, double **out) {
    const cp_btree_mcmc_options opt = {.move = {.25, .25, .3, .2}, .burn_in = SWEEPS, .samples = 1, .thin = 1};
    copse_error err;
    w->told.seed = seed;
    for (size_t i = 0; i < RUNS; i++) {
        cp_btree_chain *c = NULL;
        cp_rng rng;
        cp_rng_init(&rng, seed, CP_FOR_TEST, (uint32_t)i, 0);
        must(cp_btree_mcmc_new(&w->told, &opt, i, &c, &err), err);
        world_draw(w, &c->tree, &rng);
        must(cp_moves_reserve(&c->moves, &c->tree, c->tree.pairs + 1, &err), err);
        cp_moves_tree_refresh(&c->tree, &c->model);
        if (sweeps) must(cp_btree_mcmc_run(c, sweeps, NULL, &err), err);
        if (i % 1000 == 0) assert_null(cp_moves_tree_check(&c->tree, &c->model));
        cp_moves_tree_refresh(&c->tree, &w->model); /* features are by the right belief */
        features_of(w, &c->tree, out, i);
        cp_btree_mcmc_free(c);
    }
}

static double distance(size_t classes, const belief *told, const char *name) {
    world w;
    double **fresh = features_new(FEATURES, RUNS), **after = features_new(FEATURES, RUNS);
    world_init(&w, classes, &belief_right, told);
    run_chains(&w, seed_of("untouched"), 0, fresh);
    run_chains(&w, seed_of(name), SWEEPS, after);
    double most = features_distance(fresh, after, feature_name, FEATURES, RUNS);
    world_clear(&w);
    features_free(fresh, FEATURES);
    features_free(after, FEATURES);
    return most;
}

static void classes_keep_the_joint_law(void **state) {
    (void)state;
    assert_true(distance(JOINT_CLASSES, &belief_right, "joint law of classes") < 1);
}

static void numbers_keep_the_joint_law(void **state) {
    (void)state;
    assert_true(distance(0, &belief_right, "joint law of numbers") < 1);
}

/* The same test sees chains that believe in another prior, or in other leaves. */
static void wrong_beliefs_are_seen(void **state) {
    (void)state;
    assert_true(distance(JOINT_CLASSES, &belief_wrong[0], "wrong prior, classes") > 1);
    assert_true(distance(0, &belief_wrong[0], "wrong prior, numbers") > 1);
    assert_true(distance(JOINT_CLASSES, &belief_wrong[1], "wrong leaf, classes") > 1);
    assert_true(distance(0, &belief_wrong[1], "wrong leaf, numbers") > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_keep_the_joint_law),
        cmocka_unit_test(numbers_keep_the_joint_law),
        cmocka_unit_test(wrong_beliefs_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
