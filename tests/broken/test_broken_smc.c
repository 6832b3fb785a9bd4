/* The list of all that particles can do (tests/exact/smc_paths.h) must see the bugs of broken_smc.h, each with the
 * options it is about, and only with those. */
#include "broken_smc.h"

#include "smc_paths.h"

static double error_of(bug b, const cp_btree_smc_options *opt, int numbers) {
    island_problem p;
    broken = b;
    island_problem_init(&p, &tinies[TINY_SMALL - 1], numbers);
    smc_paths all = smc_paths_all(&p, opt);
    double error = smc_paths_error(&p, &all);
    island_problem_clear(&p);
    broken = NO_BUG;
    return error;
}

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (int b = 0; b < BUGS; b++)
        for (int empirical = 0; empirical < 2; empirical++)
            for (int resampled = 0; resampled < 2; resampled++)
                for (int numbers = 0; numbers < 2; numbers++) {
                    const cp_btree_smc_options opt = {.proposal = empirical ? CP_BTREE_EMPIRICAL : CP_BTREE_PRIOR,
                                                      .resampling = CP_RESAMPLE_SYSTEMATIC,
                                                      .ess_threshold = resampled ? 2 : 0,
                                                      .particles = 2,
                                                      .max_stages = 100};
                    int wrong = (b == BROKEN_COUNTS_VALUES && empirical) || (b == BROKEN_KEEPS_WEIGHTS && resampled);
                    double error = error_of((bug)b, &opt, numbers);
                    print_message("%s, %s, %s: %.3g\n", bug_name[b], empirical ? "empirical" : "prior",
                                  resampled ? "resampled" : "not resampled", error);
                    assert_true(wrong ? error > 1e-3 : error < 1e-12);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
