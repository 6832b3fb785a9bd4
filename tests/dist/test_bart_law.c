/* Whole sweeps of BART keep the joint law of trees, leaves, noise, shares and targets; and the test sees chains that
 * believe in something else. */
#include "bart_law.h"

static const bart_belief right = {.split = {.9, .7}, .leaf_var = .5, .nu = 4, .lambda = .6};

static bart_law growprune(void) {
    return (bart_law){
        .sampler = &cp_bart_mh_sampler, .sampler_opt = {.move_prob = {.5, .5}}, .runs = 20000, .sweeps = 8};
}

static bart_law cgm(void) {
    bart_law law = growprune();
    law.sampler_opt = (cp_bart_sampler_options){.move_prob = {.25, .25, .3, .2}};
    return law;
}

static void growprune_keeps_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    assert_true(bart_law_distance(&law, &right, &right, "growprune") < 1);
    bart_belief grid = right;
    grid.cuts = CP_BART_CUTS_GRID;
    assert_true(bart_law_distance(&law, &grid, &grid, "growprune, grid") < 1);
}

static void cgm_keeps_the_joint_law(void **state) {
    (void)state;
    bart_law law = cgm();
    assert_true(bart_law_distance(&law, &right, &right, "cgm") < 1);
}

static void particle_gibbs_keeps_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief classes = right;
    law.sampler = &cp_bart_pg_sampler;
    law.sampler_opt.particles = 4;
    law.runs = 10000;
    law.sweeps = 4;
    assert_true(bart_law_distance(&law, &right, &right, "particle Gibbs") < 1);
    classes.classes = classes.weighted = classes.sparse = 1;
    law.sampler_opt.proposal = CP_BART_PG_OPTIMAL;
    law.sampler_opt.mh_moves = 1;
    assert_true(bart_law_distance(&law, &classes, &classes, "particle Gibbs, optimal, all at once") < 1);
}

static void weights_keep_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief weighted = right;
    weighted.weighted = 1;
    assert_true(bart_law_distance(&law, &weighted, &weighted, "weights") < 1);
    assert_true(bart_law_distance(&law, &weighted, &right, "weights that are not told") > 1);
}

static void classes_keep_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief classes = right, wrong;
    classes.classes = 1;
    assert_true(bart_law_distance(&law, &classes, &classes, "classes") < 1);
    wrong = classes;
    wrong.leaf_var *= 2;
    assert_true(bart_law_distance(&law, &classes, &wrong, "classes, wrong leaves") > 1);
    classes.weighted = 1;
    assert_true(bart_law_distance(&law, &classes, &classes, "classes, rows that count several times") < 1);
}

static void sparse_shares_keep_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief sparse = right;
    sparse.sparse = 1;
    assert_true(bart_law_distance(&law, &sparse, &sparse, "sparse") < 1);
}

static void a_sampled_k_keeps_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief sampled = right, wrong;
    sampled.sample_k = 1;
    wrong = sampled;
    wrong.leaf_var *= 2;
    assert_true(bart_law_distance(&law, &sampled, &sampled, "sampled k") < 1);
    assert_true(bart_law_distance(&law, &sampled, &wrong, "sampled k, wrong prior") > 1);
    sampled.classes = 1;
    assert_true(bart_law_distance(&law, &sampled, &sampled, "sampled k, classes") < 1);
}

static void uneven_noise_keeps_the_joint_law(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief uneven = right, wrong;
    uneven.uneven = 1;
    assert_true(bart_law_distance(&law, &uneven, &uneven, "uneven noise") < 1);
    wrong = uneven;
    wrong.lambda *= 1.5;
    assert_true(bart_law_distance(&law, &uneven, &wrong, "uneven noise, wrong sigma") > 1);
    wrong = uneven;
    wrong.split.alpha = .8;
    assert_true(bart_law_distance(&law, &uneven, &wrong, "uneven noise, wrong prior of trees") > 1);
    uneven.weighted = 1;
    law.sampler_opt = cgm().sampler_opt;
    assert_true(bart_law_distance(&law, &uneven, &uneven, "uneven noise, weights, cgm") < 1);
}

static void wrong_beliefs_are_seen(void **state) {
    (void)state;
    bart_law law = growprune();
    bart_belief wrong = right;
    wrong.split.alpha = .8;
    assert_true(bart_law_distance(&law, &right, &wrong, "wrong prior of trees") > 1);
    wrong = right;
    wrong.leaf_var *= 2;
    assert_true(bart_law_distance(&law, &right, &wrong, "wrong prior of leaves") > 1);
    wrong = right;
    wrong.lambda *= 1.5;
    assert_true(bart_law_distance(&law, &right, &wrong, "wrong prior of noise") > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growprune_keeps_the_joint_law),
        cmocka_unit_test(cgm_keeps_the_joint_law),
        cmocka_unit_test(particle_gibbs_keeps_the_joint_law),
        cmocka_unit_test(weights_keep_the_joint_law),
        cmocka_unit_test(classes_keep_the_joint_law),
        cmocka_unit_test(sparse_shares_keep_the_joint_law),
        cmocka_unit_test(a_sampled_k_keeps_the_joint_law),
        cmocka_unit_test(uneven_noise_keeps_the_joint_law),
        cmocka_unit_test(wrong_beliefs_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
