/* Learning a row in trees whose splits the labels choose, with bugs that are easily made: the tests of the law
 * (tests/dist/candidates_law.h) must see each.  This program has its own copy of the file; a variable switches its bugs
 * on. */
typedef enum bug {
    NO_BUG,
    BROKEN_CANDIDATES_STAY, /* no candidate is drawn in the part of the box that is new */
    BROKEN_TIMES_STAY,      /* a larger box splits no sooner */
    BROKEN_NODE_REDRAWN,    /* where the choice changes, the node is sampled anew with its candidates */
    BROKEN_SUBTREE_STAYS,   /* lifetime: a subtree whose time is earlier goes on as it is */
    BUGS
} bug;
static bug broken;
#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/mondrian/mondrian_rechoose.c"

#include "candidates_law.h"

static double worst(bug b, law_way way) {
    const char *what = "";
    broken = b;
    double d =
        b == BROKEN_SUBTREE_STAYS
            ? candidates_law_compared(24, 0, 0, "trees=20000 candidates=3 min-samples-split=2 lifetime=2", way, &what)
            : candidates_law_listed(0, 3, way, &what);
    broken = NO_BUG;
    print_message("bug %d, way %d: %.2f times the bound (%s)\n", b, way, d, what);
    return d;
}

static void every_bug_is_seen_and_nothing_else(void **state) {
    (void)state;
    for (int b = 0; b < BUGS; b++) {
        double d = fmax(worst((bug)b, LAW_SHUFFLED), worst((bug)b, LAW_SORTED));
        assert_true(b == NO_BUG ? d < 1 : d > 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bug_is_seen_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
