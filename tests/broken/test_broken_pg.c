/* Particle Gibbs with bugs that others have had: the list of all that particles can do (tests/exact/test_bart_pg.c)
 * must see each.  This program has its own copy of the sampler, whose bugs are switched on by a variable. */
typedef enum bug {
    NO_BUG,
    BROKEN_CLAMP_SLIPS,   /* the clamped particle is resampled like the others */
    BROKEN_KEEPS_WEIGHTS, /* copies of resampled particles keep the weights that made them copies */
    BROKEN_NEVER_OLD,     /* the new tree is drawn among the free particles alone */
    BUGS
} bug;
static bug broken;
#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/bart/pg/bart_pg.c"

#include "pg_paths.h"

static const char *const names[BUGS] = {"no bug", "clamp slips", "keeps weights", "never old"};

static double drift_of(bug b, cp_bart_pg_proposal proposal) {
    bart_tiny w;
    const cp_bart_sampler_options opt = {.particles = 2, .proposal = proposal, .columns = 1, .ess_threshold = 1};
    broken = b;
    bart_tiny_init(&w, &tinies[5], 0.7, 0.3); /* of fewer rows, optimal weights differ only at the end */
    pg_kernel k = pg_kernel_of(&w, &opt);
    double drift = pg_kernel_drift(&k, w.pi);
    pg_kernel_clear(&k);
    bart_tiny_clear(&w);
    broken = NO_BUG;
    return drift;
}

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (int b = 0; b < BUGS; b++)
        for (int proposal = 0; proposal < 3; proposal++) {
            double drift = drift_of((bug)b, (cp_bart_pg_proposal)proposal);
            print_message("%s, proposal %d: %.3g\n", names[b], proposal, drift);
            assert_true(b == NO_BUG ? drift < 1e-12 : drift > 1e-4);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
