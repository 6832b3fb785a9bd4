/* Metropolis moves with bugs that others have had: the exact test (tests/exact/test_moves.c) must see every one.  This
 * program has its own copy of moves.c, whose bugs are switched on by a variable. */
typedef enum bug { NO_BUG, BROKEN_NO_HASTINGS, BROKEN_ALL_LEAVES, BROKEN_UNIFORM_RULES, BUGS } bug;
static bug broken;
#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/bayes/moves.c"

#include "check.h"
#include "ref/ref_cases.h"

static double worst_drift(bug b) {
    double most = 0;
    broken = b;
    for (size_t i = 0; i < COUNT(ref_cases); i++) {
        ref_kernel k;
        ref_kernel_init(&k, &ref_cases[i]);
        most = fmax(most, ref_kernel_drift(&k, &ref_cases[i], 15));
        ref_kernel_clear(&k);
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
