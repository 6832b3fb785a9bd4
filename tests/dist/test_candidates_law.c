/* The law of trees whose splits the labels choose: listed on few rows; online, reversed, shuffled, sorted and in
 * minibatches as from all rows at once.  tests/broken has the faults that these tests see. */
#include "candidates_law.h"

static void few_rows_have_the_listed_law(void **state) {
    (void)state;
    static const int candidates[] = {1, 3, 10};
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int i = 0; i < 3; i++)
            for (int way = 0; way < LAW_WAYS; way++) {
                const char *what = "";
                double d = candidates_law_listed(classes, candidates[i], (law_way)way, &what);
                if (d > 1)
                    fail_msg("%zu classes, %d candidates, way %d: the %s differ, %.2f times the bound", classes,
                             candidates[i], way, what, d);
            }
}

static void compare(size_t classes, int steps, const char *text) {
    for (int way = LAW_ONLINE; way < LAW_WAYS; way++) {
        const char *what = "";
        double d = candidates_law_compared(24, classes, steps, text, (law_way)way, &what);
        if (d > 1) fail_msg("%s, way %d: the %s differs, %.2f times the bound", text, way, what, d);
    }
}

static void online_equals_batch_for_classes(void **state) {
    (void)state;
    compare(3, 0, "trees=6000 candidates=3 rechoose=exact");
    compare(3, 5, "trees=6000 candidates=10 rechoose=lazy"); /* rows that share a place but not a class */
    compare(3, 0, "trees=6000 candidates=3 lifetime=1 rechoose=exact");
    compare(2, 0, "trees=6000 candidates=4 min-samples-split=6");
    compare(40, 0, "trees=6000 candidates=3");
}

static void online_equals_batch_for_numbers(void **state) {
    (void)state;
    compare(0, 0, "trees=6000 candidates=10 rechoose=exact posterior=fast");
    compare(0, 5, "trees=6000 candidates=3 min-samples-split=4 rechoose=exact posterior=fast");
    compare(0, 0, "trees=6000 candidates=3 min-samples-split=3 lifetime=1.5 posterior=fast");
    compare(0, 0, "trees=6000 candidates=5 min-samples-split=2 rechoose=lazy posterior=exact");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_have_the_listed_law),
        cmocka_unit_test(online_equals_batch_for_classes),
        cmocka_unit_test(online_equals_batch_for_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
