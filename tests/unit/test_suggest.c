#include "check.h"

#include "base/suggest.h"

static const char *guess(const char *word) {
    static const char *const name[] = {"trees", "seed", "lifetime", "min-samples-split", "fit", "predict", "inspect"};
    cp_suggest near = {.word = word};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) cp_suggest_try(&near, name[i]);
    return near.best ? near.best : "";
}

static void finds_slips_of_the_finger(void **state) {
    (void)state;
    assert_string_equal(guess("tree"), "trees");
    assert_string_equal(guess("tress"), "trees");
    assert_string_equal(guess("rtees"), "trees");
    assert_string_equal(guess("TREES"), "trees");
    assert_string_equal(guess("tit"), "fit");
    assert_string_equal(guess("min_sample_split"), "min-samples-split");
    assert_string_equal(guess("predcit"), "predict");
}

static void finds_the_beginning_of_a_name(void **state) {
    (void)state;
    assert_string_equal(guess("min"), "min-samples-split");
    assert_string_equal(guess("ins"), "inspect");
}

static void does_not_guess_wildly(void **state) {
    (void)state;
    assert_string_equal(guess("gamma"), "");
    assert_string_equal(guess(""), "");
    assert_string_equal(guess("x"), "");
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(guess(longest), "");
}

static void a_tie_goes_to_the_first(void **state) {
    (void)state;
    cp_suggest near = {.word = "x2"};
    cp_suggest_try(&near, "x1");
    cp_suggest_try(&near, "x3");
    assert_string_equal(near.best, "x1");
    cp_suggest_try(&near, "x2");
    assert_string_equal(near.best, "x2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_slips_of_the_finger),
        cmocka_unit_test(finds_the_beginning_of_a_name),
        cmocka_unit_test(does_not_guess_wildly),
        cmocka_unit_test(a_tie_goes_to_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
