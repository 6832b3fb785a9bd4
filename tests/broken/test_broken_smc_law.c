/* The joint test of islands (tests/dist/smc_joint.h) must see the bugs of broken_smc.h, each with the options it is
 * about. */
#include "broken_smc.h"

#include "smc_joint.h"

static double distance(bug b, int empirical, size_t classes) {
    const cp_btree_smc_options opt = {.proposal = empirical ? CP_BTREE_EMPIRICAL : CP_BTREE_PRIOR,
                                      .resampling = CP_RESAMPLE_MULTINOMIAL,
                                      .ess_threshold = empirical ? 0.5 : 2,
                                      .particles = 5,
                                      .max_stages = 1000};
    world w;
    world_init(&w, classes, &belief_right, &belief_right);
    print_message("%s, %s, %s\n", bug_name[b], empirical ? "empirical" : "prior", classes ? "classes" : "numbers");
    broken = b;
    double most = smc_joint_distance(&w, &opt, "broken islands");
    broken = NO_BUG;
    world_clear(&w);
    return most;
}

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t classes = i ? JOINT_CLASSES : 0;
        assert_true(distance(NO_BUG, 1, classes) < 1);
        assert_true(distance(BROKEN_COUNTS_VALUES, 0, classes) < 1);
        assert_true(distance(BROKEN_COUNTS_VALUES, 1, classes) > 1);
        assert_true(distance(BROKEN_KEEPS_WEIGHTS, 0, classes) > 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
