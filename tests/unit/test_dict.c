#include "check.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "data/dict.h"

static void words_are_numbered_as_they_come(void **state) {
    (void)state;
    copse_error err;
    cp_dict d = {0};
    const char *words[] = {"b", "a", "", "b", "ab", "a", ""};
    const int32_t want[] = {0, 1, 2, 0, 3, 1, 2};
    assert_int_equal(cp_dict_find(&d, "a", 1), CP_NONE);
    for (size_t i = 0; i < 7; i++) {
        int32_t id;
        must(cp_dict_add(&d, words[i], strlen(words[i]), &id, &err), err);
        assert_int_equal(id, want[i]);
    }
    assert_int_equal(d.n, 4);
    assert_string_equal(cp_dict_text(&d, 2), "");
    assert_string_equal(cp_dict_text(&d, 3), "ab");
    assert_int_equal(cp_dict_find(&d, "ab", 1), 1); /* the length counts, not a NUL */
    assert_int_equal(cp_dict_find(&d, "abc", 3), CP_NONE);
    cp_dict_clear(&d);
    assert_int_equal(d.n, 0);
    assert_int_equal(cp_dict_find(&d, "a", 1), CP_NONE);
}

static void a_hundred_thousand_words_are_found_again(void **state) {
    (void)state;
    enum { N = 100000 };
    copse_error err;
    cp_dict d = {0};
    char word[32];
    for (int i = 0; i < N; i++) {
        int32_t id;
        must(cp_dict_add(&d, word, (size_t)sprintf(word, "%d", i * 7), &id, &err), err);
        assert_int_equal(id, i);
    }
    for (int i = 0; i < N; i++) {
        assert_int_equal(cp_dict_find(&d, word, (size_t)sprintf(word, "%d", i * 7)), i);
        assert_string_equal(cp_dict_text(&d, (size_t)i), word);
        assert_int_equal(cp_dict_find(&d, word, (size_t)sprintf(word, "%d", i * 7 + 1)), CP_NONE);
    }
    cp_dict_clear(&d);
}

static void a_failed_add_leaves_the_dictionary_whole(void **state) {
    (void)state;
    cp_dict d = {0};
    char word[32];
    int32_t id;
    int failures = 0;
    for (int i = 0; i < 200; i++) {
        size_t n = (size_t)sprintf(word, "word number %d", i);
        cp_mem_fail_after(0);
        copse_status status = cp_dict_add(&d, word, n, &id, NULL);
        cp_mem_fail_after(-1);
        if (status) {
            assert_int_equal(status, COPSE_E_MEMORY);
            assert_int_equal(cp_dict_find(&d, word, n), CP_NONE);
            assert_int_equal(cp_dict_add(&d, word, n, &id, NULL), COPSE_OK);
            failures++;
        }
        assert_int_equal(id, i);
        assert_int_equal(cp_dict_find(&d, word, n), i);
    }
    assert_true(failures > 5);
    cp_dict_clear(&d);
}

/* Words whose unsalted hashes end in the same 12 bits would stand in one row of slots, each behind all before it. */
static void words_prepared_to_collide_do_not(void **state) {
    (void)state;
    enum { N = 1000, BITS = 12 };
    copse_error err;
    cp_dict d = {0};
    char word[256]; /* the header is inlined, and looks at lengths that do not occur */
    for (unsigned i = 0; d.n < N; i++) {
        size_t n = (size_t)sprintf(word, "w%u", i);
        int32_t id;
        if ((XXH3_64bits(word, n) & ((1u << BITS) - 1)) == 0) must(cp_dict_add(&d, word, n, &id, &err), err);
    }
    size_t run = 0, longest = 0;
    assert_true(d.slots <= 1u << BITS);
    for (size_t i = 0; i < d.slots; i++) {
        run = d.slot[i] == CP_NONE ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 120); /* at most half the slots are taken: runs beyond that are rarer than 1e-9 */
    cp_dict_clear(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_numbered_as_they_come),
        cmocka_unit_test(a_hundred_thousand_words_are_found_again),
        cmocka_unit_test(a_failed_add_leaves_the_dictionary_whole),
        cmocka_unit_test(words_prepared_to_collide_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
