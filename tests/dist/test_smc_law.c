/* The joint test of islands of particles (smc_joint.h), with every proposal, expansion and resampling. */
#include "smc_joint.h"

enum { PARTICLES = 5 };
static const struct {
    const char *name;
    cp_btree_smc_options opt;
} cases[] = {
    {"prior, by node, multinomial", {CP_BTREE_PRIOR, CP_BTREE_NODE, CP_RESAMPLE_MULTINOMIAL, 2, PARTICLES, 1000, 0}},
    {"empirical, by likelihood, systematic",
     {CP_BTREE_EMPIRICAL, CP_BTREE_NODE_LIKELIHOOD, CP_RESAMPLE_SYSTEMATIC, .8, PARTICLES, 1000, 0}},
    {"optimal, by layer, residual", {CP_BTREE_OPTIMAL, CP_BTREE_LAYER, CP_RESAMPLE_RESIDUAL, .9, PARTICLES, 1000, 0}},
    {"mixed, by node, stratified", {CP_BTREE_MIXED, CP_BTREE_NODE, CP_RESAMPLE_STRATIFIED, .8, PARTICLES, 1000, 2}},
};

static double distance(size_t classes, const belief *told, size_t i) {
    world w;
    cp_btree_smc_options opt = cases[i].opt;
    if (!classes) opt.resampling = CP_RESAMPLE_MULTINOMIAL; /* smc_joint.c says why */
    world_init(&w, classes, &belief_right, told);
    print_message("%s, %s\n", cases[i].name, classes ? "classes" : "numbers");
    double most = smc_joint_distance(&w, &opt, cases[i].name);
    world_clear(&w);
    return most;
}

static void classes_keep_the_joint_law(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) assert_true(distance(JOINT_CLASSES, &belief_right, i) < 1);
}

static void numbers_keep_the_joint_law(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) assert_true(distance(0, &belief_right, i) < 1);
}

/* The same test sees particles that believe in another prior, or in other leaves. */
static void wrong_beliefs_are_seen(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(belief_wrong); k++) {
        assert_true(distance(JOINT_CLASSES, &belief_wrong[k], 0) > 1);
        assert_true(distance(0, &belief_wrong[k], 0) > 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_keep_the_joint_law),
        cmocka_unit_test(numbers_keep_the_joint_law),
        cmocka_unit_test(wrong_beliefs_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
