/* Moves on one tree of a sum with bugs that others have had: the exact test (tests/exact/test_bart_mh.c) must see
 * every one.  This program has its own copy of bart_mh.c, whose bugs are switched on by a variable. */
typedef enum bug {
    NO_BUG,
    BROKEN_PRUNABLE, /* a parent that loses its two leaves is still counted among those that can be pruned */
    BROKEN_CHANGE,   /* the rule's prior is counted, but not its proposal */
    BUGS
} bug;
static bug broken;
#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/bart/mh/bart_mh.c"

#include "check.h"
#include "mh_matrix.h"

static double worst_drift(bug b) {
    double most = 0;
    broken = b;
    for (size_t i = 0; i < LOCAL_CASES; i++) {
        local_world w;
        local_world_init(&w, &local_cases[i], 0);
        double *p = local_matrix(&w, ALL);
        most = fmax(most, local_drift(&w, p));
        free(p);
        local_world_clear(&w);
    }
    broken = NO_BUG;
    return most;
}

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (int b = 0; b < BUGS; b++) {
        double drift = worst_drift((bug)b);
        print_message("bug %d: drift %g\n", b, drift);
        assert_true(b == NO_BUG ? drift < 1e-12 : drift > 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
